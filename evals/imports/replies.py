"""What a reply from elsewhere has beside its text: when it came, and how it was drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.runs import Reply
from evals.imports.samples import DECODING
from evals.replies import text_of

# What other programs call the settings that a run records.
_CALLED = {
    "max_completion_tokens": "max_tokens",
    "max_output_tokens": "max_tokens",
    "max_gen_toks": "max_tokens",
    "max_new_tokens": "max_tokens",
}
_NO_SETTING = ("messages", "input", "instructions", "model", "prompt", "stream", "system_message")


@dataclass(frozen=True, slots=True)
class Timed:
    """When a reply was given; empty, and 0 seconds, where the file does not say."""

    started_at: str = ""
    ended_at: str = ""
    seconds: float = 0.0


def timed(reply: Reply, when: Timed, *, request: str, body: bytes) -> Reply:
    """Return a reply with its times, what was asked, and the record as it came."""
    seconds = when.seconds if math.isfinite(when.seconds) and when.seconds > 0 else 0.0
    return replace(
        reply,
        started_at=when.started_at,
        ended_at=when.ended_at,
        seconds=seconds,
        request=request,
        body=body,
    )


def settings(stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a file states, by the names of a run's; others under ``extra``.

    Only plain values are taken: what is nested is no setting of a draw.
    """
    found: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for name, value in stated.items():
        ours = _CALLED.get(name, name)
        if value is None or name in _NO_SETTING or not _plain(value):
            continue
        if ours in DECODING and ours not in found:
            found[ours] = _clean(value)
        else:
            extra[text_of(name)] = _clean(value)
    return {**found, "extra": extra} if extra else found


def _clean(value: Any) -> Any:
    """Return a setting as the study file can hold it."""
    if isinstance(value, list):
        return [text_of(entry) for entry in value]
    return text_of(value) if isinstance(value, str) else value


def _plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(entry, str) for entry in value)
    return isinstance(value, str | int | bool) or (
        isinstance(value, float) and math.isfinite(value)
    )
