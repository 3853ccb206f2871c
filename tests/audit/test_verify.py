"""Triggers can be dropped; what is edited then is found, and named."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from audit.inclusion import commit
from audit.verify import study_faults
from core.errors import CheckFailed
from core.evidence import Rating
from core.hashing import canonical, digest
from db.file import open_study
from db.ledger import _seal
from db.ratings import rating_hash

Edit = str | Callable[[sqlite3.Connection], object]

ITEM = "(SELECT item FROM wave_items WHERE scenario = 'S01' AND condition = 'Active')"
REHEARSAL = "(SELECT id FROM rounds WHERE name = 'rehearsal')"
RATED = (
    "(SELECT ratings.id FROM ratings JOIN assignments ON assignments.id = assignment "
    f"JOIN revisions ON revisions.id = revision WHERE item = {ITEM} LIMIT 1)"
)


def spoil(path: Path, *edits: Edit) -> None:
    """Drop every trigger and edit the file as nobody may."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        for edit in edits:
            done = connection.execute(edit) if isinstance(edit, str) else edit(connection)
            assert not isinstance(done, sqlite3.Cursor) or done.rowcount, f"nothing done: {edit}"
        connection.commit()


def faults(path: Path, head: str | None = None) -> list[str]:
    """Return what is found, apart from the guards that every edit had to remove."""
    with open_study(path) as study:
        return [f for f in study_faults(study, head) if not f.startswith("the guard ")]


def rewritten(field: str, change: Callable[[Any], Any], *, reseal: bool) -> Edit:
    """Change one field of a frozen document, with or without its own hash made to fit."""

    def edit(connection: sqlite3.Connection) -> None:
        found = connection.execute(
            "SELECT id, document FROM wave_items WHERE scenario = 'S01' AND condition = 'Active'"
        ).fetchone()
        document = json.loads(found[1])
        document[field] = change(document[field])
        text = canonical(document)
        connection.execute("UPDATE wave_items SET document = ? WHERE id = ?", (text, found[0]))
        if reseal:
            connection.execute(
                "UPDATE wave_items SET hash = ? WHERE id = ?", (digest(text), found[0])
            )

    return edit


def resealed_rating(connection: sqlite3.Connection) -> None:
    """Change a rating and give it the hash that the change would have."""
    columns = "id, salt, assignment, person, comment, seconds"
    (number, salt, assignment, person, comment, seconds) = connection.execute(
        f"SELECT {columns} FROM ratings WHERE id = {RATED}"
    ).fetchone()
    rating = Rating(assignment, {"choice": "neither"}, comment, seconds)
    connection.execute(
        "UPDATE ratings SET answers = ?, hash = ? WHERE id = ?",
        (canonical(rating.answers), rating_hash(salt, rating, person), number),
    )


def swap(table: str, column: str, one: int, two: int) -> Edit:
    """Exchange one column between two rows."""

    def edit(connection: sqlite3.Connection) -> None:
        first, second = (
            connection.execute(f"SELECT {column} FROM {table} WHERE rowid = {row}").fetchone()[0]
            for row in (one, two)
        )
        for row, value in ((one, -9), (two, first), (one, second)):
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = {row}", (value,))

    return edit


def reordered(connection: sqlite3.Connection) -> None:
    """Exchange two ledger entries."""
    for before, after in ((2, -9), (3, 2), (-9, 3)):
        connection.execute(f"UPDATE ledger SET sequence = {after} WHERE sequence = {before}")


def resealed_tail(connection: sqlite3.Connection) -> None:
    """Rewrite one ledger entry, and seal it and everything after it anew."""
    previous = ""
    for sequence, event, payload, at in connection.execute(
        "SELECT sequence, event, payload, at FROM ledger ORDER BY sequence"
    ).fetchall():
        value = json.loads(payload)
        if event == "decisions committed":
            value["counts"] = {"include": 6}
        sealed = _seal(sequence, event, value, at, previous)
        connection.execute(
            "UPDATE ledger SET payload = ?, previous = ?, hash = ? WHERE sequence = ?",
            (canonical(value), previous, sealed, sequence),
        )
        previous = sealed


