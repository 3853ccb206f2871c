"""How one person wants the screens: a TOML file of their own, read before anything is drawn.

It stands where ``WAVELOCK_SETTINGS`` says, else in ``~/.config/wavelock/settings.toml``; without
one everything is as it ships. Whatever is wrong with it is named with file, line and key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.toml import Place, parse_toml, refuse_first

THEMES = ("dark", "light", "plain")
TYPES: dict[str, type] = {"theme": str, "auto_advance": bool, "reduced_keys": bool, "keys": dict}
ANSWERS = "answers"  # the one entry of [keys] that is a list: the keys of the answers, by place
NAMED = frozenset(("left", "right", "up", "down", "insert", "delete", "backspace")) | {
    f"f{number}" for number in range(1, 13)
}
COMMANDS: Mapping[str, str] = {
    "back": "left", "next": "right", "up": "up", "down": "down", "comment": "m", "report": "!",
    "undo": "u", "retry": "r", "help": "?", "stop": "q", "differences": "x", "scroll_up": "k",
    "scroll_down": "j", "instructions": "i",
}  # fmt: skip
# No letter but those of answers does anything, so that a stray key cannot.
REDUCED: Mapping[str, str] = {
    **COMMANDS, "help": "f1", "comment": "f2", "retry": "f3", "undo": "f4", "differences": "f5",
    "report": "f6", "scroll_up": "f7", "scroll_down": "f8", "instructions": "f9", "stop": "f10",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """What a person chose.

    Attributes
    ----------
    theme
        ``dark``, ``light`` or ``plain``; empty to go by what the terminal says.
    auto_advance
        Whether the last answer of an item brings the next one.
    commands
        The key of every command.
    answers
        Keys for the answers of a question, by place; further answers keep their own.
    """

    theme: str = ""
    auto_advance: bool = True
    commands: Mapping[str, str] = field(default_factory=lambda: COMMANDS)
    answers: tuple[str, ...] = ()


def settings_path(environment: Mapping[str, str]) -> Path:
    """Return where the settings stand."""
    if given := environment.get("WAVELOCK_SETTINGS"):
        return Path(given)
    home = Path(environment.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return home / "wavelock" / "settings.toml"


def load_settings(environment: Mapping[str, str]) -> Settings:
    """Read the settings; those that ship when there is no file.

    Raises
    ------
    InputError
        When the file is no settings file, or one was named that is not there.
    """
    path = settings_path(environment)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if environment.get("WAVELOCK_SETTINGS"):
            raise InputError(f"{path} does not exist; WAVELOCK_SETTINGS names it") from None
        return Settings()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    return parse_settings(text, str(path))


def parse_settings(text: str, source: str) -> Settings:
    """Read settings from TOML.

    Raises
    ------
    InputError
        Naming source, line and key.
    """
    raw = parse_toml(text, source)
    refuse_first(_faults(raw), text, source, keys=True)
    keys = {name: value for name, value in raw.get("keys", {}).items() if name != ANSWERS}
    return Settings(
        theme=raw.get("theme", ""),
        auto_advance=raw.get("auto_advance", True),
        commands={**_base(raw), **{name: _key(value) for name, value in keys.items()}},
        answers=tuple(_key(key) for key in raw.get("keys", {}).get(ANSWERS, [])),
    )


def _base(raw: Mapping[str, Any]) -> Mapping[str, str]:
    return REDUCED if raw.get("reduced_keys") else COMMANDS


def _key(text: str) -> str:
    return text.lower() if len(text) > 1 else text


def _faults(raw: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """Find what is wrong. Only the first is asked for, so each check relies on those before."""
    for name, value in raw.items():
        if name not in TYPES:
            yield (name,), f"unknown; there are {', '.join(TYPES)}"
        elif type(value) is not TYPES[name]:
            expected = {str: "a text", bool: "true or false", dict: "a table"}[TYPES[name]]
            yield (name,), f"must be {expected}"
    if raw.get("theme", THEMES[0]) not in THEMES:
        yield ("theme",), f"must be one of {', '.join(THEMES)}"
    keys = raw.get("keys", {})
    for name, value in keys.items():
        if name == ANSWERS:
            yield from _faults_of_answers(value)
        elif name not in COMMANDS:
            yield ("keys", name), f"unknown; there are {ANSWERS}, {', '.join(COMMANDS)}"
        elif fault := _fault_of_key(value):
            yield ("keys", name), fault
    yield from _clashes(_base(raw), keys)


def _faults_of_answers(value: Any) -> Iterator[tuple[Place, str]]:
    if not isinstance(value, list) or not value:
        yield ("keys", ANSWERS), "must be a list of keys, one for each answer by place"
        return
    for place, key in enumerate(value):
        if fault := _fault_of_key(key):
            yield ("keys", ANSWERS, place), fault
        elif len(key) > 1 and key.lower() not in NAMED:
            yield ("keys", ANSWERS, place), f"{key!r} is no key"


def _fault_of_key(value: Any) -> str:
    if not isinstance(value, str) or not value:
        return "must be a key: one character, or a name such as left or f2"
    if len(value) == 1:
        return "" if value.isprintable() and value != " " else "that character cannot be mapped"
    return "" if value.lower() in NAMED else f"{value!r} is no key; named are {_named()}"


def _named() -> str:
    return ", ".join(sorted(NAMED))


def _clashes(base: Mapping[str, str], keys: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """Find keys that would mean two things."""
    taken: dict[str, str] = {}
    commands = {**base, **{name: value for name, value in keys.items() if name != ANSWERS}}
    own = [(("keys", name), name, _key(key)) for name, key in commands.items()]
    for number, key in enumerate(keys.get(ANSWERS, [])):
        own.append((("keys", ANSWERS, number), f"answer {number + 1}", _key(key)))  # type: ignore[arg-type]
    # What the file says comes last, so that the fault is found where it can be mended.
    for place, name, key in sorted(own, key=lambda entry: entry[0][1] in keys):
        if key in taken:
            yield place, f"{key!r} is the key of {taken[key]} as well; give one of them another"
        taken[key] = name
