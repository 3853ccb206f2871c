"""Audits from elsewhere: into the round of the ratings that they came with, or into their own.

Everything is checked before anything is stored. Who audited what is a matter of one round, and so
is the rule that nobody audits what they rated; of people elsewhere it can be checked only while
both files are there, because who somebody was is never stored. So ratings and audits that belong
together come in together.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from audit.import_map import AuditMap
from audit.import_rows import AuditChecker, ImportedAudit, RatedBeside
from core.columns import in_order
from core.evidence import PairAudit
from core.plans import AuditorSeat, PlannedPair, RoundPlan
from core.rows import FileContent, RowFault
from core.study import Round, RoundKind, Seat
from db import imported_files
from db.file import StudyFile
from suites.base import Suite

EVENT = "audits imported"


@dataclass(frozen=True, slots=True)
class Source:
    """A file of audits: its content, its digest, and how it is read."""

    content: FileContent
    digest: str
    columns: AuditMap


@dataclass(frozen=True, slots=True)
class Target:
    """The round that audits are imported into."""

    name: str
    kind: RoundKind
    suite: Suite


@dataclass(frozen=True, slots=True)
class Audits:
    """The audits of a file, checked, in the order in which their auditors gave them."""

    source: Source
    by_auditor: tuple[tuple[ImportedAudit, ...], ...]

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(map(len, self.by_auditor))

    @property
    def seats(self) -> tuple[AuditorSeat, ...]:
        """One seat per auditor, with the sides and places of the file."""
        return tuple(_seat(n, mine) for n, mine in enumerate(self.by_auditor, start=1))

    def store(self, study: StudyFile, campaign: Round) -> None:
        """Fill the seats of a round; part of the transaction that makes it."""
        seats = study.rounds.seats(campaign.id, "auditor")
        for seat, mine in zip(seats, self.by_auditor, strict=True):
            _audit(study, seat, mine)
        study.ledger.append(EVENT, self._entry(campaign.name))

    def _entry(self, name: str) -> dict[str, Any]:
        return {
            "round": name,
            "file": self.source.digest,
            "audits": self.count,
            "auditors": len(self.by_auditor),
            "map": self.source.columns.document,
        }


def checked(
    study: StudyFile,
    source: Source,
    target: Target,
    salt: str | None = None,
    beside: RatedBeside | None = None,
) -> tuple[Audits, list[RowFault]]:
    """Return the audits of a file, and everything that is wrong with them; nothing is stored.

    With the same `salt`, somebody who is in two files is known in both.
    """
    salt = secrets.token_hex(16) if salt is None else salt
    pair, revisions = target.suite.pair, study.items.all()
    checker = AuditChecker(source.columns, target.kind, pair, revisions, salt=salt, beside=beside)
    found, faults = checker.check(source.content)
    by_auditor: dict[str, list[ImportedAudit]] = defaultdict(list)
    for audit in found:
        by_auditor[audit.person].append(audit)
    ordered = tuple(tuple(in_order(mine)) for mine in by_auditor.values())
    return Audits(source, ordered), faults


def store(study: StudyFile, audits: Audits, target: Target) -> Round:
    """Make a round of audits alone, and close it: all of it or nothing.

    Raises
    ------
    Refused
        When this file is in this round already.
    InputError
        When another round has the name.
    """
    require_new(study, audits.source, target.name)
    with study.transaction():
        campaign = study.rounds.open(study.rounds.plan(_plan(audits, target)).id)
        audits.store(study, campaign)
        return study.rounds.close(campaign.id)


def rounds_with(study: StudyFile, source: Source) -> tuple[str, ...]:
    """Name the rounds that the same file was imported into."""
    return imported_files.rounds_with(study, EVENT, source.digest)


def require_new(study: StudyFile, source: Source, name: str) -> None:
    """Refuse a file that is in a round already."""
    imported_files.require_new(study, EVENT, source.digest, name)


def _plan(audits: Audits, target: Target) -> RoundPlan:
    shown = {frozenset(a.left.scenario for a in mine) for mine in audits.by_auditor}
    return RoundPlan(
        name=target.name,
        kind=target.kind,
        design="crossed" if len(shown) == 1 else "overlap",
        ratings=target.suite.rule.ratings,
        seed=0,
        form=target.suite.form,
        rule=target.suite.rule,
        pair=target.suite.pair,
        raters=(),
        auditors=audits.seats,
        source="imported",
    )


def _seat(number: int, audits: Sequence[ImportedAudit]) -> AuditorSeat:
    pairs = tuple(PlannedPair(a.left.scenario, a.left.id, a.right.id) for a in audits)
    positions = tuple(audit.position for audit in audits if audit.position is not None)
    return AuditorSeat(number, pairs, positions if len(positions) == len(audits) else ())


def _audit(study: StudyFile, seat: Seat, audits: Sequence[ImportedAudit]) -> None:
    person = study.people.take_seat(seat.id, audits[0].kind)
    pairs = {pair.scenario: pair.id for pair in study.rounds.pair_assignments(seat.id)}
    for given in audits:
        pair = pairs[given.left.scenario]
        audit = PairAudit(pair, given.only_intended, given.note, given.differences)
        study.audits.save(audit, person.id, given.at)
