from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InputError, NotFound
from core.hashing import digest_of
from evals.judges.asking import question_to_judge
from evals.judges.library import SHIPPED, load_rubric
from evals.judges.rubric import Scale, rubric_to_json
from evals.judges.verdict import read_verdict

DOCUMENT = {
    "scenario": "S1",
    "condition": "Removed",
    "gold": "heuristic",
    "options": [{"action": "heavy", "label": "Drive"}, {"action": "heuristic", "label": "Walk"}],
    "facts": {
        "constraint": "presence",
        "prerequisite": "The car must be there.",
        "target": "speaks formally",
        "pattern": "speaks casually",
    },
    "messages": [{"role": "user", "content": "Walk or drive?"}],
}
TOLD = ("presence", "The car must be there.")


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_rubric_is_whole(name: str) -> None:
    """It is called what its file is called, can be asked, and its hash is that of its content."""
    rubric = load_rubric(name)
    assert rubric.name == name
    assert rubric.hash == digest_of(rubric_to_json(rubric))
    *_, asked = question_to_judge(rubric, DOCUMENT, "I would walk.")
    assert "I would walk." in asked.content
    assert read_verdict(rubric, asked.content) is None  # the prompt itself is no verdict


@pytest.mark.parametrize("name", SHIPPED)
def test_whoever_repeats_the_prompt_has_said_nothing(name: str) -> None:
    """A small model copies the form that it is shown; the form as it stands there is no verdict."""
    rubric = load_rubric(name)
    shown = [line for line in rubric.prompt.splitlines() if rubric.key in line]
    assert shown
    whole = "\n".join(shown)
    wrapped = [whole] if rubric.form == "line" else [whole, f"```json\n{whole}\n```"]
    assert [read_verdict(rubric, text) for text in wrapped] == [None] * len(wrapped)


def test_what_each_can_say() -> None:
    """Two graders' letters, a scale with its cut, and target or pattern."""
    grades = ("correct", "incorrect", "ambiguous")
    assert {load_rubric(n).verdicts for n in SHIPPED if n.startswith("grade")} == {grades}
    assert load_rubric("scale").scale == Scale(0, 10, 5)
    assert load_rubric("target-pattern").verdicts == ("target", "pattern", "unknown")


def test_only_the_metadata_rubric_tells_the_constraint() -> None:
    """The two rubrics of the second-judge experiment differ in what they tell, and only in that."""
    neutral, metadata = (
        question_to_judge(load_rubric(name), DOCUMENT, "x")[-1].content
        for name in ("grade-neutral", "grade-metadata")
    )
    assert all(fact in metadata and fact not in neutral for fact in TOLD)
    assert "Tempting shortcut: Walk" in metadata
    told, _, same = metadata.partition("Somebody asked:")
    assert neutral.lstrip() == "Somebody asked:" + same
    assert "presence" in told


def test_a_rubric_of_ones_own(tmp_path: Path) -> None:
    """A path is read; what is not there or no rubric is said in one line or one per fault."""
    own = tmp_path / "own.toml"
    own.write_text(
        'name = "own"\nversion = "1"\nprompt = "{response} GRADE: C or I"\n'
        'answer = { form = "line", key = "GRADE", labels = { C = "a", I = "b" } }\n'
    )
    assert load_rubric(str(own)).verdicts == ("a", "b")
    with pytest.raises(NotFound, match="there is no rubric “graed”; there is grade, "):
        load_rubric("graed")
    with pytest.raises(NotFound, match="there is no rubric file"):
        load_rubric(str(tmp_path / "none.toml"))
    own.write_bytes(b"\xff")
    with pytest.raises(InputError, match="cannot be read"):
        load_rubric(str(own))
