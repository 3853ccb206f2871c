"""A preregistration as data: the plan of a study, its versions, and how two of them differ.

The document is plain values, hashed as canonical JSON. An amendment is a whole new document that
names the hash of the one before, so that a hash says not only what the plan is, but also how it
came about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.hashing import canonical

FORMAT = "wavelock-preregistration-1"
Document = Mapping[str, Any]
# The settings of a model that can be registered; each is a field of a run's configuration.
SETTINGS: dict[str, type] = {
    "kind": str,
    "temperature": float,
    "top_p": float,
    "max_tokens": int,
    "seed": int,
    "prefill": str,
}


@dataclass(frozen=True, slots=True)
class Change:
    """One field that differs: its path, and both values as canonical JSON (``""``: absent)."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Known:
    """What the study held at a moment: facts, whatever anybody says to have looked at.

    `ratings`, `audits` and `decisions` are those of rounds with people (main and pilot).
    """

    ratings: int
    audits: int
    decisions: int
    generations: int

    def __str__(self) -> str:
        return (
            f"{self.ratings:,} ratings, {self.audits:,} audits, {self.decisions:,} decisions, "
            f"{self.generations:,} model outputs"
        )


@dataclass(frozen=True, slots=True)
class Registration:
    """One version of the plan.

    Attributes
    ----------
    number
        0 as it was frozen, then the number of the amendment.
    known
        What the study held when this version was written.
    reason, changes, seen_ratings, seen_outputs
        Of an amendment: why, what, and what the researcher says to have seen by then.
    """

    number: int
    document: Document
    hash: str
    known: Known
    created_at: str
    reason: str = ""
    changes: tuple[Change, ...] = ()
    seen_ratings: bool = False
    seen_outputs: bool = False

    @property
    def late(self) -> bool:
        """Whether ratings or outputs were there, or seen, when this version was written."""
        known = self.known.ratings or self.known.audits or self.known.generations
        return bool(known) or self.seen_ratings or self.seen_outputs

    @property
    def contradictions(self) -> tuple[str, ...]:
        """What the researcher says not to have seen, although the study held it."""
        said = (
            (self.seen_ratings, self.known.ratings, "ratings"),
            (self.seen_outputs, self.known.generations, "outputs"),
        )
        return tuple(
            f"{what} are said to be unseen; the study held {count:,}"
            for seen, count, what in said
            if self.number and count and not seen
        )


def changes(before: Document, after: Document) -> tuple[Change, ...]:
    """Return every field in which two documents differ, by path."""
    one, other = flat(before), flat(after)
    return tuple(
        Change(path, one.get(path, ""), other.get(path, ""))
        for path in dict.fromkeys([*one, *other])
        if one.get(path) != other.get(path) and path not in ("amends", "format")
    )


def flat(document: Document) -> dict[str, str]:
    """Return a document as paths and values; entries of a list are called by their names.

    Examples
    --------
    >>> flat({"rule": {"ratings": 5}, "rounds": [{"name": "r1", "seats": 20}]})
    {'rule.ratings': '5', 'rounds.r1.name': '"r1"', 'rounds.r1.seats': '20'}
    """
    return dict(_leaves("", document))


def _leaves(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and value:
        for key, each in value.items():
            yield from _leaves(f"{path}.{key}" if path else str(key), each)
    elif isinstance(value, list) and value and all(_named(each) for each in value):
        for each in value:
            yield from _leaves(f"{path}.{_named(each)}", each)
    else:
        yield path, canonical(value)


def _named(value: Any) -> str:
    return str(value.get("name") or value.get("id") or "") if isinstance(value, Mapping) else ""


def differences(registered: Document, now: Document) -> tuple[Change, ...]:
    """Return where the present facts of a round or run differ; what is not registered is free."""
    return tuple(
        Change(field, canonical(registered[field]), canonical(value))
        for field, value in now.items()
        if registered.get(field) is not None and registered[field] != value
    )


def told(found: Sequence[Change], most: int = 3) -> str:
    """Say what differs, in one line."""
    parts = [f"{c.field} is {_short(c.after)}, registered {_short(c.before)}" for c in found[:most]]
    more = len(found) - most
    return "; ".join(parts) + (f"; and {more} more" if more > 0 else "")


def _short(value: str) -> str:
    text = value.strip('"') or "nothing"
    return text if len(text) <= 40 else f"{text[:19]}…"


def entry_named(entries: Sequence[Document], name: str) -> Document | None:
    """Return the round, model or family of a name."""
    return next((entry for entry in entries if entry["name"] == name), None)


def judge_differences(
    document: Document, model: str, rubric: str, sealed: str, config: Mapping[str, Any]
) -> tuple[Change, ...]:
    """Return where a judge differs from the entry that is nearest to it.

    Parameters
    ----------
    rubric, sealed
        The rubric's name and version, and the digest of its document.
    """
    judges = document.get("judges", [])
    same = [entry for entry in judges if entry["model"] == model]
    if not same:
        names = ", ".join(dict.fromkeys(entry["model"] for entry in judges)) or "none"
        return (Change("model", names, model),)
    under = [entry for entry in same if entry["hash"] == sealed]
    if not under:
        known = dict.fromkeys(f"{entry['rubric']} {entry['version']}" for entry in same)
        text = "another text of it" if rubric in known else rubric
        return (Change("rubric", ", ".join(known), text),)
    settings = ({key: entry[key] for key in SETTINGS if key in entry} for entry in under)
    return min((differences(entry, config) for entry in settings), key=len)


def late_by(versions: Sequence[Registration], holds: Callable[[Document], bool]) -> str:
    """Say why something came too late: an amendment named it when there was something to see.

    `holds` says whether a document names it; nothing is said where it came in time.
    """
    first = versions[-1]
    for version in reversed(versions):
        if not holds(version.document):
            break
        first = version
    if first.number and first.late:
        known = first.known
        when = f"{known.ratings:,} ratings and {known.generations:,} outputs"
        return f"named only by amendment {first.number}, after {when}"
    return ""


def run_differences(
    document: Document, model: str, config: Mapping[str, Any]
) -> tuple[Change, ...]:
    """Return where a run differs from the plan: its model, settings, conditions, samples."""
    registered = entry_named(document["models"], model)
    if registered is None:
        names = ", ".join(entry["name"] for entry in document["models"])
        return (Change("model", names, model),)
    settings = {key: value for key, value in registered.items() if key in SETTINGS}
    runs = {**document["runs"], "conditions": sorted(document["runs"]["conditions"])}
    return (*differences(settings, config), *differences(runs, config))
