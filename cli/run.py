"""``wavelock run``: ask a model the frozen prompts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from cli.diagnostics import say
from cli.models import models_file
from cli.progress import standing_bar
from core.errors import CheckFailed
from db.file import open_study
from suites.registry import load


@click.command("run")
@click.option("--model", required=True, help="embedded, scripted, a URL, or one of the file.")
@models_file
@click.option("--api-model", help="For a URL: the model id exactly as the endpoint knows it.")
@click.option("--key-env", help="For a URL: the environment variable with its key.")
@click.option("--samples", "-k", default=3, show_default=True, help="Samples per item.")
@click.option("--conditions", help="Comma-separated; the suite's pair unless given.")
@click.option("--waves", help="Comma-separated wave numbers; all unless given.")
@click.option("--temperature", type=float, help="0.7 unless given here or in the models file.")
@click.option("--top-p", type=float)
@click.option("--max-tokens", type=int, help="Of one answer.")
@click.option("--seed", type=int, help="Each sample gets its own seed from it.")
@click.option("--prefill", help="The beginning of the assistant's turn.")
@click.option("--system", help="A system prompt; none is sent unless given.")
@click.option("--reasoning-effort", help="Such as none, low, medium, high.")
@click.option("--workers", default=4, show_default=True, help="Requests at a time.")
@click.option("--exploratory", is_flag=True, help="Run without a plan; every table will say so.")
@click.option("--max-tokens-total", type=click.IntRange(min=1), help="Tokens of the whole run.")
@click.option("--max-cost", type=click.FloatRange(min=0), help="Dollars of the whole run.")
@click.option("--drop-errors-above", type=float, help="Share of failures that may drop it.")
@click.option("--drop-per-hour-below", type=float, help="Answers per hour that may drop it.")
@click.option("--drop-after", default=60.0, show_default=True, help="Minutes before that is asked.")
@click.option("--dry-run", is_flag=True, help="Say what it would ask and cost; ask nothing.")
@click.pass_obj
def command(
    path: Path,
    /,
    model: str,
    file: Path | None,
    samples: int,
    conditions: str | None,
    waves: str | None,
    workers: int,
    max_tokens_total: int | None,
    max_cost: float | None,
    drop_errors_above: float | None,
    drop_per_hour_below: float | None,
    drop_after: float,
    dry_run: bool,
    exploratory: bool,
    **decoding: Any,
) -> None:
    """Ask a model every frozen prompt that has no answer yet. The same command continues.

    Ctrl-C finishes what is in flight; a second one stops at once. Several processes may share a
    run.
    """
    from evals.budget import Caps
    from evals.choose import chosen
    from evals.dropping import KEY, rule_of
    from evals.model_file import model_path
    from evals.runner import dry, run

    spec = chosen(model, model_path(file, os.environ), **decoding)
    rule = rule_of(drop_errors_above, drop_per_hour_below, drop_after)
    with open_study(path) as study:
        asked: dict[str, Any] = {
            "conditions": split(conditions) or load(study.info.suite).run_conditions,
            "samples": samples,
            "waves": wave_numbers(waves),
            "recorded": {KEY: rule} if rule else {},
        }
        if dry_run:
            click.echo(dry(study, spec, **asked))
            return
        with standing_bar(spec.name) as tell:
            summary = run(
                study,
                spec,
                **asked,
                workers=workers,
                exploratory=exploratory,
                caps=Caps(max_tokens_total, max_cost),
                tell=tell,
                warn=say,
            )
    say(summary.words)
    if not summary.complete:
        raise CheckFailed(summary.why_incomplete)
    say("next: wavelock runs check, wavelock score, then wavelock report")


def split(text: str | None) -> tuple[str, ...] | None:
    """Return the parts of a comma-separated option, or nothing when it was not given."""
    return tuple(part.strip() for part in text.split(",") if part.strip()) if text else None


def wave_numbers(text: str | None) -> tuple[int, ...] | None:
    """Return the numbers of a ``--waves`` option."""
    try:
        return tuple(int(part) for part in split(text) or ()) or None
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is no list of wave numbers like 1,2") from error
