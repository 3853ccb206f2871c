"""``wavelock rate``: the rating screens."""

from __future__ import annotations

import os
from pathlib import Path

import click

from cli.diagnostics import say
from cli.open_app import PLAIN, chosen_plain, require_packet, require_terminal
from core.settings import load_settings


@click.command("rate")
@click.argument(
    "packet", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@PLAIN
@click.pass_obj
def command(path: Path, packet: Path | None, plain: bool) -> None:
    """Rate items. Asks for your access code; everything else is on the screen.

    With PACKET, the file that you were sent, nothing else is needed, and no connection.
    """
    if packet:
        require_packet(packet)
    if chosen_plain(asked=plain):
        from annotate.plain import run
    else:
        require_terminal()
        from annotate.app import run
    run(packet or path, load_settings(os.environ))
    if packet:
        say(f"your answers are in {packet}; send it back when you are done")
