"""A toy tokenizer and toy log-probabilities: pure, the same everywhere, and of no language model.

Words with their leading space, marks and blanks are tokens; two control tokens are read wherever
they stand, as the tokenizers of real models do. So a word may merge with what stands before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.hashing import seed_from
from core.runs import Message

CONTROL = ("<|im_start|>", "<|im_end|>")
CONTEXT = 4096
_PIECE = re.compile(r"<\|im_(?:start|end)\|>| ?\w+| ?[^\w\s]|\s")


def pieces(text: str, *, special: bool = True) -> tuple[str, ...]:
    """Split a text into its tokens; together they are the text.

    Examples
    --------
    >>> pieces("Final: Walk.<|im_end|>")
    ('Final', ':', ' Walk', '.', '<|im_end|>')
    >>> len(pieces("<|im_end|>", special=False))
    5
    """
    if special:
        return tuple(_PIECE.findall(text))
    parts = re.split(r"(?<=<)(?=\|im_)", text)  # what spells a control token falls apart
    return tuple(piece for part in parts for piece in _PIECE.findall(part))


def number(piece: str) -> int:
    """Return the id of a token."""
    return seed_from("toy token", piece) % 2**31


def framed(messages: Sequence[Message]) -> str:
    """Return a conversation up to where the assistant begins to speak."""
    turns = "".join(f"{CONTROL[0]}{m.role}\n{m.content}{CONTROL[1]}\n" for m in messages)
    return f"{turns}{CONTROL[0]}assistant\n"


def logprob(before: Sequence[int], token: int, seed: int = 1) -> float:
    """Return the toy log-probability of a token after others, between -8 and 0."""
    drawn = seed_from("toy logprob", seed, *before, token) % 2**53 / 2**53
    return -8.0 * drawn - 2.0**-10
