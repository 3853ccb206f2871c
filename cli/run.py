"""``wavelock run``: ask a model the frozen prompts."""

from __future__ import annotations

from pathlib import Path

import click

from cli.diagnostics import say
from cli.progress import bar
from cli.subset import split, wave_numbers
from core.errors import CheckFailed
from db.file import open_study
from suites.registry import load


@click.command("run")
@click.option("--model", required=True, help="embedded, scripted, or the URL of a chat endpoint.")
@click.option("--api-model", help="For a URL: the model id exactly as the endpoint knows it.")
@click.option("--key-env", help="The environment variable with the endpoint's key.")
@click.option("--samples", "-k", default=3, show_default=True, help="Samples per item.")
@click.option("--conditions", help="Comma-separated; the suite's pair unless given.")
@click.option("--waves", help="Comma-separated wave numbers; all unless given.")
@click.option("--temperature", type=float, default=0.7, show_default=True)
@click.option("--max-tokens", type=int)
@click.option("--workers", default=4, show_default=True, help="Requests at a time.")
@click.option("--exploratory", is_flag=True, help="Run without a plan; every table will say so.")
@click.pass_obj
def command(
    path: Path,
    model: str,
    api_model: str | None,
    key_env: str | None,
    samples: int,
    conditions: str | None,
    waves: str | None,
    temperature: float,
    max_tokens: int | None,
    workers: int,
    *,
    exploratory: bool,
) -> None:
    """Ask a model every frozen prompt that has no answer yet. The same command continues."""
    from evals.models import parse_model
    from evals.runner import run

    spec = parse_model(
        model,
        api_model=api_model,
        key_env=key_env,
        temperature=temperature,
        max_tokens=max_tokens,
    )
    with open_study(path) as study:
        suite = load(study.info.suite)
        with bar(spec.name) as progress:
            summary = run(
                study,
                spec,
                conditions=split(conditions) or suite.run_conditions,
                samples=samples,
                waves=wave_numbers(waves),
                workers=workers,
                progress=progress,
                exploratory=exploratory,
            )
    states = ", ".join(f"{count} {state}" for state, count in summary.states.items() if count)
    say(f"run {summary.run}: {summary.present} of {summary.expected} answered ({states})")
    if not summary.complete:
        raise CheckFailed(f"{summary.errors} requests failed; the same command tries them again")
    say("next: wavelock score, then wavelock report")
