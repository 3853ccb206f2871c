"""``wavelock ledger``: what decided, in order."""

from __future__ import annotations

from pathlib import Path

import click

from cli.diagnostics import say
from cli.output import listing, show
from core.errors import CheckFailed
from core.hashing import canonical
from core.tables import Cell, Column, Table
from core.words import counted
from db.file import open_study


@click.group("ledger")
def command() -> None:
    """Show and verify the hash-chained list of everything that decided."""


@command.command("show")
@listing
@click.pass_obj
def show_ledger(path: Path, form: str) -> None:
    """Print the ledger as a timeline."""
    with open_study(path) as study:
        rows: tuple[dict[str, Cell], ...] = tuple(
            {
                "sequence": entry.sequence,
                "at": entry.at,
                "event": entry.event,
                "payload": canonical(entry.payload),
                "hash": entry.hash if form != "text" else f"{entry.hash[:19]}…",
            }
            for entry in study.ledger.entries()
        )
    columns = (
        Column("sequence", "no.", "count"),
        Column("at", "When"),
        Column("event", "Event"),
        Column("payload", "What"),
        Column("hash", "Hash"),
    )
    show([Table("ledger", counted(len(rows), "entry", "entries"), columns, rows)], form)


@command.command("head")
@click.pass_obj
def head(path: Path) -> None:
    """Print the hash of the newest entry: the one to publish."""
    with open_study(path) as study:
        click.echo(study.ledger.head())


@command.command("verify")
@click.option("--head", "published", help="A head that was published; finds a cut tail.")
@click.pass_obj
def verify(path: Path, published: str | None) -> None:
    """Follow the chain and re-derive every digest in it; exit 1 at the first break."""
    from audit.verify import study_faults

    with open_study(path) as study:
        faults = study_faults(study, published)
        entries = len(study.ledger.entries())
    for fault in faults:
        click.echo(fault)
    if faults:
        raise CheckFailed(f"{counted(len(faults), 'break')}, listed above")
    say(f"ok: {entries} entries follow one another, and what they cover is unchanged")
