"""What a benchmark is made of: scenarios, items, and the neutral view that people are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

LETTERS = "ABCDEFGH"


@dataclass(frozen=True, slots=True)
class Option:
    """One answer that an item offers: what it means (`action`) and what is shown (`label`)."""

    action: str
    label: str


@dataclass(frozen=True, slots=True)
class ItemText:
    """One scenario in one condition, as drafted.

    `gold` is the action that the drafters intend; people decide whether it holds. `parameters`
    stand under the names of the verifiers that read replies to it, as in
    ``{"word-count": {"exactly": 8}}``.
    """

    condition: str
    text: str
    options: tuple[Option, ...] = ()
    gold: str | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scenario:
    """A matched set of items: the same base request in several conditions.

    `facts` is what tables split by (families, domain) and what readers want to know (the
    constraint in words). Raters see none of it.
    """

    id: str
    facts: Mapping[str, str]
    items: tuple[ItemText, ...]

    def item(self, condition: str) -> ItemText:
        """Return the item in one condition; ``KeyError`` when it is not drafted."""
        for item in self.items:
            if item.condition == condition:
                return item
        raise KeyError(condition)


@dataclass(frozen=True, slots=True)
class Fault:
    """One breach of a construction rule: where, which rule, and what was found."""

    scenario: str
    rule: str
    found: str
    condition: str | None = None

    def __str__(self) -> str:
        where = f"{self.scenario}/{self.condition}" if self.condition else self.scenario
        return f"{where}: {self.rule}: {self.found}"


@dataclass(frozen=True, slots=True)
class BlindResponse:
    """All that a grading screen may know of a response.

    It has no field for model, run, condition, sample or verdict. `reference` and `criterion` are
    empty unless the form asks for them.
    """

    text: str
    reference: str = ""
    criterion: str = ""


@dataclass(frozen=True, slots=True)
class BlindItem:
    """All that a rating screen may know of an item.

    It has no field for condition, scenario, gold or model, so that a leak is a type error. The
    number counts within the rater's own list. Options are in the shown order, without actions. In a
    grading round there is a response to it.
    """

    number: int
    text: str
    options: tuple[str, ...]
    response: BlindResponse | None = None

    @property
    def question(self) -> str:
        """The text with its options by letter, as whoever gave the response saw them."""
        options = [
            f"{letter}. {label}" for letter, label in zip(LETTERS, self.options, strict=False)
        ]
        return "\n\n".join([self.text, "\n".join(options)] if options else [self.text])


@dataclass(frozen=True, slots=True)
class BlindPair:
    """All that an audit screen may know of a pair: two texts, by side."""

    number: int
    left: str
    right: str
