"""Planning a grading round: which responses are graded, and in which order by whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotate.ordering import apart
from annotate.population import Found
from annotate.sampling import Sample, SampleRequest, graded_question
from annotate.strata import Chosen
from annotate.wording import load as load_texts
from core.forms import Form
from core.grading import DrawnResponse, drawn_to_json
from core.hashing import seed_from
from core.plans import RaterSeat, RoundPlan
from core.rules import NO_RULE
from core.study import IDLE_LIMIT, OnReplace, Round, RoundKind
from db.file import StudyFile


def plan_grading(
    study: StudyFile,
    request: SampleRequest,
    drawn: Sample,
    form: Form,
    *,
    name: str,
    kind: RoundKind,
    on_replace: OnReplace = "keep",
    idle_limit: int = IDLE_LIMIT,
    texts: Path | None = None,
) -> tuple[Round, dict[int, str]]:
    """Store a grading round over a sample: every grader grades every response, in an own order.

    Returns
    -------
    round, codes
        Codes by the number of the seat. They are known here and now; the study keeps their hashes.
    """
    plan = RoundPlan(
        name=name,
        kind=kind,
        design="crossed",
        ratings=request.graders,
        seed=request.seed,
        form=form,
        rule=NO_RULE,
        pair=("", ""),
        raters=tuple(_seat(drawn, number, request.seed) for number in range(request.graders)),
        auditors=(),
        on_replace=on_replace,
        idle_limit=idle_limit,
        texts=load_texts(kind, texts, grading=True),
        grading=document_of(request, drawn, form),
    )
    with study.transaction():
        planned = study.rounds.plan(plan)
        codes = {
            seat.number: study.people.issue_code(seat.id) for seat in study.rounds.seats(planned.id)
        }
    return planned, codes


def document_of(request: SampleRequest, drawn: Sample, form: Form) -> dict[str, Any]:
    """Return everything that makes the sample, for canonical JSON."""
    panel = drawn.panel
    return {
        "runs": sorted(set(request.runs)),
        "rubric": panel and panel.rubric,
        "judges": [
            {"judge": judge.id, "model": judge.model, "hash": judge.hash}
            for judge in (panel.judges if panel else ())
        ],
        "verdicts": list(panel.verdicts) if panel else [],
        "positive": drawn.positive,
        "question": graded_question(form).id,
        "levels": list(drawn.levels),
        "quotas": dict(drawn.quotas),
        "cover": request.cover,
        "wanted": drawn.wanted,
        "graders": request.graders,
        "seed": request.seed,
        "left_out": dict(drawn.population.left_out),
        "population": population_cells(drawn),
        "drawn": [
            drawn_to_json(_drawn(found, chosen, drawn.levels)) for found, chosen in drawn.drawn
        ],
    }


def population_cells(drawn: Sample) -> list[dict[str, Any]]:
    """Return every cell of the population: what it is, how many are there, wanted and drawn."""
    there = Counter(drawn.cell(found) for found in drawn.population.found)
    taken = Counter(drawn.cell(found) for found, _ in drawn.drawn)
    return [
        {
            "cell": list(cell),
            "there": there[cell],
            "wanted": str(drawn.shares.get(cell, 0)),
            "drawn": taken[cell],
        }
        for cell in sorted(there)
    ]


def _drawn(found: Found, chosen: Chosen, levels: Sequence[str]) -> DrawnResponse:
    return DrawnResponse(
        response=found.id,
        revision=found.revision,
        scenario=found.scenario,
        condition=found.condition,
        model=found.model,
        verdict=found.verdict,
        strata={level: found.values[level] for level in levels},
        probability=chosen.probability,
    )


def _seat(drawn: Sample, number: int, seed: int) -> RaterSeat:
    """Return a grader's list: in an own order, responses to one text apart from each other."""
    found = sorted((f for f, _ in drawn.drawn), key=lambda each: (each.key, each.id))
    items = [each.revision for each in found]
    ordered = apart(found, items, seed_from(seed, "grader", number))
    return RaterSeat(
        number + 1,
        0,
        tuple(each.revision for each in ordered),
        responses=tuple(each.id for each in ordered),
    )
