"""Simulated raters are repeatable, sit in rehearsals only, and never speak for a person."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotate.rater_quality import RaterQuality
from annotate.simulate import simulate_ratings
from annotate.sitting import RatingSitting
from audit.simulate import simulate_audits
from core.errors import Refused
from core.study import Round
from db.file import StudyFile


@pytest.fixture
def make(workshop: Any, tmp_path: Path) -> Any:
    """Return a function that makes a study with one open round."""

    def made(name: str, kind: str = "rehearsal", **plan: Any) -> tuple[StudyFile, Round]:
        study = workshop.create(tmp_path / f"{name}.db", 4)
        return study, workshop.opened(study, kind=kind, ratings=2, auditors=2, **plan)

    return made


def said(study: StudyFile, campaign: Round) -> list[Any]:
    """Return everything that was said, without names and salts."""
    ratings = study.ratings.of_round(campaign.id)
    audits = study.audits.of_round(campaign.id)
    return [
        *((r.scenario, r.condition, r.list, r.answers) for r in ratings),
        *((a.scenario, a.only_intended) for a in audits),
    ]


def test_the_same_seed_says_the_same(make: Any) -> None:
    """Two studies rated under one seed hold the same answers; another seed gives others."""
    found = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        study, campaign = make(name)
        assert simulate_ratings(study, campaign, seed=seed) == 32
        assert simulate_audits(study, campaign, seed=seed, agree=0.5) == 8
        found.append(said(study, campaign))
    assert found[0] == found[1]
    assert found[0] != found[2]


@pytest.mark.parametrize("kind", ["main", "pilot", "practice"])
def test_nothing_is_simulated_outside_rehearsals(make: Any, kind: str) -> None:
    """A round of people takes no simulated rating or audit, and nobody sits down in it."""
    study, campaign = make("a", kind)
    with pytest.raises(Refused, match=f"is a {kind} round; only rehearsals are simulated"):
        simulate_ratings(study, campaign, seed=1)
    with pytest.raises(Refused, match=f"is a {kind} round; only rehearsals are simulated"):
        simulate_audits(study, campaign, seed=1)
    with pytest.raises(Refused, match="simulated people sit in rehearsal rounds only"):
        RatingSitting.at_seat(study, study.rounds.seats(campaign.id, "rater")[0], "simulated")
    assert all(entry.person is None for entry in study.rounds.progress(campaign.id))


def test_a_second_call_adds_nothing(make: Any) -> None:
    """A finished rehearsal is not rated twice, and progress is counted to the end."""
    study, campaign = make("a")
    seen: list[tuple[int, int]] = []
    simulate_ratings(study, campaign, seed=1, progress=lambda *state: seen.append(state))
    assert seen == [(done, 32) for done in range(1, 33)]
    before = said(study, campaign)
    assert simulate_ratings(study, campaign, seed=1) == 0
    assert said(study, campaign) == before


def test_an_interrupted_rehearsal_goes_on(make: Any) -> None:
    """After an interruption the same command rates what is left, and only that."""
    study, campaign = make("a")

    def interrupt(done: int, _total: int) -> None:
        if done == 11:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate_ratings(study, campaign, seed=1, progress=interrupt)
    kept = {r.hash for r in study.ratings.of_round(campaign.id)}
    assert len(kept) == 11
    assert simulate_ratings(study, campaign, seed=1) == 21
    assert kept < {r.hash for r in study.ratings.of_round(campaign.id)}


def test_simulated_people_are_marked(make: Any) -> None:
    """Everybody who was simulated is of the kind simulated, in ratings and audits."""
    study, campaign = make("a")
    simulate_ratings(study, campaign, seed=1)
    simulate_audits(study, campaign, seed=1)
    kinds = {r.person_kind for r in study.ratings.of_round(campaign.id)}
    assert kinds | {a.person_kind for a in study.audits.of_round(campaign.id)} == {"simulated"}


def test_nothing_simulated_is_said_in_a_persons_name(make: Any) -> None:
    """A seat that a person tried is not filled by a fake, nor a fake's seat by a person."""
    study, campaign = make("a")
    first, second = study.rounds.seats(campaign.id, "rater")[:2]
    RatingSitting.at_seat(study, first)
    with pytest.raises(Refused, match=r"taken by P-\w+ \(human\)"):
        RatingSitting.at_seat(study, first, "simulated")
    RatingSitting.at_seat(study, second, "simulated")
    with pytest.raises(Refused, match=r"taken by P-\w+ \(simulated\)"):
        RatingSitting.at_seat(study, second)


def test_a_perfect_rater_gives_the_gold_answer(make: Any) -> None:
    """With accuracy 1 everywhere every choice is the gold action, whatever letter it has."""
    study, campaign = make("a")
    quality = RaterQuality(accuracy=1.0, contested_accuracy=1.0, abstain=0.0)
    simulate_ratings(study, campaign, seed=3, quality=quality)
    letters = set()
    for rating in study.ratings.of_round(campaign.id):
        actions = dict(zip("AB", (o.action for o in rating.options), strict=True))
        assert actions[rating.answers["choice"]] == rating.gold
        assert 1 <= rating.answers["confidence"] <= 5
        letters.add(rating.answers["choice"])
    assert letters == {"A", "B"}


@pytest.mark.parametrize("stop_after", [1, 7, 20])
def test_an_interrupted_rehearsal_ends_like_an_uninterrupted_one(
    workshop: Any, tmp_path: Path, stop_after: int
) -> None:
    """Whatever the moment at which it is stopped, the same seed gives the same ratings."""

    def rehearsed(name: str, stop: int | None) -> list[object]:
        study = workshop.create(tmp_path / name, 8)
        campaign = workshop.opened(study, kind="rehearsal", ratings=1)

        def interrupt(done: int, _total: int) -> None:
            if done == stop:
                raise KeyboardInterrupt

        if stop:
            with pytest.raises(KeyboardInterrupt):
                simulate_ratings(study, campaign, seed=5, progress=interrupt)
        simulate_ratings(study, campaign, seed=5)
        return [
            (rating.scenario, rating.condition, rating.answers)
            for rating in study.ratings.of_round(campaign.id)
        ]

    assert rehearsed("whole.db", None) == rehearsed("stopped.db", stop_after)
