"""``wavelock enter``: one door for everybody; the access code says what is behind it.

This is what the server starts for each person, and it works at the machine of the study as well.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from annotate.serve.leash import hold, leashed, note_failure
from cli.diagnostics import say
from cli.open_app import PLAIN, chosen_plain, require_terminal
from core.settings import load_settings

CLOSED = "this cannot be opened just now; tell the person who invited you"


@click.command("enter")
@PLAIN
@click.pass_obj
def command(path: Path, plain: bool) -> None:
    """Rate or audit, whichever your access code is for."""
    with _discreet():
        if chosen_plain(asked=plain):
            _talk(path)
        else:
            require_terminal()
            from cli.door import DoorApp

            app = DoorApp(path, load_settings(os.environ))
            hold(os.environ, lambda: app.call_from_thread(app.exit))
            app.run_to_end()


def _talk(path: Path) -> None:
    """Ask what for, then rate or audit line by line."""
    from annotate.plain import run as rate
    from audit.plain import run as audit
    from ui.lines import LineTerminal

    hold(os.environ, lambda: None)
    lines, ways = LineTerminal(), {"rate": rate, "audit": audit}
    while (told := lines.ask("Are you here to rate or to audit? ")) is not None:
        word = told.strip().lower()
        if word in ways:
            ways[word](path, load_settings(os.environ))
        if word in (*ways, "q", "stop"):
            return
        lines.say("Type rate, or audit, or stop.")


@contextmanager
def _discreet() -> Iterator[None]:
    """Tell people behind a server nothing of the file or the program when something fails."""
    try:
        yield
    except Exception as error:
        if not leashed(os.environ):
            raise
        note_failure(os.environ, error)
        say(f"wavelock: {CLOSED}")
        raise SystemExit(1) from None
