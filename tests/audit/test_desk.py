"""The auditor's desk: what quick keys do while an answer is on its way to disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from audit.desk import VERDICT, AuditDesk
from audit.sitting import AuditSitting
from core.errors import Busy
from db.file import open_study
from tests.ui.studies import Planted


@pytest.fixture
def desk(planted: Callable[..., Planted]) -> Iterator[AuditDesk]:
    study = planted()
    with open_study(study.path) as file:
        yield AuditDesk(AuditSitting.enter(file, study.code("auditor")))


def test_going_on_saves_the_note_first(desk: AuditDesk) -> None:
    """A note that was written just now is saved, not in the way; and nothing is skipped."""
    desk.answer(VERDICT, True)
    desk.save()
    desk.back()
    assert desk.note("late").mark == "Saving …"
    state = desk.forward()
    assert (state.view.number, state.hint) == (2, "")
    assert desk.back().view.note == "late"


def test_going_on_with_a_verdict_that_is_on_its_way(desk: AuditDesk) -> None:
    """Verdict and arrow at once are one step, not two."""
    desk.answer(VERDICT, False)
    assert desk.forward().view.number == 2
    assert desk.unsaved == ()


def test_going_on_while_the_file_is_busy(desk: AuditDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not on disk stays in front of the auditor."""

    def busy(**_: object) -> None:
        raise Busy("the study file is busy")

    desk.answer(VERDICT, True)
    monkeypatch.setattr(desk.sitting, "save", busy)
    state = desk.forward()
    assert (state.view.number, state.mark) == (1, "Saving …")
    monkeypatch.undo()
    assert desk.forward().view.number == 2


def test_without_a_verdict_nobody_goes_on(desk: AuditDesk) -> None:
    """A note alone is no verdict."""
    desk.note("only a note")
    state = desk.forward()
    assert (state.view.number, state.hint) == (1, "give a verdict to go on")
