"""How far a judge that is asked several times about one reply agrees with itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from core.resampling import Resampling
from core.tables import Cell, Column, Table
from db.file import StudyFile
from evals.judges.ballots import Ballots
from evals.judges.panel_table import runs_of
from evals.judges.status import groups, titled
from stats.means import mean_by_cluster

COLUMNS = (
    Column("judged_by", "Judged by"),
    Column("condition", "Condition"),
    Column("same", "same verdict", "share"),
    Column("replies", "n", "count"),
    Column("left_out", "left out", "count"),
)


def stability_table(study: StudyFile, found: Ballots, how: Resampling) -> Table:
    """Return the share of replies on which a judge said the same each time, by condition."""
    panel, rows = found.panel, []
    for judge, label in zip(panel.judges, panel.labels, strict=True):
        said = _verdicts(study, judge.id)
        rows += [{"judged_by": label, **row} for row in _rows(found, said, how)]
    notes = (
        "Over replies with two readable verdicts of the judge or more (n): on how many all of them "
        "are the same. Left out: with one readable verdict or none. A judge at temperature 0 that "
        "says the same each time has said it once.",
        f"{how.over('scenarios with all their replies')}.",
    )
    return Table(
        f"stability {panel.rubric}",
        titled(study, f"Judges asked several times under {panel.rubric}", panel),
        COLUMNS,
        tuple(rows),
        notes,
        runs=runs_of(found, rows),
    )


def _verdicts(study: StudyFile, judge: int) -> Mapping[int, list[str]]:
    """Return by generation what can be read of all that a judge said about it."""
    found = defaultdict[int, list[str]](list)
    for said in study.judges.last(judge):
        if said.verdict is not None:
            found[said.generation].append(said.verdict)
    return found


def _rows(
    found: Ballots, said: Mapping[int, list[str]], how: Resampling
) -> Iterator[dict[str, Cell]]:
    for condition, mine in groups(found):
        several = [b for b in mine if len(said.get(b.generation, ())) > 1]
        same = [float(len(set(said[ballot.generation])) == 1) for ballot in several]
        scenarios = [ballot.scenario for ballot in several]
        why = "no reply with two readable verdicts"
        yield {
            "condition": condition,
            "same": mean_by_cluster(same, scenarios, why=why, **how.again),
            "replies": len(several),
            "left_out": len(mine) - len(several),
        }
