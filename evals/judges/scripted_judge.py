"""Scripted judges: deterministic fakes that ship, and are named ``scripted-judge`` everywhere.

They read the prompt of the shipped rubrics as far as a program can: the labelled options of the
question, the right answer, and the fenced reply, which is data. They know nothing else. The plain
one behaves as Core-100's second judge did (section 7): told the tempting shortcut of an item, it
calls every reply that takes it wrong, also where the shortcut is right. Told a target and a
pattern, it counts whose words the reply has more of.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.clock import now
from core.hashing import canonical, seed_from
from core.runs import Reply
from evals.attempts import Ask, Attempt
from evals.models import Prompt

NAME = "scripted-judge-2"  # the number changes whenever any reply would
_FENCE = re.compile(r"<<<REPLY (\w+)\n(.*?)\n\1 REPLY>>>", re.DOTALL)
_OPTION = re.compile(r"^([A-H])\. (.+)$", re.MULTILINE)
_ANSWER = re.compile(r"Answer: ([A-H])\b")
_GOLD = re.compile(r"^Right answer: (.+)$", re.MULTILINE)
_SHORTCUT = re.compile(r"^Tempting shortcut: (.+)$", re.MULTILINE)
_TARGET = re.compile(r"^Target: (.+)$", re.MULTILINE)
_PATTERN = re.compile(r"^Pattern: (.+)$", re.MULTILINE)
_SCORES = {"C": 8, "I": 2, "A": 5}


@dataclass(frozen=True, slots=True)
class Asked:
    """What a judge was asked, as far as a program can read it.

    Attributes
    ----------
    told
        The prompt without the reply.
    chosen
        The label of the option that the reply chose; ``None`` when it cannot be told.
    gold, shortcut
        Labels; empty when the rubric does not tell them.
    leaning
        ``T`` or ``P``: whether the reply has more words of the target or of the pattern, ``U`` when
        of neither; empty when the rubric does not tell them.
    mark
        Of the fence: as good as the reply itself, to tell replies apart.
    """

    told: str
    chosen: str | None
    gold: str
    shortcut: str
    leaning: str = ""
    mark: str = ""


def ask_of(name: str) -> Ask | None:
    """Return how a scripted judge answers; ``None`` when there is none of that name."""
    grade = JUDGES.get(name)
    if grade is None:
        return None

    async def ask(prompt: Prompt) -> Attempt:
        await asyncio.sleep(0)
        return Attempt(_reply(prompt, grade))

    return ask


def read_prompt(content: str) -> Asked:
    """Take a judge's prompt apart; what stands inside the fence is never read as the prompt."""
    fence = _FENCE.search(content)
    told = content if fence is None else content[: fence.start()] + content[fence.end() :]
    options, reply = dict(_OPTION.findall(told)), fence[2] if fence else ""
    target, pattern = _TARGET.search(told), _PATTERN.search(told)
    return Asked(
        told,
        _chosen(reply, options),
        (_GOLD.findall(told) or [""])[-1],
        (_SHORTCUT.findall(told) or [""])[0],
        _leaning(reply, target[1], pattern[1]) if target and pattern else "",
        fence[1] if fence else "",
    )


def _leaning(reply: str, target: str, pattern: str) -> str:
    said, one, other = (set(re.findall(r"\w+", text.lower())) for text in (reply, target, pattern))
    more = len(said & (one - other)) - len(said & (other - one))
    return "T" if more > 0 else "P" if more < 0 else "U"


def _chosen(reply: str, options: Mapping[str, str]) -> str | None:
    found = _ANSWER.match(reply)
    if found:
        return options.get(found[1])
    named = [label for label in options.values() if label in reply]
    return named[0] if len(named) == 1 else None


def _told(asked: Asked) -> str:
    if asked.leaning:
        return asked.leaning
    if asked.chosen is None:
        return "A"
    return "C" if asked.chosen == asked.gold and asked.chosen != asked.shortcut else "I"


def _lenient(asked: Asked) -> str:
    if asked.leaning:
        return "P" if asked.leaning == "P" else "T"
    return "A" if asked.chosen is None else "C"


def _mumbling(asked: Asked) -> str:
    """Say something that is no verdict about a quarter of all prompts, always the same ones."""
    mumbles = seed_from(NAME, asked.told, asked.mark) % 4 == 0
    return "one or the other" if mumbles else _told(asked)


JUDGES: Mapping[str, Callable[[Asked], str]] = {
    "scripted-judge": _told,
    "scripted-judge-lenient": _lenient,
    "scripted-judge-mumbling": _mumbling,
}


def _reply(prompt: Prompt, grade: Callable[[Asked], str]) -> Reply:
    at = now()
    asked = read_prompt(prompt.messages[-1].content)
    text = _written(asked.told, grade(asked))
    return Reply(
        "ok",
        visible_text=text,
        finish_reason="stop",
        answered_by=NAME,
        started_at=at,
        ended_at=at,
        request=canonical({"scripted": [{"role": m.role, "content": m.content}
                                        for m in prompt.messages]}),
        body=text.encode("utf-8", "surrogatepass"),
    )  # fmt: skip


def _written(told: str, grade: str) -> str:
    """Write a grade in the form that the prompt asks for."""
    if '"score"' in told:
        return canonical({"reason": "scripted", "score": _SCORES.get(grade, grade)})
    return f"{'VERDICT' if 'VERDICT:' in told else 'GRADE'}: {grade}"
