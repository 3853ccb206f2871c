"""The plan and the ledger are held against each other both ways: every edit is named."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from audit.standing import open_round
from audit.verify import study_faults
from core.hashing import canonical, digest_of
from db.file import open_study

Edit = str | Callable[[sqlite3.Connection], object]


def spoil(path: Path, *edits: Edit) -> None:
    """Drop every trigger and edit the file as nobody may."""
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("PRAGMA ignore_check_constraints = ON")
        made = plain.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in made:
            plain.execute(f"DROP TRIGGER {name}")
        for edit in edits:
            done = plain.execute(edit) if isinstance(edit, str) else edit(plain)
            assert not isinstance(done, sqlite3.Cursor) or done.rowcount, f"nothing done: {edit}"
        plain.commit()


def faults(path: Path) -> list[str]:
    with open_study(path) as study:
        return [fault for fault in study_faults(study) if not fault.startswith("the guard ")]


def resealed(table: str) -> Edit:
    """Change a document and give it the hash that the change has."""

    def edit(plain: sqlite3.Connection) -> None:
        (text,) = plain.execute(f"SELECT document FROM {table}").fetchone()
        document = {**json.loads(text), "title": "A better title"}
        values = (canonical(document), digest_of(document))
        plain.execute(f"UPDATE {table} SET document = ?, hash = ?", values)

    return edit


FROZEN = "the preregistration"
EDITS: dict[str, tuple[Edit, str]] = {
    "document": (
        "UPDATE preregistrations SET document = json_set(document, '$.title', 'x')",
        f"{FROZEN} is not the document that was hashed",
    ),
    "document, hashed anew": (resealed("preregistrations"), f"{FROZEN} is not what its entry "),
    "amendment": (
        "UPDATE amendments SET document = json_set(document, '$.analysis.seed', 9)",
        "amendment 1 is not the document that was hashed",
    ),
    "amendment, hashed anew": (resealed("amendments"), "amendment 1 is not what its entry "),
    "changes": ("UPDATE amendments SET changes = '[]'", "amendment 1 names other changes than"),
    "reason": ("UPDATE amendments SET reason = 'x'", "amendment 1 is not what its entry"),
    "what is said": ("UPDATE amendments SET seen_outputs = 1", "amendment 1 is not what its"),
    "what was known": (
        "UPDATE amendments SET known = json_set(known, '$.ratings', 0)",
        "amendment 1 is not what its entry",
    ),
    "what was known at the freeze": (
        "UPDATE preregistrations SET known = json_set(known, '$.generations', 0)",
        f"{FROZEN} is not what its entry",
    ),
    "an amendment that is gone": (
        "DELETE FROM amendments",
        "(preregistration amended) has no preregistration in the study",
    ),
    "a plan that is gone": (
        "DELETE FROM preregistrations",
        "(preregistration frozen) has no preregistration in the study",
    ),
    "an entry that is gone": (
        "DELETE FROM ledger WHERE event = 'preregistration amended'",
        "amendment 1 stands without an entry",
    ),
    "another before": (
        "UPDATE amendments SET document = json_set(document, '$.amends', 'sha256:x')",
        "amendment 1 does not follow the version before it",
    ),
    "no plan at all": (
        "UPDATE preregistrations SET document = '[]'",
        "the preregistration was tampered with and cannot be read",
    ),
    "a round made exploratory": (
        "UPDATE round_standings SET preregistration = NULL WHERE preregistration IS NOT NULL",
        "round next: its plan is none (exploratory), its entry says sha256:",
    ),
    "a round made preregistered": (
        "UPDATE round_standings SET preregistration = (SELECT hash FROM preregistrations) "
        "WHERE round = (SELECT id FROM rounds WHERE name = 'people')",
        "round people: its plan is sha256:",
    ),
    "a standing that is gone": (
        "DELETE FROM round_standings WHERE preregistration IS NOT NULL",
        "round next: its plan is none (exploratory)",
    ),
    "a run made preregistered": (
        "UPDATE run_standings SET preregistration = 'sha256:x' WHERE run = 1",
        "run 1: its plan is sha256:x, its entry says none (exploratory)",
    ),
}


@pytest.fixture
def begun(study_path: Path) -> Path:
    """The whole study, with the registered round opened on its plan."""
    with open_study(study_path) as study:
        open_round(study, study.rounds.named("next"))
        assert study_faults(study) == ()
    return study_path


@pytest.mark.parametrize("edit", EDITS)
def test_every_edit_is_found_and_named(begun: Path, edit: str) -> None:
    """An edit made with the triggers dropped is reported, with what was edited."""
    change, sentence = EDITS[edit]
    spoil(begun, change)
    found = faults(begun)
    assert any(sentence in fault for fault in found), found
    assert all("\n" not in fault for fault in found)


def test_a_plan_that_came_later_is_no_plan(study_path: Path, workshop: Any) -> None:
    """A round cannot stand on a version that entered the ledger after the round had opened."""
    with open_study(study_path) as study:
        hashed = study.registrations.versions()[-1].hash
    opening = (
        "UPDATE ledger SET payload = json_set(payload, '$.preregistration', '{0}', "
        "'$.exploratory', json('false')) "
        "WHERE event = 'preregistration' AND json_extract(payload, '$.round') = 'people'"
    )

    def sealed(plain: sqlite3.Connection) -> None:
        from db.ledger import _seal  # noqa: PLC0415

        plain.execute(opening.format(hashed))
        previous = ""
        for number, event, payload, at in plain.execute(
            "SELECT sequence, event, payload, at FROM ledger ORDER BY sequence"
        ).fetchall():
            value = json.loads(payload)
            new = _seal(number, event, value, at, previous)
            row = (canonical(value), previous, new, number)
            plain.execute(
                "UPDATE ledger SET payload = ?, previous = ?, hash = ? WHERE sequence = ?", row
            )
            previous = new

    standing = (
        f"UPDATE round_standings SET preregistration = '{hashed}' "
        "WHERE round = (SELECT id FROM rounds WHERE name = 'people')"
    )
    spoil(study_path, standing, sealed)
    assert faults(study_path) == [
        "round people: the plan that it stands on was not in the ledger before it"
    ]
