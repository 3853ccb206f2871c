"""Scripted judges: deterministic fakes that ship, and are named ``scripted-judge`` everywhere.

They read the prompt of the shipped rubrics as far as a program can: the labelled options of the
question, the right answer, and the fenced reply, which is data. They know nothing else. The plain
one behaves as Core-100's second judge did (section 7): told the tempting shortcut of an item, it
calls every reply that takes it wrong, also where the shortcut is right. Told a target and a
pattern, they take for the reply's choice the one whose own words it uses more of.
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
_WORD = re.compile(r"\w+")
_SCORES = {"C": 8, "I": 2, "A": 5}
_VERDICTS = {"C": "T", "I": "P", "A": "U"}


@dataclass(frozen=True, slots=True)
class Asked:
    """What a judge was asked, as far as a program can read it.

    Attributes
    ----------
    told, reply
        The prompt without the reply, and the reply.
    chosen
        The label of the option that the reply chose, or the target or pattern that it shows;
        ``None`` when it cannot be told.
    gold, shortcut
        Labels; empty when the rubric does not tell them. A target is the gold.
    """

    told: str
    reply: str
    chosen: str | None
    gold: str
    shortcut: str


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
    reply = fence[2] if fence else ""
    target, pattern = (_first(form, told) for form in (_TARGET, _PATTERN))
    if target and pattern:
        return Asked(told, reply, _shown(reply, target, pattern), target, "")
    options = dict(_OPTION.findall(told))
    gold = (_GOLD.findall(told) or [""])[-1]
    return Asked(told, reply, _chosen(reply, options), gold, _first(_SHORTCUT, told))


def _first(form: re.Pattern[str], told: str) -> str:
    found = form.search(told)
    return found[1] if found else ""


def _shown(reply: str, target: str, pattern: str) -> str | None:
    """Return the one of two behaviours whose own words a reply uses more of."""
    said, one, other = ({*_WORD.findall(text.lower())} for text in (reply, target, pattern))
    lead = len(said & (one - other)) - len(said & (other - one))
    return None if lead == 0 else target if lead > 0 else pattern


def _chosen(reply: str, options: Mapping[str, str]) -> str | None:
    found = _ANSWER.match(reply)
    if found:
        return options.get(found[1])
    named = [label for label in options.values() if label in reply]
    return named[0] if len(named) == 1 else None


def _told(asked: Asked) -> str:
    if asked.chosen is None:
        return "A"
    return "C" if asked.chosen == asked.gold and asked.chosen != asked.shortcut else "I"


def _lenient(asked: Asked) -> str:
    return "A" if asked.chosen is None else "C"


def _mumbling(asked: Asked) -> str:
    """Say something that is no verdict about a quarter of all replies, always the same ones."""
    mumbles = seed_from(NAME, asked.told, asked.reply) % 4 == 0
    return "C or I" if mumbles else _told(asked)


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
    if "VERDICT:" in told:
        return f"VERDICT: {_VERDICTS.get(grade, 'T or P')}"
    return f"GRADE: {grade}"
