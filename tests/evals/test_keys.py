"""A key that an endpoint echoes, in whatever way, is in nothing that is stored."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.keys import Mask
from evals.models import parse_model
from evals.runner import run

KEY = "sk-proj-Zm9vYmFy/q1W2+e3R4t5Y6u7I8o9P0"
MASK = Mask(KEY)


# Its first twelve letters say no more than "Bearer sk".
BEARER = base64.b64encode(f"Bearer {KEY}".encode()).decode()[12:]


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "echo",
    [
        KEY, KEY[4:30], KEY[-16:], f"Bearer {KEY}", quote(KEY, safe=""),
        quote(KEY, safe="").lower(),
        b64(KEY), b64(f"Bearer {KEY}"), b64(f"user:{KEY}"), b64(f"a{KEY}b"),
        base64.urlsafe_b64encode(KEY.encode()).decode(), KEY.encode().hex(),
        f"{KEY[:8]}****{KEY[-4:]}", f"{KEY[:7]}…{KEY[-4:]}", f"{KEY[:10]}...{KEY[-6:]}",
        json.dumps(KEY).replace("/", "\\/"),
    ],
)  # fmt: skip
def test_every_way_of_writing_it(echo: str) -> None:
    """Whole, in part, starred, as URL, base64 or hex: no eleven characters in a row are left."""
    for shown in (MASK.text(f"bad key {echo}!"), MASK.body(f"bad {echo}!".encode()).decode()):
        assert "[key]" in shown
        for form in (KEY, quote(KEY, safe=""), KEY.encode().hex(), b64(KEY), BEARER):
            pieces = [form[at : at + 11] for at in range(len(form) - 10)]
            assert not any(piece in shown.replace("bad key ", "") for piece in pieces)


@pytest.mark.parametrize("echo", [f'{{"m": "\\u0073{KEY[1:]}"}}', json.dumps({"m": KEY}, indent=1)])
def test_behind_escapes(echo: str) -> None:
    """JSON can write each letter as an escape; the body is looked at behind them as well."""
    masked = MASK.body(echo.encode())
    assert KEY not in json.dumps(json.loads(masked))
    assert "[key]" in json.loads(masked)["m"]


@given(st.binary() | st.text().map(str.encode))
def test_other_bodies_stay_as_they_are(body: bytes) -> None:
    """A body without the key comes back byte for byte, whatever it is."""
    assert MASK.body(body) == body


def test_other_letters_survive_the_masking() -> None:
    """What stands beside a key keeps its letters, also where the body had escapes."""
    body = json.dumps({"m": f"clé 漢字 {KEY}", "n": "\\u00e9"}, ensure_ascii=False).encode()
    assert json.loads(MASK.body(body))["m"] == "clé 漢字 [key]"


def test_a_mask_shows_no_key() -> None:
    """Printing a mask, as a debugger or a traceback would, prints no key."""
    assert "Zm9v" not in repr(MASK)


@pytest.mark.parametrize("echo", ["echo {}", "part {:.24}", "b64 "])
def test_nothing_of_it_in_the_study_file(
    make_study: Any, endpoint: Any, say: Any, complete: Any, monkeypatch: Any, echo: str
) -> None:
    """No byte of file, log or unpacked body holds the key or a longer piece of it."""
    monkeypatch.setenv("WAVELOCK_API_KEY", KEY)
    study = make_study()
    text = echo.format(KEY) if "{" in echo else echo + b64(f"Bearer {KEY}")
    endpoint.behave = lambda number, _: (
        say(json.dumps({"error": {"message": text}}).encode(), status=400)
        if number % 2
        else complete(text)
    )
    run(study, parse_model(endpoint.url, api_model="m"), conditions=("Active",), samples=2)
    raw = b"".join(file.read_bytes() for file in study.path.parent.glob(f"{study.path.name}*"))
    for (packed,) in study._db.execute("SELECT reply FROM bodies"):
        raw += zlib.decompress(packed)
    for form in (KEY, BEARER):
        assert not any(form[at : at + 12].encode() in raw for at in range(len(form) - 12))
    assert b"[key]" in raw
