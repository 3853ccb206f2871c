"""A person's own settings: read from one file, and every fault names file, line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InputError
from core.settings import COMMANDS, REDUCED, Settings, load_settings, parse_settings

WHOLE = """
theme = "light"
auto_advance = false

[keys]
answers = ["f", "g", "h"]
comment = "c"
stop = "F10"
"""


def test_without_a_file_everything_is_as_it_ships(tmp_path: Path) -> None:
    """Nobody needs settings; a file that is named must be there."""
    assert load_settings({"XDG_CONFIG_HOME": str(tmp_path)}) == Settings()
    with pytest.raises(InputError, match=r"none\.toml does not exist; WAVELOCK_SETTINGS names it"):
        load_settings({"WAVELOCK_SETTINGS": str(tmp_path / "none.toml")})


def test_both_places_are_read(tmp_path: Path) -> None:
    """The named file, or settings.toml in the configuration folder."""
    (tmp_path / "wavelock").mkdir()
    (tmp_path / "wavelock" / "settings.toml").write_text('theme = "dark"')
    (tmp_path / "own.toml").write_text('theme = "light"')
    home = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert load_settings(home).theme == "dark"
    assert load_settings({**home, "WAVELOCK_SETTINGS": str(tmp_path / "own.toml")}).theme == "light"


def test_what_is_not_mapped_keeps_its_key() -> None:
    """A mapping changes the commands that it names, and no other."""
    found = parse_settings(WHOLE, "s.toml")
    assert (found.theme, found.auto_advance, found.answers) == ("light", False, ("f", "g", "h"))
    assert found.commands == {**COMMANDS, "comment": "c", "stop": "f10"}


def test_two_commands_can_change_places() -> None:
    """Only what clashes in the end is a clash."""
    found = parse_settings('[keys]\nback = "right"\nnext = "left"', "s.toml")
    assert (found.commands["back"], found.commands["next"]) == ("right", "left")


def test_reduced_keys_leave_no_letter() -> None:
    """With reduced keys no letter is a command."""
    found = parse_settings("reduced_keys = true", "s.toml").commands
    assert found == REDUCED
    assert not [key for key in found.values() if len(key) == 1]


@pytest.mark.parametrize(
    ("text", "line", "key", "fault"),
    [
        ("colour = 1", 1, "colour", "unknown; there are theme"),
        ('\ntheme = "blue"', 2, "theme", "must be one of dark, light, plain"),
        ("theme = 1", 1, "theme", "must be a text"),
        ('auto_advance = "yes"', 1, "auto_advance", "must be true or false"),
        ("keys = 1", 1, "keys", "must be a table"),
        ('[keys]\njump = "j"', 2, "keys.jump", "unknown; there are answers, back"),
        ("[keys]\nback = 1", 2, "keys.back", "must be a key"),
        ('[keys]\nback = ""', 2, "keys.back", "must be a key"),
        ('[keys]\nback = " "', 2, "keys.back", "cannot be mapped"),
        ('[keys]\nback = "leeft"', 2, "keys.back", "'leeft' is no key; named are"),
        ('[keys]\nback = "ctrl+c"', 2, "keys.back", "'ctrl+c' is no key"),
        ('[keys]\nanswers = "abc"', 2, "keys.answers", "must be a list of keys"),
        ("[keys]\nanswers = []", 2, "keys.answers", "must be a list of keys"),
        ('[keys]\nanswers = [\n"f",\n"xx"]', 2, "keys.answers", "'xx' is no key"),
        ('[keys]\nback = "q"', 2, "keys.back", "'q' is the key of stop as well"),
        ('[keys]\nback = "f9"\nnext = "F9"', 3, "keys.next", "'f9' is the key of back as well"),
        ('[keys]\nanswers = ["m"]', 2, "keys.answers", "'m' is the key of comment as well"),
        ('[keys]\nanswers = ["f", "f"]', 2, "keys.answers", "'f' is the key of answer 1 as well"),
    ],
)
def test_every_fault_names_file_line_and_key(text: str, line: int, key: str, fault: str) -> None:
    """Whatever is wrong is found before a screen is drawn, with the place to mend it."""
    with pytest.raises(InputError) as found:
        parse_settings(text, "my.toml")
    assert str(found.value).startswith(f"my.toml, line {line}, key {key}: ")
    assert fault in str(found.value)


def test_what_is_no_toml_or_no_text_is_one_line(tmp_path: Path) -> None:
    """A broken file and a binary one are bad input, not a traceback."""
    path = tmp_path / "s.toml"
    for content, fault in ((b"theme = ", "line 1: not TOML"), (b"\xff\xfe\x00", "cannot be read")):
        path.write_bytes(content)
        with pytest.raises(InputError, match=fault):
            load_settings({"WAVELOCK_SETTINGS": str(path)})
