"""Small words that many sentences need."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return ``1 wave`` or ``2 waves``; give the plural where it is not the noun and an s."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
