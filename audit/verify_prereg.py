"""The preregistration held against the ledger, both ways: versions, standings, rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.errors import CheckFailed
from core.hashing import digest_of
from core.registration import Registration, changes
from core.rules import rule_to_json
from core.study import LedgerEntry
from db.file import StudyFile
from db.registrations import AMENDED, FROZEN, entry
from db.rounds import OPENING

Entries = Sequence[LedgerEntry]


def registration_faults(study: StudyFile, entries: Entries) -> Iterator[str]:
    """Name every edit of the plan, its amendments, and of what rounds and runs stand on."""
    try:
        versions = study.registrations.versions()
    except CheckFailed as error:
        yield str(error)
        return
    yield from _version_faults(versions, entries)
    logged = {
        str(each.payload.get("preregistration")): each.sequence
        for each in entries
        if each.event in (FROZEN, AMENDED)
    }
    yield from _standing_faults(study, entries, logged)
    yield from _rule_faults(study, entries, versions)


def _version_faults(versions: Sequence[Registration], entries: Entries) -> Iterator[str]:
    written = [each for each in entries if each.event in (FROZEN, AMENDED)]
    for place, version in enumerate(versions):
        name = _name(version)
        if version.hash != digest_of(version.document):
            yield f"{name} is not the document that was hashed"
        before = versions[place - 1] if place else None
        if version.document.get("amends") != (before.hash if before else None):
            yield f"{name} does not follow the version before it"
        if before and version.changes != changes(before.document, version.document):
            yield f"{name} names other changes than it makes"
        if place >= len(written):
            yield f"{name} stands without an entry"
        elif written[place].payload != entry(version):
            yield f"{name} is not what its entry {written[place].sequence} says"
    for each in written[len(versions) :]:
        yield f"entry {each.sequence} ({each.event}) has no preregistration in the study"


def _name(version: Registration) -> str:
    return f"amendment {version.number}" if version.number else "the preregistration"


def _standing_faults(study: StudyFile, entries: Entries, logged: dict[str, int]) -> Iterator[str]:
    """Compare what rounds and runs stand on with the entries that began them."""
    begun = {
        ("round" if each.event in OPENING.values() else "run", each.payload.get(key)): each
        for each in entries
        for key in ("round", "run")
        if each.event in OPENING.values() or each.event == "run started"
        if key in each.payload
    }
    standings = study.registrations
    now: dict[tuple[str, object], str | None] = {
        ("round", r.name): standings.of_round(r.id) for r in study.rounds.all()
    }
    now |= {("run", run.id): standings.of_run(run.id) for run in study.runs.all()}
    for (what, name), stands in now.items():
        opening = begun.get((what, name))
        said = opening.payload.get("preregistration") if opening else None
        if stands != said:
            yield f"{what} {name}: its plan is {_told(stands)}, its entry says {_told(said)}"
        if opening and said and logged.get(str(said), opening.sequence) >= opening.sequence:
            yield f"{what} {name}: the plan that it stands on was not in the ledger before it"


def _told(hashed: str | None) -> str:
    return hashed or "none (exploratory)"


def _rule_faults(
    study: StudyFile, entries: Entries, versions: Sequence[Registration]
) -> Iterator[str]:
    """Check that decisions were taken by the round's rule, or by the plan in force just then."""
    rules = {version.hash: digest_of(version.document.get("rule")) for version in versions}
    rounds = {campaign.name: campaign for campaign in study.rounds.all()}
    in_force = ""
    for each in entries:
        if each.event in (FROZEN, AMENDED):
            in_force = str(each.payload.get("preregistration"))
        campaign = rounds.get(str(each.payload.get("round")))
        if each.event != "decisions committed" or campaign is None:
            continue
        registered = study.registrations.of_round(campaign.id) is not None
        own = digest_of(rule_to_json(campaign.rule))
        if each.payload.get("rule_hash") != (rules.get(in_force) if registered else own):
            yield f"round {campaign.name}: its decisions were taken by another rule"
