"""What leaves for a rater: one seat's work, blind in every byte, locked, and complete."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from annotate.packet_out import hand_out, unfinished
from annotate.sitting import RatingSitting
from annotate.stage_views import ConsentView
from annotate.wording import load
from audit.verify import study_faults
from core.errors import InputError, Refused, SeatInUse
from core.packets import Lock, Sheet
from db.file import open_study
from db.guards import KEYS
from tests.annotate.packets import GOOD, Office, dump, select
from tests.annotate.test_stages import step
from tests.ui.studies import Planted


def test_nothing_that_could_bias_is_in_the_bytes(
    planted: Callable[..., Planted], tmp_path: Path
) -> None:
    """No condition, scenario, action, gold, fact, rule, title, round, salt, path or secret."""
    made = planted()
    with open_study(made.path) as study:
        campaign = study.rounds.round(made.round)
        (sent,) = hand_out(study, campaign, [study.seats.find(campaign.id, 1)], tmp_path / "out")
        salt = study.info.salt
        others = {study.rounds.seat(seat.id).number for seat in study.rounds.seats(campaign.id)}
        assert len(others) > 1
    data = sent.file.read_bytes()
    ((secret,),) = select(made.path, "SELECT secret FROM study")
    hashes = select(made.path, "SELECT secret FROM access_codes")
    for word in (
        b"CANARY", b"canary", b"travel", b"core100", b"study.db", bytes(made.path), secret.encode(),
        made.code().partition("-")[2].encode(), *(code for (code,) in hashes),
    ):  # fmt: skip
        assert word not in data, word
    for number in range(2, 5):
        assert made.code("rater", number)[:4].encode() not in data
    assert f"'{salt}'" not in dump(sent.file)


def test_a_sheet_has_no_field_for_a_leak() -> None:
    """What a packet is made from cannot hold a condition, a scenario, a label of gold or a path."""
    names = {field.name for field in (*fields(Sheet), *fields(Lock))}
    assert names == {
        "name", "secret", "form", "texts", "items", "locks", "handle", "salt", "proof",
    }  # fmt: skip


def test_it_holds_one_seat_in_its_order(office: Office) -> None:
    """The shown texts and labels of the list, in its order, and nothing of any other."""
    (path,) = office.out(2)
    seat = office.study.seats.find(office.round.id, 2)
    wanted = [
        (revision.text, revision.labels)
        for item in office.study.rounds.assignments(seat.id)
        for revision in [office.study.items.revision(item.revision)]
    ]
    with office.sitting(path, 2) as sitting:
        shown = []
        for _ in wanted:
            view = sitting.view()
            shown.append((view.item.text, view.item.options))
            sitting.save(GOOD)
            sitting.forward()
    assert shown == wanted
    for table in ("ledger", "waves", "runs", "decisions", "pair_assignments", "packets"):
        assert select(path, f"SELECT count(*) FROM {table}") == [(0,)]
    for table in ("study", "rounds", "seats"):
        assert select(path, f"SELECT count(*) FROM {table}") == [(1,)]


def test_only_a_code_of_the_seat_opens_it(office: Office) -> None:
    """Not another seat's; not a wrong one; and a second code of the seat does."""
    seat = office.study.seats.find(office.round.id, 1)
    second = office.study.seats.invite(seat)
    (path,) = office.out(1)
    with open_study(path) as packet:
        for code in (office.codes[2], office.codes[1][:-1] + "!", ""):
            with pytest.raises(Refused, match="not known"):
                RatingSitting.enter(packet, code)
    for code in (office.codes[1].lower(), second):
        with open_study(path) as packet:
            sitting = RatingSitting.enter(packet, code)
            sitting.save(GOOD)
            sitting.forward()
            sitting.leave()


def test_nothing_is_answered_without_a_code(office: Office) -> None:
    """Who goes round the code has no key, and the packet keeps nothing of what they say."""
    (path,) = office.out(1)
    with open_study(path) as packet:
        sitting = RatingSitting.at_seat(packet, packet.rounds.seats(1)[0])
        with pytest.raises(Refused, match="opened by the access code"):
            sitting.save(GOOD)
    assert select(path, "SELECT count(*) FROM ratings") == [(0,)]


def test_it_takes_nothing_but_answers(office: Office) -> None:
    """A packet plans, drafts, admits, closes and decides nothing, whatever program asks."""
    (path,) = office.out(1)
    with open_study(path) as packet:
        for attempt in (
            lambda: packet.rounds.close(1),
            lambda: packet.people.issue_code(1),
            lambda: packet.ledger.append("x", {}),
            lambda: packet.withdrawals.withdraw(packet.people.take_seat(1).pseudonym),
        ):
            with pytest.raises(Refused, match="a packet, not a study"):
                attempt()
    with closing(sqlite3.connect(path)) as plain:
        for sql in (
            "DELETE FROM packet",
            "UPDATE packet SET signature = ''",
            "INSERT OR REPLACE INTO packet VALUES (1, '{}', '')",
            "INSERT INTO packet_journal VALUES (9, 'x', '{}', 'x')",
            "INSERT INTO rounds SELECT * FROM rounds",
        ):
            with pytest.raises(sqlite3.IntegrityError):
                plain.execute(sql)


