"""Which numbers of a report were preregistered: marked one by one, with the reason why not.

A number is preregistered when its metric is named in the plan, the analysis code, seed and
replicates are those of the plan, and every round and run below it was begun on the plan. A plan is
about all that is frozen, so nothing that an analysis was restricted to afterwards is preregistered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from core.estimate import Estimate
from core.figures import Figure
from core.judging import PanelVerdicts
from core.registration import Registration, late_by
from core.study import Round, Wave
from core.subsets import EVERYTHING, Subset
from core.tables import Cell, Table
from db.file import StudyFile
from exports.cells import REGISTERED

Drawn = TypeVar("Drawn", bound=Figure)
ELSEWHERE = "Which of its numbers are preregistered, the tables say."


@dataclass(frozen=True, slots=True)
class Marks:
    """What may be called preregistered in one report.

    Attributes
    ----------
    told
        How the plan is called; empty when there is none.
    whole
        Why no number at all may be called so.
    metrics
        The registered metrics, each with the reason why it does not count; ``""`` when it does.
    runs
        The runs that do not stand on the plan, with the reason.
    """

    told: str = ""
    whole: tuple[str, ...] = ()
    metrics: Mapping[str, str] = field(default_factory=dict)
    runs: Mapping[int, str] = field(default_factory=dict)


def report_marks(
    study: StudyFile,
    waves: Sequence[Wave],
    *,
    code: str,
    seed: int,
    replicates: int,
    subset: Subset = EVERYTHING,
    judged: Mapping[str, PanelVerdicts] | None = None,
) -> Marks:
    """Return the marks of a suite's tables over some waves.

    Where the suite scores by judges (`judged`), its tables may rest on them in any number.
    """
    rounds = dict.fromkeys(name for wave in waves for name in wave.header.get("rounds", {}))
    found = _marks(study, [study.rounds.named(name) for name in rounds], code, seed, subset)
    current = study.registrations.current()
    panels = [each for each in (judged or {}).values() if each.exploratory and current]
    reasons = (f"judges under {each.rubric} are {each.exploratory}" for each in panels)
    found = replace(found, whole=(*found.whole, *reasons))
    planned = current.document["analysis"]["replicates"] if current else replicates
    if replicates != planned:
        reason = f"{replicates:,} replicates instead of {planned:,}"
        return replace(found, whole=(*found.whole, reason))
    return found


def round_marks(
    study: StudyFile, campaign: Round, *, code: str, seed: int, subset: Subset = EVERYTHING
) -> Marks:
    """Return the marks of tables over one round's ratings; no run is below them."""
    return replace(_marks(study, [campaign], code, seed, subset), runs={})


def _marks(
    study: StudyFile, rounds: Sequence[Round], code: str, seed: int, subset: Subset
) -> Marks:
    versions = study.registrations.versions()
    current = study.registrations.current()
    if current is None:
        return Marks(whole=("nothing is preregistered",))
    standing = study.registrations
    return Marks(
        told=_told(current),
        whole=(
            *_analysis(versions, code, seed),
            *([f"the analysis was restricted: {subset.words}"] if subset.words else []),
            *(
                f"round {campaign.name} is exploratory"
                for campaign in rounds
                if standing.of_round(campaign.id) is None
            ),
        ),
        metrics={name: _late(versions, name) for name in current.document["analysis"]["metrics"]},
        runs={
            run.id: f"run {run.id} {'was imported' if run.imported else 'is exploratory'}"
            for run in study.runs.all()
            if standing.of_run(run.id) is None
        },
    )


def _told(current: Registration) -> str:
    times = f", amendment {current.number}" if current.number else ""
    return f"{current.hash[:19]}…{times}"


def _analysis(versions: Sequence[Registration], code: str, seed: int) -> Iterator[str]:
    planned = versions[-1].document
    if code != planned["code"]:
        yield "the analysis code is not the registered one"
    if seed != planned["analysis"]["seed"]:
        yield f"seed {seed} instead of {planned['analysis']['seed']}"
    for version in versions[1:]:
        for change in version.changes:
            if version.late and change.field in ("analysis.seed", "analysis.replicates"):
                what = change.field.removeprefix("analysis.")
                yield f"{what} changed by amendment {version.number}, after {_when(version)}"


def _late(versions: Sequence[Registration], metric: str) -> str:
    """Say why a metric came too late; nothing where it came in time."""
    return late_by(versions, lambda document: metric in document["analysis"]["metrics"])


def _when(version: Registration) -> str:
    return f"{version.known.ratings:,} ratings and {version.known.generations:,} outputs"


def mark(table: Table, marks: Marks) -> Table:
    """Return a table with every estimate marked, and a note that says why not."""
    reasons: dict[str, list[str]] = {}
    registered = 0
    rows: list[Mapping[str, Cell]] = []
    for place, row in enumerate(table.rows):
        marked = dict(row)
        for key, cell in row.items():
            if isinstance(cell, Estimate):
                why = _why(table, place, key, marks)
                marked[key] = replace(cell, standing="exploratory" if why else "preregistered")
                registered += not why
                for reason, about in why[:1]:
                    reasons.setdefault(reason, []).append(about)
        rows.append(marked)
    note = _note(reasons, marks, registered)
    return replace(table, rows=tuple(rows), notes=(*table.notes, *note)) if note else table


def _why(table: Table, place: int, key: str, marks: Marks) -> list[tuple[str, str]]:
    """Return why a number is exploratory, each reason with what it is about."""
    headings = {column.key: column.heading for column in table.columns}
    label = str(table.rows[place].get(table.columns[0].key))
    runs = tuple(marks.runs) if table.runs is None else table.runs[place]
    late = marks.metrics.get(f"{table.name}.{key}", "not among the registered metrics")
    return [
        *((reason, "") for reason in marks.whole),
        *((marks.runs[run], label) for run in runs if run in marks.runs),
        *([(late, headings.get(key, key))] if late else []),
    ]


def _note(reasons: Mapping[str, list[str]], marks: Marks, registered: int) -> tuple[str, ...]:
    if not reasons:
        return (f"{REGISTERED} Preregistered: {marks.told}.",) if registered else ()
    told = "; ".join(_about(reason, names) for reason, names in reasons.items())
    if not registered:
        return (f"Exploratory, every number: {told}.",)
    return (f"{REGISTERED} Preregistered: {marks.told}. All others are exploratory: {told}.",)


def _about(reason: str, names: Sequence[str]) -> str:
    named = ", ".join(name for name in dict.fromkeys(names) if name)
    return f"{named}: {reason}" if named else reason


def mark_figure(figure: Drawn, tables: Sequence[Table]) -> Drawn:
    """Return a figure with a note on the numbers that it draws, as its tables mark them.

    A figure that names no columns points to the tables.
    """
    if not figure.metrics:
        return replace(figure, notes=(*figure.notes, ELSEWHERE))
    found: dict[str, list[str]] = {}
    for table in tables:
        for row in table.rows:
            for key, cell in row.items():
                metric = f"{table.name}.{key}"
                if isinstance(cell, Estimate) and cell.standing and metric in figure.metrics:
                    label = f"{row.get(table.columns[0].key)} ({metric})"
                    found.setdefault(cell.standing, []).append(label)
    if not found:
        return figure
    if len(found) == 1:
        told = f"{next(iter(found)).capitalize()}, every number"
    else:
        told = "; ".join(f"{word}: {', '.join(labels)}" for word, labels in found.items())
        told = told[0].upper() + told[1:]
    return replace(figure, notes=(*figure.notes, f"{told}."))
