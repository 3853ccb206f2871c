"""What people read in the wordings (Tables 24 and 25), beside what models do under them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from core.estimate import Estimate, undefined
from core.evidence import GivenRating
from core.forms import Form, Question
from core.tables import Cell, Column, Table
from stats.questions import kappa, pooled_icc
from stats.resample import bootstrap, items_with_all_raters, mean_of
from suites.wise.analysis import Analysis

Row = Mapping[str, Cell]
EXACT = "exact"


def human_tables(analysis: Analysis, form: Form) -> tuple[Table, ...]:
    """Return judgments by annotator, their agreement, and both beside the models' compliance."""
    return (
        _judgments(analysis),
        _agreement(analysis, form),
        _beside(analysis, form),
    )


def _judgments(analysis: Analysis) -> Table:
    """Return each annotator's share of exact-N judgments by form (Table 24)."""
    people = sorted({rating.person for rating in analysis.data.survey})
    names = {person: f"A{place}" for place, person in enumerate(people, start=1)}
    rows = []
    for form, given in _by_form(analysis).items():
        cells: dict[str, Cell] = {}
        for person, name in names.items():
            mine = [bool(r.answers[EXACT]) for r in given if r.person == person]
            cells[name] = float(np.mean(mine)) if mine else None
        rows.append({"form": form, **cells, "share": exact_share(analysis, given), "n": len(given)})
    return Table(
        name="human",
        title=_titled(analysis, "Exact-count judgments by annotator (Table 24)"),
        columns=(
            Column("form", "Form"),
            *(Column(name, name, "share") for name in names.values()),
            Column("share", "exact-N", "share"),
            Column("n", "judgments", "count"),
        ),
        rows=tuple(rows),
        notes=(
            "An annotator's cell is the share over the targets that they judged. The interval of "
            f"the last column resamples targets with all annotators, {analysis.data.replicates:,} "
            f"replicates, seed {analysis.data.seed}; with four targets it is coarse.",
        ),
        empty="no survey round is closed yet: see docs/wise.md",
    )


def exact_share(analysis: Analysis, given: Sequence[GivenRating]) -> Estimate:
    """Return the share of exact-N judgments of one form, targets resampled."""
    by_target: dict[str, list[bool]] = defaultdict(list)
    for rating in given:
        by_target[rating.scenario].append(bool(rating.answers[EXACT]))
    return _mean_over_items(analysis, by_target)


def _mean_over_items(analysis: Analysis, by_item: Mapping[str, Sequence[float]]) -> Estimate:
    if not by_item:
        return undefined("nobody judged it")
    values = np.array([np.mean(by_item[item]) for item in sorted(by_item)])
    data = analysis.data
    if len(values) < 2:
        return Estimate(float(values[0]), 1, why_no_interval="only one target")
    draws = items_with_all_raters(len(values), replicates=data.replicates, seed=data.seed)
    return bootstrap(mean_of(values), draws)[0]


def _agreement(analysis: Analysis, form: Form) -> Table:
    """Return Fleiss' kappa of the judgment and ICC(2,k) of the scales (Table 25)."""
    ratings = analysis.data.survey
    rows: list[Row] = []
    for question in form.questions if ratings else ():
        statistic = kappa if question.kind == "yes-no" else pooled_icc
        found = statistic(
            ratings, question, seed=analysis.data.seed, replicates=analysis.data.replicates
        )
        rows.append(
            {
                "measure": question.id,
                "statistic": found.estimator,
                "value": found.estimate,
                "items": found.n_items,
                "ratings": found.n_ratings,
                "dropped": found.n_items_dropped,
            }
        )
    return Table(
        name="human-agreement",
        title=_titled(analysis, "Agreement of the annotators (Table 25)"),
        columns=(
            Column("measure", "Measure"),
            Column("statistic", "Statistic"),
            Column("value", "Value", "share"),
            Column("items", "n items", "count"),
            Column("ratings", "n ratings", "count"),
            Column("dropped", "items left out", "count"),
        ),
        rows=tuple(rows),
        notes=(
            "95 % percentile intervals over items, each with all its annotators, "
            f"{analysis.data.replicates:,} replicates, seed {analysis.data.seed}.",
        ),
        empty="no survey round is closed yet: see docs/wise.md",
    )


def _beside(analysis: Analysis, form: Form) -> Table:
    """Return, form by form, what people read in a wording and what models do under it."""
    panel = analysis.definition.survey.panel
    pool = analysis.primary(panel) if panel.name in analysis.panels else None
    scales = [question for question in form.questions if question.kind == "likert"]
    rows: list[Row] = []
    for name, given in _by_form(analysis).items():
        found = pool.form(name) if pool else None
        reference = name == analysis.definition.reference
        rows.append(
            {
                "form": name,
                "share": exact_share(analysis, given),
                **{q.id: _mean_of_scale(analysis, given, q) for q in scales},
                "judgments": len(given),
                "compliance": found.compliance if found else undefined("no model was run"),
                "difference": found.difference if found and not reference else None,
            }
        )
    return Table(
        name="human-models",
        title=_titled(analysis, "What people read in a wording, and what models do under it"),
        columns=(
            Column("form", "Form"),
            Column("share", "exact-N, people", "share"),
            *(Column(q.id, q.id, "score") for q in scales),
            Column("judgments", "judgments", "count"),
            Column("compliance", "compliance, models", "share"),
            Column("difference", "against POS", "signed"),
        ),
        rows=tuple(rows),
        notes=(
            f"Models: the primary set of the panel {panel.name}. People judge the instruction, "
            "models follow it: agreement on what is asked does not say that it is done.",
            "People's intervals resample targets, models' as in their own table.",
        ),
        empty="no survey round is closed yet: see docs/wise.md",
    )


def _mean_of_scale(
    analysis: Analysis, given: Sequence[GivenRating], question: Question
) -> Estimate:
    by_item: dict[str, list[float]] = defaultdict(list)
    for rating in given:
        answer = rating.answers.get(question.id)
        if isinstance(answer, int):
            by_item[rating.scenario].append(float(answer))
    return _mean_over_items(analysis, by_item)


def _by_form(analysis: Analysis) -> dict[str, list[GivenRating]]:
    """Return the survey's ratings by form, in the panel's order; forms nobody judged left out."""
    survey = analysis.definition.survey
    found: dict[str, list[GivenRating]] = {}
    for condition, name in zip(survey.conditions, survey.panel.form_names, strict=True):
        given = [rating for rating in analysis.data.survey if rating.condition == condition]
        if given:
            found[name] = given
    return found


def _titled(analysis: Analysis, heading: str) -> str:
    caveats = analysis.data.survey_caveats
    return f"{heading} ({'; '.join(caveats)})" if caveats else heading
