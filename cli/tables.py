"""Every table of a study, in reading order: what the report, the demo and the menu show."""

from __future__ import annotations

from pathlib import Path

from core.tables import Table
from core.verifiers import asked_for
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
    """Return the suite's tables, then agreement and decisions of the rounds that count."""
    from audit.agreement import agreement_table, simulated
    from audit.inclusion import decisions_table
    from evals.verifiers.catalogue import verifier
    from exports.caveats import with_caveats

    suite = load(study.info.suite)
    asked = asked_for(item.document for item in study.waves.items(waves))
    verifiers = [verifier(name) for name in asked]
    data = collect(
        study,
        verifiers,
        seed=seed,
        replicates=replicates,
        waves=waves,
        surveyed=suite.surveyed,
    )
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
    told = tuple(with_caveats(table) for table in tables)
    return Report(told, report.figures, report.provenance)


def all_tables(path: Path) -> tuple[Table, ...]:
    """Return every table of the study at a path."""
    with open_study(path) as study:
        return full_report(study).tables
