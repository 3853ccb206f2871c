"""One progress bar for every long command: on standard error, with an ETA, quiet in a pipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from evals.standing import Standing


@contextmanager
def bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar; the value is a function that takes how much is done and of how much, if known."""
    out = Console(stderr=True)
    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=out, disable=not out.is_terminal) as progress:
        task = progress.add_task(label, total=None)

        def advance(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total or None)

        yield advance


@contextmanager
def standing_bar(label: str) -> Iterator[Callable[[Standing], None]]:
    """Show a bar for a run, with its rate, its cost and its states beside."""
    from evals.standing import in_words

    out = Console(stderr=True)
    columns = (
        TextColumn(label),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[words]}"),
    )
    with Progress(*columns, console=out, disable=not out.is_terminal) as progress:
        task = progress.add_task(label, total=None, words="")

        def advance(now: Standing) -> None:
            progress.update(task, completed=now.present, total=now.expected, words=in_words(now))

        yield advance
