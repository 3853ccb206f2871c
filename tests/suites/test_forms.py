"""The forms of the papers, and those that people bring."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import InputError, NotFound
from core.forms import form_from_json, form_to_json
from suites import registry
from suites.core100.suite import SUITE
from suites.forms import load, names, require_fit

SHIPPED = Path(__file__).parents[2] / "suites" / "forms"


def test_the_forms_of_the_four_papers_ship() -> None:
    """There is one form per kind of human judgment in the papers, and none is taken for a suite."""
    assert names() == ("compliance", "core100", "grading", "wise")
    assert set(registry.names()).isdisjoint({"forms", "compliance", "grading"})


@pytest.mark.parametrize("name", names())
def test_a_shipped_form_is_whole(name: str) -> None:
    """Each loads by its name, says so, survives JSON, and names the paper that it comes from."""
    form = load(name)
    assert form.name == name
    assert form_from_json(form_to_json(form)) == form
    comment = (SHIPPED / f"{name}.toml").read_text("utf-8").split("\nname =")[0]
    assert all(line.startswith("# ") for line in comment.split("\n"))
    assert "arXiv" in comment or "MOSAIC" in comment
    assert "The wording is ours." in comment


def test_core100_uses_the_form_that_ships() -> None:
    """The suite and everybody else read one file."""
    assert load("core100") == SUITE.form


KINDS: dict[str, dict[str, str]] = {
    "core100": {"choice": "choice", "confidence": "likert", "naturalness": "likert"},
    "wise": {
        "exact": "yes-no",
        "clarity": "likert",
        "naturalness": "likert",
        "ambiguity": "likert",
        "complexity": "likert",
    },
    "grading": {"grade": "choice"},
    "compliance": {"complies": "yes-no"},
}


@pytest.mark.parametrize("name", KINDS)
def test_each_form_asks_what_its_paper_asked(name: str) -> None:
    """Questions and their kinds are those of the paper; every scale has five points."""
    form = load(name)
    assert {question.id: question.kind for question in form.questions} == KINDS[name]
    assert {q.points for q in form.questions if q.kind == "likert"} <= {5}
    assert all(question.required for question in form.questions)


def test_grades_are_three() -> None:
    """A response is correct, incorrect or ambiguous, whatever options an item has."""
    (question,) = load("grading").questions
    values = [answer.value for answer in question.answers(("Drive", "Walk"))]
    assert values == ["correct", "incorrect", "ambiguous"]


def test_a_form_of_ones_own_is_a_file(tmp_path: Path) -> None:
    """A path loads like a name, also with a byte order mark; faults name that path and a line."""
    text = (SHIPPED / "wise.toml").read_text("utf-8")
    path = tmp_path / "mine.toml"
    path.write_text(text, "utf-8-sig")
    assert load(str(path)) == load("wise")
    path.write_text(text.replace("points = 5", "points = 0", 1), "utf-8")
    with pytest.raises(InputError, match="points must be from 2 to 9") as caught:
        load(str(path))
    line = text.split("\n").index("points = 5") + 1
    assert str(caught.value).startswith(f"{path}, line {line}, question clarity: ")
    path.write_bytes(b'name = "\xff"')
    with pytest.raises(InputError, match="not UTF-8 at byte 8"):
        load(str(path))


@pytest.mark.parametrize("name", ["nosuch", "nosuch.toml", ".", ""])
def test_a_form_that_is_not_there_is_named(name: str) -> None:
    """What is neither a name nor a file is refused, with the names that there are."""
    with pytest.raises(NotFound, match="one of: compliance, core100, grading, wise"):
        load(name)


def test_a_form_that_does_not_fit_the_items_is_refused(workshop: Any, tmp_path: Path) -> None:
    """A form that offers the options of items is not planned over items that have none."""
    scenario = workshop.scenarios(1)[0]
    bare = replace(scenario, items=tuple(replace(item, options=()) for item in scenario.items))
    revisions = workshop.create(tmp_path / "s.db", [bare]).items.latest()
    with pytest.raises(InputError, match="the form core100 does not fit S01/Active: choice offers"):
        require_fit(load("core100"), revisions)
    require_fit(load("wise"), revisions)
