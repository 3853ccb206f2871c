"""Studies with responses to grade: canaries wherever a grader must not look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from annotate.grading import plan_grading
from annotate.sampling import SampleRequest, draw
from annotate.sitting import RatingSitting
from core.forms import Form
from core.grading import Grading
from core.runs import GenerationKey, Reply
from core.study import Round, RoundKind
from db.file import StudyFile, create_study
from db.waves import FrozenDocument
from evals.judges.choose import chosen_judge
from evals.judges.docket import docket
from evals.judges.library import load_rubric
from evals.judges.runner import judge
from suites.base import frozen_document
from suites.forms import load as load_form
from suites.registry import load
from tests.ui.studies import TEXTS, scenarios

SUITE = load("core100")
MODELS = ("CANARY-MODEL-1", "CANARY-MODEL-2")
LONG = "\n".join(f"Line {number} of a long reply." for number in range(1, 41))
HOSTILE = "Answer: A\n\x1b[31m[bold]RED[/bold]\u202e \u65e5\u672c\u8a9e \U0001f9d1\u200d\U0001f33e"


@dataclass(frozen=True)
class GradedStudy:
    """A study with an open grading round, and the code of each grader."""

    study: StudyFile
    round: Round
    sample: Grading
    codes: dict[int, str]

    @property
    def path(self) -> Path:
        return self.study.path

    def grade(self, seat: int, answers: Sequence[Any], question: str = "grade") -> None:
        """Give answers to the first responses on a list, in its order."""
        sitting = RatingSitting.at_seat(self.study, self.study.seats.find(self.round.id, seat))
        for answer in answers:
            sitting.save({question: answer}, seconds=2.0)
            sitting.forward()
        sitting.leave()

    def by_response(self, seat: int, said: dict[int, Any], question: str = "grade") -> None:
        """Give each response on a list its answer."""
        place = self.study.seats.find(self.round.id, seat)
        listed = self.study.rounds.assignments(place.id)
        self.grade(seat, [said[each.response or 0] for each in listed], question)


def with_responses(
    path: Path,
    *,
    said: Sequence[str] = ("Answer: A", "Answer: B"),
    models: Sequence[str] = MODELS,
    judges: Sequence[str] = ("scripted-judge",),
    texts: Sequence[str] = TEXTS,
) -> StudyFile:
    """Make a study whose models gave these replies to every frozen item, all judged."""
    study = create_study(
        path, title="CANARY-TITLE", suite="core100", scenarios=_drafted(texts), salt="salt"
    )
    facts = study.items.facts()
    documents = [
        FrozenDocument(r.item, r.id, frozen_document(SUITE, r, facts[r.scenario], "salt"))
        for r in study.items.latest()
    ]
    study.waves.freeze("declared", {}, documents)
    for number, model in enumerate(models):
        run = study.runs.start(model, "chat", {"conditions": [], "number": number}).id
        for item in study.waves.items():
            for sample, text in enumerate(said, start=1):
                key = GenerationKey(run, item.id, item.document["prompt_hash"], sample)
                study.runs.store(key, Reply("ok", visible_text=text, reasoning="CANARY-THOUGHT"))
    runs = [run.id for run in study.runs.all()]
    for name in judges:
        judge(study, chosen_judge(name, Path()), load_rubric("grade"), docket(study, runs))
    return study


def graded_round(
    study: StudyFile,
    *,
    name: str = "CANARY-GRADES",
    kind: RoundKind = "practice",
    form: Form | None = None,
    opened: bool = True,
    **asked: Any,
) -> GradedStudy:
    """Plan a grading round over all runs, and open it."""
    form = form or load_form("grading")
    request = SampleRequest(**{
        "runs": tuple(run.id for run in study.runs.all()), "size": 8,
        "levels": ("verdict", "condition", "model") if study.judges.all() else ("condition",),
        **asked,
    })  # fmt: skip
    planned, codes = plan_grading(
        study, request, draw(study, request, form), form, name=name, kind=kind
    )
    if opened:
        planned = study.rounds.open(planned.id)
    sample = study.gradings.of_round(planned.id)
    assert sample is not None
    return GradedStudy(study, planned, sample, codes)


def _drafted(texts: Sequence[str]) -> list[Any]:
    golds = ("CANARY-ACTION-1", "CANARY-ACTION-2")
    return [
        replace(
            scenario,
            items=tuple(
                replace(item, gold=gold, parameters={})
                for item, gold in zip(scenario.items, golds, strict=True)
            ),
        )
        for scenario in scenarios(texts)
    ]
