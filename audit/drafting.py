"""Scenarios from a file into the study: all of them or none, nothing twice, nothing overwritten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.draft_files import DraftFile
from core.items import ItemText, Scenario
from core.rows import RowFault
from core.study import LedgerEntry, Revision
from db.file import StudyFile, with_shown_order
from suites.base import Suite
from suites.draft_row import DraftRow
from suites.drafts import Draft, read_drafts

Known = dict[tuple[str, str], list[Revision]]


@dataclass(frozen=True, slots=True)
class Intake:
    """What a file would bring.

    Attributes
    ----------
    new
        Scenarios that the study does not have, options in the shown order; a condition that stands
        more than once has as many revisions.
    known
        Scenarios that the study has, word for word.
    faults
        Everything that is wrong, by line.
    spoiled
        The scenarios that a fault is of, whole: a matched set is taken or left.
    whole
        Whether every fault is of some scenario, so that the others can be taken without it.
    """

    new: tuple[Scenario, ...]
    known: tuple[str, ...]
    faults: tuple[RowFault, ...]
    spoiled: tuple[str, ...]
    whole: bool


def checked(study: StudyFile, suite: Suite, file: DraftFile) -> Intake:
    """Hold a file against the suite and against the study; nothing is stored."""
    found = read_drafts(file.content, suite, typed=file.typed)
    have: Known = {}
    for revision in study.items.all():
        have.setdefault((revision.scenario, revision.condition), []).append(revision)
    facts, salt = study.items.facts(), study.info.salt
    new: list[Scenario] = []
    known: list[str] = []
    spoiled, faults = list(found.spoiled), list(found.faults)
    for draft in found.drafts:
        if draft.id not in facts:
            new.append(with_shown_order(_whole(draft), salt))
            continue
        others = list(_differences(draft, have, facts[draft.id], salt))
        faults += others
        (spoiled if others else known).append(draft.id)
    faults.sort(key=lambda fault: fault.line)
    return Intake(tuple(new), tuple(known), tuple(faults), tuple(spoiled), found.whole)


def store(study: StudyFile, file: DraftFile, intake: Intake) -> LedgerEntry | None:
    """Store what is new, in one transaction; ``None`` when nothing is."""
    if not intake.new:
        return None
    return study.drafts.take_in(intake.new, file.name, file.digest)


def _whole(draft: Draft) -> Scenario:
    """Return the scenario with every text of every item, oldest first."""
    texts = [row.item for rows in draft.rows.values() for row in rows]
    return Scenario(draft.id, draft.facts, tuple(texts))


def _differences(draft: Draft, have: Known, facts: dict[str, str], salt: str) -> Iterator[RowFault]:
    """Name every row of a known scenario that says something else than the study."""
    for condition, rows in draft.rows.items():
        stored = have.get((draft.id, condition), [])
        for row in rows:
            stands = _stands(row, stored, single=len(rows) == 1)
            drafted = with_shown_order(Scenario(draft.id, {}, (row.item,)), salt).items[0]
            if stands is None or differences(drafted, stands):
                what = _told(draft.id, row, drafted, stands)
                yield RowFault(row.line, "scenario", what, row.unit)
    if dict(draft.facts) != facts:
        row = next(iter(draft.rows.values()))[0]
        what = f"{draft.id} is in the study with other facts; facts are not revised"
        yield RowFault(draft.line, "scenario", what, row.unit)


def _stands(row: DraftRow, stored: Sequence[Revision], *, single: bool) -> Revision | None:
    """Return what a row is held against: the revision it names, or else the newest."""
    if single and row.number == 1:
        return stored[-1] if stored else None
    return next((revision for revision in stored if revision.number == row.number), None)


def differences(drafted: ItemText, stands: Revision) -> tuple[str, ...]:
    """Name the fields in which a drafted text, options in the shown order, is not a revision."""
    pairs = {
        "text": (drafted.text, stands.text),
        "options": (drafted.options, stands.options),
        "gold": (drafted.gold, stands.gold),
        "parameters": (dict(drafted.parameters), dict(stands.parameters)),
    }
    return tuple(name for name, (ours, theirs) in pairs.items() if ours != theirs)


def _told(scenario: str, row: DraftRow, drafted: ItemText, stands: Revision | None) -> str:
    condition = row.item.condition
    if stands is None:
        return (
            f"{scenario}/{condition} has no revision {row.number} in the study; new texts of a "
            f"known scenario come in with: wavelock items revise {scenario}"
        )
    other = " and ".join(differences(drafted, stands))
    return (
        f"{scenario}/{condition} is in the study with another {other}; "
        f"give it a new revision with: wavelock items revise {scenario}"
    )
