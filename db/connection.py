"""Opening a study file, and the one way to write to it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

from sqlite_utils import Database

from core.errors import Busy, InputError, NotAStudy, Refused
from core.marks import APPLICATION_ID, PACKET
from db.migrations import migrations

DatabaseError = sqlite3.Error  # for those who catch, so that nobody else imports sqlite3
TIMEOUT = 30.0  # seconds that a writer waits for another one


def create(path: Path, *, packet: bool = False) -> Database:
    """Create an empty study file, or a packet, which is a study file of one blind seat.

    Raises
    ------
    InputError
        When something is there already, or the folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("xb").close()  # of two who create it at once, one finds it there
    except OSError as error:
        if path.exists():
            why = "exists already; choose another name or move it away"
        else:
            why = f"cannot be created: {error.strerror}"
        raise InputError(f"{path} {why}") from error
    try:
        connection = sqlite3.connect(path, timeout=TIMEOUT)
        if packet:
            connection.execute("PRAGMA page_size = 1024")  # small enough for a mail
        # Set before WAL is on, so that the mark stands in the file itself and not in its log.
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        if packet:
            connection.execute(f"PRAGMA user_version = {PACKET}")
        return _ready(connection)
    except BaseException:
        discard(path)
        raise


def discard(path: Path) -> None:
    """Remove a study file with its write-ahead log, and nothing else."""
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(name).unlink(missing_ok=True)


def connect(path: Path) -> Database:
    """Open an existing study file and bring its schema up to date.

    Raises
    ------
    NotAStudy
        When the file is missing, is something else, or comes from a newer Wavelock. The file is
        looked at before it is opened, and left untouched.
    """
    _require_study(path)
    uri = f"{path.resolve().as_uri()}?mode=rw"
    connection = None
    try:
        connection = sqlite3.connect(uri, uri=True, timeout=TIMEOUT)
        return _ready(connection)
    except (sqlite3.DatabaseError, UnicodeDecodeError, NotAStudy) as error:
        # A damaged file can make even SQLite's own sentence unreadable.
        if connection:
            connection.close()
        if isinstance(error, NotAStudy):
            raise
        raise NotAStudy(
            f"{path} cannot be opened as a study: {error}; when it is damaged, go on from a copy"
        ) from error


def _require_study(path: Path) -> None:
    try:
        if not path.exists():
            raise NotAStudy(
                f"{path} does not exist; make it with: wavelock init {path} --suite core100"
            )
        if path.is_dir():
            raise NotAStudy(f"{path} cannot be read: it is a folder")
    except OSError as error:
        raise NotAStudy(f"{path} cannot be read: {error.strerror}") from error
    if not path.is_file():  # a pipe would be waited for
        raise NotAStudy(f"{path} is no file that a study could be; it was left untouched")
    if not os.access(path, os.R_OK):
        raise NotAStudy(f"{path} cannot be read; ask for the permission")
    if not os.access(path, os.W_OK):
        raise NotAStudy(f"{path} cannot be written; work on a copy, or ask for the permission")
    if not os.access(path.resolve().parent, os.W_OK | os.X_OK):
        raise NotAStudy(
            f"the folder of {path} cannot be written, and a study needs to keep its log beside it; "
            "work on a copy in a folder of yours"
        )
    if not _marked(path):
        raise NotAStudy(f"{path} is not a Wavelock study; it was left untouched")


def _marked(path: Path) -> bool:
    """Look at the mark without leaving anything beside the file.

    SQLite looks, because the locks of a process on a file are gone when it closes any other
    descriptor of it: another process would think that nobody is there, and remove the log that this
    one writes to.
    """
    uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            found = connection.execute("PRAGMA application_id").fetchone()
    except sqlite3.DatabaseError:
        return False
    return bool(found[0] == APPLICATION_ID)


def _ready(connection: sqlite3.Connection) -> Database:
    db = Database(connection, strict=True, execute_plugins=False)
    _require_known_schema(db)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA recursive_triggers = ON")
    if is_packet(db):
        # One file is carried away, so what is saved must stand in it and not in a log beside it.
        # EXTRA, because a deleted journal that comes back after a power cut would undo the answer.
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA synchronous = EXTRA")
    else:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")  # what is erased is overwritten
    if migrations.pending(db):
        migrations.apply(db)
    return db


def is_packet(db: Database) -> bool:
    """Return whether this is a packet: one blind seat, for work without the study."""
    return bool(db.execute("PRAGMA user_version").fetchone()[0] == PACKET)


def guard_faults(db: Database) -> tuple[str, ...]:
    """Name the triggers that were removed or changed; what they guard may have been edited."""
    now = {trigger.name: trigger.sql for trigger in db.triggers}
    return tuple(
        f"the guard {name} was removed or changed"
        for name, sql in _guards().items()
        if now.get(name) != sql
    )


@cache
def _guards() -> dict[str, str]:
    """Return the triggers of a new study, by name; they are the same for every study."""
    whole = Database(memory=True)
    migrations.apply(whole)
    found = {trigger.name: trigger.sql for trigger in whole.triggers}
    whole.close()
    return found


def reference_faults(db: Database) -> tuple[str, ...]:
    """Name the rows that refer to a row that is not there: it was removed, or given another id."""
    found = db.execute("PRAGMA foreign_key_check").fetchall()
    return tuple(
        f"row {number} of {table} refers to a row of {parent} that is not there"
        if number is not None
        else f"a row of {table} refers to a row of {parent} that is not there"
        for table, number, parent, _ in found
    )


def _require_known_schema(db: Database) -> None:
    known = {step.name for step in migrations.pending(Database(memory=True))}
    unknown = sorted({step.name for step in migrations.applied(db)} - known)
    if unknown:
        raise NotAStudy(
            f"the study was made by a newer Wavelock (step {unknown[-1]}); upgrade to open it"
        )


@contextmanager
def immediate(db: Database) -> Iterator[None]:
    """Run a read-then-write as one transaction that waits for its turn.

    ``Database.atomic()`` begins a deferred transaction, which fails at once when another writer
    came in between; this one takes the write lock first. Nested calls join the outer one.

    Raises
    ------
    Refused
        When a rule of the study file forbids the change; nothing of it is kept.
    Busy
        When another writer did not make room in time; nothing of it is kept.
    """
    if db.conn.in_transaction:
        with db.atomic():
            yield
        return
    try:
        db.conn.execute("BEGIN IMMEDIATE")
        try:
            yield
            # A commit that fails (a full disk) must not leave the transaction open: the next
            # change would join it, and be called saved.
            db.conn.execute("COMMIT")
        except BaseException:
            db.rollback()
            raise
    except sqlite3.IntegrityError as error:
        raise Refused(f"refused by the study file: {error}") from error
    except sqlite3.OperationalError as error:
        # A text that is no UTF-8 is refused by Python, which knows no code for it.
        code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        if code & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        raise Busy("the study file is busy: another program is writing to it") from error


@contextmanager
def waiting(db: Database, seconds: float) -> Iterator[None]:
    """Wait no longer than this for other writers, as long as the block lasts."""
    db.conn.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")
    try:
        yield
    finally:
        db.conn.execute(f"PRAGMA busy_timeout = {round(TIMEOUT * 1000)}")
