"""The rating screen, driven by keys; what counts is what is in the study file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key, Paste
from textual.keys import _character_to_key
from textual.pilot import Pilot

from annotate.app import RateApp
from annotate.screens.page import PageScreen
from annotate.screens.rate import RateScreen
from core.forms import Form, Question
from db.file import open_study
from tests.ui.piloting import assert_golden, at_item, screen_text, shows, sign_in, until
from tests.ui.studies import CANARIES, Planted
from ui.screens.note import NoteScreen

HERE = Path(__file__).parent
SIZE = (80, 24)


def ratings(study: Planted, number: int = 1) -> list[dict[str, Any]]:
    """Return what is in the file for a seat, in the order of its list."""
    with open_study(study.path) as file:
        seat = file.people.seat_of(study.code(number=number))
        given = file.ratings.of_seat(seat.id)
        assigned = [a.id for a in file.rounds.assignments(seat.id)]
        return [dict(given[a].answers) for a in assigned if a in given]


def history(study: Planted) -> list[str]:
    with open_study(study.path) as file:
        return [e[0] for e in file._db.execute("SELECT answers FROM rating_history ORDER BY id")]


async def answer(pilot: Pilot[int], keys: str, then: int | None) -> None:
    """Answer the item on the screen, and wait for the next one or the end."""
    await pilot.press(*keys)
    if then is None:
        await until(pilot, lambda: isinstance(pilot.app.screen, PageScreen))
    else:
        await at_item(pilot, then)


async def test_a_whole_seat_by_keys(planted: Callable[..., Planted]) -> None:
    """A code and three keys per item are all it takes, and every answer is in the file."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        assert_golden(app, HERE, "code")
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        assert_golden(app, HERE, "item")
        await answer(pilot, "a45", 2)
        assert_golden(app, HERE, "next_item")
        await answer(pilot, "e11", 3)
        await answer(pilot, "c32", 4)
        await answer(pilot, "b55", None)
        assert_golden(app, HERE, "done")
        await pilot.press("q")
    assert app.return_code == 0
    assert ratings(study) == [
        {"choice": "A", "confidence": 4, "naturalness": 5},
        {"choice": "neither", "confidence": 1, "naturalness": 1},
        {"choice": "both", "confidence": 3, "naturalness": 2},
        {"choice": "B", "confidence": 5, "naturalness": 5},
    ]


@pytest.mark.parametrize("code", ["AAAA-BBBBBBBB", "nonsense", "[/", "ÄÖ-☃"])
async def test_a_wrong_code_can_be_typed_again(planted: Callable[..., Planted], code: str) -> None:
    """Every wrong code gets the same line, the field is empty again, and the right one works."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, code)
        await shows(pilot, "that access code is not known")
        assert_golden(app, HERE, "code_refused")
        await sign_in(pilot, study.code().lower())
        await at_item(pilot, 1)


async def test_an_auditors_code_is_told_where_it_belongs(planted: Callable[..., Planted]) -> None:
    """A code for auditing opens no rating."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code("auditor"))
        await shows(pilot, "this code is for auditing")


async def test_a_round_that_is_not_open_says_so(planted: Callable[..., Planted]) -> None:
    """A planned round asks to come back."""
    study = planted(opened=False)
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await shows(pilot, "this round has not opened yet")


@pytest.mark.parametrize("keys", [("escape",), ("q", "enter")])
async def test_leaving_without_a_code(planted: Callable[..., Planted], keys: tuple[str]) -> None:
    """Escape leaves, and so does q with Enter; a code may begin with Q."""
    app = RateApp(planted().path)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*keys)
        await pilot.pause()
    assert app.return_code == 0


async def test_ctrl_c_leaves_with_130(planted: Callable[..., Planted]) -> None:
    """Ctrl-C leaves at once, from a dialogue too, and what was saved stays."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await answer(pilot, "a45", 2)
        await pilot.press("m", "x", "ctrl+c")
        await pilot.pause()
    assert app.return_code == 130
    assert len(ratings(study)) == 1


async def test_going_back_shows_and_changes_an_answer(planted: Callable[..., Planted]) -> None:
    """A given answer is shown when one goes back; changing it saves at once and keeps history."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await answer(pilot, "a45", 2)
        await pilot.press("left")
        await at_item(pilot, 1)
        assert "Saved ✓" in screen_text(app)
        assert_golden(app, HERE, "back")
        await pilot.press("down", "2")
        await until(pilot, lambda: len(history(study)) == 2)
        assert app.flow is not None
        assert app.flow.desk.view.number == 1
        await shows(pilot, "Saved ✓")
        await pilot.press("right")
        await at_item(pilot, 2)
    assert ratings(study) == [{"choice": "A", "confidence": 2, "naturalness": 5}]
    assert ['"confidence":4' in text for text in history(study)] == [True, False]


