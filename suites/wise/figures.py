"""The figures of the paper in form (Figures 2-8), from a study's own data."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.figures import (
    Box,
    BoxFigure,
    Figure,
    Gap,
    GapFigure,
    Interval,
    IntervalFigure,
    RankFigure,
    RankLine,
    ShareFigure,
    ShareRow,
)
from core.words import counted
from stats.ranking import average_ranks
from suites.base import SuiteData
from suites.wise.analysis import Analysis, analysis
from suites.wise.panels import Definition, Panel
from suites.wise.pooled import Pool
from suites.wise.sets import named, shared
from suites.wise.tables.failures import count_errors

COMPARED = ("NEG", "AVOID")  # beside POS, what panels have in common (Figure 2)
WHISKERS = 1.5  # times the interquartile range


def figures(data: SuiteData, definition: Definition) -> tuple[Figure, ...]:
    """Return all figures that the study has anything for."""
    found = analysis(data, definition)
    drawn: list[Figure] = [_across(found)]
    for panel in found.frozen:
        pool = found.primary(panel)
        drawn.append(_contrasts(found, panel, pool))
        if panel.sweeps_targets:
            drawn += [
                *_ranks(found, panel, pool),
                _errors(found, panel, pool),
                _gaps(found, panel),
                _directions(found, panel, pool),
            ]
    return tuple(drawn)


def _across(found: Analysis) -> IntervalFigure:
    """Compliance across constraints for the models that share them (Figure 2)."""
    panels = [panel for panel in found.frozen if len(_compared(found, panel)) > len(COMPARED)]
    labels = shared({p.name: found.panels[p.name] for p in panels}, found.data.sets)
    points = []
    for panel in panels if labels else ():
        pool = found.pool(panel, named("shared", labels, found.panels[panel.name]))
        points += [
            Interval(f"{panel.name} {form}", pool.form(form).compliance)
            for form in _compared(found, panel)
        ]
    return IntervalFigure(
        name="across",
        title=found.titled(
            f"Compliance across constraints, {counted(len(labels), 'shared model')}"
        ),
        axis="share of compliant outputs",
        points=tuple(points),
        bounds=(0.0, 1.0),
        notes=("Figure 2. The set shared, else the models that have every form of these panels.",),
    )


def _compared(found: Analysis, panel: Panel) -> list[str]:
    """Return the reference and the first form of each kind that panels have in common."""
    names = panel.form_names
    kinds = [next((n for n in names if n.startswith(kind)), None) for kind in COMPARED]
    return [found.definition.reference, *(name for name in kinds if name)]


def _contrasts(found: Analysis, panel: Panel, pool: Pool) -> IntervalFigure:
    """Contrasts against POS (Figures 7 and 8)."""
    others = [name for name in panel.form_names if name != found.definition.reference]
    points = [
        Interval(name, each) for name in others if (each := pool.form(name).difference) is not None
    ]
    return IntervalFigure(
        name=f"contrasts-{panel.name}",
        title=found.titled(f"{panel.title}: compliance against POS", pool),
        axis="compliance less that under POS",
        points=tuple(points),
        bounds=(-1.0, 1.0),
        notes=("As Figures 7 and 8.", found.resampled()),
    )


def _ranks(found: Analysis, panel: Panel, pool: Pool) -> Iterator[RankFigure]:
    """Model rankings across forms (Figure 3); nothing to rank below two models."""
    complete = np.isfinite(pool.scores).all(axis=(0, 2)) if pool.forms else np.zeros(0, bool)
    if len(pool.outputs.models) < 2 or len(pool.forms) < 2 or not complete.any():
        return
    ranks = average_ranks(pool.scores[:, complete].mean(axis=1).T).T
    lines = [
        RankLine(model.label, tuple(row))
        for model, row in zip(pool.outputs.models, ranks.tolist(), strict=True)
    ]
    yield RankFigure(
        name=f"ranks-{panel.name}",
        title=found.titled(f"{panel.title}: ranking of models under each form", pool),
        columns=pool.forms,
        lines=tuple(sorted(lines, key=lambda line: line.ranks)),
        notes=(f"As Figure 3; ties share a rank. Compliance: table {panel.name}-models.",),
    )


def _errors(found: Analysis, panel: Panel, pool: Pool) -> BoxFigure:
    """Observed words less the target (Figure 4)."""
    return BoxFigure(
        name=f"errors-{panel.name}",
        title=found.titled(f"{panel.title}: observed words less the target", pool),
        axis="words - target",
        boxes=tuple(
            _box(form, errors) for form, errors in count_errors(pool).items() if errors.size
        ),
        notes=(f"As Figure 4: quartiles, whiskers to {WHISKERS:g} times their distance.",),
    )


def _box(form: str, errors: np.ndarray) -> Box:
    lower, median, upper = np.percentile(errors, (25, 50, 75)).tolist()
    reach = WHISKERS * (upper - lower)
    inside = errors[(errors >= lower - reach) & (errors <= upper + reach)]
    return Box(form, float(inside.min()), lower, median, upper, float(inside.max()), errors.size)


def _gaps(found: Analysis, panel: Panel) -> GapFigure:
    """Each model's way from POS to its weakest other form (Figure 5)."""
    reference, outputs = found.definition.reference, found.panels[panel.name]
    chosen = found.primary(panel).members.chosen
    gaps = []
    for k in chosen:
        alone = found.alone(panel, k)
        others = [alone.form(name) for name in panel.form_names if name != reference]
        worst = min(others, key=lambda form: _or(form.compliance.value, 2.0))
        least = _or(worst.compliance.value, 2.0) + 1e-12
        tied = "/".join(form.form for form in others if _or(form.compliance.value, 2.0) <= least)
        fall = worst.difference.value if worst.difference else None
        note = tied if fall is None else f"{tied} {fall:+.3f}"
        gaps.append(
            Gap(
                outputs.models[k].label,
                alone.form(reference).compliance,
                worst.compliance,
                note,
            )
        )
    gaps.sort(key=lambda gap: -_or(gap.start.value, -1.0))
    return GapFigure(
        name=f"gaps-{panel.name}",
        title=found.titled(f"{panel.title}: from POS to each model's weakest form"),
        axis="share of compliant outputs",
        start=reference,
        end="weakest other form",
        gaps=tuple(gaps),
        bounds=(0.0, 1.0),
        notes=(
            f"As Figure 5. Intervals resample a model's tasks: {reference} above, the other below.",
        ),
    )


def _directions(found: Analysis, panel: Panel, pool: Pool) -> ShareFigure:
    """Under, exact and over (Figure 6)."""
    rows = []
    for form, profile in pool.profiles().items():
        under, over = profile.under.value, profile.over.value
        if under is not None and over is not None:
            rows.append(ShareRow(form, (under, max(0.0, 1.0 - under - over), over)))
    return ShareFigure(
        name=f"directions-{panel.name}",
        title=found.titled(f"{panel.title}: outputs under, on and over the target", pool),
        parts=("under", "exact", "over"),
        rows=tuple(rows),
        notes=(f"As Figure 6; intervals stand in table {panel.name}.",),
    )


def _or(value: float | None, other: float) -> float:
    return other if value is None else value