def test_it_has_the_guards_of_a_study(office: Office) -> None:
    """Made by the same migrations: every trigger of a study is there, and every table."""
    (path,) = office.out(1)
    sql = "SELECT name FROM sqlite_master WHERE type = 'table'"
    assert {name for (name,) in select(path, sql)} > set(KEYS)
    with open_study(path) as packet:
        assert packet.guard_faults() == ()


def test_one_process_at_a_time(office: Office) -> None:
    """Somebody who opens it while it is open is asked, and can take it over, as in a study."""
    (path,) = office.out(1)
    with open_study(path) as packet, open_study(path) as other:
        first = RatingSitting.enter(packet, office.codes[1])
        with pytest.raises(SeatInUse):
            RatingSitting.enter(other, office.codes[1])
        first.save(GOOD)
        second = RatingSitting.enter(other, office.codes[1], take_over=True)
        assert second.done == 1
        second.save(GOOD)
        with pytest.raises(Refused, match="opened elsewhere"):
            first.save({**GOOD, "confidence": 1})


def test_saved_stands_in_the_one_file(office: Office) -> None:
    """At the moment of Saved the file alone, without anything beside it, has the answer."""
    (path,) = office.out(1)
    copy = path.with_name("copy.packet")
    with office.sitting(path) as sitting:
        for number in range(1, 4):
            sitting.save({**GOOD, "confidence": number})
            sitting.forward()
            assert [p.name for p in path.parent.iterdir() if path.name in p.name] == [path.name]
            copy.write_bytes(path.read_bytes())
            assert len(select(copy, "SELECT * FROM packet_journal")) == number
            assert len(select(copy, "SELECT * FROM ratings")) == number
    mode = {"journal_mode": "delete", "synchronous": 3}
    with open_study(path) as packet:
        for pragma, value in mode.items():
            assert packet._db.execute(f"PRAGMA {pragma}").fetchone()[0] == value


def test_it_goes_on_where_the_seat_is(office: Office) -> None:
    """What was rated online is not asked again, nor consent, nor training; all else is."""
    with office.stages(office.study.path) as stages:
        while stages.sitting.done < 2:
            step(stages)
    (path,) = office.out(1)
    with office.stages(path) as stages:
        view = stages.view()
        assert (view.number, view.total) == (1, 4)  # type: ignore[union-attr]
    assert select(path, "SELECT count(*) FROM training_answers") == [(3,)]
    (fresh,) = office.out(2)
    with office.stages(fresh, 2) as stages:
        assert isinstance(stages.view(), ConsentView)


def test_all_seats_or_none(office: Office) -> None:
    """One seat that cannot have a packet keeps all from it; no file is left and nothing noted."""
    office.study.people.revoke_codes(office.study.seats.find(office.round.id, 3).id)
    with pytest.raises(Refused, match="seat 3 of main has no code that works; first: wavelock"):
        office.out(1, 2, 3)
    assert list(office.folder.iterdir()) == []
    assert office.study.packets.all() == ()


def test_who_can_have_one(office: Office, workshop: Any) -> None:
    """Seats with something to do, in an open round."""
    office.rate(office.study.path, 1)
    with pytest.raises(Refused, match="seat 1 of main has nothing left to do"):
        office.out(1)
    left = unfinished(office.study, office.round)
    assert [seat.number for seat in left] == [2, 3, 4]
    with pytest.raises(Refused, match="no rater seat of main has anything left to do"):
        hand_out(office.study, office.round, (), office.folder)
    planned = workshop.plan(office.study, "later")
    with pytest.raises(Refused, match="round later is planned, not open"):
        hand_out(office.study, planned, office.study.rounds.seats(planned.id), office.folder)
    (office.folder.parent / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        hand_out(office.study, office.round, left, office.folder.parent / "file")


def test_it_is_noted_in_the_ledger(office: Office) -> None:
    """Handing out is an entry with the digest of what is shown; verification holds both apart."""
    office.out(1, 2)
    assert [e.event for e in office.study.ledger.entries()][-2:] == ["packet issued"] * 2
    assert study_faults(office.study) == ()
    with closing(sqlite3.connect(office.study.path)) as plain:
        plain.execute("DROP TRIGGER packets_unchanged")
        plain.execute("UPDATE packets SET sheet = 'another' WHERE id = 1")
        plain.commit()
    faults = study_faults(office.study)
    assert any(re.fullmatch("packet .{5} is not the one that was handed out", f) for f in faults)


def test_checks_come_also_in_the_rest_of_a_list(office: Office, workshop: Any) -> None:
    """Attention checks stand at places of the packet's own list, the end of another."""
    texts = load("main")
    texts["checks.toml"] = texts["checks.toml"].replace("apart = 10", "apart = 1")
    campaign = workshop.opened(office.study, "second", texts=texts, auditors=0)
    seat = office.study.seats.find(campaign.id, 1)
    code = office.study.people.issue_code(seat.id)
    with office.stages(office.study.path, code=code) as stages:
        for _ in range(3):
            stages.sitting.save(GOOD)
            stages.sitting.forward()
    (sent,) = hand_out(office.study, campaign, [seat], office.folder)
    assert sent.items == 3
    with office.stages(sent.file, code=code) as stages:
        while not stages.sitting.finished:
            step(stages)
    assert select(sent.file, "SELECT count(*) FROM check_answers") == [(2,)]
