"""Where a door listens."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address

from core.errors import InputError


@dataclass(frozen=True, slots=True)
class Listen:
    """An address of this machine and a port; port 0 is any free one."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def local(self) -> bool:
        """Whether only this machine reaches it."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def parse(text: str, host: str) -> Listen:
    """Read ``PORT`` or ``ADDRESS:PORT``.

    Raises
    ------
    InputError
        When it is neither.
    """
    before, _, last = text.rpartition(":")
    if not last.isascii() or not last.isdigit() or int(last) > 65535:
        raise InputError(f"{text!r} is no PORT and no ADDRESS:PORT")
    return Listen(before.removeprefix("[").removesuffix("]") or host, int(last))
