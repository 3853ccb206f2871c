"""The proof of a grading round's plan: what ``round check`` prints before anybody is paid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from annotate.proof import Claim
from core.grading import Grading
from core.study import Assignment, Round
from db.file import StudyFile


def prove_grading(study: StudyFile, campaign: Round, sample: Grading) -> tuple[Claim, ...]:
    """Prove that everybody grades the sample, all of it and nothing else, in a fair order."""
    seats = study.rounds.seats(campaign.id)
    lists = [study.rounds.assignments(seat.id) for seat in seats]
    drawn = frozenset(each.response for each in sample.drawn)
    repeated = sum(len(mine) - len({each.response for each in mine}) for mine in lists)
    given = Counter(each.response for mine in lists for each in mine)
    counts = Counter(given.values())
    found = ", ".join(f"{responses} responses x {n}" for n, responses in sorted(counts.items()))
    orders = len({tuple(each.response for each in mine) for mine in lists})
    met = sum(map(_meetings, lists))
    return (
        Claim("no grader has a response twice", f"{repeated} do", repeated == 0),
        Claim(f"all {len(drawn)} responses of the sample, and no others", f"{len(given)}",
              given.keys() == drawn),
        Claim(f"every response is graded by exactly {campaign.ratings}", found,
              set(counts) == {campaign.ratings}),
        Claim("every grader has an order of their own", f"{orders} orders of {len(lists)}",
              orders == len(lists), binding=False),
        Claim("no response follows another to the same text", f"{met} do", met == 0,
              binding=False),
    )  # fmt: skip


def _meetings(mine: Sequence[Assignment]) -> int:
    return sum(one.revision == other.revision for one, other in pairwise(mine))
