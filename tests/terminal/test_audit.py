"""Auditing in a real terminal: by keys alone, killed in the middle, small, without colour."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest

from tests.terminal.test_plain import by_pipe
from tests.terminal.tmux import Terminal
from tests.ui.studies import CANARIES, Planted

PAIRS = 8
TEXTS = [f"Pair number {n} in a few plain words. Should I go or stay?" for n in range(PAIRS)]


def stored(study: Planted) -> list[tuple[int, str, int]]:
    """Return the verdicts in the file, in the order of the list; read as another program would."""
    with closing(sqlite3.connect(study.path)) as file:
        return file.execute(
            "SELECT only_intended, note, differences FROM pair_audits "
            "JOIN pair_assignments ON pair_assignments.id = pair_audits.pair ORDER BY position"
        ).fetchall()


def enter(terminal: Terminal, study: Planted, place: int, **settings: dict[str, str]) -> str:
    terminal.wavelock(study.path, "audit", **settings)
    terminal.shows("Your access code")
    terminal.type(study.code("auditor"))
    terminal.keys("Enter")
    return terminal.shows(f"{place} of {PAIRS}", "Has exactly one fact changed", "q stop")


def pair(screen: str) -> list[str]:
    """Return the lines with the two texts."""
    return [line for line in screen.split("\n") if " │ " in line]


def test_a_whole_seat_by_keys_alone(terminal: Terminal, planted: Callable[..., Planted]) -> None:
    """From the code to the thanks; a note, a look at the words, a way back; no canary was seen."""
    study = planted(texts=TEXTS)
    seen = [enter(terminal, study, 1)]
    terminal.keys("x")
    seen.append(terminal.shows("[Today]"))
    terminal.keys("n")
    seen.append(terminal.shows("Saved 1 ✓", f"2 of {PAIRS}"))
    terminal.keys("Left")
    terminal.shows(f"1 of {PAIRS}")
    terminal.keys("m")
    terminal.shows("Note on pair 1")
    terminal.type("two facts, y and n")
    terminal.keys("Escape")
    terminal.until(lambda screen: "Note on pair" not in screen and "two facts" in screen)
    terminal.keys("Right")
    for number in range(2, PAIRS + 1):
        seen.append(terminal.shows(f"{number} of {PAIRS}"))
        terminal.keys("ny"[number % 2 == 0])
        if number < PAIRS:
            seen.append(terminal.shows(f"Saved {number} ✓"))
    seen.append(terminal.shows("Thank you.", "Saved ✓"))
    terminal.keys("q")
    assert terminal.ended() == 0
    assert [verdict for verdict, _, _ in stored(study)] == [0, 1, 0, 1, 0, 1, 0, 1]
    assert stored(study)[0] == (0, "two facts, y and n", 1)
    seen += [terminal.screen(), *terminal.titles]
    assert not [text for text in seen if any(canary in text for canary in CANARIES)]


@pytest.mark.parametrize("how", ["kill", "close"])
def test_killed_in_the_middle(
    terminal: Terminal, planted: Callable[..., Planted], how: str
) -> None:
    """Every acknowledged verdict is there, and one goes on at the same pair, the same way round."""
    study = planted(texts=TEXTS)
    enter(terminal, study, 1)
    for number in (1, 2, 3):  # the same key at once would count as held
        terminal.keys("yn"[number % 2])
        screen = terminal.shows(f"Saved {number} ✓", f"{number + 1} of {PAIRS}")
    getattr(terminal, how)()
    assert [verdict for verdict, _, _ in stored(study)] == [0, 1, 0]
    again = enter(terminal, study, 4)
    assert pair(again) == pair(screen) != []
    terminal.keys("y")
    terminal.shows("Saved 4 ✓")
    assert len(stored(study)) == 4


def test_a_small_terminal_and_back(terminal: Terminal, planted: Callable[..., Planted]) -> None:
    """At 40x10 the pair is stacked and nothing breaks; growing back it stands side by side."""
    study = planted(texts=TEXTS)
    enter(terminal, study, 1)
    terminal.keys("x")
    before = terminal.shows("[Today]")
    terminal.resize(40, 10)
    screen = terminal.until(lambda text: " │ " not in text and "q stop" in text)
    assert all(len(line) <= 40 for line in screen.split("\n"))
    terminal.resize(160, 48)
    terminal.until(lambda text: " │ " in text and "q stop" in text)
    terminal.resize(80, 24)
    terminal.until(lambda screen: screen == before)
    terminal.keys("y")
    terminal.shows("Saved 1 ✓")


def test_without_colour(terminal: Terminal, planted: Callable[..., Planted]) -> None:
    """Under NO_COLOR no colour is sent; the differing word is in brackets, bold, underlined."""
    study = planted(texts=TEXTS)
    enter(terminal, study, 1, environment={"NO_COLOR": "1", "WAVELOCK_THEME": ""})
    terminal.keys("x")
    terminal.shows("[Today]")
    styled = terminal.screen(styled=True)
    codes = re.findall(r"\x1b\[([0-9;]*)m", styled)
    colours = [part for code in codes for part in code.split(";") if part.isdigit()]
    assert not [part for part in colours if 30 <= int(part) <= 48 and part != "39"]
    marks = re.search(r"((?:\x1b\[[0-9;]*m)+)\[Today\]", styled)
    assert marks is not None
    assert {"1", "4"} <= set(re.findall(r"\d+", marks[1]))


def test_through_a_pipe(planted: Callable[..., Planted]) -> None:
    """A script audits a seat by lines; each Saved is one row, and no canary is told."""
    study = planted(texts=TEXTS)
    lines = ["differences", *["y", "n"] * (PAIRS // 2), "stop"]
    done = by_pipe(study, study.code("auditor"), *lines, command="audit")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Saved.\n") == PAIRS == len(stored(study))
    assert stored(study)[0] == (1, "", 1)
    assert "\x1b" not in done.stdout
    assert not [canary for canary in CANARIES if canary in done.stdout]
