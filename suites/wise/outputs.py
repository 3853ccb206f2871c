"""From verdicts to arrays: what every model said to every task under every form of a panel.

An array cell that is NaN is a hole: not frozen, not asked, failed, or not read yet. A task with a
hole in any repetition counts as missing under that form; nothing is averaged over holes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.runs import Generation
from core.study import WaveItem
from core.verifiers import PASS
from stats.draws import FloatArray
from suites.base import SuiteData
from suites.wise.models import Model, models
from suites.wise.panels import COUNTED, RANGED, STRUCTURED, Definition, Panel

NO_ANSWER = "no-answer"  # the verdict of a reply that shows nothing to read
NO_OBJECT, THE_OBJECT, OTHER_KEYS = 0.0, 1.0, 2.0  # the "counts" of the JSON panel
_NUMBER = re.compile(r"\d+")

Texts = NDArray[np.object_]


@dataclass(frozen=True, slots=True, eq=False)
class PanelOutputs:
    """The outputs of one panel.

    Attributes
    ----------
    models
        Those that were asked anything of the panel.
    tasks, targets
        Ids in their order, and each task's word target.
    compliant
        Models x tasks x forms x repetitions: 1, 0 or NaN.
    counts
        In the same shape: words; occurrences of the keyword; for JSON 0 without an object, 1 with
        the object that was asked for, 2 with other keys.
    texts
        In the same shape: the visible text, ``None`` in holes.
    """

    panel: Panel
    models: tuple[Model, ...]
    tasks: tuple[str, ...]
    targets: FloatArray
    compliant: FloatArray
    counts: FloatArray
    texts: Texts | None = None

    @property
    def scores(self) -> FloatArray:
        """Shares by model, task and form; NaN where any repetition is missing."""
        return np.asarray(self.compliant.mean(axis=3))

    @property
    def lowest(self) -> FloatArray:
        """The least count that complies, task by task."""
        return self._bounds()[0]

    @property
    def highest(self) -> FloatArray:
        """The greatest count that complies, task by task."""
        return self._bounds()[1]

    @property
    def whole_counts(self) -> FloatArray:
        """Counts, with every repetition NaN where one of them is missing."""
        whole = np.isfinite(self.compliant).all(axis=3, keepdims=True)
        return np.where(whole, self.counts, np.nan)

    def absent(self, model: int) -> tuple[str, ...]:
        """Return the forms under which a model has no whole task."""
        whole = np.isfinite(self.scores[model]).any(axis=0)
        return tuple(n for n, there in zip(self.panel.form_names, whole, strict=True) if not there)

    def only(self, chosen: Sequence[int]) -> PanelOutputs:
        """Return the outputs of some of the models."""
        at = list(chosen)
        return PanelOutputs(
            self.panel,
            tuple(self.models[k] for k in at),
            self.tasks,
            self.targets,
            self.compliant[at],
            self.counts[at],
            None if self.texts is None else self.texts[at],
        )

    def _bounds(self) -> tuple[FloatArray, FloatArray]:
        if self.panel.verifier == COUNTED:
            return self.targets, self.targets
        low, high = self.panel.between or (1, 1)
        ones = np.ones(len(self.tasks))
        return low * ones, high * ones


def outputs_of(data: SuiteData, definition: Definition) -> dict[str, PanelOutputs]:
    """Return the outputs of every panel that has frozen tasks, by the panel's name."""
    asked = [(model, tuple(_replies(data, model))) for model in models(data.runs)]
    found = {}
    for panel in definition.panels:
        frozen = [item for item in data.items if item.condition in panel.conditions]
        if frozen:
            found[panel.name] = _panel(data, panel, frozen, asked)
    return found


def _replies(data: SuiteData, model: Model) -> Iterator[Generation]:
    for run in model.runs:
        for generation in data.generations.get(run.id, ()):
            if not generation.intervention:
                yield generation


def _panel(
    data: SuiteData,
    panel: Panel,
    frozen: Sequence[WaveItem],
    asked: Sequence[tuple[Model, Sequence[Generation]]],
) -> PanelOutputs:
    tasks = tuple(sorted({item.scenario for item in frozen}))
    task_at = {name: place for place, name in enumerate(tasks)}
    form_at = {condition: place for place, condition in enumerate(panel.conditions)}
    place = {item.id: (task_at[item.scenario], form_at[item.condition]) for item in frozen}
    given = [(model, [g for g in all_ if g.wave_item in place]) for model, all_ in asked]
    there = [(model, mine) for model, mine in given if mine]
    repetitions = _repetitions(there, panel)
    shape = (len(there), len(tasks), len(panel.forms), repetitions)
    compliant, counts = np.full(shape, np.nan), np.full(shape, np.nan)
    texts = np.full(shape, None, dtype=object)
    verdicts = data.verdicts.get(panel.verifier, {})
    evidence = data.evidence.get(panel.verifier, {})
    for row, (_, mine) in enumerate(there):
        for generation in mine:
            verdict = verdicts.get(generation.id)
            if verdict is None or generation.sample > repetitions:
                continue
            cell = (row, *place[generation.wave_item], generation.sample - 1)
            compliant[cell] = verdict == PASS
            counts[cell] = count_in(verdict, evidence.get(generation.id, ""), panel)
            texts[cell] = generation.visible_text
    targets = {item.scenario: _target(item) for item in frozen}
    return PanelOutputs(
        panel,
        tuple(model for model, _ in there),
        tasks,
        np.array([targets[name] for name in tasks]),
        compliant,
        counts,
        texts,
    )


def _repetitions(there: Sequence[tuple[Model, Sequence[Generation]]], panel: Panel) -> int:
    """Return how many repetitions the panel has: as many as were asked for here.

    What was imported decides only where nothing else is: a file with more samples would make holes
    of the repetitions that the other models were never asked for.
    """
    asked = [_samples(model, panel) for model, _ in there if not model.imported]
    came = [generation.sample for _, mine in there for generation in mine]
    return max([1, *(asked or came)])


def _samples(model: Model, panel: Panel) -> int:
    """Return how many repetitions a model was to give for the panel."""
    conditions = set(panel.conditions)
    asked = [run for run in model.runs if conditions & set(run.config.get("conditions", ()))]
    return max((int(run.config.get("samples", 1)) for run in asked or model.runs), default=1)


def _target(item: WaveItem) -> float:
    facts: Mapping[str, Any] = item.document["facts"]
    return float(facts["target"])


def count_in(verdict: str, evidence: str, panel: Panel) -> float:
    """Return the count that a verifier's evidence names ("7 words", "2 x honey").

    A reply that shows nothing has no words, no keyword and no object; it is counted as such, as in
    the paper's appendix R, and its state stands in a table of its own.

    Examples
    --------
    >>> from suites.wise.panels import shipped
    >>> count_in("fail", "7 words", shipped().panel("exact"))
    7.0
    """
    if panel.verifier == STRUCTURED:
        if verdict == PASS:
            return THE_OBJECT
        return OTHER_KEYS if evidence.startswith("keys:") else NO_OBJECT
    if verdict == NO_ANSWER:
        return 0.0
    found = _NUMBER.match(evidence)
    return float(found[0]) if found else float("nan")


def unit_of(panel: Panel) -> str:
    """Return what the panel's counts count."""
    if panel.verifier in (COUNTED, RANGED):
        return "words"
    return "objects" if panel.verifier == STRUCTURED else "occurrences"
