"""Studies with canaries for the audit screens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ui.studies import Planted, plant


@pytest.fixture
def planted(tmp_path: Path) -> Callable[..., Planted]:
    """Return a function that makes a study in a file of its own."""
    return lambda **choices: plant(tmp_path / "study.db", **choices)
