"""Drafted texts and exclusions are held against the ledger, both ways."""

from __future__ import annotations

from pathlib import Path

import pytest

from db.file import open_study
from tests.audit.test_verify import Edit, faults, spoil

IMPORTED = "SELECT revision FROM origins ORDER BY revision LIMIT 1"
ADDED = (
    "INSERT INTO revisions (item, number, text, options, gold, parameters, created_at) "
    "SELECT item, 9, 'slipped in', options, gold, parameters, '' FROM revisions LIMIT 1"
)
ENTRY = "(SELECT entry FROM exclusions)"
EDITS: dict[str, tuple[tuple[Edit, ...], str]] = {
    "a drafted text": (
        ("UPDATE revisions SET text = 'x' WHERE id = (SELECT max(id) - 4 FROM revisions)",),
        "the drafted texts are not those that the study was created with",
    ),
    "facts of a draft": (
        ("UPDATE scenarios SET facts = '{}' WHERE id = 'S06'",),
        "the drafted texts are not those that the study was created with",
    ),
    "a text slipped in": ((ADDED,), "the drafted texts are not those that the study was created"),
    "an imported text": (
        (f"UPDATE revisions SET text = 'x' WHERE id = ({IMPORTED})",),
        "the texts that entry {imported} brought are not what it says",
    ),
    "gold of an import": (
        (f"UPDATE revisions SET gold = 'x' WHERE id = ({IMPORTED})",),
        "the texts that entry {imported} brought are not what it says",
    ),
    "an import gone": (
        (
            "DELETE FROM revisions WHERE id IN (SELECT revision FROM origins)",
            "DELETE FROM origins",
        ),
        "the texts that entry {imported} brought are not what it says",
    ),
    "an origin taken away": (
        (f"DELETE FROM origins WHERE revision = ({IMPORTED})",),
        "the texts that entry {imported} brought are not what it says",
    ),
    "an origin made up": (
        ("INSERT INTO origins (revision, entry) SELECT 1, 1",),
        "texts came in by entry 1, which does not say so",
    ),
    "an exclusion taken back": (("DELETE FROM exclusions",), "the exclusion of S07 was taken back"),
    "another reason": (
        ("UPDATE exclusions SET reason = 'x'",),
        "the exclusion of S07 is not what entry {excluded} says",
    ),
    "another time": (
        ("UPDATE exclusions SET at = 'x'",),
        "the exclusion of S07 is not what entry {excluded} says",
    ),
    "another number": (
        ("UPDATE exclusions SET id = 5",),
        "the exclusion of S07 is not what entry {excluded} says",
    ),
    "when it was written": (
        ("UPDATE revisions SET created_at = 'x' WHERE id = 1",),
        "the drafted texts are not those that the study was created with",
    ),
    "another kind": (
        ("UPDATE exclusions SET kind = 'x'",),
        "the exclusion of S07 is not what entry {excluded} says",
    ),
    "an exclusion made up": (
        ("INSERT INTO exclusions SELECT 9, 'S06', kind, reason, 1, at FROM exclusions",),
        "S06 is excluded without an entry",
    ),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_found_and_named(study_path: Path, edit: str) -> None:
    """Every edit of what was drafted, brought in or given up."""
    with open_study(study_path) as study:
        by_event = {entry.event: entry.sequence for entry in study.ledger.entries()}
    assert faults(study_path) == []
    edits, told = EDITS[edit]
    spoil(study_path, *edits)
    wanted = told.format(
        imported=by_event["items imported"], excluded=by_event["scenario excluded"]
    )
    found = faults(study_path)
    assert any(wanted in fault for fault in found), found


def test_a_study_from_before_texts_were_digested_is_counted(study_path: Path) -> None:
    """Its creation says how many texts there were, which is all that can be held against it."""
    from audit.verify_drafts import draft_faults  # noqa: PLC0415
    from db.drafts import _digest  # noqa: PLC0415

    assert _digest([]) != ""
    with open_study(study_path) as study:
        entries = list(study.ledger.entries())
        first = entries[0]
        old = type(first)(
            first.sequence,
            first.event,
            {key: value for key, value in first.payload.items() if key != "texts"},
            first.at,
            first.previous,
            first.hash,
        )
        assert list(draft_faults(study, [old, *entries[1:]])) == []
        fewer = type(first)(
            first.sequence, first.event, {**old.payload, "items": 1}, first.at, "", first.hash
        )
        assert len(list(draft_faults(study, [fewer, *entries[1:]]))) == 1
