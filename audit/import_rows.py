"""From rows to audits: every row is held against the items and the pair, every fault is named."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from audit.import_map import SIDES, AuditMap
from core.columns import Row, read_time, read_truth, read_whole
from core.import_people import clashes, kind_column, kind_of, person_of
from core.rows import FileContent, RowFault, told
from core.study import PersonKind, Revision, RoundKind

KIND = kind_column("auditor")


@dataclass(frozen=True, slots=True)
class ImportedAudit:
    """One audit, checked; `person` is a salted hash that means nothing outside of this import."""

    line: int
    person: str
    kind: PersonKind
    left: Revision
    right: Revision
    only_intended: bool
    note: str
    differences: bool
    at: str | None
    position: int | None


@dataclass(frozen=True, slots=True)
class RatedBeside:
    """The ratings that come into the same round.

    Attributes
    ----------
    lines
        By rater, a hash with the same salt, and scenario: the line with the rating.
    revisions
        Those that were rated.
    """

    lines: Mapping[tuple[str, str], int] = field(default_factory=dict)
    revisions: Collection[int] = ()


class AuditChecker:
    """Checks the rows of one file.

    Parameters
    ----------
    columns, kind, pair
        The map, the kind of the round, and the two conditions that this study's auditors compare.
    revisions
        Every revision of every item of the study.
    salt
        Kept nowhere, so that no hash leads back to an auditor.
    beside
        The ratings of the same round, when they come in together.
    """

    def __init__(
        self,
        columns: AuditMap,
        kind: RoundKind,
        pair: tuple[str, str],
        revisions: Sequence[Revision],
        *,
        salt: str,
        beside: RatedBeside | None = None,
    ) -> None:
        self._map = columns
        self._kind = kind
        self._pair = pair
        self._beside = beside
        self._salt = salt
        self._scenarios = {revision.scenario for revision in revisions}
        self._revisions: dict[tuple[str, str], list[Revision]] = {}
        for each in revisions:
            self._revisions.setdefault((each.scenario, each.condition), []).append(each)

    def check(self, content: FileContent) -> tuple[tuple[ImportedAudit, ...], list[RowFault]]:
        """Return the audits of a file, or everything that is wrong with it, by line."""
        faults = [*content.faults]
        if absent := content.lacking(self._map.columns.values()):
            return (), sorted([*faults, *absent], key=_line)
        columns = dict(self._map.columns)
        if KIND in content.columns:
            columns.setdefault(KIND, KIND)  # nobody simulated is taken for human by leaving it out
        audits: list[ImportedAudit] = []
        for record in content.records:
            row = Row(record, columns)
            audit = self._audit(row)
            faults += row.faults
            if audit:
                audits.append(audit)
        faults += _repeated(audits, columns)
        return () if faults else tuple(audits), sorted(faults, key=_line)

    def _audit(self, row: Row) -> ImportedAudit | None:
        """Return the audit of a row, noting what is wrong; ``None`` when it is of no pair."""
        person, kind = person_of(row, "auditor", self._salt), kind_of(row, "auditor", self._kind)
        verdict = self._verdict(row)
        seen = row.read("differences", read_truth) or False
        at = row.read("time", lambda cell: read_time(cell, self._map.zone))
        position = row.read("position", lambda cell: read_whole(cell, least=1))
        sides = self._sides(row, person)
        if sides is None:
            return None
        left, right = sides
        return ImportedAudit(
            line=row.line,
            person=person,
            kind=kind,
            left=left,
            right=right,
            only_intended=verdict,
            note=row.text("note"),
            differences=seen,
            at=at,
            position=position,
        )

    def _verdict(self, row: Row) -> bool:
        cell = row.cell("only_intended")
        if cell in self._map.verdicts:
            return self._map.verdicts[cell]
        if not cell:
            row.wrong("only_intended", "there is no verdict")
        return row.read("only_intended", read_truth) or False

    def _sides(self, row: Row, auditor: str) -> tuple[Revision, Revision] | None:
        """Return what stood left and right: the newest texts that are not ruled out."""
        scenario = row.cell("scenario")
        if scenario not in self._scenarios:
            row.wrong("scenario", f"there is no scenario {told(scenario)}")
            return None
        conditions = [self._condition(row, side) for side in SIDES]
        if sorted(conditions) != sorted(self._pair):
            compared = " and ".join(told(condition) for condition in conditions)
            wanted = " and ".join(self._pair)
            row.wrong(_place(row, "left"), f"compared were {compared}; pairs here are {wanted}")
            return None
        found = [
            self._revision(row, scenario, condition, side)
            for condition, side in zip(conditions, SIDES, strict=True)
        ]
        left, right = found
        if left is None or right is None:
            return None
        for what in self._against_ratings(auditor, (left, right)):
            row.wrong("scenario", what)
        return left, right

    def _condition(self, row: Row, side: str) -> str:
        return row.cell(side) if row.has(side) else self._map.sides[side]

    def _revision(self, row: Row, scenario: str, condition: str, side: str) -> Revision | None:
        known = self._revisions.get((scenario, condition), [])
        number, text = row.cell(f"{side}_revision"), row.text(f"{side}_text")
        name = f"{scenario}/{condition}"
        if not known:
            row.wrong(_place(row, side), f"there is no {name}")
            return None
        kept = [each for each in known if not number or str(each.number) == number]
        if not kept:
            row.wrong(f"{side}_revision", f"{name} has no revision {told(number)}")
            return None
        kept = [each for each in kept if not text or each.text == text]
        if not kept:
            row.wrong(f"{side}_text", f"not the text of {name} in this study")
            return None
        return max(kept, key=lambda each: each.number)

    def _against_ratings(self, auditor: str, sides: Sequence[Revision]) -> Iterator[str]:
        """Say what the ratings of the same round forbid."""
        if self._beside is None:
            return
        scenario = sides[0].scenario
        if line := self._beside.lines.get((auditor, scenario)):
            yield (
                f"whoever audits a pair may not have rated it, and this person rated {scenario} on "
                f"line {line} of the ratings; if these are two people, name them differently"
            )
        for each in sides:
            if each.id not in self._beside.revisions:
                yield (
                    f"revision {each.number} of {each.scenario}/{each.condition} was audited, and "
                    "no rating of this round is of it"
                )


def _line(fault: RowFault) -> int:
    return fault.line


def _place(row: Row, side: str) -> str:
    """Return where a wrong condition stands: in its column, or in the row that the map is about."""
    return side if row.has(side) else "scenario"


def _repeated(audits: Sequence[ImportedAudit], columns: Mapping[str, str]) -> list[RowFault]:
    """Name what a single row cannot show: two audits of one pair, two things at one place."""
    faults = list(clashes(audits, "auditor", "a pair", columns))
    pairs: dict[tuple[str, str], int] = {}
    for audit in audits:
        scenario = audit.left.scenario
        if (first := pairs.setdefault((audit.person, scenario), audit.line)) != audit.line:
            what = f"this auditor audited {scenario} on line {first} already"
            faults.append(RowFault(audit.line, columns["auditor"], what))
    return faults
