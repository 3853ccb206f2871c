"""A server from its start to its end: opens the doors, waits for a signal, sees everybody out."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from annotate.serve.hall import Hall
from annotate.serve.journal import Journal, silence_libraries
from annotate.serve.limits import Limits
from annotate.serve.listen import Listen
from annotate.serve.pages import Site
from annotate.serve.ssh import host_key, open_ssh
from annotate.serve.state import State
from annotate.serve.web import Place, WebDoor
from core.errors import InputError

NO_TLS = (
    "warning: the browser door listens on {} without TLS: whoever is on the network can read codes "
    "and answers; put a proxy with TLS before it (docs/hosting.md)"
)
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Service:
    """What is asked of a server.

    Attributes
    ----------
    command
        Starts an application.
    folder
        Where the server keeps what is its own.
    ssh, web
        Where the doors listen; a door without a place stays shut.
    """

    command: tuple[str, ...]
    folder: Path
    ssh: Listen | None = None
    web: Listen | None = None
    place: Place = field(default_factory=Place)
    site: Site = field(default_factory=Site)
    limits: Limits = field(default_factory=Limits)
    addresses: bool = False


def run(service: Service, say: Say) -> None:
    """Serve until a signal comes.

    Raises
    ------
    KeyboardInterrupt
        When it was Ctrl-C.
    """
    state = State(service.folder)
    with state.alone():
        last = asyncio.run(_serve(service, state, say))
    if last == signal.SIGINT:
        raise KeyboardInterrupt


async def _serve(service: Service, state: State, say: Say) -> int:
    silence_libraries()
    journal = Journal(say, addresses=service.addresses)
    hall = Hall(service.command, state, service.limits, journal)
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(journal.fault_in_loop)
    stopped = loop.create_future()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, _settle, stopped, number)
    async with AsyncExitStack() as doors:
        await _open_doors(service, state, hall, doors, say)
        hall.tell()
        say("serving; Ctrl-C stops")
        last: int = await stopped
        await hall.close()
    journal.note("stopped")
    return last


def _settle(stopped: asyncio.Future[int], number: int) -> None:
    if not stopped.done():
        stopped.set_result(number)


async def _open_doors(
    service: Service, state: State, hall: Hall, doors: AsyncExitStack, say: Say
) -> None:
    try:
        if service.ssh:
            await _open_ssh(service.ssh, state, hall, doors, say)
        if service.web:
            await _open_web(service, service.web, hall, doors, say)
    except OSError as error:
        where = " or ".join(str(door) for door in (service.ssh, service.web) if door)
        raise InputError(f"cannot listen on {where}: {error.strerror or error}") from error


async def _open_ssh(
    listen: Listen, state: State, hall: Hall, doors: AsyncExitStack, say: Say
) -> None:
    key = host_key(state)
    acceptor = await open_ssh(hall, listen, key)
    doors.callback(acceptor.close)
    at = Listen(listen.host, acceptor.get_port())
    hall.doors["ssh"] = str(at)
    say(f"ssh: ssh -p {at.port} {at.host}   host key {key.get_fingerprint()}")


async def _open_web(
    service: Service, listen: Listen, hall: Hall, doors: AsyncExitStack, say: Say
) -> None:
    door = WebDoor(hall, service.place, service.site)
    at = await door.open(listen)
    doors.push_async_callback(door.close)
    hall.doors["web"] = str(at)
    say(f"web: {service.place.public or f'http://{at}{service.place.prefix}/'}")
    if not at.local:
        say(NO_TLS.format(at))
