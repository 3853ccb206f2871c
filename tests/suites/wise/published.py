"""The published model-level tables of WISE as a study: replies that comply as often as printed.

Which task a reply complied on is not printed. Complying replies are laid on the tasks with the
least targets first, and others miss by one word, but for the two Gemini models, whose outputs stay
at three words whatever is asked (appendix I).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pandas as pd

from core.evidence import GivenRating
from core.runs import ModelSet, Run
from core.study import WaveItem
from suites.base import SuiteData
from suites.wise.suite import SUITE
from tests.papers.table import read
from tests.papers.wise.scores import REPETITIONS, ByModel, members
from tests.suites.wise.making import data, declared, obedient, words

BY_MODEL = {
    "exact": "t21_original_by_model",
    "avoidance": "t22_avoidance_by_model",
    "controls": "t17_controls_by_model",
    "keyword": "t20_keyword_by_model",
    "range": "t19_range_by_model",
    "json": "t18_json_by_model",
}
ANNOTATORS = ("a1", "a2", "a3", "a4", "a5")


@cache
def right() -> dict[tuple[str, str], int]:
    """How many of 300 replies complied, by model and condition."""
    found = {}
    for panel, name in BY_MODEL.items():
        table = ByModel(name)
        for model in table.models:
            for form, count in zip(table.forms, table.counts(model), strict=True):
                found[model, f"{panel}/{form}"] = count
    return found


@cache
def places() -> dict[str, int]:
    """Each task's place when tasks are ordered by their targets."""
    drafted = [s for s in SUITE.scenarios() if s.facts["kind"] == "task"]
    ordered = sorted(drafted, key=lambda s: (int(s.facts["target"]), s.id))
    return {scenario.id: place for place, scenario in enumerate(ordered)}


def speak(model: str, item: WaveItem, sample: int) -> str | None:
    """Comply as often as printed; ``None`` where the model was not run."""
    count = right().get((model, item.condition))
    if count is None:
        return None
    if places()[item.scenario] * REPETITIONS + sample - 1 < count:
        return obedient(model, item, sample)
    if model.startswith("Gemini"):
        return words(3)
    told = item.document["parameters"].get("word-count", {"exactly": 8})
    return words(told["exactly"] - 1)


def sets() -> Iterator[ModelSet]:
    """What the paper declares: all that its floor rule does not decide."""
    yield declared("primary/controls", *members("in_controls_9"))
    yield declared("primary/keyword", *members("in_shared_6"))
    yield declared("primary/range", *members("in_shared_6"))
    yield declared("shared", *members("in_shared_6"))


@cache
def study() -> SuiteData:
    """The whole study, through the suite's own items and the real verifiers."""
    table = read("wise", "t07_models").set_index("model")
    found = data(models=list(table.index), speak=speak, sets=tuple(sets()), replicates=40,
                 survey=tuple(survey()))  # fmt: skip
    runs = tuple(_as_printed(run, table.loc[run.model]) for run in found.runs)
    return replace(found, runs=runs)


def _as_printed(run: Run, row: pd.Series) -> Run:
    config = {**run.config, "provider": row.provider, "model": row.api_model_id}
    return replace(run, config=config, created_at=f"{row.accessed}T00:00:00.000Z")


def survey() -> Iterator[GivenRating]:
    """Yield Table 24 as ratings; an annotator's judgments of "no" are laid on the last targets."""
    table = read("wise", "t24_human_exact_n").set_index("form")
    for form, row in table.iterrows():
        for person in ANNOTATORS:
            yes = round(4 * row[person])
            for place, target in enumerate((5, 8, 10, 12)):
                yield GivenRating(
                    round=1, scenario=f"wording-{target:02}", condition=f"wording/{form}",
                    revision=1, options=(), gold=None, list=0, person=person,
                    person_kind="human", hash=f"{form}{person}{target}",
                    answers={"exact": place < yes, "clarity": 4, "naturalness": 3 + place % 2,
                             "ambiguity": 1 + (place + len(form)) % 3, "complexity": 2},
                )  # fmt: skip
