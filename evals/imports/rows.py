"""One row of a table as a sample: what each column means, and what cannot be meant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.columns import read_number, read_time, read_whole
from core.hashing import canonical
from core.prompt_keys import read_key
from core.rows import told
from core.runs import STATES, Message, Reply, State
from evals.imports.documents import load
from evals.imports.messages import as_document, conversation
from evals.imports.replies import Timed, settings, timed
from evals.imports.samples import DECODING, Asked, NoSample, Sample
from evals.replies import Parts, Usage, numbers, one_line, reply_of, whole

PROMPT = ("key", "prompt_hash", "messages", "prompt", "system")
REPLY = ("response", "reasoning", "finish_reason", "state", "error", "answered_by", "usage",
         "tokens_in", "tokens_out", "started", "ended", "seconds")  # fmt: skip
NAMES = (*PROMPT, *REPLY, "model", "sample", "intervention", *DECODING)


@dataclass(frozen=True, slots=True)
class Row:
    """A row with the map of its columns, and the record as it came."""

    place: str
    cells: Mapping[str, Any]
    columns: Mapping[str, str]
    raw: bytes

    def value(self, name: str) -> Any:
        """Return what stands in the column of a name; a dotted column leads into objects."""
        return self._found(name)[1]

    def has(self, name: str) -> bool:
        """Return whether the row has the column of a name, be it with nothing in it."""
        return self._found(name)[0]

    def _found(self, name: str) -> tuple[bool, Any]:
        column = self.columns[name]
        if column in self.cells:
            return True, self.cells[column]
        found: Any = self.cells
        for part in column.split("."):
            if not isinstance(found, dict) or part not in found:
                return False, None
            found = found[part]
        return True, found

    def text(self, name: str) -> str:
        """Return a text exactly as it is; empty where there is none."""
        found = self.value(name)
        if found is None:
            return ""
        if not isinstance(found, str):
            raise NoSample(f"column {self.columns[name]}: a text is needed")
        try:
            found.encode()
        except UnicodeEncodeError:
            raise NoSample(f"column {self.columns[name]}: it holds half a character") from None
        return found

    def cell(self, name: str) -> str:
        """Return a short cell as a text without blanks at its ends; a number as it is written."""
        found = self.value(name)
        if type(found) in (int, float):
            return repr(found)
        return self.text(name).strip()


def sample_of(row: Row) -> Sample:
    """Return the sample that a row holds.

    Raises
    ------
    ValueError
        When it is none, with the column.
    """
    asked = _asked(row)
    key = read_key(asked.key)
    sent = canonical({"messages": as_document(asked.messages)}) if asked.messages else ""
    return Sample(
        place=row.place,
        asked=asked,
        reply=timed(_reply(row), _times(row), request=sent, body=row.raw),
        model=row.cell("model"),
        number=_whole(row, "sample", least=0) if row.cell("sample") else key[1] if key else None,
        intervention=row.text("intervention"),
        decoding=settings({name: _setting(row, name) for name in DECODING}),
    )


def _asked(row: Row) -> Asked:
    given, prompt = row.value("messages"), row.text("prompt")
    messages: tuple[Message, ...] | None = (Message("user", prompt),) if prompt else None
    if given not in (None, ""):
        turns = conversation(load(given) if isinstance(given, str) else given)
        if messages and turns != messages:
            raise NoSample("the prompt and the messages are not the same")
        messages = turns
    if messages and row.text("system"):
        messages = (Message("system", row.text("system")), *messages)
    asked = Asked(messages, row.cell("prompt_hash"), row.cell("key"))
    if asked.messages is None and not asked.prompt_hash and not asked.key:
        columns = ", ".join(row.columns[name] for name in PROMPT[:4])
        raise NoSample(
            f"the row does not say what was asked: it has none of {columns}; name a column with "
            "--columns prompt=COLUMN"
        )
    if asked.key and read_key(asked.key) is None:
        raise NoSample(f"column {row.columns['key']}: {told(asked.key)} is no key of ours")
    return asked


def _reply(row: Row) -> Reply:
    state, error, usage = _state(row), row.text("error"), _usage(row)
    if error or state == "error":
        if state not in (None, "error"):
            raise NoSample(f"the state is {state}, and there is an error: {one_line(error)[:60]}")
        return Reply(
            "error",
            error=one_line(error) or "the file does not say why",
            usage=usage.stated,
            answered_by=row.cell("answered_by"),
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
        )
    if not row.has("response") and not state:
        raise NoSample(
            f"the row has no column {row.columns['response']}; name it with "
            "--columns response=COLUMN"
        )
    parts = Parts(
        content=row.text("response"),
        reasoning=row.text("reasoning"),
        finish=row.cell("finish_reason"),
        answered_by=row.cell("answered_by"),
    )
    reply = reply_of(parts, usage)
    if state and reply.state != state:
        shown = bool(reply.visible_text.strip())
        if (state in ("ok", "truncated")) is not shown and state != "refused":
            what = "nothing" if not shown else "something"
            raise NoSample(f"the state is {state}, and the response shows {what}")
        reply = replace(reply, state=state)
    return reply


def _state(row: Row) -> State | None:
    """Return the state that the row states."""
    cell = row.cell("state")
    if cell and cell not in STATES:
        column = row.columns["state"]
        raise NoSample(f"column {column}: {told(cell)} is no state; there is {', '.join(STATES)}")
    return next((state for state in STATES if state == cell), None)


def _usage(row: Row) -> Usage:
    given = row.value("usage")
    stated = numbers(load(given) if isinstance(given, str) and given.strip() else given)
    sent = (whole(stated.get(name)) for name in ("prompt_tokens", "input_tokens"))
    came = (whole(stated.get(name)) for name in ("completion_tokens", "output_tokens"))
    return Usage(
        stated,
        _first(_whole(row, "tokens_in", least=0), *sent),
        _first(_whole(row, "tokens_out", least=0), *came),
    )


def _first(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)


def _times(row: Row) -> Timed:
    seconds = row.cell("seconds")
    return Timed(
        _time(row, "started"), _time(row, "ended"), _read(row, "seconds", seconds) if seconds else 0
    )


def _read(row: Row, name: str, cell: str) -> float:
    try:
        return read_number(cell, least=0)
    except ValueError as error:
        raise NoSample(f"column {row.columns[name]}: {error}") from None


def _time(row: Row, name: str) -> str:
    cell = row.cell(name)
    try:
        return read_time(cell, None) if cell else ""
    except ValueError as error:
        said = str(error).partition("; name one")[0]
        raise NoSample(f"column {row.columns[name]}: {said}") from None


def _whole(row: Row, name: str, *, least: int) -> int | None:
    cell = row.cell(name)
    try:
        return read_whole(cell, least=least) if cell else None
    except ValueError as error:
        raise NoSample(f"column {row.columns[name]}: {error}") from None


def _setting(row: Row, name: str) -> Any:
    cell = row.cell(name)
    if not cell or name == "reasoning_effort":
        return cell or None
    if name in ("max_tokens", "seed"):
        return _whole(row, name, least=0)
    return _read(row, name, cell)
