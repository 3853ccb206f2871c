"""``wavelock grading``: people grade responses of models, blind to model and judge."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from cli.diagnostics import say
from cli.numbers import Whole
from cli.output import listing, show
from cli.round_plan import COUNT, KINDS, SEED
from cli.subset import split
from core.errors import InputError
from core.study import IDLE_LIMIT, OnReplace, Round, RoundKind
from core.tables import Cell, Column, Table
from db.file import StudyFile, open_study
from suites.forms import load as load_form
from suites.registry import load

LEVELS = "verdict,family,condition,model"
DIGITS = 9  # of a quota; more is a slip, and no number of responses
SHOWN = 40  # characters of what is refused


@click.group("grading")
def command() -> None:
    """People grade responses of models, blind to model and judge: sample, status, agreement.

    A grading round is opened, watched and closed with wavelock round; people grade with wavelock
    rate.
    """


@command.command("sample")
@click.argument("name")
@click.option("--runs", required=True, metavar="RUN,RUN,...", help="Whose responses.")
@click.option(
    "--judge",
    "judges",
    multiple=True,
    type=Whole(),
    metavar="N",
    help="Whose verdicts, by number; several are a panel.",
)
@click.option("--rubric", help="Or all judges under this rubric.")
@click.option("--size", type=COUNT, help="How many; 300, or the sum of the quotas.")
@click.option("--quota", "quotas", multiple=True, metavar="VERDICT=N", help="Of each verdict.")
@click.option(
    "--stratify", default=LEVELS, show_default=True, help="Balanced over these, or other facts."
)
@click.option("--cover", metavar="FACT", help="Have every value of it: constraint, verifier, ...")
@click.option("--form", "grading_form", default="grading", show_default=True, metavar="NAME|FILE")
@click.option("--positive", metavar="VERDICT", help="Which one is for a response.")
@click.option("--graders", type=COUNT, default=2, show_default=True)
@click.option("--kind", type=click.Choice(KINDS), default="main", show_default=True)
@click.option("--seed", type=SEED, default=1, show_default=True)
@click.option("--fewer", is_flag=True, help="Take what is there where it is less than wanted.")
@click.option("--texts", type=click.Path(path_type=Path), metavar="DIR", help="Instructions etc.")
@click.option(
    "--on-replace", type=click.Choice(["keep", "void"]), default="keep", show_default=True
)
@click.option("--dry-run", is_flag=True, help="Show the sample; plan nothing.")
@listing
@click.pass_obj
def sample(
    path: Path,
    /,
    name: str,
    kind: RoundKind,
    grading_form: str,
    texts: Path | None,
    on_replace: OnReplace,
    dry_run: bool,
    form: str,
    **asked: Any,
) -> None:
    """Draw responses for grading round NAME, and print an access code per grader.

    The sample is stratified, seeded, and does not depend on the order of rows or on names.
    """
    from annotate.grading import document_of, plan_grading
    from annotate.grading_view import sample_table
    from annotate.sampling import draw

    request = _request(**asked)
    asks = load_form(grading_form)
    with open_study(path) as study:
        drawn = draw(study, request, asks, load(study.info.suite).strata)
        tables = [sample_table(name, document_of(request, drawn, asks))]
        if not dry_run:
            planned, codes = plan_grading(
                study,
                request,
                drawn,
                asks,
                name=name,
                kind=kind,
                on_replace=on_replace,
                idle_limit=IDLE_LIMIT,
                texts=texts,
            )
            tables.append(_codes(planned, codes))
    show(tables if form == "text" else tables[-1:], form)
    if dry_run:
        say("nothing was planned; leave out --dry-run to plan it")
    else:
        say(f"the codes are not stored; keep them. next: wavelock round open {shlex.quote(name)}")


def _request(*, runs: str, quotas: Sequence[str], stratify: str, **rest: Any) -> Any:
    """Return what was asked for; everything that is left out is decided by what is there."""
    from annotate.sampling import SampleRequest

    try:
        numbers = tuple(int(run) for run in split(runs) or ())
    except ValueError as error:
        raise click.BadParameter(f"{runs!r} is no list of runs like 1,2") from error
    if not numbers:
        raise click.BadParameter("--runs names at least one run")
    for number in numbers:
        Whole(least=1).convert(number, None, None)
    return SampleRequest(runs=numbers, quotas=_quotas(quotas), levels=split(stratify) or (), **rest)


def _quotas(given: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in given:
        name, _, count = each.partition("=")
        if not name or not count.isdecimal() or len(count) > DIGITS:
            raise click.BadParameter(f"{each[:SHOWN]!r} is no quota like correct=150")
        if name in found:
            raise click.BadParameter(f"the quota of {name} is given twice")
        found[name] = int(count)
    return found


def _codes(planned: Round, codes: dict[int, str]) -> Table:
    columns = (Column("seat", "seat", "count"), Column("code", "Access code"))
    rows: tuple[dict[str, Cell], ...] = tuple(
        {"seat": number, "code": code} for number, code in codes.items()
    )
    title = f"Grading round {planned.name} ({planned.kind}): give each grader one code"
    return Table("codes", title, columns, rows)


@command.command("status")
@click.argument("names", nargs=-1, metavar="[NAME...]")
@click.option(
    "--table", type=click.Choice(["rounds", "graders", "strata"]), help="One table; else all."
)
@listing
@click.pass_obj
def status(path: Path, names: tuple[str, ...], table: str | None, form: str) -> None:
    """Show how grading rounds stand: graders, what is done and left, and every stratum."""
    from annotate.grading_view import status_tables

    with open_study(path) as study:
        found = status_tables(study, _rounds(study, names))
    wanted = [each for each in found if table in (None, each.name)]
    show(wanted[:1] if form == "csv" and table is None else wanted, form)


def _rounds(study: StudyFile, names: Sequence[str]) -> list[Round]:
    """Return the grading rounds that were named, or all of them."""
    named = [study.rounds.named(name) for name in dict.fromkeys(names)]
    for each in named:
        if not each.grading:
            raise InputError(
                f"round {each.name} rates items; see wavelock round status {each.name}"
            )
    return named or [each for each in study.rounds.all() if each.grading]


@command.command("agreement")
@click.argument("name")
@click.option(
    "--table",
    type=click.Choice(["people", "judge", "consensus", "strata", "population"]),
    help="One table; else all.",
)
@click.option("--seed", default=1, show_default=True)
@click.option("--replicates", default=2_000, show_default=True)
@listing
@click.pass_obj
def agreement(
    path: Path, name: str, table: str | None, seed: int, replicates: int, form: str
) -> None:
    """Show how far the graders of NAME agree: with each other, with the judge, and beyond."""
    from audit.grade_agreement import agreement_tables, for_people
    from audit.grades import read_grades
    from core.resampling import Resampling
    from exports.caveats import with_caveats

    with open_study(path) as study:
        found = read_grades(study, study.rounds.named(name))
    tables = agreement_tables(found, Resampling(replicates, seed))
    wanted = [each for each in tables if table in (None, each.name)]
    shown = for_people(wanted) if form == "text" else wanted
    show([with_caveats(each) for each in shown], form)
