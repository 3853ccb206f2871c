"""Ratings: each change is kept, each carries a salted hash that decisions rest on."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any

from sqlite_utils import Database

from core.clock import now
from core.errors import Refused
from core.forms import form_from_json
from core.hashing import canonical, digest_of
from core.study import GivenRating, Rating
from db.connection import immediate
from db.rows import Row, insert, options_from_json, row, rows

GIVEN = """
    SELECT ratings.*, people.pseudonym, people.kind AS person_kind, seats.list,
           seats.round, items.scenario, items.condition, revisions.options, revisions.gold,
           revisions.number AS revision_number, revisions.text
    FROM ratings
    JOIN assignments ON assignments.id = ratings.assignment
    JOIN seats ON seats.id = assignments.seat
    JOIN people ON people.id = ratings.person
    JOIN revisions ON revisions.id = assignments.revision
    JOIN items ON items.id = revisions.item
    WHERE seats.round = ? ORDER BY items.scenario, items.id, seats.number"""


class RatingStore:
    """What raters said."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def save(self, rating: Rating, person: int) -> None:
        """Store or change a rating, with its history, in one durable transaction.

        Raises
        ------
        Refused
            When the answers do not fit the form, or the round is not open.
        """
        with immediate(self._db):
            self._require_fitting(rating)
            known = row(self._db, "SELECT * FROM ratings WHERE assignment = ?", [rating.assignment])
            number = self._change(known, rating) if known else self._add(rating, person)
            insert(
                self._db,
                "rating_history",
                rating=number,
                answers=canonical(rating.answers),
                comment=rating.comment,
                at=now(),
            )

    def _require_fitting(self, rating: Rating) -> None:
        found = row(
            self._db,
            "SELECT rounds.form, revisions.options FROM assignments "
            "JOIN seats ON seats.id = assignments.seat JOIN rounds ON rounds.id = seats.round "
            "JOIN revisions ON revisions.id = assignments.revision WHERE assignments.id = ?",
            [rating.assignment],
        )
        if found is None:
            raise Refused("that item is on nobody's list")
        labels = tuple(option.label for option in options_from_json(found["options"]))
        form = form_from_json(json.loads(found["form"]))
        if faults := form.faults(rating.answers, labels):
            raise Refused(f"the answers do not fit the form: {faults[0]}")

    def _add(self, rating: Rating, person: int) -> int:
        at, salt = now(), secrets.token_hex(16)
        return insert(
            self._db,
            "ratings",
            assignment=rating.assignment,
            person=person,
            answers=canonical(rating.answers),
            comment=rating.comment,
            seconds=rating.seconds,
            salt=salt,
            hash=rating_hash(salt, rating.assignment, rating.answers, rating.comment),
            created_at=at,
            updated_at=at,
        )

    def _change(self, known: Row, rating: Rating) -> int:
        sealed = rating_hash(known["salt"], rating.assignment, rating.answers, rating.comment)
        self._db.execute(
            "UPDATE ratings SET answers = ?, comment = ?, seconds = ?, hash = ?, updated_at = ? "
            "WHERE id = ?",
            [
                canonical(rating.answers), rating.comment, known["seconds"] + rating.seconds,
                sealed, now(), known["id"],
            ],
        )  # fmt: skip
        number: int = known["id"]
        return number

    def of_seat(self, seat: int) -> dict[int, Rating]:
        """Return a seat's ratings by assignment."""
        sql = (
            "SELECT ratings.* FROM ratings JOIN assignments ON assignments.id = ratings.assignment "
            "WHERE assignments.seat = ?"
        )
        return {
            e["assignment"]: Rating(
                e["assignment"], json.loads(e["answers"]), e["comment"], e["seconds"]
            )
            for e in rows(self._db, sql, [seat])
        }

    def of_round(self, round_id: int) -> tuple[GivenRating, ...]:
        """Return all ratings of a round beside what they were given to, by scenario."""
        return tuple(_given(entry) for entry in rows(self._db, GIVEN, [round_id]))

    def faults(self, round_id: int) -> tuple[str, ...]:
        """Name the ratings of a round whose content no longer has the hash it was given."""
        return tuple(
            f"the rating of {e['scenario']}/{e['condition']} by {e['pseudonym']} was changed"
            for e in rows(self._db, GIVEN, [round_id])
            if e["hash"]
            != rating_hash(e["salt"], e["assignment"], json.loads(e["answers"]), e["comment"])
        )


def rating_hash(salt: str, assignment: int, answers: Mapping[str, Any], comment: str) -> str:
    """Return the salted hash of one rating."""
    return digest_of(
        {"salt": salt, "assignment": assignment, "answers": answers, "comment": comment}
    )


def _given(entry: Row) -> GivenRating:
    return GivenRating(
        round=entry["round"],
        scenario=entry["scenario"],
        condition=entry["condition"],
        revision=entry["revision_number"],
        options=options_from_json(entry["options"]),
        gold=entry["gold"],
        list=entry["list"],
        person=entry["pseudonym"],
        person_kind=entry["person_kind"],
        answers=json.loads(entry["answers"]),
        hash=entry["hash"],
    )
