"""A record belongs to the frozen prompt that is exactly its own, or to none; and it is said why."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hashing import digest_of
from core.prompt_keys import prompt_key
from core.runs import Message
from core.study import WaveItem
from evals.imports.matching import Unmatched, prompts_of
from evals.imports.messages import as_document
from evals.imports.samples import Asked

TEXT = "Café at the corner.\nDrive or walk?  First line: 'Answer: A' or 'Answer: B'."


def item(number: int, *turns: Message, withdrawn: bool = False) -> WaveItem:
    messages = as_document(turns)
    document = {"messages": messages, "prompt_hash": digest_of(messages)}
    sealed = digest_of([number, document])
    return WaveItem(
        number, 1, number, number, f"S{number:02}", "Active", document, sealed, withdrawn
    )


def user(text: str) -> Message:
    return Message("user", text)


def why(asked: Asked, *items: WaveItem, **allowed: Any) -> str:
    """Return what is said of a prompt; empty where it is matched."""
    try:
        prompts_of(items, **allowed).match(asked)
    except Unmatched as error:
        return str(error)
    return ""


def asked(*turns: Message, **more: str) -> Asked:
    return Asked(turns, **more)


NEAR: dict[str, tuple[tuple[Message, ...], str]] = {
    "a system message": (
        (Message("system", "Be brief."), user(TEXT)),
        "S01/Active with a system message before it: 'Be brief.' (--ignore-system)",
    ),
    "a line end": (
        (user(TEXT + "\n"),),
        "S01/Active with other line ends behind it (--strip-trailing-newline)",
    ),
    "examples": (
        (user("1+1?"), Message("assistant", "2"), user(TEXT)),
        "S01/Active with 2 turns before it, such as examples (few-shot)",
    ),
    "examples in one text": (
        (user("Q: 1+1? A: 2\n\n" + TEXT),),
        "S01/Active with text around it, such as examples or a chat template",
    ),
    "a template": (
        (user(f"<|user|>{TEXT}<|end|>"),),
        "S01/Active with text around it, such as examples or a chat template",
    ),
    "another form of Unicode": (
        (user(unicodedata.normalize("NFD", TEXT)),),
        "S01/Active in another Unicode form, from character 4 on",
    ),
    "other white space": (
        (user(TEXT.replace("  ", " ")),),
        "S01/Active with other white space or Unicode form, from character 36 on",
    ),
    "another role": ((Message("system", TEXT),), "S01/Active"),
    "a word": ((user(TEXT.replace("corner", "square")),), "like S01/Active, but not it"),
    "another text": ((user("Who are you?"),), "no frozen prompt is like it"),
}


@pytest.mark.parametrize("kind", NEAR)
def test_near_misses_say_what_differs(kind: str) -> None:
    """None of them is taken for the frozen prompt."""
    turns, words = NEAR[kind]
    assert words in why(asked(*turns), item(1, user(TEXT)))


def test_only_what_is_named_is_allowed() -> None:
    """The very system message, and line ends; not another one, and not blanks."""
    frozen = item(1, user(TEXT))
    system = Message("system", "Be brief.")
    assert why(asked(system, user(TEXT)), frozen, system="Be brief.") == ""
    assert why(asked(system, user(TEXT)), frozen, system="Be brief") != ""
    assert why(asked(user(TEXT)), frozen, system="Be brief.") == ""
    assert why(asked(user(TEXT + "\r\n\n")), frozen, strip=True) == ""
    assert why(asked(user(TEXT + " ")), frozen, strip=True) != ""
    assert why(asked(system, user(TEXT + "\n")), frozen, system="Be brief.", strip=True) == ""


def test_a_system_message_that_is_frozen_is_part_of_the_prompt() -> None:
    """With it, the prompt is matched; without it, it is not."""
    system = Message("system", "Be brief.")
    frozen = item(1, system, user(TEXT))
    assert why(asked(system, user(TEXT)), frozen) == ""
    assert why(asked(user(TEXT)), frozen) != ""


def test_what_is_exact_needs_no_allowance() -> None:
    """A frozen system message is not taken away because the same one is allowed elsewhere."""
    system = Message("system", "Be brief.")
    both = (item(1, system, user(TEXT)), item(2, user("Another?")))
    assert why(asked(system, user(TEXT)), *both, system="Be brief.") == ""
    assert why(asked(system, user("Another?")), *both, system="Be brief.") == ""


def test_one_text_of_several_items_needs_its_key() -> None:
    """Nothing is guessed: the key says which item is meant, and must be of that text."""
    one, two, other = item(1, user(TEXT)), item(2, user(TEXT)), item(3, user("Another?"))
    said = why(asked(user(TEXT)), one, two)
    assert "2 frozen items have this prompt (S01/Active, S02/Active)" in said
    prompts = prompts_of([one, two, other])
    assert prompts.match(asked(user(TEXT), key=prompt_key(two.hash))).name == "S02/Active"
    assert prompts.match(Asked(key=prompt_key(one.hash) + "-7")).name == "S01/Active"
    assert "its prompt is another" in why(asked(user(TEXT), key=prompt_key(other.hash)), one, other)
    assert "no frozen item has the key" in why(Asked(key="wl-0000000000000000"), one)
    assert "no frozen prompt has the hash" in why(Asked(prompt_hash="sha256:00"), one)


def test_what_was_withdrawn_takes_nothing() -> None:
    """It is named as withdrawn, however it is found."""
    gone = item(1, user(TEXT), withdrawn=True)
    for found in (asked(user(TEXT)), Asked(key=prompt_key(gone.hash))):
        assert why(found, gone) == "S01/Active was withdrawn; no generation is taken for it"
    standing = item(2, user(TEXT))
    assert prompts_of([gone, standing]).match(asked(user(TEXT))).name == "S02/Active"
    assert "was withdrawn" in why(Asked(key=prompt_key(gone.hash)), gone, standing)


@given(st.text(min_size=1), st.text(min_size=1))
def test_equal_and_nothing_else(ours: str, theirs: str) -> None:
    """Any two texts match exactly when they are the same, whatever characters they hold."""
    assert (why(asked(user(theirs)), item(1, user(ours))) == "") == (ours == theirs)
