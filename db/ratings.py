"""Ratings: each change is kept, each carries a salted hash that decisions rest on."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace

from sqlite_utils import Database

from core.clock import now
from core.errors import Refused
from core.evidence import GivenRating, Rating, RatingEvent
from core.forms import form_from_json
from core.hashing import canonical, digest_of
from db.connection import immediate
from db.rows import Row, insert, options_from_json, row, rows

GIVEN = """
    SELECT ratings.*, people.pseudonym, people.kind AS person_kind, seats.list,
           seats.round, items.scenario, items.condition, revisions.options, revisions.gold,
           revisions.number AS revision_number, revisions.text,
           seats.number AS seat_number, assignments.position, people.erased
    FROM ratings
    JOIN assignments ON assignments.id = ratings.assignment
    JOIN seats ON seats.id = assignments.seat
    JOIN people ON people.id = ratings.person
    JOIN revisions ON revisions.id = assignments.revision
    JOIN items ON items.id = revisions.item
    WHERE seats.round = ?{} ORDER BY items.scenario, items.id, seats.number, ratings.id"""
ALL = GIVEN.format("")
# Of items alone: what was said of a response is a grade, and is read in db/grades.py.
STANDING = GIVEN.format(" AND ratings.void IS NULL AND assignments.response IS NULL")

HISTORY = """
    SELECT rating_history.rating, rating_history.answers, rating_history.comment,
           rating_history.at AS updated_at
    FROM rating_history
    JOIN ratings ON ratings.id = rating_history.rating
    JOIN assignments ON assignments.id = ratings.assignment
    JOIN seats ON seats.id = assignments.seat
    WHERE seats.round = ? AND ratings.void IS NULL AND assignments.response IS NULL
    ORDER BY rating_history.id"""

OF_SEAT = """
    SELECT ratings.* FROM ratings JOIN assignments ON assignments.id = ratings.assignment
    WHERE assignments.seat = ? AND ratings.void IS NULL"""


class RatingStore:
    """What raters said."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def save(self, rating: Rating, person: int, at: str | None = None) -> int:
        """Store or change a rating in one durable transaction; return its version in the history.

        `at` is when it was given, for ratings from elsewhere; now unless it is said.

        Raises
        ------
        Refused
            When the answers do not fit the form, the round is not open, or somebody else rated.
        """
        # Form and revision never change, so the check needs no lock that others wait for.
        self._require_fitting(rating)
        with immediate(self._db):
            known = row(
                self._db,
                "SELECT * FROM ratings WHERE assignment = ? AND void IS NULL",
                [rating.assignment],
            )
            if known and known["person"] != person:
                raise Refused("that item was rated by somebody else, whose rating stands")
            at = at or now()
            number = self._change(known, rating, at) if known else self._add(rating, person, at)
            return insert(
                self._db,
                "rating_history",
                rating=number,
                answers=canonical(rating.answers),
                comment=rating.comment,
                at=at,
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

    def _add(self, rating: Rating, person: int, at: str) -> int:
        salt = secrets.token_hex(16)
        sealed = rating_hash(salt, rating, person)
        return insert(
            self._db,
            "ratings",
            assignment=rating.assignment,
            person=person,
            answers=canonical(rating.answers),
            comment=rating.comment,
            seconds=rating.seconds,
            salt=salt,
            hash=sealed,
            created_at=at,
            updated_at=at,
        )

    def _change(self, known: Row, rating: Rating, at: str) -> int:
        changed = replace(rating, seconds=known["seconds"] + rating.seconds)
        self._db.execute(
            "UPDATE ratings SET answers = ?, comment = ?, seconds = ?, hash = ?, updated_at = ? "
            "WHERE id = ?",
            [
                canonical(changed.answers), changed.comment, changed.seconds,
                rating_hash(known["salt"], changed, known["person"]), at, known["id"],
            ],
        )  # fmt: skip
        number: int = known["id"]
        return number

    def of_seat(self, seat: int) -> dict[int, Rating]:
        """Return a seat's standing ratings by assignment, whoever gave them."""
        return {e["assignment"]: _rating(e) for e in rows(self._db, OF_SEAT, [seat])}

    def authors(self, seat: int) -> dict[int, int]:
        """Return who gave each standing rating of a seat: the person by assignment."""
        return {e["assignment"]: e["person"] for e in rows(self._db, OF_SEAT, [seat])}

    def of_round(self, round_id: int) -> tuple[GivenRating, ...]:
        """Return the standing ratings of items beside what they were given to, by scenario.

        A grading round has none; see :class:`db.grades.GradeStore`.
        """
        return tuple(_given(entry) for entry in rows(self._db, STANDING, [round_id]))

    def hashes(self, round_id: int, before: int | None = None) -> tuple[str, ...]:
        """Return the hashes of what stands, or of what stood before an entry of the ledger.

        Each is taken over the salted hash and the times beside it, which outlive an erasure.
        """
        return tuple(
            digest_of([entry["hash"], entry["created_at"], entry["updated_at"]])
            for entry in rows(self._db, ALL, [round_id])
            if entry["void"] is None or (before is not None and entry["void"] > before)
        )

    def events_of_round(self, round_id: int) -> tuple[RatingEvent, ...]:
        """Return every version of every standing rating of a round, as in :meth:`of_round`."""
        versions: dict[int, list[Row]] = {}
        for version in rows(self._db, HISTORY, [round_id]):
            versions.setdefault(version["rating"], []).append(version)
        return tuple(
            RatingEvent(_given({**entry, **version}), number, number == len(versions[entry["id"]]))
            for entry in rows(self._db, STANDING, [round_id])
            for number, version in enumerate(versions[entry["id"]], start=1)
        )

    def faults(self, round_id: int) -> tuple[str, ...]:
        """Name the ratings of a round whose content no longer has the hash it was given.

        Of an erased person nothing may be left but the hash.
        """
        return tuple(
            f"the rating of {e['scenario']}/{e['condition']} by {e['pseudonym']} was changed"
            for e in rows(self._db, ALL, [round_id])
            if not _intact(e)
        )


def rating_hash(salt: str, rating: Rating, person: int) -> str:
    """Return the salted hash of one rating: who said what to which item, and how long it took."""
    return digest_of(
        {
            "salt": salt,
            "assignment": rating.assignment,
            "person": person,
            "answers": rating.answers,
            "comment": rating.comment,
            "seconds": float(rating.seconds),
        }
    )


def _intact(entry: Row) -> bool:
    if entry["erased"] is not None:
        return (entry["answers"], entry["comment"], entry["salt"]) == ("{}", "", "")
    try:
        return bool(entry["hash"] == rating_hash(entry["salt"], _rating(entry), entry["person"]))
    except ValueError:
        return False  # the answers are no JSON any more


def _rating(entry: Row) -> Rating:
    return Rating(
        entry["assignment"], json.loads(entry["answers"]), entry["comment"], entry["seconds"]
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
        comment=entry["comment"],
        seconds=entry["seconds"],
        seat=entry["seat_number"],
        position=entry["position"],
        text=entry["text"],
        created_at=entry["created_at"],
        updated_at=entry["updated_at"],
    )
