from __future__ import annotations

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from db.file import open_study
from evals.choices.routes import FORCED
from tests.evals.ordeal import WAVELOCK, mock

LETTERS = ("--answers", "letters")


@pytest.fixture
def study(demo_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(demo_folder / "study.db", tmp_path / "study.db"))


def test_asking_and_showing(wavelock: Any, study: Path) -> None:
    """A wave is scored, again without a request, and shown in every form."""
    asked = ("--study", study, "choices", "ask", "--model", "scripted", "--answers", "letters")
    dry = wavelock(*asked, "--dry-run")
    assert (dry.code, dry.err) == (0, "")
    assert dry.out.startswith("scripted, forced tokens: 30 items, 120 forward calls over")
    done = wavelock(*asked)
    assert (done.code, done.out) == (0, "")
    assert "setup 1 (scripted, forced tokens): 30 of 30 items scored" in done.err
    assert "next: wavelock choices show 1" in done.err
    assert "0 items asked just now" in wavelock(*asked).err
    (row,) = json.loads(wavelock("--study", study, "choices", "status", "--json").out)["rows"]
    assert (row["items"], row["scored"], row["route"]) == (30, 30, FORCED)
    shown = wavelock("--study", study, "choices", "show", "--replicates", 50)
    flat = " ".join(shown.out.split())
    assert "setup 1: scripted, forced tokens, scripted-choices-1, build" in flat
    assert "(simulated ratings; a fake, no model; exploratory)" in flat
    assert "no interval over tokens or repeats exists" in flat
    items = wavelock("--study", study, "choices", "show", "--table", "items", "--csv")
    rows = list(csv.DictReader(io.StringIO(items.out)))
    assert len(rows) == 30
    for each in rows:
        s = float(each["heuristic_logprob"]) - float(each["heavy_logprob"])
        assert float(each["s"]) == pytest.approx(s)
        assert {each["heavy_word"], each["heuristic_word"]} == {"A", "B"}
    shift = json.loads(
        wavelock("--study", study, "choices", "show", "1", "--table", "shift", "--json").out
    )
    assert shift["rows"][-1]["scenario"] == "mean"
    spelled = wavelock("--study", study, "choices", "show", "--table", "variants", "--json")
    assert len(json.loads(spelled.out)["rows"]) == 120
    assert wavelock("--study", study, "ledger", "verify").code == 0
    ledger = wavelock("--study", study, "ledger", "show")
    assert "setup 1 (scripted) began call 1 for choice probabilities" in ledger.out


def test_a_part_of_a_wave_and_words_of_ones_own(wavelock: Any, study: Path) -> None:
    """Conditions, waves, anchor and variants narrow down and change what is asked."""
    words = ("--answers", "heavy=Drive,heuristic=Walk", "--anchor", r"\nAnswer:")
    done = wavelock(
        "--study", study, "choices", "ask", "--model", "scripted", *words, "--wave", 1,
        "--conditions", "Active", "--variants", "space,lower",
    )  # fmt: skip
    assert "15 of 15 items scored" in done.err
    with open_study(study) as found:
        (setup,) = found.choices.all()
        assert setup.config["anchor"] == "\nAnswer:"
        assert setup.config["variants"] == ["space", "lower"]
        assert {a.word for s in found.choices.last(1) for a in s.answers} == {"Drive", "Walk"}
        assert {len(a.variants) for s in found.choices.last(1) for a in s.answers} == {2}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("ask", *LETTERS, "--model", "nobody"), "“nobody” is no model"),
        (("ask", "--model", "scripted", "--answers", "heavy=Drive"), "one answer is no choice"),
        (("ask", "--model", "scripted", "--answers", "heavy=,heuristic=b"), "is empty"),
        (("ask", "--model", "scripted", "--answers", "x=a,y=b"), "has no option “x”"),
        (("ask", "--model", "scripted", "--answers", "heavy=a,heuristic=a"), "written “a”"),
        (
            ("ask", *LETTERS, "--model", "scripted", "--variants", "loud"),
            "there is no variant “loud”",
        ),
        (("ask", *LETTERS, "--model", "scripted", "--conditions", "Actve"), "Actve"),
        (("ask", *LETTERS, "--model", "scripted", "--waves", "7"), "there is no wave 7"),
        (("ask", *LETTERS, "--model", "http://127.0.0.1:9", "--api-model", "m"), "no connection"),
        (("ask", *LETTERS), "Missing option '--model'"),
        (("ask", "--model", "scripted"), "Missing option '--answers'"),
        (("show",), "no choice probabilities yet"),
        (("show", "3"), "there is no setup 3"),
        (("curves", "1", "--cue", "d", "--conflict", "a", "--control", "b"), "no setup 1"),
        (("shwo",), "shwo"),
    ],
)
def test_bad_input_is_one_line(wavelock: Any, study: Path, arguments: Any, told: str) -> None:
    """Exit code 2, nothing on standard output, nothing in the study."""
    done = wavelock("--study", study, "choices", *arguments)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert "Traceback" not in done.err
    with open_study(study) as found:
        assert found.choices.all() == ()


