"""Grading from end to end in a real terminal: two graders by keys alone, and their agreement."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

from db.file import open_study
from tests.annotate.graded import LONG, with_responses
from tests.terminal.tmux import WAVELOCK, Terminal
from tests.ui.studies import CANARIES

SIZE = 6
HELD = 0.7
LETTERS = {"correct": "a", "incorrect": "b", "ambiguous": "c"}


def wavelock(path: Path, *words: object) -> str:
    command = [str(word) for word in (WAVELOCK, "--study", path, *words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def grade(terminal: Terminal, path: Path, code: str, keys: str) -> list[str]:
    """Grade everything on a list with these keys, and return what was seen."""
    terminal.wavelock(path, "rate")
    terminal.shows("Your access code")
    terminal.type(code)
    terminal.keys("Enter")
    seen = [terminal.shows("What to do")]
    terminal.keys("Right")
    for number, key in enumerate(keys, start=1):
        seen.append(terminal.shows(f"{number} of {SIZE}", "Response ━", "Is the response correct?"))
        time.sleep(HELD)  # the same key again at once would be a key that is held
        terminal.keys(key)
        if number < SIZE:
            seen.append(terminal.shows(f"Saved {number} ✓", f"{number + 1} of {SIZE}"))
    seen.append(terminal.shows("Thank you", "Saved ✓"))
    terminal.keys("q")
    assert terminal.ended() == 0
    return seen


def test_two_graders_and_their_agreement(terminal: Terminal, tmp_path: Path) -> None:
    """Sampled, opened, graded, closed, verified; what they agree on is what they typed."""
    path = tmp_path / "study.db"
    with_responses(path).close()
    sampled = wavelock(
        path, "grading", "sample", "humans", "--runs", "1,2", "--kind", "practice", "--json",
        "--quota", "correct=3", "--quota", "incorrect=3", "--stratify", "verdict,condition",
    )  # fmt: skip
    codes = [row["code"] for row in json.loads(sampled)["rows"]]
    wavelock(path, "round", "open", "humans")
    with open_study(path) as study:
        campaign = study.rounds.named("humans")
        sample = study.gradings.of_round(campaign.id)
        assert sample is not None
        verdicts = {each.response: each.verdict for each in sample.drawn}
        lists = [
            [verdicts[each.response or 0] for each in study.rounds.assignments(seat.id)]
            for seat in study.rounds.seats(campaign.id)
        ]
    typed = ["".join(LETTERS[verdict] for verdict in mine) for mine in lists]
    seen = grade(terminal, path, codes[0], typed[0])
    seen += grade(terminal, path, codes[1], "c" * SIZE)
    seen += [terminal.screen(), *terminal.titles]
    assert not [text for text in seen if any(canary in text for canary in CANARIES)]
    assert not [text for text in seen if "scripted" in text or "verdict" in text]
    wavelock(path, "round", "close", "humans")
    judged = json.loads(
        wavelock(path, "grading", "agreement", "humans", "--table", "judge", "--json")
    )
    cut = [row for row in judged["rows"] if row["on"] == "cut"]
    assert [(row["agree"], row["of"]) for row in cut] == [(6, 6), (3, 6), (9, 12)]
    assert "practice round" in judged["title"]
    assert "ok:" in subprocess.run(
        [str(WAVELOCK), "--study", str(path), "ledger", "verify"],
        capture_output=True, text=True, check=True,
    ).stderr  # fmt: skip


def test_a_long_response_is_read_to_its_end(terminal: Terminal, tmp_path: Path) -> None:
    """At 80x24 a response that does not fit says so, scrolls by keys, and keeps its bar."""
    path = tmp_path / "study.db"
    with_responses(path, said=(LONG,), judges=()).close()
    sampled = wavelock(
        path, "grading", "sample", "humans", "--runs", "1", "--kind", "practice", "--size", "4",
        "--stratify", "condition", "--json",
    )  # fmt: skip
    wavelock(path, "round", "open", "humans")
    terminal.wavelock(path, "rate")
    terminal.shows("Your access code")
    terminal.type(json.loads(sampled)["rows"][0]["code"])
    terminal.keys("Enter")
    terminal.shows("What to do")
    terminal.keys("Right")
    terminal.shows("┏━ Response ━", "┃ Line 1 of a long reply.", "lines more · PgDn")
    terminal.keys("End")
    screen = terminal.shows("┃ Line 40 of a long reply.", "lines above")
    assert "Line 1 of" not in screen
    terminal.keys("Home")
    terminal.shows("┃ Line 1 of a long reply.")
    terminal.keys("q")
    assert terminal.ended() == 0
