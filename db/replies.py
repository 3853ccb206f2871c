"""What generations and judgements share: the columns of a reply, and the digest of its raw body."""

from __future__ import annotations

import zlib
from typing import Any

from core.hashing import canonical, digest_bytes
from core.runs import Reply
from db.rows import Row


def sealed_exchange(entry: Row) -> Row:
    """Return what is hashed of one exchange; a body that cannot be unpacked is hashed as it is."""
    packed = entry.pop("reply")
    unpacking = zlib.decompressobj()
    try:
        raw = unpacking.decompress(packed) if packed is not None else b""
    except (zlib.error, TypeError):
        raw = repr(packed).encode("utf-8", "surrogatepass")
    if unpacking.unused_data:  # which a plain decompress would pass over in silence
        raw = repr(packed).encode("utf-8", "surrogatepass")
    return {**entry, "reply": digest_bytes(raw)}


def reply_columns(reply: Reply) -> dict[str, Any]:
    """Return a reply as the columns that generations and judgements share."""
    return {
        "state": reply.state,
        "visible_text": reply.visible_text,
        "reasoning": reply.reasoning,
        "finish_reason": reply.finish_reason,
        "usage": canonical(reply.usage),
        "answered_by": reply.answered_by,
        "error": reply.error,
        "seconds": reply.seconds,
        "started_at": reply.started_at,
        "ended_at": reply.ended_at,
        "attempts": reply.attempts,
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
    }
