"""``wavelock round status``: how a round stands, once or live."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.open_app import require_terminal
from cli.output import listing, show
from db.file import StudyFile, open_study

if TYPE_CHECKING:
    from rich.console import RenderableType


@click.command("status")
@click.argument("name")
@click.option("--watch", is_flag=True, help="Keep showing it, until Ctrl-C.")
@click.option(
    "--every",
    type=click.FloatRange(min=0.2),
    default=5.0,
    show_default=True,
    help="Seconds between two looks.",
)
@listing
@click.pass_obj
def command(path: Path, name: str, every: float, form: str, *, watch: bool) -> None:
    """Show how round NAME stands: progress, pace, idle seats, what is short, agreement so far.

    --json and --csv give the seats.
    """
    from annotate.status import for_people, status_tables

    with open_study(path) as study:
        if watch:
            require_terminal()
            _watch(study, name, every)
        so_far, seats = status_tables(study, study.rounds.named(name))
    show([so_far, *for_people(seats)] if form == "text" else [seats], form)


def _watch(study: StudyFile, name: str, every: float) -> None:
    """Show the round until Ctrl-C; the last picture stays on the terminal."""
    from rich.live import Live

    from exports.terminal import console

    out = console()
    with Live(console=out, auto_refresh=False, vertical_overflow="crop") as live:
        while True:
            live.update(_picture(study, name, out.width), refresh=True)
            time.sleep(every)


def _picture(study: StudyFile, name: str, width: int) -> RenderableType:
    from rich.console import Group

    from annotate.status import for_people, status_tables
    from exports.terminal import render

    so_far, seats = status_tables(study, study.rounds.named(name))
    return Group(*(render(table, width) for table in (so_far, *for_people(seats))))
