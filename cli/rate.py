"""``wavelock rate``: the rating screens."""

from __future__ import annotations

from pathlib import Path

import click

from cli.open_app import require_terminal


@click.command("rate")
@click.pass_obj
def command(path: Path) -> None:
    """Rate items. Asks for your access code; everything else is on the screen."""
    require_terminal()
    from annotate.app import run

    run(path)
