"""What comes back enters the study as it was said, once, and only where it may."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.packet_in import Merged, merge
from annotate.sitting import RatingSitting
from annotate.stage_views import EndView, RatingView
from audit.verify import study_faults
from core.errors import InputError, NotFound, SeatLost
from db.file import open_study
from exports.ratings import ratings_data
from tests.annotate.conftest import opened_office
from tests.annotate.packets import GOOD, OTHER, Office, dump, select
from tests.annotate.packets import given as rated
from tests.annotate.test_stages import step
from tests.conftest import Workshop


def test_a_seat_comes_back_as_it_was_given(office: Office) -> None:
    """Answers, changes, comments, active time and times of the packet; bound to the revision."""
    (path,) = office.out(2)
    with office.sitting(path, 2) as sitting:
        sitting.save(OTHER, "first", 3.0)
        sitting.save(GOOD, "second", 1.5)
        sitting.forward()
        sitting.save(GOOD, "", 2.0)
        office_rows = rated(path)
    done = merge(office.study, path)
    assert (done.ratings, done.changes, done.conflicts) == (2, 1, ())
    ratings, history = rated(office.study.path)
    assert [(2, *row[1:]) for row in office_rows[0]] == ratings
    assert [(2, *row[1:]) for row in office_rows[1]] == history
    seat = office.study.seats.find(office.round.id, 2)
    assert {r.seat for r in office.study.ratings.of_round(office.round.id)} == {seat.number}
    shown = {a.position: a.revision for a in office.study.rounds.assignments(seat.id)}
    for found in office.study.ratings.of_round(office.round.id):
        assert found.text == office.study.items.revision(shown[found.position]).text
    assert study_faults(office.study) == ()


def test_where_a_rating_came_from_can_be_seen(office: Office) -> None:
    """Exports, the ledger and the list of packets say what came by a packet."""
    (path,) = office.out(1)
    office.rate(path, 1, 2)
    merge(office.study, path)
    office.rate(office.study.path, 2, 1)
    rows = ratings_data(office.study, [office.round]).rows
    assert sorted(str(row["source"]) for row in rows) == ["collected", "packet", "packet"]
    entry = office.study.ledger.entries()[-1]
    person = office.study.people.occupant(1)
    assert entry.event == "packet merged"
    assert entry.payload["person"] == person.pseudonym  # type: ignore[union-attr]
    (status,) = office.study.packets.all()
    assert (status.state, status.taken, status.items) == ("partly in", 2, 6)


def test_the_second_time_nothing_is_new(office: Office) -> None:
    """Merging again, under another name, after a copy: not a byte of the study changes."""
    (path,) = office.out(1)
    office.rate(path)
    first = merge(office.study, path)
    assert (first.events, first.ratings) == (6, 6)
    before = dump(office.study.path)
    copy = shutil.copy(path, path.with_name("copy"))
    for again in (path, Path(copy)):
        assert merge(office.study, again) == Merged(first.packet, "main", 1)
    assert dump(office.study.path) == before
    assert office.study.packets.all()[0].state == "in"


def test_a_packet_without_an_answer_is_nothing_new(office: Office) -> None:
    """Also when it holds what was carried along from before."""
    with office.stages(office.study.path) as stages:
        while stages.sitting.done < 1:
            step(stages)
    for number in (1, 2):
        (path,) = office.out(number)
        before = dump(office.study.path)
        assert merge(office.study, path).events == 0
        assert dump(office.study.path) == before


def test_work_goes_on_after_a_merge(office: Office) -> None:
    """What is added and changed in the packet later comes in later, into the same ratings."""
    (path,) = office.out(1)
    office.rate(path, 1, 2)
    merge(office.study, path)
    with office.sitting(path) as sitting:
        sitting.back()
        sitting.save(OTHER)
        sitting.forward()
        sitting.save(GOOD)
    done = merge(office.study, path)
    assert (done.ratings, done.changes, done.conflicts) == (1, 1, ())
    assert [r[3] for r in rated(path)[0]] == [r[3] for r in rated(office.study.path)[0]]
    assert [r[2] for r in rated(path)[1]] == [r[2] for r in rated(office.study.path)[1]]


def test_the_whole_way_comes_back(office: Office) -> None:
    """Consent, training, checks and reports; and the completion code is known in the study."""
    (path,) = office.out(1)
    with office.stages(path) as stages:
        reported = False
        while not isinstance(view := stages.view(), EndView):
            if isinstance(view, RatingView) and not reported:
                stages.report("a word is missing")
                reported = True
            step(stages)
    found = office.study.completions.find(view.code)
    assert (found.seat, found.finished, found.person[:6]) == (1, False, "packet")
    merge(office.study, path)
    found = office.study.completions.find(view.code)
    assert (found.seat, found.finished, found.person[:2]) == (1, True, "P-")
    for sql in (
        "SELECT text, at FROM consents",
        "SELECT turn, name, answer, correct, at FROM training_answers",
        "SELECT name, answer, correct, at FROM check_answers",
        "SELECT text, at FROM item_reports",
    ):
        assert select(path, sql) == select(office.study.path, sql) != []
    assert office.study.said.reports_of_round(1)[0].text == "a word is missing"
    with pytest.raises(NotFound):
        office.study.completions.find("AAAAA-AAAAA")


def test_then_the_round_closes_and_verifies(office: Office) -> None:
    """Four packets, four seats, a complete round, and a ledger that holds."""
    for path in office.out(1, 2, 3, 4):
        office.rate(path, int(path.name[5:7]))
        merge(office.study, path)
    assert all(p.done == p.total == 6 for p in office.study.rounds.progress(office.round.id))
    office.study.rounds.close(office.round.id, incomplete=False)
    assert study_faults(office.study) == ()


def test_a_clock_that_is_ahead_hides_no_idle_seat(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The times of another machine are kept, and are no sign of life of anybody else."""
    (path,) = office.out(1)
    with monkeypatch.context() as ahead:
        ahead.setattr("db.journal.now", lambda: "2099-01-01T00:00:00.000Z")
        office.rate(path, 1, 1)
    merge(office.study, path)
    office.rate(office.study.path, 2, 1)
    assert rated(office.study.path)[0][0][5] == "2099-01-01T00:00:00.000Z"
    later = (datetime.now(UTC) + timedelta(days=9)).isoformat()
    found = {s.seat.number: s for s in office.study.seats.status(office.round.id, later)}
    assert found[1].abandoned
    assert found[2].abandoned


