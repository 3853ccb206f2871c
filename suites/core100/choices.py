"""From letters to actions: what a reply or a rating of a forced choice means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.batches import by_batch
from core.evidence import GivenRating
from core.items import LETTERS
from core.runs import Generation, Run
from core.study import WaveItem
from suites.base import SuiteData

VERIFIER = "forced-choice"
NONCONFORMING = "nonconforming"  # the verifier's word for a reply that names no option
HEAVY, HEURISTIC = "heavy", "heuristic"


@dataclass(frozen=True, slots=True)
class Tally:
    """Answers to one scenario in one condition.

    `conforming` counts the answers that chose one of the two actions, `heavy` those that chose the
    constraint-heavy one; `given` counts all answers that were read, whatever they were. A request
    that failed gave no answer, and a reply that no verifier has read yet is counted apart.
    """

    given: int = 0
    conforming: int = 0
    heavy: int = 0

    def plus(self, action: str | None) -> Tally:
        """Return the tally with one more answer; ``None`` for one that chose neither action."""
        return Tally(
            self.given + 1,
            self.conforming + (action is not None),
            self.heavy + (action == HEAVY),
        )


Tallies = Mapping[tuple[str, str], Tally]  # by scenario and condition


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """What one model configuration answered, over all its runs (one per set of waves).

    `unread` counts replies that no verifier has read yet; they are in no tally. `finished` says
    whether every prompt of every run has its answer, `batched` whether the answers came by batch.
    """

    label: str
    kind: str
    prefill: str
    generations: tuple[Generation, ...]
    tallies: Tallies
    unread: int
    finished: bool
    batched: bool


def action_of(verdict: str, item: WaveItem) -> str | None:
    """Return the action that a verdict's letter stands for; ``None`` when it is no letter."""
    for letter, option in zip(LETTERS, item.document["options"], strict=False):
        if verdict == letter:
            return str(option["action"])
    return None


def model_answers(data: SuiteData) -> tuple[ModelAnswers, ...]:
    """Return the answers of every model, runs of one configuration taken together."""
    items = {item.id: item for item in data.items}
    verdicts = data.verdicts.get(VERIFIER, {})
    grouped: dict[str, list[Run]] = {}
    for run in data.runs:
        grouped.setdefault(_configuration(run), []).append(run)
    names = Counter(runs[0].model for runs in grouped.values())
    found = []
    for runs in grouped.values():
        generations = tuple(
            generation
            for run in runs
            for generation in data.generations.get(run.id, ())
            if generation.wave_item in items and not generation.intervention
        )
        tallies: dict[tuple[str, str], Tally] = {}
        unread = 0
        for generation in generations:
            item, verdict = items[generation.wave_item], verdicts.get(generation.id)
            if verdict is None:
                unread += generation.state != "error"
                continue
            cell = (item.scenario, item.condition)
            tallies[cell] = tallies.get(cell, Tally()).plus(action_of(verdict, item))
        first = runs[0]
        prefill = str(first.config.get("prefill") or "")
        finished = all(run.finished for run in runs)
        batched = by_batch(first)
        # Which file it is from, or which of two ways it was asked in, its run says.
        shared = (first.imported or batched) and names[first.model] > 1
        label = f"{first.model} (run {first.id})" if shared else first.model
        found.append(
            ModelAnswers(
                label, first.kind, prefill, generations, tallies, unread, finished, batched
            )
        )
    return tuple(found)


def _configuration(run: Run) -> str:
    same = {key: value for key, value in run.config.items() if key not in ("waves", "import")}
    return repr((run.model, run.kind, sorted(same.items(), key=lambda entry: entry[0])))


def rater_tallies(ratings: Sequence[GivenRating], items: Sequence[WaveItem]) -> Tallies:
    """Return what raters chose in the items as frozen; abstentions choose no action.

    Ratings of an earlier text of an item, which a rewrite replaced, are of something else.
    """
    frozen = {(item.scenario, item.condition, item.document["revision"]) for item in items}
    tallies: dict[tuple[str, str], Tally] = {}
    for rating in ratings:
        cell = (rating.scenario, rating.condition)
        if (*cell, rating.revision) not in frozen:
            continue
        letter = rating.answers.get("choice")
        actions = dict(zip(LETTERS, (option.action for option in rating.options), strict=False))
        tallies[cell] = tallies.get(cell, Tally()).plus(actions.get(str(letter)))
    return tallies
