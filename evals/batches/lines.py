"""Reading one line of a batch's results: whose it is, what it says, and the body that it brings.

Pure, and for any bytes at all. The body is handed on as the bytes of an answer, so that the same
readers read it as read the answer to a single request.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from evals.replies import one_line, said_in, text_of

Says = Literal["body", "errored", "expired", "cancelled", "unreadable"]
_CODES: Mapping[str, Says] = {"batch_expired": "expired", "batch_cancelled": "cancelled"}
_KINDS: Mapping[str, Says] = {"expired": "expired", "canceled": "cancelled"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of results.

    Attributes
    ----------
    name
        The ``custom_id`` that the request was given; empty where the line has none.
    body
        What came back for the request; only where the line says ``body``.
    error
        Why nothing came back, in words.
    """

    name: str
    says: Says
    body: bytes = b""
    error: str = ""


def read_openai(raw: bytes) -> Line:
    """Read a line of an output or error file, as OpenAI's batches write them.

    Examples
    --------
    >>> read_openai(b'{"custom_id": "a-1", "response": {"status_code": 200, "body": {"x": 1}}}')
    Line(name='a-1', says='body', body=b'{"x": 1}', error='')
    """
    entry = _object(raw)
    name = text_of(entry.get("custom_id"))
    return openai_line(name, entry) if name else Line("", "unreadable")


def openai_line(name: str, entry: Mapping[str, Any]) -> Line:
    """Read the object of such a line; output that is imported is read by this as well.

    Where no status stands the body decides: an answer that was paid is not thrown away.
    """
    response, error = entry.get("response"), entry.get("error")
    if error:
        said = text_of(error.get("code")) if isinstance(error, dict) else ""
        return Line(
            name, _CODES.get(said, "errored"), error=one_line(_said(error) or said or "an error")
        )
    if not isinstance(response, dict):
        return Line(name, "errored", error="the line brings neither a response nor an error")
    status, body = response.get("status_code"), _bytes(response.get("body"))
    if status is None or (isinstance(status, int) and 200 <= status < 300):
        return Line(name, "body", body)
    what = f"HTTP {one_line(str(status))}"
    said = one_line(_said(response.get("body")))
    return Line(name, "errored", error=f"{what}: {said}" if said else what)


def read_anthropic(raw: bytes) -> Line:
    """Read a line of the results of a message batch.

    Examples
    --------
    >>> read_anthropic(b'{"custom_id": "a-1", "result": {"type": "expired"}}').says
    'expired'
    """
    entry = _object(raw)
    name, result = text_of(entry.get("custom_id")), entry.get("result")
    if not name:
        return Line("", "unreadable")
    if not isinstance(result, dict):
        return Line(name, "errored", error="the line brings no result")
    kind = result.get("type")
    if kind == "succeeded":
        return Line(name, "body", _bytes(result.get("message")))
    return Line(name, _KINDS.get(str(kind), "errored"), error=_why(kind, result))


def _why(kind: Any, result: Mapping[str, Any]) -> str:
    match kind:
        case "expired":
            return "the batch ended before it was asked"
        case "canceled":
            return "the batch was cancelled before it was asked"
        case "errored":
            return one_line(_said(result)) or "an error"
        case other:
            return f"a result of the kind {one_line(str(other))}"


def _object(raw: bytes) -> Mapping[str, Any]:
    """Return the object of a line; an empty one where there is none.

    What Python alone reads (NaN) goes through: the reader of the body refuses it, as it refuses it
    in the answer to a single request.
    """
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _bytes(body: Any) -> bytes:
    """Return a body as the bytes of an answer; none at all where there is none."""
    if body is None:
        return b""
    return json.dumps(body).encode()


def _said(value: Any) -> str:
    """Return the message of an error, in whatever it is wrapped."""
    return value if isinstance(value, str) else said_in(value)
