"""Several models in one command: foretold together, and none ends the others."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from core.errors import CheckFailed, NotFound, Unavailable
from core.runs import Prices
from db.file import StudyFile, open_study
from evals.models import ModelSpec, parse_model
from evals.runner import run
from evals.several import foretold, run_each


def spec(name: str, prices: Prices | None = None) -> ModelSpec:
    return ModelSpec(
        name, "chat", base_url="http://127.0.0.1:9/v1", api_model=name, max_tokens=10, prices=prices
    )


@pytest.fixture
def study(study_path: Path) -> Any:
    with open_study(study_path) as opened:
        yield opened


def test_the_sum_is_over_the_models_and_says_whose_prices_lack(study: StudyFile) -> None:
    """Calls and dollars add up; a model without prices is named and not counted as free."""
    asked: dict[str, Any] = {"conditions": ["Active"], "samples": 2}
    dear, dearer = spec("a", Prices(0, 1e6)), spec("b", Prices(0, 2e6))
    one, two, both = list(foretold(study, [dear, dearer], **asked))
    calls = int(one.removeprefix("a: ").split()[0])
    assert calls > 0
    assert one.endswith(f"at most ${calls * 10:.2f}")
    assert two.startswith(f"b: {calls} requests, about ")
    assert both == f"2 models: {2 * calls} requests; at most ${calls * 30:.2f}"
    *_, last = foretold(study, [dear, spec("c")], **asked)
    assert last == (
        f"2 models: {2 * calls} requests; at most ${calls * 10:.2f}; no prices are known of c"
    )


def test_one_that_cannot_be_asked_is_named_and_the_others_are_counted(study: StudyFile) -> None:
    """Only when nobody can be asked is that an error, and then it is the first one's own."""
    asked: dict[str, Any] = {"conditions": ["Active"], "samples": 1}
    unnamed = ModelSpec("", "chat", base_url="http://127.0.0.1:9/v1", key_env="")
    first, _, last = foretold(study, [unnamed, spec("a")], **asked)
    assert first.startswith("http://127.0.0.1:9/v1: cannot be asked: ")
    assert last.startswith("1 model: ")
    with pytest.raises(NotFound, match="no frozen item is Nowhere"):
        list(foretold(study, [spec("a"), spec("b")], conditions=["Nowhere"], samples=1))


def test_one_that_fails_does_not_end_the_others() -> None:
    """Every model has its turn; the failed are told of at once and named at the end."""
    done: list[str] = []
    told: list[str] = []

    def one(model: ModelSpec) -> None:
        if model.name == "b":
            raise Unavailable("nobody answers")
        done.append(model.name)

    with pytest.raises(CheckFailed, match=r"^1 of 3 models are not done: b; the same command"):
        run_each([spec("a"), spec("b"), spec("c")], one, told.append)
    assert (done, told) == (["a", "c"], ["b: nobody answers"])


def test_a_dropped_run_is_left_out_and_nothing_waits_for_it(study: StudyFile) -> None:
    """It is said with its reason, before and after; the others are run, and all is done."""
    asked: dict[str, Any] = {"conditions": ["Active"], "samples": 1}
    here = parse_model("scripted")
    first = run(study, here, **asked)
    number = first.run
    study.run_drops.drop(number, "too slow")
    said, other, both = list(foretold(study, [here, spec("a")], **asked))
    assert re.match(
        rf"{here.name}: left out: run {number} .* was dropped and takes no more answers: too slow$",
        said,
    )
    assert other.startswith("a: ")
    assert both.startswith("1 model: ")
    assert list(foretold(study, [here], **asked)) == [said]

    told: list[str] = []
    done: list[str] = []

    def one(model: ModelSpec) -> None:
        if model is here:
            run(study, here, **asked)
        done.append(model.name)

    run_each([here, spec("a")], one, told.append)
    assert (done, told) == (["a"], [said])
    assert len(study.runs.generations(number)) == first.present


def test_ctrl_c_ends_them_all() -> None:
    """An interruption is of the whole command."""
    done: list[str] = []

    def one(model: ModelSpec) -> None:
        done.append(model.name)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_each([spec("a"), spec("b")], one, lambda _: None)
    assert done == ["a"]
