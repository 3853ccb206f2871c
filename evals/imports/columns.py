"""``--columns prompt=input,response=output``: which column of a table is what."""

from __future__ import annotations

from collections.abc import Sequence

from core.errors import InputError
from evals.imports.rows import NAMES


def parse_columns(given: Sequence[str]) -> dict[str, str]:
    """Return the map that is meant.

    Raises
    ------
    InputError
        When it is none, or names something that no row has.

    Examples
    --------
    >>> parse_columns(["prompt=input,response=output", "model=llm"])
    {'prompt': 'input', 'response': 'output', 'model': 'llm'}
    """
    found: dict[str, str] = {}
    for part in (part for text in given for part in text.split(",") if part.strip()):
        name, mark, column = (piece.strip() for piece in part.partition("="))
        if not mark or not column:
            raise InputError(f"--columns {part.strip()!r} is no NAME=COLUMN, like response=output")
        if name not in NAMES:
            raise InputError(f"--columns: unknown {name!r}; known are {', '.join(NAMES)}")
        if name in found:
            raise InputError(f"--columns: {name} is named twice")
        found[name] = column
    return found
