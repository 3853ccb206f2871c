"""A terminal, and studies with canaries, for tests from end to end."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.terminal.tmux import Terminal
from tests.ui.studies import Planted, plant


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """Return a terminal of 80 x 24 cells, which is closed at the end."""
    if shutil.which("tmux") is None:
        pytest.skip("tmux is missing; on Debian: apt-get install tmux")
    found = Terminal(tmp_path)
    yield found
    found.close()


@pytest.fixture
def planted(tmp_path: Path) -> Callable[..., Planted]:
    """Return a function that makes a study in a file of its own."""
    return lambda **choices: plant(tmp_path / "study.db", **choices)
