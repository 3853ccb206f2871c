"""Plans as they stand in a study file: each is proved, or refused with the reason; people drop out.

The short version runs always; the long one draws five hundred plans.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.plan import PlanItem, PlanRequest, latin_square, plan_items, rater_seats
from annotate.proof import PlannedCell, failed, prove, prove_round
from annotate.stages import Stages
from core.errors import InputError
from core.items import ItemText, Option, Scenario
from core.plans import RoundPlan
from core.study import OnReplace
from db.file import StudyFile, create_study
from suites.core100.suite import SUITE
from tests.ui.studies import RULE

LETTERS = "ABCDEF"
GOOD = {"choice": "A", "confidence": 4, "naturalness": 4}


@st.composite
def requests(draw: st.DrawFn) -> tuple[list[PlanItem], int, int, int]:
    """Two to six conditions, one to seven ratings, uneven scenarios, any number of seats."""
    conditions, ratings = draw(st.integers(2, 6)), draw(st.integers(1, 7))
    sizes = draw(st.lists(st.integers(1, conditions), min_size=1, max_size=14))
    items = [
        PlanItem(f"S{s:02}", LETTERS[c], s * conditions + c + 1, (f"family {s % 3}",))
        for s, size in enumerate(sizes)
        for c in draw(st.permutations(range(conditions)))[:size]
    ]
    seats = draw(st.integers(1, conditions * ratings + 9))
    return items, seats, ratings, draw(st.integers(0, 2**32))


def proved_or_refused(request: tuple[list[PlanItem], int, int, int]) -> None:
    """Hold one request against both outcomes, neither of which may be silent."""
    items, seats, ratings, seed = request
    widest = max(Counter(item.scenario for item in items).values())
    if widest < 2 or seats < widest * ratings:
        reason = "at least two conditions" if widest < 2 else f"{widest * ratings} people"
        with pytest.raises(InputError, match=reason):
            latin_square(items, seats=seats, ratings=ratings, seed=seed)
        return
    plan = latin_square(items, seats=seats, ratings=ratings, seed=seed)
    cells = [
        PlannedCell(seat.number, place, one.scenario, one.condition, one.revision, one.strata)
        for seat in plan
        for place, one in enumerate(seat.items, start=1)
    ]
    assert failed(prove("latin-square", ratings, cells, len(items), ("family",))) == ()


@settings(max_examples=60)
@given(requests())
def test_a_plan_is_proved_or_refused(request_: Any) -> None:
    """Whatever is asked for, the plan holds what it promises, or says why it cannot be."""
    proved_or_refused(request_)


@pytest.mark.soak
@settings(max_examples=500)
@given(requests())
def test_five_hundred_plans_are_proved_or_refused(request_: Any) -> None:
    """The same, five hundred times."""
    proved_or_refused(request_)


def planned(path: Path, scenarios: int, conditions: int, seats: int, **more: Any) -> StudyFile:
    """Make a study with an open round, whose items have the first so many conditions."""
    options = (Option("go", "Go"), Option("stay", "Stay"))
    drafted = [
        Scenario(
            f"S{s:02}",
            {"family": f"f{s % 3}"},
            tuple(ItemText(LETTERS[c], f"Text {s} {c}.", options, "go") for c in range(conditions)),
        )
        for s in range(scenarios)
    ]
    study = create_study(path, title="t", suite="core100", scenarios=drafted, salt="salt")
    items = plan_items(study.items.latest(), study.items.facts(), ("family",))
    ratings = more.pop("ratings")
    request = PlanRequest(seats=seats, ratings=ratings, seed=more.pop("seed", 1))
    plan = RoundPlan(
        name="r", kind="main", design="latin-square", ratings=ratings, seed=request.seed,
        form=SUITE.form, rule=RULE, pair=("A", "B"), raters=rater_seats(items, request),
        auditors=(), **more,
    )  # fmt: skip
    study.rounds.open(study.rounds.plan(plan).id)
    return study


def rate(study: StudyFile, code: str, count: int | None = None) -> None:
    """Sit down with a code and rate so many items, or all."""
    stages = Stages.enter(study, code)
    while not stages.sitting.finished and count != 0:
        stages.save(GOOD)
        stages.forward()
        count = None if count is None else count - 1
    stages.leave()


def test_fifteen_raters_forty_items_three_each(tmp_path: Path) -> None:
    """Fifteen people give each of forty items exactly three ratings, eight items to a person."""
    with planned(tmp_path / "study.db", 8, 5, 15, ratings=3) as study:
        assert failed(prove_round(study, study.rounds.round(1), ("family",))) == ()
        for seat in study.rounds.seats(1, "rater"):
            assert len(study.rounds.assignments(seat.id)) == 8
            rate(study, study.people.issue_code(seat.id))
        given_ = study.ratings.of_round(1)
        assert len(given_) == 120
        by_item = Counter((rating.scenario, rating.condition) for rating in given_)
        assert len(by_item) == 40
        assert set(by_item.values()) == {3}
        people = Counter((rating.scenario, rating.person) for rating in given_)
        assert set(people.values()) == {1}


def dropped_out(folder: Path, data: st.DataObject) -> None:
    """Let people drop out anywhere and be replaced; hold the round against its plan at the end."""
    conditions, ratings = data.draw(st.integers(2, 4)), data.draw(st.integers(1, 3))
    seats = conditions * ratings + data.draw(st.integers(0, 3))
    scenarios = data.draw(st.integers(2, 6))
    kept: OnReplace = data.draw(st.sampled_from(["keep", "void"]))
    path = folder / "study.db"
    with planned(path, scenarios, conditions, seats, ratings=ratings, on_replace=kept) as study:
        for seat in study.rounds.seats(1, "rater"):
            total = len(study.rounds.assignments(seat.id))
            if not total:
                continue
            code = study.people.issue_code(seat.id)
            for _ in range(data.draw(st.integers(0, 2))):
                left = total - len(study.ratings.of_seat(seat.id)) if kept == "keep" else total
                if left < 2:
                    break
                rate(study, code, data.draw(st.integers(1, left - 1)))
                code = study.seats.replace(seat).code
            rate(study, code)
        counts = Counter((r.scenario, r.condition) for r in study.ratings.of_round(1))
        assert counts == {
            (f"S{s:02}", LETTERS[c]): ratings for s in range(scenarios) for c in range(conditions)
        }
        assert failed(prove_round(study, study.rounds.round(1), ())) == ()
        study.rounds.close(1)


@settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_who_drops_out_is_made_good(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """With replacements every item ends with exactly its ratings, kept or begun anew."""
    dropped_out(tmp_path_factory.mktemp("drop"), data)


@pytest.mark.soak
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_many_dropouts_are_made_good(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """The same, many times."""
    dropped_out(tmp_path_factory.mktemp("drop"), data)
