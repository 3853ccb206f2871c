"""The few words about whether something is on disk."""

from __future__ import annotations

from core.errors import WavelockError

SAVING = "Saving …"
NOT_SAVED = "Not saved ✗"


def saved_mark(saved: int | None, shown: int) -> str:
    """Return the mark for an acknowledged item while item `shown` is on the screen.

    Examples
    --------
    >>> saved_mark(17, 17), saved_mark(16, 17), saved_mark(None, 17)
    ('Saved ✓', 'Saved 16 ✓', '')
    """
    if saved is None:
        return ""
    return "Saved ✓" if saved == shown else f"Saved {saved} ✓"


def reason(error: Exception) -> str:
    """Return why something failed, as a sentence for the person at the screen."""
    if isinstance(error, WavelockError):
        return str(error)
    return f"the study file could not be used: {error}"
