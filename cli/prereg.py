"""``wavelock prereg``: write down what is planned, keep to it, change it in the open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from cli.diagnostics import say
from cli.output import listing, show
from core.errors import InputError, NotFound
from core.hashing import canonical
from core.words import counted
from db.file import StudyFile, open_study
from suites.registry import load

FILE = click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
SEEN = click.Choice(["yes", "no"])


@click.group("prereg")
def command() -> None:
    """Freeze the analysis plan, amend it with reasons, and show whether it is kept."""


@command.command("template")
@click.option("--round", "names", multiple=True, help="May be repeated; all planned main rounds.")
@click.pass_obj
def template(path: Path, names: tuple[str, ...]) -> None:
    """Print a file to start from, from the study as it is."""
    from audit.registration import template as started

    with open_study(path) as study:
        text = started(study, load(study.info.suite), names)
    click.echo(text, nl=False)
    say("replace what says FILL IN, then: wavelock prereg freeze FILE")


@command.command("freeze")
@FILE
@click.pass_obj
def freeze(path: Path, file: Path) -> None:
    """Preregister the study with FILE, once: its hash enters the ledger."""
    from audit.registration import freeze as register

    with open_study(path) as study:
        found = register(study, document(study, file))
    click.echo(found.hash)
    say(f"preregistered; publish the hash above. The study held {found.known}")


@command.command("amend")
@FILE
@click.option("--reason", required=True, help="Why the plan changes, in a sentence.")
@click.option("--seen-ratings", type=SEEN, required=True, help="Has anybody looked at ratings?")
@click.option("--seen-outputs", type=SEEN, required=True, help="And at outputs of models?")
@click.pass_obj
def amend(path: Path, file: Path, reason: str, seen_ratings: str, seen_outputs: str) -> None:
    """Log what FILE changes, why, and what was already known."""
    from audit.registration import amend as change

    with open_study(path) as study:
        found = change(
            study,
            document(study, file),
            reason=reason,
            seen_ratings=seen_ratings == "yes",
            seen_outputs=seen_outputs == "yes",
        )
    click.echo(found.hash)
    fields = counted(len(found.changes), "field")
    say(f"amendment {found.number}: {fields} changed; the study held {found.known}")
    for contradiction in found.contradictions:
        say(f"note: {contradiction}; this is logged")


@command.command("show")
@click.option("--document", "whole", is_flag=True, help="Only the hashed document, byte by byte.")
@listing
@click.pass_obj
def show_plan(path: Path, form: str, *, whole: bool) -> None:
    """Show the plan, its amendments, and whether today's study and code conform.

    --csv gives the fields; --document prints what the hash is the SHA-256 of.
    """
    from audit.registration_view import page
    from exports.provenance import analysis_version

    with open_study(path) as study:
        if whole:
            current = study.registrations.current()
            if current is None:
                raise NotFound("nothing is preregistered")
            click.echo(canonical(current.document), nl=False)
            return
        tables = page(study, analysis_version(), whole=form != "text")
    show(tables[1:2] or tables if form == "csv" else tables, form)


def document(study: StudyFile, file: Path) -> dict[str, Any]:
    """Return the document of a file, with the analysis code as it is installed."""
    from audit.registration import read
    from evals.judges.library import load_rubric
    from evals.judges.rubric import rubric_to_json
    from exports.provenance import analysis_version

    try:
        text = file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 at byte {error.start}") from error
    return read(
        study,
        load(study.info.suite),
        text,
        file,
        code=analysis_version(),
        rubric_of=lambda rubric: rubric_to_json(load_rubric(rubric)),
    )
