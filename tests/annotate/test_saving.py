"""Saved is said only of what is on disk; what could not be saved is kept on the screen."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from annotate.app import RateApp
from annotate.desk import RatingDesk
from annotate.sitting import RatingSitting, RatingView
from core.errors import Refused
from core.forms import Answer
from db.file import StudyFile, open_study
from tests.ui.piloting import assert_golden, at_item, screen_text, shows, sign_in, until
from tests.ui.studies import Planted
from ui.saving import NOT_SAVED, SAVING

HERE = Path(__file__).parent
ANSWERS: dict[str, Answer] = {"choice": "A", "confidence": 4, "naturalness": 5}


@contextmanager
def desk_of(study: Planted) -> Iterator[tuple[RatingDesk, StudyFile]]:
    with open_study(study.path) as file:
        yield RatingDesk(RatingSitting.enter(file, study.code())), file


def give(desk: RatingDesk) -> None:
    for question, answer in ANSWERS.items():
        desk.answer(question, answer)


def stored(study: Planted) -> int:
    with closing(sqlite3.connect(study.path)) as file:
        count: int = file.execute("SELECT count(*) FROM ratings").fetchone()[0]
    return count


def test_saved_is_said_after_the_save_has_returned(planted: Callable[..., Planted]) -> None:
    """While the save runs the mark is another one, and it changes only when the row is there."""
    study = planted()
    with desk_of(study) as (desk, _):
        seen: list[tuple[str, int]] = []
        save = desk.sitting.save

        def spy(*arguments: Any) -> RatingView:
            seen.append((desk.state().mark, stored(study)))
            view = save(*arguments)
            seen.append((desk.state().mark, stored(study)))
            return view

        desk.sitting.save = spy  # type: ignore[method-assign]
        give(desk)
        assert desk.save().mark == "Saved 1 ✓"
    assert seen == [(SAVING, 0), (SAVING, 1)]


def test_a_full_disk_is_told_and_tried_again(planted: Callable[..., Planted]) -> None:
    """When the disk is full nothing is called saved, the answers stay, and a retry saves them."""
    study = planted()
    with desk_of(study) as (desk, file):
        pages = file._db.execute("PRAGMA page_count").fetchone()[0]
        file._db.execute(f"PRAGMA max_page_count = {pages}")
        desk.note("x" * 1_000_000)
        give(desk)
        state = desk.save()
        assert (state.mark, state.view.number, dict(state.view.answers)) == (NOT_SAVED, 1, ANSWERS)
        assert "database or disk is full" in state.failure
        assert stored(study) == 0
        assert desk.forward().view.number == 1
        file._db.execute(f"PRAGMA max_page_count = {pages + 10_000}")
        state = desk.save()
        assert (state.mark, state.view.number, state.failure) == ("Saved 1 ✓", 2, "")
    assert stored(study) == 1


def test_a_failure_stays_with_its_item(planted: Callable[..., Planted]) -> None:
    """Looking back does not hide what is not saved; coming forward shows it again."""
    study = planted()
    with desk_of(study) as (desk, _):
        give(desk)
        desk.save()
        give(desk)
        desk.WAIT = desk.PATIENCE = 0.0
        with closing(sqlite3.connect(study.path)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert desk.save().mark == NOT_SAVED
            assert desk.back().mark == "Saved ✓"
            assert desk.forward().mark == NOT_SAVED
            assert desk.unsaved == (2,)
        assert desk.save().mark == "Saved ✓"
        assert desk.unsaved == ()


def test_a_failed_change_keeps_what_was_saved(planted: Callable[..., Planted]) -> None:
    """A change that cannot be saved leaves the saved answer; taking it back ends the failure."""
    study = planted()
    with desk_of(study) as (desk, _):
        give(desk)
        desk.save()
        desk.back()
        desk.answer("confidence", 1)
        desk.WAIT = desk.PATIENCE = 0.0
        with closing(sqlite3.connect(study.path)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert desk.save().mark == NOT_SAVED
        assert desk.answer("confidence", 4).mark == "Saved ✓"
        assert not desk.ready


def test_saving_the_same_twice_writes_once(planted: Callable[..., Planted]) -> None:
    """Giving the given answer again leaves no trace in the history."""
    study = planted()
    with desk_of(study) as (desk, file):
        give(desk)
        desk.save()
        desk.back()
        desk.answer("choice", "A")
        desk.save()
        assert file._db.execute("SELECT count(*) FROM rating_history").fetchone()[0] == 1


def test_only_the_time_of_each_change_is_added(planted: Callable[..., Planted]) -> None:
    """Seconds of a rating are those spent on its item, in all visits that changed it."""
    now = [0.0]
    study = planted()
    with open_study(study.path) as file:
        desk = RatingDesk(RatingSitting.enter(file, study.code()), lambda: now[0])
        now[0] += 5
        give(desk)
        desk.save()
        now[0] += 7
        desk.back()
        now[0] += 2
        desk.answer("confidence", 1)
        desk.save()
        assert file._db.execute("SELECT seconds FROM ratings").fetchone()[0] == pytest.approx(7)


def test_a_closed_round_is_refused_in_plain_words(planted: Callable[..., Planted]) -> None:
    """A round that closes under the rater's hands says so, not what the study file says."""
    study = planted()
    with desk_of(study) as (desk, _), open_study(study.path) as other:
        give(desk)
        other.rounds.close(study.round)
        assert desk.save().failure.startswith("this round is closed; thank you")
        with pytest.raises(Refused, match="this round is closed"):
            RatingSitting.enter(other, study.code())


