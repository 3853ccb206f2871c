"""A study whose run has answered, to be judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.items import Scenario
from core.runs import Answered, GenerationKey, Reply
from db.file import StudyFile, create_study
from db.waves import FrozenDocument
from evals.scoring import score
from suites.base import frozen_document
from suites.registry import load

SUITE = load("core100")
CONDITIONS = ("Active", "Removed", "Explicit", "SalienceControl")


def told(scenario: Scenario, more: Mapping[str, str] | None = None) -> Scenario:
    """Give a drafted scenario the facts that a metadata rubric asks for, and more."""
    facts = {**scenario.facts, "prerequisite": "The car must be there.", "constraint": "presence"}
    return replace(scenario, facts={**facts, **(more or {})})


@pytest.fixture
def answered(tmp_path: Path, workshop: Any) -> Iterator[Callable[..., StudyFile]]:
    """Make studies; ``say(document, sample)`` is the reply, a text or a whole one.

    With several models there is a run for each, and `say` is told the model as well.
    """
    opened: list[StudyFile] = []

    def make(
        say: Callable[..., str | Reply],
        scenarios: int = 3,
        samples: int = 2,
        models: Sequence[str] = ("a model",),
        facts: Mapping[str, str] | None = None,
    ) -> StudyFile:
        drafted = [told(each, facts) for each in workshop.scenarios(scenarios)]
        path = tmp_path / f"judged{len(opened)}.db"
        study = create_study(path, title="t", suite="core100", scenarios=drafted, salt="s")
        opened.append(study)
        known = study.items.facts()
        study.waves.freeze(
            "declared",
            {},
            [
                FrozenDocument(r.item, r.id, frozen_document(SUITE, r, known[r.scenario], "s"))
                for r in study.items.latest()
            ],
        )
        settings = {"conditions": list(CONDITIONS), "samples": samples, "waves": [1]}
        items = study.waves.items()
        for model in models:
            run = study.runs.start(model, "chat", settings).id
            answers = []
            for item in items:
                for sample in range(1, samples + 1):
                    more = (model,) if len(models) > 1 else ()
                    said = say(dict(item.document), sample, *more)
                    reply = said if isinstance(said, Reply) else Reply("ok", visible_text=said)
                    key = GenerationKey(run, item.id, item.document["prompt_hash"], sample)
                    answers.append(Answered(key, reply))
            study.runs.keep(answers)
        score(study, SUITE.verifiers)
        return study

    yield make
    for study in opened:
        study.close()


def letter(document: dict[str, Any], action: str) -> str:
    return "AB"[[option["action"] for option in document["options"]].index(action)]


@pytest.fixture
def by_action() -> Callable[[dict[str, Any], str], str]:
    """The conforming reply that chooses an action."""
    return lambda document, action: f"Answer: {letter(document, action)}\nThat is better."