REVISION = f"WHERE item = {ITEM}"
OF_WAVE = "WHERE scenario = 'S01' AND condition = 'Active'"
DECIDED = f"WHERE round = {REHEARSAL} AND scenario = 'S01'"
PLAN = "round rehearsal: its plan is not the one that was preregistered"
RATINGS = "round rehearsal: ratings or audits were added, removed or changed"
CLOSING = "run 1: its generations are not those of its closing"
STARTED = "run 1: its model or configuration is not what it was started with"

EDITS: dict[str, tuple[Edit, str]] = {
    # what is frozen, at its source
    "text": (f"UPDATE revisions SET text = text || '.' {REVISION}", "S01/Active: text is"),
    "label": (
        f"UPDATE revisions SET options = replace(options, 'Drive', 'Ride') {REVISION}",
        "S01/Active: options is",
    ),
    "option order": (
        "UPDATE revisions SET options = json_array(json_extract(options, '$[1]'), "
        f"json_extract(options, '$[0]')) {REVISION}",
        "S01/Active: options is",
    ),
    "gold": (f"UPDATE revisions SET gold = 'heuristic' {REVISION}", "S01/Active: gold is"),
    "parameters": (
        f"UPDATE revisions SET parameters = '{{\"target\":5}}' {REVISION}",
        "S01/Active: parameters is",
    ),
    "revision number": (f"UPDATE revisions SET number = 2 {REVISION}", "S01/Active: revision is"),
    "facts": ("UPDATE scenarios SET facts = '{}' WHERE id = 'S01'", "S01/Active: facts is"),
    "condition": (
        f"UPDATE items SET condition = 'Passive' WHERE id = {ITEM}",
        "S01/Active: condition is",
    ),
    "revision gone": (f"DELETE FROM revisions {REVISION}", "S01/Active: revision is absent"),
    # what is frozen, in the frozen document
    "document text": (
        rewritten("text", lambda t: f"{t}.", reseal=False),
        "S01/Active: document hash",
    ),
    "document text, rehashed": (
        rewritten("text", lambda t: f"{t}.", reseal=True),
        "S01/Active: text",
    ),
    "document gold, rehashed": (
        rewritten("gold", lambda _: "heuristic", reseal=True),
        "S01/Active: gold",
    ),
    "document order, rehashed": (
        rewritten("options", lambda o: o[::-1], reseal=True),
        "S01/Active: options",
    ),
    "document facts, rehashed": (
        rewritten("facts", lambda _: {}, reseal=True),
        "S01/Active: facts",
    ),
    "prompt": (rewritten("messages", lambda m: [*m, m[0]], reseal=False), "S01/Active: prompt"),
    "prompt, rehashed": (
        rewritten("messages", lambda m: [*m, m[0]], reseal=True),
        "S01/Active: prompt",
    ),
    "prompt hash": (rewritten("prompt_hash", lambda h: f"{h}0", reseal=True), "S01/Active: prompt"),
    "salt, rehashed": (rewritten("salt", lambda _: "other", reseal=True), "S01/Active: salt is"),
    "item's scenario": (
        f"UPDATE wave_items SET scenario = 'S02' {OF_WAVE}",
        "S02/Active: scenario",
    ),
    "item's condition": (
        f"UPDATE wave_items SET condition = 'Removed' {OF_WAVE}",
        "S01/Removed: condition",
    ),
    "item's item": (f"UPDATE wave_items SET item = 99999 {OF_WAVE}", "S01/Active: item is 99999"),
    "item's revision": (
        f"UPDATE wave_items SET revision = 99999 {OF_WAVE}",
        "S01/Active: revision is absent",
    ),
    "item removed": (f"DELETE FROM wave_items {OF_WAVE}", "S01/Active: row is absent"),
    "item added": (
        "INSERT INTO wave_items SELECT 999, 1, 9991, 9992, scenario, condition, document, "
        "hash FROM wave_items LIMIT 1",
        "S01/Active: another row is sha256",
    ),
    "items reordered": (swap("wave_items", "hash", 1, 2), "document hash"),
    "wave header": (
        "UPDATE waves SET header = json_set(header, '$.salt', 'x')",
        "wave 1, the wave: hash",
    ),
    "wave kind": ("UPDATE waves SET kind = 'rated'", "the wave: kind is 'rated', was 'simulated'"),
    "wave number": ("UPDATE waves SET number = 2", "the wave: number"),
    "wave hash": ("UPDATE waves SET hash = 'sha256:0'", "wave 1, the wave: "),
    "wave removed": ("DELETE FROM waves", "wave 1, the wave: row is absent"),
    # people's answers
    "answer": (
        f"UPDATE ratings SET answers = '{{}}' WHERE id = {RATED}",
        "the rating of S01/Active by P-.* was changed",
    ),
    "answer, rehashed": (resealed_rating, RATINGS),
    "comment": (f"UPDATE ratings SET comment = 'x' WHERE id = {RATED}", "the rating of S01/Active"),
    "time on the item": (
        f"UPDATE ratings SET seconds = 60 WHERE id = {RATED}",
        "the rating of S01/Active",
    ),
    "rater": (
        f"UPDATE ratings SET person = (SELECT max(id) FROM people) WHERE id = {RATED}",
        "the rating of S01/Active",
    ),
    "rating removed": (f"DELETE FROM ratings WHERE id = {RATED}", RATINGS),
    "verdict on a pair": (
        "UPDATE pair_audits SET only_intended = 1 - only_intended WHERE id = 1",
        "the audit of S0. by P-.* was changed",
    ),
    "note": ("UPDATE pair_audits SET note = 'x' WHERE id = 1", "the audit of S0. by"),
    "auditor": ("UPDATE pair_audits SET person = 1 WHERE id = 1", "the audit of S0. by"),
    "audit removed": ("DELETE FROM pair_audits WHERE id = 1", RATINGS),
    "open round's answer": (
        "UPDATE ratings SET answers = '{}' WHERE id = (SELECT max(id) FROM ratings)",
        "round people: the rating of S06",
    ),
    # decisions
    "decision": (
        f"UPDATE decisions SET verdict = 'exclude' {DECIDED}",
        "rehearsal: its decisions are not those",
    ),
    "eligibility": (
        f"UPDATE decisions SET cue_eligible = 0 {DECIDED}",
        "its decisions are not those",
    ),
    "findings": (f"UPDATE decisions SET findings = '[]' {DECIDED}", "its decisions are not those"),
    "evidence": (f"UPDATE decisions SET evidence = 'x' {DECIDED}", "its decisions are not those"),
    "decision removed": (f"DELETE FROM decisions {DECIDED}", "its decisions are not those"),
    "decision added": (
        "INSERT INTO decisions SELECT 999, (SELECT id FROM rounds WHERE name = 'tried'), "
        "scenario, verdict, cue_eligible, findings, evidence, created_at FROM decisions LIMIT "
        "1",
        "round tried: its decisions stand without an entry",
    ),
    # plans
    "kind of a round": (
        f"UPDATE rounds SET kind = 'main' WHERE id = {REHEARSAL}",
        "rehearsal: its kind is not the one",
    ),
    "rule": (
        f"UPDATE rounds SET rule = json_set(rule, '$.agree_at_least', 0) WHERE id = {REHEARSAL}",
        "its inclusion rule is not the one",
    ),
    "form": (
        f"UPDATE rounds SET form = json_set(form, '$.name', 'x') WHERE id = {REHEARSAL}",
        "its rating form is not the one",
    ),
    "pair": (f'UPDATE rounds SET pair = \'["Active","Explicit"]\' WHERE id = {REHEARSAL}', PLAN),
    "design": (f"UPDATE rounds SET design = 'crossed' WHERE id = {REHEARSAL}", PLAN),
    "ratings per item": (f"UPDATE rounds SET ratings = 9 WHERE id = {REHEARSAL}", PLAN),
    "seed": (f"UPDATE rounds SET seed = 9 WHERE id = {REHEARSAL}", PLAN),
    "list": (f"UPDATE seats SET list = 9 WHERE round = {REHEARSAL} AND number = 1", PLAN),
    "order of a list": (swap("assignments", "position", 1, 2), PLAN),
    "assignment removed": ("DELETE FROM assignments WHERE id = 1", PLAN),
    "sides of a pair": (
        "UPDATE pair_assignments SET left_revision = right_revision, right_revision = "
        "left_revision WHERE id = 1",
        PLAN,
    ),
    "seat added": (f"INSERT INTO seats VALUES (999, {REHEARSAL}, 'rater', 99, 0)", PLAN),
    "text that was rated, not frozen": (
        "UPDATE revisions SET text = 'x' WHERE item = (SELECT id FROM items WHERE scenario = "
        "'S06' AND condition = 'Active')",
        PLAN,
    ),
    "opening taken back": (
        "UPDATE rounds SET opened_at = NULL WHERE name = 'people'",
        "round people: its opening was taken back",
    ),
    "opened without an entry": (
        "UPDATE rounds SET opened_at = 'now' WHERE name = 'next'",
        "round next: it was opened without an entry",
    ),
    "closing taken back": (
        f"UPDATE rounds SET closed_at = NULL WHERE id = {REHEARSAL}",
        "rehearsal: its closing was taken back",
    ),
    "closed without an entry": (
        "UPDATE rounds SET closed_at = 'now' WHERE name = 'people'",
        "round people: it was closed without an entry",
    ),
    "round renamed": (
        "UPDATE rounds SET name = 'x' WHERE name = 'people'",
        "round people is in the ledger, but not in the study",
    ),
    "round removed": (
        "DELETE FROM rounds WHERE name = 'tried'",
        "round tried is in the ledger, but not in the study",
    ),
    # runs
    "reply": (
        "UPDATE generations SET visible_text = 'Answer: A' WHERE id = (SELECT min(id) FROM "
        "generations WHERE visible_text NOT LIKE 'Answer: A%')",
        CLOSING,
    ),
    "state of a reply": ("UPDATE generations SET state = 'empty' WHERE id = 1", CLOSING),
    "reply under another item": ("UPDATE generations SET wave_item = 20 WHERE id = 1", CLOSING),
    "reply removed": ("DELETE FROM generations WHERE id = 1", CLOSING),
    "reply added": (
        "INSERT INTO generations SELECT 999, run, wave_item, prompt_hash, intervention, 99, "
        "state, visible_text, reasoning, finish_reason, usage, answered_by, error, seconds, "
        "started_at, ended_at, body, session, attempts, tokens_in, tokens_out FROM generations "
        "WHERE id = 1",
        CLOSING,
    ),
    "raw body of a reply": (
        "UPDATE bodies SET reply = x'789c030000000001' WHERE id = 1",
        "run 1: its raw bodies are not those of its closing",
    ),
    "request of a reply": (
        "UPDATE bodies SET request = '{}' WHERE id = 1",
        "run 1: its raw bodies are not those of its closing",
    ),
    "tokens of a reply": (
        "UPDATE generations SET tokens_out = 1 WHERE id = 1",
        "run 1: its raw bodies are not those of its closing",
    ),
    "reason of a drop": (
        "UPDATE run_drops SET reason = 'too slow'",
        "run 3 is not dropped as the ledger says",
    ),
    "drop taken back": ("DELETE FROM run_drops", "run 3 is not dropped as the ledger says"),
    "drop without an entry": (
        "INSERT INTO run_drops VALUES (9, 2, 'too slow', '{}', 'now')",
        "run 2 is dropped without an entry",
    ),
    "digest of a run": ("UPDATE runs SET digest = 'x' WHERE id = 1", CLOSING),
    "fake called a model": ("UPDATE runs SET kind = 'chat' WHERE id = 1", STARTED),
    "name of a model": ("UPDATE runs SET model = 'better' WHERE id = 1", STARTED),
    "temperature": (
        "UPDATE runs SET config = json_set(config, '$.temperature', 0) WHERE id = 1",
        STARTED,
    ),
    "hash of a run": ("UPDATE runs SET hash = 'x' WHERE id = 1", STARTED),
    "run opened again": (
        "UPDATE runs SET closed_at = NULL WHERE id = 1",
        "run 1: its closing was taken back",
    ),
    "run closed without an entry": (
        "UPDATE runs SET closed_at = 'now', digest = 'x' WHERE id = 2",
        "run 2: it was closed without an entry",
    ),
    "run removed": (
        "DELETE FROM runs WHERE id = 1",
        "run 1 is in the ledger, but not in the study",
    ),
    # the study
    "study's salt": ("UPDATE study SET salt = 'x'", "the study's salt is not the one"),
    "study's suite": ("UPDATE study SET suite = 'wise'", "the study's suite is not the one"),
    # the ledger
    "payload": (
        "UPDATE ledger SET payload = json_set(payload, '$.kind', 'main') WHERE sequence = 2",
        r"entry 2 \(preregistration\) was changed",
    ),
    "payload respaced": (
        "UPDATE ledger SET payload = payload || ' ' WHERE sequence = 2",
        "entry 2 .* was changed",
    ),
    "payload with a key twice": (
        'UPDATE ledger SET payload = \'{"kind":"main",\' || substr(payload, 2) WHERE sequence = 2',
        "entry 2 .* was changed",
    ),
    "payload that is no JSON": (
        "UPDATE ledger SET payload = 'x' WHERE sequence = 2",
        "entry 2 .* was changed",
    ),
    "payload out of range": (
        "UPDATE ledger SET payload = '{\"x\":1e999}' WHERE sequence = 2",
        "entry 2 .* was changed",
    ),
    "event": ("UPDATE ledger SET event = 'x' WHERE sequence = 2", r"entry 2 \(x\) was changed"),
    "time": ("UPDATE ledger SET at = 'x' WHERE sequence = 2", "entry 2 .* was changed"),
    "entry's hash": ("UPDATE ledger SET hash = 'x' WHERE sequence = 2", "entry 3 does not follow"),
    "entry's link": (
        "UPDATE ledger SET previous = 'x' WHERE sequence = 2",
        "entry 2 does not follow",
    ),
    "entry removed": (
        "DELETE FROM ledger WHERE sequence = 3",
        "entry 3 is missing; entry 4 stands in its place",
    ),
    "first entry removed": ("DELETE FROM ledger WHERE sequence = 1", "entry 1 is missing"),
    "entries reordered": (reordered, "entry 2 .* was changed"),
    "all entries removed": ("DELETE FROM ledger", "the ledger is empty"),
    "tail cut with what it recorded": (
        "DELETE FROM ledger WHERE sequence > 1",
        "round rehearsal: it was opened without an entry",
    ),
}


