"""What a batch run would send and cost, and whether its caps allow that; nothing is asked.

A batch cannot be stopped in the middle, so a cap is held against the worst case before anything is
sent: all that is missing, and all that is under way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.batches import BATCH, THROUGH
from core.errors import InputError, Refused
from core.runs import GenerationKey
from core.words import counted
from db.file import StudyFile
from db.run_counts import Spent
from evals.batches.catalogue import batches_of
from evals.batches.splitting import split
from evals.batches.work import size_of
from evals.budget import Caps, Estimate
from evals.gate import tokens_of
from evals.models import MAX_TOKENS, ModelSpec, Prompt
from evals.plan import Plan, known, planned

READ = 500  # keys that are looked up at once


@dataclass(frozen=True, slots=True)
class BatchEstimate(Estimate):
    """What is left to ask by batch.

    Attributes
    ----------
    files
        Batches that it takes.
    under_way
        Requests in open batches; they are not among the calls.
    priced
        Whether single requests have a price.
    """

    files: int = 0
    under_way: int = 0
    priced: bool = False

    @property
    def words(self) -> str:
        """What a person is told."""
        said = super(BatchEstimate, self).words  # slots make another class of it
        said = f"{counted(self.files, 'batch', 'batches')}: {said}"
        if self.prices is None and self.priced:
            said += " (the models file gives no batch price)"
        under_way = f"; {self.under_way:,} requests are under way already"
        return said + (under_way if self.under_way else "")


def dry_batch(
    study: StudyFile,
    spec: ModelSpec,
    *,
    conditions: Sequence[str],
    samples: int,
    waves: Sequence[int] | None = None,
    recorded: Mapping[str, Any] | None = None,
) -> BatchEstimate:
    """Return what a batch run would still send and cost; nothing is asked."""
    provider = batches_of(spec)
    plan = planned_by_batch(
        study, spec, conditions=conditions, samples=samples, waves=waves, recorded=recorded
    )
    run = known(study, spec, plan)
    keys = tuple(keys_of(plan, run.id if run else 0))
    missing = unanswered(study, keys) if run else keys
    free = free_of(study, missing) if run else missing
    prompts = tuple(prompts_of(plan, free))
    sized = ((prompt, size_of(provider, spec, prompt)) for prompt in prompts)
    limits = provider.limits.at_most(spec.limits.batch_requests)
    answered = len(keys) - len(missing)
    spent = study.run_counts.spent(run.id) if run and answered else None
    return BatchEstimate(
        calls=len(prompts),
        tokens_in=sum(map(tokens_of, prompts)),
        tokens_out=round(spent.tokens_out / answered * len(prompts)) if spent else None,
        at_most=len(prompts) * (spec.max_tokens or MAX_TOKENS),
        prices=spec.batch_prices,
        files=sum(1 for _ in split(sized, limits)),
        under_way=len(missing) - len(free),
        priced=spec.prices is not None,
    )


def planned_by_batch(
    study: StudyFile, spec: ModelSpec, *, recorded: Mapping[str, Any] | None = None, **asked: Any
) -> Plan:
    """Return what a run by batch would ask; its configuration says how.

    A run by batch is a run of its own: a provider may answer a batch with other machines or another
    build than a single request, and afterwards nobody could tell which answer came which way.
    """
    return planned(study, spec, **asked, more={**(recorded or {}), THROUGH: BATCH})


def require_room(spec: ModelSpec, caps: Caps, spent: Spent, prompts: Iterable[Prompt]) -> None:
    """Refuse a run that might pass its cap, from what was spent and all that is missing yet.

    Raises
    ------
    Refused
        When it might.
    InputError
        When a cost is to be kept and nobody knows the price.
    """
    if caps == Caps():
        return
    prices, answer = spec.batch_prices, spec.max_tokens or MAX_TOKENS
    if caps.cost is not None and prices is None:
        raise InputError(
            f"{spec.name} has no batch prices, so --max-cost cannot be kept; give batch_input and "
            "batch_output in the models file"
        )
    sent, came = spent.tokens_in, spent.tokens_out
    for prompt in prompts:
        sent, came = sent + 2 * tokens_of(prompt), came + answer
    if caps.tokens is not None and sent + came > caps.tokens:
        raise Refused(_beyond(f"{sent + came:,} tokens", f"{caps.tokens:,}"))
    cost = prices.cost(sent, came) if prices else 0.0
    if caps.cost is not None and cost > caps.cost:
        raise Refused(_beyond(f"${cost:.2f}", f"${caps.cost:.2f}"))


def _beyond(worst: str, cap: str) -> str:
    return (
        f"the run may come to {worst}, beyond the cap of {cap}; a batch cannot be stopped in the "
        "middle, so nothing is sent"
    )


def keys_of(plan: Plan, run: int) -> Iterator[GenerationKey]:
    """Yield every key of a run: the first sample of all items, then the second, and so on."""
    for sample in range(1, plan.samples + 1):
        for question in plan.questions:
            yield GenerationKey(run, question.wave_item, question.prompt_hash, sample)


def prompts_of(plan: Plan, keys: Iterable[GenerationKey]) -> Iterator[Prompt]:
    """Yield the prompts of some keys."""
    questions = {question.wave_item: question for question in plan.questions}
    for key in keys:
        yield Prompt(key, questions[key.wave_item].messages)


def unanswered(study: StudyFile, keys: Sequence[GenerationKey]) -> tuple[GenerationKey, ...]:
    """Return the keys without an answer, looked up some hundred at a time."""
    some = (keys[at : at + READ] for at in range(0, len(keys), READ))
    return tuple(key for part in some for key in study.run_sessions.unanswered(part))


def free_of(study: StudyFile, keys: Sequence[GenerationKey]) -> tuple[GenerationKey, ...]:
    """Return the keys that have no answer and are in no open batch."""
    some = (keys[at : at + READ] for at in range(0, len(keys), READ))
    return tuple(key for part in some for key in study.batches.free(part))
