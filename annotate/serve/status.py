"""Who is on: what the study knows of those at work, with what the server knows of their doors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotate.serve.state import Running
from core.tables import Cell, Column, Table
from db.sittings import AtWork

COLUMNS = (
    Column("person", "Person"),
    Column("round", "Round"),
    Column("role", "Role"),
    Column("seat", "seat", "count"),
    Column("door", "Door"),
    Column("since", "since (UTC)"),
    Column("seen", "last sign (UTC)"),
)
HERE = "this machine"  # not through the server
SIGNS = "A sign of life comes every half minute, and with every answer."


def status_table(at_work: Sequence[AtWork], running: Running | None) -> Table:
    """Return who is at work, through which door; pseudonyms alone."""
    doors = {visitor.process: visitor.door for visitor in running.visitors} if running else {}
    rows = tuple(_row(each, doors) for each in at_work)
    return Table(
        "serving",
        f"{len(rows)} at work; {_server(at_work, running)}",
        COLUMNS,
        rows,
        (SIGNS,),
        empty="nobody is at work",
    )


def _row(each: AtWork, doors: Mapping[str, str]) -> Mapping[str, Cell]:
    return {
        "person": each.pseudonym,
        "round": each.round,
        "role": each.role,
        "seat": each.seat,
        "door": doors.get(each.process, HERE),
        "since": _moment(each.started_at),
        "seen": _moment(each.seen_at),
    }


def _server(at_work: Sequence[AtWork], running: Running | None) -> str:
    """Say in a few words what the server does."""
    if running is None:
        return "no server is running"
    seated = {each.process for each in at_work}
    before = sum(visitor.process not in seated for visitor in running.visitors)
    where = ", ".join(f"{door} on {at}" for door, at in running.doors.items())
    return f"serving {where}; {before} not at a seat yet"


def _moment(at: str) -> str:
    return at[:19].replace("T", " ")
