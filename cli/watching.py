"""Showing the same thing again and again until somebody has seen enough."""

from __future__ import annotations

import time
from collections.abc import Iterator

import click

EVERY = 2.0  # seconds


def again(watch: bool) -> Iterator[None]:
    """Yield once, or with `watch` every two seconds on a cleared screen; Ctrl-C ends it quietly."""
    yield
    try:
        while watch:
            time.sleep(EVERY)
            click.clear()
            yield
    except KeyboardInterrupt:
        return
