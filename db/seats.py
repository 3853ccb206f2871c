"""Seats during a round: who sits where, since when, how far; and how another person takes over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlite_utils import Database

from core.clock import now
from core.errors import NotFound, Refused
from core.study import Person, Role, Round, Seat, SeatProgress, SeatState, SeatStatus
from db.connection import immediate
from db.people import PeopleStore
from db.rounds import RoundStore
from db.rows import Row, rows
from db.voids import Standing, VoidStore

ACTIVE = 15  # minutes without an answer after which nobody is called active

# Every answer of a round in the order of saving, with the latest time that the file had reached by
# then: a clock that was set back in between cannot make an answer look old, nor one that is ahead,
# of somebody who rated in a packet, all later ones new.
ANSWERS = """
    SELECT seat, person, at, max(came) OVER (ORDER BY number) AS reached
    FROM (SELECT assignments.seat, ratings.person, rating_history.at, rating_history.id AS number,
            coalesce((SELECT ledger.at FROM packet_events
                      JOIN ledger ON ledger.sequence = packet_events.entry
                      WHERE packet_events.history = rating_history.id), rating_history.at) AS came
          FROM rating_history JOIN ratings ON ratings.id = rating_history.rating
          JOIN assignments ON assignments.id = ratings.assignment
          JOIN seats ON seats.id = assignments.seat WHERE seats.round = ?1 AND seats.role = ?2
          UNION ALL
          SELECT pair_assignments.seat, pair_audits.person, pair_audit_history.at,
            pair_audit_history.id, pair_audit_history.at
          FROM pair_audit_history JOIN pair_audits ON pair_audits.id = pair_audit_history.audit
          JOIN pair_assignments ON pair_assignments.id = pair_audits.pair
          JOIN seats ON seats.id = pair_assignments.seat
          WHERE seats.round = ?1 AND seats.role = ?2)
    ORDER BY number"""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A seat given to somebody new: the code is shown once, and what became of the old answers."""

    code: str
    former: str
    kept: int
    void: int
    left: int


