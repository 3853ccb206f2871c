from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import CheckFailed, InputError, NotFound, Refused, Unavailable
from core.hashing import digest_of
from db.file import StudyFile, open_study
from evals.attempts import Policy
from evals.models import ModelSpec, parse_model
from evals.runner import RunSummary, run

FAST = Policy(attempts=3, first=0.001, patience=0.2)
BOTH = ("Active", "Removed")


def spec_of(endpoint: Any, **changed: Any) -> ModelSpec:
    return parse_model(endpoint.url, **{"api_model": "tiny", **changed})


def go(study: StudyFile, spec: ModelSpec, **changed: Any) -> RunSummary:
    settings = {"conditions": BOTH, "samples": 2, "policy": FAST, **changed}
    return run(study, spec, **settings)


def test_everything_is_asked_once_and_the_run_is_closed(make_study: Any, endpoint: Any) -> None:
    """Every frozen item of the conditions is asked k times, stored, and the run is closed."""
    study = make_study(3, frozen=("Active", "Removed", "Explicit"))
    seen: list[tuple[int, int]] = []
    summary = go(study, spec_of(endpoint), progress=lambda *told: seen.append(told))
    assert (summary.expected, summary.present, summary.errors) == (12, 12, 0)
    assert summary.states == {"ok": 12}
    assert summary.complete
    assert len(endpoint.requests) == 12
    assert not any("Explicit" in content for content in endpoint.contents())
    assert seen == [(done, 12) for done in range(13)]
    assert study.runs.run(summary.run).closed_at is not None
    sampled = {(g.wave_item, g.sample) for g in study.runs.generations(summary.run)}
    assert len(sampled) == 12


def test_again_asks_nothing_twice(make_study: Any, endpoint: Any) -> None:
    """The same call again finds everything answered, asks nothing, and adds nothing."""
    study = make_study()
    first, second = (go(study, spec_of(endpoint)) for _ in range(2))
    assert first.run == second.run
    assert len(endpoint.requests) == 8
    assert second.complete
    assert len(study.runs.all()) == 1


def test_another_configuration_is_another_run(make_study: Any, endpoint: Any) -> None:
    """What could change a reply makes another run; the order of the conditions does not."""
    study = make_study()
    runs = {
        go(study, spec_of(endpoint), conditions=("Removed", "Active")).run,
        go(study, spec_of(endpoint), conditions=("Active", "Removed")).run,
    }
    assert len(runs) == 1
    changed = [{"temperature": 0.0}, {"prefill": "Answer:"}, {"api_model": "other"}]
    runs |= {go(study, spec_of(endpoint, **change)).run for change in changed}
    runs.add(go(study, spec_of(endpoint), samples=3).run)
    assert len(runs) == 5


def test_what_the_run_records(make_study: Any, endpoint: Any) -> None:
    """The run's configuration names suite, waves, conditions, samples, endpoint and decoding."""
    study = make_study()
    recorded = study.runs.run(go(study, spec_of(endpoint)).run).config
    assert recorded["suite"] == "core100"
    assert recorded["waves"] == [1]
    assert recorded["conditions"] == ["Active", "Removed"]
    assert recorded["samples"] == 2
    assert recorded["endpoint"] == f"{endpoint.url}/v1"
    assert (recorded["temperature"], recorded["prefill"]) == (0.7, "")


def test_an_item_that_always_fails_stops_nothing(
    make_study: Any, endpoint: Any, say: Any, complete: Any
) -> None:
    """One item that fails for ever costs its own attempts and error rows; the others finish."""
    study = make_study(3)
    sick = "Scenario 1, Active"
    endpoint.behave = lambda _, asked: (
        say(b"oh", status=500) if sick in asked["messages"][0]["content"] else complete()
    )
    summary = go(study, spec_of(endpoint))
    assert (summary.present, summary.errors, summary.expected) == (10, 2, 12)
    assert not summary.complete
    assert study.runs.run(summary.run).closed_at is None
    asked = sum(sick in content for content in endpoint.contents())
    assert asked == 2 * FAST.attempts

    endpoint.behave = lambda *_: complete()
    again = go(study, spec_of(endpoint))
    assert (again.run, again.present, again.errors) == (summary.run, 12, 0)
    assert len(endpoint.requests) == 10 + asked + 2
    assert len(study.runs.generations(again.run)) == 12


def test_the_server_is_given_the_time_it_asks_for(
    make_study: Any, endpoint: Any, say: Any, complete: Any
) -> None:
    """A 429 with Retry-After is waited for, also when it is the first answer of all."""
    study = make_study(1)
    endpoint.behave = lambda number, _: (
        say(b"{}", status=429, headers={"Retry-After": "1"}) if number == 1 else complete()
    )
    summary = go(study, spec_of(endpoint), workers=1)
    assert summary.complete
    assert summary.seconds >= 1
    assert len(endpoint.requests) == 5


