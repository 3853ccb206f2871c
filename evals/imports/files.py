"""A file from elsewhere: looked at before it is read, and never whole in memory.

Lines are cut at line feeds only, so that a text with any other character comes through as it is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.errors import InputError
from core.hashing import PREFIX
from core.rows import MARKS

LINE = 16 * 2**20  # bytes of one record: as much as of one reply over the network
WHOLE = 128 * 2**20  # bytes of a document that can only be read whole
HEAD = 64 * 2**10
CHUNK = 2**20
MB = 2**20
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Foreign:
    """A file that was found to be one, with its digest and its beginning."""

    path: Path
    digest: str
    head: bytes

    @property
    def name(self) -> str:
        """Its name without folders: what a run records of where it came from."""
        return self.path.name.encode("utf-8", "replace").decode()


@dataclass(frozen=True, slots=True)
class Line:
    """One line as it was written, without its end; `fault` says why it cannot be read."""

    number: int
    raw: bytes
    fault: str = ""

    @property
    def place(self) -> str:
        """Where it stands, for people."""
        return f"line {self.number}"


def opened(path: Path) -> Foreign:
    """Look at a file and hash it.

    Raises
    ------
    InputError
        When it is no file, cannot be read, or is empty.
    """
    try:
        if path.exists() and not path.is_file():
            what = "a directory" if path.is_dir() else "no regular file"
            raise InputError(f"{path} is {what}; name the file that holds the outputs")
        sealed, head, blank = hashlib.sha256(), b"", True
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                blank = blank and not chunk.removeprefix(_BOM).strip()
                head = head or chunk[:HEAD]
                sealed.update(chunk)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    if blank:
        raise InputError(f"{path} is empty; nothing was imported")
    return Foreign(path, PREFIX + sealed.hexdigest(), head)


def whole(file: Foreign) -> bytes:
    """Return a document that can only be read whole.

    Raises
    ------
    InputError
        When it is too large for that.
    """
    size = file.path.stat().st_size
    if size > WHOLE:
        raise InputError(
            f"{file.path} is one JSON document of {size // MB:,} MB, and {WHOLE // MB} MB are read "
            "at most; write JSON lines, or a log of inspect as .eval"
        )
    return file.path.read_bytes().removeprefix(_BOM)


def lines(file: Foreign, *, ends: bool = False) -> Iterator[Line]:
    """Yield the lines of a file, one at a time; one that is too long is passed over, and said.

    With `ends` each line keeps its end, for a format in which a cell may go on behind it.
    """
    with file.path.open("rb") as source:
        number = 0
        while raw := source.readline(LINE + 1):
            number += 1
            if number == 1:
                raw = raw.removeprefix(_BOM)
            if len(raw) > LINE:
                while raw and not raw.endswith(b"\n"):
                    raw = source.readline(LINE)
                yield Line(number, b"", f"longer than {LINE // MB} MB")
            else:
                yield Line(number, raw if ends else raw.removesuffix(b"\n").removesuffix(b"\r"))


def text_of(raw: bytes) -> str:
    """Return the text of UTF-8.

    Raises
    ------
    ValueError
        When it is something else.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = raw[error.start]
        raise ValueError(f"not UTF-8 at byte {error.start} (0x{byte:02X}) of the line") from None


def encoding_fault(head: bytes) -> str:
    """Name an encoding that is not UTF-8, by the mark at the beginning of a file; or nothing."""
    return next((name for mark, name in MARKS if head.startswith(mark)), "")
