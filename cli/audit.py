"""``wavelock audit``: the audit screens."""

from __future__ import annotations

import os
from pathlib import Path

import click

from cli.open_app import PLAIN, chosen_plain, require_terminal
from core.settings import load_settings


@click.command("audit")
@PLAIN
@click.pass_obj
def command(path: Path, plain: bool) -> None:
    """Audit pairs side by side. Asks for your access code; everything else is on the screen."""
    if chosen_plain(asked=plain):
        from audit.plain import run
    else:
        require_terminal()
        from audit.app import run
    run(path, load_settings(os.environ))
