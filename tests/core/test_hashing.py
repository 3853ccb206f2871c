"""Canonical JSON is one form on every machine, and digests are over it."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hashing import canonical, digest, digest_all, digest_of, seed_from

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(plain)
def test_canonical_json_reads_back_as_what_it_was(value: object) -> None:
    """Writing and reading gives the value again, and writing that gives the same text."""
    text = canonical(value)
    assert json.loads(text) == value
    assert canonical(json.loads(text)) == text


@given(st.dictionaries(st.text(), st.integers()))
def test_the_order_of_keys_does_not_matter(value: dict[str, int]) -> None:
    """Two dictionaries that are equal have one text, however they were filled."""
    assert canonical(dict(reversed(value.items()))) == canonical(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [1, 2.5, None, True]}, '{"a":[1,2.5,null,true],"b":1}'),
        ({"é": "日本", "Z": "\u202e"}, '{"Z":"\u202e","é":"日本"}'),
        ({"a": '"\\\n\t'}, '{"a":"\\"\\\\\\n\\t"}'),
        ({"10": 0, "9": 0}, '{"10":0,"9":0}'),
        ({"\U0001f600": 0, "\uffff": 0}, '{"\uffff":0,"\U0001f600":0}'),
        (1.0, "1.0"),
        (0.1 + 0.2, "0.30000000000000004"),
        ((), "[]"),
    ],
)
def test_canonical_json_is_exactly_this(value: object, text: str) -> None:
    """Sorted by code point, no white space, no needless escapes, numbers in their shortest form."""
    assert canonical(value) == text


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_is_refused(number: float) -> None:
    """NaN and infinities are refused, at any depth."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical({"a": [number]})


def test_digests_are_the_known_ones() -> None:
    """A digest is SHA-256 over UTF-8, tagged with its algorithm."""
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert digest("") == f"sha256:{empty}"
    abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert digest("abc") == f"sha256:{abc}"
    assert digest("日本") == "sha256:" + hashlib.sha256("日本".encode()).hexdigest()
    assert digest_of({"b": 1, "a": 2}) == digest('{"a":2,"b":1}')


def test_a_text_that_is_no_unicode_has_a_digest() -> None:
    """A lone surrogate, as models send them, does not stop hashing, and is not lost in it."""
    assert digest("\ud800") != digest("\ud801")


@given(st.lists(st.text(alphabet="0123456789abcdef", min_size=4, max_size=4)))
def test_a_digest_over_many_does_not_depend_on_their_order(digests: list[str]) -> None:
    """The same digests in any order are one digest; one more or one twice is another."""
    assert digest_all(digests) == digest_all(reversed(digests))
    assert digest_all([*digests, "ffff"]) != digest_all(digests)


def test_seeds_are_the_same_in_every_process() -> None:
    """A seed depends on its parts alone, not on the process's hash seed; each part matters."""
    code = "from core.hashing import seed_from; print(seed_from('a', 1, 'b'))"
    fresh = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(fresh.stdout) == seed_from("a", 1, "b")
    assert len({seed_from("a", 1), seed_from("a", 2), seed_from("a1"), seed_from("b", 1)}) == 4
    assert 0 <= seed_from("a") < 2**64
