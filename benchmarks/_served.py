"""A server with people at its doors: keys go in, and the time until a text is painted comes out."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self

import aiohttp
import asyncssh

from benchmarks._terminal import PATIENCE, SIZE

WAVELOCK = str(Path(sys.executable).with_name("wavelock"))


class Server:
    """``wavelock serve`` on a study, started here and ended here."""

    def __init__(self, study: Path, state: Path) -> None:
        self._state = state
        words = ["--ssh", "0", "--web", "0", "--state", str(state)]
        self.process = subprocess.Popen(
            [WAVELOCK, "--study", str(study), "serve", *words],
            stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def __enter__(self) -> Self:
        deadline = time.perf_counter() + PATIENCE
        status = self._state / "status.json"
        while not status.exists():
            if time.perf_counter() > deadline:
                raise TimeoutError("the server never opened its doors")
            time.sleep(0.05)
        doors = json.loads(status.read_text())["doors"]
        self.ports = {door: int(at.rpartition(":")[2]) for door, at in doors.items()}
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)

    def memory(self) -> tuple[int, list[int]]:
        """Return the bytes that the server takes, and those of each application (Pss)."""
        pid = self.process.pid
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return pss(pid), [pss(int(child)) for child in found]


def pss(pid: int) -> int:
    """Return the memory of a process, with its share of what several use."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return 1024 * int(line.split()[1])
    raise ValueError("no Pss line")


class Visit:
    """One person at a door."""

    def __init__(self, door: str, port: int) -> None:
        self._door, self._port = door, port
        self._seen, self._news = b"", asyncio.Event()

    async def __aenter__(self) -> Self:
        self.began = time.perf_counter()
        await (self._by_ssh() if self._door == "ssh" else self._by_web())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.wait({self._task})
        await self._close()

    async def _by_ssh(self) -> None:
        connection = await asyncssh.connect(
            "127.0.0.1", self._port, known_hosts=None, username="x", config=None, client_keys=None
        )
        process: Any = await connection.create_process(
            term_type="xterm-256color", term_size=(SIZE[1], SIZE[0]), encoding=None
        )

        async def send(keys: str) -> None:
            process.stdin.write(keys.encode())

        async def close() -> None:
            connection.close()
            await connection.wait_closed()

        self.press, self._close = send, close
        self._task = asyncio.create_task(self._read(process.stdout.read))

    async def _by_web(self) -> None:
        session = aiohttp.ClientSession()
        address = f"http://127.0.0.1:{self._port}/ws?width={SIZE[1]}&height={SIZE[0]}"
        socket = await session.ws_connect(address)

        async def send(keys: str) -> None:
            await socket.send_json(["stdin", keys])

        async def close() -> None:
            await socket.close()
            await session.close()

        async def receive(_size: int) -> bytes:
            message = await socket.receive()
            return message.data if message.type is aiohttp.WSMsgType.BINARY else b""

        self.press, self._close = send, close
        self._task = asyncio.create_task(self._read(receive))

    async def _read(self, read: Any) -> None:
        while data := await read(65536):
            self._seen += data
            self._news.set()

    async def until(self, text: str) -> float:
        """Read until a text has come, and return when; what came before it is forgotten."""
        wanted = text.encode()
        async with asyncio.timeout(PATIENCE):
            while wanted not in self._seen:
                self._news.clear()
                await self._news.wait()
        at, self._seen = time.perf_counter(), b""
        return at

    async def settle(self, seconds: float = 0.05) -> None:
        """Read until nothing more comes."""
        while True:
            self._news.clear()
            try:
                async with asyncio.timeout(seconds):
                    await self._news.wait()
            except TimeoutError:
                self._seen = b""
                return
