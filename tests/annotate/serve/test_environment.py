"""What reaches an application from outside: a short list, in harmless forms."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from annotate.serve.environment import KEPT, WISHES, environment

OWN = {"PATH": "/bin", "HOME": "/root", "SECRET": "s", "WAVELOCK_STUDY": "x", "PYTHONPATH": "/x"}
ALWAYS = {"LANG", "PYTHONUTF8", "HOME", "XDG_CONFIG_HOME", "TERM", "WAVELOCK_ORIGIN"}
NAMES = st.text() | st.sampled_from(
    ["LD_PRELOAD", "PYTHONSTARTUP", "TEXTUAL_DRIVER", "WAVELOCK_ORIGIN", "WAVELOCK_LEASH",
     "WAVELOCK_SETTINGS", "WAVELOCK_STUDY", "HOME", "PATH", "NO_COLOR", *WISHES]
)  # fmt: skip


def made(terminal: str = "xterm", **wishes: str) -> dict[str, str]:
    return environment(OWN, Path("/state"), "origin", terminal, wishes)


@given(st.text(), st.dictionaries(NAMES, st.text() | st.just("en_GB.UTF-8")))
def test_a_client_sets_nothing_but_what_is_listed(terminal: str, wishes: dict[str, str]) -> None:
    """Whatever it sends: no other name, no other form, and never the server's own variables."""
    found = made(terminal, **wishes)
    assert set(found) <= ALWAYS | set(KEPT) | set(WISHES) | {"NO_COLOR"}
    assert found["WAVELOCK_ORIGIN"] == "origin"
    assert found["HOME"] == found["XDG_CONFIG_HOME"] == "/state"
    assert found["PATH"] == "/bin"
    assert all(value.isprintable() and len(value) < 60 for value in found.values())


def test_sensible_wishes_are_granted() -> None:
    """Colour, locale and theme as the client has them; other locales give way to UTF-8."""
    found = made("screen-256color", COLORTERM="truecolor", LANG="fr_FR.UTF-8", NO_COLOR="1")
    assert found["TERM"] == "screen-256color"
    assert found["COLORTERM"] == "truecolor"
    assert (found["LANG"], found["NO_COLOR"]) == ("fr_FR.UTF-8", "1")
    assert made(LANG="C", WAVELOCK_THEME="light")["LANG"] == "C.UTF-8"
    assert made(WAVELOCK_THEME="light")["WAVELOCK_THEME"] == "light"
    assert made("dumb")["TERM"] == "dumb"
    for odd in ("", "xterm; rm", "../../etc", "xterm\nX=1", "unheard-of"):
        assert made(odd)["TERM"] == "xterm-256color"
