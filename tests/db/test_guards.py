"""The study file refuses by itself, whatever program opens it and with whatever settings."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from db.guards import CHANGEABLE, KEYS, PARTIAL

TABLES = tuple(KEYS)
# The only columns of the first row of each table that may still change, and are not attacked.
FREE = {"access_codes": {"revoked_at"}}


@pytest.fixture
def plain(study_path: Path) -> Iterator[sqlite3.Connection]:
    """A connection as any other program makes it: no foreign keys, no recursive triggers."""
    with closing(sqlite3.connect(study_path)) as connection:
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (0,)
        assert connection.execute("PRAGMA recursive_triggers").fetchone() == (0,)
        yield connection


def dump(connection: sqlite3.Connection) -> str:
    return "\n".join(connection.iterdump())


def refused(connection: sqlite3.Connection, sql: str, values: Any = ()) -> str:
    """Try a statement; return the sentence of its refusal, and fail when it went through."""
    try:
        connection.execute(sql, values)
    except sqlite3.IntegrityError as error:
        connection.rollback()
        return str(error)
    connection.rollback()
    pytest.fail(f"went through: {sql} {values}")


def first_row(connection: sqlite3.Connection, table: str) -> dict[str, Any]:
    key = KEYS[table][0][0]
    cursor = connection.execute(f"SELECT * FROM {table} ORDER BY {key} LIMIT 1")
    names = [column[0] for column in cursor.description]
    found = cursor.fetchone()
    assert found, f"{table} is empty: nothing is tested"
    return dict(zip(names, found, strict=True))


def other(value: Any) -> Any:
    """Return another value of the same type, valid where JSON is asked for."""
    match value:
        case int() | float():
            return value + 1000
        case bytes():
            return value + b"x"
        case None:
            return 1
        case _:
            return '{"x":1}' if value[:1] in "{[" else f"{value}x"


def insertion(verb: str, table: str, row: dict[str, Any]) -> tuple[str, tuple[Any, ...]]:
    marks = ", ".join("?" for _ in row)
    return f"{verb} INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values())


def test_the_guards_know_every_unique_key(plain: sqlite3.Connection) -> None:
    """A key that the guards do not know, also a hidden rowid, would be a way to replace a row."""
    for table, known in KEYS.items():
        found = set()
        columns = plain.execute(f"PRAGMA table_info({table})").fetchall()
        primary = tuple(c[1] for c in sorted(columns, key=lambda c: c[5]) if c[5])
        found.add(primary)
        partial = set()
        for _, index, unique, _, some in plain.execute(f"PRAGMA index_list({table})"):
            key = tuple(c[2] for c in plain.execute(f"PRAGMA index_info({index})"))
            if some:
                assert unique
                sql = "SELECT sql FROM sqlite_master WHERE name = ?"
                (made,) = plain.execute(sql, (index,)).fetchone()
                partial.add((*key, re.search(r"WHERE (\w+) IS NULL$", made)[1]))  # type: ignore[index]
            elif unique:
                found.add(key)
        assert partial == set(PARTIAL.get(table, ()))
        assert {tuple(sorted(key)) for key in found} == {tuple(sorted(key)) for key in known}
        kinds = {c[1]: c[2] for c in columns}
        if len(primary) > 1 or kinds[primary[0]] != "INTEGER":
            with pytest.raises(sqlite3.OperationalError, match="no such column: rowid"):
                plain.execute(f"SELECT rowid FROM {table}")


def test_every_table_is_guarded(plain: sqlite3.Connection) -> None:
    """No table of the file, now or later, is left without guards."""
    tables = {row[0] for row in plain.execute("SELECT name FROM sqlite_master WHERE type='table'")}
    assert tables - {"_sqlite_migrations"} == set(KEYS)


@pytest.mark.parametrize("table", TABLES)
def test_no_column_of_a_row_is_changed(plain: sqlite3.Connection, table: str) -> None:
    """UPDATE of any column is refused, and leaves the file as it was."""
    before, row = dump(plain), first_row(plain, table)
    key = KEYS[table][0][0]
    for column in row.keys() - FREE.get(table, set()):
        for verb in ("UPDATE", "UPDATE OR REPLACE", "UPDATE OR IGNORE"):
            sql = f"{verb} {table} SET {column} = ? WHERE {key} = ?"
            assert "CHECK" not in refused(plain, sql, (other(row[column]), row[key]))
    assert dump(plain) == before


@pytest.mark.parametrize("table", [t for t in TABLES if t != "scenarios"])
@pytest.mark.parametrize("alias", ["rowid", "oid", "_rowid_"])
def test_no_row_is_moved(plain: sqlite3.Connection, table: str, alias: str) -> None:
    """UPDATE of the row number, under any of its names, is refused."""
    before = dump(plain)
    refused(plain, f"UPDATE {table} SET {alias} = {alias} + 100000")
    assert dump(plain) == before


@pytest.mark.parametrize("table", TABLES)
def test_no_row_is_deleted(plain: sqlite3.Connection, table: str) -> None:
    """DELETE is refused, of one row and of all."""
    before = dump(plain)
    assert refused(plain, f"DELETE FROM {table}") == f"rows of {table} are never deleted"
    assert dump(plain) == before


@pytest.mark.parametrize("table", TABLES)
def test_no_row_is_replaced(plain: sqlite3.Connection, table: str) -> None:
    """INSERT OR REPLACE through any unique key is refused, also with a key of another type."""
    before, row = dump(plain), first_row(plain, table)
    keys = [*KEYS[table], *(tuple(key) for *key, _ in PARTIAL.get(table, ()))]
    for key in keys:
        free = {column for others in KEYS[table] for column in others} - set(key)
        changed = {c: other(row[c]) if c in free else row[c] for c in row}
        if "id" in free:
            changed["id"] = None
        for retyped in (str, float):
            typed = {
                c: retyped(v) if c in key and isinstance(v, int) else v for c, v in changed.items()
            }
            for values in (changed, typed):
                refused(plain, *insertion("INSERT OR REPLACE", table, values))
                refused(plain, *insertion("REPLACE", table, values))
    assert dump(plain) == before


@pytest.mark.parametrize("table", TABLES)
def test_no_row_is_upserted(plain: sqlite3.Connection, table: str) -> None:
    """INSERT ... ON CONFLICT DO UPDATE is refused through any unique key."""
    before, row = dump(plain), first_row(plain, table)
    for key in KEYS[table]:
        target = next(iter(row.keys() - set(key)))
        sql, values = insertion("INSERT", table, row)
        upsert = f"{sql} ON CONFLICT ({', '.join(key)}) DO UPDATE SET {target} = excluded.{target}"
        refused(plain, upsert, values)
    assert dump(plain) == before


@pytest.mark.parametrize("table", [t for t in TABLES if KEYS[t][0] == ("id",) and t != "scenarios"])
def test_no_row_takes_the_number_that_stands_for_none(
    plain: sqlite3.Connection, table: str
) -> None:
    """A row numbered -1 would block every later insert, because guards see -1 for a new row."""
    before = dump(plain)
    row = {c: other(v) for c, v in first_row(plain, table).items()}
    refused(plain, *insertion("INSERT", table, {**row, "id": -1}))
    assert dump(plain) == before


NEW_ITEM = "(SELECT id FROM items WHERE scenario = 'S06' AND condition = 'Active')"
NEW_REVISION = f"(SELECT id FROM revisions WHERE item = {NEW_ITEM})"
PEOPLE = "(SELECT id FROM rounds WHERE name = 'people')"
NEXT = "(SELECT id FROM rounds WHERE name = 'next')"
TRIED = "(SELECT id FROM rounds WHERE name = 'tried')"
SEAT = "(SELECT id FROM seats WHERE round = {} AND role = '{}' AND number = {})"
ONE = SEAT.format(PEOPLE, "rater", 1)
TWO = SEAT.format(PEOPLE, "rater", 2)
THREE = SEAT.format(PEOPLE, "rater", 3)
AUDITOR = SEAT.format(PEOPLE, "auditor", 1)
NEXT_ONE = SEAT.format(NEXT, "rater", 1)
SITTER = "(SELECT person FROM occupancies WHERE seat = {})"
GENERATION = (
    "INSERT INTO generations (run, wave_item, prompt_hash, intervention, sample, state, "
    "visible_text, reasoning, finish_reason, usage, answered_by, error, seconds, started_at, "
    "ended_at) VALUES ({run}, {item}, 'p', '', {sample}, 'ok', 'Answer: A', '', '', '{{}}', '', "
    "'', 0, '', '')"
)
RATING = (
    "INSERT INTO ratings (assignment, person, answers, comment, seconds, salt, hash, created_at, "
    "updated_at) VALUES ({}, {}, '{{}}', '', 0, '', '', '', '')"
)
OPEN_ITEM = (
    "(SELECT id FROM assignments WHERE seat = {} AND id NOT IN (SELECT assignment FROM ratings))"
)
OTHER_CONDITION = (
    "(SELECT revisions.id FROM revisions JOIN items ON items.id = item WHERE scenario = 'S06' "
    "AND revisions.id NOT IN (SELECT revision FROM assignments WHERE seat = {seat}) LIMIT 1)"
)
WAVE_ITEM = (
    "INSERT INTO wave_items (wave, item, revision, scenario, condition, document, hash) "
    "VALUES ({}, {}, {}, 'S06', 'Active', '{{}}', 'x')"
)

SITTING = (
    "INSERT INTO sittings (seat, person, token, machine, process, started_at, seen_at) "
    "VALUES ({}, {}, 'new', '', '', '', '')"
)
NOTED = (
    "INSERT INTO ledger SELECT max(sequence) + 1, '{event}', '{payload}', '', "
    "(SELECT hash FROM ledger ORDER BY sequence DESC LIMIT 1), 'new' FROM ledger"
)
LAST = "(SELECT max(sequence) FROM ledger)"
BATCH = (
    "INSERT INTO batches (run, marker, requests, sealed, prepared_at, session, file, remote, "
    "adopted, status, done, failed, said) VALUES ({run}, 'm', 1, '', '', {session}, '', '', 0, '', "
    "0, 0, '')"
)

ATTACKS = {
    "a text more in an open round": (
        f"INSERT INTO round_texts (round, name, content) VALUES ({PEOPLE}, 'x.md', 'x')",
        "an open round keeps its texts",
    ),
    "a consent of somebody else": (
        "INSERT INTO consents (seat, person, text, at) "
        f"VALUES ({ONE}, {SITTER.format(TWO)}, '', '')",
        "only the person in the seat answers",
    ),
    "a training answer on a seat that nobody has": (
        "INSERT INTO training_answers (seat, person, turn, name, answer, correct, at) "
        f"VALUES ({THREE}, {SITTER.format(TWO)}, 1, 'x', 'x', 1, '')",
        "only the person in the seat answers",
    ),
    "a check answered by somebody else": (
        "INSERT INTO check_answers (seat, person, name, answer, correct, at) "
        f"VALUES ({ONE}, {SITTER.format(TWO)}, 'x', 'x', 1, '')",
        "only the person in the seat answers",
    ),
    "a report on an item of somebody else": (
        "INSERT INTO item_reports (assignment, person, text, at) VALUES "
        f"((SELECT id FROM assignments WHERE seat = {ONE}), {SITTER.format(TWO)}, 'x', '')",
        "only the person in the seat answers",
    ),
    "a failed check made right": (
        "UPDATE check_answers SET correct = 1 - correct",
        "what was said can only be erased",
    ),
    "a report erased before a withdrawal": (
        "UPDATE item_reports SET text = ''",
        "what was said can only be erased",
    ),
    "a training answer erased before a withdrawal": (
        "UPDATE training_answers SET answer = '', correct = 0",
        "what was said can only be erased",
    ),
    "a second sitting at a seat": (
        SITTING.format(ONE, SITTER.format(ONE)),
        "that row of sittings exists already",
    ),
    "a sitting of somebody else": (
        SITTING.format(THREE, SITTER.format(ONE)),
        "only the person in the seat sits down there",
    ),
    "a sitting moved to another seat": (
        f"UPDATE sittings SET seat = {THREE} WHERE ended_at IS NULL",
        "a sitting goes on or ends, once",
    ),
    "a sitting that goes on after its end": (
        "UPDATE sittings SET ended_at = NULL, ended = NULL WHERE ended_at IS NOT NULL",
        "a sitting goes on or ends, once",
    ),
    "a right attempt made wrong": (
        "UPDATE code_attempts SET right_at = NULL",
        "an attempt can only turn out right",
    ),
    "an occupancy ended without a reason": (
        "UPDATE occupancies SET until = 'now'",
        "an occupancy can only end, once",
    ),
    "a seat given to another person": (
        f"UPDATE occupancies SET person = {SITTER.format(TWO)} WHERE seat = {ONE}",
        "an occupancy can only end, once",
    ),
    "an occupancy that has ended already": (
        "INSERT INTO occupancies (seat, person, since, until, reason) "
        f"VALUES ({THREE}, {SITTER.format(ONE)}, '', 'now', 'replaced')",
        "an occupancy begins now|one seat",
    ),
    "a withdrawal without an entry": (
        f"UPDATE people SET withdrawn = 1 WHERE id = {SITTER.format(ONE)}",
        "a person withdraws once",
    ),
    "a person erased before a withdrawal": (
        f"UPDATE people SET erased = 1 WHERE id = {SITTER.format(ONE)}",
        "a person withdraws once",
    ),
    "a person who has withdrawn from the beginning": (
        "INSERT INTO people (pseudonym, kind, created_at, withdrawn) VALUES ('P', 'human', '', 1)",
        "a person is new",
    ),
    "a rating made void without an entry": (
        f"UPDATE ratings SET void = 1 WHERE person = {SITTER.format(ONE)}",
        "a rating changes only by its author",
    ),
    "an audit made void without an entry": (
        f"UPDATE pair_audits SET void = 1 WHERE person = {SITTER.format(AUDITOR)}",
        "an audit changes only by its author",
    ),
    "a rating erased before a withdrawal": (
        "UPDATE ratings SET answers = '{}', comment = '', seconds = 0, salt = '' "
        f"WHERE person = {SITTER.format(ONE)}",
        "a rating changes only by its author",
    ),
    "history erased before a withdrawal": (
        "UPDATE rating_history SET answers = '{}', comment = ''",
        "history can only be erased, after a withdrawal",
    ),
    "history of audits erased before a withdrawal": (
        "UPDATE pair_audit_history SET only_intended = NULL, note = '', differences = 0",
        "history can only be erased, after a withdrawal",
    ),
    "an audit without a verdict": (
        f"UPDATE pair_audits SET only_intended = NULL WHERE person = {SITTER.format(AUDITOR)}",
        "an audit changes only by its author",
    ),
    "what becomes of a replaced person's ratings, in a planned round": (
        "UPDATE rounds SET on_replace = 'void' WHERE name = 'next'",
        "a round keeps its plan",
    ),
    "ledger entry out of sequence": (
        "INSERT INTO ledger SELECT sequence + 2, 'x', '{}', '', hash, 'new' FROM ledger "
        "ORDER BY sequence DESC LIMIT 1",
        "the ledger takes only its next entry",
    ),
    "ledger entry without a number": (
        "INSERT INTO ledger (event, payload, at, previous, hash) SELECT 'x', '{}', '', hash, 'n' "
        "FROM ledger ORDER BY sequence DESC LIMIT 1",
        "the ledger takes only its next entry",
    ),
    "ledger entry with a wrong previous hash": (
        "INSERT INTO ledger SELECT max(sequence) + 1, 'x', '{}', '', 'wrong', 'new' FROM ledger",
        "the ledger takes only its next entry",
    ),
    "ledger entry before the first": (
        "INSERT INTO ledger VALUES (0, 'x', '{}', '', '', 'new')",
        "the ledger takes only its next entry",
    ),
    "an item more in a frozen wave": (
        WAVE_ITEM.format(1, NEW_ITEM, NEW_REVISION),
        "a frozen wave takes no further item",
    ),
    "an item in a wave that is not there": (
        WAVE_ITEM.format(2, NEW_ITEM, NEW_REVISION),
        "a frozen wave takes no further item|refers to nothing",
    ),
    "a generation for an item that is not frozen": (
        GENERATION.format(run=2, item=99999, sample=1),
        "needs a frozen item and an open run",
    ),
    "a generation in a closed run": (
        GENERATION.format(run=1, item=1, sample=99),
        "needs a frozen item and an open run",
    ),
    "a generation in a run that is not there": (
        GENERATION.format(run=99, item=1, sample=1),
        "needs a frozen item and an open run",
    ),
    "another answer in place of an answer": (
        "UPDATE generations SET visible_text = 'Answer: B' WHERE run = 1",
        "only an error may be tried again",
    ),
    "an answer made an error": (
        "UPDATE generations SET state = 'error' WHERE run = 1",
        "only an error may be tried again",
    ),
    "an error row moved to another item": (
        "UPDATE generations SET wave_item = 5 WHERE state = 'error'",
        "only an error may be tried again",
    ),
    "a generation in a run that was dropped": (
        GENERATION.format(run=3, item=1, sample=1),
        "the run was dropped",
    ),
    "a lease for a session that is over": (
        "INSERT INTO leases (run, wave_item, intervention, sample, session) "
        "VALUES (1, 1, '', 9, 1)",
        "a session of its run that goes on",
    ),
    "a session that ended goes on": (
        "UPDATE run_sessions SET ended_at = NULL, ended = NULL WHERE id = 1",
        "until it ends, once",
    ),
    "a closed run opened again": (
        "UPDATE runs SET closed_at = NULL, digest = NULL WHERE id = 1",
        "closes once",
    ),
    "a run closed without a digest": (
        "UPDATE runs SET closed_at = 'now' WHERE id = 2",
        "with its digest",
    ),
    "the configuration of an open run": (
        "UPDATE runs SET config = '{}' WHERE id = 2",
        "keeps its configuration",
    ),
    "a second condition of a scenario on a seat": (
        f"INSERT INTO assignments (seat, position, revision) VALUES ({NEXT_ONE}, 9, "
        f"{OTHER_CONDITION.format(seat=NEXT_ONE)})",
        "may not hold two conditions of one scenario",
    ),
    "a revision that does not exist yet on a seat": (
        f"INSERT INTO assignments (seat, position, revision) VALUES ({NEXT_ONE}, 9, 99999)",
        "refers to nothing",
    ),
    "an item more on the list of an open round": (
        f"INSERT INTO assignments (seat, position, revision) VALUES ({ONE}, 9, 1)",
        "an open round keeps its assignments",
    ),
    "a pair more on the list of an open round": (
        f"INSERT INTO pair_assignments (seat, position, scenario, left_revision, right_revision) "
        f"VALUES ({AUDITOR}, 9, 'S01', 1, 2)",
        "an open round keeps its assignments",
    ),
    "a seat more in an open round": (
        f"INSERT INTO seats (round, role, number, list) VALUES ({PEOPLE}, 'rater', 99, 0)",
        "an open round keeps its seats",
    ),
    "two conditions of a scenario for one person, by two seats": (
        f"INSERT INTO occupancies (seat, person, since) VALUES ({THREE}, {SITTER.format(ONE)}, '')",
        "a person holds one seat in a round",
    ),
    "an auditor's seat for a rater": (
        f"INSERT INTO occupancies (seat, person, since) VALUES "
        f"((SELECT id FROM seats WHERE round = {NEXT} AND role = 'auditor'), "
        f"{SITTER.format(ONE)}, ''), ({NEXT_ONE}, {SITTER.format(ONE)}, '')",
        "a person holds one seat in a round",
    ),
    "a second person on a seat": (
        f"INSERT INTO occupancies (seat, person, since) VALUES ({TWO}, {SITTER.format(ONE)}, '')",
        "exists already|one seat",
    ),
    "a simulated person among people": (
        f"INSERT INTO occupancies (seat, person, since) VALUES ({THREE}, "
        "(SELECT id FROM people WHERE kind = 'simulated' LIMIT 1), '')",
        "simulated people sit in rehearsal rounds only",
    ),
    "a person who does not exist yet among people": (
        f"INSERT INTO occupancies (seat, person, since) VALUES ({THREE}, 99999, '')",
        "simulated people|refers to nothing",
    ),
    "a person on a seat that does not exist yet": (
        f"INSERT INTO occupancies (seat, person, since) VALUES (99999, {SITTER.format(ONE)}, '')",
        "refers to nothing",
    ),
    "a simulated person made human": (
        "UPDATE people SET kind = 'human' WHERE kind = 'simulated'",
        "stays what they are",
    ),
    "a rating by someone who is not in the seat": (
        RATING.format(OPEN_ITEM.format(TWO), SITTER.format(AUDITOR)),
        "only the person in the seat",
    ),
    "a rating on a seat that nobody has": (
        RATING.format(OPEN_ITEM.format(THREE), SITTER.format(TWO)),
        "only the person in the seat",
    ),
    "a rating in a planned round": (
        RATING.format(OPEN_ITEM.format(NEXT_ONE), SITTER.format(ONE)),
        "only while the round is open",
    ),
    "a changed rating in a closed round": (
        "UPDATE ratings SET answers = '{}' WHERE id = 1",
        "while the round is open",
    ),
    "a rating given to somebody else": (
        f"UPDATE ratings SET person = {SITTER.format(TWO)} WHERE person = {SITTER.format(ONE)}",
        "only by its author",
    ),
    "a changed audit in a closed round": (
        "UPDATE pair_audits SET only_intended = 0 WHERE id = 1",
        "while the round is open",
    ),
    "a decision on a practice round": (
        f"INSERT INTO decisions (round, scenario, verdict, cue_eligible, findings, evidence, "
        f"created_at) VALUES ({TRIED}, 'S06', 'include', 1, '[]', '', '')",
        "a closed round that is not practice",
    ),
    "a decision on an open round": (
        f"INSERT INTO decisions (round, scenario, verdict, cue_eligible, findings, evidence, "
        f"created_at) VALUES ({PEOPLE}, 'S06', 'include', 1, '[]', '', '')",
        "a closed round that is not practice",
    ),
    "another design for a round": (
        "UPDATE rounds SET design = 'crossed' WHERE name = 'next'",
        "a round keeps its plan",
    ),
    "another rule for an open round": (
        "UPDATE rounds SET rule = '{}' WHERE name = 'people'",
        "a round keeps its plan",
    ),
    "a closed round opened again": (
        "UPDATE rounds SET closed_at = NULL WHERE name = 'tried'",
        "closes once",
    ),
    "a round closed before it opened": (
        "UPDATE rounds SET closed_at = 'now' WHERE name = 'next'",
        "opens once and closes once",
    ),
    "a packet of a planned round": (
        f"INSERT INTO packets (name, seat, sheet, entry, issued_at) "
        f"VALUES ('B', {NEXT_ONE}, '', 1, '')",
        "only while the round is open",
    ),
    "a packet for an auditor": (
        f"INSERT INTO packets (name, seat, sheet, entry, issued_at) "
        f"VALUES ('B', {AUDITOR}, '', 1, '')",
        "packets are for raters",
    ),
    "an item of another seat in a packet": (
        f"INSERT INTO packet_items (packet, place, assignment) "
        f"VALUES (1, 9, {OPEN_ITEM.format(TWO)})",
        "items of its own seat",
    ),
    "another's rating called a packet's": (
        "INSERT INTO packet_events (packet, seal, assignment, history, conflict, entry) "
        "SELECT 1, 'x', assignment, 1, 0, 1 FROM packet_items",
        "answers for items of its own",
    ),
    "a revoked code given back": (
        "UPDATE access_codes SET secret = x'00'",
        "an access code can only be revoked",
    ),
    "a batch that goes on after its end": (
        "UPDATE batches SET ended = NULL, ended_at = NULL, digest = NULL",
        "is accepted once and ends once",
    ),
    "a batch of a closed run": (
        BATCH.format(run=1, session="(SELECT max(id) FROM run_sessions WHERE run = 1)"),
        "a batch begins unsent",
    ),
    "a batch of a session that is over": (
        BATCH.format(run=4, session="(SELECT max(id) FROM run_sessions WHERE run = 4)"),
        "a batch begins unsent",
    ),
    "a request more in a batch that has ended": (
        "INSERT INTO batch_requests (batch, place, run, wave_item, prompt_hash, intervention, "
        "sample, body) SELECT batch, 7, run, wave_item, prompt_hash, intervention, 9, body "
        "FROM batch_requests LIMIT 1",
        "a key without an answer is asked by one open batch",
    ),
    "another outcome of a request": (
        "UPDATE batch_requests SET outcome = 'answered' WHERE outcome = 'missing'",
        "what became of a request is said once",
    ),
    "a line more in a batch that has ended": (
        "INSERT INTO batch_strays (batch, kind, line, body) SELECT batch, 'twice', 'x', body "
        "FROM batch_strays",
        "a line belongs to a batch that is open",
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_file_refuses(plain: sqlite3.Connection, attack: str) -> None:
    """Each rule of a study is kept by the file, against a connection with default settings."""
    before = dump(plain)
    sql, sentence = ATTACKS[attack]
    assert re.search(sentence, refused(plain, sql))
    assert dump(plain) == before


def test_nobody_rates_after_the_round_is_closed(plain: sqlite3.Connection) -> None:
    """The person in the seat can rate until the round is closed, and not a moment longer."""
    rating = RATING.format(OPEN_ITEM.format(TWO), SITTER.format(TWO))
    plain.execute(rating)
    plain.rollback()
    plain.execute("UPDATE rounds SET closed_at = 'now' WHERE name = 'people'")
    assert "only while the round is open" in refused(plain, rating)


def test_a_latin_square_holds_for_a_person_who_changes_seats(plain: sqlite3.Connection) -> None:
    """Even with a second seat forced open, nobody rates a second condition of a scenario."""
    plain.execute("DROP TRIGGER occupancies_one_seat")
    plain.execute(
        f"INSERT INTO occupancies (seat, person, since) VALUES ({THREE}, {SITTER.format(ONE)}, '')"
    )
    plain.commit()
    rating = RATING.format(OPEN_ITEM.format(THREE), SITTER.format(ONE))
    assert "two conditions of one scenario" in refused(plain, rating)


def test_what_may_change_still_can(plain: sqlite3.Connection) -> None:
    """The guards leave room for revoking, closing, a changed mind, and a repeated request."""
    for sql in (
        "UPDATE access_codes SET revoked_at = 'now'",
        "UPDATE rounds SET closed_at = 'now' WHERE name = 'people'",
        "UPDATE runs SET closed_at = 'now', digest = 'd' WHERE id = 2",
    ):
        assert plain.execute(sql).rowcount >= 1
        plain.rollback()
    sql = "UPDATE generations SET state = 'ok', visible_text = 'Answer: A' WHERE state = 'error'"
    assert plain.execute(sql).rowcount == 1
    plain.rollback()
    assert (
        plain.execute(
            f"UPDATE ratings SET answers = '{json.dumps({})}' WHERE person = {SITTER.format(ONE)}"
        ).rowcount
        == 1
    )


def test_the_ways_of_a_withdrawal_are_open(plain: sqlite3.Connection) -> None:
    """With its entries, and in this order: void, withdrawn, erased; and never back again."""
    person = plain.execute(f"SELECT {SITTER.format(ONE)}").fetchone()[0]
    name = plain.execute("SELECT pseudonym FROM people WHERE id = ?", (person,)).fetchone()[0]
    payload = json.dumps({"person": name})
    erase = "UPDATE ratings SET answers = '{}', comment = '', seconds = 0, salt = ''"
    mine = f"WHERE person = {person}"
    plain.execute(NOTED.format(event="person withdrawn", payload=payload))
    plain.execute(f"UPDATE people SET withdrawn = {LAST} WHERE id = {person}")
    plain.execute(f"UPDATE ratings SET void = {LAST} {mine}")
    plain.commit()
    assert "stays what" in refused(plain, f"UPDATE people SET withdrawn = NULL WHERE id = {person}")
    assert "only by its author" in refused(plain, f"UPDATE ratings SET void = NULL {mine}")
    assert "only by its author" in refused(plain, f"UPDATE ratings SET answers = '[]' {mine}")
    assert "only by its author" in refused(plain, f"{erase} {mine}")
    plain.execute(NOTED.format(event="person erased", payload=payload).replace("'new'", "'next'"))
    plain.execute(f"UPDATE people SET erased = {LAST} WHERE id = {person}")
    assert plain.execute(f"{erase} {mine}").rowcount == 1
    plain.commit()
    for column in ("hash", "updated_at", "created_at"):
        assert refused(plain, f"UPDATE ratings SET {column} = 'x' {mine}")


def test_void_by_replacement_needs_a_plan_that_says_so(plain: sqlite3.Connection) -> None:
    """Where the plan keeps what a replaced person gave, no entry makes it void."""
    person = plain.execute(f"SELECT {SITTER.format(ONE)}").fetchone()[0]
    name = plain.execute("SELECT pseudonym FROM people WHERE id = ?", (person,)).fetchone()[0]
    payload = json.dumps({"person": name, "on_replace": "keep"})
    plain.execute(NOTED.format(event="seat replaced", payload=payload))
    void = f"UPDATE ratings SET void = {LAST} WHERE person = {person}"
    assert "only by its author" in refused(plain, void)


def test_an_origin_is_noted_with_its_attempt(plain: sqlite3.Connection) -> None:
    """Nobody can blame an old attempt on a new address."""
    attempt = "INSERT INTO code_attempts (handle, at) VALUES ('x', '2026-11-30T12:00:00.000Z')"
    origin = "INSERT INTO code_attempt_origins (attempt, origin) VALUES ({}, 'elsewhere')"
    newest = "(SELECT max(id) FROM code_attempts)"
    plain.execute(attempt)
    plain.execute(attempt)
    assert "not later" in refused(plain, origin.format(f"{newest} - 1"))
    plain.execute(attempt)
    assert plain.execute(origin.format(newest)).rowcount == 1


def test_triggers_after_migration_are_exactly_these(plain: sqlite3.Connection) -> None:
    """A migration that loses a guard, as ``transform()`` does without a word, is noticed."""
    found = {row[0] for row in plain.execute("SELECT name FROM sqlite_master WHERE type='trigger'")}
    general = {f"{table}_{guard}" for table in KEYS for guard in ("kept", "no_replace")}
    general |= {f"{table}_unchanged" for table in KEYS if table not in CHANGEABLE}
    whole = {
        "items", "revisions", "seats", "occupancies", "access_codes", "assignments",
        "pair_assignments", "ratings", "rating_history", "pair_audits", "pair_audit_history",
        "decisions", "wave_items", "generations", "scores", "people", "sittings",
        "round_texts", "consents", "training_answers", "check_answers", "item_reports",
        "packets", "packet_items", "packet_events",
        "round_standings", "run_standings",
        "origins", "exclusions",
        "code_attempt_origins",
        "run_sessions", "leases", "run_drops",
        "wave_withdrawals",
        "judges", "judge_calls", "judgements", "gradings",
        "choice_calls", "choice_scores",
        "batches", "batch_requests", "batch_strays",
    }  # fmt: skip
    special = {
        "rounds_one_way", "access_codes_one_way", "seats_before_opening",
        "assignments_latin_square", "assignments_before_opening",
        "pair_assignments_before_opening", "occupancies_one_seat", "occupancies_simulated",
        "ratings_open_round", "ratings_latin_square", "ratings_changes",
        "pair_audits_open_round", "pair_audits_changes", "decisions_closed_round",
        "ledger_next", "wave_items_complete", "runs_one_way", "generations_frozen",
        "generations_retry", "occupancies_begin", "occupancies_end", "people_begin",
        "round_texts_before_opening", "consents_open_round", "training_answers_open_round",
        "check_answers_open_round", "item_reports_open_round", "training_answers_erased",
        "check_answers_erased", "item_reports_erased", "code_attempts_one_way",
        "sittings_begin", "sittings_one_way",
        "people_one_way", "rating_history_erased", "pair_audit_history_erased",
        "packets_open_round", "packet_items_own", "packet_events_own",
        "amendments_next", "round_standings_before_opening", "run_standings_before_asking",
        "rounds_standing", "generations_standing",
        "origins_ledgered", "exclusions_ledgered", "exclusions_not_frozen",
        "wave_items_not_excluded", "revisions_not_excluded",
        "code_attempt_origins_at_once",
        "run_sessions_end", "leases_begin", "leases_hold", "generations_session",
        "generations_session_kept", "generations_dropped", "generations_dropped_kept",
        "model_sets_next",
        "wave_withdrawals_ledgered", "generations_not_withdrawn", "generations_no_retry",
        "judge_calls_begin", "judge_calls_end", "judgements_next", "judgements_of_an_answer",
        "assignments_of_one_kind", "assignments_answer", "gradings_before_seats",
        "seats_of_graders", "decisions_on_ratings",
        "choice_calls_begin", "choice_calls_end", "choice_scores_next",
        "choice_scores_not_withdrawn",
        "batches_begin", "batches_one_way", "batches_held", "batch_requests_once",
        "batch_requests_known", "batch_strays_open",
    }  # fmt: skip
    assert found == general | special | {f"{table}_whole" for table in whole}
