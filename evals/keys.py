"""Keys of endpoints: read from the environment, sent in a header, and kept out of everything else.

An endpoint may echo a key in an error body. What is stored passes through a :class:`Mask` first.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from core.errors import InputError
from core.hashing import canonical
from core.runs import Reply
from evals.models import KEY_ENV, ModelSpec

SHOWN = "[key]"
# A shorter key is a placeholder ("EMPTY", "ollama") that a reply may well contain as a word.
SECRET_FROM = 8


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
    """Replaces a key by ``[key]`` wherever it turns up."""

    key: str

    def text(self, text: str) -> str:
        """Return a text without the key, as it is and as a URL would write it."""
        for form in self._forms() if self.key else ():
            text = text.replace(form, SHOWN)
        return text

    def received(self, body: bytes) -> bytes:
        """Return a body without a key that is a secret, before anything is read from it.

        What is read is shortened here and there, and half a key would not be found any more.
        """
        return self.body(body) if len(self.key) >= SECRET_FROM else body

    def body(self, body: bytes) -> bytes:
        """Return a body without the key, however JSON or a URL would have written it."""
        if not self.key:
            return body
        for form in self._forms():
            body = body.replace(form.encode(), SHOWN.encode())
        try:
            read = canonical(json.loads(body))
        except (ValueError, RecursionError):
            return body
        return self.text(read).encode("utf-8", "replace") if self.key in read else body

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
        return json.loads(self.text(written)) if self.key in written else reply.usage

    def _forms(self) -> Iterator[str]:
        escaped = json.dumps(self.key)[1:-1]
        yield from (self.key, escaped, escaped.replace("/", "\\/"), quote(self.key, safe=""))
