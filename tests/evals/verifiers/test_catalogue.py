from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError, NotFound
from evals.verifiers.catalogue import faults, names, verifier

# One sound item per verifier: what its parameters are, and a prompt that says them.
SOUND: dict[str, tuple[dict[str, Any], str]] = {
    "word-count": ({"exactly": 8}, "Answer in exactly 8 words."),
    "word-range": ({"between": [8, 12]}, "Use 8-12 words."),
    "keyword-once": ({"keyword": "river"}, "Use the word “river” exactly once."),
    "keywords-used": ({"keywords": ["warm", "light"]}, "Use warm, light."),
    "keywords-avoided": ({"keywords": ["cheap"]}, "Never say cheap."),
    "strict-json": ({"keys": ["name", "age"]}, 'Reply as JSON with "name" and "age".'),
    "graded-json": ({"keys": ["response"]}, 'Respond in JSON: {"response": ...}'),
    "exact-output": ({"target": "READY"}, "Always answer READY."),
    "begins-with": ({"token": "<BOC>"}, "Begin with <BOC>."),
    "ends-with": ({"token": "<EOC>"}, "End with <EOC>."),
    "contains": ({"token": "{{FirstName}}"}, "Call the reader {{FirstName}}."),
    "dash-list": ({}, "Use dashes."),
    "paragraph-count": ({"between": [2, 3]}, "Write 2-3 paragraphs."),
    "paragraph-sentences": ({"between": [2, 4]}, "2 to 4 sentences to a paragraph."),
    "sentence-maximum": ({"at_most": 25}, "No sentence exceeds 25 words."),
    "sentence-variation": ({}, "Vary the length of sentences."),
    "flesch": ({"between": [70, 80]}, "Aim at a reading ease of 70 to 80."),
    "language": ({"language": "fr", "candidates": ["fr", "en"]}, "Answer in French."),
    "code-language": (
        {"language": "python", "candidates": ["python", "javascript"]}, "Write Python.",
    ),
}  # fmt: skip


def document(name: str, parameters: Any, prompt: str) -> dict[str, Any]:
    return {
        "scenario": "S1", "condition": "POS", "verifiers": [name], "parameters": {name: parameters},
        "messages": [{"role": "user", "content": prompt}],
    }  # fmt: skip


def test_every_verifier_has_a_sound_item_here() -> None:
    """A new verifier cannot come in without one."""
    assert {*SOUND, "forced-choice"} == set(names())


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_item_is_frozen_and_read(name: str) -> None:
    """Nothing speaks against it, and any text is read."""
    parameters, prompt = SOUND[name]
    item = document(name, parameters, prompt)
    assert faults(item) == ()
    assert verifier(name).read("Some words.", item).verdict in {"pass", "fail", "undetermined"}


@pytest.mark.parametrize("name", [name for name, (given, _) in SOUND.items() if given])
def test_a_parameter_that_is_missing_is_named(name: str) -> None:
    """At freeze as a fault, at reading as an error: never a silent default."""
    item = document(name, {}, SOUND[name][1])
    assert any("is missing" in fault for fault in faults(item))
    with pytest.raises(InputError, match=f"S1/POS: {name}: .* is missing"):
        verifier(name).read("Some words.", item)


@pytest.mark.parametrize("name", SOUND)
@pytest.mark.parametrize("wrong", [None, [], "x", 7])
def test_parameters_must_be_named(name: str, wrong: Any) -> None:
    """What is no object is refused, whatever the verifier."""
    item = document(name, wrong, SOUND[name][1])
    assert "its parameters must be named" in faults(item)[0]
    with pytest.raises(InputError, match="must be named"):
        verifier(name).read("Some words.", item)


@pytest.mark.parametrize("name", SOUND)
def test_an_unknown_parameter_is_named(name: str) -> None:
    """A slip of the pen in a parameter's name does not go unseen."""
    item = document(name, {**SOUND[name][0], "exactely": 3}, SOUND[name][1])
    assert faults(item) == (f"{name}: there is no parameter exactely",)


@pytest.mark.parametrize(
    ("name", "parameters", "prompt", "unsaid"),
    [
        ("word-count", {"exactly": 336}, "Write exactly 400 words.", "336"),
        ("word-count", {"exactly": 8}, "Write 80 words, 1.8 pages, 8.5 lines.", "8"),
        ("word-range", {"between": [8, 12]}, "Use 8 to 13 words.", "12"),
        ("keyword-once", {"keyword": "art"}, "Use the word start once.", "art"),
        ("strict-json", {"keys": ["name"]}, "Reply as JSON.", "name"),
        ("contains", {"token": "{{FirstName}}"}, "Use {FirstName}.", "{{FirstName}}"),
        ("exact-output", {"target": "READY"}, "Always answer ready.", "READY"),
    ],
)
def test_what_the_prompt_does_not_say(
    name: str, parameters: dict[str, Any], prompt: str, unsaid: str
) -> None:
    """A prompt that asks for 400 with a verifier for 336 measures nothing."""
    (fault,) = faults(document(name, parameters, prompt))
    assert f"the prompt does not say “{unsaid}”" in fault


def test_what_an_assistant_said_does_not_count() -> None:
    """Hardcoded turns are what the model is to resist, not what it was told."""
    item = document("exact-output", {"target": "READY"}, "Hello.")
    item["messages"].append({"role": "assistant", "content": "READY"})
    assert "does not say" in faults(item)[0]


@pytest.mark.parametrize(
    ("name", "parameters", "expected"),
    [
        ("word-count", {"exactly": 0}, "a whole number from 1"),
        ("word-count", {"exactly": True}, "a whole number from 1"),
        ("word-count", {"exactly": "8"}, "a whole number from 1"),
        ("word-range", {"between": [12, 8]}, "the lower first"),
        ("word-range", {"between": [8]}, "two whole numbers"),
        ("keywords-used", {"keywords": []}, "a list of texts"),
        ("keywords-used", {"keywords": ["a", "A"]}, "none twice"),
        ("keyword-once", {"keyword": " "}, "not blank"),
        ("flesch", {"between": [70, 80], "fewest_words": 0}, "a number from 1"),
        ("language", {"language": "xx", "candidates": ["en", "fr"]}, "one of"),
        ("language", {"language": "en", "candidates": ["en"]}, "at least two"),
        ("language", {"language": "en", "candidates": ["en", "xx"]}, "at least two"),
    ],
)
def test_a_parameter_that_makes_no_sense(
    name: str, parameters: dict[str, Any], expected: str
) -> None:
    """What was expected is said."""
    assert any(expected in fault for fault in faults(document(name, parameters, SOUND[name][1])))


def test_all_faults_at_once() -> None:
    """Unknown verifiers and wrong parameters are listed together."""
    item = document("word-count", {"exactly": 5}, "Write 4 words.")
    item["verifiers"] += ["word-cuont", "forced-choice"]
    found = faults(item)
    assert len(found) == 3
    assert "there is no verifier “word-cuont”" in found[1]
    assert "offers no options" in found[2]
    with pytest.raises(NotFound):
        verifier("word-cuont")


@given(st.sampled_from(sorted(SOUND)), st.text())
def test_no_text_breaks_a_verifier(name: str, text: str) -> None:
    """Whatever a model says, there is a verdict, and scores lie between 0 and 1."""
    parameters, prompt = SOUND[name]
    reading = verifier(name).read(text, document(name, parameters, prompt))
    assert reading.verdict in {"pass", "fail", "undetermined"}
    assert reading.score is None or 0.0 <= reading.score <= 1.0