async def test_a_busy_file_on_the_screen(
    planted: Callable[..., Planted], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The screen never says Saved while the file is busy, and r saves when it is free again."""
    monkeypatch.setattr(RatingDesk, "PATIENCE", 0.0)
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=(80, 24)) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        with closing(sqlite3.connect(study.path)) as other:
            other.execute("BEGIN IMMEDIATE")
            await pilot.press("b", "3", "4")
            await shows(pilot, "Not saved: the study file")
            assert_golden(app, HERE, "not_saved")
            assert "Saved" not in screen_text(app)
            await pilot.press("q")
            await shows(pilot, "Stop here?")
            await pilot.press("escape", "r")
            await pilot.pause()
            assert "Saved" not in screen_text(app)
            assert app.flow is not None
            assert app.flow.desk.view.number == 1
        await pilot.press("r")
        await at_item(pilot, 2)
        await until(pilot, lambda: "Saved 1 ✓" in screen_text(app))
    assert stored(study) == 1


async def test_the_screen_lives_while_the_file_is_busy(planted: Callable[..., Planted]) -> None:
    """While it waits it says so, can be drawn, and saves by itself once there is room."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=(80, 24)) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        with closing(sqlite3.connect(study.path)) as other:
            other.execute("BEGIN IMMEDIATE")
            await pilot.press("b", "3", "4")
            await shows(pilot, SAVING)
            for _ in range(5):
                await pilot.press("up")
                await pilot.pause(0.05)
            assert "▸ Which would you do?" in screen_text(app)
            assert SAVING in screen_text(app)
            await pilot.press("q")
            await shows(pilot, "Stop here?")
            await pilot.press("escape")
            assert stored(study) == 0
        await at_item(pilot, 2)
        await shows(pilot, "Saved 1 ✓")
    assert stored(study) == 1


async def test_stopping_while_the_file_is_busy(planted: Callable[..., Planted]) -> None:
    """Who does not want to wait is told what is not saved, and may go."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=(80, 24)) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        with closing(sqlite3.connect(study.path)) as other:
            other.execute("BEGIN IMMEDIATE")
            await pilot.press("b", "3", "4")
            await shows(pilot, SAVING)
            await pilot.press("q")
            await shows(pilot, "What you did on item 1 is not saved")
            await pilot.press("q")
            await pilot.pause()
    assert app.return_code == 0
    assert stored(study) == 0


def test_waiting_is_no_failure_until_patience_ends(planted: Callable[..., Planted]) -> None:
    """A busy file is waited for; after half a minute it is called what it is."""
    now = [0.0]
    study = planted()
    with open_study(study.path) as file, closing(sqlite3.connect(study.path)) as other:
        desk = RatingDesk(RatingSitting.enter(file, study.code()), lambda: now[0])
        desk.WAIT = 0.001
        give(desk)
        other.execute("BEGIN IMMEDIATE")
        assert [desk.save().mark, desk.waiting] == [SAVING, True]
        now[0] = 29.0
        assert [desk.save().mark, desk.waiting] == [SAVING, True]
        now[0] = 30.0
        state = desk.save()
        assert [state.mark, desk.waiting] == [NOT_SAVED, False]
        assert "the study file is busy" in state.failure


async def test_a_round_that_closes_on_the_screen(planted: Callable[..., Planted]) -> None:
    """The reason is on the screen, the answers too, and stopping asks first."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=(80, 24)) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        with open_study(study.path) as other:
            other.rounds.close(study.round)
        await pilot.press("b", "3", "4")
        await shows(pilot, "Not saved: this round is closed")
        assert "[b]" in screen_text(app)
        await pilot.press("q")
        await shows(pilot, "Stop here?")
        await pilot.press("q")
        await pilot.pause()
    assert app.return_code == 0
    assert stored(study) == 0
