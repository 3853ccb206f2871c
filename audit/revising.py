"""Rewriting and giving up scenarios, within what was preregistered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from audit.candidates import (
    History,
    Rewriting,
    frozen_waves,
    read_history,
    withdrawn_scenarios,
)
from audit.drafting import differences
from core.errors import InputError, NotFound, Refused
from core.hashing import digest_of
from core.items import Fault, ItemText, Scenario
from core.rules import rule_to_json
from core.study import LedgerEntry
from core.words import counted
from db.file import StudyFile, with_shown_order
from suites.base import Suite
from suites.draft_row import LONGEST, forbidden
from suites.draft_rules import general_faults

AMENDMENT = (
    "to do otherwise, log an amendment of the preregistration, and bring the text in as a scenario "
    "of another id"
)


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A rewrite that is about to be made: the new texts, and the rule that permits it."""

    scenario: str
    texts: tuple[ItemText, ...]
    rewriting: Rewriting

    @property
    def number(self) -> int:
        """Which rewrite of the text that people saw this is; 0: nobody has seen it."""
        if self.rewriting.permitted is None:
            return 0
        return self.rewriting.used + (not self.rewriting.pending)


def require_open(study: StudyFile, scenario: str, verb: str) -> None:
    """Refuse a scenario that is not there, is frozen or was given up.

    Raises
    ------
    NotFound, Refused
        Saying what can be done instead.
    """
    if scenario not in study.items.facts():
        raise NotFound(f"there is no scenario {scenario}")
    if scenario in withdrawn_scenarios(study):
        raise Refused(
            f"{scenario} was frozen and withdrawn, and is never {verb}; a corrected scenario is "
            "another one, with another id"
        )
    if wave := frozen_waves(study).get(scenario):
        raise Refused(
            f"{scenario} is frozen in wave {wave}; what is frozen is never {verb}: {AMENDMENT}"
        )
    if exclusion := study.drafts.exclusions().get(scenario):
        raise Refused(f"{scenario} was excluded ({exclusion.reason}) and stays so; {AMENDMENT}")


def prepare(study: StudyFile, scenario: str, texts: Mapping[str, ItemText]) -> Rewrite:
    """Return a rewrite that the rule permits; nothing is stored.

    Parameters
    ----------
    texts
        By condition. Texts that stand already are left out.

    Raises
    ------
    InputError
        When a text cannot be one, or nothing would change.
    Refused
        When the scenario may not be rewritten, or not once more.
    """
    require_open(study, scenario, "rewritten")
    history = read_history(study)
    _require_decided(history, scenario)
    stands = {r.condition: r for r in study.items.latest() if r.scenario == scenario}
    changed = []
    for condition, text in texts.items():
        if condition not in stands:
            known = ", ".join(stands)
            raise NotFound(f"{scenario} has no condition {condition}; it has {known}")
        _require_readable(f"{scenario}/{condition}", text.text)
        ordered = with_shown_order(Scenario(scenario, {}, (text,)), study.info.salt).items[0]
        if differences(ordered, stands[condition]):
            changed.append(ordered)
    if not changed:
        raise InputError(f"that is how {scenario} stands already; nothing was changed")
    rewrite = Rewrite(scenario, tuple(changed), _permitted(scenario, history.rewriting(scenario)))
    _require_unseen(study, history, rewrite)
    return rewrite


def _require_decided(history: History, scenario: str) -> None:
    """Refuse while people look at the text, or have and nothing is decided, or it passed."""
    for shown in history.shown.get(scenario, ()):
        campaign = history.rounds[shown.round]
        if campaign.state == "open":
            raise Refused(
                f"{scenario} is being rated in round {campaign.name}; close and decide it first"
            )
        if campaign.kind == "main" and campaign.id not in history.decided:
            raise Refused(
                f"{scenario} was rated in round {campaign.name}, which is not decided; first: "
                f"wavelock include {campaign.name} --commit"
            )
    judged = history.judged.get(scenario)
    if judged and judged.decision.verdict == "include":
        rounds = {campaign.name: campaign for campaign in history.rounds.values()}
        if rounds[judged.round].kind != "rehearsal":
            raise Refused(
                f"{scenario} was included by round {judged.round} as it stands; freeze it, or give "
                "it up with: wavelock items exclude"
            )


