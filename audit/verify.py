"""Everything that can be re-derived, re-derived: chain, digests, waves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from db.file import StudyFile


def study_faults(study: StudyFile, head: str | None = None) -> tuple[str, ...]:
    """Name every break of the ledger and every edit of what its digests cover."""
    found = list(study.ledger.faults(head))
    for entry in study.ledger.entries():
        match entry.event:
            case "preregistration":
                found += _plan_faults(study, entry.payload["round"], entry.payload["plan_hash"])
            case "decisions committed":
                found += _decision_faults(study, entry.payload)
            case "run closed":
                run = entry.payload["run"]
                if study.runs.digest(run) != entry.payload["digest"]:
                    found.append(f"run {run}: its generations are not those of its closing")
    found += [str(fault) for fault in study.waves.faults()]
    return tuple(found)


def _plan_faults(study: StudyFile, name: str, plan_hash: str) -> list[str]:
    campaign = study.rounds.named(name)
    if study.rounds.plan_hash(campaign.id) == plan_hash:
        return []
    return [f"round {name}: its plan is not the one that was preregistered"]


def _decision_faults(study: StudyFile, payload: Mapping[str, Any]) -> list[str]:
    campaign = study.rounds.named(payload["round"])
    found = [*study.ratings.faults(campaign.id), *study.audits.faults(campaign.id)]
    if study.decisions.evidence_digest(campaign.id) != payload["evidence"]:
        found.append(f"round {campaign.name}: ratings or audits were added, removed or changed")
    if study.decisions.decisions_digest(campaign.id) != payload["decisions"]:
        found.append(f"round {campaign.name}: its decisions are not those that were committed")
    return found
