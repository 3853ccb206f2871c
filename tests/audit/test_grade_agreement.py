"""Graders against each other and against the judge: published counts, and what is undefined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from annotate.simulate import simulate_ratings
from audit.grade_agreement import agreement_tables
from audit.grades import Graded, GradedRound, read_grades, scale_of
from core.errors import InputError
from core.estimate import Estimate
from core.forms import Question
from core.grading import DrawnResponse, Grading
from core.resampling import Resampling
from core.tables import Table
from suites.forms import load as load_form
from tests.annotate.graded import GradedStudy, graded_round, with_responses
from tests.papers.table import read

GRADE = load_form("grading").questions[0]
VERDICTS = ("correct", "incorrect", "ambiguous")
FEW = Resampling(replicates=200)
Votes = tuple[str, str, str, str]  # condition, verdict, and what two people said


def graded(
    votes: Sequence[Votes], question: Question = GRADE, verdicts: Sequence[str] = VERDICTS
) -> GradedRound:
    """Return a round of two graders with these votes, a scenario each."""
    responses = tuple(
        Graded(
            DrawnResponse(
                n, n, f"S{n:03}", condition, "m", verdict, {"verdict": verdict}, Fraction(1, 2)
            ),
            said,
        )
        for n, (condition, verdict, *both) in enumerate(votes)
        for said in [tuple(both)]
    )
    document = {
        "judges": [{"judge": 1, "model": "a judge"}],
        "levels": ["verdict"],
        "population": [{"cell": ["x"], "there": 2 * len(votes), "wanted": "1", "drawn": 1}],
    }
    scale = scale_of(question, verdicts, verdicts[0])
    sample = Grading(1, document, tuple(each.drawn for each in responses), "h")
    return GradedRound("humans", sample, scale, ("P-1", "P-2"), responses, ())


def tables(found: GradedRound) -> dict[str, Table]:
    return {table.name: table for table in agreement_tables(found, FEW)}


def row(table: Table, **wanted: Any) -> Any:
    (found,) = (r for r in table.rows if all(r[key] == value for key, value in wanted.items()))
    return found


def value(cell: Any) -> float:
    assert isinstance(cell, Estimate)
    assert cell.value is not None
    return cell.value


NOT = {"correct": "incorrect", "incorrect": "correct", "ambiguous": "correct"}
SAME_SIDE = {"incorrect": "ambiguous", "ambiguous": "incorrect", "correct": "correct"}


def hob() -> Iterator[Votes]:
    """Yield 300 votes with the published counts: who agrees with whom, and where.

    The numbers of responses on which both, only the first, only the second and neither come to the
    judge's side follow from the published shares; the split over verdicts is ours.
    """
    verdicts = {side: list(labels) for side, labels in _sides().items()}
    apart = {"same": 10, "neither": 3}  # both on one side, but with different labels
    for condition, counts in (("removed", (67, 12, 1, 11)), ("active", (190, 10, 1, 8))):
        for kind, count in enumerate(counts):
            for n in range(count):
                side = ("for", "against")[n % 2]
                side = side if verdicts[side] else ("against" if side == "for" else "for")
                verdict = verdicts[side].pop()
                said = [verdict if right else NOT[verdict] for right in RIGHT[kind]]
                if kind == 0 and side == "against" and apart["same"]:
                    apart["same"] -= 1
                    said[1] = SAME_SIDE[said[1]]
                if kind == 3 and side == "for" and apart["neither"]:
                    apart["neither"] -= 1
                    said[1] = SAME_SIDE[said[1]]
                yield condition, verdict, said[0], said[1]


RIGHT = ((True, True), (True, False), (False, True), (False, False))


def _sides() -> dict[str, list[str]]:
    return {"for": ["correct"] * 150, "against": ["incorrect"] * 90 + ["ambiguous"] * 60}


def test_the_published_agreement_with_hobs_judge() -> None:
    """300 responses, two annotators (arXiv 2603.29025, app. E): every published figure."""
    printed = read("core100", "text_numbers").set_index("key").value
    votes = list(hob())
    for verdict in VERDICTS:
        count = sum(vote[1] == verdict for vote in votes)
        assert count == int(printed[f"regrade_judge_{verdict}"])
    found = tables(graded(votes))
    mean = row(found["judge"], on="cut", between="mean of 2")
    people = row(found["people"], on="cut", estimator="Cohen's kappa")
    agreed = row(found["consensus"], on="all categories")
    removed = [
        row(found["strata"], stratum="condition", value="removed", between=f"P-{n} / judge")
        for n in (1, 2)
    ]
    ours = {
        "hob_judge_human_agreement": 100 * value(mean["share"]),
        "hob_judge_human_kappa": value(mean["kappa"]),
        "inter_annotator_agreement": 100 * people["raw"],
        "inter_annotator_kappa": value(people["value"]),
        "consensus_vs_judge_agreement": 100 * value(agreed["share"]),
        "annotator_vs_judge_removed_1": 100 * value(removed[0]["share"]),
        "annotator_vs_judge_removed_2": 100 * value(removed[1]["share"]),
    }
    for name, number in ours.items():
        decimals = 2 if name.endswith("kappa") else 1
        assert round(number, decimals) == float(printed[name]), name
    assert agreed["consensus"] == 263
    assert [each["of"] for each in removed] == [91, 91]


def test_the_published_agreement_with_mosaics_judge() -> None:
    """250 responses, two experts, yes or no (MOSAIC, section 3.3)."""
    printed = read("mosaic", "text_numbers").set_index("key").value
    votes: list[Votes] = []
    said = {True: ("pass", "fail"), False: ("fail", "pass")}
    for (first, second), count in zip(RIGHT, (199, 6, 9, 36), strict=True):
        for n in range(count):
            verdict, other = said[n % 2 == 0]
            votes.append(
                ("one", verdict, verdict if first else other, verdict if second else other)
            )
    assert len(votes) == int(printed["human_validation_responses"])
    found = tables(graded(votes, load_form("compliance").questions[0], ("pass", "fail")))
    for n in (1, 2):
        share = value(row(found["judge"], on="cut", between=f"P-{n}")["share"])
        assert round(share, 2) == float(printed[f"judge_vs_annotator_{n}"])
    raw = row(found["people"], on="cut", estimator="raw agreement")["raw"]
    assert round(raw, 2) == float(printed["annotator_1_vs_2"])


def test_yes_stands_for_the_verdict_that_is_for_a_response() -> None:
    question = load_form("compliance").questions[0]
    scale = scale_of(question, ("pass", "fail"), "pass")
    assert (scale.read(True), scale.read(False), scale.read(None)) == ("pass", "fail", None)
    three = scale_of(question, VERDICTS, "correct")
    assert not three.comparable
    assert [three.cut(each) for each in ("yes", "no", "correct", "ambiguous", None)] == [
        "yes", "no", "yes", "no", None,
    ]  # fmt: skip


def test_other_categories_compare_on_the_cut_alone() -> None:
    """People who say correct or not, a judge that says pass or fail: only for and against."""
    votes = [("one", "pass", "correct", "incorrect"), ("one", "fail", "ambiguous", "correct")]
    found = tables(graded(votes, GRADE, ("pass", "fail")))
    assert [each["on"] for each in found["judge"].rows] == ["cut"] * 3
    assert row(found["judge"], between="P-1")["agree"] == 2
    assert "do not use the same categories" in " ".join(found["judge"].notes)


def test_what_is_no_verdict_counts_neither_way() -> None:
    votes = [("one", verdict, "correct", "correct") for verdict in ("unreadable", "no-majority")]
    found = tables(graded(votes))
    mine = row(found["judge"], on="cut", between="P-1")
    assert (mine["agree"], mine["of"], mine["no_verdict"], mine["kappa"]) == (0, 0, 2, None)
    assert mine["share"].why_undefined == "no response has both"
    assert row(found["consensus"], on="cut")["no_verdict"] == 2
    beyond = row(found["population"], between="consensus")
    assert beyond["weighted"].why_undefined == "no response has both"
    people = row(found["people"], on="all categories", estimator="Cohen's kappa")
    assert "only one category" in people["value"].why_undefined


@pytest.fixture
def held(tmp_path: Path) -> Iterator[GradedStudy]:
    with with_responses(tmp_path / "study.db") as study:
        yield graded_round(study, name="humans", kind="rehearsal", size=12)


def test_a_half_done_round_says_what_is_missing(held: GradedStudy) -> None:
    """Who has not graded is counted, and makes no consensus; nothing at all is refused."""
    with pytest.raises(InputError, match="nothing is graded yet in humans"):
        read_grades(held.study, held.round)
    held.grade(1, ["correct"] * 12)
    held.grade(2, ["incorrect"] * 5)
    found = tables(read_grades(held.study, held.round))
    consensus = row(found["consensus"], on="all categories")
    assert (consensus["consensus"], consensus["none"], consensus["not_graded"]) == (0, 5, 7)
    against = row(found["judge"], on="cut", between=read_grades(held.study, held.round).people[1])
    assert (against["of"], against["not_graded"]) == (5, 7)


@pytest.mark.parametrize("before", [0, 5, 11])
def test_who_follows_on_a_seat_completes_its_list(held: GradedStudy, before: int) -> None:
    """A response has a grade per seat, whoever sat there: the consensus is that of the seats."""
    held.grade(1, ["correct"] * before)
    held.study.seats.replace(held.study.seats.find(held.round.id, 1))
    held.grade(2, ["correct"] * 12)
    if before:
        open_ = row(tables(read_grades(held.study, held.round))["consensus"], on="cut")
        assert (open_["consensus"], open_["not_graded"]) == (before, 12 - before)
    held.grade(1, ["correct"] * (12 - before))
    found = read_grades(held.study, held.round)
    assert len(found.people) == 2 + (before > 0)
    whole = row(tables(found)["consensus"], on="cut")
    assert (whole["consensus"], whole["not_graded"]) == (12, 0)
    beyond = row(tables(found)["population"], between="consensus")
    assert (beyond["of"], beyond["covered"]) == (12, 32)


def test_people_who_agree_with_the_judge_agree_beyond_the_sample(held: GradedStudy) -> None:
    verdicts = {each.response: each.verdict for each in held.sample.drawn}
    for seat in (1, 2):
        held.by_response(seat, dict(verdicts))
    graded_ = read_grades(held.study, held.round)
    found = tables(graded_)
    beyond = row(found["population"], between="consensus")
    assert (value(beyond["plain"]), value(beyond["weighted"])) == (1.0, 1.0)
    assert (beyond["of"], beyond["covered"], beyond["there"]) == (12, 32, 32)
    assert value(row(found["people"], on="cut", estimator="Cohen's kappa")["value"]) == 1.0


def test_who_is_simulated_is_said_in_every_title(held: GradedStudy) -> None:
    simulate_ratings(held.study, held.round, seed=1)
    for table in agreement_tables(read_grades(held.study, held.round), FEW):
        assert "simulated grades" in table.title
        assert "judge 1 is a fake, no model" in table.title


def test_what_would_not_be_drawn_today_is_said_in_every_title(held: GradedStudy) -> None:
    """The sample is sealed: a run dropped and an item withdrawn since count on, and are named."""
    held.grade(1, ["correct"] * 12)
    before = read_grades(held.study, held.round)
    assert not any("since" in each for each in before.caveats)
    scenario = held.sample.drawn[0].scenario
    gone = sum(each.scenario == scenario for each in held.sample.drawn)
    held.study.run_drops.drop(1, "a reason")
    held.study.waves.withdraw(1, scenario, "a fault")
    after = read_grades(held.study, held.round)
    assert after.responses == before.responses
    for table in agreement_tables(after, FEW):
        assert "run 1 was dropped since" in table.title
        assert f"{gone} response{'s' * (gone > 1)} to items withdrawn since" in table.title


def test_who_withdrew_counts_nowhere(tmp_path: Path) -> None:
    """The grades of a person who withdrew are void, and leave every table."""
    with with_responses(tmp_path / "study.db") as study:
        made = graded_round(study, name="humans", kind="main")
        made.grade(1, ["correct"] * 8)
        made.grade(2, ["incorrect"] * 8)
        gone = study.people.occupant(study.seats.find(made.round.id, 2).id)
        assert gone is not None
        study.withdrawals.withdraw(gone.pseudonym)
        found = read_grades(study, made.round)
    assert len(found.people) == 1
    assert gone.pseudonym not in found.people
