from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.choices.paths import (
    MERGES,
    NOTHING,
    AnswerPaths,
    Path,
    distinct,
    path_of,
    steps,
    to_take,
    why_unscorable,
)

PROMPT = (7, 8, 9)
TOKENS = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)


def answer(word: str, *paths: tuple[int, ...]) -> AnswerPaths:
    given = [Path(f"{word}{place}", tokens) for place, tokens in enumerate(paths)]
    return AnswerPaths(word, word, distinct(given))


@pytest.mark.parametrize(
    ("whole", "tokens", "left_out"),
    [
        ((7, 8, 9, 1), (1,), ""),
        ((7, 8, 9, 1, 2), (1, 2), ""),
        ((7, 8, 5), (), MERGES),
        ((7, 8), (), MERGES),
        ((7, 8, 9), (), NOTHING),
    ],
)
def test_a_path_is_what_stands_after_the_prompt(
    whole: tuple[int, ...], tokens: tuple[int, ...], left_out: str
) -> None:
    """Where the prompt's tokens change, or nothing is added, there is no path, and it is said."""
    assert path_of(PROMPT, "Walk", whole) == Path("Walk", tokens, left_out)


def test_strings_that_coincide_count_once() -> None:
    found = answer("Walk", (1,), (1,), (2,))
    assert [path.left_out for path in found.paths] == ["", "the same tokens as “Walk0”", ""]
    assert to_take([found]) == ((1,), (2,))


def test_a_string_within_another_adds_nothing_and_is_kept() -> None:
    """Whoever goes on with 1, 2 goes on with 1: it counts already, and is still taken."""
    found = answer("Walk", (1, 2), (1,), (3,))
    assert [path.tokens for path in found.counted] == [(1,), (3,)]
    assert "counts already, as “Walk1”" in found.paths[0].left_out
    assert (1, 2) in to_take([found])


@given(st.lists(TOKENS, min_size=1, max_size=6))
def test_counted_strings_are_mutually_exclusive_and_lose_nothing(paths: list) -> None:
    """No counted string begins with another, and every string begins with a counted one."""
    counted = [path.tokens for path in answer("w", *paths).counted]
    for one in counted:
        assert not any(one != other and one[: len(other)] == other for other in counted)
    assert len(set(counted)) == len(counted)
    for path in paths:
        assert any(path[: len(one)] == one for one in counted)


@given(st.lists(TOKENS, min_size=1, max_size=6))
def test_steps_are_every_beginning_once(paths: list) -> None:
    found = steps(paths)
    assert set(found) == {path[:end] for path in paths for end in range(1, len(path) + 1)}
    assert len(set(found)) == len(found)


def test_answers_that_cannot_be_told_apart_are_refused() -> None:
    """An answer within another, or the same as another, is no second answer."""
    assert why_unscorable([answer("Walk", (1,)), answer("Drive", (2,))]) == ""
    for other in ((1, 2), (1,)):
        told = why_unscorable([answer("Walk", (1,)), answer("Walk there", other)])
        assert "“Walk” and “Walk there” begin with the same tokens" in told


def test_an_answer_without_a_variant_is_refused_with_every_reason() -> None:
    lost = AnswerPaths("a", "Walk", (Path("Walk", (), MERGES), Path(" ", (), NOTHING)))
    told = why_unscorable([answer("Drive", (2,)), lost])
    assert told == f"the answer “Walk” cannot be asked for: {MERGES}; {NOTHING}"
