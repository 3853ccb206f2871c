"""Opening screens, and saying plainly when there is no terminal for them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from core.errors import InputError
from core.marks import HEADER, packet_header
from core.settings import load_settings

PLAIN = click.option(
    "--plain",
    is_flag=True,
    help="Line by line, for screen readers and pipes; by itself where TERM=dumb.",
)


def chosen_plain(*, asked: bool) -> bool:
    """Return whether to go line by line: asked for, or a terminal that cannot draw."""
    return asked or (os.environ.get("TERM") == "dumb" and has_terminal())


def has_terminal() -> bool:
    """Return whether a person sits at both ends."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def require_terminal() -> None:
    """Refuse to draw screens into a pipe."""
    if not has_terminal():
        raise InputError("the screens need a terminal; run this where you can type and see")


def is_packet_file(path: Path) -> bool:
    """Return whether a file is a packet, by its first bytes."""
    if not path.is_file():  # a pipe would be waited for
        return False
    with path.open("rb") as file:
        return packet_header(file.read(HEADER))


def require_packet(path: Path) -> None:
    """Refuse to rate in a file that is something else, before anything is asked or said of it."""
    try:
        found = is_packet_file(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    if not found:
        raise InputError(f"{path} is no packet, and was left untouched; ask for the file again")


def open_app(path: Path) -> None:
    """Open the menu on a study."""
    from db.file import open_study

    open_study(path).close()  # says what is wrong with the file before any screen is drawn
    require_terminal()
    settings = load_settings(os.environ)
    from cli.home import run
    from cli.tables import all_tables

    run(path, lambda: all_tables(path), settings)
