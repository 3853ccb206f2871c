"""A completions endpoint that gives log-probabilities of its prompt, or goes wrong in one way.

The ways are those of real servers: echo that is accepted and ignored, log-probabilities that are
null, cut short, or counted over other tokens than were sent. Numbers are the toy's, and no model's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from core.runs import Message
from evals.mock.protocols import MODEL
from evals.mock.tokens import CONTEXT, framed, logprob, number, pieces

HONEST = "honest"
MODES = (
    HONEST, "vllm", "ignores-echo", "null", "truncated", "miscounted", "nulls-inside",
    "no-tokenizer",
)  # fmt: skip
COMPLETIONS = re.compile(r"(/v\d\w*)?/completions")
OWN = -0.5  # of the one token that is generated
_BESIDE = ("/tokenize", "/detokenize")


class PromptEndpoint:
    """The paths of a completions endpoint, by one way of being right or wrong.

    It remembers the tokens that it gave out, because a toy has no vocabulary to look them up in.
    """

    def __init__(self, mode: str, seed: int) -> None:
        self._mode, self._seed = mode, seed
        self._spelled: dict[int, str] = {}

    def knows(self, path: str) -> bool:
        """Whether a path is one of its own."""
        clean = path.partition("?")[0]
        beside = clean in _BESIDE and self._mode != "no-tokenizer"
        return beside or COMPLETIONS.fullmatch(clean) is not None

    def answer(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Return the status and the body of an answer."""
        try:
            asked = json.loads(body)
            said = self._said(path.partition("?")[0], asked)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            wrong = {"error": {"message": f"bad request ({type(error).__name__})"}}
            return 400, json.dumps(wrong).encode()
        return 200, json.dumps(said).encode()

    def _said(self, path: str, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        match path:
            case "/tokenize":
                ids = self._ids(_text(asked))
                return {"tokens": ids, "count": len(ids), "max_model_len": CONTEXT}
            case "/detokenize":
                return {"prompt": "".join(self._spelled[token] for token in asked["tokens"])}
        given = asked["prompt"]
        sent = self._ids(given) if isinstance(given, str) else [int(token) for token in given]
        return self._completed(asked, sent)

    def _ids(self, text: str) -> list[int]:
        found = {number(piece): piece for piece in pieces(text)}
        self._spelled |= found
        return [number(piece) for piece in pieces(text)]

    def _completed(self, asked: Mapping[str, Any], sent: Sequence[int]) -> Mapping[str, Any]:
        read = list(sent[:-1]) if self._mode == "miscounted" else list(sent)
        own = [logprob(read[:at], token, self._seed) for at, token in enumerate(read)]
        numbers: list[float | None] = [None, *own[1:]]
        choice: dict[str, Any] = {"index": 0, "text": ".", "finish_reason": "length"}
        choice["logprobs"] = None
        if asked.get("logprobs") is not None and self._mode not in ("null", "vllm"):
            echoed = bool(asked.get("echo")) and self._mode != "ignores-echo"
            before = self._cut(numbers) if echoed else []
            choice["logprobs"] = {"token_logprobs": [*before, OWN]}
        if asked.get("prompt_logprobs") is not None and self._mode == "vllm":
            choice["prompt_logprobs"] = [
                None,
                *({str(t): {"logprob": p}} for t, p in zip(read[1:], own[1:], strict=True)),
            ]
        return {
            "object": "text_completion",
            "model": MODEL,
            "system_fingerprint": f"mock-{self._seed}",
            "choices": [choice],
            "usage": {"prompt_tokens": len(read), "completion_tokens": 1},
        }

    def _cut(self, numbers: list[float | None]) -> list[float | None]:
        if self._mode == "truncated":
            return numbers[: max(2, len(numbers) // 2)]
        if self._mode == "nulls-inside":
            return [value if place % 5 else None for place, value in enumerate(numbers)]
        return numbers


def _text(asked: Mapping[str, Any]) -> str:
    if "prompt" in asked:
        if not isinstance(asked["prompt"], str):
            raise TypeError("only a text can be tokenised")
        return asked["prompt"]
    messages = [Message(turn["role"], turn["content"]) for turn in asked["messages"]]
    return framed(messages)
