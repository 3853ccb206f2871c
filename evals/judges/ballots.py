"""What every judge of a panel said about every reply, beside what the parser read.

A ballot has one vote per judge; see :mod:`db.panels` for what a vote is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.items import LETTERS
from core.judging import Judgement, Scope
from core.runs import Generation
from core.study import WaveItem
from db.file import StudyFile
from db.panels import Panel, evidence_caveats, first_said, verdict_of, vote_of
from evals.scoring import nothing_to_read
from evals.verifiers.forced_choice import NONCONFORMING, ForcedChoice

CORRECT, INCORRECT = "correct", "incorrect"


@dataclass(frozen=True, slots=True)
class Ballot:
    """One reply that can be judged, and the votes on it.

    Attributes
    ----------
    parsed
        ``correct``, ``incorrect`` or ``nonconforming`` by the deterministic parser; ``None`` where
        it has not read the reply, or the item has no gold.
    """

    generation: int
    run: int
    scenario: str
    condition: str
    votes: tuple[str, ...]
    parsed: str | None

    @property
    def panel(self) -> str:
        """What a strict majority of all members says, or why there is none."""
        return verdict_of(self.votes)


@dataclass(frozen=True, slots=True)
class Ballots:
    """All ballots of one panel, and how many replies of each condition had nothing to judge."""

    panel: Panel
    ballots: tuple[Ballot, ...]
    no_answer: Mapping[str, int]

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions, in the order of the wave."""
        return tuple(self.no_answer)


def ballots(study: StudyFile, panel: Panel, among: Sequence[WaveItem] | None = None) -> Ballots:
    """Return the votes of a panel on every reply that any of its judges was to judge.

    What a judge said the first time is its vote, however often it was asked.

    Parameters
    ----------
    among
        The frozen items that count; all that were not withdrawn, unless given.
    """
    said = [first_said(study.judges, judge) for judge in panel.judges]
    scopes = frozenset[Scope]().union(*(study.judges.scopes(judge.id) for judge in panel.judges))
    parsed = study.scores.verdicts(ForcedChoice().name, ForcedChoice().version)
    standing = study.waves.standing() if among is None else among
    items, dropped = {item.id: item for item in standing}, study.run_drops.all()
    found, none = [], Counter[str]()
    for each in study.runs.generations():
        item = items.get(each.wave_item)
        if item is None or each.run in dropped or not _within(scopes, each, item):
            continue
        if nothing_to_read(each):
            none[item.condition] += 1
        else:
            found.append(_ballot(each, item, said, parsed))
    present = {ballot.condition for ballot in found} | none.keys()
    conditions = dict.fromkeys(item.condition for item in items.values())
    no_answer = {name: none[name] for name in conditions if name in present}
    return Ballots(panel, tuple(found), no_answer)


def _within(scopes: Collection[Scope], generation: Generation, item: WaveItem) -> bool:
    where = (generation.run, item.condition, generation.sample, generation.id)
    return any(scope.holds(*where) for scope in scopes)


def caveats(study: StudyFile, panel: Panel) -> tuple[str, ...]:
    """Return what every title on a panel's verdicts must say."""
    scopes = frozenset[Scope]().union(*(study.judges.scopes(judge.id) for judge in panel.judges))
    asked = {number for scope in scopes for number in scope.runs}
    return evidence_caveats(study, asked, panel.judges)


def _ballot(
    generation: Generation,
    item: WaveItem,
    said: Sequence[Mapping[int, Judgement]],
    parsed: Mapping[int, str],
) -> Ballot:
    return Ballot(
        generation.id,
        generation.run,
        item.scenario,
        item.condition,
        tuple(vote_of(each.get(generation.id)) for each in said),
        _by_gold(parsed.get(generation.id), item.document),
    )


def _by_gold(verdict: str | None, document: Mapping[str, Any]) -> str | None:
    """Return what a parsed letter comes to by the item's gold."""
    options, gold = document.get("options") or (), document.get("gold")
    if verdict is None or gold is None or verdict == NONCONFORMING:
        return NONCONFORMING if verdict == NONCONFORMING and gold else None
    actions = dict(zip(LETTERS, (option["action"] for option in options), strict=False))
    if verdict not in actions:
        return None  # no-answer
    return CORRECT if actions[verdict] == gold else INCORRECT
