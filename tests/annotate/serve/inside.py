"""Both doors inside the process of a test, so that limits can be small and faults are seen."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from annotate.serve.hall import Hall
from annotate.serve.journal import Journal
from annotate.serve.limits import Limits
from annotate.serve.listen import Listen
from annotate.serve.pages import Site
from annotate.serve.ssh import host_key, open_ssh
from annotate.serve.state import State
from annotate.serve.web import Place, WebDoor

# Says that it is there, answers every key, tells its size when asked, ends at q.
ROOT = Path(__file__).parents[3]
PROGRAM = (
    f"import sys; sys.path.insert(0, {str(ROOT)!r})"
    + """
import os, tty
from annotate.serve.leash import hold
hold(os.environ, lambda: os._exit(0))
tty.setraw(0)
os.write(1, b"ready ")
while True:
    for key in os.read(0, 65536).decode("utf-8", "replace"):
        if key == "q":
            sys.exit(0)
        if key == "f":
            sys.exit(3)
        if key == "s":
            os.write(1, b"<%dx%d>" % os.get_terminal_size())
        elif key == "e":
            os.write(1, repr(sorted(os.environ.items())).encode())
        elif key == "p":
            os.write(1, b"x" * 200000)
        elif key == "?":
            os.write(1, b"!here!")
"""
)
HOME = Listen("127.0.0.1", 0)


class Inside:
    """A hall with both doors open."""

    def __init__(
        self,
        folder: Path,
        *,
        limits: Limits | None = None,
        place: Place | None = None,
        site: Site | None = None,
        command: tuple[str, ...] = (sys.executable, "-S", "-c", PROGRAM),
        addresses: bool = False,
    ) -> None:
        self.lines: list[str] = []
        journal = Journal(self.lines.append, addresses=addresses)
        self.state = State(folder)
        self.hall = Hall(command, self.state, limits or Limits(), journal)
        self.place = place or Place()
        self._web = WebDoor(self.hall, self.place, site or Site())
        self._journal = journal

    async def __aenter__(self) -> Inside:
        asyncio.get_running_loop().set_exception_handler(self._journal.fault_in_loop)
        self._ssh = await open_ssh(self.hall, HOME, host_key(self.state))
        self.ssh_port = self._ssh.get_port()
        self.web_port = (await self._web.open(HOME)).port
        self.url = f"http://127.0.0.1:{self.web_port}{self.place.prefix}/"
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.hall.close()
        self._ssh.close()
        await self._web.close()
        assert not [line for line in self.lines if "defect" in line], self.lines
