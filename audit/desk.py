"""An auditor's desk: one verdict per pair, saved as soon as it is given."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from audit.sitting import AuditSitting, AuditView
from core.forms import Answer
from ui.desk import Desk
from ui.state import State

VERDICT, NOTE = "only_intended", "note"
AuditState = State[AuditView]


class AuditDesk(Desk[AuditView]):
    """One auditor at work."""

    HINT = "give a verdict to go on"

    def __init__(
        self,
        sitting: AuditSitting,
        clock: Callable[[], float] = time.monotonic,
        *,
        advance: bool = True,
    ) -> None:
        super().__init__(sitting, clock, advance=advance)
        self.sitting = sitting
        self._looked: set[int] = set()

    def given(self, view: AuditView) -> Mapping[str, Answer]:
        """Return the verdict and the note so far."""
        return given(view)

    def _take(self, question: str, value: Answer) -> AuditState:
        if question != VERDICT:
            return self._keep(replace(self.view, note=str(value)))
        view = replace(self.view, only_intended=None if value == "" else bool(value))
        return self._keep(view, last=self.view.only_intended is None)

    def note(self, text: str) -> AuditState:
        """Take a note on the pair on the screen; it is an answer, and can be taken back as one."""
        return self.answer(NOTE, text)

    def forward(self) -> AuditState:
        """Go to the next pair; a note that is about to be saved is saved before."""
        if not self.ready:
            return super().forward()
        number, state = self.view.number, self.save()
        gone_on = state.over or state.view.number != number
        return state if gone_on or self.ready else super().forward()

    def look(self) -> AuditState:
        """Note that the differing words of this pair were highlighted."""
        self._looked.add(self.view.number)
        return self.state()

    def _needed(self) -> Collection[str]:
        return [VERDICT]

    def _complete(self, view: AuditView) -> bool:
        return view.only_intended is not None

    def _differs(self, draft: AuditView, stored: AuditView) -> bool:
        return (draft.only_intended, draft.note) != (stored.only_intended, stored.note)

    def _store(self, view: AuditView, seconds: float) -> None:
        self.sitting.save(
            only_intended=bool(view.only_intended),
            note=view.note,
            differences=view.number in self._looked,
            wait=self.WAIT,
        )


def given(view: AuditView) -> Mapping[str, Answer]:
    """Return the verdict and the note so far, as answers."""
    found: dict[str, Answer] = {}
    if view.only_intended is not None:
        found[VERDICT] = view.only_intended
    if view.note:
        found[NOTE] = view.note
    return found
