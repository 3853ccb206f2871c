"""What a report says of judges: their verdicts by condition, and their agreement with the parser.

Agreement among judges has more tables than a report bears; ``wavelock judge agreement`` has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.resampling import Resampling
from core.study import WaveItem
from core.tables import Table, split_by
from db.file import StudyFile
from db.panels import Panel, panels
from evals.judges.agreement import agreement_tables
from evals.judges.status import status_tables

VERDICTS, PARSER = "judged", "judges-parser"  # what `wavelock report` calls the two groups


def judged_tables(
    study: StudyFile, among: Sequence[WaveItem], *, seed: int, replicates: int
) -> tuple[Table, ...]:
    """Return the tables on judges; none where no judge was asked about any of the items.

    Parameters
    ----------
    among
        The frozen items that the report is about.
    """
    chosen = panels(study.judges)
    found = zip(chosen, status_tables(study, chosen, among), strict=True)
    asked = [(panel, table) for panel, table in found if any(r["replies"] for r in table.rows)]
    verdicts = (_renamed(table, VERDICTS) for _, table in asked)
    how, panels_asked = Resampling(replicates, seed), [panel for panel, _ in asked]
    return (*verdicts, *_against_parser(study, panels_asked, how, among))


def for_terminal(tables: Sequence[Table]) -> Iterator[Table]:
    """Yield the tables of a report for people: those of judges one by one, as they are narrower."""
    for table in tables:
        if table.name.startswith((f"{VERDICTS}-", f"{PARSER}-")):
            yield from split_by([table], "judged_by")
        else:
            yield table


def _against_parser(
    study: StudyFile, asked: Sequence[Panel], how: Resampling, among: Sequence[WaveItem]
) -> Iterator[Table]:
    """Yield the tables that hold judges against the parser, where it has read anything."""
    for table in agreement_tables(study, asked, how, among):
        if table.name.startswith("parser ") and any(row["conforming"] for row in table.rows):
            yield _renamed(table, PARSER)


def _renamed(table: Table, group: str) -> Table:
    """Return a table under a name that can be typed: of its group, then its rubric."""
    rubric = re.sub(r"[^\w.]+", "-", table.name.partition(" ")[2])
    return replace(table, name=f"{group}-{rubric}")
