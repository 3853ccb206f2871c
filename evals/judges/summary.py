"""How a judge stands after a call, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass

from core.judging import Judge


@dataclass(frozen=True, slots=True)
class JudgeSummary:
    """How a judge stands after a call.

    Attributes
    ----------
    replies
        What was to be judged.
    verdicts, unreadable, errors
        Replies with a verdict; those whose judge said something that cannot be read; those for
        which the request failed. The next call asks again about the last two.
    no_answer
        Replies that show nothing to judge; the judge was not asked.
    capped
        Whether a cap ended the call.
    """

    judge: Judge
    replies: int
    verdicts: int
    unreadable: int
    errors: int
    no_answer: int
    asked: int
    capped: bool
    tokens: int
    cost: float | None

    @property
    def missing(self) -> int:
        """Replies about which the judge has not said anything yet."""
        return self.replies - self.no_answer - self.verdicts - self.unreadable

    @property
    def words(self) -> str:
        """What a person is told at the end."""
        said = (
            f"judge {self.judge.id} ({self.judge.model}, {self.judge.rubric}): {self.verdicts} of "
            f"{self.replies} judged, {self.unreadable} unreadable, {self.errors} failed, "
            f"{self.no_answer} with nothing to judge; {self.asked} asked just now; "
            f"{self.tokens:,} tokens"
        )
        return said if self.cost is None else f"{said}, ${self.cost:.4f}"

    @property
    def why_incomplete(self) -> str:
        """Why replies are not judged, and what to do."""
        if self.capped:
            return (
                f"the cap is reached, {self.missing} replies are not judged; a higher one goes on"
            )
        return f"{self.errors} requests to the judge failed; the same command tries them again"
