"""``wavelock audit``: the audit screens."""

from __future__ import annotations

from pathlib import Path

import click

from cli.open_app import require_terminal


@click.command("audit")
@click.pass_obj
def command(path: Path) -> None:
    """Audit pairs side by side. Asks for your access code; everything else is on the screen."""
    require_terminal()
    from audit.app import run

    run(path)
