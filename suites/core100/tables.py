"""The tables and the figure of Core-100 (arXiv 2603.29025, Table 1), from a study's own data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.figures import Figure, Interval, IntervalFigure, PlaneFigure, PlanePoint
from core.runs import STATES
from core.tables import Cell, Column, Table
from stats.paired import PairedMetrics, paired_metrics, paired_metrics_of_models, shares_of
from suites.base import SuiteData
from suites.core100.choices import (
    NONCONFORMING,
    VERIFIER,
    ModelAnswers,
    Tallies,
    Tally,
    model_answers,
    rater_tallies,
)

ACTIVE, REMOVED = "Active", "Removed"
METRICS = (
    Column("p_a", "p_A", "share"),
    Column("p_r", "p_R (OA)", "share"),
    Column("selectivity", "S", "signed"),
    Column("sba", "SBA", "share"),
    Column("ua", "UA", "share"),
    Column("gap", "p_A - SBA", "signed"),
)
Row = Mapping[str, Cell]


def tables(data: SuiteData) -> tuple[Table, ...]:
    """Return the paired table, the human reference and the states of all generations."""
    answers = model_answers(data)
    return (
        _paired(data, answers, _metrics(data, answers)),
        _human(data),
        _states(data, answers),
    )


def figures(data: SuiteData) -> tuple[Figure, ...]:
    """Return selectivity with raters as the reference, and p_A against p_R (Figure 4a)."""
    answers = model_answers(data)
    metrics = _metrics(data, answers)
    human = _human_metrics(data)
    return (
        _selectivity(data, answers, metrics, human),
        _plane(data, answers, metrics, human),
    )


def _selectivity(
    data: SuiteData,
    answers: Sequence[ModelAnswers],
    metrics: Sequence[PairedMetrics],
    human: PairedMetrics | None,
) -> IntervalFigure:
    points = [
        Interval(_label(model), found.selectivity)
        for model, found in zip(answers, metrics, strict=False)
    ]
    points.sort(key=lambda point: -(-2.0 if (v := point.estimate.value) is None else v))
    return IntervalFigure(
        name="selectivity",
        title=titled("Selectivity S = p_A - p_R", data, answers),
        axis="selectivity S (1: the decision follows the constraint, 0: it does not)",
        points=tuple(points),
        bounds=(-1.0, 1.0),
        reference=Interval("raters", human.selectivity) if human else None,
        notes=(_intervals_note(data),),
        metrics=("paired.selectivity", "human.selectivity"),
    )


def _plane(
    data: SuiteData,
    answers: Sequence[ModelAnswers],
    metrics: Sequence[PairedMetrics],
    human: PairedMetrics | None,
) -> PlaneFigure:
    points = [
        PlanePoint(_label(model), found.p_r, found.p_a)
        for model, found in zip(answers, metrics, strict=False)
    ]
    if human:
        points.append(PlanePoint("raters", human.p_r, human.p_a))
    return PlaneFigure(
        name="plane",
        title=titled("p_A against p_R", data, answers),
        x_axis="p_R: constraint-heavy where the constraint is removed",
        y_axis="p_A: constraint-heavy where it applies",
        points=tuple(points),
        corner="selective",
        notes=(_intervals_note(data),),
        metrics=("paired.p_r", "paired.p_a", "human.p_r", "human.p_a"),
    )


def titled(heading: str, data: SuiteData, answers: Sequence[ModelAnswers] = ()) -> str:
    """Return a heading with everything that a reader must know before the numbers."""
    caveats = list(data.caveats)
    caveats += sorted(
        {f"{m.label}: reply prefilled with {m.prefill!r}" for m in answers if m.prefill}
    )
    caveats += sorted({f"{m.label} is a fake, no model" for m in answers if m.kind == "scripted"})
    caveats += sorted({f"{m.label}: imported outputs" for m in answers if m.kind == "imported"})
    caveats += sorted({f"{m.label}: asked by batch" for m in answers if m.batched})
    caveats += sorted(
        {f"{m.label}: {m.unread} replies not scored yet" for m in answers if m.unread}
    )
    caveats += sorted({f"{m.label}: the run is not finished" for m in answers if not m.finished})
    return f"{heading} ({'; '.join(caveats)})" if caveats else heading


def _label(model: ModelAnswers) -> str:
    marks = {"scripted": " (no model)", "imported": " (imported)"}
    return model.label + marks.get(model.kind, "")


def _scenarios(data: SuiteData) -> tuple[str, ...]:
    """Return the scenarios that are frozen in both conditions of the pair, by id."""
    frozen = {(item.scenario, item.condition) for item in data.items}
    return tuple(
        sorted(s for s, condition in frozen if condition == ACTIVE and (s, REMOVED) in frozen)
    )


def _shares(tallies: Tallies, scenarios: Sequence[str], condition: str) -> list[float]:
    found = [tallies.get((scenario, condition), Tally()) for scenario in scenarios]
    shares = shares_of([t.heavy for t in found], [t.conforming for t in found])
    return [float(share) for share in shares]


def _metrics(data: SuiteData, answers: Sequence[ModelAnswers]) -> tuple[PairedMetrics, ...]:
    scenarios = _scenarios(data)
    if not answers or not scenarios:
        return ()
    active, removed = (
        list(zip(*(_shares(m.tallies, scenarios, condition) for m in answers), strict=True))
        for condition in (ACTIVE, REMOVED)
    )
    return paired_metrics_of_models(active, removed, replicates=data.replicates, seed=data.seed)


def _metric_cells(metrics: PairedMetrics) -> dict[str, Cell]:
    cells: dict[str, Cell] = {column.key: getattr(metrics, column.key) for column in METRICS}
    return {**cells, "n": metrics.n_scenarios, "dropped": metrics.n_dropped}


def _paired(
    data: SuiteData, answers: Sequence[ModelAnswers], metrics: Sequence[PairedMetrics]
) -> Table:
    entries: list[tuple[Row, tuple[int, ...]]] = []
    scenarios = _scenarios(data)
    for model, found in zip(answers, metrics, strict=False):
        asked = [t for (_, c), t in model.tallies.items() if c in (ACTIVE, REMOVED)]
        unasked = _unasked(model, scenarios)
        conforming, given = sum(t.conforming for t in asked), sum(t.given for t in asked)
        row: Row = {
            "model": _label(model),
            **_metric_cells(found),
            "dropped": found.n_dropped - unasked,
            "unasked": unasked,
            "conforming": f"{conforming} of {given}",
        }
        entries.append((row, tuple(sorted({g.run for g in model.generations}))))
    entries.sort(
        key=lambda entry: -(-1.0 if (v := getattr(entry[0]["sba"], "value", None)) is None else v)
    )
    return Table(
        name="paired",
        title=titled("Paired metrics by model", data, answers),
        columns=(
            Column("model", "Model"),
            *METRICS,
            Column("n", "n", "count"),
            Column("dropped", "dropped", "count"),
            Column("unasked", "not asked", "count"),
            Column("conforming", "conforming"),
        ),
        rows=tuple(row for row, _ in entries),
        notes=(
            f"{_intervals_note(data)} n: scenarios.",
            "Shares of constraint-heavy choices among conforming replies, averaged over scenarios. "
            "A scenario without a conforming reply in either condition is dropped; one that was "
            "not asked, or not read yet, in either is counted apart.",
        ),
        runs=tuple(runs for _, runs in entries),
    )


def _unasked(model: ModelAnswers, scenarios: Sequence[str]) -> int:
    """Count the scenarios of which some condition has no reply that was read."""
    return sum(
        any((scenario, condition) not in model.tallies for condition in (ACTIVE, REMOVED))
        for scenario in scenarios
    )


def _human_metrics(data: SuiteData) -> PairedMetrics | None:
    scenarios = _scenarios(data)
    tallies = rater_tallies(data.ratings, data.items)
    if not tallies or not scenarios:
        return None
    return paired_metrics(
        _shares(tallies, scenarios, ACTIVE),
        _shares(tallies, scenarios, REMOVED),
        replicates=data.replicates,
        seed=data.seed,
    )


def _human(data: SuiteData) -> Table:
    tallies, scenarios = rater_tallies(data.ratings, data.items), set(_scenarios(data))
    found = [t for (s, c), t in tallies.items() if s in scenarios and c in (ACTIVE, REMOVED)]
    metrics = _human_metrics(data)
    rows: list[Row] = []
    if metrics:
        rows.append(
            {
                "group": "raters",
                **_metric_cells(metrics),
                "ratings": sum(tally.given for tally in found),
                "abstained": sum(tally.given - tally.conforming for tally in found),
            }
        )
    return Table(
        name="human",
        title=titled("Human reference", data),
        columns=(
            Column("group", "Who"),
            *METRICS,
            Column("n", "n", "count"),
            Column("dropped", "dropped", "count"),
            Column("ratings", "ratings", "count"),
            Column("abstained", "abstained", "count"),
        ),
        rows=tuple(rows),
        notes=(
            f"{_intervals_note(data)} n: scenarios.",
            "Abstentions (both, depends, neither) are left out of the shares. These ratings also "
            "selected the items, so the reference is optimistic.",
        ),
        runs=((),) * len(rows),
    )


def _states(data: SuiteData, answers: Sequence[ModelAnswers]) -> Table:
    items = {item.id: item for item in data.items}
    verdicts = data.verdicts.get(VERIFIER, {})
    rows: list[Row] = []
    for model in answers:
        conditions = dict.fromkeys(items[g.wave_item].condition for g in model.generations)
        for condition in conditions:
            found = [g for g in model.generations if items[g.wave_item].condition == condition]
            read = [verdicts[g.id] for g in found if g.id in verdicts]
            states: dict[str, int] = {s: sum(g.state == s for g in found) for s in STATES}
            tallies = [t for (_, c), t in model.tallies.items() if c == condition]
            rows.append(
                {
                    "model": _label(model),
                    "condition": condition,
                    "generations": len(found),
                    **states,
                    "conforming": sum(t.conforming for t in tallies),
                    "nonconforming": read.count(NONCONFORMING),
                    "unscored": len(found) - states["error"] - len(read),
                }
            )
    return Table(
        name="states",
        title=titled("What came back, by model and condition", data, answers),
        columns=(
            Column("model", "Model"),
            Column("condition", "Condition"),
            Column("generations", "generations", "count"),
            *(Column(state, state, "count") for state in STATES),
            Column("conforming", "conforming", "count"),
            Column("nonconforming", "nonconforming", "count"),
            Column("unscored", "not scored yet", "count"),
        ),
        rows=tuple(rows),
        notes=(
            "A reply conforms when its first line is exactly 'Answer: ' and the letter of an "
            "option, and nothing else; a nonconforming one counts for neither option.",
        ),
    )


def _intervals_note(data: SuiteData) -> str:
    return (
        f"95 % percentile intervals from a scenario bootstrap, {data.replicates:,} replicates, "
        f"seed {data.seed}."
    )
