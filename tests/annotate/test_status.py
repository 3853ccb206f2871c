"""A round while it runs: how far, how fast, who is idle, what is short, and agreement so far."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from annotate.sitting import RatingSitting
from annotate.status import for_people, status_tables
from audit.sitting import AuditSitting
from core.evidence import Quizzed
from core.study import Round
from core.tables import Table
from db.file import StudyFile


@pytest.fixture
def running(workshop: Any, tmp_path: Path) -> tuple[StudyFile, Round]:
    """A round of two scenarios, 8 raters and an auditor: seats 1 and 2 have begun, 1 is done."""
    study = workshop.create(tmp_path / "study.db", 2)
    campaign = workshop.opened(study, ratings=2)
    seats = study.rounds.seats(campaign.id)
    for seat, items, seconds in ((seats[0], 2, 6.0), (seats[1], 1, 10.0)):
        sitting = RatingSitting.at_seat(study, seat)
        for _ in range(items):
            sitting.save({"choice": "A", "confidence": 4, "naturalness": 4}, seconds=seconds)
            sitting.forward()
    AuditSitting.at_seat(study, seats[-1]).save(only_intended=True)
    return study, campaign


def later(study: StudyFile, campaign: Round, **time: int) -> str:
    """Return a moment that long after the last answer."""
    last = max(rating.updated_at for rating in study.ratings.of_round(campaign.id))
    return (datetime.fromisoformat(last) + timedelta(**time)).isoformat()


def tables(study: StudyFile, campaign: Round, **time: int) -> tuple[Table, Table]:
    return status_tables(study, campaign, at=later(study, campaign, **time), replicates=200)


def so_far(table: Table) -> dict[str, tuple[Any, Any]]:
    return {str(row["what"]): (row["value"], row["n"]) for row in table.rows}


def test_progress_is_counted_by_role(running: tuple[StudyFile, Round]) -> None:
    """Ratings and audits are counted apart, and how many seats have begun beside them."""
    found = so_far(tables(*running)[0])
    assert found["ratings"] == ("3 of 16", "2 of 8 seats")
    assert found["audits"] == ("1 of 2", "1 of 1 seats")


def test_pace_is_that_of_the_last_hour(running: tuple[StudyFile, Round]) -> None:
    """Ratings of the last hour count for the pace; the median is over active seconds."""
    now, then = (so_far(tables(*running, minutes=m)[0]) for m in (5, 61))
    assert now["ratings in the last hour"] == ("3", "2 seats")
    assert then["ratings in the last hour"] == ("0", "0 seats")
    assert now["median seconds per item"] == ("6.0", "3 ratings")


@pytest.mark.parametrize(
    ("minutes", "told", "idle"),
    [
        (0, "just now", False),
        (59, "59 min ago", False),
        (60, "60 min ago, idle", True),
        (180, "3 h ago, idle", True),
        (4320, "3 days ago, idle", True),
        (-30, "just now", False),
    ],
)
def test_an_idle_seat_is_one_that_began_and_stopped(
    running: tuple[StudyFile, Round], minutes: int, told: str, *, idle: bool
) -> None:
    """An hour without an answer is idle; a clock that was set back makes nobody idle or new."""
    summary, seats = tables(*running, minutes=minutes, seconds=1 if minutes >= 0 else 0)
    assert seats.rows[1]["last"] == told
    listed = [note for note in summary.notes if note.startswith("Idle: ")]
    assert listed == (["Idle: rater 2, auditor 1."] if idle else [])


def test_nobody_is_idle_who_is_done_or_has_not_begun(running: tuple[StudyFile, Round]) -> None:
    """A finished seat and an empty one wait for nothing."""
    _, seats = tables(*running, hours=5)
    done, empty = seats.rows[0], seats.rows[2]
    assert (done["done"], done["total"], done["last"]) == (2, 2, "5 h ago")
    assert (empty["person"], empty["last"], empty["seconds"]) == ("nobody yet", None, None)


def test_the_urgent_seats_come_first(running: tuple[StudyFile, Round]) -> None:
    """Whoever stopped, then whoever works, then whoever never came, then whoever is done."""

    def order(**time: int) -> list[tuple[Any, Any]]:
        study, campaign = running
        at = later(study, campaign, **time)
        _, seats = status_tables(study, campaign, at=at, urgent_first=True, replicates=200)
        return [(row["role"], row["seat"]) for row in seats.rows]

    assert order(minutes=1)[:2] == [("rater", 2), ("auditor", 1)]
    assert order(hours=5) == order(minutes=1)  # idle or at work, they are not done
    assert order(hours=5)[-1] == ("rater", 1)


def test_items_short_of_ratings_are_named_fewest_first(running: tuple[StudyFile, Round]) -> None:
    """What still lacks ratings is counted, and what lacks most stands first."""
    summary, _ = tables(*running)
    assert so_far(summary)["items short of ratings"] == ("8", "8 items")
    (note,) = [n for n in summary.notes if n.startswith("Fewest ratings: ")]
    assert "(0 of 2)" in note
    assert note.endswith(" and 4 more.")


def test_agreement_so_far_has_its_n_and_says_why_it_has_no_value(
    running: tuple[StudyFile, Round],
) -> None:
    """Before an item has two ratings, agreement is not computable, and the reason stands below."""
    summary, _ = tables(*running)
    value, n = so_far(summary)["choice: Fleiss' kappa"]
    assert (value.why_undefined, n) == ("see below", "3 items, 3 ratings")
    assert "choice: not computable: no shared item." in summary.notes


def test_agreement_so_far_is_that_of_the_ratings_so_far(workshop: Any, tmp_path: Path) -> None:
    """With two raters on every item there is kappa with its interval, and raw agreement."""
    study = workshop.create(tmp_path / "study.db", 3)
    campaign = workshop.rate(study, workshop.opened(study, ratings=2))
    found = so_far(tables(study, campaign)[0])
    kappa, n = found["choice: Fleiss' kappa"]
    assert (kappa.value, n) == (pytest.approx(1.0), "12 items, 24 ratings")
    assert kappa.low is not None
    assert found["choice: raw agreement"] == (1.0, n)
    assert found["items short of ratings"] == ("0", "12 items")


def test_a_round_that_nobody_began_has_a_status(workshop: Any, tmp_path: Path) -> None:
    """Before the first answer every count is 0 and nothing fails."""
    study = workshop.create(tmp_path / "study.db", 1)
    summary, seats = status_tables(study, workshop.opened(study), replicates=200)
    found = so_far(summary)
    assert found["ratings"] == ("0 of 4", "0 of 4 seats")
    assert found["median seconds per item"] == (None, "0 ratings")
    assert "choice: no ratings yet." in summary.notes
    assert len(seats.rows) == 5


def test_a_time_that_nobody_measured_is_no_zero(workshop: Any, tmp_path: Path) -> None:
    """Without active seconds, as in most imports, there is no median, and none of 0 either."""
    study = workshop.create(tmp_path / "study.db", 1)
    campaign = workshop.opened(study)
    sitting = RatingSitting.at_seat(study, study.rounds.seats(campaign.id)[0])
    sitting.save({"choice": "A", "confidence": 4, "naturalness": 4})
    summary, seats = tables(study, campaign)
    assert so_far(summary)["median seconds per item"] == (None, "0 ratings")
    assert seats.rows[0]["seconds"] is None


def test_the_title_says_kind_and_state(running: tuple[StudyFile, Round]) -> None:
    """What a round is, and whether it still runs, stands above its numbers."""
    assert tables(*running)[0].title == "Round main (main) is open"


def said_beside(study: StudyFile, campaign: Round) -> None:
    """Seat 1 failed one of two checks and reported a problem."""
    seat = study.rounds.seats(campaign.id)[0]
    sitting = RatingSitting.at_seat(study, seat)
    person = sitting.person.id
    study.said.check(seat.id, person, Quizzed("one", "x", correct=False))
    study.said.check(seat.id, person, Quizzed("two", "y", correct=True))
    study.said.report(sitting.assignment.id, person, "a word is missing")


def test_failed_checks_and_problems_are_counted_by_seat(running: tuple[StudyFile, Round]) -> None:
    """Both stand in the summary and at the seat they came from; who withdrew counts nowhere."""
    said_beside(*running)
    summary, seats = tables(*running)
    found = so_far(summary)
    assert found["attention checks failed"] == ("1 of 2", "1 seats")
    assert found["problems reported"] == ("1", "1 seats")
    first, second = seats.rows[:2]
    assert (first["checks"], first["failed"], first["problems"]) == (2, 1, 1)
    assert (second["checks"], second["failed"], second["problems"]) == (0, 0, 0)
    study, campaign = running
    study.withdrawals.withdraw(str(first["person"]))
    assert so_far(tables(study, campaign)[0])["attention checks failed"] == ("0 of 0", "0 seats")


def test_a_seat_has_its_state(running: tuple[StudyFile, Round]) -> None:
    """Done, active and free are told apart, as in the list of seats."""
    rows = tables(*running, minutes=1)[1].rows
    assert [row["state"] for row in rows[:3]] == ["done", "active", "free"]
    assert tables(*running, minutes=30)[1].rows[1]["state"] == "idle"


def test_people_read_two_narrow_tables(running: tuple[StudyFile, Round]) -> None:
    """What was said beside has a table of its own, once there is something to tell."""
    seats = tables(*running)[1]
    assert [table.name for table in for_people(seats)] == ["seats"]
    said_beside(*running)
    pace, beside = for_people(tables(*running)[1])
    assert "failed" not in {column.key for column in pace.columns}
    assert [row["seat"] for row in beside.rows] == [1]
