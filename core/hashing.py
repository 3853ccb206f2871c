"""Canonical JSON and SHA-256 digests: the one form in which anything is hashed.

Canonical JSON, version 1, is UTF-8, keys sorted by code point, no white space, no escapes but the
ones JSON demands, and no NaN or infinity. The bytes depend on neither locale nor Python version.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

PREFIX = "sha256:"


def canonical(value: Any) -> str:
    """Return the canonical JSON text of a value made of dict, list, str, int, float, bool, None.

    Raises
    ------
    ValueError
        For NaN and infinities, which JSON cannot hold.
    """
    return json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )


def digest(text: str) -> str:
    """Return ``sha256:`` and the hexadecimal digest of a text in UTF-8."""
    return PREFIX + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def digest_of(value: Any) -> str:
    """Return the digest of a value's canonical JSON."""
    return digest(canonical(value))


def digest_bytes(data: bytes) -> str:
    """Return ``sha256:`` and the hexadecimal digest of bytes as they are."""
    return PREFIX + hashlib.sha256(data).hexdigest()


def digest_all(digests: Iterable[str]) -> str:
    """Return one digest over many, independent of their order."""
    sealed = hashlib.sha256()
    for place, line in enumerate(sorted(digests)):  # never joined: there may be very many
        sealed.update(b"\n" * bool(place) + line.encode("utf-8", "surrogatepass"))
    return PREFIX + sealed.hexdigest()


def seed_from(*parts: object) -> int:
    """Derive a 64-bit seed from named parts; the same on every machine and in every process."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
