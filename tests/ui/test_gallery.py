"""Every screen that people meet, at the two sizes that most terminals have."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from annotate.app import RateApp
from annotate.desk import RatingDesk
from audit.app import AuditApp
from cli.home import HomeApp
from tests.ui.piloting import assert_golden, at_item, shows, sign_in, until
from tests.ui.studies import PAGES, Planted
from tests.ui.test_home import TABLES, at_menu

HERE = Path(__file__).parent
SIZES = ((80, 24), (120, 40))
NO_CHECKS = PAGES["checks.toml"].replace("apart = 1", "apart = 99")
Shot = Callable[[App[Any], str], None]


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def size(request: pytest.FixtureRequest) -> tuple[int, int]:
    """Return one of the sizes."""
    found: tuple[int, int] = request.param
    return found


@pytest.fixture
def shot(size: tuple[int, int]) -> Shot:
    """Return a function that compares a screen with its golden text.

    With ``GALLERY=folder`` a picture of each is left there, to be looked at.
    """

    def take(app: App[Any], name: str) -> None:
        if folder := os.environ.get("GALLERY"):
            path = Path(folder) / f"{name}_{size[0]}_{app.theme.removeprefix('wavelock-')}.svg"
            path.write_text(app.export_screenshot(), encoding="utf-8")
        assert_golden(app, HERE, f"{size[0]}x{size[1]}/{name}")

    return take


async def settled(pilot: Pilot[int], number: int) -> None:
    await at_item(pilot, number)
    await pilot.pause()


@pytest.mark.parametrize("theme", ["dark", "light", "plain"])
async def test_every_rating_screen(
    planted: Callable[..., Planted],
    monkeypatch: pytest.MonkeyPatch,
    size: tuple[int, int],
    shot: Shot,
    theme: str,
) -> None:
    """Code, item, answers, help, comment, stop, not saved, end: the same text in all themes."""
    monkeypatch.setattr(RatingDesk, "PATIENCE", 0.0)
    monkeypatch.setenv("WAVELOCK_THEME", theme)
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        shot(app, "rate_code")
        await sign_in(pilot, "AAAA-AAAAAAAA")
        await shows(pilot, "not known")
        shot(app, "rate_code_refused")
        await sign_in(pilot, study.code())
        await settled(pilot, 1)
        shot(app, "rate_item")
        await pilot.press("b", "4")
        await pilot.pause()
        shot(app, "rate_answered")
        await pilot.press("?")
        await shows(pilot, "All keys")
        shot(app, "rate_help")
        await pilot.press("escape", "m", *"It reads oddly.")
        await shows(pilot, "oddly")
        shot(app, "rate_comment")
        await pilot.press("escape", "q")
        await shows(pilot, "Stop here?")
        shot(app, "rate_stop")
        await pilot.press("escape")
        with closing(sqlite3.connect(study.path)) as other:
            other.execute("BEGIN IMMEDIATE")
            await pilot.press("5")
            await shows(pilot, "Not saved")
            shot(app, "rate_not_saved")
        await pilot.press("r")
        for number in (2, 3, 4):
            await settled(pilot, number)
            await pilot.press("a", "4", "5")
        await shows(pilot, "Thank you.")
        shot(app, "rate_done")


@pytest.mark.parametrize("theme", ["dark", "light", "plain"])
async def test_every_page(
    planted: Callable[..., Planted],
    monkeypatch: pytest.MonkeyPatch,
    size: tuple[int, int],
    shot: Shot,
    theme: str,
) -> None:
    """Consent, no consent, instructions, training, report, check, break, end, and their keys."""
    monkeypatch.setenv("WAVELOCK_THEME", theme)
    study = planted(pages=PAGES)
    app = RateApp(study.path)

    async def page(pilot: Pilot[int], text: str, name: str) -> None:
        await shows(pilot, text)
        await pilot.pause()
        app.guard._held = None  # time has passed
        shot(app, name)

    async with app.run_test(size=size) as pilot:
        await sign_in(pilot, study.code())
        await page(pilot, "Do you agree", "page_consent")
        await pilot.press("n")
        await page(pilot, "all the same", "page_declined")
        await pilot.press("left")
        await page(pilot, "Do you agree", "page_consent")
        await pilot.press("y")
        await page(pilot, "What to do", "page_instructions")
        await pilot.press("?")
        await page(pilot, "All keys", "page_help")
        await pilot.press("escape", "right")
        for number, key in enumerate("cba", start=1):
            await page(pilot, f"{number} of 3", f"page_training_{number}")
            await pilot.press(key)
            await page(pilot, "Enter go on", f"page_feedback_{number}")
            await pilot.press("enter")
        await settled(pilot, 1)
        await pilot.press("!", *"It breaks off.")
        await page(pilot, "off.", "page_report")
        await pilot.press("escape")
        await page(pilot, "Your report is saved", "page_reported")
        await pilot.press("a", "4", "5")
        await page(pilot, "second", "page_check")
        await pilot.press("b")
        await settled(pilot, 2)
        await pilot.press("a", "4", "5")
        await page(pilot, "grass", "page_check_2")
        await pilot.press("c")
        await page(pilot, "short break", "page_break")
        await pilot.press("enter")
        for number in (3, 4):
            await settled(pilot, number)
            await pilot.press("a", "4", "5")
        await page(pilot, "Your completion code", "page_end")


async def test_pages_in_a_small_terminal(planted: Callable[..., Planted]) -> None:
    """At 40x10 consent, training and the end can be read, answered and left."""
    study = planted(pages={**PAGES, "checks.toml": NO_CHECKS})
    app = RateApp(study.path)

    async def page(pilot: Pilot[int], text: str, name: str) -> None:
        await shows(pilot, text)
        await pilot.pause()
        app.guard._held = None  # time has passed
        assert_golden(app, HERE, f"40x10/{name}")

    async with app.run_test(size=(40, 10)) as pilot:
        await sign_in(pilot, study.code())
        await page(pilot, "Do you agree", "consent")
        await pilot.press("y")
        await page(pilot, "What to do", "instructions")
        await pilot.press("right")
        for number, key in enumerate("bba", start=1):
            await page(pilot, f"{number} of 3", f"training_{number}")
            await pilot.press(key)
            await page(pilot, "Enter", f"feedback_{number}")
            await pilot.press("right")
        for number in range(1, 5):
            await settled(pilot, number)
            await pilot.press("a", "4", "5")
            if number == 2:
                await page(pilot, "go on", "break")
                await pilot.press("right")
        await page(pilot, "completion code", "end")


async def test_every_audit_screen(
    planted: Callable[..., Planted], size: tuple[int, int], shot: Shot
) -> None:
    """Code, pair, marked differences, help, note, end."""
    study = planted()
    app = AuditApp(study.path)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        shot(app, "audit_code")
        await sign_in(pilot, study.code("auditor"))
        await settled(pilot, 1)
        shot(app, "audit_pair")
        await pilot.press("x")
        await shows(pilot, "[Today]")
        shot(app, "audit_differences")
        await pilot.press("?")
        await shows(pilot, "All keys")
        shot(app, "audit_help")
        await pilot.press("escape", "m", *"Two facts.")
        await shows(pilot, "facts.")
        shot(app, "audit_note")
        await pilot.press("escape")
        for number in range(1, 5):
            await settled(pilot, number)
            app.screen._guard._held = None  # type: ignore[attr-defined]  # time has passed
            await pilot.press("n" if number % 2 else "y")
        await shows(pilot, "Thank you.")
        shot(app, "audit_done")


async def test_every_screen_of_the_menu(
    planted: Callable[..., Planted], size: tuple[int, int], shot: Shot
) -> None:
    """Menu, the code for practice, the numbers."""
    app = HomeApp(planted(kind="practice").path, lambda: TABLES)
    async with app.run_test(size=size) as pilot:
        await until(pilot, at_menu(app))
        shot(app, "menu")
        await pilot.press("p")
        await shows(pilot, "Your access code for coming back")
        shot(app, "menu_practice")
        await pilot.press("escape", "n")
        await shows(pilot, "Paired metrics")
        shot(app, "menu_numbers")
