"""Sizing a round: drawn on the real plan, judged by the real rule, and nothing stored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotate.rater_quality import RaterQuality
from annotate.sizing import sizing_table
from core.errors import InputError
from suites.forms import load


def sized(study: Any, campaign: Any, **quality: float) -> dict[str, Any]:
    table = sizing_table(study, campaign, seed=3, rounds=12, quality=RaterQuality(**quality))
    return {str(row["what"]): row for row in table.rows} | {"title": table.title}


def test_better_raters_pass_more(workshop: Any, tmp_path: Path) -> None:
    """Perfect raters pass every scenario, coin-tossers nearly none; the title says simulated."""
    study = workshop.create(tmp_path / "study.db", 8)
    campaign = workshop.plan(study, ratings=5, auditors=2, rule={"agree_at_least": 4})
    good = sized(study, campaign, accuracy=1.0, contested=0.0, abstain=0.0)
    poor = sized(study, campaign, accuracy=0.5, contested=0.0, abstain=0.0)
    key = "scenarios included, of 8"
    assert good[key]["typical"] == 8
    assert poor[key]["typical"] <= 2
    assert "simulated raters" in good["title"]
    kappa = "Fleiss' kappa of choices"
    assert good[kappa]["typical"] == 1
    assert poor[kappa]["typical"] < 0.2


def test_the_same_seed_gives_the_same_table(workshop: Any, tmp_path: Path) -> None:
    """A sizing can be repeated."""
    study = workshop.create(tmp_path / "study.db", 4)
    campaign = workshop.plan(study, ratings=3)
    assert sized(study, campaign) == sized(study, campaign)


def test_nothing_is_stored(workshop: Any, tmp_path: Path) -> None:
    """Sizing a round leaves no person, no rating and no ledger entry."""
    study = workshop.create(tmp_path / "study.db", 4)
    campaign = workshop.plan(study)
    before = study.ledger.entries()
    sized(study, campaign)
    assert study.ledger.entries() == before
    assert study.ratings.of_round(campaign.id) == ()
    assert all(entry.person is None for entry in study.rounds.progress(campaign.id))


def test_a_form_without_a_choice_cannot_be_sized(workshop: Any, tmp_path: Path) -> None:
    """The inclusion rule rests on choices; without them the reason is said."""
    study = workshop.create(tmp_path / "study.db", 2)
    campaign = replace(workshop.plan(study), form=load("wise"))
    with pytest.raises(InputError, match="question called choice"):
        sizing_table(study, campaign, seed=1, rounds=1)
