"""Logs of inspect_ai: ``.eval`` (a zip of JSON) and ``.json``, by the structure of what is there.

What a model was sent is read from the conversation of the sample, which has the system messages
that solvers put before it, and from the configuration, whose system message stands nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from core.columns import read_time
from core.errors import InputError
from core.hashing import canonical
from core.prompt_keys import first_key
from core.runs import Message, Reply
from evals.imports.archive import Archive, archive
from evals.imports.documents import load, load_object, within
from evals.imports.files import Foreign, whole
from evals.imports.messages import conversation, plain_text
from evals.imports.replies import Timed, settings, timed
from evals.imports.samples import Asked, Entry, NoSample, Origin, Sample, Unreadable
from evals.replies import Parts, Usage, joined, numbers, one_line, reply_of, text_of
from evals.replies import whole as count

HEADERS = ("header.json", "_journal/start.json")  # the second alone where it was interrupted
SAMPLES = "samples/"
# What a sample says besides, at length, and nothing here rests on.
_LEFT_OUT = ("events", "events_data", "attachments", "store", "timelines")
_STOPS = {"model_length": "length"}  # in the words that other protocols have for it
_ATTACHED = "attachment://"


def origin(file: Foreign) -> Origin:
    """Return what a log says of the program that wrote it."""
    version = within(_header(file), "eval", "packages", "inspect_ai")
    return Origin("inspect", "inspect_ai", text_of(version))


def samples(file: Foreign) -> Iterator[Entry]:
    """Yield the samples of a log, one at a time."""
    if not file.head.startswith(b"PK"):
        document = _document(file)
        for number, sample in enumerate(document.get("samples") or (), start=1):
            yield _sample(f"sample {number}", sample, document)
        return
    with archive(file.path) as members:
        header = _header_in(members, file)
        for name in members.names:
            if name.startswith(SAMPLES) and name.endswith(".json"):
                try:
                    sample = load(members.read(name), lax=True)
                except ValueError as error:
                    yield Unreadable(name, str(error))
                else:
                    yield _sample(name, sample, header)


def is_log(file: Foreign) -> bool:
    """Whether a zip archive is a log of inspect."""
    with archive(file.path) as members:
        return any(name in HEADERS for name in members.names)


def _header(file: Foreign) -> Mapping[str, Any]:
    if not file.head.startswith(b"PK"):
        return _document(file)
    with archive(file.path) as members:
        return _header_in(members, file)


def _header_in(members: Archive, file: Foreign) -> Mapping[str, Any]:
    for name in HEADERS:
        if name in members.names:
            try:
                return load_object(members.read(name), lax=True)
            except ValueError as error:
                raise InputError(f"{file.path}, {name}: {error}") from error
    raise InputError(f"{file.path} is a zip archive, but no log of inspect: it has no {HEADERS[0]}")


def _document(file: Foreign) -> Mapping[str, Any]:
    try:
        document = load_object(whole(file), lax=True)
    except ValueError as error:
        raise InputError(f"{file.path}: {error}") from error
    if not isinstance(document.get("eval"), dict):
        raise InputError(f"{file.path} is no log of inspect: it has no eval")
    if not isinstance(document.get("samples", []), list | None):
        raise InputError(f"{file.path} is no log of inspect: its samples are no list")
    return document


def _sample(place: str, sample: Any, header: Mapping[str, Any]) -> Entry:
    if not isinstance(sample, dict):
        return Unreadable(place, "not a JSON object")
    try:
        return _read(place, sample, header)
    except (NoSample, ValueError) as error:
        return Unreadable(place, str(error))


def _read(place: str, sample: Mapping[str, Any], header: Mapping[str, Any]) -> Sample:
    config = _config(header)
    sent, said = _parted(sample)
    if isinstance(config.get("system_message"), str):
        sent = (Message("system", config["system_message"]), *sent)
    metadata = sample.get("metadata")
    key, known = within(metadata, "key"), within(metadata, "prompt_hash")
    kept = {name: value for name, value in sample.items() if name not in _LEFT_OUT}
    return Sample(
        place=place,
        asked=Asked(sent, text_of(known), first_key(key, sample.get("id"))),
        reply=timed(
            _reply(sample, said),
            _times(sample),
            request=canonical({"messages": [{"role": t.role, "content": t.content} for t in sent]}),
            body=canonical(kept).encode("utf-8", "backslashreplace"),
        ),
        model=text_of(within(header, "eval", "model")),
        number=count(sample.get("epoch")),
        decoding=settings(config),
    )


def _config(header: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return how the model was asked: what the plan says, over what the task said."""
    task, plan = within(header, "eval", "model_generate_config"), within(header, "plan", "config")
    found: dict[str, Any] = {}
    for part in (task, plan):
        found |= part if isinstance(part, dict) else {}
    return found


