"""Exports the pictures of the documentation from the app itself: ``python docs/screenshot.py``."""

from __future__ import annotations

import asyncio
import re
import tempfile
from pathlib import Path

from textual.app import App

from annotate.app import RateApp
from annotate.plan import PlanRequest
from audit.app import AuditApp
from cli.planning import plan_round
from core.study import Role
from db.file import create_study
from suites.registry import load

RATING, AUDITING = (Path(__file__).with_name(name) for name in ("rating.svg", "auditing.svg"))


def main() -> None:
    """Rate and audit a little of a new study and keep the pictures of what comes next."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.db"
        codes = _codes_of_a_round(path)
        RATING.write_text(asyncio.run(_rating(path, codes["rater", 2])), encoding="utf-8")
        AUDITING.write_text(asyncio.run(_auditing(path, codes["auditor", 1])), encoding="utf-8")


def _codes_of_a_round(path: Path) -> dict[tuple[Role, int], str]:
    suite = load("core100")
    scenarios = suite.scenarios()
    with create_study(
        path, title="Screenshot", suite=suite.name, scenarios=scenarios, salt="screenshot"
    ) as study:
        planned, codes = plan_round(
            study, suite, name="r1", kind="main", request=PlanRequest(seed=4), auditors=2
        )
        study.rounds.open(planned.id)
    return codes


async def _rating(path: Path, code: str) -> str:
    app = RateApp(path)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press(*code, "enter")
        for key in ("y", "right", "b", "right", "b", "right", "a", "right"):  # the pages before
            await pilot.pause(1.0)
            await pilot.press(key)
        for keys in (("a", "5", "4"), ("b", "4", "5"), ("a", "4")):
            await pilot.pause(1.0)
            for key in keys:
                await pilot.press(key)
                await pilot.pause(0.3)
        return _picture(app, "wavelock rate")


async def _auditing(path: Path, code: str) -> str:
    app = AuditApp(path)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press(*code, "enter")
        for key in ("enter", "y", "n", "x"):
            await pilot.pause(1.0)
            await pilot.press(key)
        await pilot.pause(1.0)
        return _picture(app, "wavelock audit")


def _picture(app: App[int], title: str) -> str:
    # The exporter links fonts from the network; a reader's own monospaced font will do.
    return re.sub(r"@font-face\s*\{[^}]*\}", "", app.export_screenshot(title=title))


if __name__ == "__main__":
    main()
