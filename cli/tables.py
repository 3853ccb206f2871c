"""Every table of a study, in reading order: what the report, the demo and the menu show."""

from __future__ import annotations

from pathlib import Path

from core.subsets import EVERYTHING, Subset
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
    subset: Subset = EVERYTHING,
) -> Report:
    """Return the suite's tables, then agreement and decisions of the rounds that count.

    Each of them names the subset that it is restricted to, and what was left out.
    """
    from audit.agreement import agreement_table, simulated
    from audit.inclusion import decisions_table
    from evals.verifiers.catalogue import verifier
    from exports.caveats import with_caveats
    from exports.subsets import told

    selection = study.waves.selected(subset)
    suite = load(study.info.suite)
    verifiers = [verifier(name) for name in asked_for(i.document for i in selection.items)]
    data = collect(study, verifiers, seed=seed, replicates=replicates, selection=selection)
    report = suite_report(study, suite, data, selection)
    tables = list(report.tables)
    among = selection.cells if selection.restricted else None
    for campaign in study.rounds.all():
        decisions = [
            decision
            for decision in study.decisions.of_round(campaign.id)
            if among is None or decision.scenario in selection.scenarios
        ]
        if not decisions:
            continue
        tables.append(agreement_table(study, campaign, seed=seed, among=among))
        tables.append(
            decisions_table(
                campaign, decisions, committed=True, simulated=simulated(study, campaign)
            )
        )
    return Report(
        tuple(told(with_caveats(table), selection) for table in tables),
        tuple(told(figure, selection) for figure in report.figures),
        report.provenance,
    )


def all_tables(path: Path) -> tuple[Table, ...]:
    """Return every table of the study at a path."""
    with open_study(path) as study:
        return full_report(study).tables
