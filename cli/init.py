"""``wavelock init``: a new study file from a suite."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from cli.diagnostics import say
from core.errors import InputError
from core.items import Scenario
from db.file import create_study
from suites.base import Suite
from suites.registry import load


@click.command("init")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--suite", "suite_name", required=True, help="Which benchmark definition to start from."
)
@click.option(
    "--from",
    "folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Drafted items of your own, in the suite's format, instead of those that ship.",
)
@click.option(
    "--empty", is_flag=True, help="Start without items; wavelock items import brings them."
)
@click.option("--title", help="What the study is called; the suite's title unless given.")
def command(
    path: Path, suite_name: str, folder: Path | None, title: str | None, *, empty: bool
) -> None:
    """Make a new study at PATH with the drafted items of a suite, your own, or none yet."""
    if empty and folder is not None:
        raise InputError("--empty starts without items and --from with those of a folder; give one")
    suite = load(suite_name)
    scenarios = _drafted(suite, folder, empty=empty)
    with create_study(
        path, title=title or suite.title, suite=suite.name, scenarios=scenarios
    ) as study:
        count = len(study.items.latest())
    say(f"{path}: {len(scenarios)} scenarios, {count} drafted items of {suite.name}")
    step = "items import FILE" if empty else "items check"
    say(f"next: wavelock --study {shlex.quote(str(path))} {step}")


def _drafted(suite: Suite, folder: Path | None, *, empty: bool) -> tuple[Scenario, ...]:
    if empty:
        return ()
    return suite.scenarios() if folder is None else suite.scenarios_in(folder)
