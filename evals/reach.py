"""When it is no use to ask a model any more: it went away, or lets nobody in."""

from __future__ import annotations

from collections.abc import Callable

from core.errors import Unavailable
from evals.attempts import Ask, Attempt
from evals.models import Prompt

GONE = 3  # requests in a row that no request could have made


class Reach:
    """Whether a model can be asked.

    Parameters
    ----------
    name
        The model, as messages call it.
    kept
        Says how much is kept, as in: ``12 of 90 answers``.
    """

    def __init__(self, name: str, kept: Callable[[], str]) -> None:
        self._name, self._kept = name, kept
        self._refusals = 0

    def first(self, ask: Ask) -> Ask:
        """Return an ask that gives up, before anything is stored, when no request can succeed."""

        async def asked(prompt: Prompt) -> Attempt:
            attempt = await ask(prompt)
            if attempt.fault in {"unreachable", "denied"}:
                raise Unavailable(f"{self._name} cannot be asked: {why(attempt)}")
            return attempt

        return asked

    def require(self, attempt: Attempt) -> None:
        """Raise ``Unavailable`` when nobody was reached: that is no fault of what was asked."""
        if attempt.fault == "unreachable":
            self._went_away(attempt)

    def note(self, attempt: Attempt) -> None:
        """Raise ``Unavailable`` when too many requests in a row were not let in."""
        self._refusals = self._refusals + 1 if attempt.fault == "denied" else 0
        if self._refusals >= GONE:
            self._went_away(attempt)

    def _went_away(self, attempt: Attempt) -> None:
        raise Unavailable(
            f"{self._name} went away ({why(attempt)}); {self._kept()} are kept, and the same "
            "command goes on"
        )


def why(attempt: Attempt) -> str:
    """Return what went wrong, in the words of whoever was asked or by its kind."""
    return attempt.reply.error or attempt.fault
