from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from core.errors import InputError, Refused
from core.runs import Prices, Reply
from db.file import open_study
from evals.budget import Caps, used
from evals.models import parse_model
from evals.plan import estimate, planned
from evals.runner import run

ASKED: dict[str, Any] = {"conditions": ("Active", "Removed"), "samples": 5}


def spec_of(endpoint: Any, **changed: Any) -> Any:
    spec = parse_model(endpoint.url, api_model="tiny", max_tokens=50)
    return replace(spec, prices=Prices(1.0, 10.0), **changed)


def usage(complete: Any, sent: int, came: int) -> Any:
    said = complete()
    body = json.loads(said.body)
    body["usage"] = {"prompt_tokens": sent, "completion_tokens": came}
    return replace(said, body=json.dumps(body).encode())


@pytest.mark.parametrize(
    ("caps", "bound"), [(Caps(tokens=700), 700), (Caps(cost=0.00205), 5 * 100 + 150)]
)
def test_a_cap_is_not_passed_and_a_higher_one_goes_on(
    make_study: Any, endpoint: Any, complete: Any, caps: Caps, bound: int
) -> None:
    """Whatever is in flight, tokens and dollars stay below the cap; more of them goes on."""
    study = make_study(4)
    endpoint.behave = lambda *_: usage(complete, 30, 20)
    first = run(study, spec_of(endpoint), **ASKED, workers=8, caps=caps)
    assert first.capped
    assert 0 < first.present < first.expected == 40
    assert first.tokens == 50 * first.present <= bound
    assert first.cost == pytest.approx(first.present * (30 + 200) / 1e6)
    assert caps.cost is None or first.cost <= caps.cost
    assert "the cap is reached" in first.why_incomplete
    again = run(study, spec_of(endpoint), **ASKED, caps=caps)
    assert (again.capped, again.present) == (True, first.present)
    whole = run(study, spec_of(endpoint), **ASKED, caps=Caps(tokens=100_000, cost=1.0))
    assert whole.complete
    assert len(endpoint.requests) == 40


def test_a_cap_below_the_first_request_leaves_nothing_to_count(
    make_study: Any, endpoint: Any
) -> None:
    """No state is said where there is none."""
    done = run(make_study(1), spec_of(endpoint), **ASKED, caps=Caps(tokens=1))
    assert done.words == "run 1: 0 of 10 answered; 0 tokens, $0.0000"
    assert endpoint.requests == []


def test_a_cap_is_not_shared_between_processes(
    make_study: Any, endpoint: Any, complete: Any
) -> None:
    """Beside another process a cap could be passed, so it is refused; without one both go on."""
    study, found = make_study(4), []
    spec = spec_of(endpoint)

    def beside(answered: int, _: int) -> None:
        if answered == 2 and not found:
            with open_study(study.path) as other:
                with pytest.raises(Refused, match="another process asks run 1 just now") as refused:
                    run(other, spec, **ASKED, caps=Caps(tokens=10**6))
                found.append(refused.value)

    endpoint.behave = lambda *_: usage(complete, 30, 20)
    whole = run(study, spec, **ASKED, workers=1, progress=beside)
    assert len(found) == 1
    assert (whole.complete, whole.tokens, len(endpoint.requests)) == (True, 40 * 50, 40)
    ended = [session.ended for session in study.run_sessions.of_run(whole.run)]
    assert ended == ["finished", "failed"]


def test_a_cap_in_money_needs_prices(make_study: Any, endpoint: Any) -> None:
    """Without prices a cap in dollars could not be kept, so it is refused before anything."""
    with pytest.raises(InputError, match="no prices"):
        run(
            make_study(),
            replace(spec_of(endpoint), prices=None),
            **ASKED,
            caps=Caps(cost=1.0),
        )
    assert endpoint.requests == []


def test_tokens_that_nobody_states_are_estimated(make_study: Any, endpoint: Any) -> None:
    """An endpoint without usage cannot slip through a cap: three bytes count as a token."""
    study = make_study(4)
    done = run(study, spec_of(endpoint), **ASKED, caps=Caps(tokens=2000))
    assert done.capped
    assert done.tokens <= 2000
    assert used(Reply("ok", visible_text="x" * 30, request="y" * 31)) == (11, 10)


def test_usage_over_all_attempts(make_study: Any, endpoint: Any, say: Any, complete: Any) -> None:
    """What failed attempts used counts as well, within a call and over calls."""
    study, failed = make_study(2), {"usage": {"prompt_tokens": 30, "completion_tokens": 7}}
    wrong = say(json.dumps({**failed, "choices": [{"message": 7}]}).encode())
    endpoint.behave = lambda number, _: wrong if number == 1 else usage(complete, 30, 20)
    settings = {"conditions": ("Active",), "samples": 1}
    spec = spec_of(endpoint)
    assert run(study, spec, **settings).errors == 1
    done = run(study, spec, **settings)
    assert done.complete
    row = study._db.execute("SELECT attempts, tokens_in, tokens_out FROM generations").fetchone()
    assert row == (2, 60, 27)
    assert done.tokens == 60 + 27 + 50


def test_what_it_would_cost(make_study: Any, endpoint: Any, complete: Any) -> None:
    """A dry run counts what is missing, and knows more once there are answers; it asks nothing."""
    study = make_study(4)
    endpoint.behave = lambda *_: usage(complete, 30, 20)
    spec = spec_of(endpoint)
    plan = planned(study, spec, **ASKED)
    before = estimate(study, spec, plan)
    assert (before.calls, before.tokens_out, before.at_most) == (40, None, 2000)
    assert before.cost(before.at_most) == pytest.approx((before.tokens_in + 20_000) / 1e6)
    assert endpoint.requests == []
    run(study, spec, **ASKED, caps=Caps(tokens=1000), workers=1)
    kept, after = len(endpoint.requests), estimate(study, spec, plan)
    assert after.calls == 40 - kept
    assert after.tokens_out == 20 * after.calls
    assert "about $" in after.words
    assert len(endpoint.requests) == kept
