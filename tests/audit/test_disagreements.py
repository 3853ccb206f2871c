"""Where auditors differ: who said what on which pair, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from audit.agreement import agreement_table
from audit.agreement_view import by_question
from audit.disagreements import disagreements_table
from audit.simulate import simulate_audits
from audit.sitting import AuditSitting
from core.errors import Refused
from core.evidence import PairAudit
from core.study import Round
from db.file import StudyFile


@pytest.fixture
def audited(workshop: Any, tmp_path: Path) -> tuple[StudyFile, Round]:
    """Three pairs, two auditors: S02 is disputed, S03 has one verdict."""
    study = workshop.create(tmp_path / "study.db", 3)
    campaign = workshop.opened(study, auditors=2)
    for seat in study.rounds.seats(campaign.id, "auditor"):
        sitting = AuditSitting.at_seat(study, seat)
        scenarios = {p.id: p.scenario for p in study.rounds.pair_assignments(seat.id)}
        for pair in study.rounds.pair_assignments(seat.id):
            no = seat.number == 2 and scenarios[pair.id] == "S02"
            if seat.number == 1 or scenarios[pair.id] != "S03":
                study.audits.save(_said(pair.id, no=no), sitting._person.id)
    return study, campaign


def _said(pair: int, *, no: bool) -> PairAudit:
    return PairAudit(pair, not no, "two facts changed" if no else "", no)


def test_every_verdict_on_a_disputed_pair_is_listed(audited: tuple[StudyFile, Round]) -> None:
    """Pair, pseudonym, verdict, note, and whether the differences were shown."""
    study, campaign = audited
    table = disagreements_table(study, campaign)
    people = {a.seat: a.person for a in study.audits.of_round(campaign.id)}
    found = [
        (r["pair"], r["auditor"], r["verdict"], r["differences"], r["note"]) for r in table.rows
    ]
    assert found == [
        ("S02", people[1], "yes", "no", None),
        ("S02", people[2], "no", "yes", "two facts changed"),
    ]
    assert {r["left"] for r in table.rows} == {"Active", "Removed"}
    assert table.notes == (
        "2 pairs with two verdicts or more: 1 disputed, 1 agreed on (1 yes, 0 no). "
        "1 pair with one verdict so far.",
    )


def test_all_pairs_can_be_listed(audited: tuple[StudyFile, Round]) -> None:
    """The pairs on which auditors agree have notes too."""
    table = disagreements_table(*audited, everything=True)
    assert [row["pair"] for row in table.rows] == ["S01", "S01", "S02", "S02", "S03"]


def test_a_void_audit_disputes_nothing(audited: tuple[StudyFile, Round]) -> None:
    """What a person who withdrew said counts nowhere, here neither."""
    study, campaign = audited
    person = next(r["auditor"] for r in disagreements_table(study, campaign).rows)
    study.withdrawals.withdraw(str(person))
    assert disagreements_table(study, campaign).rows == ()


def test_agreement_of_auditors_stands_beside_that_of_raters(
    audited: tuple[StudyFile, Round],
) -> None:
    """Cohen's kappa with its raw agreement, under the name of their question, with its warning."""
    table = agreement_table(*audited, replicates=200, seed=1, full=True)
    (row,) = [r for r in table.rows if r["question"] == "pair audit"]
    assert row["group"] == "auditors 1, 2"
    assert str(row["estimator"]).startswith("Cohen's kappa")
    assert (row["raw"], row["items"], row["ratings"], row["items_dropped"]) == (0.5, 2, 4, 1)
    assert any(note.startswith("Auditors say yes to nearly every pair") for note in table.notes)
    grid = by_question(table)[-1]
    assert grid.title == "pair audit: agreement in round main"
    assert grid.rows[0]["estimator"] == "kappa"


def test_before_the_first_audit_there_is_no_number(workshop: Any, tmp_path: Path) -> None:
    """Two seats and no verdict: undefined, with the reason."""
    study = workshop.create(tmp_path / "s.db", 1)
    campaign = workshop.opened(study, auditors=2)
    table = agreement_table(study, campaign, replicates=200, seed=1)
    value: Any = next(r["value"] for r in table.rows if r["question"] == "pair audit")
    assert value.why_undefined == "no audits yet"
    assert disagreements_table(study, campaign).rows == ()


def test_simulated_auditors_are_named_in_every_title(workshop: Any, tmp_path: Path) -> None:
    """Nothing that rests on them can be read without it; and they sit in rehearsals alone."""
    study = workshop.create(tmp_path / "s.db", 8)
    campaign = workshop.opened(study, kind="rehearsal", auditors=2)
    assert simulate_audits(study, campaign, seed=1, agree=0.5) == 16
    table = disagreements_table(study, campaign)
    assert table.title == "Disagreements of auditors in round main (simulated audits)"
    assert 0 < len(table.rows) < 16
    assert "simulated" in agreement_table(study, campaign, replicates=100, seed=1).title
    assert {a.person_kind for a in study.audits.of_round(campaign.id)} == {"simulated"}
    people = workshop.opened(study, "people")
    with pytest.raises(Refused, match="only rehearsals are simulated"):
        simulate_audits(study, people, seed=1)


def test_simulated_auditors_are_repeatable(workshop: Any, tmp_path: Path) -> None:
    """The same seed gives the same verdicts, another one others."""

    def verdicts(name: str, seed: int) -> list[bool]:
        study = workshop.create(tmp_path / name, 8)
        campaign = workshop.opened(study, kind="rehearsal", auditors=2)
        simulate_audits(study, campaign, seed=seed, agree=0.5)
        return [audit.only_intended for audit in study.audits.of_round(campaign.id)]

    assert verdicts("a.db", 1) == verdicts("b.db", 1) != verdicts("c.db", 2)
