"""Sizing a round before it runs: what the rule would pass, how wide the intervals would be.

The whole round is drawn many times on the real plan, by raters of a chosen quality, and every draw
is analysed as the real one will be: the same rule, the same statistics. Nothing is stored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np

from annotate.rater_quality import RaterQuality
from annotate.simulate import Progress, drawn_answers
from core.errors import InputError
from core.estimate import Estimate
from core.forms import Answer
from core.hashing import seed_from
from core.items import LETTERS
from core.rules import ConditionEvidence, ScenarioEvidence
from core.study import Revision, Round, require_items
from core.tables import Cell, Column, Table
from db.file import StudyFile
from stats.fleiss import fleiss_kappa_of_counts
from stats.inclusion import decide
from stats.resample import bootstrap, iid, mean_of

REPLICATES = 400  # per drawn round; it is the typical width that is asked for, not its third digit


@dataclass(slots=True)
class _Outcomes:
    """What the drawn rounds came to."""

    included: list[int] = field(default_factory=list)
    eligible: list[int] = field(default_factory=list)
    kappa: list[Estimate] = field(default_factory=list)
    means: dict[str, list[Estimate]] = field(default_factory=lambda: defaultdict(list))


def sizing_table(
    study: StudyFile,
    campaign: Round,
    *,
    seed: int,
    rounds: int = 100,
    quality: RaterQuality | None = None,
    progress: Progress | None = None,
) -> Table:
    """Return what a round like this one would show, from `rounds` drawn ones.

    Raises
    ------
    InputError
        When the form has no question ``choice``, on which the inclusion rule rests.
    """
    require_items(campaign)
    if not any(question.id == "choice" for question in campaign.form.questions):
        raise InputError("only rounds whose form has a question called choice can be sized")
    cells = _cells(study, campaign)
    outcomes = _Outcomes()
    for number in range(rounds):
        drawn_seed = seed_from(seed, "round", number)
        answers = _draw(campaign, cells, quality or RaterQuality(), drawn_seed)
        _analyse(campaign, answers, outcomes, drawn_seed)
        if progress:
            progress(number + 1, rounds)
    scenarios = len({revision.scenario for revision in cells})
    return _table(campaign, outcomes, rounds, scenarios, seed)


def _cells(study: StudyFile, campaign: Round) -> tuple[Revision, ...]:
    """Return the revision of every assignment of the plan, one entry per rating to be given."""
    known: dict[int, Revision] = {}
    cells = []
    for seat in study.rounds.seats(campaign.id, "rater"):
        for assignment in study.rounds.assignments(seat.id):
            if assignment.revision not in known:
                known[assignment.revision] = study.items.revision(assignment.revision)
            cells.append(known[assignment.revision])
    return tuple(cells)


Answers = dict[int, tuple[Revision, list[dict[str, Answer]]]]


def _draw(campaign: Round, cells: Sequence[Revision], quality: RaterQuality, seed: int) -> Answers:
    draw = Random(seed)  # noqa: S311  (a simulation must be repeatable)
    drawn: Answers = {}
    for revision in cells:
        answers = drawn_answers(campaign.form, revision, quality, seed, draw)
        drawn.setdefault(revision.id, (revision, []))[1].append(answers)
    return drawn


def _analyse(campaign: Round, answers: Answers, outcomes: _Outcomes, seed: int) -> None:
    evidence: dict[str, list[ConditionEvidence]] = defaultdict(list)
    for revision, given in answers.values():
        evidence[revision.scenario].append(_condition(revision, given))
    audits = (True,) * campaign.rule.auditors
    decisions = [
        decide(campaign.rule, ScenarioEvidence(scenario, 1, tuple(conditions), audits))
        for scenario, conditions in sorted(evidence.items())
    ]
    outcomes.included.append(sum(decision.verdict == "include" for decision in decisions))
    outcomes.eligible.append(
        sum(decision.verdict == "include" and decision.cue_eligible for decision in decisions)
    )
    everything = [condition for each in evidence.values() for condition in each]
    outcomes.kappa.append(_kappa(everything, seed))
    _means(everything, outcomes, seed)


def _condition(revision: Revision, given: Sequence[dict[str, Answer]]) -> ConditionEvidence:
    actions = dict(zip(LETTERS, (option.action for option in revision.options), strict=False))
    chosen = [str(answers["choice"]) for answers in given]
    return ConditionEvidence(
        condition=revision.condition,
        gold=revision.gold or "",
        choices=tuple(actions.get(choice, choice) for choice in chosen),
        confidence=tuple(int(answers.get("confidence", 0)) for answers in given),
        naturalness=tuple(int(answers.get("naturalness", 0)) for answers in given),
    )


def _kappa(items: Sequence[ConditionEvidence], seed: int) -> Estimate:
    categories = sorted({choice for item in items for choice in item.choices})
    counts = [[item.choices.count(category) for category in categories] for item in items]
    return fleiss_kappa_of_counts(counts, seed=seed, replicates=REPLICATES).estimate


def _means(items: Sequence[ConditionEvidence], outcomes: _Outcomes, seed: int) -> None:
    by_condition: dict[str, list[ConditionEvidence]] = defaultdict(list)
    for item in items:
        by_condition[item.condition].append(item)
    for condition, found in by_condition.items():
        values = np.array(
            [
                (
                    item.choices.count(item.gold) / len(item.choices),
                    np.mean(item.confidence),
                    np.mean(item.naturalness),
                )
                for item in found
            ]
        )
        estimates = bootstrap(mean_of(values), iid(len(found), replicates=REPLICATES, seed=seed))
        names = ("share choosing the gold action", "mean confidence", "mean naturalness")
        for name, estimate in zip(names, estimates, strict=True):
            outcomes.means[f"{condition}: {name}"].append(estimate)


def _table(campaign: Round, outcomes: _Outcomes, rounds: int, scenarios: int, seed: int) -> Table:
    rows = [
        _count_row(f"scenarios included, of {scenarios}", outcomes.included),
        _count_row("of these eligible for cue contrasts", outcomes.eligible),
        _interval_row("Fleiss' kappa of choices", outcomes.kappa),
        *(_interval_row(name, estimates) for name, estimates in outcomes.means.items()),
    ]
    return Table(
        name="sizing",
        title=f"What a round like {campaign.name} would show (simulated raters)",
        columns=(
            Column("what", "What"),
            Column("typical", "typical", "share"),
            Column("range", "95 % of rounds"),
            Column("width", "interval width", "share"),
            Column("undefined", "undefined", "count"),
        ),
        rows=tuple(rows),
        notes=(
            f"{rounds} drawn rounds on the plan as it stands, seed {seed}. Typical: the median. "
            "Interval width: the median width of the 95 % interval that one such round would give.",
        ),
    )


def _count_row(what: str, counts: Sequence[int]) -> dict[str, Cell]:
    low, middle, high = np.quantile(counts, [0.025, 0.5, 0.975])
    return {"what": what, "typical": float(middle), "range": f"{low:.0f} to {high:.0f}"}


def _interval_row(what: str, estimates: Sequence[Estimate]) -> dict[str, Cell]:
    values = [e.value for e in estimates if e.value is not None]
    widths = [e.high - e.low for e in estimates if e.high is not None and e.low is not None]
    row: dict[str, Cell] = {"what": what, "undefined": len(estimates) - len(values)}
    if values:
        low, middle, high = np.quantile(values, [0.025, 0.5, 0.975])
        row |= {"typical": float(middle), "range": f"{low:.2f} to {high:.2f}"}
    return row | ({"width": float(np.median(widths))} if widths else {})
