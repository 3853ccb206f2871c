"""The time, as the study file keeps it: UTC, ISO-8601, milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """Return the current time, for example ``2026-11-30T17:27:35.250Z``."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
