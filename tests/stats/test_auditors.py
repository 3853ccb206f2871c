"""Agreement of auditors: worked out by hand, joined by pair, undefined where it is."""

from __future__ import annotations

from core.evidence import GivenAudit, Side
from stats.auditors import NO_SHARED_PAIR, NO_VERDICT, kappa_of_auditors


def audit(
    scenario: int,
    person: str,
    verdict: bool,
    *,
    seat: int = 1,
    swap: bool = False,
    revision: int = 1,
) -> GivenAudit:
    sides = [Side("Active", revision), Side("Removed", 1)]
    left, right = reversed(sides) if swap else sides
    return GivenAudit(
        1, f"S{scenario:02}", person, "human", verdict, "", "", left=left, right=right, seat=seat
    )


def given(*verdicts: str) -> list[GivenAudit]:
    """One string per auditor: y, n, or a dot; the second sees every pair turned."""
    return [
        audit(place, f"P-{name}", letter == "y", seat=name, swap=name % 2 == 0)
        for name, row in enumerate(verdicts, start=1)
        for place, letter in enumerate(row)
        if letter != "."
    ]


def test_kappa_is_the_one_worked_out_by_hand() -> None:
    """10 pairs, 6 both yes, 2 both no, 2 split: observed .8, expected .7 x .7 + .3 x .3 = .58."""
    ((names, found),) = kappa_of_auditors(given("yyyyyynnyn", "yyyyyynnny"), seed=1, replicates=500)
    assert names == "auditors 1, 2"
    assert found.estimator == "Cohen's kappa, unweighted"
    assert found.value is not None
    assert abs(found.value - (0.8 - 0.58) / 0.42) < 1e-12
    assert (found.raw_agreement, found.n_items, found.n_ratings) == (0.8, 10, 20)
    assert found.estimate.low is not None
    assert found.estimate.low < found.value < (found.estimate.high or 0)


def test_unanimous_auditors_are_undefined_not_one() -> None:
    """Where all verdicts are yes there is nothing to correct for; raw agreement says it."""
    ((_, found),) = kappa_of_auditors(given("yyyy", "yyyy"), seed=1, replicates=100)
    assert found.value is None
    assert "only one category was used" in (found.estimate.why_undefined or "")
    assert found.raw_agreement == 1.0


def test_an_auditor_who_only_says_yes_makes_it_zero() -> None:
    """Kappa is 0 at 90 per cent agreement, and the raw agreement stands beside it."""
    ((_, found),) = kappa_of_auditors(given("yyyyyyyyyy", "yyyyyyyyyn"), seed=1, replicates=100)
    assert (found.value, found.raw_agreement) == (0.0, 0.9)


def test_three_auditors_come_as_all_and_two_by_two() -> None:
    """Fleiss' kappa of everybody first, then each two; pairs that one missed are left out."""
    found = kappa_of_auditors(given("yyny", "yynn", "ynn."), seed=1, replicates=100)
    assert [names for names, _ in found] == [
        "auditors", "auditors 1, 2", "auditors 1, 3", "auditors 2, 3"
    ]  # fmt: skip
    assert [each.n_items for _, each in found] == [4, 4, 3, 3]


def test_without_shared_pairs_there_is_no_number() -> None:
    """Nobody to agree with, other texts, or nothing at all: a reason, not 0."""
    ((_, apart),) = kappa_of_auditors(given("yy..", "..yy"), seed=1, replicates=10)
    assert apart.estimate.why_undefined == NO_SHARED_PAIR
    assert (apart.n_items_dropped, apart.n_ratings_dropped) == (4, 4)
    texts = [audit(1, "a", True), audit(1, "b", True, revision=2)]
    ((_, other),) = kappa_of_auditors(texts, seed=1, replicates=10)
    assert other.estimate.why_undefined == NO_SHARED_PAIR
    ((_, none),) = kappa_of_auditors([], seed=1, replicates=10)
    assert none.estimate.why_undefined == NO_VERDICT


def test_names_and_order_change_nothing() -> None:
    """The interval is the same whatever pseudonyms were drawn, and however rows stand."""
    rows = given("yyyyyynnyn", "yyyyyynnny")
    renamed = [
        audit(int(r.scenario[1:]), "Z" if r.seat == 1 else "A", r.only_intended, seat=r.seat)
        for r in reversed(rows)
    ]
    assert kappa_of_auditors(rows, seed=1, replicates=200) == kappa_of_auditors(
        renamed, seed=1, replicates=200
    )
