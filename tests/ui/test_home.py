"""The menu: everything a newcomer can do, by keys alone."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from textual.app import App

from annotate.screens.page import PageScreen
from cli.home import HomeApp
from core.errors import NotAStudy, Unavailable
from core.estimate import Estimate, undefined
from core.tables import Column, Table
from db.file import open_study
from tests.ui.piloting import CODE, assert_golden, at_item, screen_text, shows, sign_in, until
from tests.ui.studies import Planted
from ui.screens.menu import MenuScreen

HERE = Path(__file__).parent
SIZE = (80, 24)
TABLES = (
    Table(
        "paired",
        "Paired metrics · simulated ratings",
        (Column("metric", "metric"), Column("value", "value", "share"), Column("n", "n", "count")),
        (
            {"metric": "p_A", "value": Estimate(0.653, 16, 0.58, 0.72), "n": 16},
            {"metric": "kappa", "value": undefined("every rater gave the same answer"), "n": 16},
        ),
        ("10,000 replicates",),
    ),
)


def home(study: Planted) -> HomeApp:
    return HomeApp(study.path, lambda: TABLES)


def at_menu(app: App[int]) -> Callable[[], bool]:
    return lambda: isinstance(app.screen, MenuScreen)


async def test_the_menu(planted: Callable[..., Planted]) -> None:
    """Without a practice round there is nothing to practise, and q leaves."""
    app = home(planted())
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, at_menu(app))
        assert_golden(app, HERE, "menu")
        await pilot.press("q")
        await pilot.pause()
    assert app.return_code == 0


async def test_rating_and_auditing_with_codes(planted: Callable[..., Planted]) -> None:
    """Both kinds of codes work from the menu, one after the other, and leave to the menu."""
    study = planted()
    app = home(study)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("r")
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await pilot.press("a", "4", "5")
        await at_item(pilot, 2)
        await pilot.press("q")
        await until(pilot, at_menu(app))
        await pilot.press("down", "enter")
        await sign_in(pilot, study.code("auditor"))
        await at_item(pilot, 1)
        await pilot.press("y")
        await at_item(pilot, 2)
        await pilot.press("q")
        await until(pilot, at_menu(app))
        await pilot.press("r", "escape")
        await until(pilot, at_menu(app))
    with open_study(study.path) as file:
        counts = [
            file._db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("ratings", "pair_audits")
        ]
    assert counts == [1, 1]


async def test_practice_takes_a_free_seat_and_says_the_code(
    planted: Callable[..., Planted],
) -> None:
    """A newcomer gets a seat and a code, rates it to the end, and is back at the menu."""
    study = planted(kind="practice")
    app = home(study)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, at_menu(app))
        assert_golden(app, HERE, "menu_practice")
        await pilot.press("p")
        await shows(pilot, "Your access code for coming back")
        assert_golden(app, HERE, "practice")
        found = CODE.search(screen_text(app))
        assert found
        await pilot.press("enter")
        for number in range(1, 5):
            await at_item(pilot, number)
            await pilot.press("a", "4", "5")
        await until(pilot, lambda: isinstance(app.screen, PageScreen))
        await pilot.press("q")
        await until(pilot, at_menu(app))
    with open_study(study.path) as file:
        seat = file.people.seat_of(found[0])
        assert len(file.ratings.of_seat(seat.id)) == 4
        progress = {entry.seat.id: entry for entry in file.rounds.progress(study.round)}
        assert progress[seat.id].person


async def test_practice_goes_on_where_it_stopped(planted: Callable[..., Planted]) -> None:
    """Choosing practice again comes back to the same seat; the next newcomer gets another."""
    study = planted(kind="practice")
    for visits in (1, 2):
        app = home(study)
        async with app.run_test(size=SIZE) as pilot:
            for number in range(1, visits + 1):
                await pilot.press("p")
                if number == 1:
                    await shows(pilot, "Your access code for coming back")
                    await pilot.press("enter")
                await at_item(pilot, number)
                await pilot.press("a", "4", "5")
                await at_item(pilot, number + 1)
                await pilot.press("q")
                await until(pilot, at_menu(app))
    with open_study(study.path) as file:
        done = [entry.done for entry in file.rounds.progress(study.round) if entry.person]
    assert done == [1, 2]


async def test_practice_auditing(planted: Callable[..., Planted]) -> None:
    """Pairs can be practised too; when every seat is taken, practice leaves the menu."""
    study = planted(kind="practice")
    for _ in range(2):
        app = home(study)
        async with app.run_test(size=SIZE) as pilot:
            await pilot.press("v")
            await shows(pilot, "wavelock audit")
            await pilot.press("enter")
            await at_item(pilot, 1)
    app = home(study)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, at_menu(app))
        assert "Practise rating" in screen_text(app)
        assert "Practise auditing" not in screen_text(app)


async def test_the_numbers(planted: Callable[..., Planted]) -> None:
    """Every estimate has its interval and n; an undefined one says why."""
    app = home(planted())
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("n")
        await shows(pilot, "Paired metrics · simulated ratings")
        assert_golden(app, HERE, "numbers")
        shown = re.sub(r"\s+", " ", screen_text(app))
        assert "0.653" in shown
        assert "[0.58, 0.72]" in shown
        assert "every rater gave the same answer" in shown
        await pilot.press("down", "j", "k", "q")
        await until(pilot, at_menu(app))


def unavailable() -> tuple[Table, ...]:
    raise Unavailable("no suite of that [/ name")


@pytest.mark.parametrize(
    ("tables", "told"),
    [
        (lambda: (), "There are no numbers yet"),
        (unavailable, "no suite of that [/ name"),
    ],
)  # fmt: skip
async def test_no_numbers(
    planted: Callable[..., Planted], tables: Callable[[], tuple[Table, ...]], told: str
) -> None:
    """No tables, or tables that cannot be made, are a sentence and not a crash."""
    app = HomeApp(planted().path, tables)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("n")
        await shows(pilot, told)
        await pilot.press("escape")
        await until(pilot, at_menu(app))


async def test_a_small_terminal(planted: Callable[..., Planted]) -> None:
    """At 40x10 the menu and the numbers still work."""
    app = home(planted(kind="practice"))
    async with app.run_test(size=(40, 10)) as pilot:
        await until(pilot, at_menu(app))
        assert_golden(app, HERE, "menu_small")
        await pilot.press("n")
        await shows(pilot, "Paired metrics")
        await pilot.resize_terminal(20, 4)
        await pilot.resize_terminal(80, 24)
        await pilot.press("q")
        await until(pilot, at_menu(app))


def test_a_file_that_is_no_study(tmp_path: Path) -> None:
    """The menu is not even drawn, and the file is left as it is."""
    path = tmp_path / "notes.txt"
    path.write_text("not a study")
    with pytest.raises(NotAStudy, match="is not a Wavelock study"):
        HomeApp(path, lambda: ())
    assert path.read_text() == "not a study"


async def test_what_was_given_up_is_not_saved_later(planted: Callable[..., Planted]) -> None:
    """Who leaves to the menu while the file is busy has left: nothing is saved behind the back."""
    study = planted()
    app = home(study)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("r")
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        with closing(sqlite3.connect(study.path)) as other:
            other.execute("BEGIN IMMEDIATE")
            await pilot.press("a", "4", "5")
            await shows(pilot, "Saving …")
            await pilot.press("q")
            await shows(pilot, "Stop here?")
            await pilot.press("q")
            await until(pilot, at_menu(app))
        await pilot.pause(0.3)
        assert isinstance(app.screen, MenuScreen)
    with closing(sqlite3.connect(study.path)) as file:
        assert file.execute("SELECT count(*) FROM ratings").fetchone() == (0,)
