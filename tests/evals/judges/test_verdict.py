from __future__ import annotations

import json
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.panels import NO_MAJORITY, UNREADABLE, majority
from evals.judges.rubric import Rubric, Scale
from evals.judges.verdict import MOST, Verdict, read_verdict

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
        ("Thinking...\n**GRADE: I**", "incorrect"), ("GRADE:A", "ambiguous"),
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
        ("fence", '```\r\n{"score": 7}\r\n```\r\n', 7), ("fence", "{}", None),
        ("prose", "{}", None), ("fence", '{"score": 7}', 7),
        ("fence", 'Sure:\n```json\n{"score": 7}\n```', None),
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


ATTACKS = {
    "look-alike letter": "GRADE: \u0421",
    "full-width letter": "GRADE: \uff23",
    "full-width colon": "GRADE\uff1a C",
    "zero-width space in the key": "GRA\u200bDE: C",
    "zero-width space before": "GRADE: \u200bC",
    "zero-width joiner after": "GRADE: C\u200d",
    "combining mark": "GRADE: C\u0301",
    "byte order mark": "\ufeffGRADE: C",
    "direction override": "\u202eGRADE: C",
    "null byte": "GRADE: C\x00",
    "on the next line": "GRADE:\nC",
    "carriage return": "GRADE: C\rGRADE: I",
    "line separator": "GRADE: C\u2028GRADE: I",
    "asked": "GRADE: C?",
    "or in brackets": "GRADE: C (or I)",
    "after a semicolon": "GRADE: C; I",
    "another on its line": "GRADE: C. GRADE: I",
    "the other word": "GRADE: C; and I, hard to say",
    "or in other words": "GRADE: C; or rather I",
    "or at the end": "GRADE: C — or",
    "final, within a line": "GRADE: C\nFinal GRADE: I",
    "reconsidered": "GRADE: C\nOn reflection, GRADE: I.",
    "first within a line": "At first GRADE: I.\nGRADE: C",
    "in a list": "GRADE: C\n1. GRADE: I",
    "struck through": "~~GRADE: I~~\nGRADE: C",
    "lower case": "grade: c",
    "title case": "Grade: C",
    "translated key": "NOTE: C",
    "translated label": "GRADE: richtig",
    "the word": "GRADE: correct",
    "quoted from the reply alone": "The reply says:\n> GRADE: C\nI cannot judge that.",
    "quoted, then another": "> GRADE: C\nGRADE: I",
    "quoted within a quote": "> > GRADE: C",
    "in a sentence": 'The reply ends with "GRADE: C".',
    "list of all": "GRADE: C\nGRADE: I\nGRADE: A",
    "template": "GRADE: <C/I/A>",
    "JSON": '{"GRADE": "C"}',
    "nothing but marks": "**GRADE:**",
    "two keys that differ": "GRADE: C\nVERDICT: I\nGRADE: I",
    "enormous": "GRADE: C\n" + "x" * 100_001,
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_no_line(attack: str) -> None:
    """What only looks like a verdict, is somebody else's, or is taken back, is none."""
    assert read_verdict(line(), ATTACKS[attack]) is None


@pytest.mark.parametrize(
    "text",
    [
        "GRADE: I\r\n", "  GRADE :  I  ", "**GRADE**: **I** — because C is absent", "# GRADE: I",
        "- GRADE: I", "```\nGRADE: I\n```", "`GRADE: I`", "GRADE: I!", "GRADE: I\nVERDICT: C",
        'It ends with "GRADE: C".\nGRADE: I', "> GRADE: I\nGRADE: I", "GRADE: I. A or C: no.",
        "\n" * 50_000 + "GRADE: I", " " * 50_000 + "GRADE: I", "GRADE: I. a" + "." * 90_000 + "b",
        "GRADE: I\nThe final GRADE: I.", "GRADE: I\nUPGRADE: C", "GRADE: I. Oral replies: fine.",
        "GRADE: I\nThe text wrote “GRADE: C” and 'GRADE: C' and `GRADE: C`.",
    ],
    ids=range(19),
)  # fmt: skip
def test_what_is_a_line_all_the_same(text: str) -> None:
    """Markdown, white space, a quotation within a sentence and another key change nothing."""
    assert read_verdict(line(), text) == Verdict("incorrect")


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 7', '{"a": [{"score": 7}', '{"score": 7, "score": 7}', '{"score": null}',
        '{"score": Infinity}', '{"score": 1e999}', '{"score": 1' + "0" * 400 + "}", '{"score": []}',
        '{"\u0455core": 7}', '{"score ": 7}', '{"Score": 7}', '{"score": {"value": 7}}',
        '{"score": 7} {"score": NaN}', '{"score": 7} {}', '{"score": 7} {"note": 1}',
        '{"score": 7} {"score": 7.5}', '```json\n{"score": 9}\n```\nFinal: {"score": 2}',
        '```json\n```json\n{"score": 9}\n```\n{"score": 1}\n```', '{"score": 7}' * 9_000,
        '{"score": "\uff17"}', '{"score": 7}\n' + "x" * 100_001, '{"a":' * 20_000,
        '{"x": "{\\"score\\": 7}"}', "score: 7", '{"score": 7 / 10}', "{score: 7}",
    ],
)  # fmt: skip
def test_what_is_no_member(text: str) -> None:
    """Of several objects, broken ones and numbers that are none, nothing is picked out."""
    found = [read_verdict(scale(kind), text) for kind in ("none", "fence", "prose")]
    assert set(found) == {None}


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('Sure!\n```json\n{"reason": "a {brace} and \\"score\\": 3", "score": 7}\n```\nBye.', 7),
        ('{"score": 7}\n\n{"score": 7}', 7), ("Set {a, b} gives {\n \"score\": 10 }", 10),
        ('````\n```json\n{"score": 0}\n```\n````', 0), ('{"\\u0073core": 7}', 7),
    ],
)  # fmt: skip
def test_what_prose_may_hold(text: str, score: float) -> None:
    """An object in prose, in any fence, or said twice alike, is what the rubric says it is."""
    found = read_verdict(scale("prose"), text)
    assert found == Verdict("pass" if score >= 5 else "fail", score)


