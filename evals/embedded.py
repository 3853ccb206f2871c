"""The embedded model: a real one on this machine, without key or network, in a child process.

Texts of items are data. The server reads control tokens of the chat template (``<|im_end|>``)
wherever they stand, so a text that spells one would break out of its turn. Such a prompt is sent
as token ids instead: the template's own control tokens as what they are, everything between them
tokenised as plain text. For any other prompt both ways give the same ids and the same reply, so
the ordinary chat request is sent. Neither way changes a character of the text.
"""

from __future__ import annotations

import json
import os
import re
import selectors
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from time import monotonic
from types import TracebackType
from typing import Any, Self

from core.errors import Unavailable
from core.runs import Message
from evals import engine
from evals.chat import ChatClient
from evals.models import Prompt
from evals.providers.base import turns
from evals.providers.completions import Compatible
from evals.replies import one_line, parse

INSTEAD = "use --model scripted, or the URL of an endpoint"
START = 60.0  # seconds; loading takes about 0.7
END = 5.0
ENGINES = 2  # at most; each takes one core and 0.2 to 0.5 GB
_CONTROL = re.compile(r"(<\|im_(?:start|end)\|>)")
_MARK = re.compile("\x02(\\d+)\x03")


def available() -> str | None:
    """Return why the embedded model cannot run here, or ``None`` when it can.

    The engine is loaded once in a child process, because a processor that lacks an instruction
    kills the process that tries it.
    """
    lacking = engine.missing()
    if lacking:
        return lacking
    child = _start("--probe")
    try:
        _first_line(child, START)
    except Unavailable as error:
        return str(error)
    finally:
        _end(child)
    return None


def engines_of_use() -> int:
    """Return how many engines this machine can run side by side, each on a core of its own."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    return min(ENGINES, cores)


class Embedded:
    """A running embedded model; the child ends with the ``with`` block, or with this process.

    Attributes
    ----------
    base_url, key
        Where it listens, on this machine only, and the key of this one start.
    build
        The facts that go into a run's configuration.
    """

    base_url: str
    key: str
    build: Mapping[str, Any]

    def __init__(self, start: float = START, slots: int = 1) -> None:
        self._bound, self._slots = start, slots
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            said = self._said()
        except Unavailable as error:
            raise Unavailable(f"the embedded model cannot run here: {error}; {INSTEAD}") from None
        self.base_url = f"{said['address']}/v1"
        self.key, self.build = said["key"], said["build"]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._child is not None:
            _end(self._child)

    def _said(self) -> dict[str, Any]:
        """Start the child and return its line; without one there is no child left either."""
        lacking = engine.missing()
        if lacking:
            raise Unavailable(lacking)
        self._child = _start(f"--slots={self._slots}")
        try:
            return _first_line(self._child, self._bound)
        except BaseException:
            _end(self._child)
            raise

    @property
    def pid(self) -> int | None:
        """The process id of the child, while there is one."""
        return self._child.pid if self._child is not None else None


class EmbeddedClient(ChatClient):
    """A chat client that keeps item texts from being read as control tokens."""

    async def _request(self, prompt: Prompt) -> tuple[str, dict[str, Any]]:
        texts = [turn.content for turn in turns(self._spec, prompt)]
        if await self._plain("\n".join(texts)):
            return await super()._request(prompt)
        url = f"{self._spec.base_url}/completions"
        return url, {**self._settings(prompt), "prompt": await self._tokens(prompt)}

    def _settings(self, prompt: Prompt) -> dict[str, Any]:
        return Compatible().settings(self._spec, prompt)

    async def _plain(self, text: str) -> bool:
        """Tell whether a text holds no control token; all of this vocabulary begin with ``<``."""
        if "<" not in text:
            return True
        return await self._ids(text, special=True) == await self._ids(text, special=False)

    async def _tokens(self, prompt: Prompt) -> list[int]:
        """Return the token ids of a prompt, with every text read as plain text."""
        found = turns(self._spec, prompt)
        texts = [turn.content for turn in found]
        frame = str(await self._local("/apply-template", {"messages": marked(found)}, "prompt"))
        ids: list[int] = []
        for part, special in filled(frame, texts):
            ids += await self._ids(part, special=special)
        return ids

    async def _ids(self, text: str, *, special: bool) -> list[int]:
        asked = {"content": text, "add_special": False, "parse_special": special}
        return list(await self._local("/tokenize", asked, "tokens"))

    async def _local(self, path: str, body: Mapping[str, Any], field: str) -> Any:
        """Ask the engine something that is not part of the chat interface."""
        address = self._spec.base_url.removesuffix("/v1") + path
        response = await self._client.post(address, json=body)
        answer = parse(response.raise_for_status().content)
        if not isinstance(answer, dict) or field not in answer:
            raise ValueError(f"the engine gave no {field}")
        return answer[field]


def marked(turns: Sequence[Message]) -> list[dict[str, str]]:
    """Return turns with a mark in the place of each text, for the template to put in its place."""
    return [{"role": t.role, "content": f"\x02{at}\x03"} for at, t in enumerate(turns)]


def filled(frame: str, texts: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a template's frame with the texts in it; a control token is a part.

    The truth value says which parts are control tokens; what a text spells never is one.
    """
    for part in filter(None, _CONTROL.split(frame)):
        yield _MARK.sub(lambda found: texts[int(found[1])], part), bool(_CONTROL.fullmatch(part))


def _start(*arguments: str) -> subprocess.Popen[bytes]:
    """Start the engine: in a session of its own, so that Ctrl-C lets it finish what is in flight.

    ``-P`` and the path keep a folder that happens to be called ``evals`` out of the way.
    """
    return subprocess.Popen(
        [sys.executable, "-P", engine.__file__, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _first_line(child: subprocess.Popen[bytes], bound: float) -> dict[str, Any]:
    """Wait for the one line that the engine writes.

    Raises
    ------
    Unavailable
        When it ended without one, the bound passed, or it reports an error.
    """
    if child.stdout is None:
        raise RuntimeError("the engine was started without a pipe")
    deadline, read = monotonic() + bound, b""
    with selectors.DefaultSelector() as ready:
        ready.register(child.stdout, selectors.EVENT_READ)
        while not read.endswith(b"\n"):
            if not ready.select(max(0.0, deadline - monotonic())):
                raise Unavailable(f"the engine did not start within {bound:g} s")
            chunk = os.read(child.stdout.fileno(), 65536)
            if not chunk:
                raise Unavailable(_ended(child))
            read += chunk
    said: dict[str, Any] = json.loads(read)
    if "error" in said:
        raise Unavailable(one_line(str(said["error"])))
    return said


def _ended(child: subprocess.Popen[bytes]) -> str:
    """Say in words how the engine ended without a line."""
    try:
        code = child.wait(END)
    except subprocess.TimeoutExpired:
        return "the engine closed its output without a word"
    if code == -signal.SIGILL:
        return "the processor does not know an instruction that the engine needs"
    if code < 0:
        return f"the engine was ended by {signal.Signals(-code).name}"
    return f"the engine ended with code {code} before it was ready"


def _end(child: subprocess.Popen[bytes]) -> None:
    """End one child: by closing its input, else by force; wait until it is gone."""
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            pipe.close()
    try:
        child.wait(END)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
