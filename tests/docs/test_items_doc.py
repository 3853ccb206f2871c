"""The examples of docs/items.md are read as they stand, and its numbers are those of the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from audit.construction import PREFIX, construction_tables
from audit.draft_files import open_drafts
from audit.drafting import checked
from audit.revising import all_faults
from db.file import create_study
from suites.core100.construction import (
    CLAUSE_WORDS_APART,
    NEAR_DUPLICATE_AT,
    SIMILARITY_AT_LEAST,
    WORDS_AT_MOST,
)
from suites.core100.suite import SUITE
from suites.draft_row import LONGEST, LONGEST_NAME

TEXT = (Path(__file__).parents[2] / "docs" / "items.md").read_text("utf-8")
EXAMPLES = dict(re.findall(r"```(yaml|jsonl|json|csv)\n(.*?)```", TEXT, re.DOTALL))


@pytest.mark.parametrize("form", ["yaml", "json", "jsonl", "csv"])
def test_each_example_is_one_sound_scenario(tmp_path: Path, form: str) -> None:
    """It is imported without a fault, and keeps every construction rule."""
    path = tmp_path / f"example.{form}"
    path.write_text(EXAMPLES[form], "utf-8")
    with create_study(tmp_path / "s.db", title="t", suite="core100", scenarios=()) as study:
        intake = checked(study, SUITE, open_drafts(path))
    assert intake.faults == ()
    assert len(intake.new) == 1
    assert all_faults(SUITE, intake.new) == ()


def test_the_numbers_are_those_of_the_code() -> None:
    """Limits that the page names are the limits that are applied."""
    assert f"at most {WORDS_AT_MOST} words apart" in TEXT
    assert f"similarity at least {SIMILARITY_AT_LEAST:.2f}" in TEXT
    assert f"at most {CLAUSE_WORDS_APART} word apart" in TEXT
    assert f"{NEAR_DUPLICATE_AT:.2f} similar or more" in TEXT
    assert f"at most {LONGEST:,} characters" in TEXT
    assert f"at most {LONGEST_NAME} characters" in TEXT


def test_every_table_is_named(workshop: Any, tmp_path: Path) -> None:
    """The page lists the tables of the report, all of them and no other."""
    study = workshop.create(tmp_path / "s.db", 1)
    names = {table.name for table in construction_tables(study, replicates=200, seed=1)}
    assert set(re.findall(rf"\| `({PREFIX}[a-z-]+)` \|", TEXT)) == names
