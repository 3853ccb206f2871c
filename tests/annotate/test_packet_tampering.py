"""A packet that was damaged, forged or cut: refused in one line, or it makes no difference."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from annotate.packet_in import merge
from annotate.sitting import RatingSitting
from annotate.stage_views import EndView, RatingView
from core.errors import InputError, WavelockError
from core.hashing import canonical
from core.packets import seal
from db.connection import DatabaseError
from db.file import open_study
from tests.annotate.conftest import opened_office
from tests.annotate.packets import GOOD, OTHER, Office, dump, given, select
from tests.annotate.test_stages import step
from tests.conftest import Workshop


@dataclass(frozen=True)
class Sent:
    """A packet that a person went through, another of the same seat, and what comes of the first.

    `before` is the study before any merge; `after` what ratings and history are to be.
    """

    office: Office
    path: Path
    other: Path
    before: Path
    after: Any


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sent]:
    folder = tmp_path_factory.mktemp("sent")
    with ExitStack() as stack:
        office = opened_office(Workshop(stack), folder)
        (path,), (other,) = office.out(1), office.out(1)
        with office.stages(path) as stages:
            while not isinstance(view := stages.view(), EndView):
                if isinstance(view, RatingView) and view.number == 2 and not view.saved:
                    stages.report("a word is missing")
                step(stages)
        office.rate(other, 1, 2, OTHER)
        before = folder / "before.db"
        with closing(sqlite3.connect(office.study.path)) as plain:
            plain.execute("VACUUM INTO ?", [str(before)])
        merge(office.study, path)
        yield Sent(office, path, other, before, given(office.study.path))


def told(sent: Sent, path: Path, folder: Path) -> str:
    """Merge into a study as it was before; return the refusal, or nothing when all is right.

    Anything else fails: another error, a changed study after a refusal, other ratings without one.
    """
    study_path = Path(shutil.copy(sent.before, folder / "study.db"))
    before, sent_bytes = dump(study_path), path.read_bytes()
    with open_study(study_path) as study:
        try:
            merge(study, path)
        except InputError as error:
            refusal = str(error)
        else:
            refusal = ""
    assert path.read_bytes() == sent_bytes
    if refusal:
        assert "\n" not in refusal
        assert dump(study_path) == before
        return refusal
    assert given(study_path) == sent.after
    return refusal


def spoiled(sent: Sent, folder: Path, spoil: Callable[[sqlite3.Connection], Any]) -> Path:
    """Return a copy of the packet that somebody with all the tools has changed."""
    path = Path(shutil.copy(sent.path, folder / "spoiled.packet"))
    with closing(sqlite3.connect(path)) as plain:
        for (name,) in plain.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
            plain.execute(f"DROP TRIGGER {name}")
        plain.execute("PRAGMA ignore_check_constraints = ON")
        spoil(plain)
        plain.commit()
    return path


def flipped(data: bytes, draw: random.Random) -> bytes:
    """Return a file in which one byte is another."""
    place = draw.randrange(len(data))
    return data[:place] + bytes([data[place] ^ draw.randrange(1, 256)]) + data[place + 1 :]


def test_a_hundred_flipped_bytes(sent: Sent, tmp_path: Path) -> None:
    """Wherever a byte is wrong: refused, or nothing that counts was there."""
    data = sent.path.read_bytes()
    draw = random.Random(1)
    outcomes = set()
    for _ in range(100):
        path = tmp_path / "flipped.packet"
        path.write_bytes(flipped(data, draw))
        outcomes.add(told(sent, path, tmp_path))
    assert any("damaged or changed" in outcome for outcome in outcomes)


def test_a_rater_opens_what_was_damaged(sent: Sent, tmp_path: Path) -> None:
    """What a damaged packet does to the person who opens it is a sentence, or nothing."""
    data = sent.other.read_bytes()
    draw = random.Random(2)
    path = tmp_path / "flipped.packet"
    told_of = 0
    for _ in range(25):
        path.write_bytes(flipped(data, draw))
        try:
            with open_study(path) as packet:
                sitting = RatingSitting.enter(packet, sent.office.codes[1])
                sitting.view()
                sitting.save(GOOD)
        except (WavelockError, DatabaseError):
            told_of += 1
    assert 0 < told_of < 25


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.9])
def test_a_file_that_was_cut(sent: Sent, tmp_path: Path, part: float) -> None:
    """A download that broke off is refused; when only free pages are missing, nothing is."""
    data = sent.path.read_bytes()
    path = tmp_path / "cut.packet"
    path.write_bytes(data[: int(len(data) * part)])
    assert told(sent, path, tmp_path)


SHEET = {
    "study": ("title", "secret"),
    "rounds": ("form", "seed", "closed_at"),
    "round_texts": ("name", "content"),
    "access_codes": ("handle", "salt", "secret", "seat", "revoked_at"),
    "assignments": ("position", "revision"),
    "revisions": ("text", "options"),
    "packet": ("header", "signature"),
    "packet_journal": ("sequence", "handle", "event", "seal"),
}
# Working copies for the screens; the study does not read them.
HARMLESS = {
    "ratings": ("answers", "comment", "seconds", "created_at"),
    "rating_history": ("answers", "at"),
    "consents": ("text",),
    "training_answers": ("answer", "correct"),
    "check_answers": ("answer", "correct"),
    "item_reports": ("text",),
    "people": ("pseudonym",),
    "revisions": ("gold", "parameters"),
}


def cells(tables: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(table, column) for table, columns in tables.items() for column in columns]


def other(table: str, column: str) -> str:
    """Return SQL for another value of the same kind."""
    if (table, column) == ("packet", "header"):
        return "replace(header, 'sha256:', 'sha256:0')"
    if (table, column) == ("packet_journal", "event"):
        return "replace(event, '\"A\"', '\"B\"')"
    kind = f"typeof({column})"
    return (
        f"CASE {kind} WHEN 'integer' THEN {column} + 1000 WHEN 'real' THEN {column} + 1 "
        f"WHEN 'blob' THEN x'{'00' * 32}' WHEN 'null' THEN 'x' ELSE {column} || ' ' END"
    )


@pytest.mark.parametrize(("table", "column"), cells(SHEET))
def test_any_change_of_what_counts_is_refused(
    sent: Sent, tmp_path: Path, table: str, column: str
) -> None:
    """Texts, options, order, form, locks, signature and journal, in the last row of each table."""
    where = "(SELECT max(rowid) FROM {0})" if table != "revisions" else "1"
    sql = f"UPDATE {table} SET {column} = {other(table, column)} WHERE rowid = {where}"
    path = spoiled(sent, tmp_path, lambda plain: plain.execute(sql.format(table)))
    assert path.read_bytes() != sent.path.read_bytes()
    assert told(sent, path, tmp_path)


@pytest.mark.parametrize(("table", "column"), cells(HARMLESS))
def test_the_screens_copies_do_not_count(
    sent: Sent, tmp_path: Path, table: str, column: str
) -> None:
    """What the study does not read makes no difference to it."""
    sql = f"UPDATE {table} SET {column} = {other(table, column)}"
    path = spoiled(sent, tmp_path, lambda plain: plain.execute(sql))
    assert told(sent, path, tmp_path) == ""


@pytest.mark.parametrize("table", ["ratings", "training_answers", "check_answers", "item_reports"])
def test_a_rater_is_not_shown_another_answer_than_will_count(
    sent: Sent, tmp_path: Path, table: str
) -> None:
    """Where the screens' copy differs from the journal, the packet no longer opens."""
    column = {"ratings": "answers", "item_reports": "text"}.get(table, "answer")
    sql = f"UPDATE {table} SET {column} = {column} || ' '"
    path = spoiled(sent, tmp_path, lambda plain: plain.execute(sql))
    with open_study(path) as packet, pytest.raises(InputError, match="damaged or changed"):
        RatingSitting.enter(packet, sent.office.codes[1])


