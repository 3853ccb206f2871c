"""Output of OpenAI's batches: bodies by ``custom_id``, read by the providers' own parsers.

What was asked stands in the file of requests, which is given beside; without it a ``custom_id``
must be a key or a prompt hash of ours, and what was sent cannot be checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.hashing import PREFIX, canonical
from core.prompt_keys import read_key
from core.runs import Message, Reply
from evals.batches.lines import openai_line
from evals.imports.documents import load_object, within
from evals.imports.files import Foreign, Line, lines, opened, text_of
from evals.imports.messages import as_document, conversation
from evals.imports.replies import Timed, settings, timed
from evals.imports.samples import Asked, Entry, NoSample, Origin, Sample, Unreadable
from evals.providers import completions, responses
from evals.replies import text_of as clean

HASH = len(PREFIX) + 64  # characters of a prompt hash


@dataclass(frozen=True, slots=True)
class Request:
    """What one request asked; `fault` says why it is no prompt."""

    messages: tuple[Message, ...] = ()
    model: str = ""
    decoding: Mapping[str, Any] = field(default_factory=dict)
    fault: str = ""


def origin(_: Foreign) -> Origin:
    """Return what the file is; a batch names no program."""
    return Origin("openai-batch", "openai batch")


def is_output(record: Mapping[str, Any]) -> bool:
    """Whether a line is one of a batch's output."""
    return "custom_id" in record and ("response" in record or "error" in record)


def is_input(record: Mapping[str, Any]) -> bool:
    """Whether a line is a request of a batch."""
    return {"custom_id", "body", "url"} <= record.keys()


def samples(file: Foreign, requests: Path | None) -> Iterator[Entry]:
    """Yield the responses of a batch."""
    asked = _requests(requests) if requests else None
    for line in lines(file):
        if line.raw.strip() or line.fault:
            try:
                yield _sample(line, asked)
            except ValueError as error:
                yield Unreadable(line.place, str(error))


def _requests(path: Path) -> dict[str, Request]:
    """Return the requests of a batch by their ids.

    Raises
    ------
    InputError
        When the file is none, or two requests have one id.
    """
    found: dict[str, Request] = {}
    for line in lines(opened(path)):
        if not (line.raw.strip() or line.fault):
            continue
        try:
            if line.fault:
                raise NoSample(line.fault)
            record = load_object(text_of(line.raw))
            if not is_input(record):
                raise NoSample("not a request of a batch (custom_id, url, body)")
        except ValueError as error:
            raise InputError(f"{path}, {line.place}: {error}") from error
        name = str(record["custom_id"])
        if name in found:
            raise InputError(f"{path}, {line.place}: {name[:80]!r} is the id of two requests")
        found[name] = _request(record["body"])
    return found


def _request(body: Any) -> Request:
    if not isinstance(body, dict):
        return Request(fault="its request has no body")
    try:
        messages = conversation(body.get("messages", body.get("input")))
    except NoSample as error:
        return Request(fault=f"its request: {error}")
    if isinstance(body.get("instructions"), str):
        messages = (Message("system", body["instructions"]), *messages)
    return Request(messages, clean(body.get("model")), settings(body))


def _sample(line: Line, requests: Mapping[str, Request] | None) -> Sample:
    if line.fault:
        raise NoSample(line.fault)
    record = load_object(text_of(line.raw))
    if not is_output(record):
        raise NoSample("not a line of a batch's output (custom_id, response, error)")
    name = record["custom_id"]
    if not isinstance(name, str):
        raise NoSample("its custom_id is no text")
    reply, body = _reply(record)
    key = read_key(name)
    if requests is None:
        request = Request(model=clean(within(body, "model")))
        asked = _known(name)
    elif name not in requests:
        raise NoSample(f"no request has the id {name[:80]!r}")
    else:
        request = requests[name]
        asked = Asked(request.messages, key=name if key else "")
    if request.fault:
        raise NoSample(request.fault)
    sent = canonical({"messages": as_document(request.messages)}) if request.messages else ""
    return Sample(
        place=line.place,
        asked=asked,
        reply=timed(reply, _created(body), request=sent, body=line.raw),
        model=request.model,
        number=key[1] if key else None,
        decoding=request.decoding,
    )


def _known(name: str) -> Asked:
    """Return what an id of ours names.

    Raises
    ------
    NoSample
        When it is none.
    """
    if read_key(name):
        return Asked(key=name)
    sealed = name if name.startswith(PREFIX) else PREFIX + name
    if len(sealed) == HASH:
        return Asked(prompt_hash=sealed)
    raise NoSample(
        f"the id {name[:80]!r} is none of ours; give the file of requests with --requests"
    )


def _reply(record: Mapping[str, Any]) -> tuple[Reply, Any]:
    """Return the reply, read by the parser of its endpoint, and the body that it is in."""
    line, body = openai_line(record["custom_id"], record), within(record, "response", "body")
    if line.says != "body":
        return Reply("error", error=line.error), body
    read: Callable[[bytes], Reply] = completions.read
    if isinstance(body, dict) and (body.get("object") == "response" or "output" in body):
        read = responses.read
    return read(line.body), body


def _created(body: Any) -> Timed:
    """Return when the endpoint says that it answered, as far as it does."""
    at = within(body, "created") or within(body, "created_at")
    if type(at) is not int or not 10**9 <= at < 10**10:
        return Timed()
    told = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
    return Timed(ended_at=told.replace("+00:00", "Z"))
