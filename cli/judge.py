"""``wavelock judge``: ask judges about replies, and doubt what they say."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from cli.diagnostics import say
from cli.models import models_file
from cli.numbers import Number, NumberRange, Whole
from cli.output import listing, show
from cli.progress import standing_bar
from cli.subset import split
from core.errors import CheckFailed
from db.file import open_study


class JudgeGroup(click.Group):
    """``wavelock judge 1 2 --rubric ...`` asks; a word is a command."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Take what is no command for the arguments of ``ask``."""
        asked = args if args[:1] and args[0] in self.commands else ["ask", *args]
        return super().resolve_command(ctx, asked)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Let options that belong to ``ask`` come before the runs."""
        if args and args[0].startswith("-") and args[0] not in ctx.help_option_names:
            args = ["ask", *args]
        return super().parse_args(ctx, args)


@click.group("judge", cls=JudgeGroup)
def command() -> None:
    """Ask judges about the replies of runs: wavelock judge RUN... --rubric NAME --judge MODEL.

    The same command continues; what could not be read or failed is tried again. Several --judge
    make a panel.
    """


@command.command("ask")
@click.argument("runs", metavar="RUN...", type=Whole(), nargs=-1, required=True)
@click.option("--rubric", required=True, help="One that ships, or a file; see docs/judges.md.")
@click.option(
    "--judge",
    "judges",
    multiple=True,
    required=True,
    metavar="MODEL",
    help="scripted-judge, embedded, a URL, or one of the file; several are a panel.",
)
@models_file
@click.option("--samples-of", type=Whole(), help="The first so many samples of each item.")
@click.option("--conditions", help="Comma-separated; all unless given.")
@click.option(
    "--per-cell", type=Whole(1), help="Draw so many that conform, per model and condition."
)
@click.option(
    "--nonconforming", is_flag=True, help="With --per-cell: all that the parser cannot read, too."
)
@click.option("--seed", type=Whole(), help="Of the draw by --per-cell; 1 unless given.")
@click.option(
    "--samples", type=Whole(1), default=1, show_default=True, help="Ask about each reply so often."
)
@click.option("--api-model", help="For a URL: the model id exactly as the endpoint knows it.")
@click.option("--key-env", help="For a URL: the environment variable with its key.")
@click.option("--temperature", type=Number(), help="0 unless given here or in the models file.")
@click.option("--max-tokens", type=Whole(), help="Of one verdict.")
@click.option("--prefill", help="The beginning of the judge's turn.")
@click.option("--workers", default=4, show_default=True, help="Requests at a time.")
@click.option("--max-tokens-total", type=Whole(1), help="Tokens of each judge.")
@click.option("--max-cost", type=NumberRange(min=0), help="Dollars of each judge.")
@click.option("--dry-run", is_flag=True, help="Say what it would ask and cost; ask nothing.")
@click.pass_obj
def ask(
    path: Path,
    /,
    runs: tuple[int, ...],
    rubric: str,
    judges: tuple[str, ...],
    file: Path | None,
    samples_of: int | None,
    conditions: str | None,
    per_cell: int | None,
    nonconforming: bool,
    seed: int | None,
    samples: int,
    workers: int,
    max_tokens_total: int | None,
    max_cost: float | None,
    dry_run: bool,
    **decoding: Any,
) -> None:
    """Ask every judge about every reply of RUN... that it has given no verdict on yet."""
    from evals.budget import Caps
    from evals.judges.choose import chosen_judge
    from evals.judges.docket import docket
    from evals.judges.drawing import draw_of, drawn_in_words
    from evals.judges.library import load_rubric
    from evals.judges.runner import dry, judge
    from evals.model_file import model_path

    models = model_path(file, os.environ)
    specs = [chosen_judge(name, models, **decoding) for name in judges]
    asked = load_rubric(rubric)
    caps = Caps(max_tokens_total, max_cost)
    with open_study(path) as study:
        wanted = docket(
            study,
            runs,
            conditions=split(conditions),
            samples=samples_of,
            draw=draw_of(per_cell, nonconforming=nonconforming, seed=seed),
            times=samples,
        )
        for line in drawn_in_words(study, wanted.scope, wanted.replies):
            say(line)
        if dry_run:
            for spec in specs:
                click.echo(dry(study, spec, asked, wanted))
            return
        incomplete = []
        for spec in specs:
            with standing_bar(spec.name) as tell:
                found = judge(
                    study, spec, asked, wanted, workers=workers, caps=caps, tell=tell, warn=say
                )
            say(found.words)
            incomplete += [found.why_incomplete] if found.capped or found.errors else []
    if incomplete:
        raise CheckFailed("; ".join(incomplete))
    say("next: wavelock judge status, then wavelock judge agreement")


chosen_rubric = click.option("--rubric", help="One rubric by its name; all unless given.")
chosen_judges = click.option(
    "--judge", "judges", multiple=True, type=Whole(), help="Judges by number; all unless given."
)


@command.command("status")
@chosen_rubric
@chosen_judges
@listing
@click.pass_obj
def status(path: Path, rubric: str | None, judges: tuple[int, ...], form: str) -> None:
    """Show what judges said, by condition, and what is no verdict: unreadable, open, no answer."""
    from core.tables import split_by
    from db.panels import panels
    from evals.judges.status import status_tables

    with open_study(path) as study:
        found = status_tables(study, panels(study.judges, rubric, judges))
    show(list(split_by(found, "judged_by")) if form == "text" else found, form)


@command.command("agreement")
@chosen_rubric
@chosen_judges
@click.option(
    "--table",
    type=click.Choice(["short", "panel", "judges", "stability", "parser"]),
    help="One kind; else all.",
)
@click.option("--seed", default=1, show_default=True)
@click.option("--replicates", default=2_000, show_default=True)
@listing
@click.pass_obj
def agreement(
    path: Path,
    /,
    rubric: str | None,
    judges: tuple[int, ...],
    table: str | None,
    seed: int,
    replicates: int,
    form: str,
) -> None:
    """Show how far judges agree with each other, and with the deterministic parser."""
    from core.resampling import Resampling
    from db.panels import panels
    from evals.judges.agreement import agreement_tables, for_people, only
    from exports.caveats import with_caveats

    with open_study(path) as study:
        found = agreement_tables(
            study, panels(study.judges, rubric, judges), Resampling(replicates, seed)
        )
    tables = only(found, table)
    shown = for_people(tables) if form == "text" else tables
    show([with_caveats(each) for each in shown], form)
