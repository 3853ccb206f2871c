"""Everything that can be re-derived, re-derived: chain, plans, evidence, digests, waves.

Facts and ledger are held against each other both ways: an entry whose fact was changed or is
gone, and a fact without the entry that it must have, as when the ledger's tail was cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from audit.verify_drafts import draft_faults
from audit.verify_judges import judge_faults
from audit.verify_prereg import registration_faults
from core.forms import form_to_json
from core.hashing import digest_of
from core.rules import rule_to_json
from core.runs import Run
from core.study import LedgerEntry, Round
from db.file import StudyFile
from db.packets import ISSUED, MERGED
from db.rounds import OPENING
from db.voids import NOTHING, VOIDING

Payload = Mapping[str, Any]


def study_faults(study: StudyFile, head: str | None = None) -> tuple[str, ...]:
    """Name every break of the ledger and every edit of what its digests cover."""
    entries = study.ledger.intact()
    found = [*study.guard_faults(), *study.ledger.faults(head)]
    found += _creation_faults(study, entries)
    campaigns, runs = study.rounds.all(), study.runs.all()
    for campaign in campaigns:
        found += round_faults(study, campaign, entries)
    for run in runs:
        found += _run_faults(study, run, entries)
    for event in OPENING.values():
        found += _gone(entries, event, "round", {campaign.name for campaign in campaigns})
    found += _gone(entries, "run started", "run", {run.id for run in runs})
    found += _drop_faults(study, entries)
    found += void_faults(study, entries)
    found += packet_faults(study, entries)
    found += registration_faults(study, entries)
    found += draft_faults(study, entries)
    found += judge_faults(study, entries)
    found += [str(fault) for fault in study.waves.faults()]
    return tuple(found)


def round_faults(
    study: StudyFile, campaign: Round, entries: Sequence[LedgerEntry] | None = None
) -> tuple[str, ...]:
    """Name every edit of a round's plan, rule, ratings, audits and decisions."""
    known = study.ledger.intact() if entries is None else entries
    opened, closed, decided = (
        _entry(known, event, "round", campaign.name)
        for event in (OPENING[campaign.source], "round closed", "decisions committed")
    )
    found = [
        *_opening_faults(study, campaign, opened.payload if opened else None),
        *study.ratings.faults(campaign.id),
        *study.audits.faults(campaign.id),
        *_closing_faults(study, campaign, closed),
        *_decision_faults(study, campaign, decided),
    ]
    return tuple(f"round {campaign.name}: {fault}" for fault in found)


def void_faults(study: StudyFile, entries: Sequence[LedgerEntry]) -> Iterator[str]:
    """Name what is void without the entry that made it so, and what is no longer void."""
    found = study.voids.digests()
    for entry in entries:
        if entry.event in VOIDING and entry.payload.get("void") != found.pop(
            entry.sequence, NOTHING
        ):
            person = entry.payload.get("person")
            yield f"what {person} gave is not void as entry {entry.sequence} says"
    for sequence in sorted(found):
        yield f"ratings or audits are void by entry {sequence}, which does not say so"
    withdrawn, named = study.people.withdrawn(), _named(entries)
    for person in sorted(named - withdrawn):
        yield f"the withdrawal of {person} was taken back"
    for person in sorted(withdrawn - named):
        yield f"{person} has withdrawn without an entry"


def packet_faults(study: StudyFile, entries: Sequence[LedgerEntry]) -> Iterator[str]:
    """Name packets that were not handed out, and what came in other than the ledger says."""
    sheets, seals = study.packets.sheets(), study.packets.digests()
    for entry in entries:
        name = entry.payload.get("packet")
        if entry.event == ISSUED and sheets.pop(entry.sequence, None) != (
            name, entry.payload.get("sheet"),
        ):  # fmt: skip
            yield f"packet {name} is not the one that was handed out"
        if entry.event == MERGED and seals.get(entry.sequence) != entry.payload.get("seals"):
            yield f"what came in by packet {name} is not what entry {entry.sequence} says"
    for name, _ in sheets.values():
        yield f"packet {name} was handed out without an entry"
    known = {entry.sequence for entry in entries if entry.event in (ISSUED, MERGED)}
    for sequence in sorted(set(seals) - known):
        yield f"something came in by a packet with entry {sequence}, which does not say so"


def _named(entries: Sequence[LedgerEntry]) -> set[str]:
    return {str(e.payload.get("person")) for e in entries if e.event == "person withdrawn"}


