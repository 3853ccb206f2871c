"""``wavelock score``: read every generation with the suite's verifiers."""

from __future__ import annotations

from pathlib import Path

import click

from cli.diagnostics import say
from cli.progress import bar
from db.file import open_study
from suites.registry import load


@click.command("score")
@click.pass_obj
def command(path: Path) -> None:
    """Read every generation that these versions of the verifiers have not read yet."""
    from evals.scoring import score

    with open_study(path) as study:
        verifiers = load(study.info.suite).verifiers
        with bar("scores") as progress:
            count = score(study, verifiers, progress)
    say(f"{count} new scores by {', '.join(verifiers)}; next: wavelock report")
