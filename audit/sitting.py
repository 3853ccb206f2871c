"""An auditor's sitting: which pair comes next, and when the verdict is saved. No Textual here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from audit.wording import NAME as INSTRUCTIONS
from core.errors import Refused
from core.items import BlindPair
from core.study import PairAudit, PersonKind, Seat

if TYPE_CHECKING:  # the first screen is painted before what reads a study is loaded
    from db.file import StudyFile
    from db.sittings import Held

MOMENT = 0.1  # seconds that a sign of life, or leaving, may wait for other writers


@dataclass(frozen=True, slots=True)
class AuditView:
    """Everything that an audit screen draws: two texts, and this auditor's verdict on them."""

    pair: BlindPair
    total: int
    done: int
    only_intended: bool | None
    note: str
    saved: bool
    instructions: str = ""  # of the round, for whoever audits

    @property
    def number(self) -> int:
        """The pair's place in the auditor's own list, from 1."""
        return self.pair.number


class AuditSitting:
    """One auditor at one seat of an open round. Auditors see no ratings and give no answers."""

    def __init__(self, study: StudyFile, seat: Seat, held: Held) -> None:
        self._study = study
        self._seat = seat
        self._held = held
        self._person = person = held.person
        given, authors = study.audits.of_seat(seat.id), study.audits.authors(seat.id)
        # Where a replaced person's verdicts are kept, only the rest is shown.
        self._pairs = tuple(
            pair
            for pair in study.rounds.pair_assignments(seat.id)
            if authors.get(pair.id, person.id) == person.id
        )
        self._audits = {pair: audit for pair, audit in given.items() if authors[pair] == person.id}
        self._place = self._first_open()

    @classmethod
    def enter(cls, study: StudyFile, code: str, *, take_over: bool = False) -> AuditSitting:
        """Open the sitting that an access code belongs to, at the first pair without a verdict.

        Raises
        ------
        Refused
            When the code is not known, is a rater's, or the round is not open.
        SeatInUse
            When it is open elsewhere; `take_over` ends that sitting.
        """
        return cls.at_seat(study, study.people.seat_of(code), take_over=take_over)

    @classmethod
    def at_seat(
        cls, study: StudyFile, seat: Seat, kind: PersonKind = "human", *, take_over: bool = True
    ) -> AuditSitting:
        """Sit down at a seat, as the person who has it or as a new one."""
        if seat.role != "auditor":
            raise Refused("this code is for rating; start it with: wavelock rate")
        study.sittings.require_open(seat)
        return cls(study, seat, study.sittings.begin(seat, kind, take_over=take_over))

    def alive(self) -> None:
        """Give a sign that somebody is there; without one for two minutes others may sit down.

        A busy file is not waited for: a screen stands still meanwhile, and the next sign will do.

        Raises
        ------
        SeatLost
            When the seat was taken over.
        """
        with self._study.waiting(MOMENT):
            self._study.sittings.seen(self._held)

    def leave(self) -> None:
        """End the sitting, so that the code can be opened elsewhere at once."""
        with self._study.waiting(MOMENT):
            self._study.sittings.end(self._held)

    @property
    def total(self) -> int:
        """How many pairs are on the list."""
        return len(self._pairs)

    @property
    def done(self) -> int:
        """How many pairs have a saved verdict."""
        return len(self._audits)

    @property
    def finished(self) -> bool:
        """Whether every pair has a saved verdict."""
        return self.done == self.total

    def view(self) -> AuditView:
        """Return the current pair as the screen may see it; a pair keeps its sides."""
        pair = self._pairs[self._place]
        audit = self._audits.get(pair.id)
        return AuditView(
            pair=BlindPair(
                self._place + 1,
                self._study.items.revision(pair.left_revision).text,
                self._study.items.revision(pair.right_revision).text,
            ),
            total=self.total,
            done=self.done,
            only_intended=audit.only_intended if audit else None,
            note=audit.note if audit else "",
            saved=audit is not None,
            instructions=self._study.rounds.texts(self._seat.round).get(INSTRUCTIONS, ""),
        )

    def save(
        self,
        *,
        only_intended: bool,
        note: str = "",
        differences: bool = False,
        wait: float | None = None,
    ) -> AuditView:
        """Store the verdict on the current pair; when this returns, it is on disk.

        `differences` says whether the differing words were highlighted before the verdict, `wait`
        how many seconds other writers may take before this is :class:`core.errors.Busy`.
        """
        pair = self._pairs[self._place].id
        before = self._audits.get(pair)
        seen = differences or (before is not None and before.differences)
        audit = PairAudit(pair, only_intended, note, seen)
        if audit != before:
            with self._study.waiting(wait):
                self._store(audit)
        return self.view()

    def _store(self, audit: PairAudit) -> None:
        try:
            with self._study.transaction():
                self._study.sittings.seen(self._held)
                saved = self._study.audits.save(audit, self._person.id)
        except Refused:
            # These say it better than the study file can.
            self._study.sittings.require_open(self._seat)
            self._study.sittings.require_seated(self._seat, self._person)
            raise
        self._audits[audit.pair] = saved

    def forward(self) -> AuditView:
        """Go to the next pair; not past one that has no verdict yet."""
        if self._place + 1 < self.total and self._pairs[self._place].id in self._audits:
            self._place += 1
        return self.view()

    def back(self) -> AuditView:
        """Go to the pair before."""
        self._place = max(0, self._place - 1)
        return self.view()

    def _first_open(self) -> int:
        for place, pair in enumerate(self._pairs):
            if pair.id not in self._audits:
                return place
        return len(self._pairs) - 1
