"""``wavelock rate``: the rating screens."""

from __future__ import annotations

import os
from pathlib import Path

import click

from cli.open_app import PLAIN, chosen_plain, require_terminal
from core.settings import load_settings


@click.command("rate")
@PLAIN
@click.pass_obj
def command(path: Path, plain: bool) -> None:
    """Rate items. Asks for your access code; everything else is on the screen."""
    if chosen_plain(asked=plain):
        from annotate.plain import run
    else:
        require_terminal()
        from annotate.app import run
    run(path, load_settings(os.environ))
