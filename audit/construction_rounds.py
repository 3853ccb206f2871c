"""What the rounds of a construction say: how people chose, and how natural the texts read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import nan

from core.evidence import GivenRating
from core.forms import Question
from core.study import Round
from core.tables import Cell, Column, Table
from stats.means import mean_estimate
from stats.paired import PairedMetrics, paired_metrics, shares_of

CHOICE, CONFIDENCE, NATURALNESS = "choice", "confidence", "naturalness"
ALL, FROZEN = "all rounds", "frozen texts"
Titled = Callable[[str], str]
Row = Mapping[str, Cell]
# label, scenarios rated, scenarios frozen, ratings, and the rounds that they are of
Part = tuple[str, int, int, tuple[GivenRating, ...], tuple["RatedRound", ...]]


@dataclass(frozen=True, slots=True)
class RatedRound:
    """One round with its ratings.

    Attributes
    ----------
    shown
        The scenarios that it showed.
    frozen
        Those of them that are frozen by its decision.
    texts
        The frozen revision of every item of the study that is frozen.
    """

    campaign: Round
    simulated: bool
    shown: frozenset[str]
    frozen: frozenset[str]
    ratings: tuple[GivenRating, ...]
    texts: Mapping[tuple[str, str], int]

    @property
    def label(self) -> str:
        """The name of the round, and what it is when it is none with people for the main study."""
        return (
            self.campaign.name
            if self.campaign.kind == "main"
            else (f"{self.campaign.name} ({self.campaign.kind})")
        )

    @property
    def frozen_ratings(self) -> tuple[GivenRating, ...]:
        """The ratings of texts that are frozen; of an earlier text they are of something else."""
        return tuple(
            r for r in self.ratings if self.texts.get((r.scenario, r.condition)) == r.revision
        )


def rounds_table(
    rounds: Sequence[RatedRound], titled: Titled, *, replicates: int, seed: int
) -> Table:
    """Return one row per round, one over all of them, and one over the frozen texts alone."""
    pooled = _counting(rounds)
    parts: list[Part] = [(r.label, len(r.shown), len(r.frozen), r.ratings, (r,)) for r in rounds]
    if pooled:
        scenarios = frozenset().union(*(r.shown for r in pooled))
        frozen = frozenset().union(*(r.frozen for r in pooled))
        every = tuple(rating for r in pooled for rating in r.ratings)
        kept = tuple(rating for r in pooled for rating in r.frozen_ratings)
        parts.append((ALL, len(scenarios), len(frozen), every, pooled))
        parts.append((FROZEN, len(frozen), len(frozen), kept, pooled))
    rows: list[Row] = []
    for label, scenarios_, frozen_, ratings, of in parts:
        metrics, given, abstained = _paired(ratings, of, replicates, seed)
        rows.append(
            {
                "round": label,
                "rated": scenarios_,
                "frozen": frozen_,
                "p_a": metrics.p_a,
                "p_r": metrics.p_r,
                "selectivity": metrics.selectivity,
                "n": metrics.n_scenarios,
                "dropped": metrics.n_dropped,
                "ratings": given,
                "abstained": abstained,
                **{
                    name: mean_estimate(
                        _means(ratings, name),
                        replicates=replicates,
                        seed=seed,
                        why=f"the form asks for no {name}",
                    )
                    for name in (CONFIDENCE, NATURALNESS)
                },
            }
        )
    return Table(
        name="construction-rounds",
        title=titled("Rounds"),
        columns=(
            Column("round", "Round"),
            Column("rated", "rated", "count"),
            Column("frozen", "frozen", "count"),
            Column("p_a", "p_A", "share"),
            Column("p_r", "p_R", "share"),
            Column("selectivity", "S", "signed"),
            Column("confidence", "confidence", "score"),
            Column("naturalness", "naturalness", "score"),
            Column("n", "n", "count"),
            Column("dropped", "dropped", "count"),
            Column("ratings", "ratings", "count"),
            Column("abstained", "abstained", "count"),
        ),
        rows=tuple(rows),
        notes=(*_notes(rounds, pooled), _intervals(replicates, seed)),
        empty="no round has been opened yet",
    )


def naturalness_table(
    rounds: Sequence[RatedRound], titled: Titled, *, replicates: int, seed: int
) -> Table:
    """Return the mean naturalness of every condition in every round."""
    rows: list[Row] = []
    for rated in rounds:
        for condition in dict.fromkeys(rating.condition for rating in rated.ratings):
            mine = [rating for rating in rated.ratings if rating.condition == condition]
            values = _means(mine, NATURALNESS)
            rows.append(
                {
                    "round": rated.label,
                    "condition": condition,
                    "naturalness": mean_estimate(
                        values,
                        replicates=replicates,
                        seed=seed,
                        why=f"the form asks for no {NATURALNESS}",
                    ),
                    "n": len(values),
                    "ratings": len(mine),
                }
            )
    return Table(
        name="construction-naturalness",
        title=titled("Naturalness by condition"),
        columns=(
            Column("round", "Round"),
            Column("condition", "Condition"),
            Column("naturalness", "naturalness", "score"),
            Column("n", "n", "count"),
            Column("ratings", "ratings", "count"),
        ),
        rows=tuple(rows),
        notes=(_intervals(replicates, seed),),
        empty="no round has been rated yet",
    )


def _counting(rounds: Sequence[RatedRound]) -> tuple[RatedRound, ...]:
    """Return the rounds that are pooled: those with people, or rehearsals where there is none."""
    people = tuple(r for r in rounds if r.campaign.kind != "rehearsal")
    return people or tuple(rounds)


def _notes(rounds: Sequence[RatedRound], pooled: Sequence[RatedRound]) -> tuple[str, ...]:
    apart = [r.label for r in rounds if r not in pooled]
    left = (f"Not in the last two rows: {', '.join(apart)}.",) if apart else ()
    return (
        "Shares of the action that is meant in the first condition of the pair, among ratings that "
        "chose an action, averaged over scenarios. Abstentions (both, depends, neither) are left "
        "out and counted; a scenario without a choice in either condition is dropped.",
        "These ratings selected the items that are frozen: as a human reference they are "
        "optimistic, most of all those of the frozen texts.",
        *left,
    )


def _intervals(replicates: int, seed: int) -> str:
    return (
        f"95 % percentile intervals from a scenario bootstrap, {replicates:,} replicates, seed "
        f"{seed}. n: scenarios."
    )


def _paired(
    ratings: Sequence[GivenRating], rounds: Sequence[RatedRound], replicates: int, seed: int
) -> tuple[PairedMetrics, int, int]:
    """Return the paired metrics, the ratings of the pair that were given, and the abstentions."""
    first, second = rounds[0].campaign.pair
    question = _choice(rounds)
    scenarios = sorted({rating.scenario for rating in ratings})
    meant = {r.scenario: r.gold for r in ratings if r.condition == first}
    counts = {(s, c): [0, 0] for s in scenarios for c in (first, second)}  # conforming, heavy
    given = abstained = 0
    for rating in ratings:
        cell = counts.get((rating.scenario, rating.condition))
        if cell is None or question is None:
            continue
        given += 1
        action = rating.meaning(question)
        if action not in {option.action for option in rating.options}:
            abstained += 1
            continue
        cell[0] += 1
        cell[1] += action == meant.get(rating.scenario)
    shares = [
        shares_of(
            [counts[s, condition][1] for s in scenarios],
            [counts[s, condition][0] for s in scenarios],
        )
        for condition in (first, second)
    ]
    return paired_metrics(*shares, replicates=replicates, seed=seed), given, abstained


def _choice(rounds: Sequence[RatedRound]) -> Question | None:
    questions = (q for r in rounds for q in r.campaign.form.questions)
    return next((q for q in questions if q.id == CHOICE and q.item_options), None)


def _means(ratings: Sequence[GivenRating], question: str) -> list[float]:
    """Return the mean answer to a scale for each scenario, by id."""
    answers: dict[str, list[float]] = {}
    for rating in ratings:
        answer = rating.answers.get(question)
        mine = answers.setdefault(rating.scenario, [])
        if isinstance(answer, int) and not isinstance(answer, bool):
            mine.append(float(answer))
    return [sum(a) / len(a) if a else nan for _, a in sorted(answers.items())]
