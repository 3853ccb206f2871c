"""``wavelock sets``: which models an analysis is over, declared with a reason."""

from __future__ import annotations

from pathlib import Path

import click

from cli.diagnostics import say
from cli.output import listing, show
from cli.subset import split
from core.errors import NotFound
from core.tables import Column, Table
from core.words import counted
from db.file import open_study


@click.group("sets")
def command() -> None:
    """Declare sets of models (primary, shared, ...), and show them with their reasons."""


@command.command("declare")
@click.argument("name")
@click.option("--models", required=True, help="Comma-separated, as `wavelock runs list` has them.")
@click.option("--reason", required=True, help="Why these, and why no others.")
@click.pass_obj
def declare(path: Path, name: str, models: str, reason: str) -> None:
    """Declare NAME as a set of models; the ledger keeps every declaration."""
    with open_study(path) as study:
        declared = study.sets.declare(name, split(models) or (), reason)
        run = {entry.model for entry in study.runs.all()}
    say(
        f"set {declared.name}, version {declared.version}: "
        f"{counted(len(declared.models), 'model')}; the ledger has it"
    )
    if absent := [model for model in declared.models if model not in run]:
        say(f"note: not run yet: {', '.join(absent)}")


@command.command("show")
@click.argument("name", required=False)
@listing
@click.pass_obj
def show_sets(path: Path, name: str | None, form: str) -> None:
    """List all declarations, or those of NAME; the newest of a name stands."""
    with open_study(path) as study:
        standing = study.sets.all()
        found = [each for each in study.sets.every() if name in (None, each.name)]
    if name is not None and not found:
        known = ", ".join(each.name for each in standing) or "none yet"
        raise NotFound(f"there is no set {name!r}; declared are: {known}")
    columns = (
        Column("set", "Set"),
        Column("version", "version", "count"),
        Column("state", "State"),
        Column("models", "Models"),
        Column("reason", "Reason"),
        Column("declared", "Declared"),
    )
    rows = tuple(
        {
            "set": each.name,
            "version": each.version,
            "state": "stands" if each in standing else "replaced",
            "models": ", ".join(each.models),
            "reason": each.reason,
            "declared": each.created_at,
        }
        for each in found
    )
    title = f"{counted(len(standing), 'set')} of models declared"
    show([Table("sets", title, columns, rows, empty="none is declared")], form)
