"""Auditing by typed lines."""

from __future__ import annotations

from collections.abc import Callable

from audit.desk import AuditDesk
from audit.plain import AuditTalk
from audit.sitting import AuditSitting
from core.evidence import PairAudit
from db.file import open_study
from tests.ui.studies import CANARIES, Planted


def audits(study: Planted) -> list[PairAudit]:
    with open_study(study.path) as file:
        seat = file.people.seat_of(study.code("auditor"))
        given = file.audits.of_seat(seat.id)
        return [given[p.id] for p in file.rounds.pair_assignments(seat.id) if p.id in given]


def test_a_whole_seat_by_lines(planted: Callable[..., Planted]) -> None:
    """Both texts are read out under their names; verdict, note and a look at the words are kept."""
    study = planted(labels=("CANARY-LABEL", "canary-label"))
    with open_study(study.path) as file:
        talk = AuditTalk(AuditDesk(AuditSitting.enter(file, study.code("auditor"))))
        said = talk.begin()
        assert [line for line in said if line.endswith("text:")] == ["First text:", "Second text:"]
        told = talk.hear("differences")
        assert "Today" in "".join(told)
        said += told
        for line in ["y", "note two words", "n", "yes", "n", "back", "note later", "stop"]:
            said += talk.hear(line)
        assert talk.ended
    assert [(a.only_intended, a.note, a.differences) for a in audits(study)] == [
        (True, "", True), (False, "two words", False), (True, "", False), (False, "later", False)
    ]  # fmt: skip
    assert "Thank you. All 4 pairs are audited" in "\n".join(said)
    assert not [line for line in said if any(canary in line for canary in CANARIES)]


def test_the_keys_name_the_differences(planted: Callable[..., Planted]) -> None:
    """What only auditors can ask for is in their list of commands."""
    study = planted()
    with open_study(study.path) as file:
        talk = AuditTalk(AuditDesk(AuditSitting.enter(file, study.code("auditor"))))
        assert any(line.startswith("differences:") for line in talk.hear("keys"))


def test_instructions_come_first_and_on_a_word(instructed: Callable[..., Planted]) -> None:
    """Whoever has given no verdict hears what to do; later it is there on a word."""
    study = instructed()
    for first in (True, False):
        with open_study(study.path) as file:
            talk = AuditTalk(AuditDesk(AuditSitting.enter(file, study.code("auditor"))))
            said = talk.begin()
            assert ("What to do" in said) == first
            assert "What to do" in talk.hear("instructions")
            talk.hear("y")
            talk.hear("stop")
            talk.desk.leave()


def test_a_round_without_instructions_says_so(planted: Callable[..., Planted]) -> None:
    """The word is known, and nothing is read out before the first pair."""
    study = planted()
    with open_study(study.path) as file:
        talk = AuditTalk(AuditDesk(AuditSitting.enter(file, study.code("auditor"))))
        assert talk.begin()[0].startswith("Wavelock.")
        assert talk.hear("instructions") == ["This round has no instructions."]


def test_a_note_can_be_taken_back(planted: Callable[..., Planted]) -> None:
    """Undo takes back a note as it takes back a verdict, one change at a time."""
    study = planted()
    with open_study(study.path) as file:
        talk = AuditTalk(AuditDesk(AuditSitting.enter(file, study.code("auditor"))))
        talk.begin()
        for line in ("y", "back", "note first", "note second", "undo"):
            talk.hear(line)
        assert audits(study)[0].note == "first"
        talk.hear("undo")
        assert audits(study)[0].note == ""
        talk.hear("stop")
