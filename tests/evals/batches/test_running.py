"""Submitting, following, collecting, resuming: what is said, and what the study holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from audit.verify import study_faults
from core.batches import by_batch
from core.errors import InputError, Refused, Unavailable
from core.runs import Prices, Reply
from evals.batches import following, submitting
from evals.batches.estimate import dry_batch
from evals.batches.rhythm import Rhythm
from evals.budget import Caps
from evals.models import Limits, ModelSpec, parse_model
from evals.runner import run
from tests.evals.batches.conftest import BATCHED, KEY, RHYTHM, Bench

Benches = Callable[..., Bench]
both = pytest.mark.parametrize("provider", BATCHED)


@both
def test_submit_then_collect(bench: Benches, provider: Any) -> None:
    """The command returns when all is submitted; the same command later collects and closes."""
    here = bench(provider, numbers={"takes": 600.0})
    first = here.run()
    assert (first.present, first.fine, first.complete) == (0, True, False)
    assert [batch.requests for batch in first.open] == [30]
    assert "open: batch 1" in first.words
    second = here.run()
    assert (second.present, here.asked()) == (0, 30)
    assert second.open[0].status in {"in_progress"}
    here.server.desk.forward(601)
    third = here.run()
    assert (third.present, third.complete, third.open) == (30, True, ())
    assert here.asked() == 30
    assert here.study.runs.run(1).closed_at is not None
    assert study_faults(here.study) == ()


@both
def test_waiting_follows_to_the_end(bench: Benches, provider: Any) -> None:
    """--wait looks again and again, less and less often, and again soon when there is news."""
    here = bench(provider, numbers={"takes": 100.0, "finalising": 50.0})
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        here.server.desk.forward(seconds)

    rhythm = Rhythm(poll=5.0, factor=2.0, most=18.0, sleep=sleep)
    told: list[tuple[int, int]] = []
    done = here.run(wait=True, rhythm=rhythm, progress=lambda *at: told.append(at))
    assert done.complete
    assert waits[:4] == [5.0, 10.0, 18.0, 18.0]
    assert 150 <= sum(waits) < 200
    assert told[-1] == (30, 30)


@both
def test_replies_are_those_of_single_requests(bench: Benches, provider: Any) -> None:
    """The same prompts asked one by one at the same server: the same texts, states and tokens."""
    lasting = {"thinking_only": 0.2, "refusal": 0.2, "truncated": 0.2}
    here = bench(provider, items=25, lasting=lasting)
    assert here.run().present == 0
    assert here.run().complete
    alone = run(here.study, here.spec, conditions=("Active",), samples=3)
    assert alone.complete
    by_run: list[list[tuple[Any, ...]]] = []
    for number in (1, 2):
        found = here.study.runs.generations(number)
        by_run.append([(g.wave_item, g.sample, g.state, g.visible_text) for g in found])
    assert by_run[0] == by_run[1]
    assert set(here.states()) == {"ok", "empty", "refused", "truncated"}
    one, two = (here.study.run_counts.spent(number) for number in (1, 2))
    assert (one.tokens_out, one.estimated) == (two.tokens_out, 0)


def test_a_run_by_batch_is_a_run_of_its_own(bench: Benches) -> None:
    """Its configuration says that it came by batch, and nothing else differs."""
    here = bench("openai")
    here.run()
    run(here.study, here.spec, conditions=("Active",), samples=3)
    batched, alone = here.study.runs.all()
    assert (by_batch(batched), by_batch(alone)) == (True, False)
    assert {**alone.config, "through": "batch"} == dict(batched.config)


@both
def test_errors_expiry_and_missing_lines_are_told_apart(bench: Benches, provider: Any) -> None:
    """Each is its own outcome, none is an answer, and the next call submits exactly those."""
    kinds = ("rate_limited", "server_error", "expired", "missing_line")
    here = bench(provider, items=60, **dict.fromkeys(kinds, 0.15), duplicate_line=0.1)
    spec = replace(here.spec, extra=(("x", 1),))  # another draw
    here.spec = spec
    first = here.run(samples=1, wait=True)
    outcomes = here.study.batches.outcomes(1)
    assert set(outcomes) == {"answered", "errored", "expired", "missing"}
    assert here.states() == {"ok": outcomes["answered"],
                             "error": outcomes["errored"] + outcomes["expired"]}  # fmt: skip
    assert here.study.batches.strays(1)["twice"] > 0
    assert (first.fine, first.present) == (False, outcomes["answered"])
    assert "submits them again" in first.why_incomplete
    assert any("no line for" in line for line in here.said)
    second = here.run(samples=1, wait=True)
    assert second.complete
    assert here.asked() == 60 + 60 - outcomes["answered"]
    assert study_faults(here.study) == ()


def test_what_was_never_asked_costs_nothing(bench: Benches) -> None:
    """A request that expired is an error of no tokens; one that failed is counted as sent."""
    here = bench("openai", expired=1.0)
    here.run(samples=1, wait=True)
    assert here.states() == {"error": 10}
    assert here.study.batches.outcomes(1) == {"expired": 10}
    assert here.study.run_counts.spent(1).tokens_in == 0
    failed = bench("openai", server_error=1.0)
    failed.run(samples=1, wait=True)
    assert failed.study.run_counts.spent(1).tokens_in > 0


def test_refused_as_a_whole(bench: Benches) -> None:
    """A batch that fails validation is told with its reasons; the next call submits it again."""
    here = bench("openai", validation_failed=1.0)
    here.run()
    second = here.run()
    assert "batch 1 was refused as a whole: the queue of this model is full" in second.troubles
    assert here.study.batches.outcomes(1) == {"unasked": 30}
    assert here.run().complete
    assert here.states() == {"ok": 30}


@both
def test_a_refusal_of_the_call_ends_the_batch(bench: Benches, provider: Any) -> None:
    """A batch that the provider does not take is ended, said in one line, and its keys are free."""
    here = bench(provider)
    here.spec = replace(here.spec, base_url=here.spec.base_url + "/nothing/here")
    with pytest.raises(Unavailable, match="takes no such batch: HTTP 404"):
        here.run()
    (batch,) = here.study.batches.all()
    assert (batch.ended, batch.remote) == ("unsent", "")
    assert study_faults(here.study) == ()


@both
@pytest.mark.parametrize("fault", ["lost_reply", "submit_500"])
def test_a_lost_reply_is_looked_for(bench: Benches, provider: Any, fault: str) -> None:
    """Nobody knows whether the batch was accepted: it is found and adopted, or sent once more."""
    here = bench(provider, **{fault: 1.0})
    done = here.run(wait=True)
    assert done.complete
    assert here.asked() == 30
    assert len(here.server.desk.batches) == 1
    (entry,) = here.study.ledger.intact("batch submitted")
    assert entry.payload["adopted"] is (fault == "lost_reply")


def test_whether_an_anthropic_batch_was_accepted_shows_at_its_end(bench: Benches) -> None:
    """It has no marker while it goes on: its keys stay with it, and nothing is sent meanwhile."""
    here = bench("anthropic", lost_reply=1.0, numbers={"takes": 60.0})
    first = here.run()
    assert "it may be msgbatch_000001" in first.troubles[0]
    assert not first.fine
    assert first.open[0].remote == ""
    assert here.run().troubles == first.troubles
    here.server.desk.forward(61)
    assert here.run().complete
    assert here.asked() == 30


def test_a_stranger_of_the_same_size_is_not_adopted(bench: Benches) -> None:
    """Batches of others are looked at by the names in their results, and left alone."""
    here = bench("anthropic", submit_500=1.0)
    requests = [(f"other-{number}", {"messages": [], "n": number}) for number in range(30)]
    here.server.desk.take("anthropic", requests, "")
    assert here.run(wait=True).complete
    assert len(here.server.desk.batches) == 2
    assert here.study.batches.batch(1).remote == "msgbatch_000002"


class Killed(BaseException):
    """The process is gone."""


@both
@pytest.mark.parametrize("moment", ["trying", "uploaded", "submitted", "collect", "end"])
@pytest.mark.parametrize("after", [False, True])
def test_killed_at_every_write(
    bench: Benches, provider: Any, moment: str, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before or after each write of a batch: nothing lost, nothing twice, nothing paid twice."""
    here = bench(provider)
    store = type(here.study.batches)
    written = getattr(store, moment)

    def killed(*arguments: Any, **more: Any) -> Any:
        if after:
            written(*arguments, **more)
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(store, moment, killed)
        with pytest.raises(Killed):
            here.run(wait=True)
    assert here.run(wait=True).complete
    assert (here.asked(), here.states()) == (30, {"ok": 30})
    assert study_faults(here.study) == ()


