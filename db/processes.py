"""Whether the process that holds a sitting is still there: asked of this machine only.

A process is known by its number and its start; a machine by the start of its kernel and the
namespace that its process numbers belong to. Only a digest of the machine is stored.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path

from core.hashing import digest_of


def machine() -> str:
    """Return a digest of this start of this machine."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        space = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        boot, space = socket.gethostname(), ""  # no Linux: better than nothing
    return digest_of(["wavelock machine", boot, space])


def process() -> str:
    """Return what this process is known by."""
    return process_of(os.getpid())


def process_of(pid: int) -> str:
    """Return what a process of this machine is known by."""
    return f"{pid} {_start(pid)}"


def dead(known: str) -> bool:
    """Return whether a process of this machine is surely gone."""
    number, _, start = known.partition(" ")
    pid = int(number)
    if Path("/proc/self/stat").exists():
        return _start(pid) != start
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _start(pid: int) -> str:
    """Return when a process started, in ticks since the start; empty when it is gone or ended."""
    try:
        line = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    fields = line.rpartition(")")[2].split()  # the name before it can hold anything
    return "" if fields[0] in "ZX" else fields[19]
