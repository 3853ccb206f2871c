"""Which frozen items are asked about, and by which words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.choices import ChoiceKey, ChoiceScope
from core.errors import CheckFailed, InputError, NotFound, Refused
from core.runs import GenerationKey, Message
from core.study import WaveItem
from db.file import StudyFile
from evals.choices.words import Wanted, words_of
from evals.models import Prompt


@dataclass(frozen=True, slots=True)
class Case:
    """One frozen item: its key, its messages, and the word of each of its answers."""

    key: ChoiceKey
    name: str
    prompt: Prompt
    words: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Docket:
    """The frozen items that are to be scored, how they were chosen, and what they are asked for."""

    scope: ChoiceScope
    items: tuple[WaveItem, ...]
    wanted: Wanted

    def cases(self, setup: int, done: Sequence[int] = ()) -> tuple[Case, ...]:
        """Return what is still to be asked; `done` are frozen items that have their scores."""
        known = frozenset(done)
        return tuple(_case(item, setup, self.wanted) for item in self.items if item.id not in known)


def docket(
    study: StudyFile,
    asked: Wanted,
    *,
    conditions: Sequence[str],
    waves: Sequence[int] | None = None,
) -> Docket:
    """Return the standing frozen items of some conditions.

    Raises
    ------
    CheckFailed
        When something frozen is not what it was: the model would read something else.
    Refused
        When nothing is frozen, or an item was frozen without a prompt.
    NotFound
        When there is no such wave or condition.
    InputError
        When an item cannot be asked for the words; nothing is opened then.
    """
    if faults := study.waves.faults():
        raise CheckFailed(f"{faults[0]}; no model was asked")
    items = study.waves.standing(waves)
    if not items:
        raise Refused("nothing is frozen yet, and models are asked about frozen items only")
    known = {item.condition for item in items}
    for condition in conditions:
        if condition not in known:
            raise NotFound(f"no frozen item is {condition}; there is {', '.join(sorted(known))}")
    if not conditions:
        raise InputError("name at least one condition")
    scope = ChoiceScope(tuple(sorted(set(conditions))), tuple(waves) if waves else None)
    chosen = tuple(item for item in items if item.condition in scope.conditions)
    found = Docket(scope, chosen, asked)
    found.cases(0)  # what cannot be asked is said before a model is opened
    return found


def _case(item: WaveItem, setup: int, asked: Wanted) -> Case:
    turns: Any = item.document.get("messages")
    sent = item.document.get("prompt_hash")
    if not turns or not sent:
        raise Refused(f"{item.name} was frozen without a prompt, so no model can be asked")
    messages = tuple(Message(turn["role"], turn["content"]) for turn in turns)
    return Case(
        ChoiceKey(setup, item.id, sent),
        item.name,
        Prompt(GenerationKey(0, item.id, sent, 1), messages),
        words_of(item.document, asked),
    )
