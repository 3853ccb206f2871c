"""Pair audits for other programs: all auditors, by pseudonym, beside what stood on which side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import InputError
from core.evidence import GivenAudit, Side
from core.hashing import canonical
from core.study import Round
from db.file import StudyFile
from exports.data import Data, Kind, Value

ROUND: dict[str, Kind] = {"round": "text", "round_kind": "text", "source": "text"}
PAIR: dict[str, Kind] = {
    "scenario": "text",
    "left": "text", "left_revision": "whole", "left_text": "text",
    "right": "text", "right_revision": "whole", "right_text": "text",
}  # fmt: skip
AUDITOR: dict[str, Kind] = {"auditor": "text", "auditor_kind": "text", "position": "whole"}
EVENT: dict[str, Kind] = {"event": "whole", "last": "truth"}
VERDICT: dict[str, Kind] = {
    "only_intended": "truth", "note": "text", "differences": "truth", "time": "text",
}  # fmt: skip

Row = dict[str, Value]


def audits_data(study: StudyFile, rounds: Sequence[Round], *, events: bool = False) -> Data:
    """Return every audit of the rounds, or every event of every audit.

    Parameters
    ----------
    rounds
        In the order in which they stand; within one, audits stand by scenario, and those of a
        scenario by time and content, never by who gave them.
    events
        One row per version of an audit, numbered from 1; the last one is the audit.

    Raises
    ------
    InputError
        When there is nothing to export.
    """
    drafted = {revision.scenario: place for place, revision in enumerate(study.items.all())}
    rows: list[Row] = []
    for campaign in rounds:
        found = _events(study, campaign) if events else _audits(study, campaign)
        found.sort(key=lambda versions: _place(versions[-1], drafted))
        rows += [row for versions in found for row in versions]
    if not rows:
        names = ", ".join(campaign.name for campaign in rounds) or "any round that counts"
        raise InputError(f"nothing to export: there is no audit yet in {names}")
    columns = {**ROUND, **PAIR, **AUDITOR, **(EVENT if events else {}), **VERDICT}
    return Data(columns, tuple(rows))


def _audits(study: StudyFile, campaign: Round) -> list[list[Row]]:
    return [[_row(audit, campaign)] for audit in study.audits.of_round(campaign.id)]


def _events(study: StudyFile, campaign: Round) -> list[list[Row]]:
    found: list[list[Row]] = []
    for event in study.audits.events_of_round(campaign.id):
        if event.number == 1:
            found.append([])
        row = _row(event.audit, campaign) | {"event": event.number, "last": event.last}
        found[-1].append(row)
    return found


def _row(audit: GivenAudit, campaign: Round) -> Row:
    return {
        "round": campaign.name,
        "round_kind": campaign.kind,
        "source": campaign.source,
        "scenario": audit.scenario,
        **_side("left", audit.left),
        **_side("right", audit.right),
        "auditor": audit.person,
        "auditor_kind": audit.person_kind,
        "position": audit.position,
        "only_intended": audit.only_intended,
        "note": audit.note,
        "differences": audit.differences,
        "time": audit.updated_at,
    }


def _side(name: str, side: Side) -> Row:
    return {name: side.condition, f"{name}_revision": side.revision, f"{name}_text": side.text}


def _place(row: Row, drafted: Mapping[Any, int]) -> tuple[Any, ...]:
    """Return what rows are ordered by: pair, time and content; the pseudonym only breaks ties."""
    content = canonical({k: value for k, value in row.items() if k not in ("auditor", *ROUND)})
    return drafted[row["scenario"]], row["time"], content, row["auditor"]
