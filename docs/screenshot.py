"""Exports the screenshot of the README from the app itself: ``python docs/screenshot.py``."""

from __future__ import annotations

import asyncio
import re
import tempfile
from pathlib import Path

from annotate.app import RateApp
from annotate.plan import PlanRequest
from cli.planning import plan_round
from db.file import create_study
from suites.registry import load

TARGET = Path(__file__).with_name("rating.svg")


def main() -> None:
    """Rate a few items of a new study and keep the picture of the next one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.db"
        code = _round_with_one_code(path)
        TARGET.write_text(asyncio.run(_picture(path, code)), encoding="utf-8")


def _round_with_one_code(path: Path) -> str:
    suite = load("core100")
    scenarios = suite.scenarios()
    with create_study(
        path, title="Screenshot", suite=suite.name, scenarios=scenarios, salt="screenshot"
    ) as study:
        planned, codes = plan_round(
            study, suite, name="r1", kind="main", request=PlanRequest(seed=4), auditors=2
        )
        study.rounds.open(planned.id)
    return codes["rater", 2]


async def _picture(path: Path, code: str) -> str:
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
        picture = app.export_screenshot(title="wavelock rate")
    # The exporter links fonts from the network; a reader's own monospaced font will do.
    return re.sub(r"@font-face\s*\{[^}]*\}", "", picture)


if __name__ == "__main__":
    main()