# Two places


def test_what_stood_in_the_study_stands(office: Office) -> None:
    """An item rated online and in the packet: the study's answer stays, the other is named."""
    (path,) = office.out(1)
    office.rate(path, 1, 3, OTHER)
    office.rate(office.study.path, 1, 2, GOOD)
    before = rated(office.study.path)[0]
    done = merge(office.study, path)
    assert (done.ratings, done.changes, done.conflicts) == (1, 0, (1, 2))
    assert rated(office.study.path)[0][:2] == before
    assert office.study.ledger.entries()[-1].payload["conflicts"] == [1, 2]
    assert merge(office.study, path).events == 0
    assert office.study.packets.all()[0].conflicts == 2
    assert study_faults(office.study) == ()


def test_an_answer_changed_online_stays_changed(office: Office) -> None:
    """After a merge the person changes an answer online; the packet does not change it back."""
    (path,) = office.out(1)
    office.rate(path, 1, 1)
    merge(office.study, path)
    with office.sitting(office.study.path) as sitting:
        sitting.back()
        sitting.save(OTHER)
    with office.sitting(path) as sitting:
        sitting.back()
        sitting.save({**GOOD, "confidence": 2})
    assert merge(office.study, path).conflicts == (1,)
    assert '"B"' in rated(office.study.path)[0][0][2]


def test_two_copies_of_one_packet(office: Office) -> None:
    """Worked on in two places: the first to come in stands, item by item, in either order."""
    (path,) = office.out(1)
    office.rate(path, 1, 1)
    copy = Path(shutil.copy(path, path.with_name("copy.packet")))
    office.rate(path, 1, 2, GOOD)
    office.rate(copy, 1, 3, OTHER)
    assert merge(office.study, copy).ratings == 4
    done = merge(office.study, path)
    assert (done.ratings, done.changes, done.conflicts) == (0, 0, (2, 3))


