"""How long an endpoint asks to be left alone: in seconds, as a date, or in the body."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from core.clock import now

_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{0,9})?")
_DELAY = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)s")


def retry_after(headers: Mapping[str, str], body: bytes = b"") -> float | None:
    """Return the seconds that an endpoint asks for, or ``None`` when it asks for nothing.

    A date is held against the endpoint's own ``Date``, so that no clock here can be wrong; without
    one, against ours. A date that has passed asks for nothing more than the usual delay.
    """
    asked = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(asked):
        return float(asked)
    until = _date(asked)
    if until is not None:
        there = _date(headers.get("date", "")) or datetime.fromisoformat(now())
        return max(0.0, (until - there).total_seconds())
    return _in_body(body)


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _in_body(body: bytes) -> float | None:
    """Return Gemini's ``retryDelay``, which stands among the details of the error."""
    if b"retryDelay" not in body:
        return None
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None
    for detail in _details(document):
        found = _DELAY.fullmatch(str(detail.get("retryDelay", "")))
        if found:
            return float(found[1])
    return None


def _details(document: Any) -> Iterator[Mapping[str, Any]]:
    error = document.get("error") if isinstance(document, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    if isinstance(details, list):
        yield from (detail for detail in details if isinstance(detail, dict))
