"""How far raters and auditors of a round agree, with intervals and raw agreement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.errors import InputError
from core.evidence import GivenRating
from core.forms import Question
from core.study import Round, require_items
from core.tables import Cell, Column, Table
from db.file import StudyFile
from stats.agreement import Agreement
from stats.auditors import kappa_of_auditors
from stats.questions import all_of_categories, all_of_scale

ALL = "all"
AUDITED = "pair audit"  # what the auditors' only question is called among those of the form
COLUMNS = (
    Column("question", "Question"),
    Column("group", "Among"),
    Column("estimator", "Estimator"),
    Column("value", "Value", "share"),
    Column("raw", "raw agreement", "share"),
    Column("items", "n items", "count"),
    Column("ratings", "n ratings", "count"),
    Column("items_dropped", "items left out", "count"),
    Column("ratings_dropped", "ratings left out", "count"),
)
Group = tuple[str, Sequence[GivenRating]]


def simulated(study: StudyFile, campaign: Round) -> bool:
    """Return whether what rests on a round must be called simulated."""
    return campaign.kind == "rehearsal" or any(
        rating.person_kind != "human" for rating in study.ratings.of_round(campaign.id)
    )


def caveats(study: StudyFile, campaign: Round) -> tuple[str, ...]:
    """Return what every title on a round's ratings must say."""
    found = ["simulated ratings"] if simulated(study, campaign) else []
    found += ["imported ratings"] if campaign.source == "imported" else []
    return tuple(found)


def agreement_table(
    study: StudyFile,
    campaign: Round,
    *,
    replicates: int = 2_000,
    seed: int,
    by: Sequence[str] = (),
    full: bool = False,
    among: Mapping[tuple[str, str], int] | None = None,
) -> Table:
    """Return how far the raters of a round agree on every question, and its auditors on pairs.

    Choices are recoded from the shown letter to what they mean before anything is computed.

    Parameters
    ----------
    by
        Facts of the scenarios (constraint, domain): agreement within each of their values.
    full
        Every coefficient that fits a question, within each condition as well; otherwise one per
        question, for a report: Fleiss' kappa (also by condition) or ICC(2,k).
    among
        Only ratings of these scenarios and conditions, in these revisions; all unless given.

    Raises
    ------
    InputError
        When no scenario has such a fact, or responses were graded.
    """
    require_items(campaign)
    ratings = study.ratings.of_round(campaign.id)
    if among is not None:
        ratings = tuple(
            each for each in ratings if among.get((each.scenario, each.condition)) == each.revision
        )
    groups = [(ALL, ratings), *_conditions(ratings), *_families(study, ratings, by)]
    rows: list[dict[str, Cell]] = []
    for question in campaign.form.questions:
        for name, mine in groups:
            if question.kind == "likert" and name != ALL and not full:
                continue
            found = _coefficients(mine, question, seed, replicates)
            rows += [_row(question.id, name, each) for each in (found if full else found[:1])]
    audited = _auditors(study, campaign, seed, replicates)
    rows += audited
    named = "; ".join(caveats(study, campaign))
    title = f"Agreement in round {campaign.name}"
    return Table(
        name="agreement",
        title=f"{title} ({named})" if named else title,
        columns=COLUMNS,
        rows=tuple(rows),
        notes=_notes(replicates, seed, audited=bool(audited)),
    )


def _auditors(
    study: StudyFile, campaign: Round, seed: int, replicates: int
) -> list[dict[str, Cell]]:
    """Return how far the auditors agree; nothing where a round has no two of them."""
    if len(study.rounds.seats(campaign.id, "auditor")) < 2:
        return []
    audits = study.audits.of_round(campaign.id)
    found = kappa_of_auditors(audits, seed=seed, replicates=replicates)
    return [_row(AUDITED, names, each) for names, each in found]


def _notes(replicates: int, seed: int, *, audited: bool) -> tuple[str, ...]:
    careful = (
        "Auditors say yes to nearly every pair. Their kappa is then near 0, or undefined, however "
        "often they agree; an auditor who only ever says yes makes it 0.",
    )
    return (
        *(careful if audited else ()),
        f"95 % percentile intervals from a bootstrap over items with all their ratings, "
        f"{replicates:,} replicates, seed {seed}.",
        "Within one condition nearly all raters should choose alike; chance-corrected "
        "agreement is then low by construction, so read raw agreement beside it.",
    )


def _coefficients(
    ratings: Sequence[GivenRating], question: Question, seed: int, replicates: int
) -> tuple[Agreement, ...]:
    match question.kind:
        case "choice" | "yes-no":
            return all_of_categories(ratings, question, seed=seed, replicates=replicates)
        case "likert":
            return all_of_scale(ratings, question, seed=seed, replicates=replicates)
        case "text":
            return ()


def _conditions(ratings: Sequence[GivenRating]) -> Iterator[Group]:
    for condition in dict.fromkeys(rating.condition for rating in ratings):
        yield condition, [rating for rating in ratings if rating.condition == condition]


def _families(
    study: StudyFile, ratings: Sequence[GivenRating], by: Sequence[str]
) -> Iterator[Group]:
    facts = study.items.facts()
    for name in dict.fromkeys(by):
        _require_fact(name, facts)
        values = {scenario: known.get(name, "none") for scenario, known in facts.items()}
        for value in sorted({values[rating.scenario] for rating in ratings}):
            yield f"{name}: {value}", [r for r in ratings if values[r.scenario] == value]


def _require_fact(name: str, facts: Mapping[str, Mapping[str, str]]) -> None:
    known = sorted({fact for each in facts.values() for fact in each})
    if name not in known:
        raise InputError(f"no scenario has a fact {name!r}; facts are: {', '.join(known)}")


def _row(question: str, group: str, found: Agreement) -> dict[str, Cell]:
    return {
        "question": question,
        "group": group,
        "estimator": found.estimator,
        "value": found.estimate,
        "raw": found.raw_agreement,
        "items": found.n_items,
        "ratings": found.n_ratings,
        "items_dropped": found.n_items_dropped,
        "ratings_dropped": found.n_ratings_dropped,
    }