def test_two_packets_of_one_seat(office: Office) -> None:
    """A second packet does not end the first; what comes in first stands."""
    (first,), (second,) = office.out(1), office.out(1)
    office.rate(first, 1, 2, GOOD)
    office.rate(second, 1, 3, OTHER)
    assert merge(office.study, first).ratings == 2
    done = merge(office.study, second)
    assert (done.ratings, done.conflicts) == (1, (1, 2))


def test_who_works_online_comes_in_again(office: Office) -> None:
    """A merge ends the sitting at its seat, which has not seen what came in; it loses nothing."""
    (path,) = office.out(1)
    office.rate(path, 1, 2)
    online = RatingSitting.enter(office.study, office.codes[1])
    merge(office.study, path)
    with pytest.raises(SeatLost):
        online.save(GOOD)
    assert RatingSitting.enter(office.study, office.codes[1]).done == 2


# What is refused


def refused(office: Office, path: Path, sentence: str, **more: Any) -> None:
    """Merge in vain: the sentence is one line, and not a byte of study or packet changes."""
    before, sent = dump(office.study.path), path.read_bytes()
    with pytest.raises(InputError, match=sentence) as told:
        merge(office.study, path, **more)
    assert "\n" not in str(told.value)
    assert (dump(office.study.path), path.read_bytes()) == (before, sent)


def test_another_study(office: Office, workshop: Any, tmp_path: Path) -> None:
    """A packet is taken by the study that made it, and by no other."""
    (tmp_path / "other").mkdir()
    other = opened_office(workshop, tmp_path / "other")
    (path,) = other.out(1)
    other.rate(path)
    refused(office, path, "it belongs to another study")


def test_a_copy_of_the_study_from_before(office: Office, tmp_path: Path) -> None:
    """A study that does not know of the packet says so, though the signature is its own."""
    before = tmp_path / "before.db"
    with closing(sqlite3.connect(office.study.path)) as plain:
        plain.execute("VACUUM INTO ?", [str(before)])
    (path,) = office.out(1)
    office.rate(path, 1, 1)
    with open_study(before) as study, pytest.raises(NotFound, match="has no record of packet"):
        merge(study, path)


def test_another_round(office: Office) -> None:
    """Who merges a folder for one round is told of a packet of another."""
    (path,) = office.out(1)
    office.rate(path, 1, 1)
    refused(office, path, "it belongs to round main, not pilot", round_name="pilot")
    assert merge(office.study, path, "main").ratings == 1


def test_a_closed_round(office: Office) -> None:
    """Nothing enters after closing; what was in before is still nothing new."""
    (path,) = office.out(1)
    office.rate(path, 1, 1)
    merge(office.study, path)
    office.study.rounds.close(office.round.id)
    assert merge(office.study, path).events == 0
    office.rate(path, 1, 1)
    refused(office, path, "round main is closed; nothing more is taken into it")
    assert office.study.packets.all()[0].state == "late"


def test_a_revoked_code(office: Office) -> None:
    """What was made with a code that is revoked now is not taken, with any other it is."""
    seat = office.study.seats.find(office.round.id, 1)
    second = office.study.seats.invite(seat)
    first, other = office.out(1)[0], office.out(1)[0]
    office.rate(first, 1, 1)
    with office.stages(other, code=second) as stages:
        stages.sitting.save(GOOD)
    office.study.people.revoke(office.codes[1])
    refused(office, first, f"the code {office.codes[1][:4]}, with which it was opened, was revoked")
    assert merge(office.study, other).ratings == 1


