"""A study with packets, and people who work in them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotate.packet_out import hand_out
from annotate.sitting import RatingSitting
from annotate.stages import Stages
from core.study import Round
from db.file import StudyFile, open_study

GOOD = {"choice": "A", "confidence": 4, "naturalness": 4}
OTHER = {"choice": "B", "confidence": 1, "naturalness": 2}


@dataclass(frozen=True)
class Office:
    """A study with an open round of four seats, and the code of each seat."""

    study: StudyFile
    round: Round
    codes: Mapping[int, str]
    folder: Path

    def out(self, *numbers: int) -> list[Path]:
        """Hand out packets for seats."""
        seats = [self.study.seats.find(self.round.id, number) for number in numbers or (1,)]
        return [m.file for m in hand_out(self.study, self.round, seats, self.folder)]

    @contextmanager
    def sitting(self, path: Path, number: int = 1) -> Iterator[RatingSitting]:
        """Sit down at a packet, or online, with the code of a seat."""
        with open_study(path) as file:
            sitting = RatingSitting.enter(file, self.codes[number])
            yield sitting
            sitting.leave()

    def rate(
        self, path: Path, number: int = 1, count: int = 99, answers: Mapping[str, Any] = GOOD
    ) -> None:
        """Rate so many items, from the first that is open."""
        with self.sitting(path, number) as sitting:
            for _ in range(min(count, sitting.total - sitting.done)):
                sitting.save(answers, comment="why", seconds=2.5)
                sitting.forward()

    @contextmanager
    def stages(self, path: Path, number: int = 1, code: str = "") -> Iterator[Stages]:
        """Go the whole way in a packet, or online."""
        with open_study(path) as file:
            stages = Stages.enter(file, code or self.codes[number])
            yield stages
            stages.leave()


RATINGS = """
    SELECT seats.number, assignments.position, answers, comment, seconds, ratings.created_at,
      updated_at FROM ratings JOIN assignments ON assignments.id = ratings.assignment
    JOIN seats ON seats.id = assignments.seat ORDER BY seats.number, assignments.position"""
HISTORY = """
    SELECT seats.number, assignments.position, h.answers, h.comment, h.at
    FROM rating_history AS h JOIN ratings ON ratings.id = h.rating
    JOIN assignments ON assignments.id = ratings.assignment
    JOIN seats ON seats.id = assignments.seat ORDER BY seats.number, h.id"""


def select(path: Path, sql: str) -> list[tuple[Any, ...]]:
    """Read as another program would."""
    with closing(sqlite3.connect(path)) as plain:
        return plain.execute(sql).fetchall()


def given(path: Path) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Return ratings and history of a file, without what is drawn at random."""
    return select(path, RATINGS), select(path, HISTORY)


def dump(path: Path) -> str:
    """Return all that is in a file."""
    with closing(sqlite3.connect(path)) as plain:
        return "\n".join(plain.iterdump())
