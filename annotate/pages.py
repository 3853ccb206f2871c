"""The pages beside the items as every mouth shows them: what is read, asked, told, and the ways on.

A pure step between a stage's view and the screen or the lines, so that both say the same words.
"""

from __future__ import annotations

from dataclasses import dataclass

from annotate.sitting import RatingView
from annotate.stage_views import (
    BreakView,
    CheckView,
    ConsentView,
    Ending,
    EndView,
    StageView,
    TextView,
    TrainingView,
)
from core.errors import Refused
from core.forms import Answer, Question

AGREE = Question("agree", "yes-no", "Do you agree to take part?")
READ = {"instructions": ("what to do", "go on"), "repeat": ("training", "once more")}
ENDINGS: dict[Ending, str] = {
    "finished": "# Thank you.",
    "declined": "# Thank you all the same.\n\nNothing more is needed from you.",
    "not passed": "# Thank you for your time.\n\nNothing more is needed from you.",
}


@dataclass(frozen=True, slots=True)
class Page:
    """One page beside the items.

    Attributes
    ----------
    heading
        What kind of page it is, for the first line.
    text
        What is to be read: the study's own words, data and never markup.
    prose
        Whether the text is Markdown, of which headings, lists and bold words are drawn.
    question, given
        What is asked, and what was answered; without a question one only goes on.
    told
        What stands below the text: feedback, or that everything is saved.
    code
        The completion code.
    forward, back, leave
        What going on, going back and leaving mean here; empty where that cannot be done.
    progress
        The place, how many are done, and how many there are.
    saved
        Whether everything that was answered is known to be on disk.
    """

    heading: str
    text: str
    prose: bool = False
    question: Question | None = None
    given: Answer | None = None
    told: str = ""
    code: str = ""
    forward: str = ""
    back: str = ""
    leave: str = "stop"
    progress: tuple[int, int, int] | None = None
    saved: bool = False

    @property
    def asks(self) -> bool:
        """Whether an answer is waited for."""
        return self.question is not None and self.given is None


def page_of(view: StageView) -> Page:
    """Return a stage as a page."""
    match view:
        case ConsentView(text=text):
            page = Page("taking part", text, prose=True, question=AGREE)
        case TextView(kind=kind, text=text):
            heading, forward = READ[kind]
            page = Page(heading, text, prose=True, forward=forward)
        case TrainingView():
            page = _training(view)
        case CheckView(text=text, choices=choices):
            page = Page("a question in between", text, question=_asked(choices))
        case BreakView(text=text, done=done, total=total):
            page = Page(
                "a pause", text, forward="go on", back="the item before",
                progress=(done, done, total), saved=True,
            )  # fmt: skip
        case EndView():
            page = _end(view)
        case RatingView():
            raise Refused("an item is no page")
    return page


def _asked(choices: tuple[str, ...]) -> Question:
    return Question("answer", "choice", "Your answer", choices=tuple((c, c) for c in choices))


def _training(view: TrainingView) -> Page:
    verdict = "" if view.correct is None else "That is right." if view.correct else "Not quite."
    turn = f" · turn {view.turn} of {view.turns}" if view.turn > 1 else ""
    return Page(
        heading=f"training{turn}",
        text=view.text,
        question=_asked(view.choices),
        given=view.given,
        told=f"{verdict} {view.feedback}".strip(),
        forward="go on" if view.given is not None else "",
        progress=(view.number, view.number - (view.given is None), view.total),
    )


def _end(view: EndView) -> Page:
    text = view.text or ENDINGS[view.reason]
    if view.reason != "finished":
        back = "back to the question" if view.reason == "declined" else ""
        return Page("the end", text, prose=True, back=back, leave="leave")
    what = "responses are graded" if view.graded else "items are rated"
    return Page(
        heading="the end",
        text=text,
        prose=True,
        told=f"All {view.total} {what}, and every answer is saved.",
        code=view.code,
        back="back to the last item",
        leave="leave",
        progress=(view.total, view.done, view.total),
        saved=True,
    )
