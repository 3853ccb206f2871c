"""``wavelock round seats`` and ``replace``, as a researcher meets them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotate.sitting import RatingSitting
from cli.seats import spell
from db.file import open_study

GOOD = {"choice": "A", "confidence": 4, "naturalness": 4}


@pytest.fixture
def path(workshop: Any, tmp_path: Path) -> Path:
    """A study with an open round; the first seat has two ratings."""
    found = tmp_path / "study.db"
    study = workshop.create(found, 5)
    workshop.opened(study)
    sitting = RatingSitting.at_seat(study, study.seats.find(1, 1))
    for _ in range(2):
        sitting.save(GOOD)
        sitting.forward()
    study.close()
    return found


def test_seats_are_shown_by_pseudonym(wavelock: Any, path: Path) -> None:
    """Every seat is there with its state, and nobody by anything but a pseudonym."""
    done = wavelock("--study", path, "round", "seats", "main", "--json")
    rows = json.loads(done.out)["rows"]
    assert [row["state"] for row in rows] == ["active", "free", "free", "free", "free"]
    assert rows[0]["person"].startswith("P-")
    assert (rows[0]["done"], rows[0]["total"], rows[1]["person"]) == (2, 5, "nobody")
    text = wavelock("--study", path, "round", "seats", "main").out
    assert "idle for more than 3 d" in text


def test_a_seat_is_replaced_with_one_command(wavelock: Any, path: Path) -> None:
    """The new code stands alone on standard output, and opens the rest of the list."""
    done = wavelock("--study", path, "round", "replace", "main", "1")
    assert "2 answers kept, 3 to do" in done.err
    with open_study(path) as study:
        assert RatingSitting.enter(study, done.out.strip()).total == 3


def test_void_is_planned(wavelock: Any, path: Path) -> None:
    """What becomes of a replaced person's ratings is an option of the plan, and of nothing else."""
    plan = ("round", "plan", "r2", "--ratings", "1", "--seats", "4", "--on-replace", "void")
    assert wavelock("--study", path, *plan, "--abandoned-after", "1").code == 0
    with open_study(path) as study:
        campaign = study.rounds.named("r2")
        assert (campaign.on_replace, campaign.idle_limit) == ("void", 60)
    assert (
        wavelock("--study", path, "round", "replace", "r2", "1", "--on-replace", "keep").code == 2
    )


def test_an_unknown_seat_is_named(wavelock: Any, path: Path) -> None:
    """A seat that is not there is one line and exit code 2."""
    done = wavelock("--study", path, "round", "replace", "main", "7", "--role", "auditor")
    assert (done.code, done.out) == (2, "")
    assert "no auditor seat 7" in done.err


@pytest.mark.parametrize(
    ("minutes", "told"), [(0, "0 min"), (61, "1 h 1 min"), (1440, "1 d"), (4381, "3 d 1 h")]
)
def test_durations_are_told_in_two_units(minutes: int, told: str) -> None:
    """No duration is longer than two words that matter."""
    assert spell(minutes) == told


def test_reports_are_listed_by_item(wavelock: Any, study_path: Path) -> None:
    """What people say is wrong stands beside the item and its revision, in every form."""
    with open_study(study_path) as study:
        seat = study.seats.find(study.rounds.named("people").id, 2)
        sitting = RatingSitting.at_seat(study, seat)
        study.said.report(sitting.assignment.id, sitting.person.id, "odd \x1b[31m\nword")
    command = ("--study", study_path, "round", "reports", "people")
    shown = wavelock(*command).out
    assert shown.startswith("2 problems reported in round people, on 2 items")
    assert "a word is missing" in shown
    assert "\x1b" not in shown
    rows = json.loads(wavelock(*command, "--json").out)["rows"]
    assert sorted(row["seat"] for row in rows) == [1, 2]
    assert rows == sorted(rows, key=lambda row: row["item"])
    assert wavelock(*command, "--csv").out.startswith("item,revision,seat,person,at,text\n")
    assert wavelock("--study", study_path, "round", "reports", "tried").out.startswith("0 problems")
