"""How far judges are and what they said, condition by condition; a panel below its members."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from core.panels import NO_MAJORITY, OPEN, UNREADABLE
from core.study import WaveItem
from core.tables import Cell, Column, Table
from core.words import counted
from db.file import StudyFile
from db.panels import Panel
from evals.judges.ballots import Ballot, Ballots, ballots, caveats
from evals.registered import judged_on

ALL = "all"
NOTES = (
    "Unreadable: the judge said something that is no verdict; it counts as a member of its panel, "
    "and never against a reply. Open: not asked yet, or the request failed. The same command asks "
    "again about both.",
    "No answer: the reply shows nothing to judge, so no judge was asked.",
)
PANEL = "A panel's verdict is what more than half of all its members said; else no majority."


def status_tables(
    study: StudyFile, chosen: Sequence[Panel], among: Sequence[WaveItem] | None = None
) -> tuple[Table, ...]:
    """Return one table per rubric: verdicts by judge and condition, and what is no verdict.

    Parameters
    ----------
    among
        The frozen items that count; all that were not withdrawn, unless given.
    """
    return tuple(_table(study, panel, among) for panel in chosen)


def titled(study: StudyFile, heading: str, panel: Panel) -> str:
    """Return a heading with what a reader must know before the numbers."""
    standing = judged_on(study, panel.judges)
    named = "; ".join((*caveats(study, panel), *([standing] if standing else [])))
    return f"{heading} ({named})" if named else heading


def _table(study: StudyFile, panel: Panel, among: Sequence[WaveItem] | None) -> Table:
    found = ballots(study, panel, among)
    columns = (
        Column("judged_by", "Judged by"),
        Column("condition", "Condition"),
        Column("replies", "replies", "count"),
        *(Column(verdict, verdict, "count") for verdict in panel.verdicts),
        Column(UNREADABLE, UNREADABLE, "count"),
        *([Column(NO_MAJORITY, "no majority", "count")] if len(panel.judges) > 1 else []),
        Column(OPEN, OPEN, "count"),
        Column("no_answer", "no answer", "count"),
    )
    notes = (*NOTES, PANEL) if len(panel.judges) > 1 else NOTES
    heading = f"Judged under {panel.rubric} by {counted(len(panel.judges), 'judge')}"
    title = titled(study, heading, panel)
    return Table(f"status {panel.rubric}", title, columns, tuple(_rows(found)), notes)


def _rows(found: Ballots) -> Iterator[dict[str, Cell]]:
    panel = found.panel
    for place, label in enumerate(panel.labels):
        for condition, mine in groups(found):
            votes = Counter(ballot.votes[place] for ballot in mine)
            yield _row(found, label, condition, votes)
    if len(panel.judges) > 1:
        for condition, mine in groups(found):
            votes = Counter(ballot.panel for ballot in mine)
            label = panel_of(panel)
            yield {**_row(found, label, condition, votes), NO_MAJORITY: votes[NO_MAJORITY]}


def _row(found: Ballots, label: str, condition: str, votes: Counter[str]) -> dict[str, Cell]:
    no_answer = found.no_answer
    none = sum(no_answer.values()) if condition == ALL else no_answer[condition]
    states = (*found.panel.verdicts, UNREADABLE, OPEN)
    return {
        "judged_by": label,
        "condition": condition,
        "replies": votes.total() + none,
        **{name: votes[name] for name in states},
        "no_answer": none,
    }


def panel_of(panel: Panel) -> str:
    """Return what tables call a panel."""
    return f"panel of {len(panel.judges)}"


def groups(found: Ballots) -> Iterator[tuple[str, list[Ballot]]]:
    """Yield all ballots, then those of each condition."""
    yield ALL, list(found.ballots)
    for condition in found.conditions:
        yield condition, [ballot for ballot in found.ballots if ballot.condition == condition]
