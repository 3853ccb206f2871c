"""Studies with canaries for the rating screens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotate.wording import load
from tests.annotate.packets import Office
from tests.ui.studies import Planted, plant


@pytest.fixture
def planted(tmp_path: Path) -> Callable[..., Planted]:
    """Return a function that makes a study in a file of its own."""
    return lambda **choices: plant(tmp_path / "study.db", **choices)


@pytest.fixture
def office(workshop: Any, tmp_path: Path) -> Office:
    """Return a study of six scenarios with an open round, and the codes of its four seats."""
    return opened_office(workshop, tmp_path)


def opened_office(workshop: Any, folder: Path, **plan: Any) -> Office:
    """Make a study of its own in a folder."""
    study = workshop.create(folder / "study.db", 6)
    texts = load("main")
    texts["checks.toml"] = texts["checks.toml"].replace("apart = 10", "apart = 2")
    plan = {"texts": texts, "auditors": 0, **plan}
    campaign = workshop.plan(study, **plan)
    seats = study.rounds.seats(campaign.id, "rater")
    codes = {seat.number: study.people.issue_code(seat.id) for seat in seats}
    return Office(study, study.rounds.open(campaign.id), codes, folder / "out")
