"""A rater's whole way in a real terminal: every stage, killed and hung up, and gone on with."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest

from tests.terminal.test_plain import hear, piped, say
from tests.terminal.test_rate import stored
from tests.terminal.tmux import WAVELOCK, Terminal
from tests.ui.piloting import COMPLETION
from tests.ui.studies import CANARIES, PAGES, Planted

RIGHT = "bba"  # the keys of the right answers to the training that ships
RATED = '{"choice":"A","confidence":4,"naturalness":5}'
# What a willing person meets, and the key or line that goes on; an item takes three.
MEETS = (
    ("Do you agree to take part?", "y"),
    ("What to do", "next"),
    *((f"{n} of 3", key) for n, key in enumerate(RIGHT, start=1)),
    ("1 of 4", "item"), ("choose the second", "b"), ("2 of 4", "item"), ("the colour of", "c"),
    ("short break", "next"), ("3 of 4", "item"), ("4 of 4", "item"),
)  # fmt: skip


def enter(terminal: Terminal, study: Planted) -> None:
    terminal.wavelock(study.path, "rate")
    terminal.shows("Your access code")
    terminal.type(study.code())
    terminal.keys("Enter")


def go_on(terminal: Terminal, text: str, key: str) -> None:
    """Do what a willing person does with a page or an item, once it is there."""
    terminal.shows(text)
    if key == "item":
        terminal.shows(text, "Which would you do?")
        terminal.keys("a", "4", "5")
    elif key == "next":
        terminal.keys("Right")
    else:
        terminal.keys(key)
        if "of 3" in text:
            terminal.shows("Enter go on")
            terminal.keys("Right")


def hang_up(terminal: Terminal) -> None:
    terminal.close()


@pytest.mark.parametrize("end", [Terminal.kill, hang_up], ids=["SIGKILL", "hang-up"])
def test_every_stage_is_gone_on_with(
    terminal: Terminal, planted: Callable[..., Planted], end: Callable[[Terminal], None]
) -> None:
    """Ended at every page and item without warning: the same page again, nothing lost or twice."""
    study = planted(pages=PAGES)
    seen = []
    enter(terminal, study)
    for text, key in MEETS:
        if text == "short break":  # a restart is a pause
            continue
        seen.append(terminal.shows(text))
        end(terminal)
        enter(terminal, study)
        if text == "1 of 3":  # until training was begun, the instructions are shown again
            terminal.shows("What to do")
            terminal.keys("Right")
        go_on(terminal, text, key)
    seen.append(terminal.shows("All 4 items are rated", "Your completion code"))
    code = COMPLETION.search(terminal.screen())
    assert code
    end(terminal)
    enter(terminal, study)
    assert code[0] in terminal.shows("Your completion code")
    terminal.keys("q")
    assert terminal.ended() == 0
    assert stored(study) == [RATED] * 4
    seen += terminal.titles
    assert not [text for text in seen if any(canary in text for canary in CANARIES)]


def test_typing_ahead_consents_to_nothing(
    terminal: Terminal, planted: Callable[..., Planted]
) -> None:
    """What was typed with the code, before the consent text was there, is no answer to it."""
    study = planted(pages=PAGES)
    terminal.wavelock(study.path, "rate")
    terminal.shows("Your access code")
    terminal.type(study.code())
    terminal.keys("Enter", "y", "y", "Enter", "Enter")
    terminal.shows("Do you agree to take part?")
    terminal.keys("?")
    terminal.shows("All keys", "answer the question")
    terminal.keys("Escape")
    terminal.until(lambda screen: "All keys" not in screen)
    terminal.keys("n")
    terminal.shows("Thank you all the same")


@pytest.mark.parametrize("bracketed", [True, False])
def test_a_pasted_report_triggers_nothing(
    terminal: Terminal, planted: Callable[..., Planted], bracketed: bool
) -> None:
    """Lines, answer keys and q in a pasted report are text, and it is called saved."""
    study = planted()
    enter(terminal, study)
    terminal.shows("1 of 4", "Which would you do?")
    terminal.keys("!")
    terminal.shows("What is wrong with item 1?")
    terminal.paste("a45 quit\nq?m! 111", bracketed=bracketed)
    terminal.shows("a45 quit", "q?m! 111")
    terminal.keys("Escape")
    screen = terminal.shows("Your report is saved ✓")
    assert "[a]" not in screen


def test_a_page_in_a_small_terminal_and_back(
    terminal: Terminal, planted: Callable[..., Planted]
) -> None:
    """At 40x10 a page stays usable, and growing back shows it as it was."""
    study = planted(pages=PAGES)
    enter(terminal, study)
    terminal.shows("Do you agree", "2 lines more")
    terminal.keys("Down")
    before = terminal.shows("1 line above", "1 line more")
    terminal.resize(40, 10)
    screen = terminal.shows("Do you agree", "q stop")
    assert all(len(line) <= 40 for line in screen.split("\n"))
    terminal.resize(80, 24)
    terminal.until(lambda screen: screen == before)


def test_pages_without_colour(terminal: Terminal, planted: Callable[..., Planted]) -> None:
    """Under NO_COLOR no colour is sent for any page, and an answer can be told by its brackets."""
    study = planted(pages=PAGES)
    terminal.wavelock(study.path, "rate", environment={"NO_COLOR": "1", "WAVELOCK_THEME": ""})
    terminal.shows("Your access code")
    terminal.type(study.code())
    terminal.keys("Enter")
    styled = []
    for text, key in MEETS[:3]:
        terminal.shows(text)
        styled.append(terminal.screen(styled=True))
        if text != "1 of 3":
            go_on(terminal, text, key)
    terminal.keys("c")
    terminal.shows("[c]", "Not quite.")
    styled.append(terminal.screen(styled=True))
    codes = re.findall(r"\x1b\[([0-9;]*)m", "".join(styled))
    colours = [part for code in codes for part in code.split(";") if part.isdigit()]
    assert not [part for part in colours if 30 <= int(part) <= 48 and part != "39"]


@contextmanager
def going(study: Planted, *lines: str) -> Iterator[subprocess.Popen[str]]:
    with piped(study) as process:
        say(process, study.code(), *lines)
        yield process


def lines_for(text: str, key: str) -> tuple[str, ...]:
    """Return the lines that take a willing person past a stage."""
    if key == "item":
        return ("a", "4", "5")
    return ("",) if key == "next" else (key, "") if "of 3" in text else (key,)


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGHUP])
def test_every_stage_is_gone_on_with_in_lines(
    planted: Callable[..., Planted], ending: signal.Signals
) -> None:
    """The same way line by line, ended at every stage and gone on with there."""
    study = planted(pages=PAGES)
    for text, key in MEETS:
        if text == "short break":  # a restart is a pause
            continue
        before = ("",) if text == "1 of 3" else ()
        with going(study, *before) as process:
            hear(process, text)
            process.send_signal(ending)
            process.wait()
        with going(study, *before, *lines_for(text, key)) as process:
            hear(process, text)
            if key == "item":
                hear(process, "Saved.")
            assert process.stdin is not None
            process.stdin.close()
            process.wait()
    words = [str(WAVELOCK), "--study", str(study.path), "rate", "--plain"]
    done = subprocess.run(
        words, input=f"{study.code()}\nstop\n", capture_output=True, text=True, check=True
    )
    assert "All 4 items are rated" in done.stdout
    assert COMPLETION.search(done.stdout)
    assert stored(study) == [RATED] * 4


def test_a_waiting_line_gives_signs_of_life(planted: Callable[..., Planted]) -> None:
    """Two idle minutes later another window still has to ask: the line that waits is alive."""
    study = planted(pages=PAGES)
    program = (
        "import sys; from ui import source; from cli.main import main\n"
        "read = source.LineSource.line\n"
        "source.LineSource.line = lambda self, meanwhile: read(self, meanwhile, 0.05)\n"
        "main(sys.argv[1:])"
    )
    words = [str(WAVELOCK.with_name("python")), "-c", program, "--study", str(study.path)]
    process = subprocess.Popen(
        [*words, "rate", "--plain"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    with process:
        try:
            say(process, study.code())
            hear(process, "Do you agree to take part?")
            seen = {sign_of(study)}
            while len(seen) < 3:
                seen.add(sign_of(study))
        finally:
            process.kill()


def sign_of(study: Planted) -> str:
    with closing(sqlite3.connect(study.path)) as file:
        found: str = file.execute("SELECT seen_at FROM sittings WHERE ended_at IS NULL").fetchone()[
            0
        ]
    return found
