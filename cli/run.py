"""``wavelock run``: ask a model the frozen prompts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from cli.diagnostics import say
from cli.progress import bar
from core.errors import CheckFailed
from core.patterns import matching
from db.file import StudyFile, open_study
from suites.base import Suite
from suites.registry import load


@click.command("run")
@click.option("--model", required=True, help="embedded, scripted, or the URL of a chat endpoint.")
@click.option("--api-model", help="For a URL: the model id exactly as the endpoint knows it.")
@click.option("--key-env", help="The environment variable with the endpoint's key.")
@click.option(
    "--samples", "-k", type=int, help="Samples per item; the suite's number if not given."
)
@click.option("--conditions", help="Comma-separated, as names or patterns such as 'exact/*'.")
@click.option("--waves", help="Comma-separated wave numbers; all unless given.")
@click.option("--temperature", type=float, help="The suite's unless given.")
@click.option("--max-tokens", type=int, help="The suite's unless given.")
@click.option("--workers", default=4, show_default=True, help="Requests at a time.")
@click.pass_obj
def command(
    path: Path,
    model: str,
    api_model: str | None,
    key_env: str | None,
    samples: int | None,
    conditions: str | None,
    waves: str | None,
    temperature: float | None,
    max_tokens: int | None,
    workers: int,
) -> None:
    """Ask a model every frozen prompt that has no answer yet. The same command continues."""
    from evals.models import parse_model
    from evals.runner import run

    with open_study(path) as study:
        suite = load(study.info.suite)
        usual = suite.run_defaults
        spec = parse_model(
            model,
            api_model=api_model,
            key_env=key_env,
            temperature=usual.temperature if temperature is None else temperature,
            max_tokens=usual.max_tokens if max_tokens is None else max_tokens,
            prefill=usual.prefill,
        )
        asked = conditions_to_ask(study, suite, split(conditions), wave_numbers(waves))
        with bar(spec.name) as progress:
            summary = run(
                study,
                spec,
                conditions=asked,
                samples=usual.samples if samples is None else samples,
                waves=wave_numbers(waves),
                workers=workers,
                progress=progress,
            )
    states = ", ".join(f"{count} {state}" for state, count in summary.states.items() if count)
    say(f"run {summary.run}: {summary.present} of {summary.expected} answered ({states})")
    if not summary.complete:
        raise CheckFailed(f"{summary.errors} requests failed; the same command tries them again")
    say("next: wavelock score, then wavelock report")


def conditions_to_ask(
    study: StudyFile,
    suite: Suite,
    patterns: Sequence[str] | None,
    waves: Sequence[int] | None = None,
) -> tuple[str, ...]:
    """Return the frozen conditions that match, or the suite's own as far as they are frozen.

    What the suite would ask and no wave holds is said, never passed over in silence.
    """
    frozen = {item.condition for item in study.waves.items(waves)}
    known = [name for name in suite.conditions if name in frozen]
    if not known:
        return suite.run_conditions  # the run itself says that nothing is frozen
    if patterns:
        return matching(known, patterns, "frozen condition")
    if lacking := [name for name in suite.run_conditions if name not in frozen]:
        say(f"note: not frozen, so not asked: {', '.join(lacking)}")
    return tuple(name for name in suite.run_conditions if name in frozen)


def split(text: str | None) -> tuple[str, ...] | None:
    """Return the parts of a comma-separated option, or nothing when it was not given."""
    return tuple(part.strip() for part in text.split(",") if part.strip()) if text else None


def wave_numbers(text: str | None) -> tuple[int, ...] | None:
    """Return the numbers of a ``--waves`` option."""
    try:
        return tuple(int(part) for part in split(text) or ()) or None
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is no list of wave numbers like 1,2") from error