def test_two_builds_are_refused_together_and_shown_apart(wavelock: Any, study: Path) -> None:
    """The fake and an endpoint are two builds; each alone is shown."""
    asked = ("--study", study, "choices", "ask", "--answers", "letters", "--model")
    assert wavelock(*asked, "scripted").code == 0
    with mock("--prompt-logprobs", "vllm") as served:
        assert wavelock(*asked, served.url).code == 0
    together = wavelock("--study", study, "choices", "show")
    assert (together.code, together.out) == (2, "")
    assert "setups 1 and 2 are two builds (they differ in route" in together.err
    assert "neither compared nor pooled" in together.err
    for number in (1, 2):
        assert wavelock("--study", study, "choices", "show", number).code == 0


def test_an_endpoint_that_ignores_echo_is_refused(wavelock: Any, study: Path) -> None:
    with mock("--prompt-logprobs", "ignores-echo") as served:
        done = wavelock("--study", study, "choices", "ask", *LETTERS, "--model", served.url)
    assert (done.code, done.out, len(done.err.strip().splitlines())) == (2, "", 1)
    assert "gives no choice probabilities: echo is accepted and ignored" in done.err


def test_failures_end_with_1_and_are_asked_again(
    wavelock: Any, study: Path, tmp_path: Path
) -> None:
    """Answers that are no JSON leave failed items; the same command fills them in."""
    faults = tmp_path / "faults.toml"
    faults.write_text("[faults]\nrubbish = 0.04\n")
    asked = ("--study", study, "choices", "ask", "--answers", "letters", "--model")
    with mock("--faults", str(faults)) as served:
        first = wavelock(*asked, served.url)
        assert first.code == 1
        assert "failed (S" in first.err
        assert "the answer is no JSON object); the same command tries again" in first.err
        codes = [wavelock(*asked, served.url).code for _ in range(4)]
        assert codes[-1] == 0, codes
    with open_study(study) as found:
        assert {score.state for score in found.choices.last(1)} == {"ok"}
        assert len(found.choices.last(1)) == 30
    assert wavelock("--study", study, "ledger", "verify").code == 0


def test_ctrl_c_leaves_130_and_loses_nothing(wavelock: Any, study: Path) -> None:
    """What is in flight is kept, the call ends as interrupted, and the same command goes on."""
    with mock("--delay", "0.05") as served:
        asked = ["choices", "ask", "--answers", "letters", "--model", served.url]
        child = subprocess.Popen(
            [WAVELOCK, "--study", study, *asked, "--workers", "1"],
            stderr=subprocess.PIPE, env={**os.environ, "PYTHON": sys.executable},
        )  # fmt: skip
        with closing(open_study(study)) as watched:
            deadline = time.monotonic() + 60
            while not any(watched.choices.last(each.id) for each in watched.choices.all()):
                assert child.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.02)
            child.send_signal(signal.SIGINT)
            _, err = child.communicate(timeout=60)
            assert child.returncode == 130, err
            kept = watched.choices.last(1)
            assert 0 < len(kept) < 30
            assert all(score.state == "ok" for score in kept)
            assert watched.choice_seals.calls()[0].ended == "interrupted"
        assert wavelock("--study", study, *asked).code == 0
    assert wavelock("--study", study, "ledger", "verify").code == 0
