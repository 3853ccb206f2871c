"""An auditor's way on the screen: pairs, and thanks after the last."""

from __future__ import annotations

from collections.abc import Callable

from textual.screen import Screen

from audit.desk import AuditDesk
from audit.screens.audit import AuditScreen
from audit.sitting import AuditSitting, AuditView
from ui.app import WavelockApp
from ui.flow import Flow
from ui.screens.done import DoneScreen
from ui.state import State


class AuditFlow(Flow[AuditView]):
    """One auditor at work, from the first pair without a verdict."""

    def __init__(
        self, app: WavelockApp, sitting: AuditSitting, *, left: Callable[[], None]
    ) -> None:
        desk = AuditDesk(sitting, advance=app.settings.auto_advance)
        super().__init__(app, desk, item=AuditScreen, left=left)

    def aside(self, state: State[AuditView]) -> Screen[None] | None:
        """Return the thanks when all pairs have been gone through."""
        if not state.over:
            return None
        told = f"All {state.view.total} pairs are audited, and every verdict is saved."
        return DoneScreen(AuditScreen.HEADING, told, AuditScreen.NOUN, state.view.total)
