"""How commands print a table: for people, or with --json and --csv for programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from core.errors import InputError
from core.figures import Figure
from core.tables import Table

Command = TypeVar("Command", bound=Callable[..., Any])


def listing(command: Command) -> Command:
    """Give a command ``--json`` and ``--csv``; it receives ``form``: text, json or csv."""
    command = click.option("--csv", "form", flag_value="csv", help="Print CSV.")(command)
    command = click.option("--json", "form", flag_value="json", help="Print JSON.")(command)
    return click.option("--text", "form", flag_value="text", default=True, hidden=True)(command)


def width() -> int:
    """Return how many cells a line of standard output has."""
    from exports import terminal

    return terminal.console().width


def show(tables: Sequence[Table], form: str, figures: Sequence[Figure] = ()) -> None:
    """Print tables in the form that was asked for; figures are for people only."""
    from exports import plain, terminal
    from exports.text_figures import has_content

    if form == "json":
        printed = [plain.to_json(table) for table in tables]
        click.echo(printed[0] if len(printed) == 1 else f"[{','.join(printed)}]")
    elif form == "csv":
        if len(tables) != 1:
            names = ", ".join(table.name for table in tables)
            raise InputError(f"CSV holds one table; name the one you want of: {names}")
        click.echo(plain.to_csv(tables[0]), nl=False)
    else:
        out = terminal.console()
        for table in tables:
            terminal.print_to(out, terminal.render(table, out.width))
        for figure in figures:
            if has_content(figure):
                terminal.print_to(out, terminal.render_figure(figure, out.width))
