"""A rater's sitting: what comes next, what is saved, and what nobody is shown."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from annotate.sitting import RatingSitting, RatingView
from audit.sitting import AuditSitting
from core.errors import Refused, SeatLost
from core.items import ItemText, Option, Scenario
from core.study import Seat
from db.file import StudyFile, open_study

GOOD = {"choice": "A", "confidence": 4, "naturalness": 4}
OTHER = {"choice": "depends", "confidence": 1, "naturalness": 5}


@pytest.fixture
def study(workshop: Any, tmp_path: Path) -> StudyFile:
    """A study of five scenarios with an open round, one seat per list."""
    found: StudyFile = workshop.create(tmp_path / "study.db", 5)
    workshop.opened(found)
    return found


@pytest.fixture
def seat(study: StudyFile) -> Seat:
    return study.rounds.seats(1, "rater")[0]


def texts(study: StudyFile, seat: Seat) -> list[str]:
    return [study.items.revision(a.revision).text for a in study.rounds.assignments(seat.id)]


def history(study: StudyFile) -> list[str]:
    with closing(sqlite3.connect(study.path)) as plain:
        return [row[0] for row in plain.execute("SELECT answers FROM rating_history ORDER BY id")]


def test_a_sitting_walks_the_list_in_order(study: StudyFile, seat: Seat) -> None:
    """Items come one at a time, in the order of the plan, numbered from 1."""
    sitting = RatingSitting.at_seat(study, seat)
    seen = []
    while not sitting.finished:
        view = sitting.view()
        assert (view.item.number, view.total, view.done) == (len(seen) + 1, 5, len(seen))
        assert not view.saved
        seen.append(view.item.text)
        assert sitting.save(GOOD).saved
        sitting.forward()
    assert seen == texts(study, seat)


def test_a_new_sitting_begins_at_the_first_open_item(study: StudyFile, seat: Seat) -> None:
    """Who comes back is at the first item without an answer, with everything kept."""
    sitting = RatingSitting.at_seat(study, seat)
    for _ in range(2):
        sitting.save(GOOD, comment="kept")
        sitting.forward()
    again = RatingSitting.at_seat(study, seat)
    assert (again.view().item.number, again.done) == (3, 2)
    assert again.back().comment == "kept"
    assert again.view().answers == GOOD


def test_a_finished_sitting_shows_its_last_item(study: StudyFile, seat: Seat) -> None:
    """Who comes back after the last item can still look and change."""
    sitting = RatingSitting.at_seat(study, seat)
    while not sitting.finished:
        sitting.save(GOOD)
        sitting.forward()
    again = RatingSitting.at_seat(study, seat)
    assert again.finished
    assert again.view().item.number == 5
    assert again.save(OTHER).answers == OTHER


def test_forward_stops_at_the_first_open_item(study: StudyFile, seat: Seat) -> None:
    """No item is skipped, however often one presses on; back stops at the first."""
    sitting = RatingSitting.at_seat(study, seat)
    assert sitting.forward().item.number == 1
    assert sitting.back().item.number == 1
    sitting.save(GOOD)
    assert [sitting.forward().item.number for _ in range(3)] == [2, 2, 2]
    assert sitting.back().item.number == 1
    assert sitting.forward().item.number == 2


def test_saving_again_writes_nothing(study: StudyFile, seat: Seat) -> None:
    """The same answers saved twice are one answer with one line of history."""
    sitting = RatingSitting.at_seat(study, seat)
    for _ in range(3):
        sitting.save(GOOD, seconds=1.0)
    assert len(history(study)) == 1
    assert sitting.done == 1


def test_a_changed_answer_keeps_what_it_was(study: StudyFile, seat: Seat) -> None:
    """Every version of an answer stays in the history, also a change back, and also a comment."""
    sitting = RatingSitting.at_seat(study, seat)
    sitting.save(GOOD)
    sitting.save(OTHER)
    sitting.save(GOOD)
    sitting.save(GOOD, comment="on second thought")
    found = history(study)
    assert len(found) == 4
    assert found[0] == found[2] == found[3] != found[1]
    assert sitting.done == 1


def test_two_windows_are_one_after_the_other(study: StudyFile, seat: Seat) -> None:
    """A second window goes on where the first stopped; the first changes nothing any more."""
    one = RatingSitting.at_seat(study, seat)
    one.save(GOOD)
    two = RatingSitting.at_seat(study, seat)
    with pytest.raises(SeatLost, match="this code was opened elsewhere; what was saved here"):
        one.save({**GOOD, "confidence": 1})
    two.back()
    two.save(OTHER)
    assert len(study.ratings.of_round(1)) == 1
    assert study.ratings.of_round(1)[0].answers == OTHER


def test_answers_that_do_not_fit_are_refused(study: StudyFile, seat: Seat) -> None:
    """An answer outside the form is refused, and the item stays open."""
    sitting = RatingSitting.at_seat(study, seat)
    for wrong in ({}, {**GOOD, "choice": "Z"}, {**GOOD, "confidence": True}, {**GOOD, "x": 1}):
        with pytest.raises(Refused, match="do not fit the form"):
            sitting.save(wrong)
    assert (sitting.done, sitting.view().saved) == (0, False)


def test_a_round_that_has_not_opened_is_refused(study: StudyFile, workshop: Any) -> None:
    """Before the opening a code gets a sentence for the person who holds it."""
    workshop.plan(study, "later")
    seat = study.rounds.seats(2, "rater")[0]
    with pytest.raises(Refused, match="this round has not opened yet; come back"):
        RatingSitting.enter(study, study.people.issue_code(seat.id))
    auditor = study.rounds.seats(2, "auditor")[0]
    with pytest.raises(Refused, match="this round has not opened yet; come back"):
        AuditSitting.enter(study, study.people.issue_code(auditor.id))


def test_a_closed_round_is_refused(study: StudyFile, seat: Seat) -> None:
    """After the closing nobody enters, and a sitting that is still open saves nothing more."""
    code = study.people.issue_code(seat.id)
    sitting = RatingSitting.enter(study, code)
    auditor = study.rounds.seats(1, "auditor")[0]
    audit = AuditSitting.at_seat(study, auditor)
    study.rounds.close(1)
    closed = "this round is closed; thank you, nothing more is needed from you"
    with pytest.raises(Refused, match=closed):
        RatingSitting.enter(study, code)
    with pytest.raises(Refused, match=closed):
        AuditSitting.at_seat(study, auditor)
    with pytest.raises(Refused, match=closed):
        sitting.save(GOOD)
    with pytest.raises(Refused, match=closed):
        audit.save(only_intended=True)
    assert study.ratings.of_round(1) == ()
    assert not sitting.view().saved


def test_codes_open_their_own_door_only(study: StudyFile, seat: Seat) -> None:
    """An auditor's code does not rate, a rater's does not audit; both say where to go."""
    auditor = study.rounds.seats(1, "auditor")[0]
    with pytest.raises(Refused, match="this code is for auditing; start it with: wavelock audit"):
        RatingSitting.enter(study, study.people.issue_code(auditor.id))
    with pytest.raises(Refused, match="this code is for rating; start it with: wavelock rate"):
        AuditSitting.enter(study, study.people.issue_code(seat.id))
    with pytest.raises(Refused, match="that access code is not known"):
        RatingSitting.enter(study, "AAAA-BBBBBBBB")
    assert all(entry.person is None for entry in study.rounds.progress(1))


def test_an_audit_goes_the_same_way(study: StudyFile) -> None:
    """Pairs come one at a time with their sides; verdicts are kept, resumed and not skipped."""
    seat = study.rounds.seats(1, "auditor")[0]
    sitting = AuditSitting.at_seat(study, seat)
    planned = study.rounds.pair_assignments(seat.id)
    for number, pair in enumerate(planned, start=1):
        view = sitting.view()
        assert (view.pair.number, view.total, view.only_intended) == (number, 5, None)
        assert view.pair.left == study.items.revision(pair.left_revision).text
        assert view.pair.right == study.items.revision(pair.right_revision).text
        assert sitting.forward().pair.number == number
        sitting.save(only_intended=number != 2, note=f"note {number}")
        again = AuditSitting.at_seat(study, seat)
        assert again.view().pair.number == min(number + 1, 5)
        sitting = again
    assert sitting.finished
    audits = study.audits.of_seat(seat.id)
    assert [audits[p.id].only_intended for p in planned] == [True, False, True, True, True]
    assert study.ratings.of_round(1) == ()


CANARY = "canary"


def planted(number: int) -> Scenario:
    """A scenario whose every secret is a canary, and whose shown texts are not."""
    options = (
        Option(f"{CANARY}-action-a", f"Drive {number}"),
        Option(f"{CANARY}-action-b", f"Walk {number}"),
    )
    conditions = ("Active", "Removed", "Explicit", "SalienceControl")
    return Scenario(
        f"{CANARY}-scenario-{number}",
        {f"{CANARY}-fact": f"{CANARY}-constraint"},
        tuple(
            ItemText(
                condition,
                f"Task {number}, wording {place}?",
                options,
                f"{CANARY}-action-a",
                {f"{CANARY}-parameter": 1},
            )
            for place, condition in enumerate(conditions)
        ),
    )


def test_views_hold_nothing_that_could_bias(workshop: Any, tmp_path: Path) -> None:
    """Nothing that a screen is given says scenario, condition, action, gold or fact."""
    study = workshop.create(tmp_path / "study.db", [planted(n) for n in range(3)])
    workshop.opened(study, ratings=2)
    secrets = [CANARY, "Active", "Removed", "Explicit", "SalienceControl", "gold", "heavy"]
    views: list[Any] = []
    for seat in study.rounds.seats(1, "rater"):
        sitting = RatingSitting.at_seat(study, seat)
        while not sitting.finished:
            views += [sitting.view(), sitting.save(GOOD, comment="c"), sitting.forward()]
    for seat in study.rounds.seats(1, "auditor"):
        audit = AuditSitting.at_seat(study, seat)
        while not audit.finished:
            views += [audit.view(), audit.save(only_intended=True), audit.forward()]
    assert len(views) == 3 * (3 * 8 + 3)
    for view in views:
        assert not [secret for secret in secrets if secret in repr(view)]


def test_a_rating_view_has_these_fields_only() -> None:
    """What a rating screen is given is listed here; a field more is a decision, not an accident."""
    assert {field.name for field in fields(RatingView)} == {
        "item", "form", "total", "done", "answers", "comment", "saved",
    }  # fmt: skip


RATER = """
import sys
from pathlib import Path
from annotate.sitting import RatingSitting
from db.file import open_study
with open_study(Path(sys.argv[1])) as study:
    sitting = RatingSitting.enter(study, sys.argv[2])
    while not sitting.finished:
        view = sitting.save({"choice": "B", "confidence": 3, "naturalness": 3})
        print(view.item.number, flush=True)
        sitting.forward()
        sys.stdin.readline()
"""


def test_a_killed_sitting_resumes_at_the_right_item(study: StudyFile, seat: Seat) -> None:
    """After SIGKILL every answer that was called saved is there, and none is there twice."""
    code = study.people.issue_code(seat.id)
    child = subprocess.Popen(
        [sys.executable, "-c", RATER, study.path, code],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdin
    assert child.stdout
    for number in (1, 2, 3):
        assert child.stdout.readline() == f"{number}\n"
        if number < 3:
            child.stdin.write("\n")
            child.stdin.flush()
    child.kill()
    child.communicate(timeout=30)
    with open_study(study.path) as again:
        sitting = RatingSitting.enter(again, code)
        assert (sitting.view().item.number, sitting.done) == (4, 3)
        assert len(again.ratings.of_round(1)) == 3
        assert sitting.back().answers == {"choice": "B", "confidence": 3, "naturalness": 3}
