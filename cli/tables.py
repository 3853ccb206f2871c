"""Every table of a study, in reading order: what the report, the demo and the menu show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from core.subsets import EVERYTHING, Subset
from core.tables import Table
from core.verifiers import asked_for
from db.file import StudyFile, open_study
from exports.provenance import analysis_version
from exports.report import Report, collect, suite_report
from suites.registry import load

SEED = 1
REPLICATES = 10_000


def full_report(
    study: StudyFile,
    *,
    seed: int = SEED,
    replicates: int = REPLICATES,
    subset: Subset = EVERYTHING,
) -> Report:
    """Return the suite's tables, agreement and decisions of rounds, judges, and the construction.

    Each of them names the subset that it is restricted to, and what was left out; the
    construction is that of all candidates, and says so.
    """
    from audit.agreement import agreement_table, simulated
    from audit.construction import construction_tables
    from audit.inclusion import decisions_table, exploratory
    from db.panels import panels
    from evals.judges.of_record import verdicts_of_record
    from evals.judges.reported import judged_tables
    from evals.verifiers.catalogue import verifier
    from exports.caveats import with_caveats
    from exports.families import family_tables
    from exports.marks import mark, mark_figure, report_marks, round_marks
    from exports.subsets import told, unrestricted

    selection = study.waves.selected(subset)
    suite = load(study.info.suite)
    verifiers = [verifier(name) for name in asked_for(i.document for i in selection.items)]
    judged = verdicts_of_record(study, suite.rubrics, panels(study.judges), selection.items)
    data = collect(
        study,
        verifiers,
        seed=seed,
        replicates=replicates,
        selection=selection,
        surveyed=suite.surveyed,
        judged=judged,
    )
    report = suite_report(study, suite, data, selection)
    ids = {item.wave for item in selection.items}
    reported = [wave for wave in study.waves.all() if wave.id in ids]
    code = analysis_version()
    among = selection.cells if selection.restricted else None
    marks = report_marks(
        study,
        reported,
        code=code,
        seed=seed,
        replicates=replicates,
        subset=selection.subset,
        judged=judged,
    )
    tables = [mark(table, marks) for table in report.tables]
    tables += family_tables(study.registrations.current(), tables, data.caveats)
    for campaign in study.rounds.all():
        decisions = [
            decision
            for decision in study.decisions.of_round(campaign.id)
            if among is None or decision.scenario in selection.scenarios
        ]
        if not decisions:
            continue
        agreement = agreement_table(study, campaign, seed=seed, among=among)
        standing = round_marks(study, campaign, code=code, seed=seed, subset=selection.subset)
        tables.append(mark(agreement, standing))
        tables.append(
            decisions_table(
                campaign,
                decisions,
                committed=True,
                simulated=simulated(study, campaign),
                exploratory=exploratory(study, campaign),
            )
        )
    tables += judged_tables(study, selection.items, seed=seed, replicates=replicates)
    figures = (told(mark_figure(figure, tables), selection) for figure in report.figures)
    # Candidates are those of the whole study, frozen or not: no subset restricts these.
    candidates = [
        mark(table, replace(marks, runs={}))
        for table in construction_tables(study, replicates=replicates, seed=seed)
    ]
    return Report(
        (
            *(told(with_caveats(table), selection) for table in tables),
            *(unrestricted(with_caveats(table), selection) for table in candidates),
        ),
        tuple(figures),
        report.provenance,
    )


def in_short(tables: Sequence[Table]) -> tuple[Table, ...]:
    """Return the tables of a report that is read at a terminal: not those of a row per candidate.

    They are printed when they are asked for, and stand on the page and in the JSON.
    """
    from audit.construction import ONE_BY_ONE

    return tuple(table for table in tables if table.name not in ONE_BY_ONE)


def all_tables(path: Path) -> tuple[Table, ...]:
    """Return every table of the study at a path."""
    with open_study(path) as study:
        return full_report(study).tables
