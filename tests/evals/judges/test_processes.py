"""Two processes at one judge: the second is refused at once, none is asked twice, none is lost."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audit.verify_judges import judge_faults
from db.file import StudyFile, open_study
from db.judges import JudgeStore
from evals.judges.docket import docket
from evals.judges.library import load_rubric
from evals.judges.runner import judge
from evals.models import parse_model

ASK = "import sys; from cli.main import main; main(sys.argv[1:])"
NEUTRAL = load_rubric("grade-neutral")


def started(path: Path, url: str, *more: str) -> subprocess.Popen[str]:
    asked = ["--study", str(path), "judge", "1", "--rubric", "grade-neutral", "--judge", url,
             "--api-model", "tiny", "--workers", "2", *more]  # fmt: skip
    command = [sys.executable, "-c", ASK, *asked]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )


def wait_for(what: Callable[[], bool]) -> None:
    for _ in range(1200):
        if what():
            return
        time.sleep(0.025)
    pytest.fail("it never came")


@pytest.fixture
def distinct(answered: Any) -> StudyFile:
    """A study in which every reply is another, so that a second request for it is seen."""
    count = iter(range(1000))
    study: StudyFile = answered(lambda *_: f"Answer: A\nreply {next(count)}.")
    return study


def asked_about(endpoint: Any) -> Counter[str]:
    return Counter(str(request["messages"]) for request in endpoint.requests)


def test_the_second_is_refused_in_one_line(
    distinct: StudyFile, endpoint: Any, complete: Any
) -> None:
    """While one process asks a judge, another ends with exit code 2; the same command goes on."""
    path, hold = distinct.path, threading.Event()
    distinct.close()

    def behave(number: int, _: Any) -> Any:
        if number > 4:
            hold.wait(60)
        return complete("GRADE: C")

    endpoint.behave = behave
    first = started(path, endpoint.url)
    wait_for(lambda: len(endpoint.requests) > 4)
    second = started(path, endpoint.url)
    out, err = second.communicate(timeout=60)
    assert (second.returncode, out, len(err.strip().split("\n"))) == (2, "", 1)
    assert "tiny is asked under grade-neutral 1 by another process just now" in err
    hold.set()
    assert "24 of 24 judged" in first.communicate(timeout=60)[1]
    assert first.returncode == 0
    third = started(path, endpoint.url)
    assert "0 asked just now" in third.communicate(timeout=60)[1]
    assert asked_about(endpoint).total() == len(asked_about(endpoint)) == 24
    with open_study(path) as study:
        assert len(study.judges.last(1)) == 24
        assert list(judge_faults(study)) == []


def test_two_that_start_together(distinct: StudyFile, endpoint: Any, complete: Any) -> None:
    """Whoever comes first asks everything; the other is refused, or finds nothing left."""
    path = distinct.path
    distinct.close()
    endpoint.behave = lambda *_: complete("GRADE: C")
    both = [started(path, endpoint.url) for _ in range(2)]
    for each in both:
        each.communicate(timeout=60)
    codes = sorted(each.returncode for each in both)
    assert codes in ([0, 0], [0, 2])
    assert asked_about(endpoint).total() == len(asked_about(endpoint)) == 24
    with open_study(path) as study:
        assert len(study.judges.last(1)) == 24
        assert list(judge_faults(study)) == []


def test_what_another_judged_before_the_call_began_is_not_asked_again(
    distinct: StudyFile, endpoint: Any, complete: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between looking what is left and beginning, another process may have asked it all."""
    endpoint.behave = lambda *_: complete("GRADE: C")
    spec = parse_model(endpoint.url, api_model="tiny", temperature=0.0)
    begin = JudgeStore.begin

    def late(store: JudgeStore, *given: Any) -> int:
        monkeypatch.setattr(JudgeStore, "begin", begin)
        with open_study(distinct.path) as other:
            judge(other, spec, NEUTRAL, docket(other, [1]))
        return begin(store, *given)

    monkeypatch.setattr(JudgeStore, "begin", late)
    summary = judge(distinct, spec, NEUTRAL, docket(distinct, [1]))
    assert (summary.verdicts, summary.asked) == (24, 0)
    assert asked_about(endpoint).total() == len(asked_about(endpoint)) == 24
    assert list(judge_faults(distinct)) == []


def test_two_judges_at_once(distinct: StudyFile, endpoint: Any, complete: Any) -> None:
    """Processes with different judges of one panel work side by side."""
    path = distinct.path
    distinct.close()
    endpoint.behave = lambda *_: complete("GRADE: C")
    both = [started(path, endpoint.url, "--temperature", str(number)) for number in range(2)]
    for each in both:
        assert "24 of 24 judged" in each.communicate(timeout=60)[1]
        assert each.returncode == 0
    with open_study(path) as study:
        assert [len(study.judges.last(j.id)) for j in study.judges.all()] == [24, 24]
        assert list(judge_faults(study)) == []
