"""What every judge of a panel said about every reply, beside what the parser read.

A ballot has one vote per judge: a verdict, ``unreadable``, or ``open`` where the judge has not
been asked, or the request failed. Panels are made here and never stored: the same judgements can be
counted as any panel of judges under one rubric.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import InputError, NotFound
from core.items import LETTERS
from core.judging import Judge, Judgement, Scope
from core.runs import Generation, Run
from core.study import WaveItem
from db.file import StudyFile
from evals.judges.panel import UNREADABLE, majority
from evals.scoring import nothing_to_read
from evals.verifiers.forced_choice import NONCONFORMING, ForcedChoice

OPEN = "open"
CORRECT, INCORRECT = "correct", "incorrect"


@dataclass(frozen=True, slots=True)
class Panel:
    """The judges under one rubric, in the order of their numbers.

    Attributes
    ----------
    rubric
        Its name and version.
    verdicts
        What a reply can be judged to be.
    """

    rubric: str
    verdicts: tuple[str, ...]
    judges: tuple[Judge, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """What tables call the judges: by number and model."""
        return tuple(f"judge {judge.id} ({judge.model})" for judge in self.judges)


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
    scenario: str
    condition: str
    votes: tuple[str, ...]
    parsed: str | None

    @property
    def panel(self) -> str:
        """What a strict majority of all members says, or why there is none."""
        if OPEN in self.votes:
            return OPEN
        return majority([None if vote == UNREADABLE else vote for vote in self.votes])


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


def panels(
    study: StudyFile, rubric: str | None = None, judges: Sequence[int] = ()
) -> tuple[Panel, ...]:
    """Return the panels of a study: all judges under each rubric, or those that are named.

    Parameters
    ----------
    rubric
        A rubric's name, with its version where there are several.
    judges
        Numbers of judges.

    Raises
    ------
    NotFound
        When there is no such rubric or judge.
    """
    everybody = study.judges.all()
    unknown = set(judges) - {judge.id for judge in everybody}
    if unknown:
        raise NotFound(f"there is no judge {min(unknown)}; see wavelock judge status")
    chosen = [judge for judge in everybody if not judges or judge.id in judges]
    named = [
        j for j in chosen if rubric is None or rubric in {j.rubric, j.rubric.rsplit(" ", 1)[0]}
    ]
    if rubric is not None and not named:
        known = ", ".join(dict.fromkeys(judge.rubric for judge in chosen)) or "none yet"
        raise NotFound(f"nothing was judged under “{rubric}”; there is {known}")
    return tuple(
        Panel(mine[0].rubric, _verdicts(study.judges.rubric(sealed)), mine)
        for sealed in dict.fromkeys(judge.rubric_hash for judge in named)
        if (mine := tuple(judge for judge in named if judge.rubric_hash == sealed))
    )


def ballots(study: StudyFile, panel: Panel, among: Sequence[WaveItem] | None = None) -> Ballots:
    """Return the votes of a panel on every reply that any of its judges was to judge.

    Parameters
    ----------
    among
        The frozen items that count; all that were not withdrawn, unless given.
    """
    said = [{each.generation: each for each in study.judges.last(j.id)} for j in panel.judges]
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
    where = (generation.run, item.condition, generation.sample)
    return any(scope.holds(*where) for scope in scopes)


def caveats(study: StudyFile, panel: Panel) -> tuple[str, ...]:
    """Return what every title on a panel's verdicts must say."""
    waves = study.waves.all()
    kinds = {wave.kind for wave in waves}
    rounds = {name for wave in waves for name in wave.header.get("rounds", {})}
    found = ["simulated ratings"] if "simulated" in kinds else []
    if any(study.rounds.named(name).source == "imported" for name in rounds):
        found.append("imported ratings")
    found += ["not human-validated"] if "declared" in kinds else []
    scopes = frozenset[Scope]().union(*(study.judges.scopes(judge.id) for judge in panel.judges))
    asked = {number for scope in scopes for number in scope.runs}
    runs = [run for run in study.runs.all() if run.id in asked]
    return (*found, *_careful("run", runs), *_careful("judge", panel.judges))


def _careful(noun: str, those: Sequence[Run | Judge]) -> Iterator[str]:
    """Say which runs or judges are fakes, and whose answers were begun for them."""
    fakes = [str(each.id) for each in those if each.kind == "scripted"]
    if len(fakes) == 1:
        yield f"{noun} {fakes[0]} is a fake, no model"
    elif fakes:
        yield f"{noun}s {', '.join(fakes)} are fakes, no models"
    for each in those:
        if each.config.get("prefill"):
            yield f"{noun} {each.id}: prefilled with {each.config['prefill']!r}"


def _ballot(
    generation: Generation,
    item: WaveItem,
    said: Sequence[Mapping[int, Judgement]],
    parsed: Mapping[int, str],
) -> Ballot:
    return Ballot(
        generation.id,
        item.scenario,
        item.condition,
        tuple(_vote(each.get(generation.id)) for each in said),
        _by_gold(parsed.get(generation.id), item.document),
    )


def _vote(said: Judgement | None) -> str:
    if said is None or said.state == "error":
        return OPEN
    return said.verdict or UNREADABLE


def _by_gold(verdict: str | None, document: Mapping[str, Any]) -> str | None:
    """Return what a parsed letter comes to by the item's gold."""
    options, gold = document.get("options") or (), document.get("gold")
    if verdict is None or gold is None or verdict == NONCONFORMING:
        return NONCONFORMING if verdict == NONCONFORMING and gold else None
    actions = dict(zip(LETTERS, (option["action"] for option in options), strict=False))
    if verdict not in actions:
        return None  # no-answer
    return CORRECT if actions[verdict] == gold else INCORRECT


def _verdicts(document: Mapping[str, Any]) -> tuple[str, ...]:
    if document.get("scale"):
        return ("pass", "fail")
    labels = document.get("labels")
    if not isinstance(labels, dict):
        raise InputError(
            "a stored rubric has neither labels nor a scale; see wavelock ledger verify"
        )
    return tuple(dict.fromkeys(labels.values()))
