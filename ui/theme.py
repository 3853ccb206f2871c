"""Two quiet palettes, and one that leaves every colour to the terminal.

The item has the strongest contrast, the frame the weakest. Nothing is told by colour alone: what
is given stands in brackets, what is in focus has a mark, what failed says so.
"""

from __future__ import annotations

from collections.abc import Mapping

from textual.theme import BUILTIN_THEMES, Theme

DARK = Theme(
    name="wavelock-dark",
    dark=True,
    primary="#8fb8de",
    accent="#8fb8de",
    success="#9cc49a",
    warning="#e3b778",
    error="#ec9a8f",
    foreground="#b9bec7",
    background="#15171b",
    surface="#1b1e23",
    panel="#22262d",
    variables={
        "item": "#f4f1ea",
        "item-style": "none",
        "quiet": "#868d98",
        "line": "#3b414b",
    },
)
LIGHT = Theme(
    name="wavelock-light",
    dark=False,
    primary="#245a92",
    accent="#245a92",
    success="#2f6b36",
    warning="#8a5a00",
    error="#a8322a",
    foreground="#41464e",
    background="#faf9f6",
    surface="#f2f0eb",
    panel="#e9e7e1",
    variables={
        "item": "#101214",
        "item-style": "none",
        "quiet": "#666c75",
        "line": "#c9c7c1",
    },
)
PLAIN = Theme(
    name="wavelock-plain",
    ansi=True,
    primary="ansi_default",
    secondary="ansi_default",
    accent="ansi_default",
    success="ansi_default",
    warning="ansi_default",
    error="ansi_default",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    variables={
        **BUILTIN_THEMES["ansi-dark"].variables,
        "item": "ansi_default",
        "item-style": "bold",
        "quiet": "ansi_default",
        "line": "ansi_default",
    },
)
THEMES = (DARK, LIGHT, PLAIN)
LIGHT_BACKGROUNDS = frozenset({"7", "15"})


def preferred(environment: Mapping[str, str], chosen: str = "") -> str:
    """Return the theme that fits a terminal: plain under ``NO_COLOR``, light where it says so.

    ``WAVELOCK_THEME`` (dark, light or plain) decides, then ``NO_COLOR``, then what the settings
    have chosen; otherwise ``COLORFGBG``, which some terminals set, tells the background.
    """
    wanted = f"wavelock-{environment.get('WAVELOCK_THEME', '').strip().lower()}"
    if wanted in {theme.name for theme in THEMES}:
        return wanted
    if "NO_COLOR" in environment or environment.get("TEXTUAL_COLOR") == "monochrome":
        return PLAIN.name
    if chosen:
        return f"wavelock-{chosen}"
    ground = environment.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT.name if ground in LIGHT_BACKGROUNDS else DARK.name