def test_every_state_is_its_own(make_study: Any, endpoint: Any, say: Any, complete: Any) -> None:
    """Rubbish, cut bodies, thinking-only replies, refusals and truncations are told apart."""
    study = make_study(4)
    said = [
        complete(),
        complete("<think>for ever", "length"),
        complete(None, refusal="no"),
        complete("Answer: A\nBec", "length"),
        say(b"rubbish"),
        say(b'{"choices"', length=100),
        complete("\ud800"),
        say(b"{}", status=400),
    ]
    names = [f"Scenario {n}, {c}." for n in range(1, 5) for c in BOTH]

    def behave(_: int, asked: dict[str, Any]) -> Any:
        content = asked["messages"][0]["content"]
        return next(s for n, s in zip(names, said, strict=True) if n in content)

    endpoint.behave = behave
    summary = go(study, spec_of(endpoint), samples=1)
    assert summary.states == {"ok": 2, "empty": 1, "refused": 1, "truncated": 1, "error": 3}
    assert (summary.present, summary.errors) == (5, 3)


def test_nobody_listens(make_study: Any) -> None:
    """When nobody listens, it is one line at once, and no generation is written."""
    study = make_study()
    spec = parse_model("http://127.0.0.1:9", api_model="tiny")
    with pytest.raises(Unavailable, match=r"cannot be asked: no connection \(refused") as caught:
        run(study, spec, conditions=BOTH, samples=2)
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
    assert study.runs.generations() == ()


@pytest.mark.parametrize("status", [401, 404])
def test_a_wrong_key_or_model(make_study: Any, endpoint: Any, say: Any, status: int) -> None:
    """A wrong key or model costs one request and is one line; no generation is written."""
    study = make_study()
    endpoint.behave = lambda *_: say(b'{"error": {"message": "unknown model"}}', status=status)
    with pytest.raises(Unavailable, match=f"HTTP {status}: unknown model"):
        go(study, spec_of(endpoint))
    assert len(endpoint.requests) == 1
    assert study.runs.generations() == ()


@pytest.mark.parametrize("scenarios", [1, 10])
def test_an_endpoint_that_talks_rubbish(
    make_study: Any, endpoint: Any, say: Any, scenarios: int
) -> None:
    """An endpoint that answers every item with rubbish is given up early, in one line."""
    study = make_study(scenarios)
    endpoint.behave = lambda *_: say(b"<html>welcome</html>")
    with pytest.raises(Unavailable, match="tiny gave no usable answer"):
        go(study, spec_of(endpoint))
    assert len(endpoint.requests) <= 10
    assert {g.state for g in study.runs.generations()} == {"error"}


def test_a_server_that_goes_away(make_study: Any, endpoint: Any, say: Any, complete: Any) -> None:
    """A dead server is waited for, then the run stops, keeps its answers and blames no item."""
    study = make_study(20)
    dying = threading.Thread(target=endpoint.die)

    def behave(number: int, _: Any) -> Any:
        if number == 6:
            dying.start()
        return complete() if number < 6 else say(b"", length=1)

    endpoint.behave = behave
    with pytest.raises(Unavailable, match=r"tiny went away .*\d of 80 answers are kept"):
        go(study, spec_of(endpoint))
    dying.join(5)
    states = [generation.state for generation in study.runs.generations()]
    assert states == ["ok"] * 5
    assert go(study, parse_model("scripted")).complete


def test_ctrl_c_keeps_what_is_in_flight(make_study: Any, endpoint: Any, complete: Any) -> None:
    """Ctrl-C takes nothing new, keeps what is in flight, raises, and the next call goes on."""
    study = make_study(10)

    def behave(number: int, _: Any) -> Any:
        if number == 10:
            os.kill(os.getpid(), signal.SIGINT)
        return complete()

    endpoint.behave = behave
    with pytest.raises(KeyboardInterrupt):
        go(study, spec_of(endpoint))
    asked = len(endpoint.requests)
    assert 10 <= asked <= 14
    assert len(study.runs.generations()) == asked
    summary = go(study, spec_of(endpoint))
    assert summary.complete
    assert len(endpoint.requests) == 40
    assert len(study.runs.all()) == 1


def test_a_killed_run_goes_on(make_study: Any, endpoint: Any, complete: Any) -> None:
    """After SIGKILL the next call asks what has no answer, and only what was in flight twice."""
    study = make_study(15)
    code = (
        "import sys, pathlib; from db.file import open_study; from evals.runner import run\n"
        "from evals.models import parse_model\n"
        "with open_study(pathlib.Path(sys.argv[1])) as study:\n"
        "    spec = parse_model(sys.argv[2], api_model='tiny')\n"
        "    run(study, spec, conditions=('Active', 'Removed'), samples=2, workers=4)"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(study.path), endpoint.url])

    def behave(number: int, _: Any) -> Any:
        if number == 20:
            child.kill()
        return complete()

    endpoint.behave = behave
    assert child.wait(30) == -signal.SIGKILL
    stored = len(study.runs.generations())
    assert 15 <= stored <= 20
    summary = go(study, spec_of(endpoint))
    assert summary.complete
    assert len(study.runs.all()) == 1
    assert len(study.runs.generations()) == 60
    assert len(endpoint.requests) <= 60 + 4


