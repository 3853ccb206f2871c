from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from audit.verify_judges import judge_faults
from core.errors import CheckFailed, InputError, NotFound, Refused, Unavailable
from core.judging import JudgementKey, Scope
from core.runs import Reply
from db.file import StudyFile, open_study
from evals.attempts import Policy
from evals.budget import Caps
from evals.judges.choose import chosen_judge
from evals.judges.docket import docket
from evals.judges.library import load_rubric
from evals.judges.runner import dry, judge
from evals.judges.summary import JudgeSummary
from evals.models import ModelSpec, parse_model

FAST = Policy(attempts=2, first=0.001, patience=0.2)
NEUTRAL = load_rubric("grade-neutral")


def spec_of(endpoint: Any, **changed: Any) -> ModelSpec:
    return parse_model(endpoint.url, **{"api_model": "tiny", "temperature": 0.0, **changed})


def go(study: StudyFile, spec: ModelSpec, rubric: Any = NEUTRAL, **changed: Any) -> JudgeSummary:
    picked = {name: changed.pop(name) for name in ("conditions", "samples") if name in changed}
    return judge(study, spec, rubric, docket(study, [1], **picked), policy=FAST, **changed)


def sound(study: StudyFile) -> None:
    assert list(judge_faults(study)) == []


def test_each_reply_is_judged_once(answered: Any, endpoint: Any, complete: Any) -> None:
    """All replies, whoever asks again; the judge sees the fenced reply and never the model."""
    study = answered(lambda *_: "Answer: A\nYes.")
    endpoint.behave = lambda *_: complete("GRADE: C")
    summary = go(study, spec_of(endpoint))
    assert (summary.replies, summary.verdicts, summary.asked) == (24, 24, 24)
    again = go(study, spec_of(endpoint))
    assert (again.verdicts, again.asked, again.judge) == (24, 0, summary.judge)
    assert len(endpoint.requests) == 24
    assert not any("a model" in str(request["messages"]) for request in endpoint.requests)
    assert endpoint.requests[0]["temperature"] == 0.0
    sound(study)


def test_which_replies(answered: Any, endpoint: Any, complete: Any) -> None:
    """Conditions and the first samples; further ones are added later, none twice."""
    study = answered(lambda *_: "Answer: A")
    endpoint.behave = lambda *_: complete("GRADE: I")
    assert go(study, spec_of(endpoint), conditions=["Removed"], samples=1).asked == 3
    assert go(study, spec_of(endpoint), conditions=["Removed"]).asked == 3
    assert go(study, spec_of(endpoint)).asked == 18
    with pytest.raises(NotFound, match="no frozen item is Actve"):
        docket(study, [1], conditions=["Actve"])
    with pytest.raises(NotFound, match="there is no run 9"):
        docket(study, [9])
    study.run_drops.drop(1, "no use")
    with pytest.raises(Refused, match="run 1 was dropped"):
        docket(study, [1])


def test_replies_with_nothing_to_read_are_not_sent(
    answered: Any, endpoint: Any, complete: Any
) -> None:
    """Empty, refused, failed and invisibly cut replies are no-answer, and nothing is sent."""
    states = ["empty", "refused", "error", "truncated", "ok", "ok"]
    said = iter(states * 4)

    def say(*_: Any) -> Reply:
        state: Any = next(said)
        return Reply(state, visible_text="Answer: A" if state == "ok" else "")

    study = answered(say)
    endpoint.behave = lambda *_: complete("GRADE: C")
    summary = go(study, spec_of(endpoint))
    assert (summary.replies, summary.verdicts, summary.no_answer) == (24, 8, 16)
    assert len(endpoint.requests) == 8


def test_unreadable_first_readable_on_the_next_call(
    answered: Any, endpoint: Any, complete: Any
) -> None:
    """What cannot be read is no verdict and stays in the file; the next call asks again."""
    study = answered(lambda *_: "Answer: A", scenarios=1, samples=1)
    endpoint.behave = lambda number, _: complete("GRADE: C or I" if number % 2 else "GRADE: C")
    first = go(study, spec_of(endpoint), workers=1)
    assert (first.verdicts, first.unreadable, first.errors) == (2, 2, 0)
    endpoint.behave = lambda *_: complete("GRADE: I")
    second = go(study, spec_of(endpoint))
    assert (second.verdicts, second.unreadable, second.asked) == (4, 0, 2)
    tried = [study.judges.attempts(JudgementKey(1, g.id, "")) for g in study.runs.generations()]
    assert sorted(len(each) for each in tried) == [1, 1, 2, 2]
    kept = [[a.verdict for a in each] for each in tried if len(each) == 2]
    assert kept == [[None, "incorrect"]] * 2
    sound(study)


