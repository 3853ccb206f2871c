"""Asking over a real server on loopback: what is refused, and what is kept of the others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from audit.verify import study_faults
from audit.verify_choices import choice_faults
from core.choices import ChoiceKey, ChoiceScope
from core.errors import CheckFailed, InputError, NotFound, Refused, Unavailable
from core.hashing import canonical, digest_of
from db.file import StudyFile
from evals.attempts import Policy
from evals.choices.docket import docket
from evals.choices.runner import ask_choices, dry
from evals.choices.summary import ChoiceSummary
from evals.choices.words import wanted
from evals.mock.faults import Faults
from evals.mock.tokens import CONTROL
from evals.models import ModelSpec, parse_model

FAST = Policy(attempts=2, first=0.001, patience=0.2)
BOTH = ("Active", "Removed")


def go(study: StudyFile, spec: ModelSpec, answers: str = "labels", **changed: Any) -> ChoiceSummary:
    conditions = changed.pop("conditions", BOTH)
    items = docket(study, wanted(answers), conditions=conditions)
    return ask_choices(study, spec, items, policy=FAST, **changed)


def spec_of(served: Any) -> ModelSpec:
    return parse_model(served.url, api_model="mock-1")


def asking_for(make_study: Any, text: str) -> StudyFile:
    """Make a study of two frozen items that put one text to a model."""
    messages = [{"role": "user", "content": text}]
    study: StudyFile = make_study(1, messages=messages, prompt_hash=digest_of(messages))
    return study


def answers_of(study: StudyFile, setup: int) -> list[str]:
    sql = "SELECT wave_item, answers FROM choice_scores WHERE setup = ? ORDER BY wave_item"
    return [canonical(row) for row in study._db.execute(sql, [setup]).fetchall()]


def test_each_item_is_asked_once(make_study: Any, serve: Any) -> None:
    """All of them, whoever asks again; another condition adds, and nothing is asked twice."""
    study, served = make_study(3, ("Active", "Removed", "Explicit")), serve()
    first = go(study, spec_of(served), conditions=("Active",))
    assert (first.items, first.scored, first.asked, first.forward_calls) == (3, 3, 3, 12)
    asked = served.server.requests
    again = go(study, spec_of(served))
    assert (again.scored, again.asked, again.setup) == (6, 3, first.setup)
    quiet = served.server.requests
    assert go(study, spec_of(served)).asked == 0
    assert served.server.requests - quiet <= quiet - asked  # opening alone asks a few things
    assert study.choices.scopes(1) == {ChoiceScope(("Active",)), ChoiceScope(BOTH)}
    assert study_faults(study) == ()


def test_two_ways_of_one_server_are_two_builds_with_the_same_numbers(
    make_study: Any, serve: Any
) -> None:
    """What the endpoint gives is read alike by echo and by prompt_logprobs, and kept apart."""
    study = make_study(2)
    one, two = (go(study, spec_of(serve(mode))) for mode in ("honest", "vllm"))
    routes = [each.setup.build["route"].split()[-1] for each in (one, two)]
    assert routes == ["echo", "prompt_logprobs"]
    assert answers_of(study, one.setup.id) == answers_of(study, two.setup.id)
    assert one.setup.build["system_fingerprint"] == "mock-1"


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("ignores-echo", "echo is accepted and ignored"),
        ("null", "no log-probabilities come back"),
        ("truncated", "of a prompt were sent, and log-probabilities of"),
        ("miscounted", "of a prompt were sent"),
        ("nulls-inside", "has no log-probability (None)"),
        ("no-tokenizer", "HTTP 404"),
    ],
)
def test_an_endpoint_that_gives_none_is_refused_before_any_item(
    make_study: Any, serve: Any, mode: str, told: str
) -> None:
    """One line with the reason; no setup, no call, no score and no entry is left."""
    study, served = make_study(2), serve(mode)
    head = study.ledger.head()
    with pytest.raises(Unavailable, match="gives no choice probabilities") as raised:
        go(study, spec_of(served))
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)
    assert study.choices.all() == ()
    assert study.ledger.head() == head
    assert served.server.requests < 8


def test_nobody_listens_and_other_protocols(make_study: Any) -> None:
    study = make_study(1)
    with pytest.raises(Unavailable, match="no connection"):
        go(study, parse_model("http://127.0.0.1:9", api_model="tiny"))
    spec = parse_model("http://127.0.0.1:9", api_model="tiny")
    for provider in ("anthropic", "gemini"):
        other = ModelSpec("m", "chat", base_url=spec.base_url, api_model="m", provider=provider)
        with pytest.raises(InputError, match="returns no log-probabilities of a prompt"):
            go(study, other)


def test_a_failed_request_is_its_own_state_and_is_asked_again(make_study: Any, serve: Any) -> None:
    """An item that failed has no number; the same command fills it in, and keeps both attempts."""
    study = make_study(4)
    served = serve()
    spec = spec_of(served)
    assert go(study, spec, conditions=("Active",)).scored == 4
    served.server.faults = Faults({"server_error": 0.2}, seed=1)
    first = go(study, spec)
    assert first.errors  # which requests fail is drawn by the seed
    assert first.scored + first.errors == 8
    assert "the same command tries again" in first.why_incomplete
    failed = [score for score in study.choices.last(1) if score.state == "error"]
    assert all(score.answers == () and "HTTP 500" in score.error for score in failed)
    served.server.faults = Faults()
    second = go(study, spec)
    assert (second.scored, second.errors, second.asked) == (8, 0, first.errors)
    key = ChoiceKey(1, failed[0].wave_item, "")
    assert [each.state for each in study.choices.attempts(key)] == ["error", "ok"]
    assert study_faults(study) == ()


def test_a_setup_is_everything_that_decides_a_number(make_study: Any, serve: Any) -> None:
    """Another seed of the server is another build; anchor, answers and variants count too."""
    study, served = make_study(1), serve()
    for answers in ("labels", "letters"):
        go(study, spec_of(served), answers)
    for asked in (wanted("labels", "plain"), wanted("labels", anchor="\nAnswer:")):
        ask_choices(study, spec_of(served), docket(study, asked, conditions=BOTH), policy=FAST)
    served.server._prompts._seed = 2
    go(study, spec_of(served))
    setups = study.choices.all()
    assert len({setup.hash for setup in setups}) == len(setups) == 5
    assert len({str(setup.build) for setup in setups}) == 2
    assert all(len(study.choices.last(setup.id)) == 2 for setup in setups)


def test_a_text_that_spells_a_control_token_is_not_scored_there(
    make_study: Any, serve: Any
) -> None:
    """An endpoint that reads control tokens in texts is sent no such text; the fake is."""
    study = asking_for(make_study, f"Drive?{CONTROL[1]} [x] <b>")
    found = go(study, spec_of(serve()))
    assert (found.scored, found.unscorable, found.errors) == (0, 2, 0)
    assert "spells <|im_end|>, which this endpoint would read as a control" in found.why_unscorable
    assert go(study, spec_of(serve())).why_incomplete == ""
    assert go(study, parse_model("scripted")).scored == 2


def test_an_unscorable_item_is_not_asked_again(make_study: Any) -> None:
    study = asking_for(make_study, "word " * 5000)
    first = go(study, parse_model("scripted"))
    assert (first.unscorable, first.asked, first.why_incomplete) == (2, 2, "")
    assert "and the model reads fewer than" in first.words
    assert go(study, parse_model("scripted")).asked == 0
    assert study_faults(study) == ()


def test_an_edited_or_missing_item_is_not_asked(make_study: Any) -> None:
    study = make_study(1)
    for conditions, told in ((("Actve",), "no frozen item is Actve"), ((), "at least one")):
        with pytest.raises((NotFound, InputError), match=told):
            docket(study, wanted("labels"), conditions=conditions)
    with pytest.raises(NotFound, match="there is no wave 7"):
        docket(study, wanted("labels"), conditions=BOTH, waves=[7])
    with pytest.raises(Refused, match="nothing is frozen yet"):
        docket(make_study(1, ()), wanted("labels"), conditions=BOTH)
    study._db.execute("DROP TRIGGER wave_items_unchanged")
    study._db.execute("UPDATE wave_items SET document = replace(document, 'Drive', 'Hover')")
    with pytest.raises(CheckFailed, match="no model was asked"):
        docket(study, wanted("labels"), conditions=BOTH)


def test_a_dry_run_counts_and_stores_nothing(make_study: Any, serve: Any) -> None:
    """It says how many passes the rest would take, by the same tokens that would be asked."""
    study = make_study(3)
    items = docket(study, wanted("labels"), conditions=BOTH)
    spec = parse_model("scripted")
    told = dry(study, spec, items)
    assert told.startswith("scripted, forced tokens: 6 items, 24 forward calls over")
    assert study.choices.all() == ()
    assert go(study, spec, conditions=("Active",)).forward_calls == 12
    assert "3 items, 12 forward calls" in dry(study, spec, items)
    assert "6 items, 24 forward calls" in dry(study, spec_of(serve()), items)
    long = asking_for(make_study, "word " * 5000)
    told = dry(long, spec, docket(long, wanted("labels"), conditions=BOTH))
    assert "0 forward calls over 0 tokens; 2 items cannot be scored: S01/" in told


def test_the_numbers_do_not_depend_on_workers_or_order(make_study: Any, serve: Any) -> None:
    """The digest of a call is that of any other call that asked the same."""
    digests = set()
    for workers in (1, 4):
        study, served = make_study(4), serve()
        go(study, spec_of(served), workers=workers)
        digests.add(study.choice_seals.calls()[0].digest)
    assert len(digests) == 1


def test_another_process_is_refused_and_a_dead_one_recovered(make_study: Any) -> None:
    study = make_study(2)
    found = go(study, parse_model("scripted"), conditions=("Active",))
    call = study.choices.begin(found.setup, ChoiceScope(BOTH))
    with pytest.raises(Refused, match="asked under setup 1 by another process"):
        go(study, parse_model("scripted"))
    study._db.execute("DROP TRIGGER choice_calls_end")
    study._db.execute("UPDATE choice_calls SET process = '1 0' WHERE id = ?", [call])
    assert go(study, parse_model("scripted")).scored == 4
    assert [each.ended for each in study.choice_seals.calls()] == ["finished", "lost", "finished"]


def test_an_endpoint_that_becomes_another_build_is_not_mixed_in(
    make_study: Any, serve: Any
) -> None:
    """A fingerprint that changes while a setup is asked makes failures, and no numbers."""
    study, served = make_study(3), serve()
    build = served.server._prompts

    def turned(done: int, _: int) -> None:
        if done == 2:
            build._seed = 9

    first = go(study, spec_of(served), progress=turned, workers=1)
    assert (first.scored, first.errors) == (2, 4)
    assert "another build answers now" in first.why_error


CHILD = """
import sys, pathlib
from db.file import open_study
from evals.attempts import Policy
from evals.choices.docket import docket
from evals.choices.runner import ask_choices
from evals.choices.words import wanted
from evals.models import parse_model
with open_study(pathlib.Path(sys.argv[1])) as study:
    items = docket(study, wanted("labels"), conditions=("Active", "Removed"))
    ask_choices(study, parse_model(sys.argv[2], api_model="mock-1"), items, workers=2)
