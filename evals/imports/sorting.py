"""What becomes of each sample: new, stored already, there twice, or in conflict."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal, NamedTuple

from core.runs import State
from db.imports import content_of
from evals.imports.groups import Group, Groups, Place
from evals.imports.matching import Frozen, Prompts, Unmatched
from evals.imports.samples import How, Sample

MOST = 10_000  # samples of one prompt; a number beyond it is none
Fate = Literal["new", "stored", "duplicate", "conflict"]
Key = tuple[int, int, str, int]  # group, item, intervention, sample


class First(NamedTuple):
    """The first sample of a file under a key: what it says, where, and what becomes of it."""

    content: bytes
    place: str
    fate: Fate
    state: State


@dataclass(frozen=True, slots=True)
class Sorted:
    """A sample under its key, and what becomes of it.

    Attributes
    ----------
    why
        What it is the same as, or in conflict with.
    first
        The sample before it that has the same key, if there is one.
    """

    fate: Fate
    key: Key
    group: Group
    frozen: Frozen
    number: int
    why: str = ""
    first: First | None = None

    @property
    def name(self) -> str:
        """What people call it."""
        return f"{self.frozen.name}, sample {self.number}"


class Sorter:
    """Sorts samples in the order of their file; the same file again is sorted the same way."""

    def __init__(self, prompts: Prompts, groups: Groups, how: How) -> None:
        self._prompts, self._groups, self._how = prompts, groups, how
        self._seen: dict[Key, First] = {}
        self._numbered: Counter[Key] = Counter()
        self.unnumbered = 0

    def sort(self, sample: Sample) -> Sorted:
        """Return what becomes of a sample.

        Raises
        ------
        Unmatched
            When it is about no frozen prompt, or its number cannot be one.
        """
        frozen = self._prompts.match(sample.asked)
        group = self._groups.of(sample)
        number = self._number(sample, frozen, group)
        key = (group.number, frozen.item, sample.intervention, number)
        content = content_of(sample.reply)
        packed = bytes.fromhex(content[-32:])
        first = self._seen.get(key)
        if first is None:
            state = sample.reply.state
            fate, why = _against(group, key[1:], content, failed=state == "error")
            self._seen[key] = First(packed, sample.place, fate, state)
        elif first.content == packed:
            fate, why = "duplicate", f"the same as {first.place}"
        else:
            fate, why = "conflict", f"{first.place} says something else"
        return Sorted(fate, key, group, frozen, number, why, first)

    def _number(self, sample: Sample, frozen: Frozen, group: Group) -> int:
        number = sample.number
        if number is None:
            self.unnumbered += 1
            counted = (group.number, frozen.item, sample.intervention, 0)
            self._numbered[counted] += 1
            number = self._numbered[counted]
        number += self._how.sample_offset
        if number < 1:
            raise Unmatched(
                f"its sample is {number}, and samples count from 1; where a file counts from 0, "
                "say --sample-offset 1"
            )
        if number > MOST:
            raise Unmatched(f"its sample is {number:,}, beyond {MOST:,}")
        return number


def _against(group: Group, place: Place, content: str, *, failed: bool) -> tuple[Fate, str]:
    """Hold a sample against what the group's runs have: an error is answered, an answer stands."""
    if place not in group.held:
        return "new", ""
    run, held = group.held[place]
    if held.content == content or (failed and held.state == "error"):
        return "stored", ""
    if held.state == "error":
        return "new", ""
    return "conflict", f"run {run} has another answer"
