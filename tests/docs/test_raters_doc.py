"""docs/raters.md says what the screens and the lines do."""

from __future__ import annotations

import re
from pathlib import Path

from annotate.talk import RatingTalk
from core.settings import COMMANDS, parse_settings
from ui.keys import SHIPPED

PAGE = Path(__file__).parents[2] / "docs" / "raters.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_settings_on_the_page_are_valid() -> None:
    """Who copies the example gets no error, and the keys that it names."""
    example = re.search(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    assert example is not None
    found = parse_settings(example[1], "raters.md")
    assert (found.auto_advance, found.commands["stop"]) == (False, "f12")


def test_every_key_of_the_page_is_the_key_that_ships() -> None:
    """The table names the key of each command that a rater needs."""
    for command in ("undo", "comment", "help", "stop"):
        assert f"| `{SHIPPED.of(command)}` |" in TEXT
    assert set(COMMANDS) >= {"back", "next", "up", "down"}
    assert "| ← → |" in TEXT


def test_every_word_of_the_page_is_a_command() -> None:
    """The words that are said to be commands are."""
    said = re.search(r"These words are commands: (.*?)\"Saved", TEXT, re.DOTALL)
    assert said is not None
    commands = set(re.findall(r"`([a-z]+)`", said[1]))
    spoken = set(re.findall(r"\w+", " ".join(RatingTalk.keys(RatingTalk.__new__(RatingTalk)))))
    assert commands
    assert commands <= spoken | {"keys"}


def test_the_picture_is_there() -> None:
    """The one picture stands beside the page."""
    assert (PAGE.parent / "rating.svg").exists()
