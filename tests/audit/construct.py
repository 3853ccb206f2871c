"""A whole construction with simulated people: three rounds, rewrites, exclusions, waves.

Everything in it is SYNTHETIC: the texts are made by a program, the people are simulated, and every
title that rests on it says so.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from annotate.plan import PlanRequest
from annotate.rater_quality import RaterQuality
from annotate.simulate import simulate_ratings
from audit.candidates import read_history
from audit.freezing import freeze
from audit.inclusion import commit
from audit.revising import exclude, prepare, revise
from audit.rewriting import from_texts
from audit.simulate import simulate_audits
from cli.planning import plan_round
from core.study import Round
from db.file import StudyFile, create_study
from suites.core100.suite import SUITE
from tests.audit.drafts import synthetic, take_in, write

SEATS = 20
# Opinions differ on many candidates, so that some fail, as the drafts of a real study do.
QUALITY = RaterQuality(contested=0.45, contested_accuracy=0.7, scale_mean=4.2)


@dataclass(frozen=True)
class Sizes:
    """How many new candidates each round brings, and how many are given up after the first."""

    new: tuple[int, int, int]
    given_up: int


# The frame of the paper (arXiv 2603.29025, appendix C): 100 in the first round, 9 more in the
# second, 32 more in the third, 141 in all; 9 given up for reasons of their own.
PAPER = Sizes((100, 9, 32), 9)
SMALL = Sizes((8, 2, 4), 1)


def construct(path: Path, sizes: Sizes) -> StudyFile:
    """Make the study; whoever calls it closes it."""
    study = create_study(path, title="synthetic", suite="core100", scenarios=(), salt="salt")
    numbers = iter(range(sum(sizes.new)))
    for turn, new in enumerate(sizes.new, start=1):
        entries = [synthetic(next(numbers)) for _ in range(new)]
        take_in(study, write(path.with_name(f"drafts{turn}.json"), entries))
        campaign = _rated(study, turn)
        failed = [d.scenario for d in commit(study, campaign) if d.verdict == "revise"]
        freeze(study, SUITE)
        if turn == 1:
            for scenario in failed[: sizes.given_up]:
                exclude(study, scenario, "contestable", "simulated people differ on it")
            failed = failed[sizes.given_up :]
        if turn < len(sizes.new):
            for scenario in failed:
                _rewrite(study, scenario, turn)
    return study


def _rated(study: StudyFile, turn: int) -> Round:
    planned, _ = plan_round(
        study,
        SUITE,
        name=f"round{turn}",
        kind="rehearsal",
        request=PlanRequest(seats=SEATS, ratings=5, seed=turn),
        auditors=2,
    )
    campaign = study.rounds.open(planned.id)
    _same_people(study, campaign)
    simulate_ratings(study, campaign, seed=turn, quality=QUALITY)
    simulate_audits(study, campaign, seed=turn)
    return study.rounds.close(campaign.id)


def _same_people(study: StudyFile, campaign: Round) -> None:
    """Seat the people of the first round again, as a fixed pool of annotators sits in every round.

    No command does that yet: a code makes a new pseudonym.
    """
    first = study.rounds.all()[0]
    if first.id == campaign.id:
        return
    with closing(sqlite3.connect(study.path)) as plain:
        plain.execute(
            "INSERT INTO occupancies (seat, person, since) "
            "SELECT new.id, occupancies.person, '' FROM seats AS new "
            "JOIN seats AS old ON old.role = new.role AND old.number = new.number "
            "JOIN occupancies ON occupancies.seat = old.id WHERE new.round = ? AND old.round = ?",
            [campaign.id, first.id],
        )
        plain.commit()


def _rewrite(study: StudyFile, scenario: str, turn: int) -> None:
    item = next(
        r for r in study.items.latest() if (r.scenario, r.condition) == (scenario, "Removed")
    )
    text = item.text.replace("is open", f"stands open{'!' * turn}")
    new = from_texts(study, scenario, ["Removed"], [text])
    assert read_history(study).rewriting(scenario).allowed
    revise(study, prepare(study, scenario, new), "the edit did not reverse the preference")
