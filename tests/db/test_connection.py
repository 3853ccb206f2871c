"""Opening a study file: what is no study is refused in one line, and left as it was."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.errors import InputError, NotAStudy, Refused
from core.items import ItemText, Scenario
from core.marks import APPLICATION_ID
from core.runs import GenerationKey, Reply
from db.connection import connect, immediate
from db.file import create_study, open_study
from db.guards import KEYS

NEWER = (
    "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) "
    "VALUES ('wavelock', '9999_later', '2099')"
)


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.execute("INSERT INTO t VALUES (1)")
        connection.commit()


def foreign_in_wal(path: Path) -> None:
    foreign(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")


def somebody_elses(path: Path) -> None:
    foreign(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA application_id = 252006674")  # another program's mark


def ours_then_noise(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("CREATE TABLE t (x)")
    path.write_bytes(path.read_bytes()[:100] + b"\2" * 8092)


STRANGERS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "missing": (lambda path: None, "does not exist; make it with: wavelock init"),
    "empty": (lambda path: path.touch(), "is not a Wavelock study; it was left untouched"),
    "text": (lambda path: path.write_text("my notes\n"), "is not a Wavelock study"),
    "short": (lambda path: path.write_bytes(b"SQLite format 3\0"), "is not a Wavelock study"),
    "folder": (lambda path: path.mkdir(), "cannot be read: it is a folder"),
    "foreign": (foreign, "is not a Wavelock study; it was left untouched"),
    "foreign in WAL": (foreign_in_wal, "is not a Wavelock study"),
    "somebody else's mark": (somebody_elses, "is not a Wavelock study"),
    "noise behind our mark": (ours_then_noise, "cannot be opened as a study"),
}


@pytest.mark.parametrize("kind", STRANGERS)
def test_what_is_no_study_is_left_untouched(tmp_path: Path, kind: str) -> None:
    """A file of another kind is refused in one line; its bytes stay, and it stays alone."""
    make, sentence = STRANGERS[kind]
    path = tmp_path / "study.db"
    make(path)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir() if p.is_file()}
    with pytest.raises(NotAStudy, match=sentence) as caught:
        connect(path)
    assert "\n" not in str(caught.value)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir() if p.is_file()} == before


def test_a_newer_schema_is_left_untouched(study_path: Path) -> None:
    """A study from a newer Wavelock is refused with advice, and not downgraded."""
    with closing(sqlite3.connect(study_path)) as connection:
        connection.execute(NEWER)
        connection.commit()
    before = study_path.read_bytes()
    with pytest.raises(NotAStudy, match=r"newer Wavelock \(step 9999_later\); upgrade to open it"):
        connect(study_path)
    assert study_path.read_bytes() == before
    assert [p.name for p in study_path.parent.iterdir()] == [study_path.name]


@pytest.fixture
def read_only(whole_study: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        path = Path(shutil.copy(whole_study, Path(folder) / "study.db"))
        path.chmod(0o444)
        yield path


TRY = """
import os, sys
from pathlib import Path
from core.errors import NotAStudy
from db.connection import connect
if os.geteuid() == 0:
    os.setuid(65534)  # permissions are nothing to root
try:
    connect(Path(sys.argv[1]))
except NotAStudy as error:
    print(error)
