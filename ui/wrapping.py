"""Breaking a text into lines, as Textual measures it."""

from __future__ import annotations

from textual.content import Content


def wrap(text: str, width: int) -> list[str]:
    """Break a text into lines of at most `width` cells; at least one line."""
    return [line.plain for line in Content(text).wrap(max(1, width))] or [""]