def test_states_of_the_judge(answered: Any, endpoint: Any, complete: Any, say: Any) -> None:
    """A judge that refuses, thinks only, is cut or fails has given no verdict."""
    study = answered(lambda *_: "Answer: A", scenarios=2, samples=1)
    said = [complete("GRADE: C"), complete("<think>long", "length"), complete(None, refusal="no"),
            complete("GRADE: C", "length"), complete("GRADE: C. Bec", "length"),
            say(b"rubbish"), complete("GRADE: A"), complete("")]  # fmt: skip
    endpoint.behave = lambda number, _: said[number - 1]
    summary = go(study, spec_of(endpoint), workers=1)
    assert (summary.verdicts, summary.unreadable, summary.errors) == (3, 4, 1)
    states = Counter(j.state for j in study.judges.last(1) if j.verdict is None)
    assert states == {"empty": 2, "refused": 1, "truncated": 1, "error": 1}
    assert "1 requests to the judge failed" in summary.why_incomplete


def test_a_verdict_in_the_reasoning_is_none(answered: Any, endpoint: Any, complete: Any) -> None:
    """What a judge only thought is no verdict, and neither is what it thought before another."""
    study = answered(lambda *_: "Answer: A", scenarios=1, samples=1)
    said = [
        complete("<think>GRADE: C</think>"),
        complete(None, reasoning_content="GRADE: C"),
        complete("<think>\nGRADE: C\n</think>\nGRADE: I"),
        complete("<think>\nGRADE: C"),
    ]
    endpoint.behave = lambda number, _: said[number - 1]
    go(study, spec_of(endpoint), workers=1)
    found = [j.verdict for j in study.judges.last(1)]
    assert sorted(map(str, found)) == ["None", "None", "None", "incorrect"]


def test_a_new_rubric_or_judge_adds(answered: Any, endpoint: Any, complete: Any) -> None:
    """Another text, another model or another temperature is another judge; nothing is replaced."""
    study = answered(lambda *_: "Answer: A", scenarios=1, samples=1)
    endpoint.behave = lambda *_: complete("GRADE: C")
    for rubric in (NEUTRAL, load_rubric("grade")):
        go(study, spec_of(endpoint), rubric)
    go(study, spec_of(endpoint, temperature=1.0))
    go(study, spec_of(endpoint, api_model="big"))
    judges = study.judges.all()
    assert [j.rubric for j in judges].count("grade-neutral 1") == 3
    assert len({j.hash for j in judges}) == len(judges) == 4
    assert all(len(study.judges.last(j.id)) == 4 for j in judges)
    assert study.judges.rubric(NEUTRAL.hash)["prompt"] == NEUTRAL.prompt


def test_another_text_needs_another_version(answered: Any, endpoint: Any, complete: Any) -> None:
    """Two texts cannot stand under one name and version; nothing is asked, nothing stored."""
    study = answered(lambda *_: "Answer: A", scenarios=1, samples=1)
    endpoint.behave = lambda *_: complete("GRADE: C")
    go(study, spec_of(endpoint))
    changed = replace(NEUTRAL, prompt=NEUTRAL.prompt + "Be strict.")
    with pytest.raises(Refused, match="grade-neutral 1 stands in this study with another text"):
        go(study, spec_of(endpoint), changed)
    assert len(endpoint.requests) == 4
    assert go(study, spec_of(endpoint), replace(changed, version="2")).asked == 4
    assert [j.rubric for j in study.judges.all()] == ["grade-neutral 1", "grade-neutral 2"]


def test_a_rubric_that_the_items_cannot_fill(answered: Any, endpoint: Any) -> None:
    """It is said before anything is asked or stored."""
    study = answered(lambda *_: "Answer: A")
    with pytest.raises(InputError, match=r"asks for \{target\}, which S01/"):
        go(study, spec_of(endpoint), load_rubric("target-pattern"))
    assert endpoint.requests == []
    assert study.judges.all() == ()


def test_an_edited_item_is_not_judged(answered: Any) -> None:
    """A judge is told what was frozen, or nothing."""
    study = answered(lambda *_: "Answer: A")
    study._db.execute("DROP TRIGGER wave_items_unchanged")
    study._db.execute("UPDATE wave_items SET document = replace(document, 'Drive', 'Hover')")
    with pytest.raises(CheckFailed, match="no judge was asked"):
        docket(study, [1])


