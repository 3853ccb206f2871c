"""Cancelling a batch: at the provider, before it was sent, and when it is lost there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit.verify import study_faults
from core.errors import InputError, NotFound, Refused, Unavailable
from evals.batches.cancelling import cancel, lose, spec_of
from tests.evals.batches.conftest import BATCHED, RHYTHM, Bench

Benches = Callable[..., Bench]
both = pytest.mark.parametrize("provider", BATCHED)


def model(here: Bench, key_env: str | None = "BATCH_KEY") -> Any:
    return spec_of(here.study.runs.run(1), Path("no such file"), key_env)


@both
def test_what_was_done_is_collected_and_the_rest_asked_again(bench: Benches, provider: Any) -> None:
    """The provider ends it; half was answered; the run's own command goes on from there."""
    here = bench(provider, numbers={"takes": 60.0, "finalising": 10.0})
    here.run()
    found = cancel(here.study, 1, model(here), RHYTHM)
    assert found.ended is None
    assert here.server.desk.batches[found.remote].cancelled_at is not None
    here.server.desk.forward(11)
    here.run()
    assert here.study.batches.outcomes(1) == {"answered": 15, "cancelled": 15}
    assert here.study.batches.batch(2).requests == 15
    here.server.desk.forward(71)
    assert here.run().complete
    assert study_faults(here.study) == ()


@both
def test_a_batch_that_was_never_sent_ends_here(
    bench: Benches, provider: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prepared and not sent: nothing to cancel anywhere else, and its keys are free."""
    here = bench(provider)
    with monkeypatch.context() as patched:
        patched.setattr("evals.batches.runner.send", lambda *_: None)
        here.run()
    assert cancel(here.study, 1, model(here), RHYTHM).ended == "unsent"
    assert here.asked() == 0
    assert here.run(wait=True).complete


def test_a_batch_that_nobody_heard_of_is_found_first(bench: Benches) -> None:
    """The provider took it and the reply was lost: it is adopted, then cancelled there."""
    here = bench("openai", lost_reply=1.0, numbers={"takes": 60.0})

    class Killed(BaseException):
        pass

    def killed(_: str) -> None:
        raise Killed  # when it is said that nobody knows

    with pytest.raises(Killed):
        here.run(say=killed)
    assert (here.study.batches.batch(1).remote, here.asked()) == ("", 30)
    found = cancel(here.study, 1, model(here), RHYTHM)
    assert found.remote == "batch_000001"
    assert here.server.desk.batches[found.remote].cancelled_at is not None


def test_a_lost_batch_is_given_up_for_a_reason(bench: Benches) -> None:
    """Here alone, with its reason in the ledger; its requests are asked again."""
    here = bench("openai", numbers={"takes": 60.0})
    here.run()
    with pytest.raises(InputError, match="for a reason"):
        lose(here.study, 1, "  ")
    found = lose(here.study, 1, "the account\nwas closed")
    assert (found.ended, found.said) == ("gone", "the account was closed")
    assert here.study.batches.outcomes(1) == {"lost": 30}
    here.run()
    assert here.asked() == 60
    assert study_faults(here.study) == ()


def test_what_cannot_be_cancelled(bench: Benches) -> None:
    """A batch that is not there, that has ended, that somebody works on, that is elsewhere."""
    here = bench("openai", numbers={"takes": 60.0})
    with pytest.raises(NotFound, match="no batch 1"):
        lose(here.study, 1, "x")
    here.run()
    session = here.study.run_sessions.begin(1, 1)
    assert here.study.batches.hold(1, session)
    with pytest.raises(Refused, match="another process is at work on batch 1"):
        cancel(here.study, 1, model(here), RHYTHM)
    here.study.run_sessions.end(session, "finished")
    nowhere = replace(model(here), base_url=f"{here.server.url}/nothing")
    with pytest.raises(Unavailable, match="answers about no batch"):
        cancel(here.study, 1, nowhere, RHYTHM)
    here.server.desk.forward(61)
    assert here.run().complete
    with pytest.raises(Refused, match="has ended already"):
        cancel(here.study, 1, model(here), RHYTHM)


def test_the_model_of_a_batch_is_that_of_its_run(bench: Benches, tmp_path: Path) -> None:
    """Its address is the run's, whatever the models file says now; the key is named there."""
    here = bench("openai", numbers={"takes": 60.0})
    here.run()
    file = tmp_path / "models.toml"
    file.write_text(
        '[[model]]\nname = "a model"\nprovider = "openai"\napi_model = "x"\nkey_env = "OTHER"\n'
    )
    spec = spec_of(here.study.runs.run(1), file, None)
    assert (spec.key_env, spec.base_url, spec.called) == ("OTHER", here.server.url, "mock-1")