"""


def test_a_read_only_file_is_refused_at_once(read_only: Path) -> None:
    """A file that cannot be written is refused on opening, not at the first answer."""
    done = subprocess.run(
        [sys.executable, "-c", TRY, read_only], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        f"{read_only} cannot be written; work on a copy, or ask for the permission"
    ]


def test_an_unfinished_study_says_so(tmp_path: Path) -> None:
    """A file whose making was killed half-way is named as such, with what to do."""
    path = tmp_path / "study.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    with open_study(path) as study, pytest.raises(NotAStudy, match="is an unfinished study"):
        _ = study.info


def test_a_failed_creation_leaves_nothing(tmp_path: Path) -> None:
    """A study that could not be filled leaves no file, so that the same command can be repeated."""
    path = tmp_path / "study.db"
    twice = [Scenario("S", {}, (ItemText("Active", "t"),))] * 2
    with pytest.raises(Refused, match="exists already"):
        create_study(path, title="t", suite="s", scenarios=twice)
    assert list(tmp_path.iterdir()) == []
    create_study(path, title="t", suite="s", scenarios=twice[:1]).close()


def test_creating_keeps_what_is_there(tmp_path: Path) -> None:
    """A study is never made over something else."""
    path = tmp_path / "study.db"
    path.write_text("mine")
    with pytest.raises(InputError, match="exists already; choose another name"):
        create_study(path, title="t", suite="s", scenarios=())
    assert path.read_text() == "mine"


@pytest.mark.parametrize("place", ["file/study.db", "file/deeper/study.db"])
def test_creating_below_a_file_is_bad_input(tmp_path: Path, place: str) -> None:
    """A place that cannot be a folder is named in one line."""
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be created"):
        create_study(tmp_path / place, title="t", suite="s", scenarios=())


def test_every_table_is_strict(study_path: Path) -> None:
    """A value of the wrong type is refused by every table."""
    with closing(sqlite3.connect(study_path)) as connection:
        strict = {row[1] for row in connection.execute("PRAGMA table_list") if row[5]}
    assert set(KEYS) <= strict


def test_the_settings_of_a_connection(study_path: Path) -> None:
    """Our own connections have foreign keys, WAL, and commits that reach the disk."""
    db = connect(study_path)
    for pragma, value in {
        "foreign_keys": 1, "recursive_triggers": 1, "journal_mode": "wal", "synchronous": 2,
        "busy_timeout": 30_000,
    }.items():  # fmt: skip
        assert db.execute(f"PRAGMA {pragma}").fetchone() == (value,)
    db.close()


def test_a_refused_change_leaves_nothing_of_its_transaction(study_path: Path) -> None:
    """What a trigger refuses takes everything before it along."""
    with open_study(study_path) as study:
        head = study.ledger.head()
        unfrozen = GenerationKey(2, 99999, "p", 1)
        with pytest.raises(Refused, match="a frozen item"), study.transaction():  # noqa: PT012
            study.ledger.append("x", {})
            study.runs.store(unfrozen, Reply("ok", visible_text="Answer: A"))
        assert study.ledger.head() == head


def test_a_failed_commit_does_not_swallow_the_next_change(study_path: Path) -> None:
    """When a commit fails, the next change is a transaction of its own, and really saved."""
    db = connect(study_path)
    with pytest.raises(Refused, match="FOREIGN KEY"), immediate(db):  # noqa: PT012
        db.execute("PRAGMA defer_foreign_keys = ON")
        db.execute("DROP TRIGGER scores_whole")
        db.execute("INSERT INTO scores VALUES (999, 999, 'v', '1', 'A', '', '', NULL)")
    assert not db.conn.in_transaction
    with immediate(db):
        db.execute("INSERT INTO people VALUES (999, 'P-KEPT', 'human', '', NULL, NULL)")
    with closing(sqlite3.connect(study_path)) as other:
        assert other.execute("SELECT pseudonym FROM people WHERE id = 999").fetchone()
        assert other.execute("SELECT count(*) FROM scores WHERE id = 999").fetchone() == (0,)
    db.close()


def test_a_failed_migration_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A schema step that fails is rolled back whole, with its tables and triggers."""
    path = tmp_path / "study.db"

    def fails(table: str, references: object) -> tuple[str, ...]:
        return ("CREATE NONSENSE",) if table == "items" else ()

    with monkeypatch.context() as patched:
        patched.setattr("db.migrations.guards", fails)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        with pytest.raises(NotAStudy, match="cannot be opened"):
            connect(path)
    with closing(sqlite3.connect(path)) as connection:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    assert not tables & set(KEYS)
    connect(path).close()


def test_a_second_look_keeps_the_first_hold(tmp_path: Path) -> None:
    """Whoever opens a study that this process has open leaves the log that it writes to."""
    path = tmp_path / "study.db"
    again = "import sys; from pathlib import Path; from db.connection import connect; "
    with create_study(path, title="t", suite="core100", scenarios=()) as study:
        open_study(path).close()
        with pytest.raises(InputError):
            create_study(path, title="t", suite="core100", scenarios=())
        other = [sys.executable, "-c", again + "connect(Path(sys.argv[1])).close()", str(path)]
        subprocess.run(other, check=True, cwd=Path.cwd(), timeout=60)
        assert path.with_name("study.db-wal").exists()
        study.ledger.append("tick", {"by": "first"})
    with open_study(path) as study:
        assert study.ledger.entries()[-1].event == "tick"


WRITER = """
import sys
from pathlib import Path
from db.file import open_study
with open_study(Path(sys.argv[1])) as study:
    for number in range(int(sys.argv[2])):
        study.ledger.append("tick", {"by": sys.argv[3], "number": number})
        print(number, flush=True)
"""


def writer(path: Path, count: int, name: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), str(count), name]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=Path.cwd()
    )


def test_eight_writers_at_once_lose_nothing(study_path: Path) -> None:
    """Eight processes read and then write, forty times each: none waits in vain, none is lost."""
    writers = [writer(study_path, 40, str(number)) for number in range(8)]
    for each in writers:
        _, errors = each.communicate(timeout=120)
        assert (each.returncode, errors) == (0, "")
    with open_study(study_path) as study:
        assert study.ledger.faults() == ()
        ticks = [e.payload for e in study.ledger.entries() if e.event == "tick"]
    assert len(ticks) == 320
    for name in range(8):
        mine = [tick["number"] for tick in ticks if tick["by"] == str(name)]
        assert mine == list(range(40))


def test_a_killed_writer_leaves_what_it_acknowledged(study_path: Path) -> None:
    """After SIGKILL the file holds every acknowledged fact, at most one more, and a whole chain."""
    with writer(study_path, 100_000, "killed") as child:
        assert child.stdout
        acknowledged = [int(child.stdout.readline()) for _ in range(25)]
        child.kill()
        # Through the same buffer: communicate() would miss what readline() took in already.
        acknowledged += [int(line) for line in child.stdout if line.strip()]
    with open_study(study_path) as study:
        ticks = [e.payload["number"] for e in study.ledger.entries() if e.event == "tick"]
        assert study.ledger.faults() == ()
    assert ticks[: len(acknowledged)] == acknowledged
    assert len(ticks) <= len(acknowledged) + 1
