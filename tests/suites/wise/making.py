"""WISE studies in memory: made-up replies, read by the real verifiers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from core.hashing import digest_of
from core.items import Scenario
from core.runs import Generation, ModelSet, Run
from core.study import Revision, WaveItem
from evals.scoring import score_of
from evals.verifiers.catalogue import verifier
from suites.base import Suite, SuiteData, frozen_document
from suites.wise.panels import Definition, shipped
from suites.wise.suite import SUITE, suite_of
from suites.wise.tasks import Task
from suites.wise.tasks import shipped as shipped_tasks

# From model, item and sample to a visible text; None leaves a hole.
Speaker = Callable[[str, WaveItem, int], str | None]


def words(count: int) -> str:
    return " ".join(["word"] * count)


def obedient(_model: str, item: WaveItem, _sample: int) -> str:
    """Do what the item asks for."""
    ((name, told),) = item.document["parameters"].items()
    match name:
        case "word-count":
            return words(told["exactly"])
        case "word-range":
            return words(told["between"][0])
        case "keyword-once":
            return f"so {told['keyword']} it is"
        case _:
            return "{" + ", ".join(f'"{key}": 1' for key in told["keys"]) + "}"


def small(count: int = 8) -> tuple[Task, ...]:
    return shipped_tasks()[:count]


def suite(definition: Definition | None = None, tasks: Sequence[Task] | None = None) -> Suite:
    drafted = tuple(tasks or small())
    return suite_of(definition or shipped(), lambda: drafted)


def frozen(of: Suite, conditions: Sequence[str] | None = None) -> tuple[WaveItem, ...]:
    """Return the suite's items as a wave would hold them."""
    wanted = of.run_conditions if conditions is None else conditions
    found: list[WaveItem] = []
    for scenario in of.scenarios():
        for item in scenario.items:
            if item.condition in wanted:
                found.append(_wave_item(of, scenario, item.condition, len(found) + 1))
    return tuple(found)


def _wave_item(of: Suite, scenario: Scenario, condition: str, number: int) -> WaveItem:
    item = scenario.item(condition)
    revision = Revision(
        number, number, scenario.id, condition, 1, item.text, (), None, item.parameters
    )
    document = frozen_document(of, revision, scenario.facts, "salt")
    return WaveItem(
        number, 1, number, number, scenario.id, condition, document, digest_of(document)
    )


def data(
    of: Suite = SUITE,
    *,
    models: Sequence[str] = ("m",),
    speak: Speaker = obedient,
    samples: int = 3,
    conditions: Sequence[str] | None = None,
    sets: Sequence[ModelSet] = (),
    config: dict[str, Any] | None = None,
    replicates: int = 200,
    **more: Any,
) -> SuiteData:
    """Return what a report would read of a study in which these models spoke so."""
    items = frozen(of, conditions)
    runs, generations = [], {}
    for number, model in enumerate(models, start=1):
        runs.append(_run(number, model, samples, sorted({i.condition for i in items}), config))
        generations[number] = tuple(
            Generation(
                number * 1_000_000 + item.id * 10 + sample, number, item.id,
                item.document["prompt_hash"], "", sample, "ok" if said else "empty", said,
            )
            for item in items
            for sample in range(1, samples + 1)
            if (said := speak(model, item, sample)) is not None
        )  # fmt: skip
    verdicts, evidence = read(items, [g for each in generations.values() for g in each])
    return SuiteData(
        items=items,
        runs=tuple(runs),
        generations=generations,
        verdicts=verdicts,
        scores={},
        ratings=(),
        caveats=("not human-validated",),
        seed=1,
        replicates=replicates,
        evidence=evidence,
        sets=tuple(sets),
        **more,
    )


def read(
    items: Sequence[WaveItem], generations: Sequence[Generation]
) -> tuple[dict[str, dict[int, str]], dict[str, dict[int, str]]]:
    """Return verdicts and evidence of the verifiers that the items ask for."""
    documents = {item.id: item.document for item in items}
    verdicts: dict[str, dict[int, str]] = {}
    evidence: dict[str, dict[int, str]] = {}
    for generation in generations:
        document = documents[generation.wave_item]
        for name in document["verifiers"]:
            found = score_of(verifier(name), generation, document)
            verdicts.setdefault(name, {})[generation.id] = found.verdict
            evidence.setdefault(name, {})[generation.id] = found.evidence
    return verdicts, evidence


def _run(
    number: int, model: str, samples: int, conditions: Sequence[str], config: dict[str, Any] | None
) -> Run:
    asked = {
        "model": f"{model}-id", "endpoint": f"https://{model[0]}.example/v1", "samples": samples,
        "conditions": list(conditions), "waves": [1], "temperature": 0.2, "max_tokens": 120,
        **(config or {}),
    }  # fmt: skip
    day = "2026-06-12T00:00:00.000Z"
    return Run(number, model, "chat", asked, f"h{number}", day, day, "d")


def declared(name: str, *models: str) -> ModelSet:
    return ModelSet(name, 1, models, "it was said so.", "2026-06-01T00:00:00.000Z")
