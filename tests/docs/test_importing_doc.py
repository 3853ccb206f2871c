"""docs/importing.md: its names, formats, options and bounds are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

from cli.export_prompts import command as export_prompts
from cli.import_outputs import command as import_outputs
from evals.imports.archive import MEMBER
from evals.imports.examining import LISTED
from evals.imports.files import LINE, MB, WHOLE
from evals.imports.rows import NAMES

PAGE = (Path(__file__).parents[2] / "docs" / "importing.md").read_text("utf-8")


def section(name: str) -> str:
    return re.split(r"^## ", PAGE.split(f"## {name}")[1], flags=re.MULTILINE)[0]


def test_every_name_of_a_column_is_explained() -> None:
    """The table has each name that --columns knows, and no other."""
    rows = re.findall(r"^\| (`.*?) \| ", section("Outputs in"), re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(set(named) - {"columns"}) == sorted(NAMES)


def test_every_option_of_the_page_is_one() -> None:
    """Whatever the page has after two dashes, one of its two commands takes."""
    known = {option for command in (import_outputs, export_prompts)
             for parameter in command.params for option in parameter.opts}  # fmt: skip
    theirs = {"--log_samples", "--apply_chat_template", "--to", "--replicates"}
    ours = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", PAGE)) - theirs - {"--columns"}
    assert ours <= known | {"--columns"}


def test_the_bounds_are_those_of_the_code() -> None:
    """Megabytes and numbers of rows."""
    bounds = section("Bounds")
    assert f"One record may have {LINE // MB} MB" in bounds
    assert f"a member of a log {MEMBER // MB} MB" in bounds
    assert f"{WHOLE // MB} MB" in bounds
    assert f"up to {LISTED:,} of each kind" in " ".join(PAGE.split())
