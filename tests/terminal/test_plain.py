"""Line by line: through a pipe, in a terminal that cannot draw, killed, and stopped."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.terminal.test_rate import ITEMS, TEXTS, expected, stored
from tests.terminal.tmux import WAVELOCK, Terminal
from tests.ui.studies import CANARIES, Planted


def by_pipe(study: Planted, *lines: str, command: str = "rate") -> subprocess.CompletedProcess[str]:
    words = [WAVELOCK, "--study", study.path, command, "--plain"]
    given = "".join(f"{line}\n" for line in lines)
    return subprocess.run(words, input=given, capture_output=True, text=True, check=False)


@contextmanager
def piped(study: Planted) -> Iterator[subprocess.Popen[str]]:
    """Start a process at both ends of a pipe, and end it whatever happens."""
    words = [str(WAVELOCK), "--study", str(study.path), "rate", "--plain"]
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def say(process: subprocess.Popen[str], *lines: str) -> None:
    assert process.stdin is not None
    process.stdin.write("".join(f"{line}\n" for line in lines))
    process.stdin.flush()


def hear(process: subprocess.Popen[str], text: str) -> None:
    """Read until a line with a text has come."""
    assert process.stdout is not None
    for line in process.stdout:
        if text in line:
            return
    raise AssertionError(f"{text!r} never came")


def test_a_whole_seat_through_a_pipe(planted: Callable[..., Planted]) -> None:
    """A script rates a seat; each Saved is one row, no byte moves a cursor, no canary is told."""
    study = planted(texts=[*TEXTS[1:], "a \x1b[31mred\x07 text"])
    lines = [key for number in range(1, ITEMS + 1) for key in expected(number)]
    done = by_pipe(study, study.code(), *lines, "stop")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Saved.\n") == ITEMS == len(stored(study))
    assert "a ␛[31mred␇ text" in done.stdout
    assert done.stdout.replace("\n", "").isprintable()
    assert not any(canary in done.stdout for canary in CANARIES)
    for number, answers in enumerate(stored(study), start=1):
        _, sure, natural = expected(number)
        assert f'"confidence":{sure},"naturalness":{natural}' in answers


def test_killed_and_taken_up_again(planted: Callable[..., Planted]) -> None:
    """After SIGKILL every acknowledged answer is in the file, and one goes on at the next item."""
    study = planted(texts=TEXTS)
    with piped(study) as process:
        say(process, study.code(), "b", "4", "5", "b", "4", "5", "b", "4")
        hear(process, "Saved.")
        hear(process, "Saved.")
        process.send_signal(signal.SIGKILL)
    assert len(stored(study)) == 2
    done = by_pipe(study, study.code(), "b", "4", "5")
    assert f"Item 3 of {ITEMS}." in done.stdout
    assert stored(study) == ['{"choice":"B","confidence":4,"naturalness":5}'] * 3


def test_ctrl_c_ends_with_130(planted: Callable[..., Planted]) -> None:
    """An interrupt leaves at once with the code of an interrupted command; what is saved stays."""
    study = planted(texts=TEXTS)
    with piped(study) as process:
        say(process, study.code(), "b", "4", "5", "a")
        hear(process, "Saved.")
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert process.stderr is not None
        assert "wavelock: interrupted; what was saved is kept" in process.stderr.read()
    assert len(stored(study)) == 1


@pytest.mark.parametrize("command", ["rate", "audit"])
def test_the_end_of_the_input_is_no_error(planted: Callable[..., Planted], command: str) -> None:
    """Nothing typed at all, or nothing after the code: exit code 0."""
    study = planted(texts=TEXTS)
    code = study.code("rater" if command == "rate" else "auditor")
    assert by_pipe(study, command=command).returncode == 0
    assert by_pipe(study, code, command=command).returncode == 0


def test_what_is_lost_at_the_end_is_named(planted: Callable[..., Planted]) -> None:
    """A script that ends in the middle of an item is told which one is not saved."""
    done = by_pipe(study := planted(texts=TEXTS), study.code(), "a")
    assert "Not saved, because it is not complete: item 1." in done.stdout


def test_a_wrong_code_from_a_script_is_bad_input(planted: Callable[..., Planted]) -> None:
    """Nobody types it again, so the script hears of it: one line, exit code 2."""
    done = by_pipe(planted(texts=TEXTS), "AAAA-BBBBBBBB", "a", "4", "5")
    assert done.returncode == 2
    assert done.stderr == "wavelock: that access code is not known; check it and type it again\n"


def test_a_locale_without_letters_is_no_error(planted: Callable[..., Planted]) -> None:
    """A pipe gets every letter, whatever the locale, and bytes that are no text are no answer."""
    study = planted(texts=["日本語 – text"] * ITEMS)
    words = [str(WAVELOCK), "--study", str(study.path), "rate", "--plain"]
    setting = {**os.environ, "PYTHONIOENCODING": "ascii:strict", "PYTHONUTF8": "0"}
    given = f"{study.code()}\n".encode() + b"\xff\xfe\na\n4\n5\n"
    done = subprocess.run(words, input=given, capture_output=True, env=setting, check=False)
    assert done.returncode == 0, done.stderr
    assert "日本語 – text" in done.stdout.decode()
    assert len(stored(study)) == 1


def test_a_terminal_that_cannot_draw(terminal: Terminal, planted: Callable[..., Planted]) -> None:
    """Where TERM=dumb the lines come by themselves; a wrong code can be typed again."""
    study = planted(texts=TEXTS)
    terminal.start("env", "TERM=dumb", WAVELOCK, "--study", study.path, "rate")
    terminal.shows("Your access code:")
    terminal.type("wrong")
    terminal.keys("Enter")
    terminal.shows("that access code is not known")
    terminal.type(study.code())
    terminal.keys("Enter")
    for key in ("a", "4", "5"):
        terminal.shows("Answer:")
        terminal.keys(key, "Enter")
    terminal.shows("Saved.", f"Item 2 of {ITEMS}.")
    terminal.keys("C-c")
    assert terminal.ended() == 130
    assert len(stored(study)) == 1
