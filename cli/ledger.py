"""``wavelock ledger``: what decided, in order."""

from __future__ import annotations

from pathlib import Path

import click

from cli.diagnostics import say
from cli.output import listing, show, width
from core.errors import CheckFailed
from core.words import counted
from db.file import open_study


@click.group("ledger")
def command() -> None:
    """Show and verify the hash-chained list of everything that decided."""


@command.command("show")
@click.option("--kind", "kinds", multiple=True, metavar="EVENT", help='As "wave" or "run closed".')
@click.option("--about", "subjects", multiple=True, metavar="WHAT", help='As "round main", "S01".')
@listing
@click.pass_obj
def show_ledger(path: Path, kinds: tuple[str, ...], subjects: tuple[str, ...], form: str) -> None:
    """Print the ledger as a timeline: what happened, with numbers and short hashes.

    --kind and --about may be repeated; --json and --csv have the whole hashes and payloads.
    """
    from audit.timeline import lines, timeline

    with open_study(path) as study:
        entries = study.ledger.entries()
    table = timeline(entries, kinds=kinds, subjects=subjects, whole=form != "text")
    if form == "text":
        click.echo("\n".join(lines(table, width())))
    else:
        show([table], form)


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
    """Follow the chain and re-derive every digest in it; exit 1 and name what differs.

    Without --head, entries cut from the end are found only by the facts that they leave behind.
    """
    from audit.verify import study_faults

    with open_study(path) as study:
        faults = study_faults(study, published)
        entries = study.ledger.count()
    for fault in faults:
        click.echo(fault)
    if faults:
        raise CheckFailed(f"{counted(len(faults), 'break')}, listed above")
    say(f"ok: {entries:,} entries follow one another, and what they cover is unchanged")
    if published is None:
        say("whether its tail was cut can be told with a published head: --head HASH")
