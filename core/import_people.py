"""Whose a row of an imported file is: people known by salted hashes, which lead back to nobody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, get_args

from core.columns import Row
from core.hashing import digest_of
from core.rows import RowFault, told
from core.study import PersonKind, Role, RoundKind


class Given(Protocol):
    """What somebody gave, as a row has it."""

    @property
    def line(self) -> int:
        """Where it stands in the file."""
        ...

    @property
    def person(self) -> str:
        """Whose it is: a hash."""
        ...

    @property
    def kind(self) -> PersonKind:
        """What they are."""
        ...

    @property
    def position(self) -> int | None:
        """Its place in their order."""
        ...


def kind_column(role: Role) -> str:
    """Return the name of the column that says what somebody is: ``rater_kind``."""
    return f"{role}_kind"


def person_of(row: Row, role: Role, salt: str) -> str:
    """Return the hash of whoever a row names; nobody is a fault, and different on every line."""
    name = row.cell(role)
    if not name:
        row.wrong(role, "nobody is named")
        return f"unnamed on line {row.line}"
    return digest_of([salt, name])


def kind_of(row: Row, role: Role, round_kind: RoundKind) -> PersonKind:
    """Return what a row says that somebody is; who is not human belongs in a rehearsal."""
    column = kind_column(role)
    written = row.cell(column) or "human"
    for kind in get_args(PersonKind):
        if written == kind:
            if kind != "human" and round_kind != "rehearsal":
                row.wrong(column, f"a {kind} {role} belongs in a rehearsal")
            return kind  # type: ignore[no-any-return]
    row.wrong(column, f"{told(written)} is not human, simulated or model")
    return "human"


def clashes(
    given: Sequence[Given], role: Role, noun: str, columns: Mapping[str, str]
) -> Iterator[RowFault]:
    """Name what a single row cannot show: two things at one place, one person of two kinds."""
    places: dict[tuple[str, int], int] = {}
    kinds: dict[str, PersonKind] = {}
    for each in given:
        if each.position is not None:
            first = places.setdefault((each.person, each.position), each.line)
            if first != each.line:
                what = f"this {role} has {noun} at that place on line {first} already"
                yield RowFault(each.line, columns["position"], what)
        if kinds.setdefault(each.person, each.kind) != each.kind:
            what = f"this {role} is of another kind on an earlier line"
            yield RowFault(each.line, columns[kind_column(role)], what)
