"""Reading what an endpoint sent: pure functions from a body to a reply, for any bytes at all.

Each provider finds the parts of its own protocol; what they come to is decided here, for all alike.
States, in the order in which they are decided:

``error``
    The body is none of the protocol's, or says itself that it failed.
``refused``
    The endpoint marks a refusal (a ``refusal`` text, or a finish reason such as
    ``content_filter``, ``refusal`` or ``SAFETY``). A refusal in the model's own words is an
    ordinary reply.
``empty``
    The model wrote nothing that a user would see, whatever the reason: a budget that went into
    thinking is an empty reply, and its finish reason says so.
``truncated``
    Something is visible, and it was cut off (finish reason ``length``, ``max_tokens``, ...).
``ok``
    Everything else.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.runs import Reply, State

_REFUSED = {
    "content_filter", "refusal", "safety", "recitation", "blocklist", "prohibited_content",
    "spii", "image_safety",
}  # fmt: skip
_CUT = {"length", "max_tokens", "model_context_window_exceeded"}
_THINKING = re.compile(r"<think>(.*?)(?:</think>\s*|\Z)", re.DOTALL | re.IGNORECASE)
_ORPHAN = re.compile(r"</think>\s*", re.IGNORECASE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_REASON_LENGTH = 300
_MOST_TOKENS = 2**53  # a count beyond this is no count, and the study file could not hold it


class Malformed(Exception):
    """The body is none of the protocol's; the text says why, in a few words."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a provider found in a body."""

    content: str
    reasoning: str = ""
    refusal: str = ""
    finish: str = ""
    answered_by: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer used, as stated, and in tokens; ``None`` where it is not stated."""

    stated: Mapping[str, Any] = field(default_factory=dict)
    tokens_in: int | None = None
    tokens_out: int | None = None


Spent = Callable[[Mapping[str, Any]], Usage]


def guarded(
    read: Callable[[Mapping[str, Any]], Parts], spent: Spent, body: bytes, prefill: str
) -> Reply:
    """Read a body; whatever is no answer becomes an error with its reason.

    What an answer cost is counted all the same, wherever it is stated.
    """
    usage = Usage()
    try:
        document = document_of(body)
        usage = spent(document)
        return reply_of(read(document), usage, prefill)
    except Malformed as error:
        said = str(error)
    except RecursionError:
        said = "the body is nested too deep"
    return Reply(
        "error",
        error=said,
        usage=usage.stated,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
    )


def reply_of(parts: Parts, usage: Usage, prefill: str = "") -> Reply:
    """Return the reply that the parts of a body come to."""
    visible, thoughts = split_reasoning(parts.content)
    own = visible.removeprefix(prefill)
    return Reply(
        _state(own, parts.finish, parts.refusal),
        visible_text=parts.refusal if parts.refusal and not own.strip() else prefill + own,
        reasoning=joined(parts.reasoning, thoughts),
        finish_reason=parts.finish,
        usage=usage.stated,
        answered_by=parts.answered_by,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
    )


def split_reasoning(content: str) -> tuple[str, str]:
    """Return what a user would see of a content, and the thinking in it.

    Thinking is what stands in ``<think>`` blocks, also in one that was never closed, and what
    stands before a ``</think>`` that was never opened (templates that open it in the prompt).

    Examples
    --------
    >>> split_reasoning("<think>Hm.</think> Answer: A")
    ('Answer: A', 'Hm.')
    >>> split_reasoning("Hm.</think>Answer: A")
    ('Answer: A', 'Hm.')
    >>> split_reasoning("<think>Hm, let me")
    ('', 'Hm, let me')
    """
    thoughts = []
    orphan = _ORPHAN.search(content)
    if orphan and "<think>" not in content[: orphan.start()].lower():
        thoughts.append(content[: orphan.start()])
        content = content[orphan.end() :]
    thoughts += [found[1] for found in _THINKING.finditer(content)]
    leading = content.lstrip()
    if leading[: len("<think>")].lower() == "<think>":
        content = leading
    return _THINKING.sub("", content), joined(*thoughts)


def reason(body: bytes) -> str:
    """Return what an error body says, as one short line."""
    text = body.decode("utf-8", "replace")
    try:
        said = said_in(json.loads(body))
    except (ValueError, RecursionError):
        said = ""
    return one_line(said or text)


def one_line(text: str) -> str:
    """Return a text as one line of printable characters, shortened."""
    line = "".join(letter if letter.isprintable() else " " for letter in _clean(text[:4000]))
    line = " ".join(line.split())
    return line if len(line) <= _REASON_LENGTH else line[: _REASON_LENGTH - 1] + "…"


def parse(body: bytes) -> Any:
    """Return the JSON value of a body; NaN and infinities are refused.

    Raises
    ------
    ValueError
        When the body is not JSON, or is nested too deep to be meant.
    """
    try:
        return json.loads(body, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON number")


def document_of(body: bytes) -> Mapping[str, Any]:
    """Return the JSON object of a body.

    Raises
    ------
    Malformed
        When it is none, or reports an error.
    """
    if not body.strip():
        raise Malformed("the body is empty")
    try:
        document = parse(body)
    except ValueError:
        raise Malformed(f"the body is not JSON: {one_line(reason(body))[:80]}") from None
    if not isinstance(document, dict):
        raise Malformed("the body is not a JSON object")
    if document.get("error"):
        raise Malformed(f"the endpoint reports: {one_line(said_in(document)) or 'an error'}")
    return document


def _state(own: str, finish: str, refusal: str) -> State:
    if refusal or finish.lower() in _REFUSED:
        return "refused"
    if not own.strip():
        return "empty"
    return "truncated" if finish.lower() in _CUT else "ok"


def said_in(value: Any) -> str:
    """Return the message of an error document, wherever it keeps it."""
    for name in ("error", "message", "detail", "msg"):
        if not isinstance(value, dict):
            break
        found = value.get(name)
        if isinstance(found, str) and found.strip():
            return found
        if isinstance(found, dict):
            return said_in(found) or json.dumps(found, ensure_ascii=False)[:_REASON_LENGTH]
    return ""


def numbers(value: Any, depth: int = 3) -> dict[str, Any]:
    """Return the numbers of a usage object, nested as they came."""
    if not isinstance(value, dict) or not depth:
        return {}
    kept: dict[str, Any] = {}
    for name, entry in value.items():
        if isinstance(entry, dict):
            kept[_clean(name)] = numbers(entry, depth - 1)
        elif type(entry) is int or (isinstance(entry, float) and math.isfinite(entry)):
            kept[_clean(name)] = entry
    return kept


def whole(value: Any) -> int | None:
    """Return a count of tokens, or ``None`` for whatever is none."""
    return value if type(value) is int and 0 <= value < _MOST_TOKENS else None


def text_of(value: Any) -> str:
    """Return a text, or nothing for whatever is none."""
    return _clean(value) if isinstance(value, str) else ""


def _clean(text: str) -> str:
    """Return a text that UTF-8 can hold: JSON can spell half a character, a file cannot keep it."""
    return _SURROGATE.sub("\ufffd", text)


def joined(*texts: str) -> str:
    """Return texts on lines of their own; empty ones leave none."""
    return "\n".join(text for text in texts if text)
