"""``wavelock export``: ratings, audits, items and judgements for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from cli.diagnostics import say
from cli.export_prompts import command as prompts
from cli.subset import restrictable, subset_of
from core.study import Round
from core.subsets import Selection
from core.words import counted
from db.file import StudyFile, open_study
from exports.data import Data, Format, encoded, format_of
from exports.files import write_whole

FORMATS = ("csv", "jsonl", "parquet")
STDOUT = Path("-")
TARGET = click.argument("target", metavar="FILE", type=click.Path(path_type=Path))
FORMAT = click.option(
    "--format", "form", type=click.Choice(FORMATS), help="Unless the file's ending says it."
)
ROUNDS = click.option(
    "--round", "names", multiple=True, help="May be repeated; all but practice if not."
)
EVENTS = click.option(
    "--events", is_flag=True, help="Every change of mind, not only the last word."
)


@click.group("export")
def command() -> None:
    """Write what was collected as CSV, JSON lines or Parquet; FILE may be - for standard output."""


command.add_command(prompts)


@command.command("ratings")
@TARGET
@ROUNDS
@EVENTS
@restrictable
@FORMAT
@click.pass_obj
def ratings(
    path: Path,
    target: Path,
    names: tuple[str, ...],
    waves: str | None,
    without: str | None,
    form: Format | None,
    *,
    events: bool,
) -> None:
    """Write every rating of every annotator, by pseudonym, to FILE.

    With --waves or --without only ratings of frozen items, in the text that is frozen.
    """
    from exports.ratings import ratings_data
    from exports.subsets import rows_of

    with open_study(path) as study:
        selection = study.waves.selected(subset_of(waves, without))
        found = ratings_data(study, _rounds(study, names), events=events)
        data = rows_of(found, selection)
    what = "events" if events else "ratings"
    raters = len({row["rater"] for row in data.rows})
    _write(target, data, form, f"{what} by {raters} raters{_in_words(selection)}")


@command.command("audits")
@TARGET
@ROUNDS
@EVENTS
@FORMAT
@click.pass_obj
def audits(
    path: Path, target: Path, names: tuple[str, ...], form: Format | None, *, events: bool
) -> None:
    """Write every verdict of every auditor on a pair, by pseudonym, to FILE."""
    from exports.audits import audits_data

    with open_study(path) as study:
        data = audits_data(study, _rounds(study, names), events=events)
    what = "events" if events else "audits"
    _write(target, data, form, f"{what} by {len({row['auditor'] for row in data.rows})} auditors")


@command.command("items")
@TARGET
@restrictable
@FORMAT
@click.pass_obj
def items(
    path: Path, target: Path, waves: str | None, without: str | None, form: Format | None
) -> None:
    """Write every revision of every item, with its facts, to FILE.

    With --waves or --without only frozen items, in the text that is frozen.
    """
    from exports.items import items_data
    from exports.subsets import rows_of

    with open_study(path) as study:
        selection = study.waves.selected(subset_of(waves, without))
        data = rows_of(items_data(study), selection)
    _write(target, data, form, f"revisions of items{_in_words(selection)}")


@command.command("judgements")
@TARGET
@click.option("--text", is_flag=True, help="With what the judge said, word for word.")
@restrictable
@FORMAT
@click.pass_obj
def judgements(
    path: Path,
    target: Path,
    waves: str | None,
    without: str | None,
    form: Format | None,
    *,
    text: bool,
) -> None:
    """Write every attempt of every judge at a reply, with its verdict or its state, to FILE."""
    from exports.judgements import judgements_data
    from exports.subsets import rows_of

    with open_study(path) as study:
        selection = study.waves.selected(subset_of(waves, without))
        data = rows_of(judgements_data(study, text=text), selection)
    judges = counted(len({row["judge"] for row in data.rows}), "judge")
    _write(target, data, form, f"judgements by {judges}{_in_words(selection)}")


def _in_words(selection: Selection) -> str:
    return f" [{selection.subset.words}]" if selection.restricted else ""


def _rounds(study: StudyFile, names: Sequence[str]) -> list[Round]:
    """Return the rounds that were named, each once, or else all that count."""
    found = [study.rounds.named(name) for name in dict.fromkeys(names)]
    return found or [
        each for each in study.rounds.all() if each.kind != "practice" and not each.grading
    ]


def _write(target: Path, data: Data, form: Format | None, what: str) -> None:
    if target == STDOUT:
        click.echo(encoded(data, form or "csv"), nl=False)
    else:
        write_whole(target, encoded(data, format_of(target, form)))
    name = "standard output" if target == STDOUT else target
    say(f"{name}: {len(data.rows):,} {what}")