async def test_quitting_and_resuming(planted: Callable[..., Planted]) -> None:
    """Who stops and starts again is at the first item without an answer."""
    study = planted()
    for number in (1, 2):
        app = RateApp(study.path)
        async with app.run_test(size=SIZE) as pilot:
            await sign_in(pilot, study.code())
            await at_item(pilot, number)
            await answer(pilot, "a45", number + 1)
            await pilot.press("q")
    assert len(ratings(study)) == 2


async def test_an_item_cannot_be_skipped(planted: Callable[..., Planted]) -> None:
    """The right arrow does not pass an open question, and says why."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await pilot.press("a", "right")
        await shows(pilot, "answer every question to go on")
    assert ratings(study) == []


async def test_half_an_answer_waits_when_one_goes_back(planted: Callable[..., Planted]) -> None:
    """What was begun on an item is still there after a look at the one before."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await answer(pilot, "a45", 2)
        await pilot.press("c", "left")
        await at_item(pilot, 1)
        await pilot.press("right")
        await at_item(pilot, 2)
        await answer(pilot, "33", 3)
    assert ratings(study)[1] == {"choice": "both", "confidence": 3, "naturalness": 3}


async def test_stopping_in_the_middle_asks(planted: Callable[..., Planted]) -> None:
    """Answers that are not on disk are not thrown away by one key."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await pilot.press("a", "q")
        await shows(pilot, "Stop here?")
        assert_golden(app, HERE, "stop")
        await pilot.press("escape")
        await at_item(pilot, 1)
        await answer(pilot, "45", 2)
        await pilot.press("q")
        await pilot.pause()
    assert app.return_code == 0
    assert len(ratings(study)) == 1


async def test_typed_and_pasted_text_triggers_no_key(planted: Callable[..., Planted]) -> None:
    """In a comment, letters, digits, line breaks and escapes are text; Escape ends it."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await pilot.press("m", *"qa5", "enter", *"?mx")
        app.screen.post_message(Paste("\nb45q\x1b[31m\r\n[/bold]"))
        await shows(pilot, "[/bold]")
        assert_golden(app, HERE, "comment")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, NoteScreen))
        await shows(pilot, "Comment: qa5 ?mx b45q␛[31m [/bold]")
        await answer(pilot, "a45", 2)
    with open_study(study.path) as file:
        comments = [row[0] for row in file._db.execute("SELECT comment FROM ratings")]
    assert comments == ["qa5\n?mx\nb45q␛[31m\n[/bold]"]


async def test_no_printable_key_does_anything_in_a_comment(
    planted: Callable[..., Planted],
) -> None:
    """Every printable character of many scripts, one by one and pasted at once, is text only."""
    study = planted()
    app = RateApp(study.path)
    characters = [chr(code) for code in (*range(0x20, 0x180), *range(0x400, 0x460), 0x663, 0x4E2D)]
    typed = "".join(character for character in characters if character.isprintable())
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        before = screen_text(app)
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, NoteScreen))
        for character in typed:
            app.screen.post_message(Key(_character_to_key(character), character))
        await pilot.pause()
        app.screen.post_message(Paste(typed))
        await pilot.pause()
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, NoteScreen))
        await shows(pilot, "Comment:")
        assert app.flow is not None
        view = app.flow.desk.view
        assert view.comment == (typed + typed).strip()
        assert dict(view.answers) == {}
        assert screen_text(app).splitlines()[:17] == before.splitlines()[:17]
    assert ratings(study) == []


async def test_a_comment_on_a_saved_item_is_saved_at_once(planted: Callable[..., Planted]) -> None:
    """Going back to say something needs no new answer."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await answer(pilot, "a45", 2)
        await pilot.press("left")
        await at_item(pilot, 1)
        await pilot.press("m", *"odd", "escape")
        await until(pilot, lambda: len(history(study)) == 2)


async def test_a_held_key_answers_one_item(planted: Callable[..., Planted]) -> None:
    """A key that repeats after the last answer does nothing to the next item."""
    form = Form("one", (Question("ok", "yes-no", "Is it natural?"),))
    study = planted(form=form)
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        for _ in range(20):
            app.screen.post_message(Key("y", "y"))
        await at_item(pilot, 2)
        for _ in range(20):
            app.screen.post_message(Key("y", "y"))
        await shows(pilot, "press it again")
        assert len(ratings(study)) == 1
        await pilot.press("n")
        await at_item(pilot, 3)
    assert ratings(study) == [{"ok": True}, {"ok": False}]


async def test_all_keys_at_once_reach_their_questions(planted: Callable[..., Planted]) -> None:
    """Keys that arrive together answer one question each; none is lost and none goes astray."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        for key in "b234512":
            app.screen.post_message(Key(key, key))
        await at_item(pilot, 2)
        await pilot.pause()
    assert ratings(study) == [{"choice": "B", "confidence": 2, "naturalness": 3}]


