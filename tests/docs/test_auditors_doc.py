"""docs/auditors.md says what the screens and the lines do."""

from __future__ import annotations

import re
from pathlib import Path

from audit.plain import AuditTalk
from audit.verdict import FORM
from audit.wording import NAME
from ui.keys import SHIPPED

PAGE = Path(__file__).parents[2] / "docs" / "auditors.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_every_key_of_the_page_is_the_key_that_ships() -> None:
    """The table names the key of each command and verdict that an auditor needs."""
    for command in ("differences", "comment", "undo", "instructions", "help", "stop"):
        assert f"| `{SHIPPED.of(command)}` |" in TEXT
    for choice in FORM.questions[0].answers():
        assert f"| `{choice.key}` |" in TEXT


def test_every_word_of_the_page_is_a_command() -> None:
    """The words that are said to be commands are."""
    said = re.search(r"These words are\ncommands: (.*?)\"Saved", TEXT, re.DOTALL)
    assert said is not None
    commands = set(re.findall(r"`([a-z]+)`", said[1]))
    spoken = set(re.findall(r"\w+", " ".join(AuditTalk.keys(AuditTalk.__new__(AuditTalk)))))
    assert {"differences", "instructions"} <= commands <= spoken | {"keys"}


def test_the_picture_and_the_links_are_there() -> None:
    """The picture stands beside the page, and so do the pages that it sends its reader to."""
    for linked in re.findall(r"\]\(([a-z.]+)\)", TEXT):
        assert (PAGE.parent / linked).exists()
    assert f"`{NAME}`" in TEXT
