"""What enters a wave: included scenarios, whole, with everything that is frozen of an item."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from audit.breaches import Rules, accepted, breaches_of
from audit.verify import study_faults
from core.errors import CheckFailed, InputError, NotFound, Refused
from core.items import Fault, Scenario
from core.rules import Decision
from core.study import LedgerEntry, Revision, Round, Wave
from core.verifiers import ItemFaults
from db.file import StudyFile
from db.registrations import AMENDED
from db.registrations import FROZEN as REGISTERED
from db.rounds import OPENING
from db.waves import FrozenDocument
from suites.base import Suite, frozen_document

PREREGISTERED = (REGISTERED, AMENDED)  # of the whole study
Included = Mapping[str, tuple[Round, Decision]]


def _nothing(_document: Mapping[str, Any]) -> tuple[str, ...]:
    return ()


def _no_rules(_suite: Suite, _scenarios: Sequence[Scenario]) -> tuple[Fault, ...]:
    return ()


def freeze(
    study: StudyFile,
    suite: Suite,
    rounds: Collection[str] = (),
    faults: ItemFaults = _nothing,
    *,
    rules: Rules = _no_rules,
    despite: str = "",
) -> Wave:
    """Freeze every included scenario that is not frozen yet, in all conditions that were rated.

    A wave that rests on a rehearsal is of the kind ``simulated``.

    Parameters
    ----------
    rounds
        Freeze only what these rounds decided; all of them unless some are named.
    faults
        Says of a document what its verifiers have against it.
    rules
        The construction rules that what is frozen must keep.
    despite
        Why it may break them, if it does.

    Raises
    ------
    Refused
        When nothing is left to freeze; when an included scenario was rewritten since, or is being
        rated again; or when a verifier could not read an item.
    InputError
        When pilot and main rounds would be frozen as one wave.
    CheckFailed
        When anything in the study is not what it was, or a construction rule is broken and nothing
        is said why (:class:`audit.breaches.RulesBroken`).
    """
    _require_sound(study)  # before the lock: it may take a while, and raters may be at work
    with study.transaction():
        included = _included(study, rounds)
        _require_settled(study, included)
        rated = sorted(_rated(study, included).values(), key=lambda revision: revision.id)
        documents = _frozen(study, suite, rated)
        if not documents:
            raise Refused(
                "there is nothing to freeze: commit decisions first (wavelock include ROUND "
                "--commit), or everything included is frozen already"
            )
        _require_readable(documents, faults)
        campaigns = {campaign.name: campaign for campaign, _ in included.values()}
        simulated = any(campaign.kind == "rehearsal" for campaign in campaigns.values())
        header = {
            **_common(study, suite),
            "rounds": {name: _of_round(study, found) for name, found in campaigns.items()},
            "cue_ineligible": sorted(s for s, (_, d) in included.items() if not d.cue_eligible),
            **accepted(breaches_of(study, suite, rules, rated), despite),
        }
        return study.waves.freeze("simulated" if simulated else "rated", header, documents)


def freeze_declared(
    study: StudyFile,
    suite: Suite,
    faults: ItemFaults = _nothing,
    *,
    rules: Rules = _no_rules,
    despite: str = "",
) -> Wave:
    """Freeze every drafted scenario that is not frozen yet, on nobody's word but the drafters'.

    For suites that are not rated. The wave is called "not human-validated" wherever it shows. What
    people rate for its own sake (``suite.surveyed``) stays unfrozen, because no round could ask
    about it afterwards.

    Raises
    ------
    Refused
        When nothing is left to freeze; when people were asked about a scenario, because what they
        said decides then; or when a verifier could not read an item.
    CheckFailed
        As of :func:`freeze`, which has the same `rules` and `despite`.
    """
    _require_sound(study)  # before the lock: it may take a while, and raters may be at work
    with study.transaction():
        settled = _settled(study)
        drafted = [
            r
            for r in study.items.latest()
            if r.scenario not in settled and r.condition not in suite.surveyed
        ]
        if not drafted:
            raise Refused("there is nothing to freeze: every scenario is frozen or given up")
        for scenario, campaign in _asked(study).items():
            if scenario in {revision.scenario for revision in drafted}:
                raise Refused(
                    f"{scenario} cannot be declared: people were asked about it in round "
                    f"{campaign.name}, and what they said decides"
                )
        documents = _frozen(study, suite, drafted)
        _require_readable(documents, faults)
        header = {
            **_common(study, suite),
            "rounds": {},
            "cue_ineligible": [],
            **accepted(breaches_of(study, suite, rules, drafted), despite),
        }
        return study.waves.freeze("declared", header, documents)


def _require_sound(study: StudyFile) -> None:
    if faults := study_faults(study):
        raise CheckFailed(f"nothing was frozen, the study was tampered with: {faults[0]}")


def _require_readable(documents: Iterable[FrozenDocument], faults: ItemFaults) -> None:
    """Refuse an item that its own verifiers could not read: it would measure nothing."""
    for document in (entry.document for entry in documents):
        if found := faults(document):
            where = f"{document['scenario']}/{document['condition']}"
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            raise Refused(f"{where} cannot be frozen: {found[0]}{more}")


def _common(study: StudyFile, suite: Suite) -> dict[str, Any]:
    return {
        "suite": suite.name,
        "salt": study.info.salt,
        "preregistration": _preregistration(study),
    }


def _preregistration(study: StudyFile) -> dict[str, Any] | None:
    """Return what the newest entry on the study's preregistration says, and its own hash."""
    newest = None
    for entry in study.ledger.intact(*PREREGISTERED):
        newest = {"hash": entry.payload.get("preregistration"), "entry": entry.hash}
    return newest


