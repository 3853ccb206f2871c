"""From one frozen item to the log-probabilities of its answers: plan the tokens, take them, sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from core.choices import Answer, Scored, Variant
from core.clock import now
from core.hashing import canonical
from core.runs import Reply
from evals.attempts import Ask, Attempt
from evals.choices.docket import Case
from evals.choices.paths import (
    AnswerPaths,
    Path,
    Tokens,
    distinct,
    path_of,
    to_take,
    why_unscorable,
)
from evals.choices.routes import Broken, Route, Taken, Unscorable
from evals.choices.words import Wanted, spellings
from evals.models import ModelSpec, Prompt
from evals.providers.base import turns
from stats.logprobs import log_sum_exp


@dataclass(frozen=True, slots=True)
class Planned:
    """The tokens of one item: its prompt with the anchor, and every way to write each answer."""

    prompt: Tokens
    answers: tuple[AnswerPaths, ...]

    @property
    def paths(self) -> tuple[Tokens, ...]:
        """What is taken, each once."""
        return to_take(self.answers)


@dataclass(frozen=True, slots=True)
class Measured(Attempt):
    """An attempt at an item, with what it brought."""

    scored: Scored | None = None


async def plan(route: Route, spec: ModelSpec, case: Case, wanted: Wanted) -> Planned:
    """Tokenise an item and its answers; nothing passes through the model.

    Raises
    ------
    Unscorable
        When the answers cannot be told apart, or the prompt is too long.
    """
    formatted = await route.format(turns(spec, case.prompt))
    prompt = await route.tokens(formatted, wanted.anchor)
    answers = []
    for action, word in case.words:
        paths = [
            path_of(prompt, text, await route.tokens(formatted, wanted.anchor + text))
            for text in spellings(word, wanted.variants)
        ]
        answers.append(AnswerPaths(action, word, distinct(paths)))
    found = Planned(prompt, tuple(answers))
    if why := why_unscorable(found.answers):
        raise Unscorable(why)
    longest = len(prompt) + max(map(len, found.paths))
    if route.context is not None and longest >= route.context:
        raise Unscorable(
            f"prompt and answer have {longest:,} tokens, and the model reads fewer than "
            f"{route.context:,}"
        )
    return found


def asking(route: Route, spec: ModelSpec, cases: Mapping[int, Case], wanted: Wanted) -> Ask:
    """Return an ask that scores a whole item at a time, through one worker's route."""

    async def ask(prompt: Prompt) -> Attempt:
        case = cases[prompt.key.wave_item]
        started, clock = now(), perf_counter()
        found = await measured(route, spec, case, wanted)
        if found.scored is None:
            raise RuntimeError("a measurement always says how the item stands")
        scored = replace(
            found.scored,
            started_at=started,
            ended_at=now(),
            seconds=round(perf_counter() - clock, 4),
        )
        return replace(found, scored=scored)

    return ask


async def measured(route: Route, spec: ModelSpec, case: Case, wanted: Wanted) -> Measured:
    """Score one item, whatever comes of it."""
    try:
        planned = await plan(route, spec, case, wanted)
        taken = await route.take(planned.prompt, planned.paths)
    except Unscorable as error:
        return Measured(Reply("ok"), scored=Scored(case.key, "unscorable", error=str(error)))
    except Broken as broken:
        failed = broken.attempt
        said = failed.reply
        scored = Scored(
            case.key,
            "error",
            error=said.error or failed.fault,
            request=said.request,
            body=said.body,
        )
        return Measured(said, failed.fault, failed.wait, scored)
    answers = tuple(_answer(answer, taken) for answer in planned.answers)
    scored = Scored(
        case.key,
        "ok",
        answers,
        prompt_tokens=len(planned.prompt),
        forward_calls=route.calls(planned.paths),
        request=canonical([request for request, _ in taken.exchanges]),
        body=b"\n".join(body for _, body in taken.exchanges),
    )
    return Measured(Reply("ok"), scored=scored)


def _answer(answer: AnswerPaths, taken: Taken) -> Answer:
    variants = tuple(_variant(path, taken) for path in answer.paths)
    terms = [v.logprob for v in variants if not v.left_out and v.logprob is not None]
    return Answer(answer.action, answer.word, _at_most_certain(terms), variants)


def _at_most_certain(terms: Sequence[float]) -> float:
    """Sum the terms; rounding may pass certainty by a hair, and log p is never above 0."""
    return min(0.0, log_sum_exp(terms))


def _variant(path: Path, taken: Taken) -> Variant:
    return Variant(path.text, path.tokens, taken.logprobs.get(path.tokens, ()), path.left_out)
