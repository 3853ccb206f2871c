"""``wavelock import generations``: outputs that another harness collected."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.diagnostics import say
from cli.numbers import Whole
from cli.output import listing, show
from cli.progress import bar
from core.errors import CheckFailed
from core.words import counted
from db.file import StudyFile, open_study

if TYPE_CHECKING:
    from evals.imports.examining import Examined
    from evals.imports.samples import How

SHOWN = 20  # problems in a terminal; --csv and --json list up to 1,000 of each kind
FILE = click.Path(path_type=Path)
FORMATS = ("csv", "jsonl", "json", "parquet", "inspect", "lm-eval", "openai-batch")


@click.command("generations")
@click.argument("files", type=FILE, nargs=-1, required=True, metavar="FILE...")
@click.option("--format", "kind", type=click.Choice(FORMATS), help="Unless its content says it.")
@click.option(
    "--columns",
    multiple=True,
    metavar="NAME=COLUMN,...",
    help="Of a table, such as prompt=input,response=output.",
)
@click.option("--model", default="", help="What the run is called; else what the file names.")
@click.option("--requests", type=FILE, help="The file of requests of an OpenAI batch.")
@click.option(
    "--sample-offset", type=Whole(), default=0, help="Added to the number of each sample."
)
@click.option("--ignore-system", default="", metavar="TEXT", help="Allow this system message.")
@click.option("--strip-trailing-newline", is_flag=True, help="Allow line ends behind a prompt.")
@click.option("--partial", is_flag=True, help="Take what matches, and leave out the rest.")
@click.option("--dry-run", is_flag=True, help="Say what would become of each record; store none.")
@listing
@click.pass_obj
def command(
    path: Path,
    /,
    files: tuple[Path, ...],
    kind: Any,
    columns: tuple[str, ...],
    form: str,
    partial: bool,
    dry_run: bool,
    **given: Any,
) -> None:
    """Import the outputs in FILE as generations, in runs that say that they were imported.

    CSV, JSON lines, a JSON list, Parquet, logs of inspect (.eval, .json), samples of lm-eval and
    output of OpenAI batches. A record belongs to the frozen prompt that is exactly its own, or to
    none. With one record that matches none, or contradicts another, nothing of its file is stored,
    unless --partial takes the rest.
    """
    from evals.imports.columns import parse_columns
    from evals.imports.samples import How

    how = How(format=kind, columns=parse_columns(columns), **given)
    refused = []
    with open_study(path) as study:
        for file in files:
            try:
                _take(study, file, how, form, partial=partial, dry_run=dry_run)
            except CheckFailed as error:
                refused.append(str(error))
    if refused:
        raise CheckFailed("; ".join(refused))


def _take(
    study: StudyFile, file: Path, how: How, form: str, *, partial: bool, dry_run: bool
) -> None:
    from evals.imports.examining import examine, require_whole
    from evals.imports.files import opened
    from evals.imports.storing import elsewhere, store

    with bar("read") as progress:
        found = examine(study, opened(file), how, progress)
    _show(found, form)
    require_whole(found, partial=partial)
    for run in elsewhere(study, found):
        say(f"note: the same file is in run {run} as well; count its outputs once")
    if dry_run:
        say(f"{file}: nothing was stored; without --dry-run the {found.counts['new']:,} new are")
        return
    with bar("generations") as progress:
        added = store(study, found, partial=partial, progress=progress)
    for each in added:
        say(f"run {each.run} ({each.model}): {counted(each.generations, 'imported generation')}")
    if added:
        say("next: wavelock score, then wavelock report")
    else:
        say(f"{file}: all of it is in the study already; nothing was added")


def _show(found: Examined, form: str) -> None:
    """Print what was found; as CSV the records that are not taken."""
    from evals.imports.report import problems_table, runs_table

    if form == "csv":
        show([problems_table(found)], form)
    elif form == "json":
        show([runs_table(found), problems_table(found)], form)
    else:
        tables = [runs_table(found)]
        show([*tables, problems_table(found, SHOWN)] if found.problems else tables, form)
