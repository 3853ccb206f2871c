"""Dialogues close once, however many keys arrive at the same time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual import events
from textual.screen import ModalScreen

from tests.ui.piloting import until
from ui.app import WavelockApp
from ui.screens.confirm import ConfirmScreen
from ui.screens.help import HelpScreen
from ui.screens.note import NoteScreen

DIALOGUES: dict[str, tuple[Callable[[], ModalScreen[Any]], str, Any]] = {
    "help": (lambda: HelpScreen([("a", "answer")]), "z", None),
    "yes": (lambda: ConfirmScreen("Sure?", "All is lost.", yes="y", no="n"), "q", True),
    "no": (lambda: ConfirmScreen("Sure?", "All is lost.", yes="y", no="n"), "escape", False),
    "note": (lambda: NoteScreen("Comment", "words"), "escape", "words"),
}


@pytest.mark.parametrize("name", DIALOGUES)
async def test_keys_that_arrive_together_close_a_dialogue_once(name: str) -> None:
    """One answer comes back, the screen below stays, and the application lives."""
    make, key, answer = DIALOGUES[name]
    app, answers = WavelockApp(), []
    async with app.run_test() as pilot:
        below, dialogue = app.screen, make()
        app.push_screen(dialogue, answers.append)
        await until(pilot, lambda: app.screen is dialogue)
        for _ in range(3):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: app.screen is below)
        await pilot.pause()
    assert answers == [answer]
    assert app.return_code in (0, None)


@pytest.mark.parametrize("name", DIALOGUES)
async def test_a_dialogue_cannot_be_closed_twice_by_the_program(name: str) -> None:
    """Whatever closes it: a click and a key at once."""
    app, answers = WavelockApp(), []
    async with app.run_test() as pilot:
        dialogue = DIALOGUES[name][0]()
        app.push_screen(dialogue, answers.append)
        await until(pilot, lambda: app.screen is dialogue)
        for word in ("one", "two"):
            await dialogue.dismiss(word)
        await pilot.pause()
    assert answers == ["one"]
