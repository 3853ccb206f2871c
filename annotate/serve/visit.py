"""One visit: keys go in, pictures come out, until one side has had enough.

Both doors bring a client of the same kind, so that what a visit may do is written once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal, Protocol

from annotate.serve.child import Size
from annotate.serve.limits import KIB, Bucket, Limits

Ending = Literal["left", "gone", "idle", "stopped", "refused", "failed"]
PATIENCE = 2.0  # seconds in which a client must take the last words
# Leaves the other screen, shows the cursor, ends mouse, paste and focus reports and styles.
RESTORE = b"\x1b[?1049l\x1b[?25h\x1b[?1000;1002;1003;1006;1015;2004;1004l\x1b[<u\x1b[0m\r\n"
KEPT = "What was saved is kept"
WORDS: Mapping[Ending, str] = {
    "idle": f"You were away for a while, so this was closed. {KEPT}; connect again to go on.",
    "stopped": f"The server is being stopped. {KEPT}; connect again later to go on.",
    "failed": f"Something failed here, and it is not your fault. {KEPT}; connect again to go on.",
}


@dataclass(frozen=True, slots=True)
class Arrival:
    """Somebody at a door: where from, and with what terminal."""

    door: str
    address: str
    terminal: str
    size: Size
    wishes: Mapping[str, str] = field(default_factory=dict)


class Client(Protocol):
    """The other end of a door."""

    async def receive(self) -> bytes | Size | None:
        """Return what was typed, or the new size of the terminal; ``None`` when nobody is there."""
        ...

    async def send(self, data: bytes) -> None:
        """Send what was painted; return when there is room for more."""
        ...


class Application(Protocol):
    """What the client works with."""

    async def read(self) -> bytes: ...  # noqa: D102  (see Child)

    async def write(self, data: bytes) -> None: ...  # noqa: D102

    def resize(self, size: Size) -> None: ...  # noqa: D102


async def attend(
    client: Client, application: Application, limits: Limits, stop: asyncio.Event
) -> Ending:
    """Carry on until the application ends, the client is gone or idle, or the server stops."""
    tasks: dict[asyncio.Task[Ending], None] = dict.fromkeys(
        asyncio.create_task(work)
        for work in (
            _paint(client, application),
            _type(client, application, limits),
            _stop(stop),
        )
    )
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(task.result() for task in tasks if task in done)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def _paint(client: Client, application: Application) -> Ending:
    while data := await application.read():
        try:
            await client.send(data)
        except OSError:
            return "gone"
    return "left"


async def _type(client: Client, application: Application, limits: Limits) -> Ending:
    """Pass on what is typed, no faster than is allowed; a new size costs as much as a kilobyte."""
    clock = asyncio.get_running_loop().time
    bucket, heard = Bucket(limits.burst, limits.rate, clock()), clock()
    while True:
        try:
            async with asyncio.timeout_at(heard + limits.idle):
                said = await client.receive()
        except TimeoutError:
            return "idle"
        match said:
            case None:
                return "gone"
            case Size():
                await asyncio.sleep(bucket.take(KIB, clock()))
                application.resize(said)
            case _:
                heard = clock()
                await asyncio.sleep(bucket.take(len(said), clock()))
                await application.write(said)


async def _stop(stop: asyncio.Event) -> Ending:
    await stop.wait()
    return "stopped"


async def bid_farewell(client: Client, words: str) -> None:
    """Give a client its terminal back with a last line; one that does not listen goes without."""
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(PATIENCE):
            await client.send(RESTORE + f"{words}\r\n".encode())
