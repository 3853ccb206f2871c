from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from core.errors import NotFound
from core.runs import Generation
from evals.models import parse_model
from evals.runner import run
from evals.scoring import nothing_to_read, score


def verdicts(study: Any) -> Counter[str]:
    return Counter(study.scores.verdicts("forced-choice", "1").values())


def test_every_state_keeps_its_own_verdict(
    make_study: Any, endpoint: Any, say: Any, complete: Any
) -> None:
    """Empty and refused replies are no-answer, cut ones are read, errors have no score at all."""
    study = make_study(3)
    said = {
        "Scenario 1, Active": complete("Answer: A"),
        "Scenario 1, Removed": complete("I would drive."),
        "Scenario 2, Active": complete("<think>hm", "length"),
        "Scenario 2, Removed": complete("Answer: A", refusal="no"),
        "Scenario 3, Active": complete("Answer: B\nBec", "length"),
        "Scenario 3, Removed": say(b"rubbish"),
    }
    endpoint.behave = lambda _, asked: next(
        s for name, s in said.items() if name in asked["messages"][0]["content"]
    )
    spec = parse_model(endpoint.url, api_model="m")
    run(study, spec, conditions=("Active", "Removed"), samples=1)
    assert score(study, ["forced-choice"]) == 5
    assert verdicts(study) == {"A": 1, "B": 1, "nonconforming": 1, "no-answer": 2}


def test_scoring_again_adds_nothing(make_study: Any, endpoint: Any, complete: Any) -> None:
    """What a version has read is not read again; what came since is."""
    study = make_study(2)
    told: list[tuple[int, int]] = []
    run(study, parse_model("scripted"), conditions=("Active",), samples=3)
    assert score(study, ["forced-choice", "forced-choice"], lambda *at: told.append(at)) == 6
    assert told == [(6, 6)]
    assert score(study, ["forced-choice"]) == 0
    run(study, parse_model(endpoint.url, api_model="m"), conditions=("Active",), samples=1)
    assert score(study, ["forced-choice"]) == 2


def test_an_unknown_verifier_scores_nothing(make_study: Any) -> None:
    """One unknown name among the verifiers is refused before anything is read."""
    study = make_study(1)
    run(study, parse_model("scripted"), conditions=("Active",), samples=1)
    with pytest.raises(NotFound, match="there is no verifier"):
        score(study, ["forced-choice", "other"])
    assert verdicts(study) == {}


@pytest.mark.parametrize(
    ("state", "text", "nothing"),
    [
        ("ok", "", False), ("ok", "Answer: A", False), ("truncated", "Ans", False),
        ("truncated", " \n", True), ("empty", "", True), ("empty", "Answer:", True),
        ("refused", "No.", True), ("error", "", True),
    ],
)  # fmt: skip
def test_when_there_is_nothing_to_read(state: Any, text: str, nothing: bool) -> None:
    """A reply has nothing to read when its state says so, or when it was cut before any text."""
    assert nothing_to_read(Generation(1, 1, 1, "h", "", 1, state, text)) is nothing


def test_each_item_is_read_by_the_verifiers_that_it_asks_for(make_study: Any) -> None:
    """Verdicts and scores of graded verifiers are kept; nobody reads what did not ask."""
    study = make_study(2, verifiers=["forced-choice", "dash-list"])
    run(study, parse_model("scripted"), conditions=("Active",), samples=1)
    assert score(study) == 4
    assert verdicts(study).total() == 2
    assert study.scores.values("forced-choice", "1") == {}
    assert list(study.scores.values("dash-list", "1").values()) == [0.0, 0.0]
    assert score(study, ["sentence-variation"]) == 0
