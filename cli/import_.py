"""``wavelock import``: what was collected elsewhere, with its own provenance."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.diagnostics import say
from cli.import_outputs import command as generations
from cli.progress import bar
from core.errors import InputError
from core.study import RoundKind
from core.words import counted
from db.file import open_study
from suites.forms import load as load_form
from suites.registry import load

if TYPE_CHECKING:
    from audit.import_map import AuditMap
    from audit.importing import Audits
    from cli.importing import Faults

SHOWN = 20  # faults, of however many
FILE = click.Path(path_type=Path)
ROUND = click.option("--round", "name", required=True, help="The round that is made for them.")
MAP = click.option(
    "--map",
    "map_file",
    type=FILE,
    help="Which column is what (TOML); not needed for what wavelock export wrote.",
)
KIND = click.option(
    "--kind",
    type=click.Choice(["pilot", "main", "rehearsal"]),
    default="main",
    show_default=True,
)


@click.group("import")
def command() -> None:
    """Take in what was collected elsewhere; all of it says that it was imported."""


command.add_command(generations)


@command.command("ratings")
@click.argument("file", type=FILE)
@ROUND
@MAP
@click.option("--audits", "audited", type=FILE, help="The pair audits of the same round.")
@click.option("--audits-map", "audited_map", type=FILE, help="As --map, for the audits.")
@click.option("--form", "form", metavar="NAME|FILE", help="The suite's form unless given.")
@KIND
@click.pass_obj
def ratings(
    path: Path,
    file: Path,
    name: str,
    map_file: Path | None,
    audited: Path | None,
    audited_map: Path | None,
    form: str | None,
    kind: RoundKind,
) -> None:
    """Import the ratings in FILE (CSV or JSON lines) as a closed round of their own.

    With --audits the round has the pair audits as well, and can be decided. Everything is checked
    first: with one fault, nothing is stored.
    """
    from annotate.import_map import own_map, parse_map
    from annotate.importing import Target, store
    from cli.importing import checked

    if audited_map and not audited:
        raise InputError("--audits-map is about a file of audits; name it with --audits")
    with open_study(path) as study:
        suite = load(study.info.suite)
        target = Target(name, kind, load_form(form) if form else suite.form, suite)
        columns = (
            parse_map(_text(map_file), str(map_file), target.form)
            if map_file
            else own_map(target.form)
        )
        second = (audited, _audit_map(audited_map)) if audited else None
        found, faults = checked(study, target, (file, columns), second)
        _refuse(faults, mapped=map_file is not None)
        others = found.elsewhere(study)
        with bar("ratings") as progress:
            campaign = store(
                study, found.source, target, found.ratings, progress, beside=found.audits
            )
        seats = len(study.rounds.seats(campaign.id, "rater"))
    _say_others(others)
    say(
        f"round {name}: {len(found.ratings)} imported ratings by {seats} raters, "
        f"a {campaign.design} design"
    )
    if found.audits:
        _say_audits(name, found.audits)
    say(f"next: wavelock {'include' if audited else 'agreement'} {shlex.quote(name)}")


@command.command("audits")
@click.argument("file", type=FILE)
@ROUND
@MAP
@KIND
@click.pass_obj
def audits(path: Path, file: Path, name: str, map_file: Path | None, kind: RoundKind) -> None:
    """Import the pair audits in FILE (CSV or JSON lines) as a closed round of their own.

    A round of audits alone is not decided on: what belongs to ratings is imported together with
    them, with wavelock import ratings --audits. Everything is checked first: with one fault,
    nothing is stored.
    """
    from audit.importing import Target, checked, rounds_with, store
    from cli.importing import read_audits

    with open_study(path) as study:
        target = Target(name, kind, load(study.info.suite))
        found, faults = checked(study, read_audits(file, _audit_map(map_file)), target)
        _refuse([(file, fault) for fault in faults], mapped=map_file is not None)
        others = rounds_with(study, found.source)
        store(study, found, target)
    _say_others(others)
    _say_audits(name, found)
    say(f"next: wavelock audit disagreements {shlex.quote(name)}")


def _audit_map(path: Path | None) -> AuditMap:
    from audit.import_map import own_map, parse_map

    return parse_map(_text(path), str(path)) if path else own_map()


def _say_others(others: tuple[str, ...]) -> None:
    for other in others:
        say(f"note: the same file is in round {other} as well; count its people once")


def _say_audits(name: str, audits: Audits) -> None:
    people = counted(len(audits.by_auditor), "auditor")
    say(f"round {name}: {counted(audits.count, 'imported audit')} by {people}")
    if "differences" not in audits.source.columns.columns:
        say("note: nobody is said to have been shown the differing words; the map has no column")


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}") from error


def _refuse(faults: Faults, *, mapped: bool) -> None:
    """Say what is wrong, if anything is: all of it or the first part of much; and give up."""
    if not faults:
        return
    for file, fault in faults[:SHOWN]:
        say(f"{file}, {fault}")
    if len(faults) > SHOWN:
        say(f"and {len(faults) - SHOWN:,} more")
    hint = "" if mapped else "; if another tool wrote it, say with --map what its columns are"
    files = " and ".join(dict.fromkeys(str(file) for file, _ in faults))
    listed = f"{counted(len(faults), 'fault')}, listed above"
    raise InputError(f"{files}: {listed}; nothing was imported{hint}")
