"""One preregistration, then amendments: whole, once, in order, and nothing between."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from core.errors import CheckFailed, Refused
from core.hashing import digest_of
from core.registration import Change, Known
from db.connection import create
from db.file import StudyFile, open_study
from db.guards import guards
from db.ledger import Ledger
from db.migrations import migrations

PLAN = {"format": "f", "amends": None, "title": "A plan"}
SAID: dict[str, Any] = {"reason": "because", "seen_ratings": False, "seen_outputs": False}
BEGUN = "SELECT count(*) FROM round_standings WHERE preregistration IS NULL"


@pytest.fixture
def study(workshop: Any, tmp_path: Path) -> StudyFile:
    found: StudyFile = workshop.create(tmp_path / "study.db", 2)
    return found


def amended(before: str, title: str) -> dict[str, Any]:
    return {**PLAN, "amends": before, "title": title}


def test_a_study_is_preregistered_once(study: StudyFile) -> None:
    """The hash is that of the document, stands in the ledger, and is not given twice."""
    assert study.registrations.current() is None
    frozen = study.registrations.freeze(PLAN)
    assert frozen.hash == digest_of(PLAN)
    assert study.registrations.current() == frozen
    entry = study.ledger.entries()[-1]
    assert (entry.event, entry.payload["preregistration"]) == (
        "preregistration frozen",
        frozen.hash,
    )
    assert entry.payload["known"] == {"ratings": 0, "audits": 0, "decisions": 0, "generations": 0}
    with pytest.raises(Refused, match=r"preregistered already; .* prereg amend"):
        study.registrations.freeze({**PLAN, "title": "Another"})
    assert study.registrations.versions() == (frozen,)


def test_amendments_follow_one_another(study: StudyFile) -> None:
    """Each names the version before it; going back to an earlier text is a new version too."""
    first = study.registrations.freeze(PLAN)
    change = (Change("title", '"A plan"', '"B"'),)
    second = study.registrations.amend(amended(first.hash, "B"), change, **SAID)
    back = study.registrations.amend(amended(second.hash, "A plan"), (), **SAID)
    assert study.registrations.versions() == (first, second, back)
    assert [version.number for version in study.registrations.versions()] == [0, 1, 2]
    assert len({first.hash, second.hash, back.hash}) == 3
    entry = study.ledger.entries()[-2]
    assert entry.payload["changes"] == [{"field": "title", "before": '"A plan"', "after": '"B"'}]
    for overtaken in (first.hash, second.hash, None):
        with pytest.raises(Refused, match="follows the plan that is in force"):
            study.registrations.amend({**PLAN, "amends": overtaken}, (), **SAID)
    assert len(study.registrations.versions()) == 3


def test_what_the_study_held_is_counted(study: StudyFile, workshop: Any) -> None:
    """Answers of rounds with people and outputs count; rehearsals and practice do not."""
    workshop.rate(study, workshop.opened(study, "practice", kind="practice"))
    workshop.decided(study, "rehearsal", kind="rehearsal")
    assert study.registrations.known() == Known(0, 0, 0, 0)
    workshop.rate(study, workshop.opened(study, "pilot", kind="pilot"))
    workshop.decided(study, "main")
    assert study.registrations.known() == Known(16, 4, 2, 0)


@pytest.mark.parametrize("step", ["freeze", "amend"])
def test_it_is_before_or_after_and_never_between(
    study: StudyFile, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """When the ledger cannot be written, the plan is not there either."""
    if step == "amend":
        study.registrations.freeze(PLAN)
    before = (study.registrations.versions(), study.ledger.entries())

    def full(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Ledger, "append", full)
    steps: dict[str, Callable[[], object]] = {
        "freeze": lambda: study.registrations.freeze(PLAN),
        "amend": lambda: study.registrations.amend(amended(digest_of(PLAN), "B"), (), **SAID),
    }
    with pytest.raises(OSError, match="disk full"):
        steps[step]()
    assert (study.registrations.versions(), study.ledger.entries()) == before


def test_the_file_wants_to_know_what_a_round_stands_on(study: StudyFile, workshop: Any) -> None:
    """Another program cannot open a round, or let a run ask, that stands on nothing."""
    planned = workshop.plan(study)
    workshop.decided(study, "rehearsal", kind="rehearsal")
    with closing(sqlite3.connect(study.path)) as plain:
        with pytest.raises(sqlite3.IntegrityError, match="says whether it is preregistered"):
            plain.execute("UPDATE rounds SET opened_at = 'now' WHERE id = ?", (planned.id,))
        with pytest.raises(sqlite3.IntegrityError, match="stands on a plan before it opens"):
            plain.execute("INSERT INTO round_standings VALUES (?, 'sha256:x', 't')", (planned.id,))
        frozen = plain.execute("SELECT id FROM rounds WHERE name = 'rehearsal'").fetchone()[0]
        with pytest.raises(sqlite3.IntegrityError, match=r"exists already|before it opens"):
            plain.execute("INSERT INTO round_standings VALUES (?, NULL, 't')", (frozen,))


def test_a_round_says_what_it_stands_on(study: StudyFile, workshop: Any) -> None:
    """File and ledger say the same, and nothing is preregistered that does not say so."""
    plan = study.registrations.freeze(PLAN)
    one, other = workshop.plan(study, "one"), workshop.plan(study, "other")
    study.rounds.open(one.id, plan.hash)
    study.rounds.open(other.id)
    assert study.registrations.of_round(one.id) == plan.hash
    assert study.registrations.of_round(other.id) is None
    said = [e.payload for e in study.ledger.entries() if e.event == "preregistration"]
    assert [(p["preregistration"], p["exploratory"]) for p in said] == [
        (plan.hash, False),
        (None, True),
    ]


def test_a_run_keeps_what_it_was_started_on(study: StudyFile) -> None:
    """A run that was exploratory is not called preregistered by being started again."""
    plan = study.registrations.freeze(PLAN)
    run = study.runs.start("m", "chat", {"a": 1})
    assert study.runs.start("m", "chat", {"a": 1}, plan.hash).id == run.id
    assert study.registrations.of_run(run.id) is None
    registered = study.runs.start("m", "chat", {"a": 2}, plan.hash)
    assert study.registrations.of_run(registered.id) == plan.hash
    assert study.runs.find("m", "chat", {"a": 2})
    assert study.runs.find("m", "chat", {"a": 3}) is None
    with pytest.raises(Refused, match="stands on a plan before it asks"):
        study.runs.start("m", "chat", {"a": 3}, "sha256:nothing")


def test_a_plan_that_was_changed_is_not_used(study: StudyFile) -> None:
    """Nothing is held against a document that is not the one that was hashed."""
    study.registrations.freeze(PLAN)
    with closing(sqlite3.connect(study.path)) as plain:
        plain.execute("DROP TRIGGER preregistrations_unchanged")
        changed = json.dumps({**PLAN, "title": "Another"})
        plain.execute("UPDATE preregistrations SET document = ?", (changed,))
        plain.commit()
    with pytest.raises(CheckFailed, match="not what was hashed; see wavelock ledger verify"):
        study.registrations.current()
    with closing(sqlite3.connect(study.path)) as plain:
        plain.execute("UPDATE preregistrations SET known = '[]'")
        plain.commit()
    with pytest.raises(CheckFailed, match="was tampered with and cannot be read"):
        study.registrations.versions()


def test_what_was_begun_before_is_exploratory(tmp_path: Path, workshop: Any) -> None:
    """A study from before there were preregistrations opens, and claims none."""
    path = tmp_path / "old.db"
    study = workshop.create(path, 2)
    workshop.rate(study, workshop.opened(study, "old"))
    workshop.plan(study, "next")
    study.close()
    with closing(sqlite3.connect(path)) as plain:
        made = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%standing%'"
        for (name,) in plain.execute(made).fetchall():
            plain.execute(f"DROP TRIGGER {name}")
        for table in ("preregistrations", "amendments", "round_standings", "run_standings"):
            plain.execute(f"DROP TABLE {table}")
        plain.execute("DELETE FROM _sqlite_migrations WHERE name = '0006_preregistration'")
        plain.commit()
    with open_study(path) as again:
        assert again.guard_faults() == ()
        assert again.registrations.of_round(again.rounds.named("old").id) is None
        again.rounds.open(again.rounds.named("next").id)
    with closing(sqlite3.connect(path)) as plain:
        assert plain.execute(BEGUN).fetchone() == (2,)


def test_the_new_tables_are_guarded(tmp_path: Path) -> None:
    """The migration leaves a guard of every kind on each of its tables."""
    db: Database = create(tmp_path / "empty.db")
    assert not migrations.pending(db)
    there = {trigger.name for trigger in db.triggers}
    for table in ("preregistrations", "amendments", "round_standings", "run_standings"):
        made = guards(table, db.table(table).foreign_keys)
        assert {statement.split()[2] for statement in made} <= there
    db.close()
