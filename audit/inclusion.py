"""From ratings and audits to decisions: gathers the evidence that the rule is held against.

The rule itself is a pure function in ``stats.inclusion``; the simulator uses the same one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from audit.candidates import read_history, rewrites_until
from audit.standing import rule_in_force
from audit.verify import round_faults
from core.errors import CheckFailed, Refused
from core.evidence import GivenAudit, GivenRating
from core.forms import Answer
from core.items import LETTERS
from core.rules import (
    QUESTIONS,
    ConditionEvidence,
    Decision,
    InclusionRule,
    ScenarioEvidence,
)
from core.study import Round, require_items
from core.tables import Column, Table
from core.words import counted
from db.file import StudyFile
from stats.inclusion import decide


def decide_round(
    study: StudyFile, campaign: Round, rule: InclusionRule | None = None
) -> tuple[Decision, ...]:
    """Return what a rule says of every scenario on a round's plan, by scenario.

    The rule is the one in force for the round, unless another one is tried.

    Raises
    ------
    Refused
        When responses were graded, the form does not ask for what the rule looks at, or nothing
        was to be rated.
    """
    require_items(campaign)
    if lacking := campaign.form.lacks(QUESTIONS):
        raise Refused(
            f"round {campaign.name} cannot be decided: its form {campaign.form.name} does not "
            f"require {', '.join(lacking)}"
        )
    planned = _planned(study, campaign)
    if not planned:
        raise Refused(
            f"round {campaign.name} holds audits alone and cannot be decided; import them together "
            "with their ratings: wavelock import ratings FILE --audits FILE"
        )
    held = rule or rule_in_force(study, campaign)
    ratings = study.ratings.of_round(campaign.id)
    audits = study.audits.of_round(campaign.id)
    rewritten = rewrites_until(read_history(study), campaign)
    return tuple(
        decide(held, _evidence(scenario, 1 + rewritten.get(scenario, 0), ratings, audits))
        for scenario in sorted(planned)
    )


def commit(study: StudyFile, campaign: Round) -> tuple[Decision, ...]:
    """Record the decisions of a closed round, with the digest of what they rest on.

    The rule is the preregistered one: of the round's own entry in the ledger, or as amended.

    Raises
    ------
    Refused
        For a practice round, a round that is not closed, or one decided already.
    CheckFailed
        When a rating or an audit is not what was given, or plan and rule are not those of before.
    """
    if campaign.kind == "practice":
        raise Refused(f"{campaign.name} is a practice round; practice never feeds a decision")
    if campaign.state != "closed":
        raise Refused(
            f"round {campaign.name} is {campaign.state}; close it first: "
            f"wavelock round close {campaign.name}"
        )
    if found := round_faults(study, campaign):
        raise CheckFailed(f"nothing was decided, the study was tampered with: {found[0]}")
    with study.transaction():  # the rule in force now is the one that is recorded
        held = replace(campaign, rule=rule_in_force(study, campaign))
        decisions = decide_round(study, campaign, held.rule)
        study.decisions.commit(held, decisions)
    return decisions


def _planned(study: StudyFile, campaign: Round) -> set[str]:
    """Return the scenarios on the plan."""
    scenarios = {revision.id: revision.scenario for revision in study.items.all()}
    return {
        scenarios[assignment.revision]
        for seat in study.rounds.seats(campaign.id, "rater")
        for assignment in study.rounds.assignments(seat.id)
    }


def _evidence(
    scenario: str, revision: int, ratings: Sequence[GivenRating], audits: Sequence[GivenAudit]
) -> ScenarioEvidence:
    mine = [rating for rating in ratings if rating.scenario == scenario]
    conditions = dict.fromkeys(rating.condition for rating in mine)
    return ScenarioEvidence(
        scenario=scenario,
        revision=revision,
        conditions=tuple(
            _condition(name, [rating for rating in mine if rating.condition == name])
            for name in conditions
        ),
        audits=tuple(audit.only_intended for audit in audits if audit.scenario == scenario),
    )


def _condition(name: str, ratings: Sequence[GivenRating]) -> ConditionEvidence:
    return ConditionEvidence(
        condition=name,
        gold=ratings[0].gold or "",
        choices=tuple(str(recoded(rating)) for rating in ratings),
        confidence=tuple(int(rating.answers["confidence"]) for rating in ratings),
        naturalness=tuple(int(rating.answers["naturalness"]) for rating in ratings),
    )


def recoded(rating: GivenRating, question: str = "choice") -> Answer:
    """Return an answer as what it means: an action for a letter, otherwise the answer itself."""
    answer: Answer = rating.answers[question]
    if not isinstance(answer, str):
        return answer
    actions = dict(zip(LETTERS, (option.action for option in rating.options), strict=False))
    return actions.get(answer, answer)


def exploratory(study: StudyFile, campaign: Round) -> bool:
    """Return whether a main round was opened without a plan; an import says it is one anyway."""
    opened = (campaign.kind, campaign.source) == ("main", "collected") and campaign.opened_at
    return bool(opened) and study.registrations.of_round(campaign.id) is None


def titled(campaign: Round, *, committed: bool, simulated: bool, exploratory: bool = False) -> str:
    """Return the heading of a round's decisions, with everything that a reader must know."""
    caveats = [] if committed else ["preview, nothing recorded"]
    caveats += ["exploratory round"] if exploratory else []
    caveats += ["simulated ratings"] if simulated else []
    caveats += ["imported ratings"] if campaign.source == "imported" else []
    heading = f"Decisions of round {campaign.name}"
    return f"{heading} ({'; '.join(caveats)})" if caveats else heading


def decisions_table(
    campaign: Round,
    decisions: Sequence[Decision],
    *,
    committed: bool,
    simulated: bool,
    exploratory: bool = False,
) -> Table:
    """Return one row per scenario: the verdict, cue eligibility, and every missed threshold."""
    return Table(
        name="decisions",
        title=titled(campaign, committed=committed, simulated=simulated, exploratory=exploratory),
        columns=(
            Column("scenario", "Scenario"),
            Column("verdict", "Verdict"),
            Column("cue", "cue contrasts"),
            Column("reasons", "Why"),
        ),
        rows=tuple(
            {
                "scenario": decision.scenario,
                "verdict": decision.verdict,
                "cue": cue_contrasts(decision),
                "reasons": "; ".join(decision.reasons) or "every threshold met",
            }
            for decision in decisions
        ),
        notes=(_counts(decisions),),
    )


def cue_contrasts(decision: Decision) -> str:
    """Say which contrasts with an added clause a scenario may enter."""
    if decision.cue_eligible:
        return "eligible"
    return f"not with {', '.join(decision.lost)}" if decision.lost else "no"


def _counts(decisions: Sequence[Decision]) -> str:
    verdicts = ("include", "revise", "exclude", "undecided")
    counts = {verdict: sum(d.verdict == verdict for d in decisions) for verdict in verdicts}
    listed = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    return f"{counted(len(decisions), 'scenario')}: {listed}."
