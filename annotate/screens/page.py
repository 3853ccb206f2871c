"""One page beside the items: a text, perhaps a question, and the ways on."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import ClassVar, Literal

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from annotate.pages import Page
from core.forms import Answer, Choice, Form
from ui.guard import KeyGuard
from ui.keys import SHIPPED, Keys
from ui.saving import SAVING
from ui.screens.help import HelpScreen
from ui.text import visible
from ui.widgets.form_view import FormView
from ui.widgets.key_line import Hint, KeyLine
from ui.widgets.message_line import MessageLine
from ui.widgets.prose_pane import ProsePane
from ui.widgets.reading_pane import ReadingPane
from ui.widgets.rule import Rule
from ui.widgets.top_line import TopLine

FAR = 1_000_000
SCROLLING = frozenset({"up", "down", "scroll_up", "scroll_down"})  # may be held down
Way = Literal["answer", "on", "back", "leave"]


class PageScreen(Screen[None]):
    """Draws a page and says once which way its reader goes; what comes of that is not its matter.

    A page is turned by a key that was pressed after it was painted, so that none is passed unread.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "point(1)", show=False),
        Binding("shift+tab", "point(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("home", f"line(-{FAR})", show=False),
        Binding("end", f"line({FAR})", show=False),
    ]
    ACTS: ClassVar[Mapping[str, str]] = {
        "up": "line(-1)", "down": "line(1)", "scroll_up": "line(-1)", "scroll_down": "line(1)",
        "back": "turn('back')", "next": "turn('on')", "stop": "turn('leave')", "help": "help",
    }  # fmt: skip

    class Turned(Message):
        """The reader goes one of the ways; with an answer where one was given."""

        def __init__(self, screen: PageScreen, way: Way, answer: Answer = "") -> None:
            super().__init__()
            self.screen = screen
            self.way = way
            self.answer = answer

        @property
        def control(self) -> PageScreen:
            """The page that was turned."""
            return self.screen

    def __init__(self, page: Page, keys: Keys = SHIPPED, guard: KeyGuard | None = None) -> None:
        super().__init__()
        self.page = page
        self._keys = keys
        self._guard = guard or KeyGuard()
        self._turning = False
        self._below = 0  # lines out of sight

    def compose(self) -> ComposeResult:
        """Lay out the page; the rule that says how much more there is stands below the text."""
        page = self.page
        yield TopLine(f"Wavelock · {page.heading}")
        yield Rule(id="above")
        yield ProsePane() if page.prose else ReadingPane()
        alone = not (page.question or page.told)
        if not alone:
            yield Rule(id="below")
        if page.question:
            yield FormView(Form(page.heading, (page.question,)), (), self._keys)
        elif page.told:
            yield Static(self._told(), classes="told", markup=False)
        yield MessageLine()
        with Vertical(id="foot", classes="alone" if alone else ""):
            yield Rule(id="below" if alone else None)
            yield KeyLine()

    def on_mount(self) -> None:
        """Draw the page; what was typed before it came is no answer to it."""
        page = self.page
        if page.progress:
            self.query_one(TopLine).show(*page.progress)
        if page.question and page.given is not None:
            # What is told of an answer may be long, so it stands where it can be scrolled.
            self.query_one(FormView).show((), {page.question.id: page.given})
            self.query_one(ReadingPane).show(f"{page.text}\n\n{page.told}")
            self.call_after_refresh(self.action_line, FAR)
        else:
            self.query_one(ReadingPane).show(page.text)
        self.query_one(KeyLine).mark("Saved ✓" if page.saved else "")
        self._guard.open(time.monotonic(), ahead=False)
        self._offer()

    def _told(self) -> Content:
        told = visible(self.page.told)
        if not self.page.code:
            return Content(told)
        code = (self.page.code, "bold $accent")
        return Content.assemble(told, "\n\n", "Your completion code:   ", code)

    def _offer(self) -> None:
        self.query_one(KeyLine).offer(*self.hints())

    def tell(self, text: str, failed: bool) -> None:
        """Say that an answer is on its way to disk, or why it failed and can be given again."""
        self._turning = not failed
        self.query_one(KeyLine).mark("" if failed else SAVING)
        self.query_one(MessageLine).say(text, failed=failed)

    def hints(self) -> tuple[Hint, ...]:
        """Return the keys for the last line."""
        page, key = self.page, self._keys.of
        more = self._below and not page.asks
        hints = [Hint("Enter", "read on" if more else page.forward, 1)] if page.forward else []
        if page.asks:
            hints.append(Hint(self._short(), "answer", 1))
        if self._below or self.query_one(ReadingPane).top:
            hints.append(Hint(self._keys.pair("up", "down", ""), "scroll", 3))
        if page.back:
            hints.append(Hint(key("back"), page.back, 2))
        return *hints, Hint(key("help"), "all keys", 4), Hint(key("stop"), page.leave, 0)

    def keys(self) -> tuple[tuple[str, str], ...]:
        """Return all keys for the help."""
        page, key, pair = self.page, self._keys.of, self._keys.pair
        ways = [(self._short(), "answer the question"), ("Tab Enter", "highlight, and give it")]
        return (
            *(ways if page.asks else ()),
            *([("Enter", "read on, and at the end of the text go on")] if page.forward else ()),
            *([(key("next"), page.forward)] if page.forward else ()),
            *([(key("back"), page.back)] if page.back else ()),
            (f"{pair('up', 'down', '')} PgUp PgDn", "scroll the text"),
            (key("stop"), f"{page.leave}; what is saved stays saved"),
        )

    def _short(self) -> str:
        asked = self.page.question
        return self._keys.in_short(Form("", (asked,) if asked else ()), ())

    @on(ReadingPane.Scrolled)
    def _scrolled(self, event: ReadingPane.Scrolled) -> None:
        event.stop()
        self._below = event.below
        self.query_one("#above", Rule).say(_lines(event.above, "above"))
        self.query_one("#below", Rule).say(_lines(event.below, "more · PgDn"))
        self._offer()

    @on(FormView.Picked)
    def _picked(self, event: FormView.Picked) -> None:
        event.stop()
        if event.choice and self.page.asks:
            self._turn("answer", event.choice.value)

    async def on_key(self, event: events.Key) -> None:
        """Take an answer, or a command."""
        typed = event.character if event.is_printable and event.character else event.key
        choice, command = self._choice(typed), self._keys.command(typed)
        picks = event.key in ("enter", "space")
        if choice is None and command not in self.ACTS and not picks:
            return
        event.stop()
        event.prevent_default()
        if choice is None and command in SCROLLING:
            await self.run_action(self.ACTS[command])
        elif not self._guard.accepts(event.key, event.time):
            return
        elif choice:
            self._turn("answer", choice.value)
        elif picks:
            self._pick()
        else:
            await self.run_action(self.ACTS[command])

    def _choice(self, typed: str) -> Choice | None:
        return self.query_one(FormView).choice_of(typed) if self.page.asks else None

    def _pick(self) -> None:
        """Give the highlighted answer, read on, or go on at the end of the text."""
        if self.page.asks:
            form = self.query_one(FormView)
            if form.pointed is None:
                form.point(1)
            else:
                self._turn("answer", form.pointed.value)
        elif self._below:
            self.action_page(1)
        elif self.page.forward:
            self._turn("on")

    def action_turn(self, way: Way) -> None:
        """Go a way that this page has; leaving is always one."""
        page = self.page
        if way == "leave" or (page.forward if way == "on" else page.back):
            self._turn(way)

    def _turn(self, way: Way, answer: Answer = "") -> None:
        if not self._turning or way == "leave":
            self._turning = way != "leave"
            self._guard.leave()
            self._guard.open(time.monotonic(), ahead=False)
            self.post_message(self.Turned(self, way, answer))

    def action_point(self, count: int) -> None:
        """Highlight another answer."""
        if self.page.asks:
            self.query_one(FormView).point(count)

    def action_line(self, count: int) -> None:
        """Scroll the text by lines."""
        self.query_one(ReadingPane).scroll_lines(count)

    def action_page(self, count: int) -> None:
        """Scroll the text by screens."""
        self.query_one(ReadingPane).scroll_pages(count)

    def action_help(self) -> None:
        """Show all keys."""
        self.app.push_screen(HelpScreen(self.keys()))


def _lines(count: int, where: str) -> str:
    if not count:
        return ""
    return f"{count} line{'s' if count > 1 else ''} {where}"
