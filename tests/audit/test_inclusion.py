"""From ratings and audits to decisions: the evidence is gathered whole, and recorded once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from audit.inclusion import commit, decide_round, decisions_table, recoded
from audit.sitting import AuditSitting
from core.errors import CheckFailed, Refused
from core.study import Revision
from db.file import StudyFile


@pytest.fixture
def study(workshop: Any, tmp_path: Path) -> StudyFile:
    found: StudyFile = workshop.create(tmp_path / "study.db", 3)
    return found


def answer(action: str, confidence: int = 4) -> Any:
    """Return a rater who always means this action, whatever its letter."""

    def rater(revision: Revision, _seat: int) -> dict[str, Any]:
        actions = [option.action for option in revision.options]
        choice = "AB"[actions.index(action)] if action in actions else action
        return {"choice": choice, "confidence": confidence, "naturalness": 4}

    return rater


def test_a_choice_is_what_it_means_not_its_letter(study: StudyFile, workshop: Any) -> None:
    """Scenarios show their options in different orders; the decision rests on the action."""
    campaign = workshop.rate(study, workshop.opened(study), answer("heavy"))
    letters = {r.scenario: r.answers["choice"] for r in study.ratings.of_round(campaign.id)}
    assert set(letters.values()) == {"A", "B"}
    assert {recoded(r) for r in study.ratings.of_round(campaign.id)} == {"heavy"}
    for decision in decide_round(study, campaign):
        assert decision.reasons == ("Removed: raters choosing heuristic 0 of 1, needed >= 1",)


def test_an_abstention_keeps_its_word(study: StudyFile, workshop: Any) -> None:
    """Both, depends and neither are no letters and mean themselves."""
    campaign = workshop.rate(study, workshop.opened(study), answer("depends"))
    ratings = study.ratings.of_round(campaign.id)
    assert {recoded(r) for r in ratings} == {"depends"}
    assert {recoded(r, "confidence") for r in ratings} == {4}


def test_every_planned_scenario_is_decided(study: StudyFile, workshop: Any) -> None:
    """A scenario that nobody rated is undecided, and not left out of the list."""
    campaign = workshop.opened(study)
    decisions = decide_round(study, campaign)
    assert [d.scenario for d in decisions] == ["S01", "S02", "S03"]
    assert {d.verdict for d in decisions} == {"undecided"}


def test_decisions_are_recorded_once(study: StudyFile, workshop: Any) -> None:
    """Committed decisions read back as they were, stand in the ledger, and are not taken again."""
    campaign = workshop.rate(study, workshop.opened(study))
    decisions = commit(study, campaign)
    assert study.decisions.of_round(campaign.id) == decisions
    entry = study.ledger.entries()[-1]
    assert (entry.event, entry.payload["counts"]) == ("decisions committed", {"include": 3})
    assert entry.payload["evidence"] == study.decisions.evidence_digest(campaign.id)
    with pytest.raises(Refused, match="main was decided already"):
        commit(study, campaign)


def test_an_open_round_is_not_decided(study: StudyFile, workshop: Any) -> None:
    """A round whose answers can still change is closed first; the refusal names the command."""
    campaign = workshop.opened(study)
    with pytest.raises(Refused, match="is open; close it first: wavelock round close main"):
        commit(study, campaign)


def test_an_undecided_scenario_stops_the_commit(study: StudyFile, workshop: Any) -> None:
    """Nothing is recorded while a rating is missing, and the scenario is named."""
    campaign = study.rounds.close(workshop.opened(study).id)
    with pytest.raises(Refused, match="S01 is undecided: Active: ratings 0, needed 1"):
        commit(study, campaign)
    assert study.decisions.of_round(campaign.id) == ()


def test_practice_feeds_no_decision(study: StudyFile, workshop: Any) -> None:
    """A practice round is never decided, however complete it is."""
    campaign = workshop.rate(study, workshop.opened(study, kind="practice"))
    with pytest.raises(Refused, match="practice never feeds a decision"):
        commit(study, campaign)


def test_tampered_evidence_decides_nothing(study: StudyFile, workshop: Any) -> None:
    """A rating that is not what was given is named, and nothing is recorded."""
    campaign = workshop.rate(study, workshop.opened(study))
    with closing(sqlite3.connect(study.path)) as plain:
        plain.execute("DROP TRIGGER ratings_changes")
        plain.execute("UPDATE ratings SET answers = json_set(answers, '$.confidence', 5)")
        plain.commit()
    with pytest.raises(CheckFailed, match="round main: the rating of S01/Active by P-"):
        commit(study, campaign)
    assert study.decisions.of_round(campaign.id) == ()


def test_an_audit_counts_for_its_own_scenario(study: StudyFile, workshop: Any) -> None:
    """One auditor's no costs the scenario that it was said of, and no other."""
    campaign = workshop.opened(study, auditors=2)
    seat = study.rounds.seats(campaign.id, "auditor")[0]
    sitting = AuditSitting.at_seat(study, seat)
    named = study.rounds.pair_assignments(seat.id)[0].scenario
    sitting.save(only_intended=False, note="two facts changed")
    decisions = commit(study, workshop.rate(study, campaign))
    assert {d.scenario: d.verdict for d in decisions if d.scenario == named} == {named: "revise"}
    assert sorted(d.verdict for d in decisions) == ["include", "include", "revise"]


def test_the_table_says_what_it_is(study: StudyFile, workshop: Any) -> None:
    """A preview says that nothing is recorded, a rehearsal that its ratings are simulated."""
    campaign = workshop.rate(study, workshop.opened(study, kind="rehearsal"))
    decisions = decide_round(study, campaign)
    preview = decisions_table(campaign, decisions, committed=False, simulated=True)
    assert preview.title.endswith("(preview, nothing recorded; simulated ratings)")
    assert preview.notes == ("3 scenarios: 3 include.",)
    real = decisions_table(campaign, decisions, committed=True, simulated=False)
    assert real.title == "Decisions of round main"
    assert [row["reasons"] for row in real.rows] == ["every threshold met"] * 3
