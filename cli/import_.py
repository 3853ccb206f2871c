"""``wavelock import``: what was collected elsewhere, with its own provenance."""

from __future__ import annotations

from pathlib import Path

import click

from cli.diagnostics import say
from cli.progress import bar
from core.errors import InputError
from core.study import RoundKind
from db.file import open_study
from suites.forms import load as load_form
from suites.registry import load

SHOWN = 20  # faults, of however many


@click.group("import")
def command() -> None:
    """Take in what was collected elsewhere; all of it says that it was imported."""


@command.command("ratings")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--round", "name", required=True, help="The round that is made for them.")
@click.option(
    "--map",
    "map_file",
    type=click.Path(path_type=Path),
    help="Which column is what (TOML); not needed for what wavelock export wrote.",
)
@click.option("--form", "form", metavar="NAME|FILE", help="The suite's form unless given.")
@click.option(
    "--kind",
    type=click.Choice(["pilot", "main", "rehearsal"]),
    default="main",
    show_default=True,
)
@click.pass_obj
def ratings(
    path: Path, file: Path, name: str, map_file: Path | None, form: str | None, kind: RoundKind
) -> None:
    """Import the ratings in FILE (CSV or JSON lines) as a closed round of their own.

    Everything is checked first: with one fault, nothing is stored.
    """
    from annotate.import_map import own_map, parse_map
    from annotate.importing import Target, checked, read_source, rounds_with, store

    with open_study(path) as study:
        suite = load(study.info.suite)
        target = Target(name, kind, load_form(form) if form else suite.form, suite)
        columns = (
            parse_map(_text(map_file), str(map_file), target.form)
            if map_file
            else own_map(target.form)
        )
        source = read_source(file, columns)
        found, faults = checked(study, source, target)
        if faults:
            _refuse(file, [str(fault) for fault in faults], mapped=map_file is not None)
        others = rounds_with(study, source)
        with bar("ratings") as progress:
            campaign = store(study, source, target, found, progress)
        seats = len(study.rounds.seats(campaign.id))
    for other in others:
        say(f"note: the same file is in round {other} as well; count its people once")
    say(
        f"round {name}: {len(found)} imported ratings by {seats} raters, a {campaign.design} design"
    )
    say(f"next: wavelock agreement {name}")


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}") from error


def _refuse(file: Path, faults: list[str], *, mapped: bool) -> None:
    """Say what is wrong, all of it or the first part of much, and give up."""
    for fault in faults[:SHOWN]:
        say(f"{file}, {fault}")
    if len(faults) > SHOWN:
        say(f"and {len(faults) - SHOWN:,} more")
    hint = "" if mapped else "; if another tool wrote it, say with --map what its columns are"
    raise InputError(f"{file}: {len(faults):,} faults, listed above; nothing was imported{hint}")