def _require_unseen(study: StudyFile, history: History, rewrite: Rewrite) -> None:
    """Refuse to go back to what was rated: to rate one text until it passes is no rewriting."""
    by_number = {
        (r.condition, r.number): r for r in study.items.all() if r.scenario == rewrite.scenario
    }
    new, now = {t.condition: t for t in rewrite.texts}, history.texts[rewrite.scenario]
    for shown in history.counting(rewrite.scenario):
        if not any(
            differences(new[name], by_number[name, number]) if name in new else now[name] != number
            for name, number in shown.revisions.items()
        ):
            raise Refused(
                f"that is how round {history.rounds[shown.round].name} rated {rewrite.scenario}; "
                "a text that people have seen is not rated again"
            )


def _require_readable(name: str, text: str) -> None:
    if not text.strip():
        raise InputError(f"{name}: the new text is empty")
    if len(text) > LONGEST:
        raise InputError(f"{name}: {len(text):,} characters, at most {LONGEST:,} are taken")
    if named := forbidden(text):
        raise InputError(f"{name}: a control character, {named}, stands in the new text")


def _permitted(scenario: str, rewriting: Rewriting) -> Rewriting:
    if not rewriting.allowed:
        last = rewriting.rounds[-1].name
        permitted = counted(rewriting.permitted or 0, "rewrite")
        times = "once" if rewriting.used == 1 else f"{rewriting.used} times"
        raise Refused(
            f"{scenario} was rewritten {times}, and the rule of round {last} permits {permitted}; "
            f"give it up with: wavelock items exclude {scenario}; {AMENDMENT}"
        )
    return rewriting


def revise(study: StudyFile, rewrite: Rewrite, reason: str) -> LedgerEntry:
    """Store a rewrite with its reason; the permission is looked at again, in one transaction."""
    if not reason.strip():
        raise InputError("say why, with --reason")
    with study.transaction():
        texts = {text.condition: text for text in rewrite.texts}
        rewrite = prepare(study, rewrite.scenario, texts)
        rule = rewrite.rewriting.rounds[-1].rule if rewrite.rewriting.rounds else None
        said: dict[str, object] = {"rewrite": rewrite.number}
        if rule:
            said |= {"permitted": rule.rewrites, "rule_hash": digest_of(rule_to_json(rule))}
        return study.drafts.revise(rewrite.scenario, rewrite.texts, reason.strip(), said)


def exclude(study: StudyFile, scenario: str, kind: str, reason: str) -> LedgerEntry:
    """Give a scenario up, for good, with the reason.

    Raises
    ------
    InputError
        Without a reason.
    Refused
        When it is frozen, or excluded already.
    """
    if not reason.strip() or not kind.strip():
        raise InputError("say why, with --reason (and with --kind under what it is counted)")
    with study.transaction():
        require_open(study, scenario, "excluded")
        return study.drafts.exclude(scenario, kind.strip(), reason.strip())


def faults_of(study: StudyFile, suite: Suite, scenario: str) -> tuple[Fault, ...]:
    """Apply every construction rule, and return what is wrong with one scenario as it stands."""
    found = all_faults(suite, study.items.scenarios())
    return tuple(fault for fault in found if fault.scenario == scenario)


def open_scenarios(study: StudyFile) -> tuple[Scenario, ...]:
    """Return the drafts that the rules are for: those that were not given up."""
    excluded = study.drafts.exclusions()
    return tuple(found for found in study.items.scenarios() if found.id not in excluded)


def all_faults(suite: Suite, scenarios: Sequence[Scenario]) -> tuple[Fault, ...]:
    """Return what the rules of every suite and those of this one find."""
    return (*general_faults(suite, scenarios), *suite.faults(scenarios))
