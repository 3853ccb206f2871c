"""The application's end of the leash: it never outlives the server that started it.

The server keeps the other end of a pipe open. When that closes, because the server lets go or is
gone, the application is asked to leave and ends a moment later whatever it does. On Linux the
kernel ends it as well when the server dies, so that even a stopped process does not stay.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import sys
import termios
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from core.clock import now

LEASH = "WAVELOCK_LEASH"  # the number of the inherited pipe
GRACE = 0.5  # seconds between being asked to leave and the end
SET_PDEATHSIG = 1  # of prctl(2)


def leashed(environment: Mapping[str, str]) -> bool:
    """Return whether a server started this process."""
    return LEASH in environment


def hold(environment: Mapping[str, str], leave: Callable[[], None]) -> None:
    """Put this process on its leash; nothing happens when no server started it.

    Parameters
    ----------
    leave
        Asks the application to leave; called in a thread of its own.
    """
    if not leashed(environment):
        return
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.isatty(0):
        # So that a new size of the terminal reaches this process, and its end does.
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    pipe = int(environment[LEASH])
    threading.Thread(target=_wait, args=(pipe, leave), name="leash", daemon=True).start()


def note_failure(environment: Mapping[str, str], error: BaseException) -> None:
    """Leave word of a defect in the server's folder: what and where, without a value in it."""
    frames = traceback.extract_tb(error.__traceback__)
    where = " < ".join(f"{Path(each.filename).name}:{each.lineno}" for each in reversed(frames))
    path = Path(environment["HOME"]) / "failures.log"
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(file, "a") as log:
        log.write(f"{now()} {type(error).__name__} at {where}\n")


def _wait(pipe: int, leave: Callable[[], None]) -> None:
    while os.read(pipe, 1):
        pass
    # In a thread of its own, because an application that is stuck does not answer.
    threading.Thread(target=_ask, args=(leave,), name="leave", daemon=True).start()
    time.sleep(GRACE)
    os._exit(128 + signal.SIGHUP)


def _ask(leave: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the application is not there yet, or no longer
        leave()
