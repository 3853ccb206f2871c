from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from evals.patience import retry_after

THERE = datetime(2020, 1, 1, tzinfo=UTC)


def dated(seconds: float) -> dict[str, str]:
    moment = format_datetime(THERE + timedelta(seconds=seconds), usegmt=True)
    return {"retry-after": moment, "date": format_datetime(THERE, usegmt=True)}


@pytest.mark.parametrize(("seconds", "wait"), [(30, 30.0), (0, 0.0), (-5, 0.0)])
def test_a_date_is_held_against_the_endpoints_own(seconds: float, wait: float) -> None:
    """However wrong our clock is, a date asks for the time between it and the endpoint's now."""
    assert retry_after(dated(seconds)) == wait


def test_a_date_alone_is_held_against_our_clock() -> None:
    """Without a Date header our clock must do."""
    until = datetime.fromtimestamp(time.time() + 100, UTC)
    assert 90 <= (retry_after({"retry-after": format_datetime(until)}) or 0) <= 101


def test_gemini_asks_in_the_body() -> None:
    """A retryDelay among the details of the error counts; a header comes first."""
    details = [{"@type": "x"}, {"retryDelay": "34s"}]
    body = json.dumps({"error": {"code": 429, "details": details}}).encode()
    assert retry_after({}, body) == 34.0
    assert retry_after({"retry-after": "2"}, body) == 2.0
    for odd in (
        b'{"error": {"details": [{"retryDelay": "soon"}]}}',
        b"retryDelay",
        b'["retryDelay"]',
    ):
        assert retry_after({}, odd) is None
