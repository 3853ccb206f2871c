"""A key answers the item that it was pressed for."""

from __future__ import annotations

from ui.guard import KeyGuard


def opened(at: float = 0.0) -> KeyGuard:
    guard = KeyGuard()
    guard.open(at)
    return guard


def test_quick_keys_on_one_item_all_count() -> None:
    """Within an item nothing is slowed down, not even the same key twice."""
    guard = opened()
    assert all(guard.accepts(key, at) for key, at in [("4", 1.0), ("4", 1.01), ("5", 1.02)])


def test_a_key_from_before_the_opening_does_not_count() -> None:
    """What was pressed while the disk was slow is not an answer to what came after."""
    guard = opened()
    guard.accepts("5", 1.0)
    guard.leave()
    assert not guard.accepts("a", 1.1)
    guard.open(3.0)
    assert not guard.accepts("a", 2.9)
    assert guard.accepts("a", 3.1)


def test_a_held_key_answers_one_item() -> None:
    """A key held down for seconds, as keyboards repeat it, gives one answer; let go, it works."""
    for first in (0.25, 0.5, 0.66):
        guard = opened()
        assert guard.accepts("y", 1.0)
        guard.leave()
        guard.open(1.02)
        repeats = [1.0 + first + 0.033 * n for n in range(100)]
        assert not any(guard.accepts("y", at) for at in repeats)
        assert guard.accepts("y", repeats[-1] + 0.25)


def test_another_key_counts_at_once() -> None:
    """Only the held key waits."""
    guard = opened()
    guard.accepts("y", 1.0)
    guard.leave()
    guard.open(1.02)
    assert guard.accepts("n", 1.05)


def test_the_same_key_counts_after_a_pause() -> None:
    """Whoever answers alike, item after item, is not held up for longer than a key repeats."""
    guard = opened()
    guard.accepts("y", 1.0)
    guard.leave()
    guard.open(1.02)
    assert guard.accepts("y", 1.75)
