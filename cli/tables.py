"""Every table of a study, in reading order: what the report, the demo and the menu show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

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
    waves: tuple[int, ...] | None = None,
) -> Report:
    """Return the suite's tables, agreement and decisions of the rounds, and the construction."""
    from audit.agreement import agreement_table, simulated
    from audit.construction import construction_tables
    from audit.inclusion import decisions_table, exploratory
    from evals.verifiers.catalogue import verifier
    from exports.caveats import with_caveats
    from exports.families import family_tables
    from exports.marks import mark, mark_figure, report_marks, round_marks

    suite = load(study.info.suite)
    asked = asked_for(item.document for item in study.waves.items(waves))
    verifiers = [verifier(name) for name in asked]
    data = collect(study, verifiers, seed=seed, replicates=replicates, waves=waves)
    report = suite_report(study, suite, data)
    reported = [wave for wave in study.waves.all() if waves is None or wave.number in waves]
    code = analysis_version()
    marks = report_marks(study, reported, code=code, seed=seed, replicates=replicates)
    tables = [mark(table, marks) for table in report.tables]
    tables += family_tables(study.registrations.current(), tables, data.caveats)
    for campaign in study.rounds.all():
        decisions = study.decisions.of_round(campaign.id)
        if not decisions:
            continue
        agreement = agreement_table(study, campaign, seed=seed)
        tables.append(mark(agreement, round_marks(study, campaign, code=code, seed=seed)))
        tables.append(
            decisions_table(
                campaign,
                decisions,
                committed=True,
                simulated=simulated(study, campaign),
                exploratory=exploratory(study, campaign),
            )
        )
    tables += construction_tables(study, replicates=replicates, seed=seed)
    figures = tuple(mark_figure(figure, tables) for figure in report.figures)
    return Report(tuple(with_caveats(table) for table in tables), figures, report.provenance)


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
