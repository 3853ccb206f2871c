"""``wavelock models``: the models file, whether each model answers, and a server to try it on."""

from __future__ import annotations

import os
from pathlib import Path

import click

from cli.diagnostics import say
from cli.numbers import Number
from cli.output import listing, show
from core.errors import CheckFailed
from core.tables import Column, Table
from core.words import counted

models_file = click.option(
    "--models",
    "file",
    type=click.Path(path_type=Path),
    help="The models file; WAVELOCK_MODELS, else ./models.toml.",
)


@click.group("models")
def command() -> None:
    """List and check the models that runs can name; serve one that is none."""


@command.command("list")
@models_file
@listing
def list_models(file: Path | None, form: str) -> None:
    """List the models of the models file, with everything that decides a reply."""
    from evals.model_file import load_models, model_path
    from evals.model_tables import models_table

    show([models_table(load_models(model_path(file, os.environ)))], form)


@command.command("check")
@click.argument("names", nargs=-1)
@models_file
@listing
def check(names: tuple[str, ...], file: Path | None, form: str) -> None:
    """Ask each model, or those that are named, one thing, and say what is wrong in words."""
    from evals.choose import chosen
    from evals.model_check import check_models
    from evals.model_file import load_models, model_path

    path = model_path(file, os.environ)
    asked = [chosen(name, path) for name in names] if names else load_models(path)
    found = check_models(asked)
    columns = (
        Column("model", "Model"),
        Column("fine", "Fine"),
        Column("state", "State"),
        Column("answered_by", "Answered by"),
        Column("seconds", "s", "score"),
        Column("said", "In words"),
    )
    rows = tuple(
        {
            "model": each.model,
            "fine": "yes" if each.fine else "no",
            "state": each.state,
            "answered_by": each.answered_by,
            "seconds": each.seconds,
            "said": each.said,
        }
        for each in found
    )
    show([Table("models_check", counted(len(rows), "model"), columns, rows)], form)
    wrong = sum(not each.fine for each in found)
    if wrong:
        raise CheckFailed(f"{counted(wrong, 'model')} cannot be run as things are")


@command.command("mock")
@click.option("--port", default=8765, show_default=True, help="0: one that is free.")
@click.option("--faults", default="none", show_default=True, help="none, rough, hostile; or a file")
@click.option("--delay", type=Number(), help="Seconds before every answer.")
@click.option("--seed", type=int, help="Another one gives other answers and other faults.")
@click.option(
    "--prompt-logprobs",
    "prompts",
    default="honest",
    show_default=True,
    help="How /v1/completions gives log-probabilities of a prompt; see docs/choices.md.",
)
def mock(port: int, faults: str, delay: float | None, seed: int | None, prompts: str) -> None:
    """Serve a model that is none, on this machine: OpenAI, Anthropic and Gemini protocols."""
    from evals.mock.faults import load_faults, overruled
    from evals.mock.serve import serve

    told = overruled(load_faults(faults), delay=delay, seed=seed)
    serve(
        told,
        port,
        lambda at: say(f"a model that is none listens at {at}; Ctrl-C ends it"),
        prompts,
    )
