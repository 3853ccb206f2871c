"""Simulated graders for rehearsals: they know the verdict, and mostly come to the same.

No person at a screen is told a verdict; that is why they sit in rehearsal rounds only, and why
whatever rests on them says that it is simulated.
"""

from __future__ import annotations

from random import Random

from annotate.rater_quality import RaterQuality
from core.forms import Answer, Form, Question
from core.grading import Grading


def drawn_grades(
    form: Form, sample: Grading, response: int, quality: RaterQuality, draw: Random
) -> dict[str, Answer]:
    """Draw one simulated grader's answers to one response."""
    verdict = next(each.verdict for each in sample.drawn if each.response == response)
    positive = sample.document["positive"]
    return {
        question.id: _answer(question, verdict, positive, quality, draw)
        for question in form.questions
    }


def _answer(
    question: Question, verdict: str, positive: str, quality: RaterQuality, draw: Random
) -> Answer:
    agrees = draw.random() < quality.accuracy
    match question.kind:
        case "choice":
            values = [value for value, _ in question.choices]
            others = [value for value in values if value != verdict]
            return verdict if verdict in values and agrees else draw.choice(others or values)
        case "yes-no":
            return (verdict == positive) is agrees
        case "likert":
            mean = draw.gauss(quality.scale_mean, quality.rater_spread)
            return min(question.points, max(1, round(mean)))
        case "text":
            return "simulated"
