"""docs/grading.md names what exists, and explains every option of the commands."""

from __future__ import annotations

import re
from pathlib import Path

from cli.grading import command
from suites.forms import names

TEXT = (Path(__file__).parents[2] / "docs" / "grading.md").read_text("utf-8")


def test_every_option_that_is_written_exists() -> None:
    known = {option for each in command.commands.values() for p in each.params for option in p.opts}
    written = set(re.findall(r"`(--[a-z-]+)", TEXT))
    assert written - known <= {"--plain", "--json", "--csv"}


def test_every_table_of_the_agreement_is_there() -> None:
    """The example shows the tables that it says it shows."""
    for heading in ("agreement of 2 graders", "against the verdict", "The consensus of", "says of"):
        assert heading in TEXT
    assert "practice round" in TEXT
    assert {"grading", "compliance"} <= set(names())