JOURNAL = {
    "the first entry is gone": "DELETE FROM packet_journal WHERE sequence = 1",
    "one in the middle is gone": "DELETE FROM packet_journal WHERE sequence = 5",
    "closed up behind it": "DELETE FROM packet_journal WHERE sequence = 5; "
    "UPDATE packet_journal SET sequence = -(sequence - 1) WHERE sequence > 5; "
    "UPDATE packet_journal SET sequence = -sequence WHERE sequence < 0",
    "two change places": "UPDATE packet_journal SET sequence = 99 WHERE sequence = 5; "
    "UPDATE packet_journal SET sequence = 5 WHERE sequence = 6; "
    "UPDATE packet_journal SET sequence = 6 WHERE sequence = 99",
    "one is there twice": "INSERT INTO packet_journal SELECT "
    "(SELECT max(sequence) + 1 FROM packet_journal), handle, event, seal || ' ' "
    "FROM packet_journal WHERE sequence = 5",
    "no header": "DELETE FROM packet",
    "no journal": "DROP TABLE packet_journal",
    "a view in its place": "ALTER TABLE packet_journal RENAME TO j; "
    "CREATE VIEW packet_journal AS SELECT * FROM j",
    "a computing column": "DROP TABLE packet; CREATE TABLE packet (id, header, signature AS ('x'))",
}


@pytest.mark.parametrize("name", JOURNAL)
def test_a_journal_is_whole(sent: Sent, tmp_path: Path, name: str) -> None:
    """Nothing can be taken out, moved, doubled or put in the place of something else."""
    path = spoiled(sent, tmp_path, lambda plain: plain.executescript(JOURNAL[name]))
    assert told(sent, path, tmp_path)