def _of_round(study: StudyFile, campaign: Round) -> dict[str, Any]:
    """Return what a wave says of a round that decided it: its rule, and its two entries.

    The rule is the one that the decisions were taken by, which an amendment may have changed after
    the round was opened; `preregistration` is the plan that the round was opened on.
    """
    opened = _entry(study, OPENING[campaign.source], campaign)
    decided = _entry(study, "decisions committed", campaign)
    return {
        "kind": campaign.kind,
        "source": campaign.source,
        "preregistration": study.registrations.of_round(campaign.id),
        "opening": opened.hash,
        "decided": decided.hash,
        **{field: decided.payload[field] for field in ("rule_hash", "evidence", "decisions")},
    }


def _entry(study: StudyFile, event: str, campaign: Round) -> LedgerEntry:
    # The study was found sound, so the entry is there.
    return next(e for e in study.ledger.intact(event) if e.payload.get("round") == campaign.name)


def _included(study: StudyFile, rounds: Collection[str]) -> Included:
    """Return included scenarios neither frozen nor given up, with round and decision that stand.

    Of several decisions on one scenario that of the latest round stands, and a rehearsal never
    overrules people.
    """
    settled = _settled(study)
    latest: dict[str, tuple[Round, Decision]] = {}
    for campaign in sorted(study.rounds.all(), key=lambda entry: entry.kind != "rehearsal"):
        latest |= {d.scenario: (campaign, d) for d in study.decisions.of_round(campaign.id)}
    if unknown := sorted(set(rounds) - {campaign.name for campaign in study.rounds.all()}):
        raise NotFound(f"there is no round {unknown[0]!r}")
    return {
        scenario: (campaign, decision)
        for scenario, (campaign, decision) in latest.items()
        if decision.verdict == "include"
        and scenario not in settled
        and (not rounds or campaign.name in rounds)
    }


def _settled(study: StudyFile) -> frozenset[str]:
    """Return the scenarios that are frozen already, withdrawn since or not, or were given up."""
    frozen = {item.scenario for item in study.waves.items()}
    return frozenset(frozen | study.drafts.exclusions().keys())


def _require_settled(study: StudyFile, included: Included) -> None:
    """Refuse what was decided on a text that is no longer the newest, or is asked about again."""
    rated = _rated(study, included)
    for newest in study.items.latest():
        cell = newest.scenario, newest.condition
        if cell in rated and rated[cell].number < newest.number:
            raise Refused(
                f"{newest.scenario}/{newest.condition} was rewritten after it was included "
                f"(revision {newest.number}, rated was {rated[cell].number}); rate it again first"
            )
    for scenario, campaign in _asked(study, "open").items():
        if scenario in included:
            raise Refused(
                f"{scenario} is being rated again in round {campaign.name}; close that round and "
                "commit its decisions first"
            )
    kinds = {campaign.kind == "pilot" for campaign, _ in included.values()}
    if len(kinds) > 1:
        names = sorted({campaign.name for campaign, _ in included.values()})
        raise InputError(
            f"pilot and other rounds do not share a wave ({', '.join(names)}); freeze them one "
            "after the other with --round"
        )


def _asked(study: StudyFile, state: str = "") -> dict[str, Round]:
    """Return the scenarios that people are or were asked about, with the last such round."""
    found: dict[str, Round] = {}
    for campaign in study.rounds.all():
        counts = campaign.kind in ("pilot", "main") and campaign.opened_at is not None
        if counts and not campaign.grading and state in ("", campaign.state):
            found |= dict.fromkeys((r.scenario for r in _shown(study, campaign)), campaign)
    return found


def _shown(study: StudyFile, campaign: Round) -> tuple[Revision, ...]:
    """Return the revisions on the lists of a round, each once."""
    shown = dict.fromkeys(
        assignment.revision
        for seat in study.rounds.seats(campaign.id, "rater")
        for assignment in study.rounds.assignments(seat.id)
    )
    return tuple(study.items.revision(revision) for revision in shown)


def _rated(study: StudyFile, included: Included) -> dict[tuple[str, str], Revision]:
    """Return, by scenario and condition, the revision that the deciding round has shown."""
    return {
        (revision.scenario, revision.condition): revision
        for campaign in {campaign.id: campaign for campaign, _ in included.values()}.values()
        for revision in _shown(study, campaign)
        if revision.scenario in included and included[revision.scenario][0] == campaign
    }


def _frozen(
    study: StudyFile, suite: Suite, revisions: Collection[Revision]
) -> tuple[FrozenDocument, ...]:
    facts, salt = study.items.facts(), study.info.salt
    return tuple(
        FrozenDocument(
            revision.item,
            revision.id,
            frozen_document(suite, revision, facts[revision.scenario], salt),
        )
        for revision in revisions
    )
