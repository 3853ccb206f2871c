"""What a server keeps beside the study: its host key, the key of addresses, who is on.

All of it stands in one folder that only its owner can read. Nothing in it is needed to read the
study; without the key of addresses nobody can tell which address an attempt came from.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from core.errors import InputError, Refused

OTHERS = 0o077  # the permissions that nobody else may have


@dataclass(frozen=True, slots=True)
class Visitor:
    """An application that is running: the process that holds the sitting, and how one came in."""

    process: str
    door: str
    since: str


@dataclass(frozen=True, slots=True)
class Running:
    """What a running server says of itself."""

    doors: Mapping[str, str]
    visitors: tuple[Visitor, ...]


class State:
    """The folder of a server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            mode = folder.stat().st_mode
        except OSError as error:
            raise InputError(f"{folder} cannot be made: {error.strerror}; see --state") from error
        if not folder.is_dir() or mode & OTHERS:
            raise InputError(f"{folder} must be a folder that only you can read: chmod 700 it")

    @classmethod
    def beside(cls, study: Path) -> Path:
        """Return where the folder of a study stands unless it is told otherwise."""
        return study.with_name(f"{study.name}-serve")

    def secret(self, name: str, make: Callable[[], bytes]) -> bytes:
        """Return a secret that was made once, or is made now; only its owner may read the file."""
        path = self.folder / name
        try:
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            if path.stat().st_mode & OTHERS:
                raise InputError(f"others can read {path}: chmod 600 it, or remove it") from None
            return path.read_bytes()
        with os.fdopen(file, "wb") as target:
            made = make()
            target.write(made)
        return made

    def address_key(self) -> bytes:
        """Return the key under which addresses are digested."""
        return self.secret("address_key", lambda: secrets.token_bytes(32))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Be the one server on this folder.

        Raises
        ------
        Refused
            When there is one already.
        """
        with self._lock.open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise Refused(
                    f"a server runs on {self.folder} already; see: wavelock serve status"
                ) from None
            try:
                yield
            finally:
                self._status.unlink(missing_ok=True)

    def tell(self, doors: Mapping[str, str], visitors: Sequence[Visitor]) -> None:
        """Write down who is on; no address, no pseudonym, no code."""
        said = {"doors": dict(doors), "visitors": [asdict(visitor) for visitor in visitors]}
        draft = self._status.with_suffix(".new")
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(file, "w") as target:
            json.dump(said, target)
        draft.replace(self._status)

    def running(self) -> Running | None:
        """Return what the server says that runs just now; ``None`` when none does."""
        if not self._served():
            return None
        try:
            said = json.loads(self._status.read_text("utf-8"))
        except FileNotFoundError:
            return None
        return Running(said["doors"], tuple(Visitor(**each) for each in said["visitors"]))

    def _served(self) -> bool:
        """Ask the lock, which a server that was killed does not hold any more."""
        try:
            lock = self._lock.open("r+")
        except FileNotFoundError:
            return False
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return True
        return False

    @property
    def _lock(self) -> Path:
        return self.folder / "lock"

    @property
    def _status(self) -> Path:
        return self.folder / "status.json"