def test_another_packets_journal(sent: Sent, tmp_path: Path) -> None:
    """Entries of another packet, of the same seat and code, are none of this one."""
    entries = select(sent.other, "SELECT * FROM packet_journal")

    def swap(plain: sqlite3.Connection) -> None:
        plain.execute("DELETE FROM packet_journal")
        plain.executemany("INSERT INTO packet_journal VALUES (?, ?, ?, ?)", entries)

    assert told(sent, spoiled(sent, tmp_path, swap), tmp_path)


def test_a_cut_end_is_an_older_copy(sent: Sent, tmp_path: Path) -> None:
    """This cannot be told from a copy that was made earlier: what is left of it is taken."""
    cut = spoiled(
        sent, tmp_path, lambda plain: plain.execute("DELETE FROM packet_journal WHERE sequence > 9")
    )
    study_path = Path(shutil.copy(sent.before, tmp_path / "study.db"))
    with open_study(study_path) as study:
        assert 0 < merge(study, cut).ratings < 6
        merge(study, sent.path)
    assert given(study_path) == sent.after


RATED: dict[str, Any] = {
    "kind": "rating", "item": 1, "answers": GOOD, "comment": "", "seconds": 1.0,
    "at": "2026-01-01T00:00:00.000Z",
}  # fmt: skip
FORGED = {
    "no kind": "{}",
    "another kind": canonical({**RATED, "kind": "person"}),
    "a list": "[]",
    "a field more": canonical({**RATED, "condition": "Active"}),
    "a field less": canonical({k: v for k, v in RATED.items() if k != "at"}),
    "an item of nobody": canonical({**RATED, "item": 7}),
    "an item that is true": canonical({**RATED, "item": True}),
    "an item too large": canonical({**RATED, "item": 2**70}),
    "an answer that is not offered": canonical({**RATED, "answers": {**GOOD, "choice": "Z"}}),
    "no answer": canonical({**RATED, "answers": {}}),
    "answers that are a list": canonical({**RATED, "answers": []}),
    "an unknown question": canonical({**RATED, "answers": {**GOOD, "condition": "x"}}),
    "a comment that is a number": canonical({**RATED, "comment": 1}),
    "half a character": json.dumps({**RATED, "comment": "\ud800"}),
    "not a number of seconds": json.dumps({**RATED, "seconds": float("nan")}),
    "endless seconds": json.dumps({**RATED, "seconds": float("inf")}),
    "negative seconds": canonical({**RATED, "seconds": -1.0}),
    "no time": canonical({**RATED, "at": "yesterday"}),
    "a month that is none": canonical({**RATED, "at": "2026-13-01T00:00:00.000Z"}),
    "digits of elsewhere": canonical({**RATED, "at": "٢026-01-01T00:00:00.000Z"}),
    "deep": json.dumps({**RATED, "comment": "x"}).replace('"x"', "[" * 100_000 + "]" * 100_000),
    "a number without end": json.dumps(RATED).replace("1.0", "1" * 5000),
    "another consent": canonical({"kind": "consent", "text": "x", "at": RATED["at"]}),
    "training of its own": canonical(
        {"kind": "training", "turn": 1, "name": "x", "answer": "x", "at": RATED["at"]}
    ),
    "a check of its own": canonical(
        {"kind": "check", "name": "x", "answer": "x", "at": RATED["at"]}
    ),
    "no JSON": "no JSON",
}  # fmt: skip


def forged(sent: Sent, folder: Path, event: str) -> Path:
    """Return the packet with one more entry, under a true seal."""
    key = sent.office.study.packets.codes(1, sent.path.name[8:13])[0].answers
    handle = sent.office.codes[1][:4]

    def forge(plain: sqlite3.Connection) -> None:
        last, sealed = plain.execute(
            "SELECT sequence, seal FROM packet_journal ORDER BY sequence DESC LIMIT 1"
        ).fetchone()
        new = seal(key, sealed, last + 1, handle, event)
        plain.execute(
            "INSERT INTO packet_journal VALUES (?, ?, ?, ?)", (last + 1, handle, event, new)
        )

    return spoiled(sent, folder, forge)


@pytest.mark.parametrize("name", FORGED)
def test_a_person_with_the_code_who_forges(sent: Sent, tmp_path: Path, name: str) -> None:
    """The code gives the key of the seal, so what is under a true seal is still not trusted."""
    assert told(sent, forged(sent, tmp_path, FORGED[name]), tmp_path)


def test_and_what_they_can(sent: Sent, tmp_path: Path) -> None:
    """A true seal under a sensible answer is taken: it says with which code, not when or how."""
    path = forged(sent, tmp_path, canonical({**RATED, "answers": OTHER}))
    study_path = Path(shutil.copy(sent.before, tmp_path / "study.db"))
    with open_study(study_path) as study:
        assert merge(study, path).changes == 1
    assert given(study_path)[0][0][2] == canonical(OTHER)
