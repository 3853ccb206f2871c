"""``wavelock choices``: log-probabilities of given answer words, asked for and shown."""

from __future__ import annotations

import os
from pathlib import Path

import click

from cli.diagnostics import say
from cli.models import models_file
from cli.numbers import Whole
from cli.output import listing, show
from cli.progress import bar
from cli.run import conditions_to_ask
from cli.subset import split, wave_numbers
from core.errors import CheckFailed
from db.file import open_study
from suites.registry import load


@click.group("choices")
def command() -> None:
    """How probable a model finds each answer to a frozen item: exact, without sampling.

    Not to be taken for the top log-probabilities of a chat reply; see docs/choices.md.
    """


@command.command("ask")
@click.option("--model", required=True, help="embedded, scripted, a URL, or of the file.")
@models_file
@click.option("--api-model", help="For a URL: the model id exactly as the endpoint knows it.")
@click.option("--key-env", help="For a URL: the environment variable with its key.")
@click.option(
    "--answers",
    required=True,
    help="labels, letters, or words: heavy=Drive,heuristic=Walk.",
)
@click.option("--anchor", help=r"What the reply begins with; \nFinal: unless given.")
@click.option("--variants", default="", help="plain,space unless given; also newline and lower.")
@click.option("--conditions", help="Comma-separated, as names or patterns; else the suite's.")
@click.option("--waves", "--wave", "waves", help="Comma-separated wave numbers; all unless given.")
@click.option("--workers", default=4, show_default=True, help="Items at a time.")
@click.option("--dry-run", is_flag=True, help="Say what it would take; ask nothing.")
@click.pass_obj
def ask(
    path: Path,
    /,
    model: str,
    file: Path | None,
    api_model: str | None,
    key_env: str | None,
    answers: str,
    anchor: str | None,
    variants: str,
    conditions: str | None,
    waves: str | None,
    workers: int,
    dry_run: bool,
) -> None:
    """Ask for the log-probabilities of the answers to frozen items that have none yet.

    The same command continues. Ctrl-C finishes what is in flight.
    """
    from evals.choices.docket import docket
    from evals.choices.runner import ask_choices, dry
    from evals.choices.words import wanted
    from evals.choose import chosen
    from evals.model_file import model_path

    asked = wanted(answers, variants, anchor)
    spec = chosen(model, model_path(file, os.environ), api_model=api_model, key_env=key_env)
    with open_study(path) as study:
        numbers = wave_numbers(waves)
        named = conditions_to_ask(study, load(study.info.suite), split(conditions), numbers)
        items = docket(study, asked, conditions=named, waves=numbers)
        if dry_run:
            click.echo(dry(study, spec, items))
            return
        with bar(spec.name or model) as progress:
            found = ask_choices(study, spec, items, workers=workers, progress=progress, warn=say)
        say(found.words)
    if found.why_incomplete:
        raise CheckFailed(found.why_incomplete)
    say(f"next: wavelock choices show {found.setup.id}")


@command.command("status")
@listing
@click.pass_obj
def status(path: Path, form: str) -> None:
    """List setups: model, route, build, what was asked for, and how far each is."""
    from evals.choices.standing import standings, status_table

    with open_study(path) as study:
        table = status_table(standings(study))
    show([table], form)


replicates = click.option("--replicates", default=10_000, show_default=True)
seed = click.option("--seed", default=1, show_default=True)


@command.command("show")
@click.argument("setups", metavar="[SETUP]...", type=Whole(), nargs=-1)
@click.option(
    "--table",
    type=click.Choice(["items", "conditions", "shift", "variants"]),
    help="One of them; else all but the variants.",
)
@replicates
@seed
@listing
@click.pass_obj
def show_(
    path: Path,
    /,
    setups: tuple[int, ...],
    table: str | None,
    replicates: int,
    seed: int,
    form: str,
) -> None:
    """Show log-probabilities by item, decision scores by condition, and their paired shift."""
    from core.resampling import Resampling
    from evals.choices.show import choice_tables
    from evals.choices.standing import standings
    from exports.caveats import with_caveats

    with open_study(path) as study:
        pair = load(study.info.suite).pair
        found = choice_tables(standings(study, setups), pair, Resampling(replicates, seed), table)
    show([with_caveats(each) for each in found], form)


@command.command("curves")
@click.argument("setup", type=Whole())
@click.option("--cue", required=True, help="The fact of a scenario that is swept, a number.")
@click.option("--conflict", required=True, help="The condition in which the constraint applies.")
@click.option("--control", required=True, help="The condition without it.")
@click.option("--phrasing", default="", help="The fact that tells wordings apart.")
@click.option("--table", type=click.Choice(["points", "curves"]), help="One of them; else both.")
@replicates
@seed
@listing
@click.pass_obj
def curves(
    path: Path,
    /,
    setup: int,
    cue: str,
    conflict: str,
    control: str,
    phrasing: str,
    table: str | None,
    replicates: int,
    seed: int,
    form: str,
) -> None:
    """Hold the curve of one condition over a cue against that of another: r and the shift."""
    from core.resampling import Resampling
    from evals.choices.show import only
    from evals.choices.standing import standings
    from evals.choices.sweep import Sweep, curve_tables
    from exports.caveats import with_caveats

    with open_study(path) as study:
        (standing,) = standings(study, [setup])
    sweep = Sweep(cue, conflict, control, phrasing)
    found = curve_tables(standing, sweep, Resampling(replicates, seed))
    show([with_caveats(each) for each in only(found, table)], form)
