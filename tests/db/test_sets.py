"""Sets of models are declared with a reason, never edited, and ledgered."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from audit.verify import study_faults
from core.errors import InputError
from db.file import open_study


def test_the_newest_declaration_stands_and_the_older_one_stays(study_path: Path) -> None:
    """Declaring a name again adds a version; both are in the study and in the ledger."""
    with open_study(study_path) as study:
        study.sets.declare("shared", ["b", "a"], "both have every panel")
        again = study.sets.declare("shared", ["a"], "b lost its endpoint")
        assert again.version == 2
        shared = [each for each in study.sets.every() if each.name == "shared"]
        assert [each.models for each in shared] == [("b", "a"), ("a",)]
        assert {each.name: each.version for each in study.sets.all()} == {"primary": 1, "shared": 2}
        events = [e.payload for e in study.ledger.entries() if e.event == "set declared"]
        assert [(e["set"], e["version"]) for e in events][-2:] == [("shared", 1), ("shared", 2)]
        assert study_faults(study) == ()


@pytest.mark.parametrize(
    ("name", "models", "reason"),
    [(" ", ["a"], "r"), ("s", [], "r"), ("s", ["a", " "], "r"), ("s", ["a"], " "),
     ("s", ["a", "a"], "r")],
)  # fmt: skip
def test_a_set_without_name_model_or_reason_is_refused(
    study_path: Path, name: str, models: list[str], reason: str
) -> None:
    """Nothing is stored, and nothing enters the ledger."""
    with open_study(study_path) as study:
        before = study.ledger.head()
        with pytest.raises(InputError):
            study.sets.declare(name, models, reason)
        assert study.ledger.head() == before
        assert [each.name for each in study.sets.all()] == ["primary"]


EDITS = {
    "changed": "UPDATE model_sets SET models = '[\"other\"]'",
    "gone": "DELETE FROM model_sets",
    "slipped in": "INSERT INTO model_sets (name, version, models, reason, created_at) "
    "VALUES ('primary', 2, '[\"other\"]', 'none', 'now')",
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_verification_finds_a_set_that_was_edited_behind_the_guards(
    study_path: Path, edit: str
) -> None:
    """With the triggers dropped a set can be edited; the ledger still knows what was declared."""
    with closing(sqlite3.connect(study_path)) as connection:
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'model_sets'"
        ).fetchall()
        for (name,) in names:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(edit)
        connection.commit()
    with open_study(study_path) as study:
        assert any("set primary" in fault for fault in study_faults(study))


def test_versions_have_no_gaps(study_path: Path) -> None:
    """Any program may only add the next version of a name."""
    with closing(sqlite3.connect(study_path)) as connection:
        for version in (0, 1, 3):
            with pytest.raises(sqlite3.IntegrityError):
                connection.execute(
                    "INSERT INTO model_sets (name, version, models, reason, created_at) "
                    "VALUES ('primary', ?, '[\"m\"]', 'r', 'now')",
                    [version],
                )
