"""Every audit of every auditor, in an order and in bytes that repeat."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from core.errors import InputError
from core.study import Round
from db.file import StudyFile
from exports.audits import audits_data
from exports.data import encoded
from tests.audit.auditors import audit_all


@pytest.fixture
def audited(workshop: Any, tmp_path: Path) -> tuple[StudyFile, Round]:
    study = workshop.create(tmp_path / "study.db", 5)
    campaign = workshop.opened(study, auditors=2)
    audit_all(study, campaign)
    return study, campaign


def test_every_audit_stands_beside_what_was_shown(audited: tuple[StudyFile, Round]) -> None:
    """Nine audits by two auditors, with both texts as they stood left and right."""
    study, campaign = audited
    rows = audits_data(study, [campaign]).rows
    assert len(rows) == 9
    assert len({row["auditor"] for row in rows}) == 2
    texts = {(r.scenario, r.condition): r.text for r in study.items.latest()}
    for row in rows:
        assert {row["left"], row["right"]} == {"Active", "Removed"}
        for side in ("left", "right"):
            assert row[f"{side}_text"] == texts[str(row["scenario"]), str(row[side])]
    assert [row["scenario"] for row in rows] == sorted(str(row["scenario"]) for row in rows)


def test_events_are_every_version_and_the_last_is_the_audit(
    audited: tuple[StudyFile, Round],
) -> None:
    """A change of mind is a row; looking at the differences holds from then on."""
    study, campaign = audited
    events = audits_data(study, [campaign], events=True).rows
    last = [row for row in events if row["last"]]
    audits = audits_data(study, [campaign]).rows
    assert len(events) > len(last) == len(audits)
    for event, audit in zip(last, audits, strict=True):
        assert {k: event[k] for k in audit} == dict(audit)
    for before, after in pairwise(events):
        if after["event"] != 1:
            assert after["event"] == int(str(before["event"])) + 1
            assert after["differences"] or not before["differences"]


def test_the_same_study_gives_the_same_bytes(audited: tuple[StudyFile, Round]) -> None:
    """In every format, and whatever pseudonyms were drawn decide nothing about the order."""
    study, campaign = audited
    for form in ("csv", "jsonl", "parquet"):
        once, again = (encoded(audits_data(study, [campaign]), form) for _ in range(2))  # type: ignore[arg-type]
        assert once == again


def test_what_is_void_is_not_exported(audited: tuple[StudyFile, Round]) -> None:
    """Whoever withdrew is gone, with every version."""
    study, campaign = audited
    person = str(audits_data(study, [campaign]).rows[0]["auditor"])
    study.withdrawals.withdraw(person)
    for events in (False, True):
        rows = audits_data(study, [campaign], events=events).rows
        assert rows
        assert person not in {row["auditor"] for row in rows}


def test_nothing_to_export_is_an_error(workshop: Any, tmp_path: Path) -> None:
    """It names the rounds that hold nothing."""
    study = workshop.create(tmp_path / "s.db", 1)
    with pytest.raises(InputError, match="there is no audit yet in main"):
        audits_data(study, [workshop.opened(study)])
    with pytest.raises(InputError, match="any round that counts"):
        audits_data(study, [])