def test_an_honest_study_has_no_fault(study_path: Path) -> None:
    """Nothing is reported of a study that was only used."""
    with open_study(study_path) as study:
        assert study_faults(study, study.ledger.head()) == ()
        assert study_faults(study, study.ledger.entries()[2].hash) == ()


@pytest.mark.parametrize("edit", EDITS)
def test_every_edit_is_found_and_named(study_path: Path, edit: str) -> None:
    """An edit made with the triggers dropped is reported, with what was edited."""
    change, sentence = EDITS[edit]
    spoil(study_path, change)
    found = faults(study_path)
    assert any(re.search(sentence, fault) for fault in found), found
    assert all("\n" not in fault for fault in found)


def test_removed_guards_are_named(study_path: Path) -> None:
    """A file that no longer protects itself is no sound file, even before anything was edited."""
    with closing(sqlite3.connect(study_path)) as connection:
        connection.execute("DROP TRIGGER ledger_next")
        connection.execute("DROP TRIGGER ratings_changes")
        connection.execute(
            "CREATE TRIGGER ratings_changes BEFORE UPDATE ON ratings BEGIN SELECT 1; END"
        )
    with open_study(study_path) as study:
        assert set(study_faults(study)) == {
            "the guard ledger_next was removed or changed",
            "the guard ratings_changes was removed or changed",
        }


