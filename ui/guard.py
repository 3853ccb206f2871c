"""Keeps a key that was meant for one item from answering the next."""

from __future__ import annotations

FIRST_REPEAT = 0.7  # keyboards begin to repeat a held key after 0.25 to 0.66 s
REPEAT = 0.2  # and then send it at least this often


class KeyGuard:
    """Decides whether a key may answer, from when it arrived. All times come from one clock.

    A key counts only when it arrived after its item was opened. The key that finished an item
    counts for the next one only after it was let go, so that holding it down answers one item.
    """

    def __init__(self) -> None:
        self._opened: float | None = None
        self._held: str | None = None
        self._pressed = 0.0
        self._wait = FIRST_REPEAT
        self._latest = ("", 0.0)

    def leave(self) -> None:
        """Note that the item was finished by the latest key; until the next, nothing counts."""
        self._held, self._pressed = self._latest
        self._wait = FIRST_REPEAT
        self._opened = None

    def open(self, at: float, *, ahead: bool = True) -> None:
        """Note that an item comes on the screen; before the first one, no key was an answer.

        So what was typed ahead counts for the first, unless `ahead` says that it must not.
        """
        self._opened = 0.0 if ahead and not self._latest[0] else at

    def accepts(self, key: str, at: float) -> bool:
        """Return whether a key that arrived at a time may answer the item on the screen."""
        if self._opened is None or at < self._opened:
            self._note(key, at)
            return False
        if key == self._held and at - self._pressed < self._wait:
            self._note(key, at)
            return False
        self._held = None
        self._latest = (key, at)
        return True

    def _note(self, key: str, at: float) -> None:
        """Remember that the held key is still coming; from now on it comes quickly."""
        if key == self._held:
            self._pressed, self._wait = at, REPEAT
