"""Grades of responses. They stand beside ratings in the file, and are never read as ratings."""

from __future__ import annotations

import json

from sqlite_utils import Database

from core.grading import GivenGrade
from db.rows import Row, rows

GIVEN = """
    SELECT ratings.*, assignments.response, assignments.position, people.pseudonym,
           people.kind AS person_kind, seats.round, seats.number AS seat_number
    FROM ratings
    JOIN assignments ON assignments.id = ratings.assignment
    JOIN seats ON seats.id = assignments.seat
    JOIN people ON people.id = ratings.person
    WHERE seats.round = ? AND ratings.void IS NULL AND assignments.response IS NOT NULL
    ORDER BY assignments.response, seats.number"""


class GradeStore:
    """What graders said."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def of_round(self, round_id: int) -> tuple[GivenGrade, ...]:
        """Return the standing grades of a round, by response and seat."""
        return tuple(_given(entry) for entry in rows(self._db, GIVEN, [round_id]))


def _given(entry: Row) -> GivenGrade:
    return GivenGrade(
        round=entry["round"],
        response=entry["response"],
        person=entry["pseudonym"],
        person_kind=entry["person_kind"],
        answers=json.loads(entry["answers"]),
        comment=entry["comment"],
        seconds=entry["seconds"],
        seat=entry["seat_number"],
        position=entry["position"],
        created_at=entry["created_at"],
        updated_at=entry["updated_at"],
    )
