"""What became of a candidate: frozen, excluded, failed or open, and why. Pure, and in one place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from core.rules import Decision
from core.study import Exclusion

Fate = Literal["frozen", "excluded", "failed", "open"]
FATES: tuple[Fate, ...] = ("frozen", "excluded", "failed", "open")
# By condition, the text that stands or was shown: the number of the first revision that has it.
Texts = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Judged:
    """The decision that stands for a scenario, the round that made it, and the texts it is of."""

    round: str
    decision: Decision
    shown: Texts
    decisive: tuple[str, ...]

    def stands(self, now: Texts) -> bool:
        """Return whether it is of the texts as they are now, in the conditions that decide."""
        return not changed({c: n for c, n in self.shown.items() if c in self.decisive}, now)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One candidate of a study.

    Attributes
    ----------
    kind
        What it is counted under, among those of its fate.
    reason
        Why, in a sentence or two.
    wave
        The number of the wave that it is frozen in.
    rounds
        The rounds that showed it, oldest first.
    rewrites
        How often its text was changed after people had seen it.
    """

    scenario: str
    fate: Fate
    kind: str
    reason: str
    wave: int | None
    rounds: tuple[str, ...]
    rewrites: int


def changed(before: Texts, after: Texts) -> bool:
    """Return whether a text differs; a condition that one of the two lacks says nothing."""
    return any(after[name] != number for name, number in before.items() if name in after)


def rewrites(versions: Sequence[Texts]) -> int:
    """Count the rewrites among the texts that were shown, one after the other.

    All that changed between two showings is one rewrite, in however many steps it was written: what
    nobody was shown in between is a draft of it.

    Examples
    --------
    >>> rewrites([{"Active": 1, "Removed": 1}, {"Active": 1, "Removed": 3}, {"Active": 1}])
    1
    """
    return sum(changed(before, after) for before, after in pairwise(versions))


def fate_of(
    wave: int | None, exclusion: Exclusion | None, judged: Judged | None, now: Texts, *, rated: bool
) -> tuple[Fate, str, str]:
    """Return a candidate's fate, what it is counted under, and the reason.

    Parameters
    ----------
    judged
        The decision that stands; of several rounds that of the last.
    now
        The newest texts.
    rated
        Whether some round showed it.
    """
    if wave is not None:
        by = f"included by round {judged.round}" if judged else "declared"
        return "frozen", f"wave {wave}", by
    if exclusion:
        return "excluded", exclusion.kind, exclusion.reason
    if judged is None:
        return "open", "not decided yet" if rated else "not rated yet", ""
    return _by_rule(judged, now)


def _by_rule(judged: Judged, now: Texts) -> tuple[Fate, str, str]:
    why = "; ".join(judged.decision.reasons)
    told = f"round {judged.round}: {why}"
    if judged.decision.verdict == "exclude":
        return "excluded", "failed after its permitted rewrites", told
    if not judged.stands(now):
        return "open", "rewritten, not rated again yet", told if why else f"after {judged.round}"
    if judged.decision.verdict == "include":
        return "open", "included, not frozen yet", f"included by round {judged.round}"
    return "failed", f"failed round {judged.round}", told


def counted_by_fate(candidates: Sequence[Candidate]) -> dict[tuple[Fate, str], int]:
    """Count candidates by fate and kind, in the order of the fates."""
    counts = Counter((candidate.fate, candidate.kind) for candidate in candidates)
    return dict(sorted(counts.items(), key=lambda entry: (FATES.index(entry[0][0]), entry[0][1])))
