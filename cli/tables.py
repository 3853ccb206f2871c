"""Every table of a study, in reading order: what the report, the demo and the menu show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.tables import Table
from db.file import StudyFile, open_study
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
    from audit.inclusion import decisions_table
    from evals.verifiers.catalogue import verifier
    from exports.caveats import with_caveats

    suite = load(study.info.suite)
    verifiers = [verifier(name) for name in suite.verifiers]
    data = collect(study, verifiers, seed=seed, replicates=replicates, waves=waves)
    report = suite_report(study, suite, data)
    tables = list(report.tables)
    for campaign in study.rounds.all():
        decisions = study.decisions.of_round(campaign.id)
        if not decisions:
            continue
        tables.append(agreement_table(study, campaign, seed=seed))
        tables.append(
            decisions_table(
                campaign, decisions, committed=True, simulated=simulated(study, campaign)
            )
        )
    tables += construction_tables(study, replicates=replicates, seed=seed)
    told = tuple(with_caveats(table) for table in tables)
    return Report(told, report.figures, report.provenance)


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
