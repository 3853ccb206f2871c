"""How an item of Core-100 is put to a model: a forced choice between two labelled options.

Source: section 5, Protocol (arXiv 2603.29025): two labelled options, first line ``Answer: A`` or
``Answer: B``, empty system prompt. The wording is ours; the paper does not print it.
"""

from __future__ import annotations

from core.items import LETTERS
from core.runs import Message
from core.study import Revision

TEMPLATE = """{text}

{options}

Reply with one of the two options. The first line of your reply must be exactly {answers}."""


def render(revision: Revision) -> tuple[Message, ...]:
    """Return the one user message that a model is sent; there is no system prompt."""
    letters = LETTERS[: len(revision.options)]
    options = "\n".join(
        f"{letter}. {option.label}"
        for letter, option in zip(letters, revision.options, strict=True)
    )
    answers = " or ".join(f"'Answer: {letter}'" for letter in letters)
    content = TEMPLATE.format(text=revision.text, options=options, answers=answers)
    return (Message("user", content),)
