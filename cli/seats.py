"""``wavelock round seats``, ``reports`` and ``replace``: looking after people in an open round."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from cli.diagnostics import say
from cli.numbers import Whole
from cli.output import listing, show
from core.study import Role, SeatStatus
from core.tables import Cell, Column, Table
from core.words import counted
from db.file import open_study
from db.said import ItemReport

ROLE = click.option(
    "--role", type=click.Choice(["rater", "auditor"]), default="rater", show_default=True
)
COLUMNS = (
    Column("role", "Role"),
    Column("seat", "seat", "count"),
    Column("person", "Person"),
    Column("state", "State"),
    Column("done", "done", "count"),
    Column("total", "of", "count"),
    Column("last", "last answer (UTC)"),
    Column("idle", "idle"),
)

REPORTS = (
    Column("item", "Item"),
    Column("revision", "revision", "count"),
    Column("seat", "seat", "count"),
    Column("person", "Person"),
    Column("at", "reported (UTC)"),
    Column("text", "What is wrong"),
)


@click.command("seats")
@click.argument("name", metavar="ROUND")
@listing
@click.pass_obj
def seats(path: Path, name: str, form: str) -> None:
    """Show every seat: who sits there, by pseudonym, and since when nothing has come from them."""
    with open_study(path) as study:
        campaign = study.rounds.named(name)
        found = study.seats.status(campaign.id)
    title = f"Seats of round {name} ({campaign.kind}), which is {campaign.state}"
    limit = f"A seat that is idle for more than {spell(campaign.idle_limit)} is called abandoned."
    show([Table("seats", title, COLUMNS, tuple(_row(seat) for seat in found), (limit,))], form)
    abandoned = [seat for seat in found if seat.abandoned]
    for status in abandoned:
        role = " --role auditor" if status.seat.role == "auditor" else ""
        seat = f"{shlex.quote(name)} {status.seat.number}{role}"
        say(f"abandoned; next: wavelock round replace {seat}")


@click.command("reports")
@click.argument("name", metavar="ROUND")
@listing
@click.pass_obj
def reports(path: Path, name: str, form: str) -> None:
    """List the problems that raters reported, by item; who withdrew is left out."""
    with open_study(path) as study:
        found = study.said.reports_of_round(study.rounds.named(name).id)
    items = counted(len({(report.scenario, report.condition) for report in found}), "item")
    title = f"{counted(len(found), 'problem')} reported in round {name}, on {items}"
    rows = tuple(_report(report) for report in sorted(found, key=_by_item))
    show([Table("reports", title, REPORTS, rows)], form)


@click.command("replace")
@click.argument("name", metavar="ROUND")
@click.argument("number", metavar="SEAT", type=Whole(1))
@ROLE
@click.pass_obj
def replace(path: Path, name: str, number: int, role: Role) -> None:
    """Give SEAT of ROUND to somebody new, who inherits the list in the same order.

    The old code stops working; the new one is shown once.
    """
    with open_study(path) as study:
        campaign = study.rounds.named(name)
        done = study.seats.replace(study.seats.find(campaign.id, number, role))
        out = [
            p for p in study.packets.all(campaign.id) if (p.seat, p.state) == (number, "revoked")
        ]
    click.echo(done.code)
    count, fate = (done.void, "void") if done.void else (done.kept, "kept")
    told = f"{counted(count, 'answer')} {fate}"
    say(f"{done.former} has left {role} seat {number} of {name}: {told}, {done.left} to do")
    for packet in out if role == "rater" else ():
        say(f"packet {packet.name} of this seat is no longer taken, whatever is in it")
    say("the code above is for the replacement; it is not stored, keep it")


def _row(status: SeatStatus) -> dict[str, Cell]:
    idle = "" if status.idle_minutes is None else spell(status.idle_minutes)
    return {
        "role": status.seat.role,
        "seat": status.seat.number,
        "person": status.person or "nobody",
        "state": status.state,
        "done": status.done,
        "total": status.total,
        "last": (status.last_at or "")[:16].replace("T", " "),
        "idle": f"{idle}, abandoned" if status.abandoned else idle,
    }


def _by_item(report: ItemReport) -> tuple[str, str, str]:
    return report.scenario, report.condition, report.at


def _report(report: ItemReport) -> dict[str, Cell]:
    return {
        "item": f"{report.scenario}/{report.condition}",
        "revision": report.revision,
        "seat": report.seat,
        "person": report.person,
        "at": report.at[:16].replace("T", " "),
        "text": report.text,
    }


def spell(minutes: int) -> str:
    """Return a duration in the two units that matter.

    Examples
    --------
    >>> spell(5), spell(130), spell(72 * 60)
    ('5 min', '2 h 10 min', '3 d')
    """
    days, rest = divmod(minutes, 24 * 60)
    hours, left = divmod(rest, 60)
    units = ((days, "d"), (hours, "h"), (left, "min"))
    parts = [f"{count} {unit}" for count, unit in units if count]
    return " ".join(parts[:2]) or "0 min"
