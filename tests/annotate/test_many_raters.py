"""Many raters on one file, and raters who are killed: nothing lost, nothing twice."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from annotate.stages import Stages
from audit.verify import study_faults
from db.file import StudyFile, open_study

RATER = """
import sys
from pathlib import Path
from annotate.sitting import RatingSitting
from db.file import open_study
with open_study(Path(sys.argv[1])) as study:
    sitting = RatingSitting.enter(study, sys.argv[2])
    while not sitting.finished:
        sitting.save({"choice": "B", "confidence": 3, "naturalness": 3}, seconds=1.0)
        print(sitting.assignment.id, flush=True)
        sitting.forward()
"""
READER = """
import sys
from pathlib import Path
from db.file import open_study
with open_study(Path(sys.argv[1])) as study:
    study._db.conn.execute("BEGIN")
    before = len(study.ratings.of_round(1))
    print(before, flush=True)
    sys.stdin.readline()
    assert len(study.ratings.of_round(1)) == before
"""


def start(program: str, *arguments: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *(str(argument) for argument in arguments)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def crowd(study: StudyFile, ratings: int, scenarios: int) -> None:
    """Let 4 x `ratings` processes rate all their items while one reader holds a snapshot."""
    codes = [study.people.issue_code(seat.id) for seat in study.rounds.seats(1, "rater")]
    reader = start(READER, study.path)
    assert reader.stdout
    reader.stdout.readline()
    children = [start(RATER, study.path, code) for code in codes]
    said = [child.communicate(timeout=300) for child in children]
    assert [child.returncode for child in children] == [0] * len(codes), said
    out, err = reader.communicate("\n", timeout=60)
    assert (reader.returncode, err) == (0, ""), out
    given = study.ratings.of_round(1)
    assert len(given) == 4 * ratings * scenarios
    acknowledged = [int(line) for out, _ in said for line in out.split()]
    assert len(acknowledged) == len(set(acknowledged)) == len(given)
    assert not [err for _, err in said if err]
    assert len(study.ratings.events_of_round(1)) == len(given)
    assert study_faults(study) == ()


def test_twenty_raters_and_a_reader(workshop: Any, tmp_path: Path) -> None:
    """Twenty processes rate at once beside a long reader: no lock error, none lost, none twice."""
    study = workshop.create(tmp_path / "study.db", 4)
    workshop.opened(study, ratings=5)
    crowd(study, 5, 4)


@pytest.mark.soak
def test_four_thousand_ratings(workshop: Any, tmp_path: Path) -> None:
    """The same with 4,000 ratings."""
    study = workshop.create(tmp_path / "study.db", 200)
    workshop.opened(study, ratings=5)
    crowd(study, 5, 200)


def killed(study: StudyFile, times: int) -> None:
    """End a rater at random moments, again and again; hold the file against what was said."""
    seat = study.seats.find(1, 1)
    code = study.people.issue_code(seat.id)
    total = len(study.rounds.assignments(seat.id))
    draw = random.Random(7)
    acknowledged: set[int] = set()
    kills = 0
    while kills < times and len(acknowledged) < total:
        child = start(RATER, study.path, code)
        assert child.stdout
        first = child.stdout.readline()
        time.sleep(draw.uniform(0, 0.02))
        child.send_signal(draw.choice((signal.SIGKILL, signal.SIGHUP)))
        rest, err = child.communicate(timeout=60)
        kills += 1
        whole = (first + rest).rpartition("\n")[0]  # the last line may be cut
        acknowledged |= {int(line) for line in whole.split()}
        assert not err
        with open_study(study.path) as again:
            stored = again.ratings.of_seat(seat.id)
            assert acknowledged <= stored.keys(), "an acknowledged answer is lost"
            assert len(again.ratings.events_of_round(1)) == len(stored), "an answer is there twice"
            assert again.ratings.faults(1) == (), "half an answer"
            stages = Stages.enter(again, code)
            assert stages.sitting.done == len(stored)
            if not stages.sitting.finished:
                assert stages.sitting.view().number == len(stored) + 1
            stages.leave()
            acknowledged = set(stored)
    assert kills == times


def test_killed_raters_lose_nothing(workshop: Any, tmp_path: Path) -> None:
    """SIGKILL or a hang-up at random moments: the acknowledged is there, whole, the place kept."""
    study = workshop.create(tmp_path / "study.db", 1_000)
    workshop.opened(study)
    killed(study, 4)


@pytest.mark.soak
def test_two_hundred_kills(workshop: Any, tmp_path: Path) -> None:
    """The same, 200 times."""
    study = workshop.create(tmp_path / "study.db", 8_000)
    workshop.opened(study)
    killed(study, 200)
