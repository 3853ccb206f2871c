"""What auditors are told: a text of the round, checked, with one that ships."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import audit.wording
from annotate.wording import load as load_texts
from audit.wording import NAME, load, paragraphs
from core.errors import InputError


def test_rehearsals_have_none_unless_a_folder_has(tmp_path: Path) -> None:
    """Practice, pilot and main have what ships; simulated people read nothing."""
    (tmp_path / NAME).write_text("Compare.\n", "utf-8")
    for kind in ("practice", "pilot", "main"):
        assert load(kind)[NAME].startswith("# What to do")  # type: ignore[arg-type]
    assert load("rehearsal") == {}
    assert load("rehearsal", tmp_path) == load("main", tmp_path) == {NAME: "Compare.\n"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b" \n", "line 1: it is empty"),
        (b"fine\nred \x1b[31m\n", "line 2: a control character"),
        (b"\xff", "cannot be read as UTF-8"),
    ],
)
def test_a_wrong_text_is_told_by_file_and_line(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    """Before any round is made of it."""
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(InputError, match=sentence):
        load("main", tmp_path)


def test_the_folder_of_raters_texts_may_hold_it(tmp_path: Path) -> None:
    """It is known beside theirs, and a misspelt name is still a fault that lists it."""
    (tmp_path / NAME).write_text("Compare.\n", "utf-8")
    assert NAME not in load_texts("main", tmp_path, others=(NAME,))
    (tmp_path / "auditting.md").write_text("Compare.\n", "utf-8")
    with pytest.raises(InputError, match=r"none of the texts; they are: .*auditing\.md"):
        load_texts("main", tmp_path, others=(NAME,))


def test_paragraphs_keep_every_word() -> None:
    """Only line breaks and the marks of headings and lists are taken away."""
    text = load("main")[NAME]
    assert " ".join(paragraphs(text)).replace("· ", "").split() == [
        word for word in text.split() if word not in ("#", "-")
    ]


def test_examples_in_the_text_are_true() -> None:
    """What the docstring shows is what happens."""
    assert doctest.testmod(audit.wording).failed == 0
