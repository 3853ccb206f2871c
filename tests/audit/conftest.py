"""Studies with canaries for the audit screens."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from audit.wording import NAME, load
from db.file import open_study
from tests.ui.studies import Planted, plant


@pytest.fixture
def planted(tmp_path: Path) -> Callable[..., Planted]:
    """Return a function that makes a study in a file of its own."""
    return lambda **choices: plant(tmp_path / "study.db", **choices)


@pytest.fixture
def instructed(planted: Callable[..., Planted]) -> Callable[..., Planted]:
    """Return a function that makes a study whose auditors are told what to do."""

    def make(text: str = load("main")[NAME], **choices: object) -> Planted:
        study = planted(opened=False, **choices)
        with closing(sqlite3.connect(study.path)) as file, file:
            values = (study.round, NAME, text)
            file.execute("INSERT INTO round_texts (round, name, content) VALUES (?, ?, ?)", values)
        with open_study(study.path) as opened:
            opened.rounds.open(study.round)
        return study

    return make
