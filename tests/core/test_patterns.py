"""Names are chosen by patterns, and a slip never narrows a choice silently."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import NotFound
from core.patterns import matching

KNOWN = ("exact/POS", "exact/NEG", "range/POS")


def test_names_come_in_their_own_order_and_once() -> None:
    """The order of the patterns does not matter, nor that two of them match one name."""
    assert matching(KNOWN, ["range/*", "*/POS", "exact/POS"], "condition") == (
        "exact/POS",
        "range/POS",
    )


@pytest.mark.parametrize("pattern", ["exact", "EXACT/*", "nosuch/*", ""])
def test_a_pattern_that_matches_nothing_is_named(pattern: str) -> None:
    """Also beside one that does match."""
    with pytest.raises(NotFound, match=r"there is no condition .*; there is exact/POS"):
        matching(KNOWN, ["exact/*", pattern], "condition")


@given(st.lists(st.text(min_size=1), min_size=1, unique=True))
def test_every_name_is_a_pattern_for_itself(names: list[str]) -> None:
    """Also a name that holds characters with a meaning in patterns."""
    for name in names:
        assert name in matching(names, [name], "name")
