"""The texts of a round: they ship, they can be written, and every fault has its file and line."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.places import check_places
from annotate.wording import NAMES, load, parse
from core.errors import InputError
from core.study import RoundKind

TRAINING = """pass_mark = 1
tries = 2
repeat = "again"
failed = "sorry"

[[item]]
id = "a"
text = "which?"
choices = ["one", "two"]
right = "two"
feedback = "because"
"""


@pytest.mark.parametrize("kind", get_args(RoundKind))
def test_every_kind_of_round_has_its_pages(kind: RoundKind) -> None:
    """Practice skips consent and training, rehearsals everything; all that ships is sound."""
    words = parse(load(kind))
    assert bool(words.consent) == bool(words.training) == (kind in ("pilot", "main"))
    assert (
        bool(words.instructions) == bool(words.checks) == bool(words.end) == (kind != "rehearsal")
    )


def test_shipped_texts_hold_no_name() -> None:
    """Nothing that ships asks for a name or a contact, or names one."""
    told = " ".join(load("main").values()).lower()
    assert not re.search(r"@|https?:|telephone|e-mail", told)


def test_files_of_ones_own_stand_in(tmp_path: Path) -> None:
    """A file takes the place of what ships; where there is none, what ships stays."""
    (tmp_path / "consent.md").write_text("# Mine\n", "utf-8")
    (tmp_path / "training.toml").write_text(TRAINING, "utf-8")
    (tmp_path / ".hidden").write_text("", "utf-8")
    found = load("main", tmp_path)
    assert found.keys() == set(NAMES)
    words = parse(found)
    assert words.consent == "# Mine\n"
    assert words.training
    assert (words.training.tries, words.training.items[0].right) == (2, "two")
    assert parse(load("practice", tmp_path)).consent == "# Mine\n"


FAULTS = {
    "a misspelt name": ("consnet.md", "x", "consnet.md is none of the texts"),
    "an empty file": ("end.md", " \n", r"end.md, line 1: it is empty"),
    "a control character": ("end.md", "a\n\x1b[31mred", r"end.md, line 2: a control character"),
    "no TOML": ("breaks.toml", "every =", r"breaks.toml, line 1: not TOML"),
    "a key twice": (
        "breaks.toml",
        'every = 1\nevery = 2\ntext = "x"',
        "line 2: not TOML: a key is given",
    ),
    "an unknown field": (
        "breaks.toml",
        'every = 1\ntext = "x"\nafter = 2',
        "line 3: unknown field 'after'",
    ),
    "a wrong type": (
        "breaks.toml",
        'every = "5"\ntext = "x"',
        "line 1: every must be a whole number",
    ),
    "a truth for a number": (
        "breaks.toml",
        'every = true\ntext = "x"',
        "every must be a whole number",
    ),
    "a negative number": ("breaks.toml", 'text = "x"\nevery = -1', "line 2: every must be"),
    "a missing field": ("breaks.toml", "every = 1", "text is missing"),
    "a pass mark that nobody reaches": (
        "training.toml",
        TRAINING.replace("mark = 1", "mark = 2"),
        "line 1: the pass mark must lie",
    ),
    "no try": ("training.toml", TRAINING.replace("tries = 2", "tries = 0"), "line 2: everybody"),
    "a right answer that is not offered": (
        "training.toml",
        TRAINING.replace('right = "two"', 'right = "three"'),
        "line 10: right must be",
    ),
    "one choice": (
        "training.toml",
        TRAINING.replace('["one", "two"]', '["two"]'),
        "line 9: there must",
    ),
    "two choices alike": (
        "training.toml",
        TRAINING.replace('"one"', '"two"'),
        "line 9: there must be two to nine",
    ),
    "a choice that is no text": (
        "training.toml",
        TRAINING.replace('"one"', "1"),
        "line 9: every choice",
    ),
    "an item without feedback": (
        "training.toml",
        TRAINING.replace('feedback = "because"\n', ""),
        "feedback is missing",
    ),
    "an id twice": (
        "training.toml",
        TRAINING + TRAINING[TRAINING.index("[[item]]") :],
        "the id 'a' is given twice",
    ),
    "no items": ("checks.toml", "apart = 1\nitem = []", "line 2: there is no item"),
    "an item that is no table": ("checks.toml", "apart = 1\nitem = [1]", "this must be a table"),
    "checks on top of each other": (
        "checks.toml",
        'apart = 0\n[[item]]\nid = "a"\ntext = "t"\nchoices = ["x", "y"]\nright = "x"',
        "line 1: at least one item",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_has_its_file_and_line(tmp_path: Path, fault: str) -> None:
    """Whatever is wrong with a text is said when it is loaded, and where."""
    name, content, told = FAULTS[fault]
    (tmp_path / name).write_text(content, "utf-8")
    with pytest.raises(InputError, match=told) as caught:
        load("main", tmp_path)
    assert str(tmp_path) in str(caught.value)


def test_a_folder_that_is_none_is_named(tmp_path: Path) -> None:
    """Texts come from a folder, in UTF-8, and nowhere else."""
    with pytest.raises(InputError, match="is no folder with texts"):
        load("main", tmp_path / "none")
    (tmp_path / "end.md").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="cannot be read as UTF-8"):
        load("main", tmp_path)


@given(
    seed=st.integers(0, 2**63), seat=st.integers(1, 500), total=st.integers(0, 300),
    checks=st.integers(0, 12), apart=st.integers(1, 60),
)  # fmt: skip
def test_checks_keep_their_distance(**draw: Any) -> None:
    """Never before the first item, never behind the last, never too close, always the same."""
    places = check_places(**draw)
    assert places == check_places(**draw)
    assert all(2 <= place <= draw["total"] for place in places)
    assert all(b - a >= draw["apart"] for a, b in pairwise(places))
    assert len(places) == max(0, min(draw["checks"], (draw["total"] - 1) // draw["apart"]))


def test_checks_can_be_expected_anywhere() -> None:
    """Over many seats every place of the list gets about as many checks as any other."""
    counts = [0] * 42
    for seat in range(8_000):
        for place in check_places(seed=3, seat=seat, total=41, checks=1, apart=10):
            counts[place] += 1
    assert min(counts[2:]) > 140
    assert max(counts[2:]) < 260
    assert counts[:2] == [0, 0]
