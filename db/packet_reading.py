"""Reading a packet that came back: from its bytes, in memory, and without believing any of it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from sqlite_utils import Database

from core.errors import InputError
from core.hashing import PREFIX
from core.marks import HEADER, packet_header
from core.packets import Entry
from db.journal import Journal
from db.packet_file import sheet_digest
from db.rows import row

LARGEST = 64 * 2**20  # bytes; a packet of a thousand items has about one million
CHANGED = "it was damaged or changed since it was handed out; nothing of it was taken"


@dataclass(frozen=True, slots=True)
class ReturnedPacket:
    """A packet that came back, as it was read: nothing of it is believed yet.

    `sheet` is the digest of what is in it, whatever its header says; `file` that of its bytes.
    """

    name: str
    study: str
    header: str
    signature: str
    sheet: str
    entries: tuple[Entry, ...]
    file: str


def read_packet(path: Path) -> ReturnedPacket:
    """Read a packet that came back, without opening, changing or locking its file.

    Raises
    ------
    InputError
        When there is no packet, or one that cannot be read.
    """
    data = _bytes(path)
    if not packet_header(data[:HEADER]):
        raise InputError("this is no packet")
    if path.with_name(f"{path.name}-journal").exists():  # half a transaction may stand in it
        raise InputError("it was not closed; open it once more with wavelock rate, then try again")
    connection = sqlite3.connect(":memory:")
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)
        connection.deserialize(data)
        return _returned(Database(connection), PREFIX + hashlib.sha256(data).hexdigest())
    except (sqlite3.DatabaseError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise InputError(CHANGED) from error
    finally:
        connection.close()


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST:
            raise InputError("this is too large for a packet")
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror}") from error


def _returned(db: Database, file: str) -> ReturnedPacket:
    if row(db, STRANGE):
        raise ValueError("a packet has tables, and nothing that computes")
    found = row(db, "SELECT header, signature FROM packet WHERE id = 1")
    if found is None:
        raise ValueError("nothing says which packet this is")
    header = json.loads(found["header"])
    entries = Journal(db).entries()
    texts = [found["signature"], *(t for e in entries for t in (e.handle, e.event, e.seal))]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("signature and journal are texts")
    return ReturnedPacket(
        name=header["packet"],
        study=header["study"],
        header=found["header"],
        signature=found["signature"],
        sheet=sheet_digest(db),
        entries=entries,
        file=file,
    )


# Whatever computes when it is read.
STRANGE = """
    SELECT name FROM sqlite_master
    WHERE type NOT IN ('table', 'index', 'trigger') OR sql LIKE '%VIRTUAL%' LIMIT 1"""
