from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from core.hashing import canonical
from core.judging import Scope, scope_from_json, scope_to_json

SCOPES = st.builds(
    Scope,
    st.lists(st.integers(1, 9), unique=True).map(tuple),
    st.none() | st.lists(st.sampled_from(["Active", "Removed"]), unique=True).map(tuple),
    st.none() | st.integers(1, 5),
)


@given(SCOPES)
def test_a_scope_survives_being_written(scope: Scope) -> None:
    """What is stored of a scope is all of it."""
    assert scope_from_json(json.loads(canonical(scope_to_json(scope)))) == scope


@given(SCOPES, st.integers(1, 9), st.sampled_from(["Active", "Removed"]), st.integers(1, 6))
def test_what_a_scope_holds(scope: Scope, run: int, condition: str, sample: int) -> None:
    """A reply is in it when nothing that was narrowed down leaves it out."""
    out = run not in scope.runs
    out |= scope.conditions is not None and condition not in scope.conditions
    out |= scope.samples is not None and sample > scope.samples
    assert scope.holds(run, condition, sample) is not out