def test_a_rating_added_after_closing_is_found(study_path: Path) -> None:
    """One rating more than there was when the round closed changes the digest of its evidence."""

    def move(connection: sqlite3.Connection) -> None:
        target = connection.execute(
            "SELECT assignments.id FROM assignments JOIN seats ON seats.id = seat "
            "JOIN rounds ON rounds.id = round WHERE rounds.name = 'tried'"
        ).fetchone()[0]
        connection.execute(
            "INSERT INTO ratings SELECT 9999, ?, person, answers, comment, seconds, salt, hash, "
            "created_at, updated_at, NULL FROM ratings WHERE id = 1",
            (target,),
        )

    spoil(study_path, move)
    assert "round tried: ratings or audits were added, removed or changed after it was closed" in (
        faults(study_path)
    )


@pytest.mark.parametrize("cut", [1, 2, 5])
def test_a_published_head_finds_a_cut_tail(study_path: Path, cut: int) -> None:
    """Given the head that was published, a ledger whose tail was cut is found out."""
    with open_study(study_path) as study:
        head = study.ledger.head()
        last = len(study.ledger.entries())
    spoil(study_path, f"DELETE FROM ledger WHERE sequence > {last - cut}")
    found = faults(study_path, head)
    assert f"the published head {head} is not in the ledger: its tail was cut" in found


