"""Reading what a chat endpoint sent: pure functions from a body to a reply, for any bytes at all.

States, in the order in which they are decided:

``error``
    The body is no chat completion, or says itself that it failed.
``refused``
    The endpoint marks a refusal (a ``refusal`` text, or the finish reason ``content_filter`` or
    ``refusal``). A refusal in the model's own words is an ordinary reply.
``empty``
    The model wrote nothing that a user would see, whatever the reason: a budget that went into
    thinking is an empty reply, and its finish reason says ``length``.
``truncated``
    Something is visible, and it was cut off (finish reason ``length`` or ``max_tokens``).
``ok``
    Everything else.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from core.runs import Reply, State

_REFUSED = {"content_filter", "refusal"}
_CUT = {"length", "max_tokens"}
_THINKING = re.compile(r"<think>(.*?)(?:</think>\s*|\Z)", re.DOTALL | re.IGNORECASE)
_ORPHAN = re.compile(r"</think>\s*", re.IGNORECASE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_REASON_LENGTH = 300


class _Malformed(Exception):
    """The body is no chat completion; the text says why, in a few words."""


def read(body: bytes, prefill: str = "") -> Reply:
    """Read a body that came with a success status; never raises.

    Parameters
    ----------
    body
        As received.
    prefill
        The beginning of the turn that we wrote. Some servers repeat it, others do not; in the
        visible text it stands exactly once.
    """
    try:
        document = _object(body)
        choice, message = _first_choice(document)
        return _reply(document, choice, message, prefill)
    except _Malformed as error:
        return Reply("error", error=str(error))
    except RecursionError:
        return Reply("error", error="the body is nested too deep")


def _reply(
    document: Mapping[str, Any], choice: Mapping[str, Any], message: Mapping[str, Any], prefill: str
) -> Reply:
    content = _content(message.get("content"))
    finish = _text(choice.get("finish_reason"))
    refusal = _text(message.get("refusal"))
    visible, thoughts = split_reasoning(content)
    own = visible.removeprefix(prefill)
    return Reply(
        _state(own, finish, refusal),
        visible_text=refusal if refusal and not own.strip() else prefill + own,
        reasoning=_joined(_stated_reasoning(message), thoughts),
        finish_reason=finish,
        usage=_numbers(document.get("usage")),
        answered_by=_text(document.get("model")),
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
    return _THINKING.sub("", content), _joined(*thoughts)


def reason(body: bytes) -> str:
    """Return what an error body says, as one short line."""
    text = body.decode("utf-8", "replace")
    try:
        said = _said(json.loads(body))
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


def _object(body: bytes) -> Mapping[str, Any]:
    if not body.strip():
        raise _Malformed("the body is empty")
    try:
        document = parse(body)
    except ValueError:
        raise _Malformed(f"the body is not JSON: {one_line(reason(body))[:80]}") from None
    if not isinstance(document, dict):
        raise _Malformed("the body is not a JSON object")
    if document.get("error"):
        raise _Malformed(f"the endpoint reports: {one_line(_said(document)) or 'an error'}")
    return document


def _first_choice(document: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    choices = document.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise _Malformed("the body has no choices")
    choice = choices[0]
    if choice.get("error") or choice.get("finish_reason") == "error":
        raise _Malformed(f"the endpoint reports: {one_line(_said(choice)) or 'an error'}")
    message = choice.get("message")
    if message is None and isinstance(choice.get("text"), str):
        return choice, {"content": choice["text"]}  # a text completion
    if not isinstance(message, dict):
        raise _Malformed("the first choice has no message")
    return choice, message


def _content(value: Any) -> str:
    """Return the text of a message's content: a string, nothing, or a list of parts."""
    if value is None:
        return ""
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, list):
        parts = [part for part in value if isinstance(part, dict)]
        return "".join(_text(part.get("text")) for part in parts if part.get("type") == "text")
    raise _Malformed("the content is neither text nor a list of parts")


def _stated_reasoning(message: Mapping[str, Any]) -> str:
    return _text(message.get("reasoning_content")) or _text(message.get("reasoning"))


def _state(own: str, finish: str, refusal: str) -> State:
    if refusal or finish.lower() in _REFUSED:
        return "refused"
    if not own.strip():
        return "empty"
    return "truncated" if finish.lower() in _CUT else "ok"


def _said(value: Any) -> str:
    """Return the message of an error document, wherever it keeps it."""
    for name in ("error", "message", "detail", "msg"):
        if not isinstance(value, dict):
            break
        found = value.get(name)
        if isinstance(found, str) and found.strip():
            return found
        if isinstance(found, dict):
            return _said(found) or json.dumps(found, ensure_ascii=False)[:_REASON_LENGTH]
    return ""


def _numbers(value: Any, depth: int = 3) -> dict[str, Any]:
    """Return the numbers of a usage object, nested as they came."""
    if not isinstance(value, dict) or not depth:
        return {}
    kept: dict[str, Any] = {}
    for name, entry in value.items():
        if isinstance(entry, dict):
            kept[_clean(name)] = _numbers(entry, depth - 1)
        elif type(entry) is int or (isinstance(entry, float) and math.isfinite(entry)):
            kept[_clean(name)] = entry
    return kept


def _text(value: Any) -> str:
    return _clean(value) if isinstance(value, str) else ""


def _clean(text: str) -> str:
    """Return a text that UTF-8 can hold: JSON can spell half a character, a file cannot keep it."""
    return _SURROGATE.sub("\ufffd", text)


def _joined(*texts: str) -> str:
    return "\n".join(text for text in texts if text)
