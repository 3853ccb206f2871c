"""A study whose run has answered, to be judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.items import Scenario
from core.runs import GenerationKey, Reply
from db.file import StudyFile, create_study
from db.waves import FrozenDocument
from evals.scoring import score
from suites.base import frozen_document
from suites.registry import load

SUITE = load("core100")
CONDITIONS = ("Active", "Removed", "Explicit", "SalienceControl")


def told(scenario: Scenario) -> Scenario:
    """Give a drafted scenario the facts that a metadata rubric asks for."""
    facts = {**scenario.facts, "prerequisite": "The car must be there.", "constraint": "presence"}
    return replace(scenario, facts=facts)


@pytest.fixture
def answered(tmp_path: Path, workshop: Any) -> Iterator[Callable[..., StudyFile]]:
    """Make studies with one run; ``say(document, sample)`` is the reply, a text or a whole one."""
    opened: list[StudyFile] = []

    def make(
        say: Callable[[dict[str, Any], int], str | Reply], scenarios: int = 3, samples: int = 2
    ) -> StudyFile:
        drafted = [told(each) for each in workshop.scenarios(scenarios)]
        path = tmp_path / f"judged{len(opened)}.db"
        study = create_study(path, title="t", suite="core100", scenarios=drafted, salt="s")
        opened.append(study)
        facts = study.items.facts()
        study.waves.freeze(
            "declared",
            {},
            [
                FrozenDocument(r.item, r.id, frozen_document(SUITE, r, facts[r.scenario], "s"))
                for r in study.items.latest()
            ],
        )
        settings = {"conditions": list(CONDITIONS), "samples": samples, "waves": [1]}
        run = study.runs.start("a model", "chat", settings).id
        for item in study.waves.items():
            for sample in range(1, samples + 1):
                said = say(dict(item.document), sample)
                reply = said if isinstance(said, Reply) else Reply("ok", visible_text=said)
                key = GenerationKey(run, item.id, item.document["prompt_hash"], sample)
                study.runs.store(key, reply)
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
