"""A server of its own for a test, and clients that record all they are told."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp
import asyncssh

PATIENCE = 60.0  # seconds; the machine may be busy
WAVELOCK = Path(sys.executable).with_name("wavelock")
ESCAPES = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b.")


def shown(data: bytes) -> str:
    """Return the words of what a terminal was sent, each gap as one space."""
    return " ".join(ESCAPES.sub(b"", data).decode("utf-8", "replace").split())


def wait_until(holds: Callable[[], Any], what: str = "it") -> Any:
    """Wait until something is so, and return it."""
    deadline = time.monotonic() + PATIENCE
    while not (found := holds()):
        assert time.monotonic() < deadline, f"{what} never came"
        time.sleep(0.02)
    return found


def children(pid: int) -> list[int]:
    """Return the processes that a process has started and that are there still."""
    try:
        said = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except FileNotFoundError:
        return []
    return [int(word) for word in said.split() if alive(int(word))]


def alive(pid: int) -> bool:
    """Return whether a process runs; one that has ended and was not asked after does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


class Serving:
    """``wavelock serve`` on a study, on free ports of this machine."""

    def __init__(self, study: Path, *words: str, state: Path | None = None) -> None:
        self.study = study
        self.state = state or study.with_name(f"{study.name}-serve")
        self._log = study.with_name("serve.log")
        command = [WAVELOCK, "--study", study, "serve", "--ssh", "0", "--web", "0", *words]
        with self._log.open("w") as log:
            self.process = subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        wait_until(lambda: "serving;" in self.log or self.process.poll() is not None, "the server")
        assert self.process.poll() is None, self.log
        doors = json.loads((self.state / "status.json").read_text())["doors"]
        self.ssh_port, self.web_port = (int(doors[d].rpartition(":")[2]) for d in ("ssh", "web"))

    @property
    def log(self) -> str:
        """What the server has said."""
        return self._log.read_text()

    @property
    def url(self) -> str:
        """Where the first page is."""
        return f"http://127.0.0.1:{self.web_port}/"

    def ssh(self, *options: str, user: str = "anybody") -> list[str]:
        """Return the command line of an ordinary client."""
        return [
            "ssh", "-F", "none", "-p", str(self.ssh_port), "-o", "StrictHostKeyChecking=no",
            "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "-o", "BatchMode=yes",
            *options, f"{user}@127.0.0.1",
        ]  # fmt: skip

    def applications(self) -> list[int]:
        """Return the applications that run now."""
        return children(self.process.pid)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End the server with a signal; return its exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        """End the server if it runs, and see that it left nothing."""
        left = self.applications()
        if self.process.poll() is None:
            self.stop()
        wait_until(lambda: not any(alive(pid) for pid in left), "the end of all applications")


class Recording:
    """What a client was sent, and the text of it."""

    def __init__(self) -> None:
        self.received = b""
        self.ended = asyncio.Event()
        self._news = asyncio.Event()
        self._from = 0

    def take(self, data: bytes) -> None:
        self.received += data
        self._news.set()

    def end(self) -> None:
        self.ended.set()
        self._news.set()

    def text(self) -> str:
        """Return all that was painted."""
        return shown(self.received)

    async def type(self, keys: str) -> None:
        """Send what was typed."""
        raise NotImplementedError

    async def until(self, *texts: str, patience: float = PATIENCE) -> str:
        """Wait until all texts have come since the last wait; return all since then."""
        async with asyncio.timeout(patience):
            while not all(text in (seen := shown(self.received[self._from :])) for text in texts):
                assert not self.ended.is_set(), f"{texts} never came; the last was {seen[-300:]}"
                self._news.clear()
                await self._news.wait()
        self._from = len(self.received)
        return seen

    async def answer(self, keys: str, text: str) -> None:
        """Answer an item until it is taken: keys that come before it is drawn do not count."""
        for _ in range(int(PATIENCE / 3)):
            await self.type(keys)
            with suppress(TimeoutError):
                await self.until(text, patience=3)
                return
        raise TimeoutError(f"{text!r} never came")


class WebClient(Recording):
    """A page's websocket, without the page; keeps every frame."""

    def __init__(self, session: aiohttp.ClientSession, url: str, **more: Any) -> None:
        super().__init__()
        self._session, self._url, self._more = session, url, more
        self.frames: list[Any] = []

    async def __aenter__(self) -> WebClient:
        self.socket = await self._session.ws_connect(
            self._url.rstrip("/") + "/ws?width=80&height=24", **self._more
        )
        self._line = self.socket.get_extra_info("socket")
        self._task = asyncio.create_task(self._listen())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.close()
        await self._task
        async with asyncio.timeout(PATIENCE):  # over TLS the goodbye takes a while, behind our back
            while self._line.fileno() != -1:
                await asyncio.sleep(0.01)

    async def _listen(self) -> None:
        async for message in self.socket:
            self.frames.append(message.data)
            self.take(message.data if isinstance(message.data, bytes) else b"")
        self.end()

    async def type(self, keys: str) -> None:
        await self.socket.send_json(["stdin", keys])

    def drop(self) -> None:
        """Lose the line without a word."""
        transport = self.socket.get_extra_info("socket")
        assert transport
        transport.setsockopt(1, 13, b"\1\0\0\0\0\0\0\0")  # SO_LINGER 0: a reset, no goodbye
        connection = self.socket._conn
        connection.transport.abort()


class SshClient(Recording):
    """An SSH client in this process."""

    def __init__(self, port: int, **more: Any) -> None:
        super().__init__()
        self._port, self._more = port, more

    async def __aenter__(self) -> SshClient:
        self.connection = await asyncssh.connect(
            "127.0.0.1", self._port, known_hosts=None, username="x", config=None, client_keys=None
        )
        self.process = await self.connection.create_process(
            term_type="xterm-256color", term_size=(80, 24), encoding=None, **self._more
        )
        self._task = asyncio.create_task(self._listen())
        return self

    async def __aexit__(self, *_: object) -> None:
        self.connection.abort()
        await self._task

    async def _listen(self) -> None:
        try:
            while data := await self.process.stdout.read(65536):
                self.take(data)
        except (asyncssh.Error, OSError):
            pass
        self.end()

    async def type(self, keys: str) -> None:
        self.process.stdin.write(keys.encode())

    def drop(self) -> None:
        self.connection.abort()
