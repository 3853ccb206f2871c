from __future__ import annotations

import json
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.panels import NO_MAJORITY, UNREADABLE, majority
from evals.judges.rubric import Rubric, Scale
from evals.judges.verdict import Verdict, read_verdict

LABELS = {"C": "correct", "I": "incorrect", "A": "ambiguous"}


def line(**changed: object) -> Rubric:
    plain = {
        "name": "r", "version": "1", "system": "", "prompt": "{response}", "form": "line",
        "key": "GRADE", "wrapping": "none", "labels": LABELS, "scale": None,
    }  # fmt: skip
    return Rubric(**{**plain, **changed})  # type: ignore[arg-type]


def scale(wrapping: str = "none") -> Rubric:
    return line(form="json", key="score", wrapping=wrapping, labels={}, scale=Scale(0, 10, 5))


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("GRADE: C", "correct"), ("GRADE: C. No reason to downgrade: insufficient", "correct"),
        ("Thinking...\n**GRADE: I**", "incorrect"), ("> GRADE:A", "ambiguous"),
        ("GRADE: C (fully)", "correct"), ("GRADE: C\nGRADE: C", "correct"),
        ("GRADE: C\nGRADE: I", None), ("GRADE: C or I", None), ("GRADE: C/I", None),
        ("GRADE: Correct", None), ("GRADE: c", None), ("GRADE: D", None), ("GRADE:", None),
        ("My GRADE: C", None), ("grade: C", None), ("C", None), ("", None),
        ("GRADE: I would say\nGRADE: C", None), ("GRADE: C, I", None), ("{}", None),
    ],
)  # fmt: skip
def test_lines(text: str, verdict: str | None) -> None:
    """Only what was offered is a verdict; two that differ are none."""
    found = read_verdict(line(), text)
    assert found == (Verdict(verdict) if verdict else None)


@pytest.mark.parametrize(
    ("wrapping", "text", "score"),
    [
        ("none", '{"score": 7}', 7), ("none", '{"reasoning": "x", "score": 4.5}', 4.5),
        ("none", "{}", None), ("none", '{"score": "7"}', None), ("none", '{"score": true}', None),
        ("none", '{"score": 11}', None), ("none", '{"score": -1}', None),
        ("none", '{"score": NaN}', None), ("none", '{"score": 1, "score": 9}', None),
        ("none", '```json\n{"score": 7}\n```', None), ("fence", '```json\n{"score": 7}\n```', 7),
        ("fence", '{"score": 7}', 7), ("fence", 'Sure:\n```json\n{"score": 7}\n```', None),
        ("prose", 'Sure:\n```json\n{"score": 7}\n```\nThanks.', 7),
        ("prose", 'I give {"score": 7}.', 7), ("prose", '{"score": 7} or {"score": 8}', None),
        ("prose", '{"a": {"score": 7}}', None), ("prose", "[7]", None), ("none", "[7]", None),
    ],
)  # fmt: skip
def test_members(wrapping: str, text: str, score: float | None) -> None:
    """What may stand around the object is the rubric's to say."""
    found = read_verdict(scale(wrapping), text)
    assert (found and found.score) == score


@pytest.mark.parametrize(("score", "verdict"), [(4.99, "fail"), (5, "pass"), (10, "pass")])
def test_the_cut(score: float, verdict: str) -> None:
    """From the cut on it is a pass."""
    assert read_verdict(scale(), json.dumps({"score": score})) == Verdict(verdict, score)


@pytest.mark.parametrize(
    ("text", "score"), [("SCORE: 8", 8.0), ("SCORE: 8.5.", 8.5), ("SCORE: 8/10", None)]
)
def test_a_scale_on_a_line(text: str, score: float | None) -> None:
    """Numbers on a line, as strictly as letters."""
    found = read_verdict(line(key="SCORE", labels={}, scale=Scale(0, 10, 5)), text)
    assert (found and found.score) == score


@given(st.text())
def test_any_text_is_read_or_not(text: str) -> None:
    """No text breaks the reading, and no verdict comes from nowhere."""
    for rubric in (line(), scale(), scale("fence"), scale("prose")):
        found = read_verdict(rubric, text)
        assert found is None or found.verdict in rubric.verdicts


@pytest.mark.parametrize("depth", [100_000])
def test_deep_nesting_is_unreadable(depth: int) -> None:
    """A judge that nests brackets has said nothing."""
    text = '{"score": ' + "[" * depth + "]" * depth + "}"
    assert [read_verdict(scale(kind), text) for kind in ("none", "fence", "prose")] == [None] * 3


@pytest.mark.parametrize(
    ("votes", "result"),
    [
        (("correct", None, "incorrect"), NO_MAJORITY), (("correct", None, "correct"), "correct"),
        ((None, None, "correct"), NO_MAJORITY), ((None, None), UNREADABLE),
        (("correct", "incorrect"), NO_MAJORITY), (("correct",), "correct"),
        (("correct", "correct", "incorrect", "incorrect"), NO_MAJORITY),
        (("correct", "correct", "correct", None), "correct"),
    ],
)  # fmt: skip
def test_majorities_in_every_order(votes: tuple[str | None, ...], result: str) -> None:
    """A strict majority of all members; the order of votes never matters."""
    assert {majority(order) for order in permutations(votes)} == {result}


def test_a_panel_of_nobody() -> None:
    """Nobody has no majority to give."""
    with pytest.raises(ValueError, match="at least one member"):
        majority([])
