"""The frame is straight whatever a terminal thinks of an emoji."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ui.straight import straight
from ui.text import visible

MOVE = re.compile(r"\x1b\[(?:\d+;)?(\d+)[GH]")
EMOJI = "👨‍👩‍👧‍👦 ❤️ 🇫🇷 🏳️‍🌈 👍🏽 1️⃣ 日本 é “x” ─│"
PIECES = [*EMOJI.split(), *"abcé日 "]
TEXT = st.lists(st.sampled_from(PIECES), min_size=1).map(lambda pieces: visible("".join(pieces)))


def drawn(data: str, width_of: int) -> dict[int, str]:
    """Return the ASCII characters of one line by column, where other ones are `width_of` wide."""
    cells: dict[int, str] = {}
    column = 1
    for piece in re.split(r"(\x1b\[[0-9;]*[GHm])", data):
        if found := MOVE.fullmatch(piece):
            column = int(found[1])
        elif not piece.startswith("\x1b"):
            for character in piece:
                cells[column] = character
                column += 1 if character.isascii() else width_of
    return {at: character for at, character in cells.items() if character.isascii()}


@given(TEXT)
def test_nothing_is_lost(text: str) -> None:
    """Apart from blanks and cursor movements, the text is what it was."""
    sent = straight(f"\x1b[1;1H{text}|")
    kept = re.sub(r"(\x1b\[\d+G) +\1", "", sent)
    assert re.sub(r"\x1b\[\d+G", "", kept) == f"\x1b[1;1H{text}|"


@given(TEXT, st.sampled_from([0, 1, 2, 4]))
def test_what_follows_stands_in_its_place(text: str, width: int) -> None:
    """The border after a text is drawn at its column by terminals of any opinion."""
    sent = straight(f"\x1b[3;5H\x1b[1m{text}\x1b[0m|")
    assert drawn(sent, width)[5 + cell_len(text)] == "|"


def test_plain_output_is_not_touched() -> None:
    """ASCII goes out byte for byte, escape sequences included."""
    data = "\x1b[?2026h\x1b[1;1H\x1b[38;5;2mhello\x1b[0m\n\x1b[?2026l"
    assert straight(data) == data


def test_text_without_a_known_column_is_not_touched() -> None:
    """What another program's column decides stays as it is."""
    assert straight("é") == "é"
