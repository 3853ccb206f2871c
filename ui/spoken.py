"""A question as it is read out, line by line."""

from __future__ import annotations

from collections.abc import Sequence

from core.forms import Answer, Choice, Question
from ui.text import visible


def asked(question: Question, choices: Sequence[Choice], given: Answer | None) -> list[str]:
    """Return a question with its answers, after an empty line, and what was answered so far."""
    lines = ["", visible(question.text)]
    if question.kind == "likert":
        first, last = choices[0].key, choices[-1].key
        lines[-1] += f" {first} is {visible(question.low)}, {last} is {visible(question.high)}."
    else:
        lines += [f"{choice.key}  {visible(choice.label)}" for choice in choices]
    if given is not None:
        lines.append(f"Answered: {_told(choices, given)}. Enter keeps it.")
    elif question.kind == "text":
        lines.append(f"write begins your text{'' if question.required else '; Enter goes on'}.")
    return lines


def _told(choices: Sequence[Choice], given: Answer) -> str:
    for choice in choices:
        if choice.value == given:
            return ", ".join(dict.fromkeys((choice.key, visible(choice.label))))
    return visible(str(given))