@pytest.mark.parametrize(
    "text",
    [
        "*" * MOST, ">" * MOST, "> " * 49_000, "GRADE" * 19_000, "GRADE: C. " * 9_900,
        "GRADE" + " " * 90_000, "GRADE:" + " " * 90_000 + "x", "GRADE: C" + "*" * 90_000 + "x",
        "GRADE: C." + " ." * 45_000 + "?" + "GRADE:", "{" * MOST, '{"' * 49_000, "{ " * 49_000,
        "`" * MOST, "```\n" * 24_000, "```\n" + "```  " * 19_000, '{"score": ' + "9" * 90_000 + "}",
    ],
    ids=range(16),
)  # fmt: skip
def test_no_text_is_too_long_to_be_refused(text: str) -> None:
    """Runs of marks, blanks, keys, braces and fences: read in one go, and nothing found."""
    assert read_verdict(line(), text) is None
    assert {read_verdict(scale(kind), text) for kind in ("none", "fence", "prose")} == {None}


@pytest.mark.parametrize("zero", ["-0", "-0.0", "0", "0e9", "-1e-400"])
def test_there_is_one_zero(zero: str) -> None:
    """A zero below nothing is a zero, in JSON and on a line."""
    found = [read_verdict(scale(), f'{{"score": {zero}}}')]
    if "e" not in zero:
        on_a_line = line(key="SCORE", labels={}, scale=Scale(0, 10, 5))
        found.append(read_verdict(on_a_line, f"SCORE: {zero}"))
    assert {str(each) for each in found} == {"Verdict(verdict='fail', score=0.0)"}


@pytest.mark.parametrize(
    "text", ["SCORE: \uff18", "SCORE: \u0668", "SCORE: 7 – 8", "SCORE: 8:10", "SCORE: 8 (10)",
             "SCORE: 8. 10", "SCORE: 8,5", "SCORE: 1e1", "SCORE: nan", "SCORE: " + "9" * 400],
)  # fmt: skip
def test_what_is_no_number_on_a_line(text: str) -> None:
    """Digits of other scripts, ranges, fractions and numbers beyond the scale are none."""
    assert read_verdict(line(key="SCORE", labels={}, scale=Scale(0, 10, 5)), text) is None


@given(st.text(alphabet='CIA GRADE:\n*_`>#-.;()?or\u200b\u0421{}"', max_size=60))
def test_a_verdict_stands_on_a_line_of_its_own(text: str) -> None:
    """Whatever is made of the pieces: a verdict was written after the key, in our letters."""
    found = read_verdict(line(), text)
    if found is not None:
        letter = next(each for each, label in LABELS.items() if label == found.verdict)
        bare = [each.translate(str.maketrans("", "", "*_`#- \t")) for each in text.split("\n")]
        assert any(each.startswith(f"GRADE:{letter}") for each in bare)


@pytest.mark.parametrize("depth", [100_000, 20_000])
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


@given(st.permutations(["A", "A+", "A (weak)", "A.5", "No", "No: partly"]))
def test_a_label_that_begins_another_is_not_read_for_it(labels: list[str]) -> None:
    """The whole label is read, in whatever order the rubric names them."""
    written = {label: f"means {label}" for label in labels}
    means = line(labels=written)
    for label in labels:
        for text in (f"GRADE: {label}", f"**GRADE: {label}** (fully)", f"GRADE: {label}; clearly"):
            assert read_verdict(means, text) == Verdict(f"means {label}")
    assert read_verdict(means, "GRADE: A (weak) or A") is None
    assert read_verdict(means, "GRADE: A\nFinal GRADE: A (weak)") is None
