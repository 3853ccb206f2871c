"""Taking back the last answer: what was before is saved again, and history keeps everything."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing

from annotate.app import RateApp
from annotate.desk import RatingDesk
from annotate.sitting import RatingSitting
from annotate.talk import RatingTalk
from audit.desk import VERDICT, AuditDesk
from audit.sitting import AuditSitting
from db.file import open_study
from tests.ui.piloting import at_item, screen_text, shows, sign_in, until
from tests.ui.studies import Planted


def sure(study: Planted, table: str) -> list[int]:
    """Return the confidence in every row of a table, in order."""
    with closing(sqlite3.connect(study.path)) as file:
        found = file.execute(f"SELECT answers FROM {table} ORDER BY id").fetchall()
    return [json.loads(answers)["confidence"] for (answers,) in found]


async def test_five_four_five_is_one_rating_of_five(planted: Callable[..., Planted]) -> None:
    """A change and its undoing leave one rating, as it was, and three events."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=(80, 24)) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await pilot.press("a", "5", "3")
        await at_item(pilot, 2)
        await pilot.press("left")
        await at_item(pilot, 1)
        await pilot.press("down", "4")
        await until(pilot, lambda: sure(study, "rating_history") == [5, 4])
        await pilot.press("u")
        await until(pilot, lambda: sure(study, "rating_history") == [5, 4, 5])
        await shows(pilot, "Saved ✓")
        assert "▸ How sure are you?" in screen_text(app)
        await pilot.press("right")
        await at_item(pilot, 2)
    assert sure(study, "ratings") == [5]


async def test_undo_comes_back_to_the_item(planted: Callable[..., Planted]) -> None:
    """Right after the last answer of an item, u is back at that answer, which another changes."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=(80, 24)) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await pilot.press("a", "5", "3")
        await at_item(pilot, 2)
        await pilot.press("u")
        await at_item(pilot, 1)
        assert "▸ How natural does it read?" in screen_text(app)
        assert "that is saved; another answer changes it" in screen_text(app)
        await pilot.press("4")
        await until(pilot, lambda: sure(study, "rating_history") == [5, 5])
        await pilot.press("right")
        await at_item(pilot, 2)
    assert sure(study, "ratings") == [5]


def test_an_answer_that_is_not_saved_is_open_again(planted: Callable[..., Planted]) -> None:
    """Answers to an item that is not complete are taken back one by one, then there are none."""
    study = planted()
    with open_study(study.path) as file:
        desk = RatingDesk(RatingSitting.enter(file, study.code()))
        desk.answer("choice", "A")
        desk.answer("choice", "B")
        assert dict(desk.undo().view.answers) == {"choice": "A"}
        assert dict(desk.undo().view.answers) == {}
        assert desk.undo().hint == "there is nothing to take back"
        assert desk.unsaved == ()


def test_a_verdict_is_taken_back(planted: Callable[..., Planted]) -> None:
    """Auditors too: no, then yes, then undo is no again, and a first verdict stays."""
    study = planted()
    with open_study(study.path) as file:
        desk = AuditDesk(AuditSitting.enter(file, study.code("auditor")))
        desk.answer(VERDICT, False)
        desk.save()
        desk.back()
        desk.answer(VERDICT, True)
        desk.save()
        desk.forward()
        state = desk.undo()
        assert (state.view.number, state.view.only_intended) == (1, False)
        assert desk.save().mark == "Saved ✓"
        assert desk.undo().hint == "that is saved; another answer changes it"
        rows = file._db.execute("SELECT only_intended FROM pair_audit_history").fetchall()
    assert [row[0] for row in rows] == [0, 1, 0]


def test_undo_by_lines(planted: Callable[..., Planted]) -> None:
    """The command says what became of it, and asks the question again."""
    study = planted()
    with open_study(study.path) as file:
        talk = RatingTalk(RatingDesk(RatingSitting.enter(file, study.code())))
        for line in ("a", "5", "3", "back", "", "4"):
            talk.hear(line)
        told = "\n".join(talk.hear("undo"))
        assert told.startswith("Taken back.\nSaved.")
        assert "How sure are you?" in told
        assert "Answered: 5." in told
        assert talk.hear("undo")[0] == "That is saved; another answer changes it."
    assert sure(study, "rating_history") == [5, 4, 5]
