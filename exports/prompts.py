"""Frozen prompts for collecting elsewhere: what a model is sent, under a key, and nothing else.

The rows say neither scenario nor condition nor gold, and stand in the order of their keys, which
are parts of hashes: nobody who sees them learns what belongs together.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from core.errors import CheckFailed, InputError, Refused
from core.hashing import canonical
from core.items import LETTERS
from core.patterns import matching
from core.prompt_keys import prompt_key, sample_key
from core.study import WaveItem
from db.file import StudyFile
from exports.data import Data, Format, Kind, encoded

Form = Literal["rows", "openai-batch", "harness"]
Row = Mapping[str, Any]
URL = "/v1/chat/completions"
COLUMNS: dict[str, Kind] = {
    "key": "text", "prompt_hash": "text", "samples": "whole", "prompt": "text", "messages": "text",
}  # fmt: skip
GOLD: dict[str, Kind] = {"gold": "text", "gold_letter": "text"}


def prompts_of(
    study: StudyFile,
    *,
    waves: Sequence[int] | None = None,
    conditions: Sequence[str] | None = None,
) -> tuple[WaveItem, ...]:
    """Return the frozen items that have a prompt and were not withdrawn, by their keys.

    Parameters
    ----------
    conditions
        Names or patterns; all unless some are given.

    Raises
    ------
    CheckFailed
        When something frozen is not what it was.
    Refused
        When there is none.
    """
    if faults := study.waves.faults():
        raise CheckFailed(f"{faults[0]}; nothing was exported")
    items = [item for item in study.waves.standing(waves) if item.document.get("messages")]
    if not items:
        raise Refused("nothing is frozen yet, and only frozen prompts are for collecting")
    if conditions:
        known = tuple(dict.fromkeys(item.condition for item in items))
        wanted = matching(known, conditions, "frozen condition")
        items = [item for item in items if item.condition in wanted]
    return tuple(sorted(items, key=lambda item: prompt_key(item.hash)))


def prompt_rows(items: Iterable[WaveItem], samples: int, *, gold: bool = False) -> tuple[Row, ...]:
    """Return one row per frozen prompt; `prompt` is its text where it is one turn of a user.

    With `gold` also what the right answer is: not for whoever collects.
    """
    return tuple(_row(item, samples, gold=gold) for item in items)


def written(
    rows: Sequence[Row],
    form: Form,
    kind: Format,
    *,
    api_model: str = "",
    settings: Mapping[str, Any] | None = None,
) -> bytes:
    """Return the rows as the bytes of a file.

    Parameters
    ----------
    form
        ``rows``: one per prompt, in any format. ``openai-batch``: a request per sample.
        ``harness``: what inspect and lm-eval read as a data set.
    api_model, settings
        For a batch: the model as it is called there, and further fields of each request.

    Raises
    ------
    InputError
        When a batch names no model, or a form is no JSON lines.
    """
    if form == "rows" and kind != "jsonl":
        columns = {**COLUMNS, **(GOLD if rows and "gold" in rows[0] else {})}
        flat = tuple({**row, "messages": canonical(row["messages"])} for row in rows)
        return encoded(Data(columns, flat), kind)
    if kind != "jsonl":
        raise InputError(f"--form {form} is JSON lines; end the file in .jsonl")
    if form == "rows":
        return _json_lines(rows)
    if form == "harness":
        return _json_lines(map(_record, rows))
    if not api_model:
        raise InputError("a batch names its model: --api-model NAME, as the endpoint knows it")
    body = {"model": api_model, **(settings or {})}
    return _json_lines(request for row in rows for request in _requests(row, body))


def _row(item: WaveItem, samples: int, *, gold: bool) -> Row:
    document = item.document
    messages: list[dict[str, str]] = document["messages"]
    alone = len(messages) == 1 and messages[0]["role"] == "user"
    row = {
        "key": prompt_key(item.hash),
        "prompt_hash": document["prompt_hash"],
        "samples": samples,
        "prompt": messages[0]["content"] if alone else None,
        "messages": messages,
    }
    return {**row, **_gold(document)} if gold else row


def _gold(document: Mapping[str, Any]) -> Row:
    actions = [option["action"] for option in document.get("options") or ()]
    gold = document.get("gold")
    letter = LETTERS[actions.index(gold)] if gold in actions else None
    return {"gold": gold, "gold_letter": letter}


def _record(row: Row) -> Row:
    """Return a row under the names that inspect looks for by itself; lm-eval is told them."""
    return {
        "id": row["key"],
        "input": row["messages"],
        "target": row.get("gold_letter") or row.get("gold") or "",
        "metadata": {"key": row["key"], "prompt_hash": row["prompt_hash"]},
        "key": row["key"],
        "prompt_hash": row["prompt_hash"],
        "prompt": row["prompt"],
    }


def _requests(row: Row, body: Row) -> Iterable[Row]:
    for sample in range(1, row["samples"] + 1):
        yield {
            "custom_id": sample_key(row["key"], sample),
            "method": "POST",
            "url": URL,
            "body": {**body, "messages": row["messages"]},
        }


def _json_lines(rows: Iterable[Row]) -> bytes:
    lines = (json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
    return "".join(lines).encode()