def test_nobody_listens(answered: Any) -> None:
    """One line at once, no judgement; the call has ended."""
    study = answered(lambda *_: "Answer: A")
    spec = parse_model("http://127.0.0.1:9", api_model="tiny")
    with pytest.raises(Unavailable, match="cannot be asked"):
        go(study, spec)
    assert study.judges.last(1) == ()
    assert study.judge_seals.calls()[0].ended == "failed"
    sound(study)


def test_a_cap_ends_the_call(answered: Any, endpoint: Any, complete: Any) -> None:
    """No more is spent than allowed; a higher cap goes on, the tokens of all calls count."""
    study = answered(lambda *_: "Answer: A")
    endpoint.behave = lambda *_: complete("GRADE: C")
    spec = spec_of(endpoint, max_tokens=8)
    capped = go(study, spec, caps=Caps(tokens=3_000), workers=2)
    assert capped.capped
    assert 0 < capped.verdicts < 24
    assert capped.tokens <= 3_000
    assert "the cap is reached" in capped.why_incomplete
    assert go(study, spec, caps=Caps(tokens=3_000)).asked <= 1
    assert go(study, spec).verdicts == 24


def test_a_dry_run_asks_nothing(answered: Any, endpoint: Any, complete: Any) -> None:
    """It says how many requests are left, and stores nothing."""
    study = answered(lambda *_: "Answer: A")
    endpoint.behave = lambda *_: complete("GRADE: C")
    asked = docket(study, [1])
    assert "tiny: 24 requests" in dry(study, spec_of(endpoint), NEUTRAL, asked)
    assert (study.judges.all(), endpoint.requests) == ((), [])
    go(study, spec_of(endpoint), conditions=["Removed"])
    assert "tiny: 18 requests" in dry(study, spec_of(endpoint), NEUTRAL, asked)


def test_one_process_at_a_time(answered: Any, endpoint: Any) -> None:
    """A judge that another living process asks is not asked by a second one."""
    study = answered(lambda *_: "Answer: A")
    found = study.judges.take({"name": "n", "version": "1"}, "m", "chat", {})
    study.judges.begin(found, Scope((1,)))
    with pytest.raises(Refused, match="by another process just now"):
        study.judges.begin(found, Scope((1,)))


ASK = "import sys; from cli.main import main; main(sys.argv[1:])"


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_killed_in_the_middle_and_resumed(
    answered: Any, endpoint: Any, complete: Any, how: signal.Signals
) -> None:
    """What was kept stays, the rest is asked; nothing twice, all of it sealed; Ctrl-C is 130."""
    study = answered(lambda *_: "Answer: A")
    path = study.path
    study.close()
    child: list[subprocess.Popen[bytes]] = []

    def behave(number: int, _: Any) -> Any:
        if number == 9:
            os.kill(child[0].pid, how)
        return complete("GRADE: C")

    endpoint.behave = behave
    asked = ["--study", str(path), "judge", "1", "--rubric", "grade-neutral", "--judge",
             endpoint.url, "--api-model", "tiny", "--workers", "2"]  # fmt: skip
    child.append(subprocess.Popen([sys.executable, "-c", ASK, *asked], stderr=subprocess.DEVNULL))
    assert child[0].wait(60) == (130 if how == signal.SIGINT else -signal.SIGKILL)
    with open_study(path) as again:
        kept = len(again.judges.last(1))
        assert 0 < kept < 24
        sound(again)
        endpoint.behave = lambda *_: complete("GRADE: C")
        summary = go(again, spec_of(endpoint))
        assert (summary.verdicts, summary.asked) == (24, 24 - kept)
        assert len(again.judges.last(1)) == 24
        assert all(j.attempt == 1 for j in again.judges.last(1))
        ended = [call.ended for call in again.judge_seals.calls()]
        assert ended == ["lost" if how == signal.SIGKILL else "interrupted", "finished"]
        sound(again)


def test_judges_of_the_command_line(tmp_path: Any) -> None:
    """Scripted judges by name; other models greedy and without the prefill of forced choices."""
    file = tmp_path / "models.toml"
    lenient = chosen_judge("scripted-judge-lenient", file)
    assert (lenient.kind, lenient.called) == ("scripted", "scripted-judge-lenient")
    embedded = chosen_judge("embedded", file)
    assert (embedded.temperature, embedded.prefill) == (0.0, "")
    assert chosen_judge("embedded", file, prefill="GRADE:").prefill == "GRADE:"
    with pytest.raises(InputError):
        chosen_judge("nothing", file)
