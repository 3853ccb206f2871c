"""``wavelock round status``: how a round stands, once or live."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.numbers import NumberRange
from cli.output import listing, show
from cli.watching import keep_showing
from db.file import StudyFile, open_study

if TYPE_CHECKING:
    from exports.fitting import Part


@click.command("status")
@click.argument("name")
@click.option(
    "--watch", is_flag=True, help="Keep showing it until Ctrl-C, those that need attention first."
)
@click.option(
    "--every",
    type=NumberRange(min=0.2),
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
            keep_showing(lambda: _look(study, name), every, form)
        so_far, seats = status_tables(study, study.rounds.named(name))
    show([so_far, *for_people(seats)] if form == "text" else [seats], form)


def _look(study: StudyFile, name: str) -> list[Part]:
    """Return what is watched of a round, whoever needs attention first."""
    from annotate.status import for_people, status_tables
    from exports.fitting import Part

    so_far, seats = status_tables(study, study.rounds.named(name), urgent_first=True)
    pace, *beside = for_people(seats)
    return [
        Part(so_far, "line"),
        Part(pace, "seat"),
        *(Part(table, "seat with checks", "seats with checks") for table in beside),
    ]
