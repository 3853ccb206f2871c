"""``wavelock score``: read every generation with the verifiers that its item asks for."""

from __future__ import annotations

from pathlib import Path

import click

from cli.diagnostics import say
from cli.progress import bar
from core.errors import InputError
from core.verifiers import asked_for
from db.file import open_study


@click.command("score")
@click.pass_obj
def command(path: Path) -> None:
    """Read every generation that these versions of the verifiers have not read yet."""
    from evals.scoring import score

    with open_study(path) as study:
        verifiers = asked_for(item.document for item in study.waves.items())
        if not verifiers:
            raise InputError("nothing is frozen yet, so nothing was run that could be scored")
        with bar("scores") as progress:
            count = score(study, verifiers, progress)
    say(f"{count} new scores by {', '.join(verifiers)}; next: wavelock report")
