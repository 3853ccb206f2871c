"""A zip archive from elsewhere, read member by member and never further than a bound.

Members may be stored, deflated, or compressed with Zstandard (what inspect_ai writes today), which
the zip library of most Pythons does not know: those are cut out by their place in the file.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import IO, Protocol

from core.errors import InputError, Unavailable
from evals.imports.files import MB

MEMBER = 64 * MB  # bytes of one member, unpacked
TOTAL = 16 * 2**30  # bytes of all that is unpacked of one archive
ZSTANDARD = 93  # the number of the method in the zip format
_LOCAL = struct.Struct("<4s5H3L2H")  # the header that stands before a member
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, struct.error, NotImplementedError,
           RuntimeError, ValueError)  # fmt: skip


class _Reads(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Archive:
    """The members of a zip file by their names."""

    def __init__(self, path: Path, zipped: zipfile.ZipFile, raw: IO[bytes]) -> None:
        self._path, self._zipped, self._raw = path, zipped, raw
        self._read = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the members, in the order of the file, each once."""
        return tuple(dict.fromkeys(self._zipped.namelist()))

    def read(self, name: str) -> bytes:
        """Return a member, unpacked.

        Raises
        ------
        InputError
            When it is damaged, or unpacks to more than is read.
        """
        found = self._zipped.getinfo(name)
        try:
            data = self._unpacked(found)
        except _BROKEN as error:
            said = str(error) or type(error).__name__
            raise InputError(f"{self._path}, {name}: damaged ({said})") from error
        self._read += len(data)
        if len(data) > MEMBER or self._read > TOTAL:
            most = f"{MEMBER // MB} MB" if len(data) > MEMBER else f"{TOTAL // 2**30} GB in all"
            raise InputError(
                f"{self._path}, {name}: unpacks to more than {most}, which is no log that is "
                "meant; nothing was imported"
            )
        return data

    def _unpacked(self, found: zipfile.ZipInfo) -> bytes:
        if found.compress_type != ZSTANDARD:
            with self._zipped.open(found) as member:
                return member.read(MEMBER + 1)
        with _zstandard(self._path, BytesIO(self._cut_out(found))) as member:
            data = _read_on(member)
        if len(data) <= MEMBER and zlib.crc32(data) != found.CRC:
            raise zipfile.BadZipFile("its check sum is another")
        return data

    def _cut_out(self, found: zipfile.ZipInfo) -> bytes:
        """Return the packed bytes of a member; they stand behind a header of its own."""
        if found.compress_size > MEMBER:
            raise zipfile.BadZipFile("too large")
        self._raw.seek(found.header_offset)
        header = _LOCAL.unpack(self._raw.read(_LOCAL.size))
        if header[0] != b"PK\x03\x04":
            raise zipfile.BadZipFile("its header is not where it should be")
        self._raw.seek(header[9] + header[10], 1)
        packed = self._raw.read(found.compress_size)
        if len(packed) != found.compress_size:
            raise zipfile.BadZipFile("it is cut off")
        return packed


@contextmanager
def archive(path: Path) -> Iterator[Archive]:
    """Open a zip file.

    Raises
    ------
    InputError
        When it is none, or is cut off.
    """
    try:
        zipped = zipfile.ZipFile(path)
    except _BROKEN as error:
        raise InputError(
            f"{path} begins like a zip archive, but cannot be read as one: it is damaged or cut off"
        ) from error
    with zipped, path.open("rb") as raw:
        yield Archive(path, zipped, raw)


def _read_on(member: _Reads) -> bytes:
    """Return what a stream holds, up to just beyond the bound."""
    read = bytearray()
    while len(read) <= MEMBER and (chunk := member.read(MB)):
        read += chunk
    return bytes(read)


@contextmanager
def _zstandard(path: Path, packed: IO[bytes]) -> Iterator[_Reads]:
    if find_spec("zstandard") is None:
        raise Unavailable(
            f"{path} is compressed with Zstandard, and zstandard is not installed: install the "
            "extra wavelock[inspect], or convert it with: inspect log convert --to json"
        )
    import zstandard  # noqa: PLC0415  (an extra)

    try:
        # An archive holds one stream after the other where a member is large.
        with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as member:
            yield member
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(f"not Zstandard: {error}") from error