async def test_arrows_and_enter_answer_too(planted: Callable[..., Planted]) -> None:
    """An answer can be highlighted and given; arrows walk between questions."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await pilot.press("tab", "tab", "enter", "down", "5", "enter", "shift+tab", "space")
        await at_item(pilot, 2)
    assert ratings(study) == [{"choice": "B", "confidence": 5, "naturalness": 5}]


async def test_the_mouse_answers_too(planted: Callable[..., Planted]) -> None:
    """A click on an answer gives it, and a click elsewhere takes nothing away."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        for label in ("Both are fine", "  4  ", "perfectly natural"):
            lines = screen_text(app).splitlines()
            y, line = next((y, line) for y, line in enumerate(lines) if label in line)
            await pilot.click(offset=(line.index(label) + 2, y))
            await pilot.click(offset=(5, 4))
        await pilot.press("3")
        await at_item(pilot, 2)
    assert ratings(study) == [{"choice": "both", "confidence": 4, "naturalness": 3}]


async def test_an_optional_text_is_offered_before_moving_on(
    planted: Callable[..., Planted],
) -> None:
    """Answers are saved when the required ones are there; the item stays for an open text."""
    form = Form(
        "text",
        (Question("ok", "yes-no", "Fine?"), Question("why", "text", "Why?", required=False)),
    )
    study = planted(form=form)
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await pilot.press("y")
        await until(pilot, lambda: len(ratings(study)) == 1)
        await pilot.press("enter", *"no reason", "escape")
        await at_item(pilot, 2)
    assert ratings(study) == [{"ok": True, "why": "no reason"}]


async def test_time_at_work_is_stored(planted: Callable[..., Planted]) -> None:
    """Each rating carries its seconds, and they are not those of the whole sitting."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await answer(pilot, "a45", 2)
        await answer(pilot, "a45", 3)
    with open_study(study.path) as file:
        seconds = [row[0] for row in file._db.execute("SELECT seconds FROM ratings")]
    assert all(0 < value < 60 for value in seconds)


async def test_no_screen_carries_a_canary(planted: Callable[..., Planted]) -> None:
    """Conditions, scenarios, facts, gold labels and the round's name are on no screen."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        seen = [screen_text(app), app.title, app.sub_title]
        await sign_in(pilot, "wrong")
        await shows(pilot, "not known")
        await sign_in(pilot, study.code())
        for number in range(1, 5):
            await at_item(pilot, number)
            seen.append(screen_text(app))
            await pilot.press("question_mark")
            await shows(pilot, "All keys")
            seen.append(screen_text(app))
            await pilot.press("escape")
            await answer(pilot, "a45", number + 1 if number < 4 else None)
        seen.append(screen_text(app))
    assert not [text for text in seen if any(canary in text for canary in CANARIES)]


async def test_help_lists_the_keys(planted: Callable[..., Planted]) -> None:
    """All keys are one key away, and any key closes them and does nothing else."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await pilot.press("question_mark")
        await shows(pilot, "All keys")
        assert_golden(app, HERE, "help")
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, RateScreen))
        assert "[a]" not in screen_text(app)


async def test_a_small_terminal_and_back(planted: Callable[..., Planted]) -> None:
    """At 40x10 the item can be rated; growing back keeps focus, answers and place."""
    study = planted(texts=[" ".join(f"word{n}" for n in range(400))] * 4)
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await pilot.press("a", "down", "pagedown")
        await pilot.pause()
        before = screen_text(app)
        await pilot.resize_terminal(40, 10)
        await pilot.pause()
        assert_golden(app, HERE, "small")
        assert "▸ How natural does it read?" in screen_text(app)
        await pilot.resize_terminal(20, 5)
        await pilot.pause()
        await pilot.resize_terminal(*SIZE)
        await pilot.pause()
        assert screen_text(app) == before
        await pilot.resize_terminal(40, 10)
        await pilot.press("4", "3")
        await at_item(pilot, 2)


async def test_a_wide_terminal_gets_room(planted: Callable[..., Planted]) -> None:
    """At 120x40 there is more air, and not more on the screen."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=(120, 40)) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await pilot.press("b")
        await pilot.pause()
        assert_golden(app, HERE, "wide")
