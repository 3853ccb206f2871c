"""Canonical JSON, version 1: the same bytes everywhere, also by another hand from the page."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hashing import canonical, digest, digest_of
from db.file import open_study

SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def by_hand(value: Any) -> str:
    """Write canonical JSON from the rules in docs/waves.md, without a JSON library."""
    match value:
        case None:
            return "null"
        case True:
            return "true"
        case False:
            return "false"
        case int():
            return str(value)
        case float():
            return repr(value)
        case str():
            written = "".join(SHORT.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in value)
            return f'"{written}"'
        case list() | tuple():
            return "[" + ",".join(map(by_hand, value)) + "]"
        case _:
            pairs = sorted(value.items(), key=lambda pair: [ord(c) for c in pair[0]])
            return "{" + ",".join(f"{by_hand(k)}:{by_hand(v)}" for k, v in pairs) + "}"


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_another_hand_writes_the_same(value: Any) -> None:
    """Whoever follows the description gets the same text, and reads the same value back."""
    text = canonical(value)
    assert text == by_hand(value)
    assert canonical(json.loads(text)) == text


@given(st.text(st.characters()))
def test_every_text_has_a_digest(text: str) -> None:
    """Also what UTF-8 cannot hold, a lone half of a surrogate pair, is hashed in one way."""
    expected = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    assert digest(text) == f"sha256:{expected}"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"x": [-float("inf")]}])
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    """No number that is none gets into anything frozen."""
    with pytest.raises(ValueError, match="Out of range"):
        canonical(value)


EXAMPLE: dict[str, Any] = {
    "b": [1, 2.0, -0.0, 1e-7, 1e16, 10**30, True, None],
    "a": "é\u2028\x7f/\"\\\n\x01",
    "é": {}, "z": [], "\U0001f600": "\ue000", "\ue000": "",
}  # fmt: skip
BYTES = (
    '{"a":"é\u2028\x7f/\\"\\\\\\n\\u0001","b":[1,2.0,-0.0,1e-07,1e+16,'
    '1000000000000000000000000000000,true,null],"z":[],"é":{},"\ue000":"","\U0001f600":"\ue000"}'
)


def test_the_example_of_every_rule() -> None:
    """Keys by code point (not by UTF-16 unit), short escapes, numbers as they are read back."""
    assert canonical(EXAMPLE) == by_hand(EXAMPLE) == BYTES


def test_the_bytes_depend_on_no_locale_and_no_process(study_path: Path) -> None:
    """Wave and item hashes are the same under any locale, hash seed and UTF-8 mode."""
    program = (
        "import sys; from pathlib import Path; from core.hashing import digest_of\n"
        "from db.file import open_study\n"
        "with open_study(Path(sys.argv[1])) as study:\n"
        "    print(*(digest_of(i.document) for i in study.waves.items()))\n"
        "    print(*(digest_of(w.header) for w in study.waves.all()))\n"
        "    print(digest_of({chr(n): n for n in range(0x20, 0x3000, 7)}))\n"
    )
    with open_study(study_path) as study:
        items = " ".join(item.hash for item in study.waves.items())
        waves = " ".join(wave.hash for wave in study.waves.all())
    seen = set()
    settings = (
        ("C", "0", "0"),
        ("C.UTF-8", "1", "1"),
        ("POSIX", "12345", "0"),
        ("tr_TR", "7", "1"),
    )
    for locale, seed, utf8 in settings:
        environment = {**os.environ, "LC_ALL": locale, "PYTHONHASHSEED": seed, "PYTHONUTF8": utf8}
        done = subprocess.run(
            [sys.executable, "-c", program, str(study_path)],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        seen.add(done.stdout)
    assert len(seen) == 1
    assert seen.pop().splitlines()[:2] == [items, waves]


def test_a_reader_can_check_a_wave_without_us(study_path: Path) -> None:
    """From the stored bytes alone, by another hand: items, wave, and the items that it names."""
    with closing(sqlite3.connect(study_path)) as plain:
        items = plain.execute("SELECT document, hash FROM wave_items ORDER BY id").fetchall()
        ((header, sealed),) = plain.execute("SELECT header, hash FROM waves").fetchall()
    for document, hashed in items:
        assert by_hand(json.loads(document)) == document
        assert "sha256:" + hashlib.sha256(document.encode()).hexdigest() == hashed
    assert "sha256:" + hashlib.sha256(by_hand(json.loads(header)).encode()).hexdigest() == sealed
    assert [named["hash"] for named in json.loads(header)["items"]] == [h for _, h in items]


def test_digest_of_is_the_digest_of_the_canonical_text() -> None:
    """There is one way from a value to its digest."""
    assert digest_of(EXAMPLE) == digest(BYTES)
