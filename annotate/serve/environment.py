"""What an application is told of the world: a short list, and of the client's wishes a few."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from db.attempts import ORIGIN

KEPT = ("PATH", "LD_LIBRARY_PATH")  # of the server's own environment
TERMINALS = re.compile(
    r"(alacritty|ansi|cygwin|dumb|eterm|foot|gnome|iterm|kitty|konsole|linux|ms-terminal|putty|rxvt"
    r"|screen|st|tmux|vt\d{1,3}|wezterm|xterm)([.+-][a-z0-9.+-]{1,30})?"
)
USUAL = "xterm-256color"
LOCALE = re.compile(r"[A-Za-z_]{1,20}\.(UTF-8|utf-8|UTF8|utf8)")
# What a client may ask for, each in a form that can do no harm.
WISHES: Mapping[str, re.Pattern[str]] = {
    "COLORTERM": re.compile(r"truecolor|24bit"),
    "COLORFGBG": re.compile(r"\d{1,2}(;(\d{1,2}|default)){1,2}"),
    "LANG": LOCALE,
    "LC_ALL": LOCALE,
    "LC_CTYPE": LOCALE,
    "WAVELOCK_THEME": re.compile(r"dark|light|plain"),
}


def environment(
    own: Mapping[str, str], state: Path, origin: str, terminal: str, wishes: Mapping[str, str]
) -> dict[str, str]:
    """Return the whole environment of an application.

    Settings are read from the state folder, not from the home of whoever runs the server.

    Parameters
    ----------
    origin
        The digest of the client's address.
    terminal
        What the client calls its terminal.
    """
    kept = {name: own[name] for name in KEPT if name in own}
    granted = {
        name: wishes[name]
        for name, form in WISHES.items()
        if name in wishes and form.fullmatch(wishes[name])
    }
    if wishes.get("NO_COLOR"):
        granted["NO_COLOR"] = "1"
    return {
        **kept,
        "LANG": "C.UTF-8",
        **granted,
        "PYTHONUTF8": "1",
        "HOME": str(state),
        "XDG_CONFIG_HOME": str(state),
        "TERM": terminal if TERMINALS.fullmatch(terminal) else USUAL,
        ORIGIN: origin,
    }