def test_a_published_head_finds_a_ledger_that_was_sealed_anew(study_path: Path) -> None:
    """Who rewrites an entry and every hash after it cannot keep the head that was published."""
    with open_study(study_path) as study:
        head = study.ledger.head()
    spoil(study_path, resealed_tail)
    with open_study(study_path) as study:
        assert study.ledger.faults() == ()
    assert any("published head" in fault for fault in faults(study_path, head))


@pytest.mark.parametrize("payload", ["{}", "[]", "null", '"x"', "7", "x"])
def test_no_payload_can_stop_the_check(study_path: Path, payload: str) -> None:
    """Whatever an entry was overwritten with, the check goes on and names the entry."""
    with open_study(study_path) as study:
        count = len(study.ledger.entries())
    quoted = payload.replace("'", "''")
    spoil(study_path, f"UPDATE ledger SET payload = '{quoted}'")
    found = faults(study_path)
    for sequence in range(1, count + 1):
        assert any(fault.startswith(f"entry {sequence} (") for fault in found)


@pytest.mark.parametrize("payload", ["{}", "[]", "null", '"x"', "7"])
def test_no_resealed_payload_can_stop_the_check(study_path: Path, payload: str) -> None:
    """Even entries with fitting hashes and senseless contents are reported, not stumbled over."""

    def emptied(connection: sqlite3.Connection) -> None:
        previous = ""
        for sequence, event, at in connection.execute(
            "SELECT sequence, event, at FROM ledger ORDER BY sequence"
        ).fetchall():
            sealed = _seal(sequence, event, json.loads(payload), at, previous)
            connection.execute(
                "UPDATE ledger SET payload = ?, previous = ?, hash = ? WHERE sequence = ?",
                (payload, previous, sealed, sequence),
            )
            previous = sealed

    spoil(study_path, emptied)
    assert any("opened without an entry" in fault for fault in faults(study_path))


