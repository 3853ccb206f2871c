"""``wavelock items import``, ``template``, ``revise``, ``exclude``: drafts come in and change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from cli.diagnostics import say
from core.errors import CheckFailed, InputError
from core.items import Fault
from core.words import counted
from db.file import open_study
from suites.registry import load

SHOWN = 1_000  # faults; a file with more has one fault that was made again and again
SEPARATOR = click.Choice([",", ";", "|"])
DELIMITER = click.option(
    "--delimiter", type=SEPARATOR, default=",", show_default=True, help="Of a CSV file."
)


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--partial", is_flag=True, help="Leave out the scenarios with a fault.")
@DELIMITER
@click.pass_obj
def import_items(path: Path, file: Path, delimiter: str, *, partial: bool) -> None:
    """Import drafted scenarios from FILE: CSV, JSON lines, JSON, YAML or Parquet.

    Everything is checked first: with one fault, nothing is stored. A scenario that is in the study
    word for word is left as it is.
    """
    from audit.draft_files import open_drafts
    from audit.drafting import checked, store

    drafts = open_drafts(file, delimiter)
    with open_study(path) as study:
        intake = checked(study, load(study.info.suite), drafts)
        if intake.faults:
            _name(file, [str(fault) for fault in intake.faults])
            number = counted(len(intake.faults), "fault")
            if not partial:
                raise InputError(f"{file}: {number}, listed above; nothing was imported")
            if not intake.whole:
                raise InputError(
                    f"{file}: {number}; some are of no scenario, so that nothing can be taken "
                    "without them; nothing was imported"
                )
        store(study, drafts, intake)
    say(f"{file}: {counted(len(intake.new), 'scenario')} imported")
    if intake.known:
        say(f"{counted(len(intake.known), 'scenario')} in the study already, word for word")
    if intake.spoiled:
        say(f"left out, {counted(len(intake.spoiled), 'scenario')}: {', '.join(intake.spoiled)}")
    if intake.new:
        say("next: wavelock items check")
    if intake.spoiled:
        raise CheckFailed(f"{counted(len(intake.spoiled), 'scenario')} left out, named above")


def _name(file: Path, faults: Sequence[str]) -> None:
    for fault in faults[:SHOWN]:
        say(f"{file}, {fault}")
    if len(faults) > SHOWN:
        say(f"and {len(faults) - SHOWN:,} more")


@click.command("template")
@click.argument("target", metavar="FILE", type=click.Path(path_type=Path))
@click.pass_obj
def template(path: Path, target: Path) -> None:
    """Write an empty file of drafts for this study's suite to FILE (.csv, .json or .yaml).

    Its one scenario must be written over; as it stands it is refused.
    """
    from exports.files import write_whole
    from exports.template import template_text

    with open_study(path) as study:
        text = template_text(load(study.info.suite), target)
    write_whole(target, text)
    say(f"{target}: fill it in, then: wavelock items import {target}")


@click.command("revise")
@click.argument("name", metavar="SCENARIO[/CONDITION]")
@click.option("--condition", "conditions", multiple=True, help="With --text or a .txt; repeatable.")
@click.option("--text", "texts", multiple=True, help="The new text of that condition.")
@click.option(
    "--file",
    "file",
    type=click.Path(path_type=Path),
    help="The new text (.txt), or drafts in a format of items import.",
)
@click.option("--reason", required=True, help="Why; it is kept in the ledger.")
@DELIMITER
@click.pass_obj
def revise(
    path: Path,
    name: str,
    conditions: tuple[str, ...],
    texts: tuple[str, ...],
    file: Path | None,
    reason: str,
    delimiter: str,
) -> None:
    """Give a scenario new texts, as often as the rule permits after people have seen it.

    Every earlier text is kept. All that changes between two rounds is one rewrite.
    """
    from audit.revising import faults_of, prepare, revise
    from audit.rewriting import from_drafts, from_text_file, from_texts

    scenario, _, condition = name.partition("/")
    wanted = (condition, *conditions) if condition else conditions
    with open_study(path) as study:
        suite = load(study.info.suite)
        if file is not None and texts:
            raise InputError("give the new texts with --text or in a --file, not both")
        if file is None:
            new = from_texts(study, scenario, wanted, texts)
        elif file.suffix.lower() == ".txt":
            new = from_text_file(study, scenario, wanted, file)
        else:
            new = from_drafts(study, suite, scenario, wanted, file, delimiter=delimiter)
        rewrite = prepare(study, scenario, new)
        entry = revise(study, rewrite, reason)
        faults = faults_of(study, suite, scenario)
    for item, number in entry.payload["items"].items():
        say(f"{scenario}/{item}: revision {number}")
    permitted = rewrite.rewriting.permitted
    if permitted is None:
        say("no round has shown it, so this is drafting and no rewrite")
    else:
        say(f"rewrite {rewrite.number} of {permitted} that the rule permits")
    _tell(scenario, faults)


def _tell(scenario: str, faults: Sequence[Fault]) -> None:
    if not faults:
        say(f"every construction rule holds for {scenario}")
    for fault in faults:
        where = f"{scenario}/{fault.condition}" if fault.condition else scenario
        say(f"rule broken, {where}: {fault.rule}: {fault.found}")


@click.command("exclude")
@click.argument("scenario")
@click.option("--reason", required=True, help="Why; it is kept in the ledger.")
@click.option("--kind", default="other", show_default=True, help="A word or two to count it under.")
@click.pass_obj
def exclude(path: Path, scenario: str, reason: str, kind: str) -> None:
    """Give up a scenario, for good: no round shows it and no wave freezes it."""
    from audit.revising import exclude

    with open_study(path) as study:
        exclude(study, scenario, kind, reason)
    say(f"{scenario} is excluded; it stays in the study and in its construction report")