class SeatStore:
    """Looking after the seats of a round."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._rounds = RoundStore(db)
        self._people = PeopleStore(db)

    def find(self, round_id: int, number: int, role: Role = "rater") -> Seat:
        """Return a seat by its number, as people type it.

        Raises
        ------
        NotFound
            When the round has no such seat.
        """
        for seat in self._rounds.seats(round_id, role):
            if seat.number == number:
                return seat
        raise NotFound(f"this round has no {role} seat {number}")

    def status(self, round_id: int, at: str | None = None) -> tuple[SeatStatus, ...]:
        """Return how every seat of a round is doing, now or at a moment.

        A seat's idle time runs from the last sign of whoever sits there. Times are never taken to
        be earlier than what the file had recorded before them, nor later than now.
        """
        campaign = self._rounds.round(round_id)
        occupancies = self._occupancies(round_id)
        answers = {**self._answers(round_id, "rater"), **self._answers(round_id, "auditor")}
        return tuple(
            _status(campaign, progress, occupancies.get(progress.seat.id, ()), answers, at or now())
            for progress in self._rounds.progress(round_id)
        )

    def _occupancies(self, round_id: int) -> dict[int, tuple[Row, ...]]:
        sql = (
            "SELECT occupancies.*, (SELECT max(started_at) FROM sittings WHERE sittings.seat = "
            "occupancies.seat AND sittings.person = occupancies.person) AS came_at "
            "FROM occupancies JOIN seats ON seats.id = occupancies.seat "
            "WHERE seats.round = ? ORDER BY occupancies.id"
        )
        found: dict[int, tuple[Row, ...]] = {}
        for entry in rows(self._db, sql, [round_id]):
            found[entry["seat"]] = (*found.get(entry["seat"], ()), entry)
        return found

    def _answers(self, round_id: int, role: Role) -> dict[tuple[int, int], Row]:
        """Return the last answer of each person in each seat."""
        found = rows(self._db, ANSWERS, [round_id, role])
        return {(entry["seat"], entry["person"]): entry for entry in found}

    def replace(self, seat: Seat) -> Replacement:
        """End the occupancy of a seat, revoke its codes, and issue a new one.

        Whether what the former person gave stands or is void was fixed with the plan. Either way
        the list and its order stay the same.

        Raises
        ------
        Refused
            When nobody sits there, the round is not open, or the seat is finished.
        """
        with immediate(self._db):
            campaign = self._rounds.round(seat.round)
            person = self._require_replaceable(campaign, seat)
            voids = VoidStore(self._db)
            given = voids.standing(person, seat.id)
            void = given if campaign.on_replace == "void" else Standing({}, {})
            self._people.end(seat.id, "replaced")
            self._people.revoke_codes(seat.id)
            payload = {
                "round": campaign.name,
                "role": seat.role,
                "seat": seat.number,
                "on_replace": campaign.on_replace,
            }
            voids.make("seat replaced", person, void, payload)
            progress = self._progress(seat)
            return Replacement(
                code=self._people.issue_code(seat.id),
                former=person.pseudonym,
                kept=progress.done,
                void=len(void.ratings) + len(void.audits),
                left=progress.total - progress.done,
            )

    def invite(self, seat: Seat) -> str:
        """Issue another code for a seat, for whoever sits there or will.

        Raises
        ------
        Refused
            When the round is closed.
        """
        with immediate(self._db):
            campaign = self._rounds.round(seat.round)
            if campaign.state == "closed":
                raise Refused(f"round {campaign.name} is closed; nobody can be invited any more")
            return self._people.issue_code(seat.id)

    def _require_replaceable(self, campaign: Round, seat: Seat) -> Person:
        where = f"{seat.role} seat {seat.number} of round {campaign.name}"
        if campaign.state != "open":
            raise Refused(f"round {campaign.name} is {campaign.state}, not open")
        person = self._people.occupant(seat.id)
        if person is None:
            raise Refused(f"nobody sits in {where}; wavelock people invite makes a code for it")
        progress = self._progress(seat)
        if progress.done == progress.total:
            raise Refused(f"{where} is finished; finished work is never taken away")
        return person

    def _progress(self, seat: Seat) -> SeatProgress:
        found = self._rounds.progress(seat.round)
        return next(entry for entry in found if entry.seat.id == seat.id)


def _status(
    campaign: Round,
    progress: SeatProgress,
    occupancies: Sequence[Row],
    answers: Mapping[tuple[int, int], Row],
    at: str,
) -> SeatStatus:
    last = occupancies[-1] if occupancies else None
    sitting = last is not None and last["until"] is None
    answer = answers.get((last["seat"], last["person"])) if last and sitting else None
    waiting = sitting and progress.done < progress.total and campaign.state == "open"
    idle = None
    if waiting and last:
        signs = (last["since"], last["came_at"], campaign.opened_at, answer and answer["reached"])
        idle = _minutes(max(sign for sign in signs if sign), at)
    return SeatStatus(
        seat=progress.seat,
        person=progress.person,
        state=_state(progress, last, idle),
        done=progress.done,
        total=progress.total,
        last_at=answer["at"] if answer else None,
        idle_minutes=idle,
        abandoned=idle is not None and idle > campaign.idle_limit,
    )


def _state(progress: SeatProgress, last: Row | None, idle: int | None) -> SeatState:
    if progress.total and progress.done == progress.total:
        return "done"
    if last is None or last["reason"] == "withdrawn":
        return "free"
    if last["reason"] == "replaced":
        return "replaced"
    return "active" if idle is not None and idle < ACTIVE else "idle"


def _minutes(since: str, until: str) -> int:
    """Return the whole minutes between two times; none when the clock was set back."""
    passed = datetime.fromisoformat(until) - datetime.fromisoformat(since)
    return max(0, int(passed.total_seconds() // 60))
