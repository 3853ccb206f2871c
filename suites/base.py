"""What a suite is: data plus small functions. The rest of the house asks only for what is here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.evidence import GivenRating
from core.figures import Figure
from core.forms import Form
from core.hashing import digest_of
from core.items import Fault, Scenario
from core.judging import PanelVerdicts
from core.rules import InclusionRule
from core.runs import Generation, Message, ModelSet, Run
from core.study import Revision, WaveItem
from core.tables import Table


@dataclass(frozen=True, slots=True)
class SuiteData:
    """What a suite's tables are made from, read once from the study file.

    Attributes
    ----------
    items
        The frozen items of the waves that are reported.
    generations
        Per run, its generations.
    verdicts
        Per verifier, the verdict for each generation id.
    scores
        Per verifier that grades, the score for each generation id that it could grade.
    ratings
        The ratings of the rounds that the waves rest on.
    caveats
        What every title must say: simulated ratings, declared items, ...
    seed, replicates
        For all resampling.
    evidence
        Per verifier, the words that each verdict rests on ("7 words"), by generation id.
    sets
        The declared sets of models that stand.
    survey
        The ratings of closed rounds on what the suite only surveys; no wave rests on them.
    survey_caveats
        What the title of everything that rests on the survey must say.
    judged
        Per rubric that the suite names, what the panel of its judges says of each generation. A
        reply that is in neither of its mappings was not to be judged, or shows nothing.
    """

    items: tuple[WaveItem, ...]
    runs: tuple[Run, ...]
    generations: Mapping[int, tuple[Generation, ...]]
    verdicts: Mapping[str, Mapping[int, str]]
    scores: Mapping[str, Mapping[int, float]]
    ratings: tuple[GivenRating, ...]
    caveats: tuple[str, ...]
    seed: int
    replicates: int
    evidence: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    sets: tuple[ModelSet, ...] = ()
    survey: tuple[GivenRating, ...] = ()
    survey_caveats: tuple[str, ...] = ()
    judged: Mapping[str, PanelVerdicts] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunDefaults:
    """How a suite's models are asked unless a run says otherwise.

    `None` leaves a setting to what the model's kind has by default. Whether there is a system
    prompt is decided by `Suite.render`.
    """

    samples: int = 3
    temperature: float | None = 0.7
    max_tokens: int | None = None
    prefill: str | None = None

    @property
    def decoding(self) -> dict[str, float | str | None]:
        """How an answer is drawn, by the names of a model's settings."""
        return {
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "prefill": self.prefill,
        }


@dataclass(frozen=True, slots=True)
class DraftForm:
    """What a drafted scenario of a suite must hold, beside a text in every condition.

    Attributes
    ----------
    actions
        The actions that every item offers a label for; empty where items offer what they like.
    golds
        The action that is meant in each condition, where the design fixes it.
    facts
        The facts of every scenario, each with the values that are allowed; none: any text.
    matched
        Conditions that stand together: a scenario has one such set or more, each whole. Empty
        where every scenario has all conditions.
    """

    actions: tuple[str, ...] = ()
    golds: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    matched: tuple[tuple[str, ...], ...] = ()


def no_measures(_: Sequence[Scenario]) -> tuple[Table, ...]:
    """Measure nothing: for a suite whose texts are compared with nothing."""
    return ()


@dataclass(frozen=True, slots=True)
class Suite:
    """A benchmark definition.

    Attributes
    ----------
    conditions
        In the order of every table.
    pair
        The two conditions that auditors compare.
    run_conditions
        The conditions that a run asks unless told otherwise.
    strata
        The facts that plans spread evenly: families, domain.
    scenarios
        Reads the drafted scenarios that ship with the suite.
    faults
        Applies the suite's construction rules.
    render
        Turns an item into the conversation that a model is sent.
    verifiers
        Ids of the verifiers that read replies to every item; those that only some items ask for
        are named by the items' own parameters.
    tables, figures
        What a report of the suite shows.
    draft
        What a scenario that is imported must hold.
    measures
        How far apart the drafted texts of a scenario are, as tables.
    run_defaults
        How its models are asked.
    surveyed
        Conditions that people rate for their own sake: no rule decides on them, no model is asked
        them, and their ratings reach the tables without a wave.
    read
        Reads drafted scenarios of somebody's own from a folder, where the suite can.
    rubrics
        Names of rubrics whose judges' majority the tables take for a score of record.
    """

    name: str
    title: str
    conditions: tuple[str, ...]
    pair: tuple[str, str]
    run_conditions: tuple[str, ...]
    strata: tuple[str, ...]
    form: Form
    rule: InclusionRule
    verifiers: tuple[str, ...]
    scenarios: Callable[[], tuple[Scenario, ...]]
    faults: Callable[[Sequence[Scenario]], tuple[Fault, ...]]
    render: Callable[[Revision], tuple[Message, ...]]
    tables: Callable[[SuiteData], tuple[Table, ...]]
    figures: Callable[[SuiteData], tuple[Figure, ...]]
    draft: DraftForm = DraftForm()
    measures: Callable[[Sequence[Scenario]], tuple[Table, ...]] = no_measures
    run_defaults: RunDefaults = RunDefaults()
    surveyed: tuple[str, ...] = ()
    read: Callable[[Path], tuple[Scenario, ...]] | None = None
    rubrics: tuple[str, ...] = ()

    def scenarios_in(self, folder: Path) -> tuple[Scenario, ...]:
        """Return the drafted scenarios of a folder; ``InputError`` where the suite reads none."""
        if self.read is None:
            raise InputError(f"{self.name} reads no items from a folder; start without --from")
        return self.read(folder)


def frozen_document(
    suite: Suite, revision: Revision, facts: Mapping[str, str], salt: str
) -> dict[str, Any]:
    """Return everything that is frozen of an item: text, labels, gold, order, rendered prompt."""
    messages = [{"role": m.role, "content": m.content} for m in suite.render(revision)]
    return {
        "suite": suite.name,
        "scenario": revision.scenario,
        "condition": revision.condition,
        "revision": revision.number,
        "text": revision.text,
        "options": [{"action": o.action, "label": o.label} for o in revision.options],
        "gold": revision.gold,
        "parameters": dict(revision.parameters),
        "facts": dict(facts),
        "salt": salt,
        "messages": messages,
        "prompt_hash": digest_of(messages),
        "verifiers": list(dict.fromkeys((*suite.verifiers, *sorted(revision.parameters)))),
    }
