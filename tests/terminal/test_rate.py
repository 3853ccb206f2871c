"""Rating in a real terminal: by keys alone, killed in the middle, and never told too much."""

from __future__ import annotations

import itertools
import re
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.terminal.tmux import Terminal
from tests.ui.studies import CANARIES, Planted

ITEMS = 12
TEXTS = [f"Item number {n} in a few plain words. Should I go or stay?" for n in range(ITEMS)]
SAVED = re.compile(r"Saved (\d+) ✓")


def stored(study: Planted) -> list[str]:
    """Return the answers in the file, in the order of the list; read as another program would."""
    with closing(sqlite3.connect(study.path)) as file:
        return [
            row[0]
            for row in file.execute(
                "SELECT ratings.answers FROM ratings "
                "JOIN assignments ON assignments.id = ratings.assignment ORDER BY position"
            )
        ]


def enter(terminal: Terminal, study: Planted, place: int) -> None:
    terminal.wavelock(study.path, "rate")
    terminal.shows("Your access code")
    terminal.type(study.code())
    terminal.keys("Enter")
    terminal.shows(f"{place} of {ITEMS}", "Which would you do?")


def expected(number: int) -> tuple[str, str, str]:
    return "abcde"[number % 5], str(1 + number % 5), str(1 + (number + 2) % 5)


def test_a_whole_seat_by_keys_alone(terminal: Terminal, planted: Callable[..., Planted]) -> None:
    """From the code to the thanks without the mouse; all is in the file, no canary was seen."""
    study = planted(texts=TEXTS)
    enter(terminal, study, 1)
    seen = []
    for number in range(1, ITEMS + 1):
        seen.append(terminal.shows(f"{number} of {ITEMS}"))
        terminal.keys(*expected(number))
        if number < ITEMS:
            seen.append(terminal.shows(f"Saved {number} ✓", f"{number + 1} of {ITEMS}"))
    seen.append(terminal.shows("Thank you.", "Saved ✓"))
    terminal.keys("q")
    assert terminal.ended() == 0
    choices = ["A", "B", "both", "depends", "neither"]
    for number, answers in enumerate(stored(study), start=1):
        letter, sure, natural = expected(number)
        assert f'"choice":"{choices["abcde".index(letter)]}"' in answers
        assert f'"confidence":{sure},"naturalness":{natural}' in answers
    assert len(stored(study)) == ITEMS
    seen += [terminal.screen(), *terminal.titles]
    assert not [text for text in seen if any(canary in text for canary in CANARIES)]


@pytest.mark.parametrize("pause", [0.0, 0.02, 0.05, 0.11])
def test_killed_in_the_middle(
    terminal: Terminal, planted: Callable[..., Planted], pause: float
) -> None:
    """After SIGKILL every acknowledged answer is in the file, none by half, and one goes on there.

    Keys are typed without looking until the kill; what the last screen acknowledged must be there.
    """
    study = planted(texts=TEXTS)
    enter(terminal, study, 1)
    for number in itertools.count(1):
        terminal.keys("b", "4", "5")
        if number == 4:
            break
        terminal.shows(f"Saved {number} ✓")
    time.sleep(pause)
    acknowledged = SAVED.search(terminal.screen())
    terminal.kill()
    rows = stored(study)
    least = int(acknowledged[1]) if acknowledged else 3
    assert max(least, 3) <= len(rows) <= 4
    assert rows == ['{"choice":"B","confidence":4,"naturalness":5}'] * len(rows)
    enter(terminal, study, len(rows) + 1)
    terminal.keys("c", "1", "2")
    terminal.shows(f"Saved {len(rows) + 1} ✓")
    assert len(stored(study)) == len(rows) + 1


def test_a_hang_up_loses_nothing(terminal: Terminal, planted: Callable[..., Planted]) -> None:
    """Closing the terminal itself leaves every acknowledged answer in the file."""
    study = planted(texts=TEXTS)
    enter(terminal, study, 1)
    terminal.keys("a", "3", "3")
    terminal.shows("Saved 1 ✓")
    terminal.close()
    assert len(stored(study)) == 1
    enter(terminal, study, 2)


@pytest.mark.parametrize("bracketed", [True, False])
def test_pasted_text_triggers_nothing(
    terminal: Terminal, planted: Callable[..., Planted], bracketed: bool
) -> None:
    """A pasted comment with answer keys, q and line breaks is text, however it is pasted."""
    study = planted(texts=TEXTS)
    enter(terminal, study, 1)
    terminal.keys("m")
    terminal.shows("Comment on item 1")
    terminal.paste("a45 quit\nq?mx 111\nlast line", bracketed=bracketed)
    terminal.shows("a45 quit", "q?mx 111", "last line")
    terminal.keys("Escape")
    screen = terminal.until(lambda text: "Comment on item 1" not in text and "Comment:" in text)
    assert "[a]" not in screen
    terminal.keys("a", "4", "5")
    terminal.shows("Saved 1 ✓")
    with closing(sqlite3.connect(study.path)) as file:
        comments = file.execute("SELECT comment FROM ratings").fetchall()
    assert comments == [("a45 quit\nq?mx 111\nlast line",)]


