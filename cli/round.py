"""``wavelock round``: plan, open, follow and close a round."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from cli.diagnostics import say
from cli.output import listing, show
from cli.round_plan import check, plan, rehearse, simulate
from cli.seats import replace, reports, seats
from cli.status import command as status
from core.rules import QUESTIONS
from core.tables import Cell, Column, Table
from core.words import counted
from db.file import open_study


@click.group("round")
def command() -> None:
    """Plan, open, follow and close rounds of rating and auditing."""


for part in (plan, check, simulate, rehearse, status, seats, reports, replace):
    command.add_command(part)


@command.command("open")
@click.argument("name")
@click.option("--exploratory", is_flag=True, help="Open without a plan; whatever follows says so.")
@click.pass_obj
def open_round(path: Path, name: str, *, exploratory: bool) -> None:
    """Open a round: its rule and plan enter the ledger, hashed, before the first rating.

    A main round must be preregistered, or be called exploratory.
    """
    from audit.standing import open_round as begin

    with open_study(path) as study:
        opened = begin(study, study.rounds.named(name), exploratory=exploratory)
        registered = study.registrations.of_round(opened.id)
    if opened.kind == "main" or registered:
        say(f"round {name} is preregistered: {registered}" if registered
            else f"round {name} is exploratory: whatever rests on it will say so")  # fmt: skip
    say(f"round {name} is open; people start with: wavelock rate, or wavelock audit")


@command.command("close")
@click.argument("name")
@click.option("--incomplete", is_flag=True, help="Close although not everything is answered.")
@click.pass_obj
def close_round(path: Path, name: str, *, incomplete: bool) -> None:
    """Close a round: ratings and audits can no longer change."""
    with open_study(path) as study:
        closed = study.rounds.named(name)
        study.rounds.close(closed.id, incomplete=incomplete)
    if closed.grading:
        following = f"grading agreement {shlex.quote(name)}"
    else:
        following = "report" if closed.form.lacks(QUESTIONS) else f"include {shlex.quote(name)}"
    say(f"round {name} is closed; next: wavelock {following}")


@command.command("list")
@listing
@click.pass_obj
def list_rounds(path: Path, form: str) -> None:
    """List the rounds."""
    with open_study(path) as study:
        rows: list[dict[str, Cell]] = []
        for campaign in study.rounds.all():
            progress = study.rounds.progress(campaign.id)
            rows.append(
                {
                    "round": campaign.name,
                    "kind": campaign.kind,
                    "design": campaign.design,
                    "source": campaign.source,
                    "state": campaign.state,
                    "done": f"{sum(p.done for p in progress)} of {sum(p.total for p in progress)}",
                }
            )
    columns = tuple(Column(k, k) for k in ("round", "kind", "design", "source", "state", "done"))
    show([Table("rounds", counted(len(rows), "round"), columns, tuple(rows))], form)
