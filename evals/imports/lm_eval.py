"""Samples of lm-eval (``samples_*.jsonl``): the raw responses, never the filtered ones.

A document stands there once per filter, with the same raw responses each time. The ``prompt_hash``
of a line is lm-eval's own, over the text as it sent it, and is no hash of ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from core.errors import InputError
from core.hashing import canonical, digest_of
from core.prompt_keys import first_key
from core.runs import Message
from evals.imports.documents import load_object, within
from evals.imports.files import Foreign, Line, lines, text_of
from evals.imports.messages import as_document, conversation
from evals.imports.replies import Timed, settings, timed
from evals.imports.samples import Asked, Entry, NoSample, Origin, Sample, Unreadable
from evals.replies import Parts, Usage, reply_of
from evals.replies import text_of as clean

NO_TEXT = (
    "holds log-likelihoods of multiple choice, and no text that a model wrote: there is nothing "
    "to score here; run the task with output_type generate_until"
)


def origin(_: Foreign) -> Origin:
    """Return what a file says of the program that wrote it: lm-eval names no version in samples."""
    return Origin("lm-eval", "lm_eval")


def samples(file: Foreign) -> Iterator[Entry]:
    """Yield the responses of every document, each document once.

    Raises
    ------
    InputError
        When the file holds no text at all.
    """
    seen: dict[str, str] = {}
    for line in lines(file):
        if line.raw.strip() or line.fault:
            yield from _of_line(line, file, seen)


def _of_line(line: Line, file: Foreign, seen: dict[str, str]) -> Iterator[Entry]:
    try:
        if line.fault:
            raise NoSample(line.fault)
        record = load_object(text_of(line.raw), lax=True)
        responses = _responses(record)
        if responses is None:
            raise InputError(f"{file.path} {NO_TEXT}")
        sent, asked = _prompt(record)
        document, said = canonical(record.get("doc_id")), digest_of([responses, as_document(sent)])
        if document in seen:
            if seen[document] == said:
                return  # the same responses under another filter
            raise NoSample(f"document {document} has other responses on an earlier line")
        seen[document] = said
    except ValueError as error:
        yield Unreadable(line.place, str(error))
        return
    doc = record.get("doc")
    known, key = within(doc, "prompt_hash"), first_key(within(doc, "key"), within(doc, "id"))
    for number, response in enumerate(responses, start=1):
        reply = reply_of(Parts(content=clean(response)), Usage())
        yield Sample(
            place=f"{line.place}, response {number}" if len(responses) > 1 else line.place,
            asked=Asked(sent, clean(known), key),
            reply=timed(
                reply,
                Timed(),
                request=canonical({"messages": as_document(sent)}),
                # The record once for each document: it has all of its responses.
                body=line.raw if number == 1 else b"",
            ),
            number=number,
            decoding=asked,
        )


def _responses(record: Mapping[str, Any]) -> list[str] | None:
    """Return the raw responses; ``None`` for log-likelihoods.

    Each request has a list of its repeats; the requests of a generated document are one.
    """
    found = record.get("resps")
    if not isinstance(found, list) or not found:
        raise NoSample("the line has no resps")
    if any(isinstance(response, list) for each in found for response in _listed(each)):
        return None
    if len(found) > 1:
        raise NoSample(f"the document has {len(found)} requests; one prompt is expected")
    responses = _listed(found[0])
    if not responses or not all(isinstance(response, str) for response in responses):
        raise NoSample("the responses are no texts")
    return responses


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _prompt(record: Mapping[str, Any]) -> tuple[tuple[Message, ...], dict[str, Any]]:
    """Return what was sent, and the settings that the line states."""
    arguments = record.get("arguments")
    if isinstance(arguments, dict):
        first = arguments.get("gen_args_0")
        context, settled = within(first, "arg_0"), within(first, "arg_1")
    else:  # as older versions write it
        context, settled = within(arguments, 0, 0), within(arguments, 0, 1)
    if isinstance(context, list) and len(context) == 1:
        context = context[0]
    if not isinstance(context, str):
        raise NoSample("the line does not say what was asked (arguments)")
    return _turns(context), settings(settled) if isinstance(settled, dict) else {}


def _turns(context: str) -> tuple[Message, ...]:
    """Return the turns of a prompt; for a chat endpoint they are written as JSON inside a text."""
    if context.startswith("[{"):
        try:
            return conversation(load_object(f'{{"turns": {context}}}')["turns"])
        except ValueError:
            pass  # a text that only begins like it
    return (Message("user", context),)


def is_samples(record: Mapping[str, Any]) -> bool:
    """Whether a line is one of lm-eval's samples."""
    return {"doc_id", "resps", "arguments"} <= record.keys()
