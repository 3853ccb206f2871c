"""The first reading of a file: what would become of every record; nothing is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from core.errors import CheckFailed, InputError, Refused
from core.words import counted
from db.file import StudyFile
from evals.imports.files import Foreign
from evals.imports.formats import format_of, origin_of, samples_of
from evals.imports.groups import Groups
from evals.imports.matching import Unmatched, options_of, prompts_of
from evals.imports.samples import How, Origin, Sample, Unreadable
from evals.imports.sorting import Key, Sorted, Sorter

LISTED = 1_000  # problems of each kind that are listed; all are counted
EVERY = 500  # records between two looks at the bar
Kind = Literal["unreadable", "unmatched", "conflict", "duplicate"]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Problem:
    """A record that is not taken, and why."""

    kind: Kind
    place: str
    why: str


@dataclass(slots=True)
class Examined:
    """What a file holds, and what would become of it.

    Attributes
    ----------
    counts
        Records by what becomes of them: new, stored, duplicate, conflict, unmatched, unreadable.
    conflicting
        The keys under which the file says several things; none of these is taken.
    unnumbered
        Samples without a number, which were numbered in the order of the file.
    unseen
        Samples whose file does not say what was sent: they were found by hash or key alone.
    """

    file: Foreign
    origin: Origin
    how: How
    groups: Groups
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    conflicting: set[Key] = field(default_factory=set)
    unnumbered: int = 0
    unseen: int = 0

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.counts.total()

    @property
    def wrong(self) -> int:
        """How many records stand in the way of taking the file as a whole."""
        return sum(self.counts[kind] for kind in ("conflict", "unmatched", "unreadable"))

    def take(self, kept: Sorted, sample: Sample) -> None:
        """Count what becomes of a sample; of two in conflict neither is taken."""
        group, first = kept.group, kept.first
        if kept.fate in ("new", "stored"):
            self.counts[kept.fate] += 1
            group.items.add(kept.frozen.item)
            group.stored += kept.fate == "stored"
            group.states[sample.reply.state] += kept.fate == "new"
            return
        if kept.fate == "duplicate":
            self.note(Problem("duplicate", sample.place, f"{kept.name}: {kept.why}"))
            return
        if first and first.fate == "new" and kept.key not in self.conflicting:
            self.counts["new"] -= 1
            group.states[first.state] -= 1
            why = f"{kept.name}: {sample.place} says something else"
            self.note(Problem("conflict", first.place, why))
        self.conflicting.add(kept.key)
        self.note(Problem("conflict", sample.place, f"{kept.name}: {kept.why}"))

    def note(self, problem: Problem) -> None:
        """Count a problem, and list it among the first ones."""
        self.counts[problem.kind] += 1
        if self.counts[problem.kind] <= LISTED:
            self.problems.append(problem)


def examine(
    study: StudyFile, file: Foreign, how: How, progress: Progress | None = None
) -> Examined:
    """Read a file to its end, record by record.

    Raises
    ------
    CheckFailed
        When something frozen is not what it was.
    Refused
        When nothing is frozen.
    InputError
        When the file is in no format that is read, or holds nothing.
    """
    sorter, found = _prepared(study, file, how)
    for place, entry in enumerate(samples_of(file, found.origin.format, how), start=1):
        if isinstance(entry, Unreadable):
            found.note(Problem("unreadable", entry.place, entry.why))
        else:
            found.unseen += entry.asked.messages is None
            try:
                found.take(sorter.sort(entry), entry)
            except Unmatched as error:
                found.note(Problem("unmatched", entry.place, str(error)))
        if progress is not None and not place % EVERY:
            progress(place, 0)
    found.unnumbered = sorter.unnumbered
    if not found.records:
        raise InputError(f"{file.path} holds no rows; nothing was imported")
    return found


def _prepared(study: StudyFile, file: Foreign, how: How) -> tuple[Sorter, Examined]:
    if faults := study.waves.faults():
        raise CheckFailed(f"{faults[0]}; nothing was imported")
    items = study.waves.items()
    if not items:
        raise Refused("nothing is frozen yet, and outputs are those of frozen items only")
    form = format_of(file, how.format)
    origin = origin_of(file, form)
    prompts = prompts_of(items, system=how.ignore_system, strip=how.strip_trailing_newline)
    groups = Groups(study, origin, how, options_of(prompts))
    return Sorter(prompts, groups, how), Examined(file, origin, how, groups)


def again(study: StudyFile, found: Examined) -> Sorter:
    """Return what sorts the same file a second time, just as it was sorted the first time."""
    how = found.how
    prompts = prompts_of(
        study.waves.items(), system=how.ignore_system, strip=how.strip_trailing_newline
    )
    return Sorter(prompts, found.groups, how)


def require_whole(found: Examined, *, partial: bool) -> None:
    """Refuse a file of which something cannot be taken, unless the rest is asked for.

    Raises
    ------
    CheckFailed
        With the counts.
    """
    if not found.wrong or (partial and found.counts["new"] + found.counts["stored"]):
        return
    said = ", ".join(_told(found))
    hint = "" if partial else "; --partial takes the rest"
    raise CheckFailed(f"{found.file.path}: {said}; nothing was imported{hint}")


def _told(found: Examined) -> Iterator[str]:
    for kind, word in (("unreadable", "unreadable"), ("unmatched", "unmatched")):
        if found.counts[kind]:
            yield f"{found.counts[kind]:,} {word}"
    if found.counts["conflict"]:
        yield f"{counted(found.counts['conflict'], 'conflict')}"