def _parted(sample: Mapping[str, Any]) -> tuple[tuple[Message, ...], Mapping[str, Any] | None]:
    """Return what the model was sent, and its one turn; ``None`` where it gave none."""
    turns = sample.get("messages") or sample.get("input")
    if isinstance(turns, str):
        return (Message("user", _attached(turns, sample)),), None
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        raise NoSample("the sample has no messages")
    given = [place for place, turn in enumerate(turns) if turn.get("source") == "generate"]
    if not given and turns and turns[-1].get("role") == "assistant" and "source" not in turns[-1]:
        given = [len(turns) - 1]  # older logs do not say who wrote a turn
    if len(given) > 1 or (given and given[0] != len(turns) - 1):
        raise NoSample("the model had several turns; a generation is one reply to one prompt")
    sent = turns[: given[0]] if given else turns
    plain = [{**turn, "content": _content(turn.get("content"), sample)} for turn in sent]
    return conversation(plain), turns[given[0]] if given else None


def _content(content: Any, sample: Mapping[str, Any]) -> str:
    return _attached(plain_text(content), sample)


def _attached(text: str, sample: Mapping[str, Any]) -> str:
    """Return a text that may be kept apart from where it belongs."""
    if not text.startswith(_ATTACHED):
        return text
    found = within(sample, "attachments", text.removeprefix(_ATTACHED))
    return found if isinstance(found, str) else text


def _reply(sample: Mapping[str, Any], said: Mapping[str, Any] | None) -> Reply:
    output = sample.get("output")
    failed = within(sample, "error", "message") or within(output, "error")
    choices = within(output, "choices")
    if failed or not isinstance(choices, list) or not choices:
        return Reply("error", error=one_line(text_of(failed)) or "the log holds no output")
    if len(choices) > 1:
        raise NoSample(f"the output has {len(choices)} choices; a generation is one reply")
    message = within(choices, 0, "message") or said
    stop = text_of(within(choices, 0, "stop_reason"))
    texts, thoughts, refusal = _parts(within(message, "content"))
    parts = Parts(
        content="".join(_attached(text, sample) for text in texts),
        reasoning=joined(*(_attached(thought, sample) for thought in thoughts)),
        refusal=refusal,
        finish=_STOPS.get(stop, stop),
        answered_by=text_of(within(output, "model")),
    )
    stated = numbers(within(output, "usage"))
    usage = Usage(stated, count(stated.get("input_tokens")), count(stated.get("output_tokens")))
    return reply_of(parts, usage)


def _parts(content: Any) -> tuple[list[str], list[str], str]:
    """Return the texts, the thinking, and a text that is marked as a refusal."""
    if isinstance(content, str):
        return [text_of(content)], [], ""
    listed = content if isinstance(content, list) else []
    parts = [part for part in listed if isinstance(part, dict)]
    texts = [part for part in parts if part.get("type") == "text"]
    refused = [text_of(part.get("text")) for part in texts if part.get("refusal")]
    thoughts = [text_of(p.get("reasoning")) for p in parts if p.get("type") == "reasoning"]
    shown = [text_of(part.get("text")) for part in texts if not part.get("refusal")]
    return shown, thoughts, "".join(refused)


def _times(sample: Mapping[str, Any]) -> Timed:
    """Return when a sample was at work, as far as the log says."""
    began, ended = sample.get("started_at"), sample.get("completed_at")
    lasted = within(sample, "output", "time")
    seconds = float(lasted) if isinstance(lasted, int | float) and 0 < lasted < 10**9 else 0.0
    return Timed(
        read_time(began, None) if isinstance(began, str) and began else "",
        read_time(ended, None) if isinstance(ended, str) and ended else "",
        seconds,
    )