def test_ctrl_c_exits_with_130(terminal: Terminal, planted: Callable[..., Planted]) -> None:
    """Ctrl-C leaves at once, with the code of an interrupted command, and the study goes on."""
    study = planted(texts=TEXTS)
    enter(terminal, study, 1)
    terminal.keys("a", "3", "3")
    terminal.shows("Saved 1 ✓")
    terminal.keys("C-c")
    assert terminal.ended() == 130
    enter(terminal, study, 2)


def test_without_colour(terminal: Terminal, planted: Callable[..., Planted]) -> None:
    """Under NO_COLOR no colour is sent, and what is in focus and what is given can be told."""
    study = planted(texts=TEXTS)
    terminal.wavelock(study.path, "rate", environment={"NO_COLOR": "1", "WAVELOCK_THEME": ""})
    terminal.shows("Your access code")
    terminal.type(study.code())
    terminal.keys("Enter")
    terminal.shows("Which would you do?")
    terminal.keys("b")
    terminal.shows("[b]", "▸ How sure are you?")
    codes = re.findall(r"\x1b\[([0-9;]*)m", terminal.screen(styled=True))
    colours = [part for code in codes for part in code.split(";") if part.isdigit()]
    assert not [part for part in colours if 30 <= int(part) <= 48 and part != "39"]


def test_a_small_terminal_and_back(terminal: Terminal, planted: Callable[..., Planted]) -> None:
    """At 40x10 nothing breaks, and growing back shows the screen as it was."""
    study = planted(texts=TEXTS)
    enter(terminal, study, 1)
    terminal.keys("b", "Down")
    terminal.shows("[b]", "▸ How natural does it read?")
    before = terminal.screen()
    terminal.resize(40, 10)
    screen = terminal.shows("▸ How natural does it read?", "q stop")
    assert all(len(line) <= 40 for line in screen.split("\n"))
    terminal.resize(80, 24)
    terminal.until(lambda screen: screen == before)
    terminal.keys("5", "4")
    terminal.shows("Saved 1 ✓")


def test_the_menu_in_a_terminal(terminal: Terminal, planted: Callable[..., Planted]) -> None:
    """``wavelock`` alone opens the menu; a newcomer practises and is back by keys alone."""
    study = planted(kind="practice")
    terminal.wavelock(study.path)
    terminal.shows("Practise rating")
    terminal.keys("p")
    terminal.shows("Your access code for coming back")
    terminal.keys("Enter")
    terminal.shows("1 of 4")
    terminal.keys("a", "4", "5")
    terminal.shows("Saved 1 ✓")
    terminal.keys("q")
    terminal.shows("Practise rating")
    terminal.keys("q")
    assert terminal.ended() == 0


def test_the_number_pad_answers(terminal: Terminal, planted: Callable[..., Planted]) -> None:
    """Digits of the number pad count, in the form that terminals send in application mode."""
    study = planted(texts=TEXTS)
    enter(terminal, study, 1)
    terminal.keys("b")
    terminal.shows("▸ How sure are you?")
    terminal.type("\x1bOt")
    terminal.shows("[4]")
    terminal.type("\x1bOs")
    terminal.shows("Saved 1 ✓")
    assert stored(study) == ['{"choice":"B","confidence":4,"naturalness":3}']


def test_settings_from_a_file(
    terminal: Terminal, planted: Callable[..., Planted], tmp_path: Path
) -> None:
    """Mapped keys reach the screen; a fault in the file is one line before any screen."""
    study, path = planted(texts=TEXTS), tmp_path / "settings.toml"
    path.write_text('[keys]\nstop = "f12"\ncomment = "é"\n', encoding="utf-8")
    setting = {"environment": {"WAVELOCK_SETTINGS": str(path)}}
    terminal.wavelock(study.path, "rate", **setting)
    terminal.shows("Your access code")
    terminal.type(study.code())
    terminal.keys("Enter")
    terminal.shows("é comment", "F12 stop")
    terminal.keys("F12")
    assert terminal.ended() == 0
    path.write_text("theme = 1\n")
    terminal.wavelock(study.path, "rate", **setting)
    assert terminal.ended() == 2
    told = "".join(terminal.screen().split())  # the terminal has broken the line
    assert "keytheme:mustbeatext" in told
