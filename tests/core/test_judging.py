from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from core.hashing import canonical
from core.judging import Draw, Scope, scope_from_json, scope_to_json

DRAWS = st.builds(
    Draw,
    st.integers(1, 20),
    st.booleans(),
    st.integers(0, 9),
    st.lists(st.integers(1, 9), unique=True).map(tuple),
)
SCOPES = st.builds(
    Scope,
    st.lists(st.integers(1, 9), unique=True).map(tuple),
    st.none() | st.lists(st.sampled_from(["Active", "Removed"]), unique=True).map(tuple),
    st.none() | st.integers(1, 5),
    st.none() | DRAWS,
    st.integers(1, 3),
)


@given(SCOPES)
def test_a_scope_survives_being_written(scope: Scope) -> None:
    """What is stored of a scope is all of it."""
    assert scope_from_json(json.loads(canonical(scope_to_json(scope)))) == scope


@given(
    SCOPES,
    st.integers(1, 9),
    st.sampled_from(["Active", "Removed"]),
    st.integers(1, 6),
    st.integers(1, 9),
)
def test_what_a_scope_holds(
    scope: Scope, run: int, condition: str, sample: int, generation: int
) -> None:
    """A reply is in it when nothing that was narrowed down leaves it out."""
    out = run not in scope.runs
    out |= scope.conditions is not None and condition not in scope.conditions
    out |= scope.samples is not None and sample > scope.samples
    out |= scope.draw is not None and generation not in scope.draw.drawn
    assert scope.holds(run, condition, sample, generation) is not out


def test_a_scope_of_earlier_studies_is_read() -> None:
    """What was stored before there were draws stays what it was, byte for byte."""
    stored = {"runs": [1], "conditions": None, "samples": 2}
    assert scope_from_json(stored) == Scope((1,), None, 2)
    assert scope_to_json(Scope((1,), None, 2)) == stored


@given(DRAWS, st.lists(st.integers(1, 9)).map(tuple))
def test_draws_that_are_to_be_made_alike(draw: Draw, other: tuple[int, ...]) -> None:
    """What came of a draw is no part of how it is made."""
    assert draw.same(Draw(draw.per_cell, draw.nonconforming, draw.seed, other))
    assert not draw.same(Draw(draw.per_cell, draw.nonconforming, draw.seed + 1, draw.drawn))
    assert not draw.same(None)
