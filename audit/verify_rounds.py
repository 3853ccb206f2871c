"""Whether rounds are what their entries say: plan, rule, evidence, people, decisions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audit.verify_entries import Check, Facts, Passed
from core.forms import form_to_json
from core.hashing import digest_of
from core.rules import rule_to_json
from core.study import LedgerEntry, Round
from db.file import StudyFile
from db.rounds import OPENING

OPENINGS = tuple(OPENING.values())
CLOSED, DECIDED = "round closed", "decisions committed"


def _opened(study: StudyFile, entry: LedgerEntry) -> Iterator[str]:
    campaign = _round(study, entry)
    if campaign is None:
        yield f"round {entry.payload.get('round')} is in the ledger, but not in the study"
        return
    where = f"round {campaign.name}"
    if campaign.opened_at != entry.at:
        yield f"{where}: {_time('opening', campaign.opened_at)}"
    now = {
        "kind": ("kind", campaign.kind),
        "inclusion rule": ("rule_hash", digest_of(rule_to_json(campaign.rule))),
        "rating form": ("form_hash", digest_of(form_to_json(campaign.form))),
        "plan": ("plan_hash", study.rounds.plan_hash(campaign.id)),
    }
    for name, (field, value) in now.items():
        if entry.payload.get(field) != value:
            yield f"{where}: its {name} is not the one that was preregistered"


def _closed(study: StudyFile, entry: LedgerEntry) -> Iterator[str]:
    campaign = _round(study, entry)
    if campaign is None:
        return  # its opening has said so
    where = f"round {campaign.name}"
    if campaign.closed_at != entry.at:
        yield f"{where}: {_time('closing', campaign.closed_at)}"
    if not _rests(study, campaign, entry):
        yield f"{where}: ratings or audits were added, removed or changed after it was closed"
    people = study.seals.people(campaign.id)
    for name in _differing(entry.payload["people"], people):
        yield f"{where}: who {name} is, where they sat or what they consented to was changed"
    erased = study.people.marked("erased")
    for name in _differing(entry.payload["said"], study.seals.said(campaign.id)):
        if name not in erased:
            yield f"{where}: what {name} said beside their last answers was changed"


def _decided(study: StudyFile, entry: LedgerEntry) -> Iterator[str]:
    campaign = _round(study, entry)
    if campaign is None:
        return
    where = f"round {campaign.name}"
    if not _rests(study, campaign, entry):
        yield f"{where}: its decisions rest on other ratings or audits than are there"
    if entry.payload.get("decisions") != study.decisions.decisions_digest(campaign.id):
        yield f"{where}: its decisions are not those that were committed"


def of_round(study: StudyFile, passed: Passed, campaign: Round) -> Iterator[str]:
    """Name what stands in a round without its entry, and what was changed under its hash."""
    where, name = f"round {campaign.name}", campaign.name
    opened = passed.number(OPENING[campaign.source], name)
    if campaign.opened_at is not None and opened is None:
        yield f"{where}: it was opened without an entry"
    if campaign.closed_at is not None and passed.number(CLOSED, name) is None:
        yield f"{where}: it was closed without an entry"
    decided = passed.number(DECIDED, name)
    if decided is None and study.decisions.of_round(campaign.id):
        yield f"{where}: its decisions stand without an entry"
    for fault in (*study.ratings.faults(campaign.id), *study.audits.faults(campaign.id)):
        yield f"{where}: {fault}"


def _all(study: StudyFile, passed: Passed) -> Iterator[str]:
    for campaign in study.rounds.all():
        yield from of_round(study, passed, campaign)


def _round(study: StudyFile, entry: LedgerEntry) -> Round | None:
    return study.rounds.find(str(entry.payload.get("round")))


def _time(what: str, now: str | None) -> str:
    if now is None:
        return f"its {what} was taken back"
    return f"the time of its {what} is {now}, which its entry does not say"


def _rests(study: StudyFile, campaign: Round, entry: LedgerEntry) -> bool:
    """Return whether the evidence that an entry names is what stood when it was written."""
    found = study.decisions.evidence_digest(campaign.id, entry.sequence)
    return entry.payload.get("evidence") == found


def _differing(was: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    return sorted(name for name in {*was, *now} if was.get(name) != now.get(name))


CHECKS: Mapping[str, Check] = {
    **dict.fromkeys(OPENINGS, _opened),
    CLOSED: _closed,
    DECIDED: _decided,
}
FACTS: tuple[Facts, ...] = (_all,)