@pytest.mark.parametrize("document", ["x", "{}", "[]", "null"])
def test_no_document_can_stop_the_check(study_path: Path, document: str) -> None:
    """A frozen document that is no longer one is named, by scenario and condition."""
    spoil(study_path, f"UPDATE wave_items SET document = '{document}' {OF_WAVE}")
    assert any("S01/Active: document hash" in fault for fault in faults(study_path))


def test_nothing_is_run_or_decided_on_a_spoiled_study(study_path: Path, workshop: Any) -> None:
    """A model is asked nothing, and nothing is decided or frozen, on what was tampered with."""
    with open_study(study_path) as study:
        workshop.rate(study, study.rounds.open(study.rounds.named("next").id))
    spoil(
        study_path,
        f"UPDATE revisions SET text = 'x' {REVISION}",
        "UPDATE rounds SET rule = json_set(rule, '$.agree_at_least', 0) WHERE name = 'next'",
    )
    with open_study(study_path) as study:
        with pytest.raises(CheckFailed, match=r"S01/Active: text .*no model was asked"):
            workshop.run(study, "another")
        with pytest.raises(CheckFailed, match="its inclusion rule is not the one"):
            commit(study, study.rounds.named("next"))


def test_digests_do_not_need_the_texts(study_path: Path) -> None:
    """Decisions rest on salted hashes alone: an answer can be erased, and the chain holds."""
    with open_study(study_path) as study:
        rehearsal = study.rounds.named("rehearsal")
        before = study.decisions.evidence_digest(rehearsal.id)
    spoil(study_path, f"UPDATE ratings SET answers = '{{}}', comment = '' WHERE id = {RATED}")
    with open_study(study_path) as study:
        assert study.decisions.evidence_digest(rehearsal.id) == before