def test_killed_in_the_call_that_makes_the_batch(
    bench: Benches, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The provider took it and nobody heard: the next call adopts it."""
    here = bench("openai")

    def killed(*_: Any, **__: Any) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(submitting, "_accepted", killed)
        with pytest.raises(Killed):
            here.run()
    assert here.asked() == 30
    assert here.study.batches.batch(1).remote == ""
    assert here.run(wait=True).complete
    assert here.asked() == 30
    assert "was accepted before, and is found again" in " ".join(here.said)


def test_a_batch_is_looked_for_when_it_had_time_to_be_listed(
    bench: Benches, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Right after a kill the search waits: what the provider took may not be listed at once."""
    here = bench("openai", lost_reply=1.0)
    waits: list[float] = []
    here.run(rhythm=replace(RHYTHM, settle=25.0, sleep=waits.append))
    assert sum(waits) == pytest.approx(25.0, abs=3.0)
    assert max(waits) <= 20.0  # in pieces, with a sign between them


@both
@pytest.mark.parametrize("fault", ["truncated", "short", "cut", "html", "poll_500", "submit_429"])
def test_what_passes_is_tried_again(bench: Benches, provider: Any, fault: str) -> None:
    """A download that is cut off or is none, a 500, a 429: the call goes on by itself."""
    here = bench(provider, **{fault: 1.0})
    done = here.run(wait=True)
    assert (done.complete, here.asked(), done.troubles) == (True, 30, ())
    assert here.server.desk.done[fault] == 1


def test_a_download_that_is_always_cut_off_keeps_what_came(
    bench: Benches, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came whole is stored, the batch stays open, and the next call fetches the rest."""
    here = bench("anthropic", truncated=1.0)
    here.run()
    with monkeypatch.context() as patched:
        desk = type(here.server.desk)
        spend = desk.spend
        patched.setattr(
            desk, "spend",
            lambda self, held, fault: fault == "truncated" or spend(self, held, fault),
        )  # fmt: skip
        second = here.run()
    assert "came cut off (the last line is not whole)" in second.troubles[0]
    assert 0 < second.present < 30
    assert [batch.id for batch in second.open] == [1]
    assert not second.fine
    assert here.run().complete
    assert here.asked() == 30


@both
def test_results_that_are_gone(bench: Benches, provider: Any) -> None:
    """Results that nobody fetched in time are lost: said, counted, and asked again."""
    here = bench(provider, numbers={"kept": 1000.0})
    here.run()
    here.server.desk.forward(1001)
    second = here.run()
    assert "the results of batch 1 are gone" in second.troubles[0]
    assert here.study.batches.batch(1).ended == "gone"
    assert here.study.batches.outcomes(1) == {"lost": 30}
    assert here.run(wait=True).complete


@both
def test_a_batch_that_is_not_known_stays_open(bench: Benches, provider: Any) -> None:
    """404 for the batch itself may come from another account's key: nothing is asked again."""
    here = bench(provider)
    here.run()
    held = dict(here.server.desk.batches)
    here.server.desk.batches.clear()
    second = here.run(wait=True)
    assert "runs cancel 1 --lost REASON" in second.troubles[0]
    assert (second.fine, len(second.open)) == (False, 1)
    here.server.desk.batches.update(held)
    assert here.run().complete
    assert here.asked() == 30


def test_one_batch_that_is_not_known_holds_up_no_other(bench: Benches) -> None:
    """The others are collected, and nothing of the unknown one is asked again."""
    here = bench("openai")
    here.spec = replace(here.spec, limits=Limits(batch_requests=10))
    here.run()
    del here.server.desk.batches["batch_000001"]
    second = here.run(wait=True)
    assert (second.present, [batch.id for batch in second.open]) == (20, [1])
    assert here.asked() == 30


@both
def test_lines_that_are_nobodys(bench: Benches, provider: Any) -> None:
    """A name that nobody gave and a second line are kept, counted, said, and no answers."""
    here = bench(provider, stranger=1.0, duplicate_line=0.2)
    done = here.run(wait=True)
    assert done.complete
    strays = here.study.batches.strays(1)
    assert strays["unknown"] == 1
    assert any("of a request that was never sent, kept and not counted" in x for x in here.said)
    assert here.states() == {"ok": 30}


def test_an_answer_to_a_key_that_has_one_is_not_stored(bench: Benches) -> None:
    """Results for keys that were answered meanwhile are held back, and their lines kept."""
    here = bench("openai", numbers={"takes": 60.0})
    here.run()
    request = here.study.batches.requests(1)[0]
    here.study.runs.store(request.key, Reply("ok", "from elsewhere"))
    here.server.desk.forward(61)
    assert here.run().complete
    assert here.study.batches.outcomes(1) == {"answered": 29, "held": 1}
    assert here.study.batches.strays(1) == {"held": 1}
    texts = [g.visible_text for g in here.study.runs.generations(1)]
    assert texts.count("from elsewhere") == 1


def test_an_item_that_is_withdrawn_meanwhile(bench: Benches) -> None:
    """Its answers are kept as lines and stored under no key; the run is complete without them."""
    here = bench("openai", items=5, numbers={"takes": 60.0})
    here.run()
    here.study.waves.withdraw(1, "S00002/Active", "it is wrong")
    here.server.desk.forward(61)
    done = here.run()
    assert here.study.batches.outcomes(1) == {"answered": 12, "withdrawn": 3}
    assert (done.present, done.expected) == (12, 12)


def test_no_key_is_stored_or_said(bench: Benches) -> None:
    """The key stands in no row of the study, whatever came back."""
    here = bench("openai", validation_failed=0.3, rate_limited=0.3)
    for _ in range(4):
        here.run(wait=True)
    here.study.close()
    for file in here.study.path.parent.glob(f"{here.study.path.name}*"):
        assert KEY.encode() not in file.read_bytes()
    assert KEY not in " ".join(here.said)


def test_requests_and_lines_are_kept_as_they_went(bench: Benches) -> None:
    """The raw line is the body of a generation; its request names batch and custom id."""
    here = bench("anthropic")
    here.run(wait=True)
    (batch,) = here.study.batches.all()
    for generation in here.study.runs.generations(1):
        request, line = here.study.runs.body(generation.id)
        sent, came = json.loads(request), json.loads(line)
        assert sent["batch"] == batch.remote
        assert sent["custom_id"] == came["custom_id"]
        assert batch.place(came["custom_id"]) is not None
        assert came["result"]["message"]["model"] == "mock-1"


def test_files_of_a_size_that_is_asked_for(bench: Benches) -> None:
    """The models file may ask for smaller batches than the provider takes."""
    here = bench("openai")
    here.spec = replace(here.spec, limits=Limits(batch_requests=8))
    asked = {"conditions": ("Active",), "samples": 3}
    foreseen = dry_batch(here.study, here.spec, **asked)  # type: ignore[arg-type]
    assert (foreseen.calls, foreseen.files) == (30, 4)
    assert foreseen.words.startswith("4 batches: 30 requests, about ")
    done = here.run()
    assert [batch.requests for batch in done.open] == [8, 8, 8, 6]
    left = dry_batch(here.study, here.spec, **asked)  # type: ignore[arg-type]
    assert (left.calls, left.under_way) == (0, 30)
    assert left.words.endswith("30 requests are under way already")


def test_the_estimate_has_the_batch_price(bench: Benches) -> None:
    """Costs are at the batch price; without one there is none, and it is said why."""
    here = bench("openai")
    asked: dict[str, Any] = {"conditions": ("Active",), "samples": 3}
    found = dry_batch(here.study, here.spec, **asked)
    assert found.cost(found.at_most) == pytest.approx((found.tokens_in + 2 * 30 * 50) / 1e6)
    plain = replace(here.spec, prices=Prices(2.0, 4.0), batch_prices=None)
    assert "gives no batch price" in dry_batch(here.study, plain, **asked).words


@pytest.mark.parametrize("caps", [Caps(tokens=3000), Caps(cost=0.003)])
def test_a_cap_refuses_before_anything_is_sent(bench: Benches, caps: Caps) -> None:
    """A batch cannot be stopped in the middle, so the worst case must be within the cap."""
    here = bench("openai")
    with pytest.raises(Refused, match="cannot be stopped in the middle, so nothing is sent"):
        here.run(caps=caps)
    assert here.asked() == 0
    assert here.study.runs.all() == ()
    assert here.run(caps=Caps(tokens=100_000, cost=1.0)).fine


def test_a_cost_without_a_price_cannot_be_capped(bench: Benches) -> None:
    """--max-cost needs the batch price; that of single requests is another one."""
    here = bench("openai")
    here.spec = replace(here.spec, prices=Prices(1.0, 1.0), batch_prices=None)
    with pytest.raises(InputError, match="has no batch prices"):
        here.run(caps=Caps(cost=1.0))


def test_two_at_once_submit_a_key_once(bench: Benches) -> None:
    """While one is at work, the other leaves its batches alone, and finds no key free."""
    here = bench("openai", numbers={"takes": 60.0})
    run_id = here.run().run
    session = here.study.run_sessions.begin(run_id, 1)
    assert here.study.batches.hold(1, session)
    here.server.desk.forward(61)
    second = here.run()
    assert (second.present, here.asked()) == (0, 30)
    here.study.run_sessions.end(session, "finished")
    assert here.run().complete


def test_a_batch_that_never_ends_is_left_to_the_next_call(
    bench: Benches, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long after its end the wait is over, and the batch stays open."""
    here = bench("openai", numbers={"takes": 10**8, "window": 10**8})
    later = (datetime.fromisoformat("2099-01-01T00:00:00+00:00") + timedelta(0)).isoformat()
    monkeypatch.setattr(following, "now", lambda: later)
    done = here.run(wait=True)
    assert "over its time and has not ended" in done.troubles[0]
    assert len(done.open) == 1


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        (parse_model("scripted"), "runs on this machine"),
        (parse_model("embedded"), "runs on this machine"),
        (ModelSpec("g", "chat", provider="gemini", api_model="g"), "gemini are not spoken here"),
    ],
)
def test_who_has_no_batches(bench: Benches, spec: ModelSpec, why: str) -> None:
    """A model without batches is refused in one line, before anything."""
    here = bench("openai")
    here.spec = spec
    with pytest.raises(Refused, match=why):
        here.run()
    assert here.study.runs.all() == ()


def test_a_run_without_a_plan_is_exploratory_or_refused(bench: Benches) -> None:
    """As for single requests: not exploratory needs a preregistration."""
    here = bench("openai")
    with pytest.raises(Refused, match="nothing is preregistered"):
        here.run(exploratory=False)
    assert here.asked() == 0


def test_open_batches_of_another_run_are_named(bench: Benches) -> None:
    """With other samples it is another run; the batches of the first are not forgotten."""
    here = bench("openai", numbers={"takes": 60.0})
    here.run(samples=1)
    here.run(samples=2)
    assert "note: run 1 has open batches as well (1); its own command collects them" in here.said
