"""The scripted model: a deterministic fake, shipped as a choice and named ``scripted`` everywhere.

It depends on the prompt and the sample alone, so that two runs agree byte for byte. Like a model
it leans: each prompt has its own odds for each letter, drawn from the prompt's hash, and each
sample draws from those odds. It reads nothing of what the prompt says but the letters it offers.
"""

from __future__ import annotations

import asyncio
import re
from itertools import accumulate

from core.clock import now
from core.hashing import canonical, seed_from
from core.runs import Reply
from evals.attempts import Attempt
from evals.models import Prompt

NAME = "scripted-1"  # the number changes whenever any reply would
NONCONFORMING = 0.04  # the paper's models stay below 0.007; here they shall be seen in tables
_OFFERED = re.compile(r"Answer: ([A-H])\b")
_OTHERWISE = ("It depends on what matters to you.", "**Answer: {}**", "I would say {}.")


async def ask(prompt: Prompt) -> Attempt:
    """Answer one prompt, at once."""
    await asyncio.sleep(0)
    return Attempt(reply(prompt))


def reply(prompt: Prompt) -> Reply:
    """Return the reply to one sample of one prompt."""
    at = now()
    turns = [{"role": turn.role, "content": turn.content} for turn in prompt.messages]
    text = _text(prompt)
    return Reply(
        "ok",
        visible_text=text,
        finish_reason="stop",
        answered_by=NAME,
        started_at=at,
        ended_at=at,
        request=canonical({"scripted": turns}),
        body=text.encode(),
    )


def _text(prompt: Prompt) -> str:
    sample = (prompt.key.prompt_hash, prompt.key.sample)
    letter = _letter(prompt, _chance("choice", *sample))
    form = _chance("form", *sample)
    if form < NONCONFORMING:
        return _OTHERWISE[int(form / NONCONFORMING * len(_OTHERWISE))].format(letter)
    return f"Answer: {letter}\nThat seems the better choice."


def _letter(prompt: Prompt, drawn: float) -> str:
    """Return the letter that a draw between 0 and 1 falls on, under the prompt's own odds."""
    offered = _OFFERED.findall(" ".join(turn.content for turn in prompt.messages))
    letters: list[str] = sorted(set(offered)) or ["A", "B"]
    odds = [100 ** _chance("odds", prompt.key.prompt_hash, letter) for letter in letters]
    steps = list(accumulate(odds))
    return next(
        letter
        for letter, step in zip(letters, steps, strict=True)
        if drawn * steps[-1] < step or letter == letters[-1]
    )


def _chance(*parts: object) -> float:
    """Return a number from 0 to below 1, the same for the same parts."""
    return seed_from("scripted", NAME, *parts) % 2**53 / 2**53
