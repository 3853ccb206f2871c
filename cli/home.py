"""What ``wavelock`` alone opens: a menu over one study, with the screens of both front ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from rich.console import Group, RenderableType
from textual import on, work
from textual.content import Content

from annotate.app import Rating
from annotate.sitting import RatingSitting
from annotate.stages import Stages
from audit.app import Auditing
from audit.sitting import AuditSitting
from core.errors import WavelockError
from core.settings import Settings
from core.study import Role, Round, Seat
from core.tables import Table
from db.connection import DatabaseError
from db.file import open_study
from db.rounds import unused_seats
from exports.terminal import render
from ui.saving import reason
from ui.screens.menu import Entry, MenuScreen
from ui.screens.notice import NoticeScreen
from ui.screens.tables import TablesScreen
from ui.widgets.key_line import Hint

Tables = Callable[[], Sequence[Table]]
WELCOME = "practice-welcome"
ROLES: dict[str, Role] = {"p": "rater", "v": "auditor"}


class HomeApp(Rating, Auditing):
    """Rate, audit, practise, see the numbers.

    Parameters
    ----------
    path
        The study file.
    tables
        Returns the tables of the study; called in a thread, so it opens the file for itself.

    Raises
    ------
    NotAStudy
        When the file is none; before anything is drawn.
    """

    def __init__(self, path: Path, tables: Tables, settings: Settings | None = None) -> None:
        super().__init__(settings)
        self.study = open_study(path)
        self._tables = tables
        self._practice: dict[Role, Seat] = {}  # seats taken here, for coming back
        self._start: Callable[[], None] = self.left  # what follows the welcome
        self._ground = 2

    def begin(self) -> None:
        """Show the menu."""
        self._menu = MenuScreen("Wavelock", self.study.info.title, self._entries())
        self.push_screen(self._menu)

    def left(self) -> None:
        """Come back to the menu."""
        self.end_sitting()
        while len(self.screen_stack) > self._ground:
            self.pop_screen()
        self._menu.offer(self._entries())

    def on_unmount(self) -> None:
        """Close the study file."""
        self.end_sitting()
        self.study.close()

    def _entries(self) -> tuple[Entry, ...]:
        practice = (
            Entry("p", "Practise rating", "takes a free seat; feeds nothing"),
            Entry("v", "Practise auditing", "the same, for pairs"),
        )
        return (
            Entry("r", "Rate", "with your access code"),
            Entry("a", "Audit", "with your access code"),
            *(entry for entry in practice if self._seat(ROLES[entry.key])),
            Entry("n", "Numbers", "every table, with its intervals"),
            Entry("q", "Quit"),
        )

    @on(MenuScreen.Chosen)
    def _chosen(self, event: MenuScreen.Chosen) -> None:
        self._menu.say("")
        match event.key:
            case "r":
                self.ask_rating_code()
            case "a":
                self.ask_audit_code()
            case "p" | "v":
                self._practise(ROLES[event.key])
            case "n":
                self._show_numbers()
            case "q":
                self.exit(0)

    # Practice

    def _practice_round(self) -> Round | None:
        rounds = (r for r in self.study.rounds.all() if r.kind == "practice" and r.state == "open")
        return next(rounds, None)

    def _seat(self, role: Role) -> Seat | None:
        """Return the practice seat to go on with: the one taken here, or else a free one."""
        campaign = self._practice_round()
        if campaign is None:
            return None
        progress = self.study.rounds.progress(campaign.id)
        taken = self._practice.get(role)
        if any(entry.seat == taken and entry.done < entry.total for entry in progress):
            return taken
        return next((seat for seat in unused_seats(progress) if seat.role == role), None)

    def _practise(self, role: Role) -> None:
        """Sit down at a practice seat; the first time, say the code for coming back."""
        try:
            with self.study.transaction():  # of two newcomers, each gets a seat of their own
                seat = self._seat(role)
                start = self._sit(seat) if seat else None
            if seat is None or start is None:
                self._menu.say("every practice seat is taken", failed=True)
                return
            if seat == self._practice.get(role):
                start()
                return
            code = self.study.people.issue_code(seat.id)
        except (WavelockError, DatabaseError) as error:
            self._menu.say(reason(error), failed=True)
        else:
            self._practice[role], self._start = seat, start
            self.go_to(_welcome(code, role))

    def _sit(self, seat: Seat) -> Callable[[], None]:
        """Take a seat now, and return what begins the work at it."""
        if seat.role == "rater":
            sitting = RatingSitting.at_seat(self.study, seat)
            return partial(self.start_rating, Stages(self.study, sitting))
        return partial(self.start_audit, AuditSitting.at_seat(self.study, seat))

    @on(NoticeScreen.Answered, f"#{WELCOME}")
    def _welcomed(self, event: NoticeScreen.Answered) -> None:
        if event.way == "on":
            self._start()
        elif event.way == "leave":
            self.left()

    # Numbers

    def _show_numbers(self) -> None:
        screen = TablesScreen("Wavelock · numbers", "Working out the numbers …")
        self.go_to(screen)
        self._work_out(screen)

    @work(thread=True, exclusive=True)
    def _work_out(self, screen: TablesScreen) -> None:
        try:
            tables = self._tables()
        except Exception as error:  # noqa: BLE001  (in a thread; it is shown instead of raised)
            self.call_from_thread(self._numbers_failed, screen, error)
        else:
            self.call_from_thread(screen.show, partial(_drawn, tables))

    def _numbers_failed(self, screen: TablesScreen, error: Exception) -> None:
        screen.fail(reason(error))

    @on(TablesScreen.Left)
    def _numbers_left(self) -> None:
        self.left()


def _drawn(tables: Sequence[Table], width: int) -> RenderableType:
    if not tables:
        return "There are no numbers yet: no wave is frozen, and nothing was run."
    return Group(*(render(table, width) for table in tables))


def _welcome(code: str, role: Role) -> NoticeScreen:
    command = "rate" if role == "rater" else "audit"
    return NoticeScreen(
        "Wavelock · practice",
        "This is practice: nothing that you answer here feeds a decision.",
        (
            Content.assemble("Your access code for coming back:   ", (code, "bold $accent")),
            "",
            f"It is shown once. Write it down; with it, Rate and Audit in the menu and the "
            f"command wavelock {command} bring you back to where you stopped.",
        ),
        Hint("Enter", "go on", 0),
        Hint("Esc", "back to the menu", 1),
        id=WELCOME,
    )


def run(path: Path, tables: Tables, settings: Settings) -> None:
    """Open the menu on a study; see :meth:`ui.app.WavelockApp.run_to_end`."""
    HomeApp(path, tables, settings).run_to_end()
