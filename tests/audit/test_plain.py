"""Auditing by typed lines."""

from __future__ import annotations

from collections.abc import Callable

from audit.desk import AuditDesk
from audit.plain import AuditTalk
from audit.sitting import AuditSitting
from core.study import PairAudit
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
