"""A rater's way from the code to the end: consent, instructions, training, items, checks, breaks.

What comes next follows from what the study file holds, so that a killed process comes back to the
same page. Training and checks are kept apart from ratings. A round without a text has no such page;
rehearsals have none at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from annotate.places import check_places
from annotate.sitting import RatingSitting, RatingView
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
from annotate.wording import Quiz, Training, Wording, parse
from core.errors import Refused
from core.evidence import Quizzed
from core.forms import Answer
from core.study import Seat

if TYPE_CHECKING:  # the first screen is painted before what reads a study is loaded
    from db.file import StudyFile


class Stages:
    """One person's way through one seat; every method returns what is to be shown then.

    Attributes
    ----------
    wait
        How many seconds other writers may take before what is written beside items is
        :class:`core.errors.Busy`; a screen sets it short, and tries again.
    """

    def __init__(self, study: StudyFile, sitting: RatingSitting) -> None:
        self.sitting = sitting
        self._study = study
        self._seat, self._person = sitting.seat, sitting.person
        campaign = study.rounds.round(self._seat.round)
        self._grading = self.sitting.graded
        self._words: Wording = parse(study.rounds.texts(campaign.id))
        self._consented = study.said.consented(self._seat.id, self._person.id) is not None
        self._trained = list(study.said.trained(self._seat.id, self._person.id))
        self._turn = max((said.turn for said in self._trained), default=1)
        self._checked = {q.name for q in study.said.checked(self._seat.id, self._person.id)}
        self._checks = _placed(study, self._words, self._seat, campaign.seed)
        self._declined = self._feedback = self._pause = False
        self._read = bool(self._trained) or sitting.done > 0
        self._since_pause = 0
        self.wait: float | None = None

    @classmethod
    def enter(cls, study: StudyFile, code: str, *, take_over: bool = False) -> Stages:
        """Begin or go on with what an access code opens; see :meth:`RatingSitting.enter`."""
        return cls(study, RatingSitting.enter(study, code, take_over=take_over))

    def view(self) -> StageView:
        """Return what is to be shown now."""
        if self._declined:
            return self._end("declined", self._words.declined)
        if self._words.consent and not self._consented:
            return ConsentView(self._words.consent)
        if self._words.instructions and not self._read:
            return TextView("instructions", self._words.instructions)
        return self._training() or self._working()

    def consent(self, *, accepted: bool) -> StageView:
        """Take the answer to the consent text; only an acceptance is stored, with the version."""
        if accepted and not self._consented:
            with self.sitting.writing(self.wait):
                self._study.said.consent(self._seat.id, self._person.id, self._words.consent)
            self._consented = True
        self._declined = not accepted
        return self.view()

    def answer(self, answer: Answer) -> StageView:
        """Take the answer to whatever the page asks: yes or no to the consent text, or a choice."""
        if isinstance(self.view(), ConsentView):
            return self.consent(accepted=answer is True)
        return self.choose(str(answer))

    def choose(self, choice: str) -> StageView:
        """Take the answer to the training item or the attention check that is shown.

        Raises
        ------
        Refused
            When nothing of the kind is shown, or that is none of its choices.
        """
        match self.view():
            case TrainingView(choices=choices, given=None) if choice in choices:
                self._answer_training(choice)
            case CheckView(choices=choices) if choice in choices:
                self._answer_check(choice)
            case _:
                raise Refused("that is not offered here")
        return self.view()

    def forward(self) -> StageView:
        """Go on: from a text, from feedback, from a break, or from an item that is answered."""
        match self.view():
            case TextView(kind="instructions"):
                self._read = True
            case TextView(kind="repeat"):
                self._turn += 1
            case TrainingView():
                self._feedback = False
            case BreakView():
                self._pause = False
            case RatingView(saved=True):
                self._next()
        return self.view()

    def back(self) -> StageView:
        """Go back: to the item before, from the end to the last one, or to the consent text."""
        match self.view():
            case EndView(reason="declined"):
                self._declined = False
            case BreakView():
                self._pause = False
                self.sitting.back()
            case RatingView() | EndView(reason="finished"):
                self.sitting.back()
        return self.view()

    def save(
        self,
        answers: Mapping[str, Answer],
        comment: str = "",
        seconds: float = 0.0,
        wait: float | None = None,
    ) -> StageView:
        """Store the answers to the item that is shown; see :meth:`RatingSitting.save`."""
        shown = self._item()
        self.sitting.save(answers, comment, seconds, wait)
        self._since_pause += not shown.saved
        return self.view()

    def report(self, text: str) -> StageView:
        """Store what is wrong with the item that is shown."""
        self._item()
        if not text.strip():
            raise Refused("say in a few words what is wrong with this item")
        with self.sitting.writing(self.wait):
            self._study.said.report(self.sitting.assignment.id, self._person.id, text.strip())
        return self.view()

    def alive(self) -> None:
        """Give a sign that somebody is there; see :meth:`RatingSitting.alive`."""
        self.sitting.alive()

    def leave(self) -> None:
        """End the sitting, so that the code can be opened elsewhere at once."""
        self.sitting.leave()

    # Training

    def _training(self) -> StageView | None:
        """Return the page of the training that is due; ``None`` when it is passed or not asked."""
        training = self._words.training
        if training is None or self.sitting.done:
            return None
        answered = [said for said in self._trained if said.turn == self._turn]
        if self._feedback:
            return _question(training, len(answered) - 1, self._turn, answered[-1])
        if len(answered) < len(training.items):
            return _question(training, len(answered), self._turn)
        if sum(said.correct for said in answered) >= training.pass_mark:
            return None
        if self._turn < training.tries:
            return TextView("repeat", training.repeat)
        return self._end("not passed", training.failed)

    def _answer_training(self, choice: str) -> None:
        training = self._words.training
        if training is None:
            return
        count = sum(said.turn == self._turn for said in self._trained)
        item = training.items[count]
        said = Quizzed(item.id, choice, choice == item.right, self._turn)
        with self.sitting.writing(self.wait):
            self._study.said.train(self._seat.id, self._person.id, said)
        self._trained.append(said)
        self._feedback = True

    # The list: items, with checks and breaks in between them

    def _working(self) -> StageView:
        if self.sitting.over:
            return self._end("finished", self._words.end)
        shown = self.sitting.view()
        if not shown.saved:
            if check := self._due():
                return CheckView(check.text, check.choices)
            if self._pause:
                return BreakView(self._words.pause, shown.done, shown.total)
        return shown

    def _due(self) -> Quiz | None:
        position = self.sitting.assignment.position
        for place, check in self._checks:
            if self.sitting.first < place <= position and check.id not in self._checked:
                return check
        return None

    def _answer_check(self, choice: str) -> None:
        if check := self._due():
            said = Quizzed(check.id, choice, choice == check.right)
            with self.sitting.writing(self.wait):
                self._study.said.check(self._seat.id, self._person.id, said)
            self._checked.add(check.id)

    def _next(self) -> None:
        self.sitting.forward()
        if self._words.every and self._since_pause >= self._words.every:
            self._pause, self._since_pause = not self.sitting.over, 0

    def _item(self) -> RatingView:
        shown = self.view()
        if not isinstance(shown, RatingView):
            raise Refused("no item is shown just now")
        return shown

    def _end(self, reason: Ending, text: str) -> EndView:
        code = ""
        if reason == "finished":
            code = self._study.completions.code(self._seat.id, self._person.id)
        done, total = self.sitting.done, self.sitting.total
        return EndView(reason, text, code, done, total, self._grading)


def _question(
    training: Training, place: int, turn: int, said: Quizzed | None = None
) -> TrainingView:
    item = training.items[place]
    return TrainingView(
        number=place + 1,
        total=len(training.items),
        text=item.text,
        choices=item.choices,
        turn=turn,
        turns=training.tries,
        given=said.answer if said else None,
        correct=said.correct if said else None,
        feedback=item.feedback if said else "",
    )


def _placed(
    study: StudyFile, words: Wording, seat: Seat, seed: int
) -> tuple[tuple[int, Quiz], ...]:
    """Return the seat's attention checks, each with the position that it stands before."""
    total = len(study.rounds.assignments(seat.id))
    places = check_places(
        seed=seed, seat=seat.number, total=total, checks=len(words.checks), apart=words.apart
    )
    return tuple(zip(places, words.checks, strict=False))
