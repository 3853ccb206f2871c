"""The preregistration held against the ledger, both ways: versions, standings, rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from audit.verify_entries import Check, Facts, Passed
from core.hashing import digest_of
from core.registration import Registration, changes
from core.rules import rule_to_json
from core.study import LedgerEntry
from db.file import StudyFile
from db.registrations import AMENDED, FROZEN, Begun, entry
from db.rounds import OPENING

OPENINGS, STARTED, DECIDED = tuple(OPENING.values()), "run started", "decisions committed"


def _versions(study: StudyFile, _passed: Passed) -> Iterator[str]:
    """Yield where versions of the plan and their entries differ, and rules that were not theirs.

    A plan that cannot be read is one fault, whatever rests on it.
    """
    versions = study.registrations.versions()
    yield from _version_faults(versions, tuple(study.ledger.intact(FROZEN, AMENDED)))
    yield from _rule_faults(study, versions)


def _version_faults(
    versions: Sequence[Registration], written: Sequence[LedgerEntry]
) -> Iterator[str]:
    for place, version in enumerate(versions):
        name = _name(version)
        if version.hash != digest_of(version.document):
            yield f"{name} is not the document that was hashed"
        before = versions[place - 1] if place else None
        if version.document.get("amends") != (before.hash if before else None):
            yield f"{name} does not follow the version before it"
        # A stored document has its keys sorted, so that the order of changes says nothing.
        if before and set(version.changes) != set(changes(before.document, version.document)):
            yield f"{name} names other changes than it makes"
        if place >= len(written):
            yield f"{name} stands without an entry"
            continue
        said = written[place]
        if said.payload != entry(version) or said.at != version.created_at:
            yield f"{name} is not what its entry {said.sequence} says"
    for each in written[len(versions) :]:
        yield f"entry {each.sequence} ({each.event}) has no preregistration in the study"


def _name(version: Registration) -> str:
    return f"amendment {version.number}" if version.number else "the preregistration"


def _rule_faults(study: StudyFile, versions: Sequence[Registration]) -> Iterator[str]:
    """Check that decisions were taken by the round's rule, or by the plan in force just then."""
    rules = {version.hash: digest_of(version.document.get("rule")) for version in versions}
    in_force = ""
    for each in study.ledger.intact(FROZEN, AMENDED, DECIDED):
        if each.event != DECIDED:
            in_force = str(each.payload.get("preregistration"))
            continue
        campaign = study.rounds.find(str(each.payload.get("round")))
        if campaign is None:
            continue  # its opening has said so
        registered = study.registrations.of_round(campaign.id) is not None
        own = digest_of(rule_to_json(campaign.rule))
        if each.payload.get("rule_hash") != (rules.get(in_force) if registered else own):
            yield f"round {campaign.name}: its decisions were taken by another rule"


def _begun(study: StudyFile, entry: LedgerEntry) -> Iterator[str]:
    """Yield where what a round or a run stands on differs from the entry that began it."""
    what: Begun = "run" if entry.event == STARTED else "round"
    name = entry.payload.get(what)
    found = study.runs.numbered(name) if what == "run" else study.rounds.find(str(name))
    if found is None:
        return  # those that look at rounds and runs say so
    stands, said = study.registrations.standing(what, found.id), entry.payload
    if stands is None:
        yield f"{what} {name}: whether it is preregistered is not there any more"
    now, then = stands.preregistration if stands else None, said.get("preregistration")
    if now != then:
        yield f"{what} {name}: its plan is {_told(now)}, its entry says {_told(then)}"
    if stands and stands.created_at != entry.at:
        yield f"{what} {name}: its plan is of {stands.created_at}, its entry of {entry.at}"


def _told(hashed: str | None) -> str:
    return hashed or "none (exploratory)"


def _standings(study: StudyFile, passed: Passed) -> Iterator[str]:
    """Yield what stands on a plan without an entry, or on one that came into the ledger later."""
    begun: list[tuple[Begun, int, object, int | None]] = [
        *(
            ("round", r.id, r.name, passed.number(OPENING[r.source], r.name))
            for r in study.rounds.all()
        ),
        *(("run", r.id, r.id, passed.number(STARTED, r.id)) for r in study.runs.all()),
    ]
    for what, number, name, opening in begun:
        stands = study.registrations.standing(what, number)
        if stands is None:
            continue
        told = _told(stands.preregistration)
        if opening is None:
            yield f"{what} {name}: its plan is {told}, and no entry says that it began"
        elif stands.preregistration is not None:
            logged = passed.number(FROZEN, stands.preregistration) or passed.number(
                AMENDED, stands.preregistration
            )
            if logged is None or logged >= opening:
                yield f"{what} {name}: the plan that it stands on was not in the ledger before it"


CHECKS: Mapping[str, Check] = dict.fromkeys((*OPENINGS, STARTED), _begun)
FACTS: tuple[Facts, ...] = (_versions, _standings)
