"""Small studies with planted canaries, for tests of screens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotate.plan import PlanRequest, plan_items, rater_seats
from annotate.wording import load as shipped
from audit.pairs import auditor_seats
from core.forms import Form
from core.items import ItemText, Option, Scenario
from core.plans import RoundPlan
from core.rules import InclusionRule
from core.study import Role, RoundKind
from db.file import StudyFile, create_study
from suites.forms import load

CONDITIONS = ("CANARY-ACTIVE", "CANARY-REMOVED")
CANARIES = ("CANARY", "canary")
TEXTS = (
    "I need to bring the couch to the storage unit two streets away. "
    "Should I carry it over or rent a van?",
    "The library closes in ten minutes and the book is due today. Should I run or renew it online?",
    "My phone is at four percent and I am on the train. Should I charge it or switch it off?",
    "The cake is for eight and my tin holds six. Should I bake twice or buy one?",
)
SHORT = ("Carry it over", "Rent a van")
# Every page that ships; checks and breaks come so often that four items have some of each.
PAGES = {
    **shipped("main"),
    "checks.toml": shipped("main")["checks.toml"].replace("apart = 10", "apart = 1"),
    "breaks.toml": shipped("main")["breaks.toml"].replace("every = 25", "every = 2"),
}


@dataclass(frozen=True, slots=True)
class Planted:
    """A study on disk, with a code for every seat."""

    path: Path
    round: int
    codes: dict[tuple[Role, int], str]

    def code(self, role: Role = "rater", number: int = 1) -> str:
        """Return the access code of a seat."""
        return self.codes[role, number]


def core100_form() -> Form:
    """Return the form that ships with Core-100."""
    return load("core100")


RULE = InclusionRule(
    name="CANARY-RULE",
    ratings=2,
    agree_at_least=1,
    abstain_at_most=1,
    confidence_at_least=1.0,
    naturalness_at_least=1.0,
    auditors=2,
    decisive=CONDITIONS,
    eligibility=(),
    rewrites=0,
)


def scenarios(texts: Sequence[str] = TEXTS, labels: Sequence[str] = SHORT) -> list[Scenario]:
    """Draft a scenario per text: the second condition changes its first word."""
    options = tuple(
        Option(f"CANARY-ACTION-{place}", label) for place, label in enumerate(labels, start=1)
    )
    return [
        Scenario(
            f"CANARY-S{number:02}",
            {"constraint": "CANARY-FACT", "family": "CANARY-FAMILY"},
            (
                ItemText(CONDITIONS[0], text, options, "CANARY-ACTION-1", {"note": "CANARY-GOLD"}),
                ItemText(CONDITIONS[1], f"Today {text}", options, "CANARY-ACTION-2", {}),
            ),
        )
        for number, text in enumerate(texts, start=1)
    ]


def plant(
    path: Path,
    *,
    texts: Sequence[str] = TEXTS,
    labels: Sequence[str] = SHORT,
    form: Form | None = None,
    kind: RoundKind = "main",
    opened: bool = True,
    pages: Mapping[str, str] | None = None,
) -> Planted:
    """Make a study with one round of four rater seats and two auditor seats.

    `pages` are the texts beside the items, by file name; without any there are only items.
    """
    drafted = scenarios(texts, labels)
    with create_study(
        path, title="CANARY-TITLE", suite="core100", scenarios=drafted, salt="salt"
    ) as study:
        return add_round(study, kind=kind, form=form, opened=opened, pages=pages)


def add_round(
    study: StudyFile,
    *,
    kind: RoundKind = "main",
    form: Form | None = None,
    opened: bool = True,
    name: str = "CANARY-ROUND",
    pages: Mapping[str, str] | None = None,
) -> Planted:
    """Plan a round over all items, issue its codes, and open it."""
    revisions = study.items.latest()
    pair = (CONDITIONS[0], CONDITIONS[1])
    planned = study.rounds.plan(
        RoundPlan(
            name=name,
            kind=kind,
            design="latin-square",
            ratings=2,
            seed=1,
            form=form or core100_form(),
            rule=RULE,
            pair=pair,
            raters=rater_seats(
                plan_items(revisions, study.items.facts(), ()), PlanRequest(seats=4, ratings=2)
            ),
            auditors=auditor_seats(revisions, pair, auditors=2, seed=1),
            texts=pages or {},
        )
    )
    codes = {
        (seat.role, seat.number): study.people.issue_code(seat.id)
        for seat in study.rounds.seats(planned.id)
    }
    if opened:
        study.rounds.open(planned.id)
    return Planted(study.path, planned.id, codes)
