"""WISE: reading 10^5 replies and printing every table and figure, from 2 models to 13."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from io import StringIO
from random import Random
from typing import TypeVar

from rich.console import Console

from benchmarks._timing import written
from core.figures import Figure
from core.hashing import digest_of
from core.runs import Generation, Run
from core.study import Revision, WaveItem
from core.tables import Table
from evals.scoring import score_of
from evals.verifiers.catalogue import verifier
from exports import terminal
from suites.base import SuiteData, frozen_document
from suites.wise.suite import SUITE

REPETITIONS, REPLICATES = 3, 10_000
SECONDS = 20  # what a person waits for a report
T = TypeVar("T")


def frozen(tasks: int) -> tuple[WaveItem, ...]:
    """Return the items of so many tasks as a wave holds them."""
    found: list[WaveItem] = []
    for scenario in SUITE.scenarios()[:tasks]:
        for item in scenario.items:
            number = len(found) + 1
            revision = Revision(
                number, number, scenario.id, item.condition, 1, item.text, (), None, item.parameters
            )
            document = frozen_document(SUITE, revision, scenario.facts, "salt")
            found.append(
                WaveItem(number, 1, number, number, scenario.id, item.condition, document, "")
            )
    return tuple(found)


def said(items: Sequence[WaveItem], model: int) -> tuple[Generation, ...]:
    """Return made-up replies of one model: 1 to 15 words, some with the keyword."""
    draw = Random(model)  # made-up replies, not secrets
    found = []
    for item in items:
        keyword = item.document["facts"]["keyword"]
        for sample in range(1, REPETITIONS + 1):
            text = " ".join([keyword, *["word"] * draw.randrange(15)][draw.randrange(2) :])
            number = (model * len(items) + item.id) * REPETITIONS + sample
            state = "ok" if text else "empty"
            found.append(
                Generation(number, model, item.id, digest_of(item.id), "", sample, state, text)
            )
    return tuple(found)


def run_of(model: int, items: Sequence[WaveItem]) -> Run:
    """Return a finished run; four models share a provider."""
    conditions = sorted({item.condition for item in items})
    config = {"provider": f"p{model // 4}", "samples": REPETITIONS, "conditions": conditions}
    return Run(model, f"model {model}", "chat", config, f"h{model}", "2026-01-01", "2026-01-01", "")


class Watch:
    """How long each stage took, by name."""

    def __init__(self) -> None:
        self.took: dict[str, float] = {}

    def __call__(self, stage: str, work: Callable[[], T]) -> T:
        began = time.perf_counter()
        done = work()
        self.took[stage] = time.perf_counter() - began
        return done


def report(models: int, tasks: int, replicates: int) -> tuple[int, Watch]:
    """Read the replies of so many models and print everything; return how many replies."""
    items = frozen(tasks)
    spoken = {model: said(items, model) for model in range(1, models + 1)}
    watch = Watch()
    verdicts, evidence = watch("verifiers", lambda: read(items, spoken))
    data = SuiteData(
        items, tuple(run_of(model, items) for model in spoken), spoken, verdicts, {}, (), (),
        seed=1, replicates=replicates, evidence=evidence,
    )  # fmt: skip
    tables = watch("tables", lambda: SUITE.tables(data))
    figures = watch("figures", lambda: SUITE.figures(data))
    text = watch("printing", lambda: printed(tables, figures))
    count = sum(map(len, spoken.values()))
    audit = next(table for table in tables if table.name == "audit")
    assert [row["models"] for row in audit.rows] == [models] * 6, "a model or a panel is missing"
    assert "C_worst" in text, "nothing was printed"
    return count, watch


def read(
    items: Sequence[WaveItem], spoken: dict[int, tuple[Generation, ...]]
) -> tuple[dict[str, dict[int, str]], dict[str, dict[int, str]]]:
    """Return verdicts and evidence, as `wavelock score` stores them."""
    documents = {item.id: item.document for item in items}
    verdicts: dict[str, dict[int, str]] = {}
    evidence: dict[str, dict[int, str]] = {}
    for replies in spoken.values():
        for generation in replies:
            document = documents[generation.wave_item]
            for name in document["verifiers"]:
                found = score_of(verifier(name), generation, document)
                verdicts.setdefault(name, {})[generation.id] = found.verdict
                evidence.setdefault(name, {})[generation.id] = found.evidence
    return verdicts, evidence


def printed(tables: Sequence[Table], figures: Sequence[Figure]) -> str:
    """Return everything as a terminal shows it."""
    out = Console(file=StringIO(), width=160, highlight=False)
    for table in tables:
        out.print(terminal.render(table, 160))
    for figure in figures:
        out.print(terminal.render_figure(figure, 160))
    text: str = out.file.getvalue()  # type: ignore[attr-defined]
    return text


def run(*, tiny: bool = False) -> list[tuple[str, float, str]]:
    """Return the time in all, each stage's share of it, and how it grows."""
    sizes, tasks, replicates = ((1, 2), 8, 40) if tiny else ((2, 13), 100, REPLICATES)
    report(1, 8, 40)  # imports and first calls are paid for before
    few, less = report(sizes[0], tasks, replicates)
    many, more = report(sizes[1], tasks, replicates)
    whole, part = sum(more.took.values()), sum(less.took.values())
    rows = [
        (
            f"seconds for {many:,} replies of {sizes[1]} models: read by their verifiers, every "
            f"table and figure computed with {replicates:,} replicates, printed",
            whole,
            f"at most {SECONDS}",
        ),
        (
            f"growth: seconds per reply, {many:,} over {few:,} replies "
            f"({written(part)} against {written(whole)})",
            (whole / many) / (part / few),
            "at most 2",
        ),
    ]
    rows += [
        (f"share of the stage {stage} ({written(took)})", took / whole, "none")
        for stage, took in more.took.items()
    ]
    return rows
