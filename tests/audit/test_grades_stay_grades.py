"""Grades of responses reach nothing that rests on ratings of items: no table, rule, export or wave.

Everything that a study says of its items is written down, then a whole grading round is held and
closed, and everything is asked again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotate.sampling import SampleRequest, draw
from annotate.sizing import sizing_table
from audit.agreement import agreement_table
from audit.candidates import candidates, to_rate
from audit.construction import construction_tables
from audit.disagreements import disagreements_table
from audit.freezing import freeze
from audit.history import history_tables
from audit.inclusion import decide_round
from audit.inclusion_view import decision_tables, round_rule_table
from audit.verify import study_faults
from core.errors import Refused
from core.study import Round
from db.file import StudyFile
from exports.audits import audits_data
from exports.items import items_data
from exports.ratings import ratings_data
from exports.report import collect
from suites.core100.suite import SUITE
from suites.forms import load as load_form
from tests.annotate.graded import graded_round

FORM = load_form("grading")


def said(study: StudyFile) -> dict[str, Any]:
    """Return everything that is said of items."""
    rounds = [each for each in study.rounds.all() if not each.grading]
    by_round = {each.name: _of_round(study, each) for each in rounds}
    return {
        "rounds": by_round,
        "candidates": candidates(study),
        "to rate": [sorted(to_rate(study, kind)) for kind in ("main", "rehearsal", "practice")],
        "construction": construction_tables(study, replicates=40, seed=1),
        "piloted": study.waves.piloted(),
        "shown": study.drafts.shown(),
        "history": history_tables(study, "S01"),
        "data": collect(study, (), seed=1, replicates=40),
        "items": items_data(study),
        "ratings": ratings_data(study, rounds),
        "events": ratings_data(study, rounds, events=True),
        "audits": audits_data(study, rounds),
    }


def _of_round(study: StudyFile, campaign: Round) -> dict[str, Any]:
    return {
        "evidence": study.decisions.evidence_digest(campaign.id),
        "plan": study.rounds.plan_hash(campaign.id),
        "ratings": study.ratings.of_round(campaign.id),
        "exposures": study.exposures.of_round(campaign.id),
        "agreement": agreement_table(study, campaign, seed=1, replicates=40, full=True),
        "decisions": decide_round(study, campaign),
        "disagreements": disagreements_table(study, campaign),
    }


@pytest.mark.parametrize("kind", ["pilot", "main"])
def test_a_whole_grading_round_changes_nothing(workshop: Any, tmp_path: Path, kind: Any) -> None:
    study = workshop.create(tmp_path / "study.db", 6)
    workshop.decided(study, "first", kind="main", ratings=2)
    freeze(study, SUITE)
    workshop.run(study)
    before = said(study)
    made = graded_round(study, kind=kind, name="grades", size=12, levels=("condition",))
    for seat in (1, 2):
        made.grade(seat, ["correct"] * 12)
    study.rounds.close(made.round.id)
    after = said(study)
    for name, value in before.items():
        assert after[name] == value, name
    assert len(study.grades.of_round(made.round.id)) == 24
    assert study_faults(study) == ()
    for refused in REFUSED:
        with pytest.raises(Refused, match=r"grades responses|decide nothing"):
            refused(study, made.round)


REFUSED: tuple[Callable[[StudyFile, Round], object], ...] = (
    decide_round,
    decision_tables,
    round_rule_table,
    lambda study, campaign: agreement_table(study, campaign, seed=1),
    lambda study, campaign: ratings_data(study, [campaign]),
    lambda study, campaign: sizing_table(study, campaign, seed=1, rounds=1),
)


def test_people_of_a_grading_round_have_rated_nothing(workshop: Any, tmp_path: Path) -> None:
    """Somebody who graded a reply to a text has not rated the text."""
    study = workshop.create(tmp_path / "study.db", 4)
    workshop.decided(study, "first", kind="main", ratings=2)
    freeze(study, SUITE)
    workshop.run(study)
    found = draw(study, SampleRequest((1,), size=4, levels=("condition",)), FORM)
    assert found.size == 4
    made = graded_round(study, name="grades", kind="main", size=4, levels=("condition",))
    made.grade(1, ["correct"] * 4)
    assert study.exposures.of_round(made.round.id) == ()
    assert made.round.id not in {shown.round for shown in study.drafts.shown()}
