"""The whole history of one scenario: its texts, who rated them, and what was decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from audit.candidates import candidates, read_history
from core.errors import NotFound
from core.study import LedgerEntry, Revision
from core.tables import Cell, Column, Table
from core.words import counted
from db.drafts import IMPORTED
from db.file import StudyFile

Row = Mapping[str, Cell]


def history_tables(
    study: StudyFile, scenario: str, condition: str | None = None
) -> tuple[Table, ...]:
    """Return the revisions of a scenario's items, and the decisions on it.

    Raises
    ------
    NotFound
        When there is no such scenario or condition.
    """
    revisions = [r for r in study.items.all() if r.scenario == scenario]
    if not revisions:
        raise NotFound(f"there is no scenario {scenario}")
    if condition and condition not in {r.condition for r in revisions}:
        known = ", ".join(dict.fromkeys(r.condition for r in revisions))
        raise NotFound(f"{scenario} has no condition {condition}; it has {known}")
    mine = [r for r in revisions if condition in (None, r.condition)]
    return (_revisions(study, scenario, mine), _decisions(study, scenario))


def _revisions(study: StudyFile, scenario: str, revisions: Sequence[Revision]) -> Table:
    entries = {entry.sequence: entry for entry in study.ledger.entries()}
    origins, rated = study.drafts.origins(), _rated(study, scenario)
    frozen = {item.revision: item for item in study.waves.items()}
    numbers = {wave.id: wave.number for wave in study.waves.all()}
    rows: list[Row] = [
        {
            "condition": revision.condition,
            "revision": revision.number,
            "at": revision.created_at,
            "by": _came(entries.get(origins.get(revision.id, 0))),
            "rated": "; ".join(
                f"{name}: {counted(count, 'rating')}"
                for name, count in rated.get((revision.condition, revision.number), {}).items()
            )
            or None,
            "wave": numbers[frozen[revision.id].wave] if revision.id in frozen else None,
            "hash": revision.hash,
        }
        for revision in revisions
    ]
    return Table(
        name="revisions",
        title=f"{scenario}: {_fate(study, scenario)}",
        columns=(
            Column("condition", "Condition"),
            Column("revision", "revision", "count"),
            Column("at", "Written"),
            Column("by", "Came by"),
            Column("rated", "Rated in"),
            Column("wave", "wave", "count"),
            Column("hash", "Hash of text, options, gold and parameters"),
        ),
        rows=tuple(rows),
    )


def _came(entry: LedgerEntry | None) -> str:
    if entry is None:
        return "drafted with the study"
    what = entry.payload
    if entry.event == IMPORTED:
        return f"imported from {what.get('file')} ({what.get('digest')}), entry {entry.sequence}"
    return f"rewritten, entry {entry.sequence}: {what.get('reason')}"


def _rated(study: StudyFile, scenario: str) -> dict[tuple[str, int], Counter[str]]:
    """Return how many ratings each revision was given, by round; practice counts as well."""
    found: dict[tuple[str, int], Counter[str]] = {}
    for campaign in study.rounds.all():
        for rating in study.ratings.of_round(campaign.id):
            if rating.scenario == scenario:
                key = (rating.condition, rating.revision)
                found.setdefault(key, Counter())[f"{campaign.name} ({campaign.kind})"] += 1
    return found


def _fate(study: StudyFile, scenario: str) -> str:
    history = read_history(study)
    found = next(c for c in candidates(study, history) if c.scenario == scenario)
    rewriting = history.rewriting(scenario)
    told: list[str] = [found.fate, found.kind, found.reason]
    if rewriting.permitted is not None:
        told.append(f"{rewriting.used} of {counted(rewriting.permitted, 'rewrite')} used")
    return ", ".join(filter(None, told))


def _decisions(study: StudyFile, scenario: str) -> Table:
    rows: list[Row] = [
        {
            "round": campaign.name,
            "kind": campaign.kind,
            "verdict": decision.verdict,
            "cue": "eligible" if decision.cue_eligible else "no",
            "reasons": "; ".join(decision.reasons) or "every threshold met",
        }
        for campaign in study.rounds.all()
        for decision in study.decisions.of_round(campaign.id)
        if decision.scenario == scenario
    ]
    return Table(
        name="decisions",
        title=f"{counted(len(rows), 'decision')} on {scenario}",
        columns=(
            Column("round", "Round"),
            Column("kind", "Kind"),
            Column("verdict", "Verdict"),
            Column("cue", "cue contrasts"),
            Column("reasons", "Why"),
        ),
        rows=tuple(rows),
        empty="no round has decided on it",
    )
