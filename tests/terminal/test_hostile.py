"""Texts that would break a careless screen, in a real terminal."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rich.cells import cell_len

from tests.terminal.tmux import Terminal
from tests.ui.studies import Planted

# text as drafted -> what must be readable of it
HOSTILE = {
    "open tag [/ here": "open tag [/ here",
    "[bold]x[/bold] stays": "[bold]x[/bold] stays",
    "[@click=app.quit]press[/] me": "[@click=app.quit]press[/] me",
    "red \x1b[31mred\x1b[0m and \x1b]0;pwned\x07 and \x9b2J": "red ␛[31mred␛[0m and ␛]0;pwned␇",
    "日本語の文章はここで折り返します。" * 4: "日本語の文章はここで折り返します。",
    "مرحبا بالعالم كيف الحال " * 6: "مرحبا بالعالم كيف الحال",
    "כל בני האדם נולדו בני חורין " * 6: "כל בני האדם נולדו בני חורין",
    "\u202eevil\u202c override": "‹RLO›evil‹PDF› override",
    "A 👨‍👩‍👧‍👦 family 👨‍👩‍👧‍👦👨‍👩‍👧‍👦 and 🇫🇷 flags": "family",
    "A heart ❤️ and a thumb 👍🏽 and a key 1️⃣ end": "end",
    " ".join(f"word{number}" for number in range(2000)): "word0 word1",
    "x" * 300 + " tail": "x" * 70,
    "tab\there\nand a new line": "and a new line",
}
RULE = "─" * 80


# As this tmux draws: three of a family's four in two cells, and a selected emoji in one.
FAMILY = "👨\u200d👩\u200d👧\u200d"


def cells(line: str) -> int:
    """Return how wide a line is that tmux shows."""
    return cell_len(line.replace(f"{FAMILY}👦", "()").replace(FAMILY, "()").replace("\ufe0f", ""))


def start(terminal: Terminal, study: Planted, command: str, role: str) -> None:
    terminal.wavelock(study.path, command)
    terminal.shows("Your access code")
    terminal.type(study.code(role))  # type: ignore[arg-type]
    terminal.keys("Enter")


def assert_straight(lines: list[str]) -> None:
    """The frame stands: header, three rules from edge to edge, keys, nothing too wide."""
    assert lines[0].startswith(" Wavelock")
    assert cells(lines[0]) == 79
    rules = [line for line in lines if line.startswith("──")]
    assert len(rules) == 3
    assert all(cells(rule) == 80 for rule in rules)
    assert lines[-2] == RULE
    assert lines[1] in rules
    assert "q stop" in lines[-1]
    assert all(cells(line) <= 80 for line in lines)


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_rating_hostile_texts(
    terminal: Terminal, planted: Callable[..., Planted], number: int
) -> None:
    """Each text is literal, its end can be reached, it is rated, and the frame is straight."""
    text, readable = list(HOSTILE.items())[number]
    study = planted(texts=[text] * 4, labels=("[/ label\x1b[31m", "标签 👨‍👩‍👧‍👦 ❤️ b"))
    start(terminal, study, "rate", "rater")
    terminal.shows("1 of 4", readable.split()[0], "q stop")
    lines = terminal.lines()
    assert readable in "\n".join(lines) or readable.split()[-1] in "\n".join(lines)
    assert_straight(lines)
    assert "[/ label␛[31m" in "\n".join(lines)
    if "more · PgDn" in "\n".join(lines):
        terminal.keys("NPage")
        terminal.shows("above")
        terminal.keys("End")
        terminal.shows("word1999")
        assert_straight(terminal.lines())
    terminal.keys("m")
    terminal.shows("Comment on item 1")
    terminal.keys("Escape")
    terminal.until(lambda screen: "Comment on item 1" not in screen)
    assert_straight(terminal.lines())
    terminal.keys("a", "4", "5")
    terminal.shows("Saved 1 ✓")
    assert_straight(terminal.lines())
    assert not [title for title in terminal.titles if "pwned" in title]


def test_auditing_hostile_texts(terminal: Terminal, planted: Callable[..., Planted]) -> None:
    """Side by side the texts are literal, and the line between them is straight."""
    study = planted(texts=list(HOSTILE))
    start(terminal, study, "audit", "auditor")
    for number in range(1, len(HOSTILE) + 1):
        terminal.shows(f"{number} of {len(HOSTILE)}", "Has exactly one fact changed")
        lines = terminal.lines()
        assert_straight(lines)
        parted = [line for line in lines[2:] if "│" in line]
        assert len({cells(line[: line.index("│")]) for line in parted}) <= 1
        terminal.keys("x")
        terminal.shows("[Today]")
        assert_straight(terminal.lines())
        terminal.keys("n" if number % 2 else "y")
        if number < len(HOSTILE):
            terminal.shows(f"Saved {number} ✓")
    terminal.shows("Thank you.")
    terminal.keys("q")
    assert terminal.ended() == 0


def test_nothing_stays_behind(terminal: Terminal, planted: Callable[..., Planted]) -> None:
    """Not a character of one item is left on the screen of the next, whatever its width."""
    texts = ["❤️ 👍🏽 👨‍👩‍👧‍👦 1️⃣ " * 12, "日本語の文章" * 40, "short", "❤️" * 30]
    study = planted(texts=texts)
    start(terminal, study, "rate", "rater")
    for number in range(1, 5):
        terminal.shows(f"{number} of 4", "Which would you do?")
        screen = terminal.screen()
        assert ("語" in screen) + ("❤" in screen) + ("short" in screen) == 1
        terminal.keys("a", "4", "5")
        if number < 4:
            terminal.shows(f"Saved {number} ✓")
