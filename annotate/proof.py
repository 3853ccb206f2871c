"""The proof of a plan: what ``round check`` prints before anybody is paid.

It is computed from the assignments as they stand in the study, not from how they were made, so it
holds for any plan, however it came about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.study import Design, Round
from core.tables import Column, Table
from db.exposures import Exposure
from db.file import StudyFile


@dataclass(frozen=True, slots=True)
class PlannedCell:
    """One item at one place of one seat's list, with the strata that it belongs to."""

    seat: int
    position: int
    scenario: str
    condition: str
    revision: int
    strata: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that a plan must or should hold: what was found, and whether it does.

    `binding` claims refuse the round when they fail; the others are there to be looked at.
    """

    text: str
    found: str
    holds: bool
    binding: bool = True


def prove(
    design: Design,
    ratings: int,
    cells: Sequence[PlannedCell],
    items: int | None,
    names: Sequence[str] = (),
) -> tuple[Claim, ...]:
    """Hold a plan against its design.

    Parameters
    ----------
    design, ratings
        What was asked for.
    cells
        Every assignment of every rater's seat.
    items
        How many different items the plan shall cover; ``None`` for a sample.
    names
        What the strata are called.

    Returns
    -------
    tuple of Claim
        Double exposures, repeated items, ratings per item, items covered, load, condition balance
        over seats and over positions, balance of strata over positions.
    """
    claims = [_repeats(cells), _exact(design, ratings, cells), _load(cells)]
    if items is not None:
        claims.insert(1, _covered(cells, items))
    if design == "latin-square":
        claims.insert(0, _double_exposures(cells))
    return (*claims, _conditions_by_seat(cells), *_positions(cells, names))


def prove_round(study: StudyFile, campaign: Round, strata: Sequence[str]) -> tuple[Claim, ...]:
    """Prove the plan of a round as it stands in the study, and say what people met before."""
    facts = study.items.facts()
    cells = []
    for seat in study.rounds.seats(campaign.id, "rater"):
        for assignment in study.rounds.assignments(seat.id):
            item = study.items.revision(assignment.revision)
            values = tuple(facts[item.scenario].get(name, "") for name in strata)
            cells.append(
                PlannedCell(
                    seat.number,
                    assignment.position,
                    item.scenario,
                    item.condition,
                    item.id,
                    values,
                )
            )
    claims = prove(
        campaign.design, campaign.ratings, cells, _whole(study, campaign, cells), tuple(strata)
    )
    return (*claims, _carry_over(study.exposures.of_round(campaign.id)))


def _whole(study: StudyFile, campaign: Round, cells: Sequence[PlannedCell]) -> int | None:
    """Return how many items the plan's scenarios have; an overlap's sample need not be whole."""
    if campaign.design == "overlap":
        return None
    planned = {cell.scenario for cell in cells}
    return sum(item.scenario in planned for item in study.items.latest())


def _carry_over(met: Sequence[Exposure]) -> Claim:
    people = len({exposure.person for exposure in met})
    return Claim(
        "nobody rated a scenario of this plan in an earlier round",
        f"{people} people, {len(met)} times" if met else "nobody",
        holds=not met,
        binding=False,
    )


def failed(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return the binding claims that do not hold."""
    return tuple(claim for claim in claims if claim.binding and not claim.holds)


def proof_table(round_name: str, claims: Sequence[Claim]) -> Table:
    """Return the proof as a table."""
    columns = (Column("claim", "Claim"), Column("found", "Found"), Column("holds", "Holds"))
    rows = tuple(
        {
            "claim": claim.text,
            "found": claim.found,
            "holds": "yes" if claim.holds else "NO" if claim.binding else "look",
        }
        for claim in claims
    )
    verdict = "does NOT hold" if failed(claims) else "holds"
    return Table("proof", f"The plan of round {round_name} {verdict}", columns, rows)


def _double_exposures(cells: Sequence[PlannedCell]) -> Claim:
    seen = Counter((cell.seat, cell.scenario) for cell in cells)
    double = sum(count > 1 for count in seen.values())
    return Claim("no seat has two conditions of one scenario", f"{double} do", double == 0)


def _repeats(cells: Sequence[PlannedCell]) -> Claim:
    seen = Counter((cell.seat, cell.scenario, cell.condition) for cell in cells)
    repeated = sum(count > 1 for count in seen.values())
    return Claim("no seat has an item twice", f"{repeated} do", repeated == 0)


def _covered(cells: Sequence[PlannedCell], items: int) -> Claim:
    planned = len({cell.revision for cell in cells})
    return Claim(f"all {items} items of its scenarios are covered", f"{planned}", planned == items)


def _exact(design: Design, ratings: int, cells: Sequence[PlannedCell]) -> Claim:
    seats = len({cell.seat for cell in cells})
    wanted = seats if design == "crossed" else ratings
    counts = Counter(Counter(cell.revision for cell in cells).values())
    found = ", ".join(f"{items} items x {n}" for n, items in sorted(counts.items()))
    return Claim(f"every item is rated by exactly {wanted}", found, set(counts) == {wanted})


def _load(cells: Sequence[PlannedCell]) -> Claim:
    loads = Counter(cell.seat for cell in cells).values()
    low, high = min(loads, default=0), max(loads, default=0)
    return Claim(
        "seats have equally much to do, give or take one", f"{low} to {high}", high - low <= 1
    )


def _conditions_by_seat(cells: Sequence[PlannedCell]) -> Claim:
    """Compare a seat's share of each condition with the share in the whole plan."""
    conditions = sorted({cell.condition for cell in cells})
    overall = Counter(cell.condition for cell in cells)
    by_seat: dict[int, Counter[str]] = {}
    for cell in cells:
        by_seat.setdefault(cell.seat, Counter())[cell.condition] += 1
    worst = max(
        (
            abs(counts[c] - overall[c] * counts.total() / len(cells))
            for counts in by_seat.values()
            for c in conditions
        ),
        default=0.0,
    )
    return Claim(
        "each seat has its share of every condition, give or take 2",
        f"off by {worst:.1f} at most",
        worst <= 2,
        binding=False,
    )


def _positions(cells: Sequence[PlannedCell], names: Sequence[str]) -> tuple[Claim, ...]:
    """Compare the two halves of every list: conditions first, then each stratum."""
    named = [("condition", [cell.condition for cell in cells])]
    named += [(name, [cell.strata[n] for cell in cells]) for n, name in enumerate(names)]
    return tuple(_halves(name, cells, values) for name, values in named)


def _halves(name: str, cells: Sequence[PlannedCell], values: Sequence[str]) -> Claim:
    last = Counter(cell.seat for cell in cells)
    difference: Counter[tuple[int, str]] = Counter()
    for cell, value in zip(cells, values, strict=True):
        middle = (last[cell.seat] + 1) / 2
        side = (cell.position > middle) - (cell.position < middle)
        difference[cell.seat, value] += side
    worst = max((abs(count) for count in difference.values()), default=0)
    return Claim(
        f"each {name} is spread over both halves of a list, give or take 2",
        f"off by {worst} at most",
        worst <= 2,
        binding=False,
    )
