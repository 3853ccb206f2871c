"""A matrix of edits from the schema itself: every one is found and named, or allowed by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from audit.verify import study_faults
from db.file import open_study
from db.guards import KEYS
from tests.audit.sealed import sealed
from tests.audit.tampering import ALLOWED, all_cases, naming, said_of, unguarded

TABLES = tuple(KEYS)


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
    missed = {}
    for case in cases:
        said = said_of(case, bare, tmp_path / "study.db", head)
        if naming(case, said) is None:
            missed[case.what] = (case.named, said[:5])
    record_property("tampered", (len(cases) - len(missed), len(cases)))
    assert not missed
    assert cases or (table, "*") in ALLOWED
