"""A rater's whole way by typed lines: the same stages, desk and words as on the screens."""

from __future__ import annotations

import time
from collections.abc import Callable

from annotate.desk import RatingDesk
from annotate.items import StagedItems
from annotate.pages import Page, page_of
from annotate.sitting import RatingView
from annotate.stages import Stages
from core.errors import Busy
from core.forms import Form
from core.words import counted
from ui.desk import Desk
from ui.dictation import Dictation
from ui.keys import SHIPPED, Keys, choice_of, of_label
from ui.plain import PAUSE, Talk
from ui.prose import blocks
from ui.saving import reason
from ui.spoken import Lines, asked
from ui.text import visible

Report = Callable[[str], object]


class RatingTalk(Talk[RatingView]):
    """Reads a blind item out and takes the rater's answers, and reports of what is wrong with it.

    `report` stores one; `away` says whether a page stands before the item.
    """

    def __init__(
        self,
        desk: Desk[RatingView],
        keys: Keys = SHIPPED,
        *,
        report: Report | None = None,
        away: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(desk, keys, away=away)
        if report:
            self._commands["report"] = lambda text: self.write(_reporting(report), text)

    def form(self, view: RatingView) -> Form:
        """Return the questions of the round."""
        return view.form

    def options(self, view: RatingView) -> tuple[str, ...]:
        """Return the option labels in the shown order."""
        return view.item.options

    def note(self, view: RatingView) -> str:
        """Return the comment so far."""
        return view.comment

    def read(self, view: RatingView) -> Lines:
        """Return the text of the item, or the question with its response, marked line by line."""
        item, response = view.item, view.item.response
        if response is None:
            return [visible(item.text)]
        beside = (("Right answer", response.reference), ("Held to", response.criterion))
        told = visible(response.text).splitlines() or [""]
        return [
            visible(item.question),
            "",
            *(f"{name}: {visible(text)}" for name, text in beside if text),
            f"Response, {counted(len(told), 'line')}, each behind a bar:",
            *(f"| {line}" for line in told),
        ]

    def thanks(self, view: RatingView) -> str:
        """Return what is said at the end."""
        done = "responses are graded" if view.item.response else "items are rated"
        return f"Thank you. All {view.total} {done}, and every answer is saved."

    def keys(self) -> Lines:
        """Add the command for reports."""
        *others, stop = super().keys()
        return [*others, "report: say what is wrong with this item", stop]


def _reporting(report: Report) -> Dictation:
    def take(text: str) -> Lines:
        if not text:
            return ["Nothing is reported."]
        try:
            _patiently(lambda: report(text))
        except Exception as error:  # noqa: BLE001  (not saved is not saved, whatever the reason)
            return [f"Your report is not saved: {reason(error)}."]
        return ["Your report is saved."]

    return Dictation(take, list)


class RaterTalk:
    """One rater at work, from the consent text to the completion code, by typed lines.

    Attributes
    ----------
    ended
        Whether the person has left.
    """

    def __init__(self, stages: Stages, keys: Keys = SHIPPED, *, advance: bool = True) -> None:
        self.ended = False
        self._stages = stages
        self._keys = keys
        self._desk = RatingDesk(StagedItems(stages), advance=advance)
        self._items = RatingTalk(
            self._desk, keys, report=stages.report, away=lambda: self._page() is not None
        )
        stages.wait = self._desk.WAIT

    @property
    def prompt(self) -> str:
        """What is asked for now."""
        page = self._page()
        if page is None:
            return self._items.prompt
        if page.asks:
            return "Answer: "
        words = [*(["Enter"] if page.forward else []), *(["back"] if page.back else [])]
        return f"{', '.join(words)} or stop: " if words else "stop: "

    def begin(self) -> Lines:
        """Return the first lines."""
        return [*self._items.begin(), *self._arrived()]

    def hear(self, line: str) -> Lines:
        """Take a line, without its end, and return the lines that answer it."""
        if page := self._page():
            return self._on_page(page, line.strip())
        told = self._items.hear(line)
        self.ended = self._items.ended
        return told if self.ended else [*told, *self._arrived()]

    def hang_up(self) -> Lines:
        """Take the end of the input: what can be saved is, what cannot is named."""
        self.ended = True
        return [] if self._page() else self._items.hang_up()

    def alive(self) -> None:
        """Give a sign that somebody is there, while nothing is typed."""
        self._desk.alive()

    def leave(self) -> None:
        """End the sitting."""
        self._desk.leave()

    def _page(self) -> Page | None:
        """Return the page that stands before the item, when one does."""
        view = self._stages.view()
        return None if isinstance(view, RatingView) else page_of(view)

    def _arrived(self) -> Lines:
        """Read out the page that has come; an item was read already."""
        page = self._page()
        return _read(page, self._keys) if page else []

    def _on_page(self, page: Page, line: str) -> Lines:
        match line.casefold():
            case "stop":
                self.ended = True
                return []
            case "again":
                return _read(page, self._keys)
            case "keys" | "?":
                leave = f"stop: {page.leave}; what is saved stays saved"
                return [*_ways(page), "again: read this page again", leave]
            case "back" if page.back:
                return self._go(self._desk.back)
            case "" | "next" if page.forward:
                return self._go(self._stages.forward)
        return self._answer(page, line) if page.asks else [*_no(line), *_ways(page)]

    def _answer(self, page: Page, line: str) -> Lines:
        choices = self._keys.answers(page.question, ()) if page.question else ()
        choice = choice_of(choices, line) or of_label(choices, line)
        if choice is None:
            return [*(_no(line) or ["This question needs an answer."]), *_ask(page, self._keys)]
        return self._go(lambda: self._stages.answer(choice.value))

    def _go(self, act: Callable[[], object]) -> Lines:
        """Turn the page, and read out what comes."""
        try:
            _patiently(act)
        except Exception as error:  # noqa: BLE001  (not saved is not saved, whatever the reason)
            return [f"Not saved: {reason(error)}."]
        if self._page():
            return self._arrived()
        self._desk.time.take()  # reading a page is not working on an item
        return self._items.open()


def _patiently(act: Callable[[], object]) -> None:
    """Do something that writes; while the file is busy, again in short pieces, not for ever."""
    until = time.monotonic() + Desk.PATIENCE
    while True:
        try:
            act()
        except Busy:
            if time.monotonic() > until:
                raise
            time.sleep(PAUSE)
        else:
            return


def _read(page: Page, keys: Keys) -> Lines:
    """Return a page as it is read out; after an answer only what is told of it."""
    if page.given is not None:
        return [page.told, *_ways(page)]
    told = ["", page.told, f"Your completion code: {page.code}"] if page.code else []
    return ["", *_text(page), *told, *_ask(page, keys)]


def _text(page: Page) -> Lines:
    """Return the text of a page; what has no heading of its own is given one."""
    if page.prose:
        return [block.plain for block in blocks(page.text)]
    place = f", {page.progress[0]} of {page.progress[2]}" if page.progress else ""
    return [f"{page.heading.capitalize()}{place}.", "", visible(page.text)]


def _ask(page: Page, keys: Keys) -> Lines:
    if page.question and page.given is None:
        return asked(page.question, keys.answers(page.question, ()), None)
    return ["", *_ways(page)]


def _ways(page: Page) -> Lines:
    """Return the words that lead on and back."""
    on = [f"Enter: {page.forward}."] if page.forward else []
    back = [f"back: {page.back}."] if page.back else []
    return [*on, *back]


def _no(line: str) -> Lines:
    return [f"{visible(line)!r} is no answer here, and no command."] if line else []
