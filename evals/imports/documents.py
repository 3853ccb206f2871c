"""JSON from elsewhere: a name given twice is refused, and so is what is no number."""

from __future__ import annotations

import json
from typing import Any


def load(text: str | bytes, *, lax: bool = False) -> Any:
    """Return the value of a JSON text.

    Parameters
    ----------
    lax
        Read NaN and infinities as nothing: harnesses write them for scores, which are not read.

    Raises
    ------
    ValueError
        With a few words, when it is not JSON.
    """
    constant = _nothing if lax else _refuse
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from None
    except RecursionError:
        raise ValueError("nested too deep to be meant") from None


def load_object(text: str | bytes, *, lax: bool = False) -> dict[str, Any]:
    """Return a JSON object; see :func:`load`."""
    found = load(text, lax=lax)
    if not isinstance(found, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004  (one kind of error for all input)
    return found


def within(document: Any, *names: str | int) -> Any:
    """Return what stands at a path in a document; ``None`` where the path leads nowhere."""
    for name in names:
        if isinstance(document, dict):
            document = document.get(name)
        elif isinstance(document, list) and isinstance(name, int) and name < len(document):
            document = document[name]
        else:
            return None
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"a name is given twice: {twice}")
    return found


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON number")


def _nothing(_: str) -> None:
    return None
