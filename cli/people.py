"""``wavelock people``: raters and auditors by pseudonym; nothing else is known of anybody."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from cli.diagnostics import say
from cli.numbers import Whole
from cli.output import listing, show
from cli.seats import ROLE
from core.errors import InputError
from core.study import CodeStatus, PersonStatus, Role
from core.tables import Cell, Column, Table
from core.words import counted
from db.file import StudyFile, open_study

SEAT = Whole(1)
YES = click.option("--yes", is_flag=True, help="Go on without asking.")
PEOPLE = (
    Column("person", "Person"),
    Column("kind", "Kind"),
    Column("state", "State"),
    Column("seats", "Seats"),
    Column("ratings", "ratings", "count"),
    Column("audits", "audits", "count"),
)
CODES = (
    Column("handle", "Handle"),
    Column("round", "Round"),
    Column("role", "Role"),
    Column("seat", "seat", "count"),
    Column("made", "made (UTC)"),
    Column("revoked", "revoked (UTC)"),
)


@click.group("people")
def command() -> None:
    """Raters and auditors, by pseudonym alone."""


@command.command("list")
@click.option("--codes", is_flag=True, help="The access codes instead, by their handles.")
@listing
@click.pass_obj
def list_people(path: Path, form: str, *, codes: bool) -> None:
    """List everybody with their seats, and how much of what they gave counts."""
    with open_study(path) as study:
        table = _codes(study.people.codes()) if codes else _people(study.people.all())
    show([table], form)


@command.command("invite")
@click.argument("name", metavar="ROUND")
@click.argument("number", metavar="SEAT", type=SEAT)
@ROLE
@click.pass_obj
def invite(path: Path, name: str, number: int, role: Role) -> None:
    """Make another access code for SEAT of ROUND, and show it once.

    Whoever sits there keeps the seat: a second code is for a code that was lost. For another person
    there is ``wavelock round replace``.
    """
    with open_study(path) as study:
        code = study.seats.invite(study.seats.find(study.rounds.named(name).id, number, role))
    click.echo(code)
    say(f"the code above opens {role} seat {number} of {name}; it is not stored, keep it")


@command.command("revoke")
@click.argument("handle", required=False)
@click.option("--round", "name", help="Instead of a handle: every code of a seat of this round.")
@click.option("--seat", "number", type=SEAT)
@ROLE
@click.pass_obj
def revoke(
    path: Path, handle: str | None, name: str | None, number: int | None, role: Role
) -> None:
    """Revoke the code that begins with HANDLE, or every code of a seat."""
    if (handle is None) == (name is None) or (name is None) != (number is None):
        raise InputError("name a HANDLE (wavelock people list --codes), or --round and --seat")
    with open_study(path) as study:
        if handle is not None:
            code = study.people.revoke(handle)
            say(f"the code {code.handle} no longer opens {code.role} seat {code.seat} "
                f"of {code.round}")  # fmt: skip
        else:
            say(_revoke_seat(study, str(name), int(number or 0), role))


@command.command("withdraw")
@click.argument("pseudonym")
@YES
@click.pass_obj
def withdraw(path: Path, pseudonym: str, *, yes: bool) -> None:
    """Let a person withdraw: from now on their ratings and audits count nowhere."""
    with open_study(path) as study:
        study.people.named(pseudonym)  # nobody is asked about a person who is not there
        _make_sure("From now on nothing that this person gave counts.", yes=yes)
        done = study.withdrawals.withdraw(pseudonym)
    say(f"{done.person} has withdrawn: {done.ratings} ratings and {done.audits} audits no longer "
        f"count (rounds: {', '.join(done.rounds) or 'none'})")  # fmt: skip
    say(f"to erase what they said as well: wavelock people erase {done.person}")


@command.command("erase")
@click.argument("pseudonym")
@YES
@click.pass_obj
def erase(path: Path, pseudonym: str, *, yes: bool) -> None:
    """Erase what a person said who has withdrawn; hashes stay, so that the ledger verifies."""
    with open_study(path) as study:
        study.people.named(pseudonym)
        _make_sure("What this person said will be gone, but for hashes.", yes=yes)
        done = study.withdrawals.erase(pseudonym)
    say(f"what {done.person} said is erased: {done.ratings} ratings, {done.audits} audits")
    if not done.gone:
        say("note: another program has the study open; close it, so that its log is cut as well")


@command.command("completion")
@click.argument("code")
@click.pass_obj
def completion(path: Path, code: str) -> None:
    """Say whose completion CODE it is, by seat and pseudonym, and whether the seat is finished."""
    with open_study(path) as study:
        found = study.completions.find(code)
    state = "finished" if found.finished else "not finished"
    click.echo(f"{found.role} seat {found.seat} of {found.round}, {found.person}: {state}")


def _make_sure(what: str, *, yes: bool) -> None:
    """Ask before what cannot be undone, beside the data; a script says so beforehand."""
    try:
        sure = yes or click.confirm(f"{what} This cannot be undone. Go on?", err=True)
    except click.Abort as error:
        if sys.stdin.isatty():
            raise  # Ctrl-C
        raise InputError("nobody answered, and nothing was changed; a script says --yes") from error
    if not sure:
        raise InputError("nothing was changed")


def _revoke_seat(study: StudyFile, name: str, number: int, role: Role) -> str:
    seat = study.seats.find(study.rounds.named(name).id, number, role)
    count = study.people.revoke_codes(seat.id)
    return f"{counted(count, 'code')} of {role} seat {number} of {name} revoked"


def _people(found: tuple[PersonStatus, ...]) -> Table:
    rows: tuple[dict[str, Cell], ...] = tuple(
        {
            "person": entry.person.pseudonym,
            "kind": entry.person.kind,
            "state": entry.state,
            "seats": "; ".join(entry.seats),
            "ratings": entry.ratings,
            "audits": entry.audits,
        }
        for entry in found
    )
    notes = ("Ratings and audits are those that count.",)
    return Table("people", f"{len(rows)} people", PEOPLE, rows, notes)


def _codes(found: tuple[CodeStatus, ...]) -> Table:
    rows: tuple[dict[str, Cell], ...] = tuple(
        {
            "handle": code.handle,
            "round": code.round,
            "role": code.role,
            "seat": code.seat,
            "made": code.created_at[:16].replace("T", " "),
            "revoked": (code.revoked_at or "")[:16].replace("T", " "),
        }
        for code in found
    )
    return Table("codes", f"{len(rows)} access codes", CODES, rows)