@pytest.mark.parametrize("rule", ["keep", "void"])
def test_a_replaced_seat(workshop: Any, tmp_path: Path, rule: str) -> None:
    """What was not in when the seat was given away never counts, whatever the plan keeps."""
    office = opened_office(workshop, tmp_path, on_replace=rule)
    office.rate(office.study.path, 1, 1)
    (path,) = office.out(1)
    office.rate(path, 1, 2)
    office.study.seats.replace(office.study.seats.find(office.round.id, 1))
    refused(office, path, "seat 1 of main was given to somebody else before this packet came back")
    assert office.study.packets.all()[0].state == "revoked"


def test_a_withdrawn_person(office: Office) -> None:
    """Who has withdrawn has withdrawn, also from what is still out; also after a new invitation."""
    (path,) = office.out(1)
    office.rate(path, 1, 1)
    merge(office.study, path)
    office.rate(path, 1, 1)
    name = office.study.people.occupant(1).pseudonym  # type: ignore[union-attr]
    office.study.withdrawals.withdraw(name)
    office.study.withdrawals.erase(name)
    office.study.seats.invite(office.study.seats.find(office.round.id, 1))
    refused(office, path, "the person of seat 1 of main has withdrawn")
    assert study_faults(office.study) == ()


@pytest.mark.parametrize("content", [b"", b"no packet", b"SQLite format 3\0" + b"\0" * 5000])
def test_no_packet_at_all(office: Office, tmp_path: Path, content: bytes) -> None:
    """Other files, and the study itself, are no packets; a missing one cannot be read."""
    path = tmp_path / "file"
    path.write_bytes(content)
    refused(office, path, "this is no packet")
    with pytest.raises(InputError, match="this is no packet"):
        merge(office.study, office.study.path)
    with pytest.raises(InputError, match="it cannot be read: No such file"):
        merge(office.study, tmp_path / "none")


def test_a_packet_that_was_not_closed(office: Office) -> None:
    """Half a transaction beside it must be undone first, and rating does that."""
    (path,) = office.out(1)
    office.rate(path, 1, 1)
    journal = path.with_name(f"{path.name}-journal")
    journal.write_bytes(b"x")
    refused(office, path, "open it once more with wavelock rate")
    journal.unlink()
    assert merge(office.study, path).ratings == 1


# Properties


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Four packets of one study, worked on to different ends; and the study before any merge."""
    with ExitStack() as stack:
        office = opened_office(Workshop(stack), tmp_path_factory.mktemp("sent"))
        paths = office.out(1, 2, 3, 4)
        for number, path in enumerate(paths, start=1):
            office.rate(path, number, number + 1, GOOD if number % 2 else OTHER)
        yield office, paths


def fresh(office: Office, folder: Path) -> Path:
    """Return a copy of a study."""
    folder.mkdir(exist_ok=True)
    path = folder / "study.db"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(office.study.path)) as plain:
        plain.execute("VACUUM INTO ?", [str(path)])
    return path


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 3), min_size=4, max_size=9))
def test_order_and_repetition_are_no_matter(sent: Any, tmp_path: Path, order: list[int]) -> None:
    """However often and in whatever order packets come, the study has the same ratings."""
    office, paths = sent
    path = fresh(office, tmp_path / "a")
    with open_study(path) as study:
        seen: set[int] = set()
        for number in order:
            done = merge(study, paths[number])
            assert (done.events == 0) == (number in seen)
            seen.add(number)
        assert study_faults(study) == ()
    once = fresh(office, tmp_path / "b")
    with open_study(once) as study:
        for number in sorted(seen):
            merge(study, paths[number])
    assert rated(path) == rated(once)


def test_every_order_of_two_copies_keeps_the_first(office: Office, tmp_path: Path) -> None:
    """Copies of a packet at different moments, in any order: the study ends at the longest."""
    (path,) = office.out(1)
    copies = []
    for number in range(3):
        office.rate(path, 1, 1)
        copies.append(Path(shutil.copy(path, path.with_name(f"{number}.packet"))))
    ends = set()
    for order in itertools.permutations(copies):
        with open_study(fresh(office, tmp_path / "again")) as study:
            for copy in order:
                assert merge(study, copy).conflicts == ()
        ends.add(str(rated(tmp_path / "again" / "study.db")))
    assert len(ends) == 1