def test_ctrl_c_does_not_wait_for_a_backoff(make_study: Any, endpoint: Any, say: Any) -> None:
    """A request that waits for its next attempt ends with Ctrl-C, and leaves no error row."""
    study = make_study(1)
    spec, patient = spec_of(endpoint), Policy(first=60, cap=60)

    def behave(*_: Any) -> Any:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        return say(b"{}", status=503)

    endpoint.behave = behave
    with pytest.raises(KeyboardInterrupt):
        run(study, spec, conditions=BOTH, samples=1, policy=patient)
    assert study.runs.generations() == ()


def test_an_exception_while_storing_keeps_the_rest(make_study: Any, endpoint: Any) -> None:
    """When storing fails (a full disk, say), the reason is raised and nothing hangs."""
    study = make_study(5)

    def told(done: int, _: int) -> None:
        if done == 4:
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        go(study, spec_of(endpoint), progress=told)
    assert go(study, spec_of(endpoint)).complete
    assert len(endpoint.requests) == 20


def test_two_processes_on_one_run(make_study: Any, endpoint: Any, complete: Any) -> None:
    """Two that work on one run at once share it: nothing is asked twice, and both see it whole."""
    study = make_study(30)
    spec, finished, threads = spec_of(endpoint), [], []

    def second_process() -> None:
        with open_study(study.path) as other:
            finished.append(go(other, spec, workers=2))

    def told(answered: int, _: int) -> None:
        if answered == 2 and not threads:
            threads.append(threading.Thread(target=second_process))
            threads[0].start()

    endpoint.behave = lambda *_: replace(complete(), delay=0.01)
    summary = go(study, spec, workers=2, progress=told)
    threads[0].join(30)
    assert [done.complete for done in finished] == [True]
    assert summary.complete
    assert len(endpoint.requests) == len(study.runs.generations()) == 120
    sessions = study.run_sessions.of_run(summary.run)
    assert [session.ended for session in sessions] == ["finished", "finished"]


def test_a_tampered_wave_is_not_run(make_study: Any, endpoint: Any) -> None:
    """When a frozen text is not what it was, no model is asked, and the item is named."""
    study = make_study()
    with sqlite3.connect(study.path) as raw:
        raw.execute("DROP TRIGGER wave_items_unchanged")
        raw.execute(
            "UPDATE wave_items SET document = replace(document, 'walk', 'talk') WHERE id = 2"
        )
    raw.close()
    with pytest.raises(CheckFailed, match=r"S01/Removed.*no model was asked") as caught:
        go(study, spec_of(endpoint))
    assert caught.value.exit_code == 1
    assert endpoint.requests == []
    assert study.runs.all() == ()


def test_only_frozen_items_are_run(make_study: Any, endpoint: Any) -> None:
    """Without a frozen item, in a condition or at all, it is bad input and nothing is asked."""
    with pytest.raises(Refused, match="nothing is frozen"):
        go(make_study(frozen=()), spec_of(endpoint))
    study = make_study()
    with pytest.raises(NotFound, match="no frozen item is Explicit; there is Active, Removed"):
        go(study, spec_of(endpoint), conditions=("Active", "Explicit"))
    with pytest.raises(NotFound, match="no wave 7"):
        go(study, spec_of(endpoint), waves=[7])
    with pytest.raises(Refused, match="S01/Active was frozen without a prompt"):
        go(make_study(messages=[], prompt_hash=digest_of([])), spec_of(endpoint))
    for wrong in ({"samples": 0}, {"workers": 0}, {"conditions": ()}):
        with pytest.raises(InputError, match="at least one"):
            go(study, spec_of(endpoint), **wrong)
    assert endpoint.requests == []


def test_the_key_is_nowhere_in_the_study(
    make_study: Any, endpoint: Any, say: Any, complete: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No byte of the study file or its log holds the key, also when error bodies echo it."""
    key = "sk-canary-0123456789"
    monkeypatch.setenv("WAVELOCK_API_KEY", key)
    study = make_study()
    endpoint.behave = lambda number, _: (
        say(f'{{"error": "bad key {key}"}}'.encode(), status=400) if number % 2 else complete(key)
    )
    go(study, spec_of(endpoint))
    assert endpoint.headers[0]["Authorization"] == f"Bearer {key}"
    for file in Path(study.path).parent.glob(f"{study.path.name}*"):
        assert key.encode() not in file.read_bytes()
    assert any("[key]" in g.visible_text for g in study.runs.generations())


def test_the_endpoint_names_its_model(
    make_study: Any, endpoint: Any, say: Any, complete: Any
) -> None:
    """Without a model id the run is called what the endpoint serves."""
    study = make_study(1)
    endpoint.behave = lambda number, _: complete() if number else say(b'{"data": [{"id": "qwen"}]}')
    summary = go(study, parse_model(endpoint.url))
    assert study.runs.run(summary.run).model == "qwen"
    assert endpoint.requests[0]["model"] == "qwen"


def test_many_workers(make_study: Any, endpoint: Any) -> None:
    """More workers than one client may have connections share several clients."""
    study = make_study(20)
    summary = go(study, spec_of(endpoint), workers=40)
    assert summary.complete
    assert len(endpoint.requests) == 80
