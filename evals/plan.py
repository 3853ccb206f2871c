"""What a run consists of before anything is asked: frozen prompts, samples, what it may cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import CheckFailed, InputError, NotFound, Refused
from core.runs import GenerationKey, Message, ModelKind, Run
from core.study import WaveItem
from db.file import StudyFile
from evals.backends import opened
from evals.budget import Estimate
from evals.dropping import require_kept
from evals.gate import tokens_of
from evals.models import MAX_TOKENS, ModelSpec, Prompt, config
from evals.providers.catalogue import PROVIDERS
from evals.source import Question


@dataclass(frozen=True, slots=True)
class Plan:
    """The prompts of a run, how often each is asked, and what its configuration says of that."""

    questions: tuple[Question, ...]
    samples: int
    asked: Mapping[str, Any]

    @property
    def expected(self) -> int:
        """How many keys there are."""
        return len(self.questions) * self.samples


def planned(
    study: StudyFile,
    spec: ModelSpec,
    *,
    conditions: Sequence[str],
    samples: int,
    waves: Sequence[int] | None = None,
    more: Mapping[str, Any] | None = None,
) -> Plan:
    """Return what a run of a model would ask.

    Raises
    ------
    CheckFailed
        When something frozen is not what it was.
    Refused
        When nothing is frozen, or the model's provider cannot be asked like this.
    """
    if not conditions or samples < 1:
        raise InputError("a run needs at least one condition, one sample and one worker")
    items = _frozen(study, conditions, waves)
    questions = tuple(Question(item.id, *_rendered(item)) for item in items)
    require_askable(spec, begun=any(q.messages[-1].role == "assistant" for q in questions))
    numbers = {wave.id: wave.number for wave in study.waves.all()}
    asked = {
        "suite": study.info.suite,
        "conditions": sorted(set(conditions)),
        "samples": samples,
        "waves": sorted({numbers[item.wave] for item in items}),
        **(more or {}),
    }
    return Plan(questions, samples, asked)


def identity(
    spec: ModelSpec, build: Mapping[str, Any], plan: Plan
) -> tuple[str, ModelKind, dict[str, Any]]:
    """Return name, kind and configuration: what makes a run the same one."""
    return spec.name, spec.kind, {**config(spec, build), **plan.asked}


def estimate(study: StudyFile, spec: ModelSpec, plan: Plan) -> Estimate:
    """Return how many requests a run still needs and what they may take; nothing is asked."""
    run = known(study, spec, plan)
    if run:
        require_kept(study, run)
    states = study.run_counts.states(run.id) if run else {}
    answered = sum(states.values()) - states.get("error", 0)
    calls = plan.expected - answered
    prompts = [Prompt(_key(question), question.messages) for question in plan.questions]
    each = sum(map(tokens_of, prompts)) / len(prompts)
    spent = study.run_counts.spent(run.id) if run and answered else None
    return Estimate(
        calls=calls,
        tokens_in=round(each * calls),
        tokens_out=round(spent.tokens_out / answered * calls) if spent else None,
        at_most=calls * (spec.max_tokens or MAX_TOKENS),
        prices=spec.prices,
    )


def known(study: StudyFile, spec: ModelSpec, plan: Plan) -> Run | None:
    """Return the run that would go on; a model that says of itself what it is must be opened."""
    if spec.kind == "chat" and spec.api_model:
        return study.runs.find(*identity(spec, {}, plan))
    with opened(spec) as backend:
        return study.runs.find(*identity(backend.spec, backend.build, plan))


def _key(question: Question) -> GenerationKey:
    return GenerationKey(0, question.wave_item, question.prompt_hash, 1)


def _frozen(
    study: StudyFile, conditions: Sequence[str], waves: Sequence[int] | None
) -> tuple[WaveItem, ...]:
    faults = study.waves.faults()
    if faults:
        more = f" ({len(faults)} differences in all)" if len(faults) > 1 else ""
        raise CheckFailed(f"{faults[0]}{more}; no model was asked")
    items = study.waves.standing(waves)
    if not items:
        raise Refused("nothing is frozen yet, and models are run on frozen items only")
    known = {item.condition for item in items}
    for condition in conditions:
        if condition not in known:
            raise NotFound(f"no frozen item is {condition}; there is {', '.join(sorted(known))}")
    return tuple(item for item in items if item.condition in conditions)


def _rendered(item: WaveItem) -> tuple[str, tuple[Message, ...]]:
    """Return the hash and the messages of a frozen prompt, exactly as frozen."""
    turns: Any = item.document.get("messages")
    prompt_hash = item.document.get("prompt_hash")
    if not turns or not prompt_hash:
        name = f"{item.scenario}/{item.condition}"
        raise Refused(f"{name} was frozen without a prompt, so no model can be asked")
    return prompt_hash, tuple(Message(turn["role"], turn["content"]) for turn in turns)


def require_askable(spec: ModelSpec, *, begun: bool = False) -> None:
    """Refuse a prefill, by us or by a prompt that is begun, that the provider cannot go on with."""
    why = PROVIDERS[spec.provider].no_prefill(spec) if spec.prefill or begun else ""
    if why:
        what = "a prefill" if spec.prefill else "a prompt that ends with the assistant's turn"
        raise Refused(f"{spec.name} takes no prefill: {why}; run it without {what}")
