"""Driving an application in a test: wait for what must come, never for a time."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from ui.screens.item import ItemScreen

COMPLETION = re.compile(r"\b[2-9A-Z]{5}-[2-9A-Z]{5}\b")
PATIENCE = 60.0  # seconds; the machine may be busy
CODE = re.compile(r"\b[2-9A-Z]{4}-[2-9A-Z]{8}\b")


def screen_text(app: App[Any]) -> str:
    """Return what is on the screen, line by line, without what trails."""
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips) + "\n"


def assert_golden(app: App[Any], folder: Path, name: str) -> None:
    """Compare the screen with a golden file; ``UPDATE_GOLDEN=1`` writes it instead."""
    text = CODE.sub("XXXX-XXXXXXXX", screen_text(app))
    text = COMPLETION.sub("XXXXX-XXXXX", text)
    path = folder / "golden" / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{path} differs; look, then UPDATE_GOLDEN=1"


async def until(pilot: Pilot[Any], condition: Callable[[], bool]) -> None:
    """Wait until something holds on the screen."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"it never came:\n{screen_text(pilot.app)}"
        await pilot.pause()
        await asyncio.sleep(0.01)


async def shows(pilot: Pilot[Any], text: str) -> None:
    """Wait until a text is on the screen."""
    await until(pilot, lambda: text in screen_text(pilot.app))


async def at_item(pilot: Pilot[Any], number: int) -> None:
    """Wait until an item is painted and may be answered."""

    def there() -> bool:
        screen = pilot.app.screen
        return (
            isinstance(screen, ItemScreen)
            and screen.state.view.number == number
            and screen._guard._opened is not None
        )

    await until(pilot, there)


async def sign_in(pilot: Pilot[Any], code: str) -> None:
    """Type an access code and open it."""
    await until(pilot, lambda: bool(pilot.app.screen.query(Input)))
    pilot.app.screen.query_one(Input).value = code
    await pilot.press("enter")
