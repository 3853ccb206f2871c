"""An auditor's sitting: which pair comes next, and when the verdict is saved. No Textual here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from audit.wording import NAME as INSTRUCTIONS
from core.evidence import PairAudit
from core.items import BlindPair
from core.study import PairAssignment
from ui.sitting import ListSitting

if TYPE_CHECKING:  # the first screen is painted before what reads a study is loaded
    from db.file import StudyFile  # noqa: F401  (named as a text, in what the sitting is of)


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


class AuditSitting(ListSitting["StudyFile", PairAssignment, PairAudit, AuditView]):
    """One auditor at one seat of an open round. Auditors see no ratings and give no answers."""

    ROLE = "auditor"
    ELSEWHERE = "this code is for rating; start it with: wavelock rate"

    def _planned(
        self,
    ) -> tuple[Sequence[PairAssignment], Mapping[int, PairAudit], Mapping[int, int]]:
        audits, seat = self._study.audits, self._seat.id
        pairs = self._study.rounds.pair_assignments(seat)
        return pairs, audits.of_seat(seat), audits.authors(seat)

    def view(self) -> AuditView:
        """Return the current pair as the screen may see it; a pair keeps its sides."""
        pair = self._list[self._place]
        audit = self._given.get(pair.id)
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
        pair = self._list[self._place].id
        before = self._given.get(pair)
        seen = differences or (before is not None and before.differences)
        audit = PairAudit(pair, only_intended, note, seen)
        if audit != before:
            self._store(audit, wait)
        return self.view()

    def _store(self, audit: PairAudit, wait: float | None) -> None:
        with self.writing(wait):
            saved = self._study.audits.save(audit, self._person.id)
        self._given[audit.pair] = saved
