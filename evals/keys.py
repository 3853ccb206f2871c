"""Keys of endpoints: read from the environment, sent in a header, and kept out of everything else.

An endpoint may echo a key in an error body: whole, in part, with stars in its middle, as a URL or
base64 would write it. What is stored passes through a :class:`Mask` first.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, quote_plus

from core.errors import InputError
from core.hashing import canonical
from core.runs import Reply
from evals.models import KEY_ENV, ModelSpec

SHOWN = "[key]"
# A shorter key is a placeholder ("EMPTY", "ollama") that a reply may well contain as a word.
SECRET_FROM = 8
PIECE = 8  # characters of a key that are masked wherever they stand together
STEP = 4  # every run of PIECE + STEP - 1 characters of a key holds a piece that is looked for


def key_of(spec: ModelSpec) -> str:
    """Return the key of a model, or nothing when none is set.

    Raises
    ------
    InputError
        When a variable was named and is not set, or its content cannot go into a header.
    """
    key = os.environ.get(spec.key_env, "").strip() if spec.key_env else ""
    if not key and spec.key_env not in {"", KEY_ENV}:
        raise InputError(f"the environment variable {spec.key_env} is not set; it holds the key")
    if not (key.isascii() and key.isprintable()):
        raise InputError(f"the key in {spec.key_env} has characters that no key has")
    return key


@dataclass(frozen=True, slots=True)
class Mask:
    """Replaces a key, and any longer piece of it, by ``[key]`` wherever it turns up."""

    key: str = field(repr=False)
    _forms: tuple[str, ...] = field(init=False, repr=False)
    _pieces: tuple[tuple[str, str], ...] = field(init=False, repr=False)
    _starred: re.Pattern[str] | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        secret = len(self.key) >= SECRET_FROM
        forms = tuple(dict.fromkeys(_forms(self.key))) if self.key else ()
        pieces = tuple(_pieces(forms)) if secret else ()
        object.__setattr__(self, "_forms", forms)
        object.__setattr__(self, "_pieces", pieces)
        object.__setattr__(self, "_starred", _starred(self.key) if secret else None)

    def text(self, text: str) -> str:
        """Return a text without the key, however it is written."""
        for form in self._forms:
            text = text.replace(form, SHOWN)
        for piece, form in self._pieces:
            if piece in text:
                text = _without(text, piece, form)
        return self._starred.sub(SHOWN, text) if self._starred else text

    def received(self, body: bytes) -> bytes:
        """Return a body without a key that is a secret, before anything is read from it.

        What is read is shortened here and there, and half a key would not be found any more.
        """
        return self.body(body) if len(self.key) >= SECRET_FROM else body

    def body(self, body: bytes) -> bytes:
        """Return a body without the key, however JSON or a URL would have written it."""
        if not self.key:
            return body
        # Latin-1 has a letter for every byte, so bytes that are no text come back as they were.
        found = body.decode("latin-1")
        masked = self.text(found)
        if "\\u" in masked or "\\/" in masked:
            masked = self._unescaped(masked)
        return body if masked == found else masked.encode("latin-1", "replace")

    def _unescaped(self, text: str) -> str:
        """Look behind the escapes of JSON; a body that hides nothing there stays as it is."""
        try:
            read = json.dumps(json.loads(text.encode("latin-1", "replace")), ensure_ascii=False)
        except (ValueError, RecursionError):
            return text
        masked = self.text(read)
        return text if masked == read else json.dumps(json.loads(masked))

    def reply(self, reply: Reply) -> Reply:
        """Return a reply without the key, in what was read and in the raw body."""
        if not self.key or (reply.state != "error" and len(self.key) < SECRET_FROM):
            return reply
        return replace(
            reply,
            visible_text=self.text(reply.visible_text),
            reasoning=self.text(reply.reasoning),
            finish_reason=self.text(reply.finish_reason),
            usage=self._usage(reply),
            answered_by=self.text(reply.answered_by),
            error=self.text(reply.error),
            body=self.body(reply.body),
        )

    def _usage(self, reply: Reply) -> Any:
        written = canonical(reply.usage)
        masked = self.text(written)
        return reply.usage if masked == written else json.loads(masked)


def _forms(key: str) -> Iterator[str]:
    """Yield the ways in which a key may be written."""
    escaped = json.dumps(key)[1:-1]
    yield from (key, escaped, escaped.replace("/", "\\/"))
    yield from (quote(key, safe=""), quote_plus(key, safe=""), quote(key, safe="").lower())
    if len(key) < SECRET_FROM:
        return
    yield key.encode().hex()
    # In base64 a text looks different at each of three places; its ends share letters with others.
    for before in range(3):
        coded = base64.b64encode(b"\0" * before + key.encode()).decode().rstrip("=")
        inner = coded[4 if before else 0 : -1]
        yield from (inner, inner.replace("+", "-").replace("/", "_"))


def _pieces(forms: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for form in forms:
        for start in range(0, len(form) - PIECE + 1, STEP):
            piece = form[start : start + PIECE]
            if piece not in seen:
                seen.add(piece)
                yield piece, form


def _without(text: str, piece: str, form: str) -> str:
    """Mask every place where a piece stands, with whatever around it is the key's as well."""
    inside = form.index(piece)
    at = text.find(piece)
    while at >= 0:
        start, end = at, at + len(piece)
        left, right = inside, inside + len(piece)
        while start and left and text[start - 1] == form[left - 1]:
            start, left = start - 1, left - 1
        while end < len(text) and right < len(form) and text[end] == form[right]:
            end, right = end + 1, right + 1
        text = text[:start] + SHOWN + text[end:]
        at = text.find(piece, start + len(SHOWN))
    return text


def _starred(key: str) -> re.Pattern[str]:
    """Return what finds a key whose middle is stars or dots: its beginning, stars, any ending.

    Bodies are looked through byte by byte, so the signs beyond ASCII stand here in both forms.
    """
    signs = r"[*•…]|\.{3}|x{4}|\xe2\x80[\xa2\xa6]"
    return re.compile(rf"{re.escape(key[:5])}[\w-]*(?:{signs})(?:{signs}|[\w.-])*")
