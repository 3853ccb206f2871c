"""Showing the same thing again and again until somebody has seen enough."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

from core.errors import InputError

if TYPE_CHECKING:
    from exports.fitting import Part

REST = "without --watch all are shown"


def keep_showing(look: Callable[[], Sequence[Part]], every: float, form: str) -> NoReturn:
    """Show what `look` finds until Ctrl-C; the last picture stays on the terminal.

    It is never higher than the terminal, so that what matters most does not scroll away.

    Raises
    ------
    InputError
        When nobody could see it: a pipe would be filled for ever.
    """
    from rich.live import Live

    from exports.fitting import fitting
    from exports.terminal import console

    if form != "text":
        raise InputError(f"--watch is for people; without it --{form} prints everything once")
    if not sys.stdout.isatty():
        raise InputError("--watch needs a terminal; without it everything is printed once")
    out = console()
    with Live(console=out, auto_refresh=False, vertical_overflow="crop") as live:
        while True:
            # The last line is left to the cursor, and to what is said when this is interrupted.
            live.update(fitting(look(), out, out.height - 1, REST), refresh=True)
            time.sleep(every)
