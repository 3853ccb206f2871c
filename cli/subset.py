"""``--waves`` and ``--without``: the options of every command that can be restricted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from core.subsets import Subset

Command = TypeVar("Command", bound=Callable[..., Any])


def restrictable(command: Command) -> Command:
    """Give a command ``--waves`` and ``--without``; it receives both, for :func:`subset_of`."""
    command = click.option(
        "--without",
        type=click.Choice(["pilot"]),
        help="Leave out what a pilot round has shown to raters.",
    )(command)
    return click.option("--waves", help="Comma-separated wave numbers; all unless given.")(command)


def subset_of(waves: str | None, without: str | None) -> Subset:
    """Return what the two options ask for."""
    return Subset(wave_numbers(waves), without == "pilot")


def split(text: str | None) -> tuple[str, ...] | None:
    """Return the parts of a comma-separated option, or nothing when it was not given."""
    return tuple(part.strip() for part in text.split(",") if part.strip()) if text else None


def wave_numbers(text: str | None) -> tuple[int, ...] | None:
    """Return the numbers of a ``--waves`` option, each once, in order."""
    try:
        numbers = sorted({int(part) for part in split(text) or ()})
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is no list of wave numbers like 1,2") from error
    return tuple(numbers) or None