"""


def begun(study: StudyFile, served: Any, least: int) -> subprocess.Popen[bytes]:
    """Start a process that asks, and wait until some of what it was given is in the study."""
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(study.path), served.url],
                             stderr=subprocess.PIPE)  # fmt: skip
    deadline = time.monotonic() + 60
    while study._db.execute("SELECT count(*) FROM choice_scores").fetchone()[0] < least:
        assert child.poll() is None, child.stderr and child.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return child


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_a_call_that_is_ended_goes_on_with_nothing_twice(
    make_study: Any, serve: Any, ending: signal.Signals
) -> None:
    """Killed or interrupted: what was kept stays, the rest is asked, and the ledger holds."""
    study, served = make_study(12), serve(faults=Faults(delay=0.02))
    child = begun(study, served, 3)
    os.kill(child.pid, ending)
    child.communicate(timeout=60)
    kept = {score.wave_item: score for score in study.choices.last(1)}
    assert 3 <= len(kept) < 24
    assert all(score.state == "ok" for score in kept.values())
    assert list(choice_faults(study)) == []
    served.server.faults = Faults()
    found = go(study, spec_of(served))
    assert (found.scored, found.asked) == (24, 24 - len(kept))
    after = {score.wave_item: score for score in study.choices.last(1)}
    assert {item: after[item] for item in kept} == kept
    assert all(score.attempt == 1 for score in after.values())
    how = "lost" if ending == signal.SIGKILL else "interrupted"
    assert [call.ended for call in study.choice_seals.calls()] == [how, "finished"]
    assert study_faults(study) == ()
