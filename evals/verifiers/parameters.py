"""Parameters of verifiers: read from the frozen item, and held against what its prompt says.

The parameters of a verifier stand in the item under the verifier's own name::

    "parameters": {"word-range": {"range": [8, 12]}}
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evals.verifiers.keywords import occurrences

Parse = Callable[[object], Any]
Says = Callable[[str, Any], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: how it is read, and what of it the prompt must say.

    Attributes
    ----------
    name
        As in the item.
    parse
        Returns the value; raises ``ValueError`` with what was expected.
    unsaid
        From the prompt and the value to those parts of the value that the prompt does not say.
    default
        Used when the item leaves it out; a parameter without one is required.
    """

    name: str
    parse: Parse
    unsaid: Says
    default: Any = None

    def value(self, given: Mapping[str, Any]) -> Any:
        """Return the value in an item; ``ValueError`` says what is wrong with it."""
        if self.name not in given:
            if self.default is None:
                raise ValueError(f"{self.name} is missing")
            return self.default
        try:
            return self.parse(given[self.name])
        except ValueError as error:
            raise ValueError(f"{self.name} must be {error}, not {given[self.name]!r}") from None


def count(name: str) -> Parameter:
    """Return a parameter that is a whole number from 1, said in digits."""
    return Parameter(name, _count, lambda prompt, value: _unsaid_numbers(prompt, [value]))


def bounds(name: str) -> Parameter:
    """Return a parameter of two whole numbers, lowest and highest, both said in digits."""
    return Parameter(name, _bounds, _unsaid_numbers)


def keyword(name: str) -> Parameter:
    """Return a parameter that is a word or phrase, said in the prompt as a whole word."""
    return Parameter(name, _phrase, lambda prompt, value: _unsaid_words(prompt, (value,)))


def keywords(name: str) -> Parameter:
    """Return a parameter that is a list of different words, each said in the prompt."""
    return Parameter(name, _phrases, _unsaid_words)


def literal(name: str) -> Parameter:
    """Return a parameter that the prompt must contain character by character."""
    return Parameter(name, _phrase, lambda prompt, value: _unsaid_literals(prompt, (value,)))


def literals(name: str) -> Parameter:
    """Return a parameter that is a list of different strings, all contained in the prompt."""
    return Parameter(name, _phrases, _unsaid_literals)


def choice(name: str, offered: tuple[str, ...]) -> Parameter:
    """Return a parameter that is one of a few words; the prompt may say it in its own words."""
    return Parameter(name, lambda given: _one_of(given, offered), _nothing)


def some_of(name: str, offered: tuple[str, ...]) -> Parameter:
    """Return a parameter that lists at least two of a few words."""
    return Parameter(name, lambda given: _some_of(given, offered), _nothing)


def setting(name: str, default: float, low: float, high: float) -> Parameter:
    """Return an optional number that the prompt need not say: how the verifier grades."""
    return Parameter(name, lambda given: _within(given, low, high), _nothing, default)


def _nothing(prompt: str, value: Any) -> tuple[str, ...]:
    return ()


def _unsaid_numbers(prompt: str, values: Sequence[int]) -> tuple[str, ...]:
    # Not a part of a longer number: "8" is said in "8-12", not in "80", "1.8" or "8.5".
    said = set(re.findall(r"(?<![\d.,])\d+(?![.,]?\d)", prompt))
    return tuple(str(value) for value in values if str(value) not in said)


def _unsaid_words(prompt: str, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(value for value in values if not occurrences(prompt, value))


def _unsaid_literals(prompt: str, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(value for value in values if value not in prompt)


def _count(given: object) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise ValueError("a whole number from 1")
    return given


def _bounds(given: object) -> tuple[int, int]:
    wanted = "two whole numbers from 1, the lower first"
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise ValueError(wanted)
    try:
        low, high = _count(given[0]), _count(given[1])
    except ValueError:
        raise ValueError(wanted) from None
    if low > high:
        raise ValueError(wanted)
    return low, high


def _phrase(given: object) -> str:
    if not isinstance(given, str) or not given.strip():
        raise ValueError("a text that is not blank")
    return given


def _phrases(given: object) -> tuple[str, ...]:
    wanted = "a list of texts, none blank, none twice"
    if not isinstance(given, list | tuple) or not given:
        raise ValueError(wanted)
    try:
        found = tuple(_phrase(each) for each in given)
    except ValueError:
        raise ValueError(wanted) from None
    if len({each.casefold() for each in found}) < len(found):
        raise ValueError(wanted)
    return found


def _one_of(given: object, offered: tuple[str, ...]) -> str:
    if given not in offered:
        raise ValueError(f"one of {', '.join(offered)}")
    return str(given)


def _some_of(given: object, offered: tuple[str, ...]) -> tuple[str, ...]:
    wanted = f"at least two of {', '.join(offered)}"
    if not isinstance(given, list | tuple) or len(set(map(str, given))) < 2:
        raise ValueError(wanted)
    if not set(given) <= set(offered):
        raise ValueError(wanted)
    return tuple(sorted(set(given)))


def _within(given: object, low: float, high: float) -> float:
    if not isinstance(given, int | float) or isinstance(given, bool) or not low <= given <= high:
        raise ValueError(f"a number from {low:g} to {high:g}")
    return float(given)