def _creation_faults(study: StudyFile, entries: Sequence[LedgerEntry]) -> Iterator[str]:
    info = study.info
    now = {"suite": info.suite, "salt": digest_of(info.salt)}
    for entry in entries:
        if entry.event == "study created":
            for field, value in now.items():
                if entry.payload.get(field) != value:
                    yield f"the study's {field} is not the one that it was created with"


def _opening_faults(study: StudyFile, campaign: Round, opened: Payload | None) -> Iterator[str]:
    if (opened is None) != (campaign.opened_at is None):
        yield "it was opened without an entry" if opened is None else "its opening was taken back"
    if opened is None:
        return
    now = {
        "kind": ("kind", campaign.kind),
        "inclusion rule": ("rule_hash", digest_of(rule_to_json(campaign.rule))),
        "rating form": ("form_hash", digest_of(form_to_json(campaign.form))),
        "plan": ("plan_hash", study.rounds.plan_hash(campaign.id)),
    }
    for name, (field, value) in now.items():
        if opened.get(field) != value:
            yield f"its {name} is not the one that was preregistered"


def _closing_faults(study: StudyFile, campaign: Round, closed: LedgerEntry | None) -> Iterator[str]:
    if (closed is None) != (campaign.closed_at is None):
        yield "it was closed without an entry" if closed is None else "its closing was taken back"
    if closed and not _rests(study, campaign, closed):
        yield "ratings or audits were added, removed or changed after it was closed"


def _decision_faults(
    study: StudyFile, campaign: Round, decided: LedgerEntry | None
) -> Iterator[str]:
    if decided is None:
        if study.decisions.of_round(campaign.id):
            yield "its decisions stand without an entry"
        return
    if not _rests(study, campaign, decided):
        yield "its decisions rest on other ratings or audits than are there"
    if decided.payload.get("decisions") != study.decisions.decisions_digest(campaign.id):
        yield "its decisions are not those that were committed"


def _rests(study: StudyFile, campaign: Round, entry: LedgerEntry) -> bool:
    """Return whether the evidence that an entry names is what stood when it was written."""
    found = study.decisions.evidence_digest(campaign.id, entry.sequence)
    return entry.payload.get("evidence") == found


def _run_faults(study: StudyFile, run: Run, entries: Sequence[LedgerEntry]) -> Iterator[str]:
    started = _payload(entries, "run started", "run", run.id)
    closed = _payload(entries, "run closed", "run", run.id)
    config = digest_of({"model": run.model, "kind": run.kind, "config": run.config})
    if started is None or {started.get("config"), run.hash} != {config}:
        yield f"run {run.id}: its model or configuration is not what it was started with"
    if (closed is None) != (run.closed_at is None):
        what = "it was closed without an entry" if closed is None else "its closing was taken back"
        yield f"run {run.id}: {what}"
    if closed and {closed.get("digest"), run.digest} != {study.runs.digest(run.id)}:
        yield f"run {run.id}: its generations are not those of its closing"
    bodies = closed.get("bodies") if closed else None  # a run closed long ago has none
    if bodies is not None and bodies != study.runs.bodies_digest(run.id):
        yield f"run {run.id}: its raw bodies are not those of its closing"


def _drop_faults(study: StudyFile, entries: Sequence[LedgerEntry]) -> Iterator[str]:
    """Hold dropped runs against their entries, both ways."""
    found = study.run_drops.all()
    for entry in entries:
        if entry.event == "run dropped":
            drop = found.pop(int(entry.payload.get("run", 0)), None)
            said = (entry.payload.get("reason"), entry.payload.get("rule"))
            if drop is None or (drop.reason, drop.rule) != said:
                yield f"run {entry.payload.get('run')} is not dropped as the ledger says"
    for run in found:
        yield f"run {run} is dropped without an entry"


def _payload(entries: Sequence[LedgerEntry], event: str, key: str, value: object) -> Payload | None:
    entry = _entry(entries, event, key, value)
    return entry.payload if entry else None


def _entry(
    entries: Sequence[LedgerEntry], event: str, key: str, value: object
) -> LedgerEntry | None:
    for entry in entries:
        if entry.event == event and entry.payload.get(key) == value:
            return entry
    return None


def _gone(entries: Sequence[LedgerEntry], event: str, key: str, there: set[Any]) -> Iterator[str]:
    for entry in entries:
        if entry.event == event and entry.payload.get(key) not in there:
            yield f"{key} {entry.payload.get(key)} is in the ledger, but not in the study"
