"""Keeps the frame straight where a terminal draws characters wider or narrower than expected.

Terminals disagree about emoji families, skin tones, flags, variation selectors and signs that East
Asian fonts draw wide. So, in what is sent to the terminal, the cells of every run that is not
plain ASCII are blanked before it is written, and after it the cursor is set to where the run
should have ended. At worst an emoji is drawn by half; what follows it is whole and in its place.
"""

from __future__ import annotations

import re
from typing import cast

from rich.cells import cell_len
from textual.driver import Driver

# An escape sequence (a cursor position is the one that matters), a control, or text.
TOKEN = re.compile(
    r"\x1b\[\d+;(?P<column>\d+)H"
    r"|(?P<escape>\x1b\[[0-?]*[ -/]*[@-~]|\x1b\].*?(?:\x1b\\|\x07)|\x1b[^\[\]])"
    r"|(?P<control>[\x00-\x1f\x7f])"
    r"|(?P<text>[^\x00-\x1f\x7f]+)",
    re.DOTALL,
)
# ASCII up to the character that others may combine with, or a run with its base character.
RUN = re.compile(r"[ -~]?[^ -~]+|[ -~]+?(?=[ -~][^ -~]|$)")


def straight(data: str) -> str:
    """Return terminal output in which every run of text ends where its width says.

    Only text whose column is known, because the output itself set it, is touched.
    """
    if data.isascii():
        return data
    pieces, column = [], 0
    for token in TOKEN.finditer(data):
        piece = token.group()
        if token["column"]:
            column = int(token["column"])
        elif token["control"]:
            column = 0
        elif token["text"] and column:
            if not piece.isascii():
                piece, column = _placed(piece, column)
            else:
                column += len(piece)
        pieces.append(piece)
    return "".join(pieces)


def _placed(text: str, column: int) -> tuple[str, int]:
    pieces = []
    for run in RUN.finditer(text):
        piece = run.group()
        start, end = (column + cell_len(text[:at]) for at in run.span())
        if not piece.isascii():
            piece = f"\x1b[{start}G{' ' * (end - start)}\x1b[{start}G{piece}\x1b[{end}G"
        pieces.append(piece)
    return "".join(pieces), column + cell_len(text)


def straight_driver(base: type[Driver]) -> type[Driver]:
    """Return a driver that writes straight lines."""

    def write(self: Driver, data: str) -> None:
        base.write(self, straight(data))

    return cast("type[Driver]", type(f"Straight{base.__name__}", (base,), {"write": write}))
