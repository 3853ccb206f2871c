"""A matrix of edits from the schema itself: every one is found and named, or allowed by name."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from audit.verify import study_faults
from db.file import open_study
from db.guards import KEYS
from tests.audit.sealed import sealed
from tests.audit.tampering import all_cases, naming, said_of, unguarded
from tests.audit.tampering_page import section
from tests.audit.tampering_terms import ALLOWED

TABLES = tuple(KEYS)
PAGE = Path(__file__).parents[2] / "docs" / "tampering.md"


@pytest.fixture(scope="module")
def study(whole_study: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study in which everything has come to its end: closed, withdrawn, erased, replaced."""
    return sealed(whole_study, tmp_path_factory.mktemp("sealed") / "study.db")


@pytest.fixture(scope="module")
def bare(study: Path) -> Path:
    """The same without a single trigger."""
    return unguarded(study, study.with_name("bare.db"))


def test_the_study_itself_has_no_fault(study: Path) -> None:
    """Nothing is reported of what was only used; otherwise the matrix would show nothing."""
    with open_study(study) as file:
        assert study_faults(file, file.ledger.head()) == ()


@pytest.mark.parametrize("table", TABLES)
def test_every_edit_is_found_and_named(
    bare: Path, study: Path, tmp_path: Path, table: str, record_property: Any
) -> None:
    """Each column changed, a row less, a row more: verification says what was touched."""
    with open_study(study) as file:
        head = file.ledger.head()
    cases = all_cases(study)[table]
    found, missed = {}, {}
    for case in cases:
        said = said_of(case, bare, tmp_path / "study.db", head)
        if fault := naming(case, said):
            found[case.what] = fault
        else:
            missed[case.what] = (case.named, said[:5])
    record_property("tampered", (len(found), len(cases)))
    assert not missed
    assert cases or (table, "*") in ALLOWED
    assert_on_page(table, section(table, found))


def assert_on_page(table: str, text: str) -> None:
    """Compare a section of the page with what was found; ``UPDATE_GOLDEN=1`` writes it."""
    page = PAGE.read_text("utf-8")
    begin, end = f"### `{table}`\n", f"<!-- end of {table} -->"
    if os.environ.get("UPDATE_GOLDEN"):
        before, _, rest = page.partition(begin)
        after = rest.partition(end)[2] if rest else "\n"
        page = f"{before.rstrip()}\n\n{text}{after}"
        PAGE.write_text(page, "utf-8")
    assert text in page, f"docs/tampering.md differs for {table}; look, then UPDATE_GOLDEN=1"


def test_at_least_a_hundred_edits_are_made(study: Path) -> None:
    """The matrix has not shrunk, and no reason stands for a column that is not there."""
    cases = all_cases(study)
    assert sum(len(found) for found in cases.values()) >= 250
    with closing(sqlite3.connect(study)) as plain:
        columns = {
            (table, column[1]) for table in KEYS for column in plain.execute(
                f"PRAGMA table_info({table})")
        }  # fmt: skip
    assert {key for key in ALLOWED if key[1] not in ("*", "row added")} <= columns
    assert {table for table, _ in ALLOWED} <= set(KEYS)
    assert set(re.findall(r"^### `(\w+)`$", PAGE.read_text("utf-8"), re.M)) == set(KEYS)
