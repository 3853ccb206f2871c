"""Simulated raters for rehearsals: they sit in real seats and go the way that people go.

They know the gold action, which no person at a screen does; that is why they may sit in rehearsal
rounds only, and why everything that rests on them says so.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from annotate.rater_quality import RaterQuality
from annotate.simulate_grades import drawn_grades
from annotate.sitting import RatingSitting
from core.errors import Refused
from core.forms import Answer, Form, Question
from core.hashing import seed_from
from core.items import LETTERS
from core.study import Revision, Round
from db.file import StudyFile

Progress = Callable[[int, int], None]


def simulate_ratings(
    study: StudyFile,
    campaign: Round,
    *,
    seed: int,
    quality: RaterQuality | None = None,
    progress: Progress | None = None,
) -> int:
    """Rate everything that is still open in a rehearsal round; return how many ratings were given.

    Raises
    ------
    Refused
        When the round is not a rehearsal: simulated people sit nowhere else.
    """
    if campaign.kind != "rehearsal":
        raise Refused(f"{campaign.name} is a {campaign.kind} round; only rehearsals are simulated")
    quality, sample = quality or RaterQuality(), study.gradings.of_round(campaign.id)
    sittings = [
        RatingSitting.at_seat(study, seat, "simulated")
        for seat in study.rounds.seats(campaign.id, "rater")
    ]
    total, given = sum(sitting.total for sitting in sittings), 0
    done = sum(sitting.done for sitting in sittings)
    for number, sitting in enumerate(sittings):
        while not sitting.finished:
            # Each answer has a seed of its own, so that an interrupted rehearsal ends the same.
            place = sitting.view().number
            draw = Random(seed_from(seed, "rater", number, place))  # noqa: S311
            if sample:
                response = sitting.assignment.response or 0
                answers = drawn_grades(sitting.form, sample, response, quality, draw)
            else:
                answers = drawn_answers(sitting.form, sitting.revision(), quality, seed, draw)
            sitting.save(answers, seconds=draw.uniform(6, 40))
            sitting.forward()
            given += 1
            if progress:
                progress(done + given, total)
        sitting.leave()
    return given


def drawn_answers(
    form: Form, revision: Revision, quality: RaterQuality, seed: int, draw: Random
) -> dict[str, Answer]:
    """Draw one simulated rater's answers to one item.

    `seed` fixes what belongs to the items (which are contested, how natural they read), `draw`
    is the rater's own.
    """
    return {
        question.id: _answer(question, revision, quality, seed, draw) for question in form.questions
    }


def _answer(
    question: Question, revision: Revision, quality: RaterQuality, seed: int, draw: Random
) -> Answer:
    match question.kind:
        case "choice":
            return _choice(question, revision, quality, seed, draw)
        case "likert":
            item = Random(seed_from(seed, question.id, revision.id))  # noqa: S311
            mean = item.gauss(quality.scale_mean, quality.item_spread)
            return min(question.points, max(1, round(draw.gauss(mean, quality.rater_spread))))
        case "yes-no":
            return draw.random() < quality.accuracy
        case "text":
            return "simulated"


def _choice(
    question: Question, revision: Revision, quality: RaterQuality, seed: int, draw: Random
) -> str:
    actions = [option.action for option in revision.options]
    if question.choices and draw.random() < quality.abstain:
        return draw.choice([value for value, _ in question.choices])
    # Whether a scenario is contested is a fact of the scenario, not of who looks at it.
    contested = Random(seed_from(seed, "contested", revision.scenario)).random()  # noqa: S311
    sure = quality.accuracy if contested >= quality.contested else quality.contested_accuracy
    others = [action for action in actions if action != revision.gold]
    right = revision.gold in actions and draw.random() < sure
    chosen = revision.gold if right or not others else draw.choice(others)
    return LETTERS[actions.index(chosen or actions[0])]
