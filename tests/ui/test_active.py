"""Active time is time at work, not time on the clock."""

from __future__ import annotations

from ui.active import IDLE, ActiveTime


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_it_adds_up_between_keys() -> None:
    """Time between two keys counts as it is, and begins anew when taken."""
    clock = Clock()
    watch = ActiveTime(clock)
    for _ in range(3):
        clock.now += 5
        watch.touch()
    assert watch.take() == 15
    assert watch.take() == 0


def test_a_long_silence_is_capped() -> None:
    """An hour without a key counts as a minute."""
    clock = Clock()
    watch = ActiveTime(clock)
    clock.now += 3600
    assert watch.take() == IDLE


def test_time_away_does_not_count() -> None:
    """While the terminal has no focus, time stands still."""
    clock = Clock()
    watch = ActiveTime(clock)
    clock.now += 3
    watch.away()
    clock.now += 30
    watch.touch()
    clock.now += 4
    assert watch.take() == 7


def test_taking_while_away_counts_nothing_more() -> None:
    """Taking does not end an absence."""
    clock = Clock()
    watch = ActiveTime(clock)
    watch.away()
    clock.now += 30
    assert watch.take() == 0
    clock.now += 30
    watch.touch()
    assert watch.take() == 0
