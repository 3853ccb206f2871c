"""The study file itself keeps grades and ratings apart, also one from before there were any."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from db.connection import guard_faults
from db.file import StudyFile, open_study
from db.guards import guards
from db.migrations import migrations
from tests.annotate.graded import graded_round, with_responses

STEP = "0015_gradings"
BEFORE = """
CREATE TABLE assignments (
    id       INTEGER PRIMARY KEY CHECK (id > 0),
    seat     INTEGER NOT NULL REFERENCES seats (id),
    position INTEGER NOT NULL CHECK (position >= 1),
    revision INTEGER NOT NULL REFERENCES revisions (id),
    UNIQUE (seat, position),
    UNIQUE (seat, revision)
) STRICT"""


@pytest.fixture
def graded(tmp_path: Path) -> Iterator[StudyFile]:
    with with_responses(tmp_path / "study.db") as study:
        yield study


def dump(path: Path) -> list[tuple[object, ...]]:
    """Return all that refers to assignments, and these."""
    with closing(sqlite3.connect(path)) as file:
        tables = ("ratings", "rating_history", "item_reports", "packet_items", "packet_events")
        rows = [row for name in tables for row in file.execute(f"SELECT * FROM {name} ORDER BY 1")]
        return [*rows, *file.execute("SELECT id, seat, position, revision FROM assignments")]


def triggers(path: Path) -> dict[str, str]:
    with closing(sqlite3.connect(path)) as file:
        return dict(file.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))


def make_older(path: Path) -> None:
    """Take a study back to the step before: assignments without a place for a response."""
    with closing(sqlite3.connect(path)) as file:
        file.execute("DELETE FROM assignments WHERE 0")
        names = file.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN "
            "('assignments', 'gradings')"
        ).fetchall()
        late = ("seats_of_graders", "decisions_on_ratings")
        for name in [*(name for (name,) in names), *late]:
            file.execute(f"DROP TRIGGER {name}")
        file.execute(
            "CREATE TABLE saved AS SELECT id, seat, position, revision FROM assignments "
            "WHERE response IS NULL"
        )
        file.execute("DROP TABLE assignments")
        file.execute("DROP TABLE gradings")
        file.execute(BEFORE)
        file.execute("INSERT INTO assignments SELECT * FROM saved")
        file.execute("DROP TABLE saved")
        file.execute("DELETE FROM _sqlite_migrations WHERE name = ?", [STEP])
        file.commit()
    db = Database(str(path), execute_plugins=False)
    for statement in guards("pair_assignments", db.table("pair_assignments").foreign_keys)[:1]:
        old = statement.replace("pair_assignments", "assignments")
        db.execute(old)
    db.conn.commit()
    db.close()


def test_an_older_file_with_answers_is_brought_up_to_date(study_path: Path) -> None:
    """Every row keeps its number, what refers to it finds it, and no trigger is lost or added."""
    fresh, rows = triggers(study_path), dump(study_path)
    make_older(study_path)
    kept = dump(study_path)
    assert len(kept) < len(rows)  # the responses of the grading round are gone
    assert set(kept) < set(rows)
    with open_study(study_path) as study:
        assert study.reference_faults() == ()
        assert guard_faults(study._db) == ()
    assert (dump(study_path), triggers(study_path)) == (kept, fresh)


def losing(db: Database) -> None:
    """Make the table anew as the step does, and lose its rows."""
    with db.atomic():
        db.execute("PRAGMA defer_foreign_keys = ON")
        db.execute("DROP TABLE assignments")
        db.execute(BEFORE)


def test_a_reference_to_nothing_stops_the_step(study_path: Path) -> None:
    """Were an assignment lost on the way, nothing would be changed at all."""
    make_older(study_path)
    db = Database(str(study_path), execute_plugins=False)
    db.execute("PRAGMA foreign_keys = ON")
    before = sorted(db.table_names())
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        losing(db)
    assert sorted(db.table_names()) == before
    assert [step.name for step in migrations.pending(db)] == [STEP]
    db.close()


def attempt(path: Path, sql: str) -> str:
    with closing(sqlite3.connect(path)) as file, pytest.raises(sqlite3.IntegrityError) as refused:
        file.execute(sql)
    return str(refused.value)


def test_a_round_shows_items_or_responses(graded: StudyFile) -> None:
    """A response in another round, an item in a grading round, a response to another text: no."""
    made = graded_round(graded, opened=False, name="grades")
    seat = graded.rounds.seats(made.round.id)[0].id
    responses = (
        "SELECT generations.id, revision FROM generations "
        "JOIN wave_items ON wave_items.id = wave_item"
    )
    with closing(sqlite3.connect(graded.path)) as file:
        drawn = {each.response for each in made.sample.drawn}
        free, own = next(row for row in file.execute(responses) if row[0] not in drawn)
        (other,) = file.execute("SELECT id FROM revisions WHERE id <> ?", [own]).fetchone()
    add = "INSERT INTO assignments (seat, position, revision, response) VALUES ({}, 99, {}, {})"
    assert "a grading round shows responses" in attempt(graded.path, add.format(seat, own, "NULL"))
    assert "with the frozen text that it answers" in attempt(
        graded.path, add.format(seat, other, free)
    )
    with closing(sqlite3.connect(graded.path)) as file:
        file.execute(
            "INSERT INTO rounds (name, kind, source, design, ratings, seed, form, rule, pair, "
            "on_replace, idle_limit, created_at) SELECT 'plain', kind, source, design, ratings, "
            "seed, form, rule, pair, on_replace, idle_limit, created_at FROM rounds"
        )
        file.execute(
            "INSERT INTO seats (round, role, number, list) "
            "SELECT id, 'rater', 1, 0 FROM rounds WHERE name = 'plain'"
        )
        (plain,) = file.execute("SELECT max(id) FROM seats").fetchone()
        file.commit()
    assert "a grading round shows responses" in attempt(graded.path, add.format(plain, own, free))
    assert "has no auditors" in attempt(
        graded.path,
        f"INSERT INTO seats (round, role, number, list) VALUES ({made.round.id}, 'auditor', 1, 0)",
    )
    assert "a grading round from the beginning" in attempt(
        graded.path,
        "INSERT INTO gradings SELECT (SELECT id FROM rounds WHERE name = 'plain'), document, 'x', "
        "1, '' FROM gradings",
    )


def test_grades_decide_nothing(graded: StudyFile) -> None:
    made = graded_round(graded, kind="pilot", name="grades")
    graded.rounds.close(made.round.id)
    assert "decide nothing about items" in attempt(
        graded.path,
        "INSERT INTO decisions (round, scenario, verdict, cue_eligible, findings, evidence, "
        f"created_at) SELECT {made.round.id}, id, 'include', 1, '[]', '', '' FROM scenarios",
    )


def test_one_response_once_on_a_list(graded: StudyFile) -> None:
    made = graded_round(graded, opened=False, name="grades")
    again = (
        "INSERT INTO assignments (seat, position, revision, response) "
        "SELECT seat, 99, revision, response FROM assignments LIMIT 1"
    )
    assert made.round.grading
    assert "exists already" in attempt(graded.path, again)
