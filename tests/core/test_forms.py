"""Rating forms: one validation for everybody, and faults that say where they are."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.forms import Choice, Form, Question, form_from_json, form_to_json, parse_form
from core.hashing import canonical

CHOICE = Question(
    "choice", "choice", "Which?", item_options=True, choices=(("both", "Both"), ("none", "None"))
)
FORM = Form(
    "all kinds",
    (
        CHOICE,
        Question("same", "yes-no", "The same?"),
        Question("sure", "likert", "How sure?", points=7, low="not", high="very"),
        Question("why", "text", "Why?", required=False),
    ),
)
GOOD = {"choice": "A", "same": True, "sure": 7, "why": "because"}
OPTIONS = ("Drive", "Walk")


def test_good_answers_have_no_fault() -> None:
    """A full set of offered answers is valid, and an optional text may be left out."""
    assert FORM.faults(GOOD, OPTIONS) == ()
    for blank in ({}, {"why": ""}, {"why": None}):
        given = {key: value for key, value in GOOD.items() if key != "why"} | blank
        assert FORM.faults(given, OPTIONS) == ()


@pytest.mark.parametrize(
    ("question", "answer", "fault"),
    [
        ("choice", "C", "choice cannot be 'C'"),
        ("choice", "a", "choice cannot be 'a'"),
        ("choice", "Both", "choice cannot be 'Both'"),
        ("choice", 1, "choice cannot be 1"),
        ("choice", "", "choice cannot be ''"),
        ("choice", None, "choice is not answered"),
        ("choice", ["A"], "choice cannot be ['A']"),
        ("same", "yes", "same cannot be 'yes'"),
        ("same", 1, "same cannot be 1"),
        ("same", 0, "same cannot be 0"),
        ("same", None, "same is not answered"),
        ("sure", True, "sure cannot be True"),
        ("sure", 0, "sure cannot be 0"),
        ("sure", 8, "sure cannot be 8"),
        ("sure", 3.0, "sure cannot be 3.0"),
        ("sure", "3", "sure cannot be '3'"),
        ("sure", float("nan"), "sure cannot be nan"),
        ("why", 3, "why must be a text"),
        ("why", True, "why must be a text"),
    ],
)
def test_an_answer_that_was_not_offered_is_named(question: str, answer: Any, fault: str) -> None:
    """True is not 1, 3.0 is not 3, a letter beyond the options is none: each is named."""
    (found,) = FORM.faults({**GOOD, question: answer}, OPTIONS)
    assert found.startswith(fault)


def test_unknown_questions_are_named() -> None:
    """An answer to a question that the form does not have is a fault, not silently dropped."""
    found = FORM.faults({**GOOD, "zeal": 1, "gold": "heavy"}, OPTIONS)
    assert found == ("no question is called 'gold'", "no question is called 'zeal'")


def test_every_fault_is_named_at_once() -> None:
    """Nobody has to correct answers one error at a time."""
    assert len(FORM.faults({}, OPTIONS)) == 3


def test_a_required_text_must_say_something() -> None:
    """An empty text does not answer a required question."""
    required = Form("f", (Question("why", "text", "Why?"),))
    assert required.faults({"why": ""}) == ("why is not answered",)


def test_keys_follow_the_shown_order() -> None:
    """Options of the item come first, then further answers; each answer has its own key."""
    assert CHOICE.answers(OPTIONS) == (
        Choice("A", "Drive", "a"),
        Choice("B", "Walk", "b"),
        Choice("both", "Both", "c"),
        Choice("none", "None", "d"),
    )
    for question in FORM.questions:
        keys = [answer.key for answer in question.answers(OPTIONS)]
        assert len(set(keys)) == len(keys)
    assert [c.key for c in FORM.question("same").answers()] == ["y", "n"]
    assert FORM.question("why").answers() == ()
    with pytest.raises(KeyError):
        FORM.question("zeal")


def test_forms_survive_json() -> None:
    """A form rebuilt from its JSON is the same form, with the same canonical text."""
    assert form_from_json(form_to_json(FORM)) == FORM
    assert canonical(form_to_json(form_from_json(form_to_json(FORM)))) == canonical(
        form_to_json(FORM)
    )
    other = replace(FORM, questions=FORM.questions[::-1])
    assert canonical(form_to_json(other)) != canonical(form_to_json(FORM))


TOML = """
name = "f"
[[question]]
id = "q"
kind = "likert"
text = "How?"
low = "not"
high = "very"
"""


def test_a_form_is_read_from_toml() -> None:
    """A likert question has five points unless it says otherwise."""
    form = parse_form(TOML, "form.toml")
    assert (form.name, form.questions[0].points) == ("f", 5)


# What is wrong -> the text, the line that is named, and the sentence.
QUESTION = TOML.partition("[[question]]")[1] + TOML.partition("[[question]]")[2]
WRONG: dict[str, tuple[str, int, str]] = {
    "no TOML": ("name = ", 1, "not TOML: Invalid value"),
    "a key twice": (TOML.replace('low = "not"', 'low = "a"\nlow = "b"'), 8, "a key is given twice"),
    "a table twice": ('name = "f"\n[a]\n[a]\n', 3, "a key is given twice"),
    "an inline key twice": ("a = { b = 1, b = 2 }", 1, "a key is given twice"),
    "empty": ("", 1, "a form needs a name"),
    "no name": (QUESTION, 1, "a form needs a name"),
    "a name of blanks": (TOML.replace('"f"', '" "'), 2, "a form needs a name"),
    "a number for a name": (TOML.replace('"f"', "7"), 2, "a form needs a name"),
    "no question": ('name = "f"', 1, "a form needs at least one [[question]]"),
    "an empty list": ('name = "f"\nquestion = []', 2, "at least one [[question]]"),
    "numbers for questions": ('name = "f"\nquestion = [1, 2]', 2, "at least one [[question]]"),
    "one question, no list": ('name = "f"\n[question]\nid = "q"', 2, "at least one [[question]]"),
    "a field more": (f"other = 1\n{TOML}", 1, "unknown field 'other'; a form has a name and"),
    "an unknown field": (f"{TOML}colour = 1", 9, "question q: unknown field 'colour'"),
    "no id": (TOML.replace('id = "q"', ""), 3, "id is missing"),
    "an empty id": (TOML.replace('"q"', '""'), 4, "id is empty"),
    "blanks in an id": (TOML.replace('"q"', '"how sure"'), 4, "id must be a word of letters"),
    "no kind": (TOML.replace('kind = "likert"', ""), 3, "question q: kind is missing"),
    "no text": (TOML.replace('text = "How?"', ""), 3, "question q: text is missing"),
    "an empty text": (TOML.replace('"How?"', '"\\t"'), 6, "question q: text is empty"),
    "an unknown kind": (TOML.replace("likert", "stars"), 5, "kind must be one of choice, yes-no"),
    "a scale without words": (TOML.replace("low =", "# low ="), 3, "question q: a likert question"),
    "an empty word": (TOML.replace('"very"', '""'), 8, "question q: high is empty"),
    "points in words": (f'{TOML}points = "five"', 9, "question q: points cannot be 'five'"),
    "true for points": (f"{TOML}points = true", 9, "question q: points cannot be True"),
    "one point": (f"{TOML}points = 1", 9, "question q: points must be from 2 to 9"),
    "more points than keys": (f"{TOML}points = 10", 9, "question q: points must be from 2 to 9"),
    "points of a text": (
        f'{TOML}{QUESTION}points = 5\n'.replace("likert", "text", 1)
        .replace('low = "not"\nhigh = "very"\n', "points = 3\n", 1),
        7,
        "question q: a text question has no points",
    ),
    "a number for an id": (TOML.replace('"q"', "7"), 4, "question 7: id cannot be 7"),
    "required in words": (f'{TOML}required = "yes"', 9, "question q: required cannot be 'yes'"),
    "the same id twice": (f"{TOML}\n{QUESTION}", 11, "two questions have the same id"),
    "a fault after a look-alike": (
        TOML.replace('"How?"', '"""\n[[question]]\nid = "x"\n"""') + "points = 1",
        12,
        "question q: points must be from 2 to 9",
    ),
    "a fault over lines of one value": (
        f'{TOML}{QUESTION}'.replace("likert", "choice", 1).replace(
            'low = "not"\nhigh = "very"', 'choices = [\n{ value = "a" },\n]', 1
        ),
        7,
        "question q: each of choices has a value and a label",
    ),
}  # fmt: skip
MANY = [f'{{ value = "v{n}", label = "l{n}" }}' for n in range(9)]
CHOICES: dict[str, tuple[str, int, str]] = {
    "nothing to choose": ("", 2, "there is nothing to choose from"),
    "words alone": ('choices = ["a"]', 6, "each of choices has a value and a label"),
    "no label": ('choices = [{ value = "a" }]', 6, "each of choices has a value and a label"),
    "an empty label": ('choices = [{ value = "a", label = "" }]', 6, "each of choices has a value"),
    "a number for a value": (
        'choices = [{ value = 1, label = "a" }]',
        6,
        "each of choices has a value and a label, both texts",
    ),
    "a value twice": (
        'choices = [{ value = "a", label = "x" }, { value = "a", label = "y" }]',
        6,
        "two choices have the same value",
    ),
    "a label twice": (
        'choices = [{ value = "a", label = "x" }, { value = "b", label = "x" }]',
        6,
        "two choices have the same label",
    ),
    "the value of an option": (
        'item_options = true\nchoices = [{ value = "A", label = "x" }]',
        7,
        "two choices have the same value",
    ),
    "more than keys": (f"choices = [{', '.join(MANY)}]", 6, "9 choices are more than the 8 keys"),
    "more than keys beside an item's": (
        f"item_options = true\nchoices = [{', '.join(MANY[:7])}]",
        7,
        "7 choices are more than the 6 keys for them beside the options of an item",
    ),
    "points": ('points = 5\nchoices = [{ value = "a", label = "x" }]', 6, "has no points"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_form_that_is_none_is_named_with_its_source(kind: str) -> None:
    """Whatever is wrong with a form, the error names the file, the line and the question."""
    text, line, sentence = WRONG[kind]
    with pytest.raises(InputError, match=re.escape(sentence)) as caught:
        parse_form(text, "f.toml")
    assert re.match(rf"f\.toml, line {line}\b", str(caught.value)), str(caught.value)


@pytest.mark.parametrize("kind", CHOICES)
def test_choices_that_nobody_could_tell_apart_are_refused(kind: str) -> None:
    """A choice question offers at least one answer, each once, and each by a key of its own."""
    fields, line, sentence = CHOICES[kind]
    text = f'name = "f"\n[[question]]\nid = "q"\nkind = "choice"\ntext = "Which?"\n{fields}'
    with pytest.raises(InputError, match=re.escape(sentence)) as caught:
        parse_form(text, "f.toml")
    assert str(caught.value).startswith(f"f.toml, line {line}, question q: ")


def test_a_form_says_which_items_it_cannot_be_asked_of() -> None:
    """An item without options, or with more than there are keys, is named before it is planned."""
    assert FORM.misfit(OPTIONS) is None
    assert FORM.misfit(()) == "choice offers the options of an item, and it has none"
    assert FORM.misfit(tuple("abcdefg")) == "choice has more answers than the 8 keys for them"
    plain = Form("plain", FORM.questions[1:])
    assert plain.misfit(()) is None


@given(st.sampled_from(sorted(WRONG)), st.integers(0, 5))
def test_lines_are_those_of_the_whole_file(kind: str, above: int) -> None:
    """Comments and blank lines above move the line that is named, and nothing else."""
    text, line, _ = WRONG[kind]
    with pytest.raises(InputError) as caught:
        parse_form("# a comment\n" * above + text, "f.toml")
    named = re.match(r"f\.toml, line (\d+)", str(caught.value))
    assert named
    # What is missing altogether is named at the first line.
    assert int(named[1]) in (line + above, 1)
