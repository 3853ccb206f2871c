"""How far a round's raters agree: per question and condition, with intervals and raw agreement."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from audit.inclusion import recoded
from core.forms import Question
from core.study import GivenRating, Round
from core.tables import Cell, Column, Table
from db.file import StudyFile
from stats.agreement import Agreement
from stats.fleiss import fleiss_kappa
from stats.icc import Icc, icc_in_lists
from stats.ratings import matrix_from_rows


def simulated(study: StudyFile, campaign: Round) -> bool:
    """Return whether what rests on a round must be called simulated."""
    return campaign.kind == "rehearsal" or any(
        rating.person_kind != "human" for rating in study.ratings.of_round(campaign.id)
    )


def agreement_table(
    study: StudyFile, campaign: Round, *, replicates: int = 2_000, seed: int
) -> Table:
    """Return Fleiss' kappa of every choice and yes/no question and ICC of every scale.

    Choices are recoded from the shown letter to what they mean before anything is computed.
    """
    ratings = study.ratings.of_round(campaign.id)
    conditions = tuple(dict.fromkeys(rating.condition for rating in ratings))
    rows: list[dict[str, Cell]] = []
    for question in campaign.form.questions:
        if question.kind in ("choice", "yes-no"):
            rows.append(_kappa_row("all", ratings, question, replicates, seed))
            for condition in conditions:
                mine = [rating for rating in ratings if rating.condition == condition]
                rows.append(_kappa_row(condition, mine, question, replicates, seed))
        elif question.kind == "likert":
            rows.append(_icc_row(ratings, question, replicates, seed))
    caveat = " (simulated ratings)" if simulated(study, campaign) else ""
    return Table(
        name="agreement",
        title=f"Agreement in round {campaign.name}{caveat}",
        columns=(
            Column("question", "Question"),
            Column("condition", "Condition"),
            Column("estimator", "Estimator"),
            Column("value", "Value", "share"),
            Column("raw", "raw agreement", "share"),
            Column("items", "n items", "count"),
            Column("ratings", "n ratings", "count"),
        ),
        rows=tuple(rows),
        notes=(
            f"95 % percentile intervals from a bootstrap over items with all their ratings, "
            f"{replicates:,} replicates, seed {seed}.",
            "Within one condition nearly all raters should choose alike; chance-corrected "
            "agreement is then low by construction, so read raw agreement beside it.",
        ),
    )


def _kappa_row(
    condition: str,
    ratings: Sequence[GivenRating],
    question: Question,
    replicates: int,
    seed: int,
) -> dict[str, Cell]:
    found = fleiss_kappa(_matrix(ratings, question), replicates=replicates, seed=seed)
    return _row(question, condition, found)


def _icc_row(
    ratings: Sequence[GivenRating], question: Question, replicates: int, seed: int
) -> dict[str, Cell]:
    lists = [
        _matrix([rating for rating in ratings if rating.list == number], question)
        for number in sorted({rating.list for rating in ratings})
    ]
    found = icc_in_lists(lists, "ICC(2,k)", replicates=replicates, seed=seed)
    return _row(question, "all", found)


def _matrix(ratings: Sequence[GivenRating], question: Question) -> NDArray[np.object_]:
    """Return items x raters, ``None`` where there is no rating."""
    items = [f"{rating.scenario}/{rating.condition}" for rating in ratings]
    people = [rating.person for rating in ratings]
    matrix, _, _ = matrix_from_rows(items, people, [recoded(r, question.id) for r in ratings])
    return matrix


def _row(question: Question, condition: str, found: Agreement | Icc) -> dict[str, Cell]:
    return {
        "question": question.id,
        "condition": condition,
        "estimator": found.estimator,
        "value": found.estimate,
        "raw": getattr(found, "raw_agreement", None),
        "items": found.n_items,
        "ratings": found.n_ratings,
    }
