"""A real terminal for tests: one tmux server of its own per test, and never another one."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

PATIENCE = 90.0  # seconds; the machine may be busy
WAVELOCK = Path(sys.executable).with_name("wavelock")


class Terminal:
    """One window with one program in it."""

    def __init__(self, folder: Path, width: int = 80, height: int = 24) -> None:
        self._socket = f"wavelock-{uuid.uuid4().hex[:12]}"
        self._size = (width, height)
        self._config, self._pid, self._code = (folder / name for name in ("conf", "pid", "code"))
        self._config.write_text(
            "set -g status off\nset -g remain-on-exit on\nset -g escape-time 0\n"
            "set -g allow-rename on\nset -g default-terminal tmux-256color\n"
        )
        self.titles: set[str] = set()

    def start(self, *command: object, environment: dict[str, str] | None = None) -> None:
        """Start a program in the window, in place of the one before."""
        width, height = self._size
        given = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
        settings = {"LANG": "C.UTF-8", "WAVELOCK_THEME": "dark", **given, **(environment or {})}
        words = [f"{key}={value}" for key, value in settings.items()]
        words = [shlex.quote(str(word)) for word in (*words, *command)]
        # tmux does not always know how a program ended, so a shell around it keeps note.
        inner = f"echo $$ >{self._pid}; exec env -i TERM=$TERM {' '.join(words)}"
        line = f"sh -c {shlex.quote(inner)}; echo $? >{self._code}"
        for note in (self._pid, self._code):
            note.unlink(missing_ok=True)
        if self._running():
            self._tmux("respawn-window", "-k", "-t", "w", line)
        else:
            self._tmux("new-session", "-d", "-s", "w", "-x", width, "-y", height, line)

    def wavelock(self, study: Path, *words: str, **settings: dict[str, str]) -> None:
        """Start Wavelock on a study."""
        self.start(WAVELOCK, "--study", study, *words, **settings)

    def keys(self, *keys: str) -> None:
        """Press keys by name."""
        self._tmux("send-keys", "-t", "w", *keys)

    def type(self, text: str) -> None:
        """Type a text as it is."""
        self._tmux("send-keys", "-t", "w", "-l", text)

    def paste(self, text: str, *, bracketed: bool) -> None:
        """Paste a text, with or without the marks by which a program can tell."""
        self._tmux("set-buffer", text)
        self._tmux("paste-buffer", "-t", "w", *(["-p"] if bracketed else []))

    def resize(self, width: int, height: int) -> None:
        """Change the size of the window."""
        self._tmux("resize-window", "-t", "w", "-x", width, "-y", height)

    def screen(self, *, styled: bool = False) -> str:
        """Return what is on the screen, without what trails."""
        self.titles.add(self._format("#{pane_title} #{window_name}"))
        return self._tmux("capture-pane", "-p", "-t", "w", *(["-e"] if styled else []))

    def lines(self) -> list[str]:
        """Return the screen by lines."""
        return self.screen().split("\n")[: self._size[1]]

    def until(self, condition: Callable[[str], bool]) -> str:
        """Wait until something holds on the screen, and return that screen."""
        deadline = time.monotonic() + PATIENCE
        while not condition(screen := self.screen()):
            assert time.monotonic() < deadline, f"it never came:\n{screen}"
            time.sleep(0.03)
        return screen

    def shows(self, *texts: str) -> str:
        """Wait until all texts are on the screen."""
        return self.until(lambda screen: all(text in screen for text in texts))

    def ended(self) -> int:
        """Wait until the program has ended, and return its exit code."""
        self.until(lambda _: self._code.exists() and self._code.read_text().strip() != "")
        return int(self._code.read_text())

    def kill(self) -> None:
        """Kill the program, and only that, without warning."""
        os.kill(int(self._pid.read_text()), signal.SIGKILL)
        assert self.ended() == 128 + signal.SIGKILL

    def close(self) -> None:
        """End this terminal."""
        if self._running():
            self._tmux("kill-server")

    def _format(self, text: str) -> str:
        return self._tmux("display-message", "-p", "-t", "w", text).strip()

    def _running(self) -> bool:
        done = subprocess.run(
            ["tmux", "-L", self._socket, "has-session", "-t", "w"], capture_output=True, check=False
        )
        return done.returncode == 0

    def _tmux(self, *words: object) -> str:
        command = ["tmux", "-u", "-L", self._socket, "-f", str(self._config), *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
