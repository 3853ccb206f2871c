"""What enters a wave: included scenarios, whole, with everything that is frozen of an item."""

from __future__ import annotations

from audit.standing import rule_of_decisions
from audit.verify import round_faults
from core.errors import CheckFailed, Refused
from core.hashing import digest_of
from core.rules import Decision, rule_to_json
from core.study import Round, Wave
from db.file import StudyFile
from db.waves import FrozenDocument
from suites.base import Suite, frozen_document


def freeze(study: StudyFile, suite: Suite) -> Wave:
    """Freeze every included scenario that is not frozen yet, in all its conditions.

    The revision that was rated is frozen, not a newer one. A wave that rests on a rehearsal is of
    the kind ``simulated``.

    Raises
    ------
    Refused
        When nothing is left to freeze.
    CheckFailed
        When the evidence of a decision was changed since.
    """
    included, rounds = _included(study)
    for campaign in rounds.values():
        if faults := round_faults(study, campaign):
            raise CheckFailed(f"nothing was frozen, the study was tampered with: {faults[0]}")
    documents = _documents(study, suite, included)
    if not documents:
        raise Refused(
            "there is nothing to freeze: commit decisions first (wavelock include ROUND --commit), "
            "or everything included is frozen already"
        )
    simulated = any(campaign.kind == "rehearsal" for campaign in rounds.values())
    header = {
        "suite": suite.name,
        "salt": study.info.salt,
        "rounds": {
            name: {
                "source": campaign.source,
                "rule_hash": digest_of(rule_to_json(rule_of_decisions(study, campaign))),
                "preregistration": study.registrations.of_round(campaign.id),
                "evidence": study.decisions.evidence_digest(campaign.id),
                "decisions": study.decisions.decisions_digest(campaign.id),
            }
            for name, campaign in rounds.items()
        },
        "cue_ineligible": sorted(s for s, (_, eligible) in included.items() if not eligible),
    }
    return study.waves.freeze("simulated" if simulated else "rated", header, documents)


def _included(study: StudyFile) -> tuple[dict[str, tuple[Round, bool]], dict[str, Round]]:
    """Return included scenarios neither frozen nor given up, and the rounds that decided them.

    Of several decisions on one scenario that of the latest round stands, and a rehearsal never
    overrules people.
    """
    frozen = {item.scenario for item in study.waves.items()} | study.drafts.exclusions().keys()
    latest: dict[str, tuple[Round, Decision]] = {}
    for campaign in sorted(study.rounds.all(), key=lambda entry: entry.kind != "rehearsal"):
        latest |= {d.scenario: (campaign, d) for d in study.decisions.of_round(campaign.id)}
    included = {
        scenario: (campaign, decision.cue_eligible)
        for scenario, (campaign, decision) in latest.items()
        if decision.verdict == "include" and scenario not in frozen
    }
    return included, {campaign.name: campaign for campaign, _ in included.values()}


def _documents(
    study: StudyFile, suite: Suite, included: dict[str, tuple[Round, bool]]
) -> tuple[FrozenDocument, ...]:
    facts, salt = study.items.facts(), study.info.salt
    rated: dict[tuple[str, str], int] = {}
    for campaign in {campaign.id: campaign for campaign, _ in included.values()}.values():
        for seat in study.rounds.seats(campaign.id, "rater"):
            for assignment in study.rounds.assignments(seat.id):
                revision = study.items.revision(assignment.revision)
                decided_by, _ = included.get(revision.scenario, (None, False))
                if decided_by == campaign:
                    rated[revision.scenario, revision.condition] = revision.id
    documents = []
    for scenario, condition in sorted(rated, key=lambda cell: rated[cell]):
        revision = study.items.revision(rated[scenario, condition])
        document = frozen_document(suite, revision, facts[scenario], salt)
        documents.append(FrozenDocument(revision.item, revision.id, document))
    return tuple(documents)
