"""Twenty processes that save ratings into one study file, ours or by hand-written SQL.

``python -m benchmarks._durable SIDE FILE SEAT`` is one of them: it opens the file, says ``ready``,
waits for a line, saves a rating for every item of the seat and prints when it began and ended.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from annotate.plan import PlanRequest
from cli.planning import plan_round
from core.evidence import Rating
from core.hashing import canonical
from core.items import ItemText, Option, Scenario
from db.file import create_study, open_study
from suites.registry import load

RATERS = 20
CONDITIONS = ("Active", "Removed", "Explicit", "SalienceControl")
ANSWERS = {"choice": "A", "confidence": 4, "naturalness": 5}
RATING = (
    "INSERT INTO ratings (assignment, person, answers, comment, seconds, salt, hash, created_at, "
    "updated_at) VALUES (?, ?, ?, '', 8.0, ?, ?, ?, ?)"
)
HISTORY = "INSERT INTO rating_history (rating, answers, comment, at) VALUES (?, ?, '', ?)"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A study with an open round of twenty seats that are taken, and the code of the first."""

    path: Path
    code: str


def prepare(path: Path, *, items: int) -> Prepared:
    """Make a study in which each of twenty people has so many items to rate."""
    suite = load("core100")
    scenarios = [_scenario(number) for number in range(items)]
    with create_study(path, title="b", suite=suite.name, scenarios=scenarios, salt="b") as study:
        planned, codes = plan_round(
            study, suite, name="r", kind="practice", request=PlanRequest(seats=RATERS), auditors=2
        )
        study.rounds.open(planned.id)
        for seat in study.rounds.seats(planned.id, "rater"):
            study.people.take_seat(seat.id)
    with sqlite3.connect(path) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file.close()
    return Prepared(path, codes["rater", 1])


def _scenario(number: int) -> Scenario:
    options = (Option("heavy", f"Drive {number}"), Option("heuristic", f"Walk {number}"))
    return Scenario(
        f"S{number:03}",
        {"domain": f"d{number % 4}", "constraint": f"c{number % 5}"},
        tuple(
            ItemText(name, f"Task {number}, wording {name}. Drive or walk?", options, "heavy")
            for name in CONDITIONS
        ),
    )


def rate_of(path: Path, side: str) -> float:
    """Return the ratings per second that twenty processes save together; each is checked to be."""
    with open_study(path) as study:
        campaign = study.rounds.all()[0]
        seats = [seat.id for seat in study.rounds.seats(campaign.id, "rater")]
        expected = sum(len(study.rounds.assignments(seat)) for seat in seats)
    command = [sys.executable, "-m", "benchmarks._durable", side, str(path)]
    raters = [
        subprocess.Popen(
            [*command, str(seat)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for seat in seats
    ]
    for rater in raters:
        assert rater.stdout is not None
        assert rater.stdout.readline() == "ready\n"
    told = []
    for rater in raters:
        assert rater.stdin is not None
        rater.stdin.write("go\n")
        rater.stdin.flush()
    for rater in raters:
        out, _ = rater.communicate()
        told.append([float(word) for word in out.split()])
    with open_study(path) as study:
        saved = len(study.ratings.of_round(campaign.id))
        assert saved == expected, f"{side}: {saved} of {expected} ratings are in the file"
        assert not study.ratings.faults(campaign.id) or side == "raw"
    return expected / (max(end for _, end in told) - min(start for start, _ in told))


def _store(path: Path, seat: int) -> tuple[float, float]:
    with open_study(path) as study:
        person = study.people.occupant(seat)
        assert person is not None
        ratings = [Rating(a.id, ANSWERS, "", 8.0) for a in study.rounds.assignments(seat)]
        _ready()
        start = time.perf_counter()
        for rating in ratings:
            study.ratings.save(rating, person.id)
        return start, time.perf_counter()


def _raw(path: Path, seat: int) -> tuple[float, float]:
    with open_study(path) as study:
        person = study.people.occupant(seat)
        assert person is not None
        assignments = [a.id for a in study.rounds.assignments(seat)]
    file = sqlite3.connect(path, timeout=30.0, isolation_level=None)
    file.execute("PRAGMA foreign_keys = ON")
    file.execute("PRAGMA recursive_triggers = ON")
    file.execute("PRAGMA synchronous = FULL")
    answers, at, salt, seal = canonical(ANSWERS), "2026-11-30T17:27:35.250Z", "5" * 32, "f" * 71
    _ready()
    start = time.perf_counter()
    for assignment in assignments:
        file.execute("BEGIN IMMEDIATE")
        row = file.execute(RATING, (assignment, person.id, answers, salt, seal, at, at)).lastrowid
        file.execute(HISTORY, (row, answers, at))
        file.execute("COMMIT")
    end = time.perf_counter()
    file.close()
    return start, end


def _ready() -> None:
    print("ready", flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    work = {"store": _store, "raw": _raw}[sys.argv[1]]
    print(*work(Path(sys.argv[2]), int(sys.argv[3])))
