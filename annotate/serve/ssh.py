"""The SSH door: a terminal and an application in it, and nothing else that SSH can do.

Anybody may knock, under any name: who somebody is, the access code says, inside. There is no shell,
no command, no file transfer and no forwarding; what is not answered here the library refuses.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from typing import Any

import asyncssh

from annotate.serve.child import Size
from annotate.serve.hall import Hall
from annotate.serve.journal import fault
from annotate.serve.listen import Listen
from annotate.serve.origins import neighbourhood
from annotate.serve.state import State
from annotate.serve.visit import Arrival

NO_TERMINAL = "wavelock: this opens screens, which need a terminal; connect with: ssh -t"
WAITING = 65536  # bytes from the client that wait for the application
ALIVE, MISSED = 10, 2  # seconds between asking whether the client is there; unanswered ones
LINES = "plain"  # the user name that asks for a conversation in lines


class Door(asyncssh.SSHServer):
    """One connection, which may open one terminal."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._place = ""
        self._user = ""
        self._session: Session | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        """Count a connection in; it has a while to open its terminal."""
        self._connection = conn
        self.address = str((conn.get_extra_info("peername") or ("",))[0])
        place = neighbourhood(self.address)
        if not self._hall.connections.take(place):
            conn.abort()
            return
        self._place = place
        loop = asyncio.get_running_loop()
        self._opening = loop.call_later(self._hall.limits.opening, self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it out."""
        if self._place:
            self._opening.cancel()
            self._hall.connections.give(self._place)

    def begin_auth(self, username: str) -> bool:
        """Let everybody to the screen that asks for the code."""
        self._user = username
        return False

    def session_requested(self) -> Session | bool:
        """Open the one terminal of this connection."""
        if self._session:
            return False
        self._session = Session(self._hall, self.address, lines=self._user == LINES, over=self.over)
        return self._session

    def over(self) -> None:
        """End the connection of a visit that is over, whatever the client does with it."""
        asyncio.get_running_loop().call_later(1, self._connection.abort)

    def _too_slow(self) -> None:
        if not (self._session and self._session.visiting):
            self._connection.abort()


class Session(asyncssh.SSHServerSession[bytes]):
    """One terminal: a client of the hall."""

    def __init__(self, hall: Hall, address: str, *, lines: bool, over: Any) -> None:
        self._hall, self._address, self._lines, self._over = hall, address, lines, over
        self._terminal: str | None = None
        self._size = Size()
        self._heard: deque[bytes | Size | None] = deque()
        self._waiting, self._full = 0, False
        self._news, self._room = asyncio.Event(), asyncio.Event()
        self._room.set()
        self._gone = False
        self.visiting: asyncio.Task[None] | None = None

    # What SSH tells

    def connection_made(self, chan: asyncssh.SSHServerChannel[bytes]) -> None:
        """Keep the channel."""
        self._channel = chan

    def pty_requested(
        self, term_type: str, term_size: tuple[int, int, int, int], term_modes: Mapping[int, int]
    ) -> bool:
        """Note what kind of terminal there is."""
        self._terminal, self._size = term_type, Size.of(*term_size[:2])
        return True

    def shell_requested(self) -> bool:
        """Agree: what SSH calls a shell is the application."""
        return True

    def session_started(self) -> None:
        """Go into the hall."""
        self.visiting = asyncio.create_task(self._visit())

    def terminal_size_changed(self, width: int, height: int, pixwidth: int, pixheight: int) -> None:
        """Take a new size; of several that wait, the last one counts."""
        if self._heard and isinstance(self._heard[-1], Size):
            self._heard.pop()
        self._hear(Size.of(width, height))

    def data_received(self, data: bytes, datatype: int | None) -> None:
        """Take what was typed; when much of it waits, let the client wait."""
        self._waiting += len(data)
        if self._waiting > WAITING:
            self._full = True
            self._channel.pause_reading()
        self._hear(data)

    def eof_received(self) -> bool:
        """Take it that nobody types any more."""
        self._hear(None)
        return True

    def pause_writing(self) -> None:
        """Note that the client does not keep up."""
        self._room.clear()

    def resume_writing(self) -> None:
        """Note that it does again."""
        self._room.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that nobody is there any more."""
        self._gone = True
        self._room.set()
        self._hear(None)

    def _hear(self, said: bytes | Size | None) -> None:
        self._heard.append(said)
        self._news.set()

    # What the hall asks

    async def receive(self) -> bytes | Size | None:
        """Return the next thing that was heard."""
        while not self._heard:
            self._news.clear()
            await self._news.wait()
        said = self._heard.popleft()
        if isinstance(said, bytes):
            self._waiting -= len(said)
            if self._full and self._waiting <= WAITING:
                self._full = False  # before more comes in, which may fill it at once
                self._channel.resume_reading()
        return said

    async def send(self, data: bytes) -> None:
        """Send what was painted."""
        if self._gone:
            raise ConnectionResetError
        self._channel.write(data)
        await self._room.wait()

    async def _visit(self) -> None:
        try:
            code = await self._work() if self._terminal else self._refuse()
            if not self._gone:
                self._channel.exit(code)
        except OSError:
            pass  # the line dropped while the last words were said
        except Exception as error:  # noqa: BLE001  (a defect ends its own visit and no other)
            self._hall.journal.note(f"ssh: defect: {fault(error)}")
        finally:
            self._over()

    async def _work(self) -> int:
        terminal = "dumb" if self._lines else str(self._terminal)
        wishes = dict(self._channel.get_environment())
        arrival = Arrival("ssh", self._address, terminal, self._size, wishes)
        return await self._hall.visit(arrival, self)

    def _refuse(self) -> int:
        self._channel.write_stderr(f"{NO_TERMINAL}\n".encode())
        return 2


def host_key(state: State) -> asyncssh.SSHKey:
    """Return the key by which clients know this server, made once and kept."""

    def make() -> bytes:
        return asyncssh.generate_private_key("ssh-ed25519").export_private_key()

    return asyncssh.import_private_key(state.secret("ssh_host_key", make))


async def open_ssh(hall: Hall, listen: Listen, key: asyncssh.SSHKey) -> asyncssh.SSHAcceptor:
    """Open the door."""
    return await asyncssh.listen(
        listen.host,
        listen.port,
        config=None,  # no file of this machine adds anything
        server_factory=lambda: Door(hall),
        server_host_keys=[key],
        server_version="Wavelock",
        encoding=None,
        line_editor=False,
        allow_scp=False,
        agent_forwarding=False,
        x11_forwarding=False,
        login_timeout=hall.limits.opening,
        keepalive_interval=ALIVE,
        keepalive_count_max=MISSED,
        window=WAITING,
    )
