"""What a round stands on: the plan that it conforms to, or nothing, which is exploratory."""

from __future__ import annotations

from typing import Any

from core.errors import Refused
from core.forms import form_to_json
from core.hashing import digest_of
from core.registration import Change, Document, changes, differences, entry_named, told
from core.rules import InclusionRule, rule_from_json, rule_to_json
from core.study import Round
from db.file import StudyFile

HOW = (
    "write down what is planned with: wavelock prereg template > FILE, then wavelock prereg "
    "freeze FILE; or go on with --exploratory, which marks whatever follows"
)


def round_facts(study: StudyFile, campaign: Round) -> dict[str, Any]:
    """Return what a preregistration can say of a round, as it is planned in the study."""
    return {
        "kind": campaign.kind,
        "design": campaign.design,
        "seats": len(study.rounds.seats(campaign.id, "rater")),
        "ratings": campaign.ratings,
        "auditors": len(study.rounds.seats(campaign.id, "auditor")),
        "seed": campaign.seed,
        "on_replace": campaign.on_replace,
        "idle_limit": campaign.idle_limit,
        "form": campaign.form.name,
        "plan": study.rounds.plan_hash(campaign.id),
    }


def round_differences(study: StudyFile, campaign: Round, document: Document) -> tuple[Change, ...]:
    """Return where a round differs from its entry, its form and the rule of a document."""
    entry = entry_named(document["rounds"], campaign.name)
    if entry is None:
        names = ", ".join(each["name"] for each in document["rounds"]) or "none"
        return (Change("round", names, campaign.name),)
    registered = {"form": document["forms"][entry["form"]]}
    present = {"form": form_to_json(campaign.form)}
    if not campaign.grading:  # grades decide nothing, so no rule is asked of them
        registered, present = (
            {**registered, "rule": document["rule"]},
            {**present, "rule": rule_to_json(campaign.rule)},
        )
    return (*differences(entry, round_facts(study, campaign)), *changes(registered, present))


def open_round(study: StudyFile, campaign: Round, *, exploratory: bool = False) -> Round:
    """Open a round on the plan of the study; a main round needs it, or `exploratory`.

    Practice, rehearsals and pilots may open without: no result rests on practice, simulated
    ratings say so in every title, and a pilot is there to find out what to plan.

    Raises
    ------
    Refused
        When a main round is not preregistered, or differs from what is.
    """
    with study.transaction():
        registered = None if exploratory else study.registrations.current()
        missed = round_differences(study, campaign, registered.document) if registered else ()
        if campaign.kind == "main" and not exploratory and campaign.state == "planned":
            if registered is None:
                raise Refused(f"round {campaign.name} is not preregistered; {HOW}")
            if missed:
                raise Refused(
                    f"round {campaign.name} is not the one that was preregistered: "
                    f"{told(missed)}; log the change with wavelock prereg amend, or open it with "
                    "--exploratory"
                )
        conforms = registered is not None and not missed
        return study.rounds.open(campaign.id, registered.hash if registered and conforms else None)


def rule_in_force(study: StudyFile, campaign: Round) -> InclusionRule:
    """Return the rule that a round is decided by: its own, or what amendments made of it."""
    registered = study.registrations.current()
    if registered is None or study.registrations.of_round(campaign.id) is None:
        return campaign.rule
    return rule_from_json(registered.document["rule"])


def rule_of_decisions(study: StudyFile, campaign: Round) -> InclusionRule:
    """Return the rule that a round's committed decisions were taken by, as the ledger has it."""
    hashes = [
        str(entry.payload.get("rule_hash"))
        for entry in study.ledger.intact()
        if entry.event == "decisions committed" and entry.payload.get("round") == campaign.name
    ]
    amended = (rule_from_json(v.document["rule"]) for v in study.registrations.versions())
    known = {digest_of(rule_to_json(rule)): rule for rule in (campaign.rule, *amended)}
    return known.get(hashes[0], campaign.rule) if hashes else rule_in_force(study, campaign)
