"""What auditors are told before the first pair: a text of the round, with one that ships."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from core.errors import InputError
from core.study import RoundKind

NAME = "auditing.md"


def load(kind: RoundKind, folder: Path | None = None) -> dict[str, str]:
    """Return the instructions of a new round by file name, checked.

    Parameters
    ----------
    kind
        Rehearsals have none unless `folder` has: simulated people read nothing.
    folder
        Files of one's own; without one of this name what ships stands in.

    Raises
    ------
    InputError
        Naming file and line.
    """
    own = folder / NAME if folder else None
    if own and own.is_file():
        try:
            return {NAME: _checked(own.read_text("utf-8"), str(own))}
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{own} cannot be read as UTF-8: {error}") from error
    if kind == "rehearsal":
        return {}
    return {NAME: (resources.files("audit") / "texts" / NAME).read_text("utf-8")}


def _checked(text: str, source: str) -> str:
    if not text.strip():
        raise InputError(f"{source}, line 1: it is empty; remove the file, or write something")
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.replace("\t", "").isprintable():
            raise InputError(f"{source}, line {number}: a control character, which no screen shows")
    return text


def paragraphs(text: str) -> tuple[str, ...]:
    r"""Return the text without its line breaks: headings, paragraphs and list entries.

    Examples
    --------
    >>> paragraphs("# What to do\n\nRead both\ntexts.\n\n- Yes: one\n  thing.\n- No.\n")
    ('What to do', 'Read both texts.', '· Yes: one thing.', '· No.')
    """
    found: list[str] = []
    begun = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith(("#", "- ")):
            found.append(f"· {line[2:].strip()}" if line.startswith("-") else line.lstrip("# "))
            begun = not line.startswith("#")
        elif not line:
            begun = False
        elif begun:
            found[-1] += f" {line}"
        else:
            found.append(line)
            begun = True
    return tuple(found)
