"""Places and buckets: never more than allowed, and nothing lost in counting."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from annotate.serve.limits import Bucket, Buckets, Places

KEYS = st.sampled_from("abc")


@given(st.integers(1, 5), st.integers(1, 5), st.lists(st.tuples(st.booleans(), KEYS)))
def test_places_never_hold_more_than_allowed(
    whole: int, each: int, steps: list[tuple[bool, str]]
) -> None:
    """Whatever comes and goes: no key over its share, all together not over the whole."""
    places, held = Places(whole, each), dict.fromkeys("abc", 0)
    for come, key in steps:
        if come:
            free = held[key] < each and sum(held.values()) < whole
            assert places.take(key) == free
            held[key] += free
        elif held[key]:
            places.give(key)
            held[key] -= 1


def test_a_bucket_gives_credit_and_is_paid_back() -> None:
    """A burst is free; beyond it the wait is what the rate needs, and time fills it again."""
    bucket = Bucket(size=10, rate=2, at=0.0)
    assert bucket.take(10, 0.0) == 0
    assert bucket.take(6, 0.0) == 3
    assert bucket.take(0, 2.0) == 1
    assert bucket.take(0, 3.0) == 0
    assert bucket.level(1000.0) == 10


def test_a_clock_that_goes_back_gives_nothing() -> None:
    """Nothing refills twice for the same time."""
    bucket = Bucket(size=4, rate=1, at=10.0)
    bucket.take(4, 10.0)
    assert bucket.level(5.0) == 0
    assert bucket.level(11.0) == 1


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0, 5)), max_size=30))
def test_no_more_goes_through_than_size_and_rate(steps: list[tuple[float, float]]) -> None:
    """Who waits as told gets, over any time, at most the burst and the rate times that time."""
    bucket, at, taken = Bucket(size=5, rate=1, at=0.0), 0.0, 0.0
    for cost, pause in steps:
        at += bucket.take(cost, at)
        taken += cost
        assert taken <= 5 + at + 1e-6
        at += pause


def test_full_buckets_are_forgotten() -> None:
    """A crowd that came once costs no memory for ever; who took something lately is remembered."""
    buckets = Buckets(size=2, rate=1, keep=10)
    for number in range(100):
        assert buckets.take(f"k{number}", at=float(10 * number))
    assert len(buckets._known) <= 11
    assert buckets.take("k", at=5000.0)
    assert buckets.take("k", at=5000.0)
    assert not buckets.take("k", at=5000.0)
