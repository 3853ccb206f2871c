"""The agreement table on data worked out by hand, and what it says where kappa says nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from audit.agreement import agreement_table, simulated
from core.estimate import Estimate
from core.study import Revision, Round
from db.file import StudyFile
from stats.icc import icc_in_lists


def rater(revision: Revision, seat: int) -> dict[str, Any]:
    """Seat 1 to 4 is the first rater of its list, 5 to 8 the second.

    All give the gold answer, but the second rater of S01/Active chooses the other action.
    """
    odd = (revision.scenario, revision.condition) == ("S01", "Active") and seat > 4
    action = "heuristic" if odd else revision.gold
    letter = "AB"[[option.action for option in revision.options].index(str(action))]
    return {
        "choice": letter,
        "confidence": 1 + (revision.id + 3 * seat) % 5,
        "naturalness": 3,
    }


@pytest.fixture
def round_(workshop: Any, tmp_path: Path) -> tuple[StudyFile, Round]:
    study = workshop.create(tmp_path / "study.db", 2)
    return study, workshop.rate(study, workshop.opened(study, ratings=2), rater)


def row(table: Any, question: str, condition: str = "all") -> dict[str, Any]:
    (found,) = [r for r in table.rows if (r["question"], r["condition"]) == (question, condition)]
    return dict(found)


def test_kappa_is_the_one_worked_out_by_hand(round_: tuple[StudyFile, Round]) -> None:
    """8 items, 2 ratings each, 11 heavy and 5 heuristic, one item split: kappa is 78/110.

    P = 7/8, P_e = (11/16)^2 + (5/16)^2 = 146/256, (224 - 146) / (256 - 146).
    """
    table = agreement_table(*round_, replicates=200, seed=1)
    found = row(table, "choice")
    assert found["value"].value == pytest.approx(78 / 110, abs=1e-12)
    assert (found["raw"], found["items"], found["ratings"]) == (pytest.approx(7 / 8), 8, 16)
    # Active alone: P = 1/2, P_e = (3/4)^2 + (1/4)^2 = 5/8, so (1/2 - 5/8) / (3/8).
    active = row(table, "choice", "Active")
    assert active["value"].value == pytest.approx(-1 / 3, abs=1e-12)
    assert (active["items"], active["ratings"]) == (2, 4)


def test_unanimous_answers_are_undefined_not_zero(round_: tuple[StudyFile, Round]) -> None:
    """Where every rater gave the same answer there is a reason, and raw agreement 1 beside it."""
    table = agreement_table(*round_, replicates=200, seed=1)
    for condition in ("Removed", "Explicit", "SalienceControl"):
        found = row(table, "choice", condition)
        assert found["value"].value is None
        assert "only one category was used" in found["value"].why_undefined
        assert found["raw"] == 1.0
    assert row(table, "naturalness")["value"].value is None


def test_letters_are_recoded_before_anything_is_computed(
    round_: tuple[StudyFile, Round], workshop: Any
) -> None:
    """The two scenarios show heavy under different letters, and agreement does not notice."""
    study, campaign = round_
    heavy = {
        r.scenario: r.answers["choice"]
        for r in study.ratings.of_round(campaign.id)
        if r.condition == "Explicit"
    }
    assert set(heavy.values()) == {"A", "B"}


def test_icc_is_pooled_over_lists(round_: tuple[StudyFile, Round]) -> None:
    """ICC rests on one matrix per list, items by raters, never on one incomplete square."""
    study, campaign = round_
    ratings = study.ratings.of_round(campaign.id)
    lists = []
    for number in range(4):
        mine = [r for r in ratings if r.list == number]
        people = sorted({r.person for r in mine})
        items = sorted({(r.scenario, r.condition) for r in mine})
        by = {(r.scenario, r.condition, r.person): r.answers["confidence"] for r in mine}
        lists.append([[by[(*item, person)] for person in people] for item in items])
    expected = icc_in_lists(lists, "ICC(2,k)", replicates=200, seed=1)
    table = agreement_table(study, campaign, replicates=200, seed=1)
    found = row(table, "confidence")
    assert found["value"].value == pytest.approx(expected.estimate.value, abs=1e-12)
    assert "pooled over lists" in found["estimator"]


def test_every_value_has_its_n_and_its_interval_or_why_not(
    round_: tuple[StudyFile, Round],
) -> None:
    """No number stands alone: each has items, ratings, and an interval or a reason."""
    table = agreement_table(*round_, replicates=200, seed=1)
    assert "200 replicates, seed 1" in table.notes[0]
    for entry in table.rows:
        value: Any = entry["value"]
        assert isinstance(value, Estimate)
        assert entry["items"]
        assert entry["ratings"]
        if value.value is None:
            assert value.why_undefined
        else:
            assert value.low is not None or value.why_no_interval


def test_the_same_seed_gives_the_same_table(round_: tuple[StudyFile, Round]) -> None:
    """A table is repeatable, and another seed moves its intervals and not its values."""
    first, again, other = (
        agreement_table(*round_, replicates=200, seed=seed) for seed in (1, 1, 2)
    )
    assert first == again
    assert [r["value"].value for r in first.rows] == [r["value"].value for r in other.rows]  # type: ignore[union-attr]


@pytest.mark.parametrize(("kind", "said"), [("main", False), ("pilot", False), ("rehearsal", True)])
def test_simulated_ratings_are_named_in_the_title(
    workshop: Any, tmp_path: Path, kind: str, *, said: bool
) -> None:
    """A table on a rehearsal says so in its title; one on people does not."""
    study = workshop.create(tmp_path / "s.db", 1)
    campaign = workshop.rate(study, workshop.opened(study, kind=kind))
    title = agreement_table(study, campaign, replicates=200, seed=1).title
    assert (title == "Agreement in round main (simulated ratings)") == said
    assert simulated(study, campaign) == said


def test_a_rehearsal_without_ratings_is_simulated_already(workshop: Any, tmp_path: Path) -> None:
    """Even its empty decisions say simulated, so that no preview is taken for people's."""
    study = workshop.create(tmp_path / "s.db", 1)
    assert simulated(study, workshop.opened(study, kind="rehearsal"))
