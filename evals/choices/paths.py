"""The tokens that an answer comes to after a prompt, and which of its variants are counted.

An answer's probability is that of the event "the reply goes on with one of these token strings".
Of two strings one of which begins with the other, the longer is part of the shorter's event, so
only the shorter is a term of the sum. Strings of two answers may not begin with each other at all:
one answer would be part of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

Tokens = tuple[int, ...]

MERGES = "it merges with the last token of the anchor"
NOTHING = "it comes to no token"


@dataclass(frozen=True, slots=True)
class Path:
    """One way to write an answer, as tokens after the prompt; `left_out` says why it is no term."""

    text: str
    tokens: Tokens
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class AnswerPaths:
    """All ways to write one answer."""

    action: str
    word: str
    paths: tuple[Path, ...]

    @property
    def counted(self) -> tuple[Path, ...]:
        """Those that are terms of the sum."""
        return tuple(path for path in self.paths if not path.left_out)


def path_of(prompt: Tokens, text: str, whole: Tokens) -> Path:
    """Return the tokens that a text adds to a prompt, given those of both together.

    Where the prompt's tokens are not the beginning of the whole, the model would not have read the
    prompt that others are compared after; such a variant has no path.
    """
    if whole[: len(prompt)] != prompt:
        return Path(text, (), MERGES)
    added = whole[len(prompt) :]
    return Path(text, added, "" if added else NOTHING)


def distinct(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Mark the variants whose tokens are those of another, or go on where another ends.

    Examples
    --------
    >>> found = distinct([Path("a", (1,)), Path("b", (1, 2)), Path("c", (1,)), Path("d", (3,))])
    >>> [path.left_out for path in found]
    ['', 'what it begins with counts already, as “a”', 'the same tokens as “a”', '']
    """
    first: dict[Tokens, str] = {}
    for path in paths:
        if path.tokens:
            first.setdefault(path.tokens, path.text)
    marked = []
    for place, path in enumerate(paths):
        again = any(path.tokens == other.tokens for other in paths[:place])
        shorter = [first[part] for part in _beginnings(path.tokens) if part in first]
        if path.left_out:
            marked.append(path)
        elif again:
            marked.append(replace(path, left_out=f"the same tokens as “{first[path.tokens]}”"))
        elif shorter:
            why = f"what it begins with counts already, as “{shorter[0]}”"
            marked.append(replace(path, left_out=why))
        else:
            marked.append(path)
    return tuple(marked)


def why_unscorable(answers: Sequence[AnswerPaths]) -> str:
    """Return why an item cannot be scored by these answers, or nothing."""
    for answer in answers:
        if not answer.counted:
            reasons = "; ".join(dict.fromkeys(path.left_out for path in answer.paths))
            return f"the answer “{answer.word}” cannot be asked for: {reasons}"
    for place, one in enumerate(answers):
        for other in answers[place + 1 :]:
            if _overlap(one, other):
                return (
                    f"“{one.word}” and “{other.word}” begin with the same tokens to the end of "
                    "one, so one answer would be part of the other"
                )
    return ""


def to_take(answers: Sequence[AnswerPaths]) -> tuple[Tokens, ...]:
    """Return the token strings whose log-probabilities are taken, each once."""
    return tuple(dict.fromkeys(p.tokens for a in answers for p in a.paths if p.tokens))


def steps(paths: Sequence[Tokens]) -> tuple[Tokens, ...]:
    """Return every beginning of the strings, each once: one pass through a model each.

    Examples
    --------
    >>> steps([(1, 2), (1, 3)])
    ((1,), (1, 2), (1, 3))
    """
    return tuple(dict.fromkeys(path[:end] for path in paths for end in range(1, len(path) + 1)))


def _overlap(one: AnswerPaths, other: AnswerPaths) -> bool:
    return any(
        a.tokens[: len(b.tokens)] == b.tokens[: len(a.tokens)]
        for a in one.counted
        for b in other.counted
    )


def _beginnings(tokens: Tokens) -> Iterator[Tokens]:
    """Yield every proper beginning, the shortest first."""
    return (tokens[:end] for end in range(1, len(tokens)))
