"""Where every candidate stands: read from the study, judged by ``core.fates``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.fates import Candidate, Judged, Texts, changed, fate_of, rewrites
from core.study import Round, RoundKind
from db.drafts import Shown
from db.file import StudyFile


@dataclass(frozen=True, slots=True)
class Rewriting:
    """How often a scenario was rewritten, and whether it may be once more.

    Attributes
    ----------
    used, permitted
        Rewrites after people had seen the text, and how many the rule of the last round permits;
        ``None``: nobody has seen it, and it is drafted freely.
    pending
        Whether the newest text is a rewrite that nobody was shown yet: it can still be corrected.
    """

    used: int
    permitted: int | None
    pending: bool
    rounds: tuple[Round, ...]

    @property
    def allowed(self) -> bool:
        """Whether a new text is permitted."""
        return self.permitted is None or self.pending or self.used < self.permitted


@dataclass(frozen=True, slots=True)
class History:
    """What of a study decides the fate of its scenarios, read once."""

    rounds: Mapping[int, Round]
    shown: Mapping[str, Sequence[Shown]]
    texts: Mapping[str, Texts]
    judged: Mapping[str, Judged]
    decided: frozenset[int]

    def counting(self, scenario: str) -> tuple[Shown, ...]:
        """Return the rounds that count as rated: those with people, or else decided rehearsals."""
        mine = self.shown.get(scenario, ())
        people = [s for s in mine if self.rounds[s.round].kind != "rehearsal"]
        return tuple(people or [s for s in mine if s.round in self.decided])

    def judged_by(self, scenario: str) -> str | None:
        """Return the name of the round whose decision stands."""
        judged = self.judged.get(scenario)
        return judged.round if judged else None

    def rewriting(self, scenario: str) -> Rewriting:
        """Return how often a scenario was rewritten, and whether it may be again."""
        shown, now = self.counting(scenario), self.texts[scenario]
        if not shown:
            return Rewriting(0, None, pending=False, rounds=())
        rounds = tuple(self.rounds[s.round] for s in shown)
        return Rewriting(
            used=rewrites([*(s.revisions for s in shown), now]),
            permitted=rounds[-1].rule.rewrites,
            pending=changed(shown[-1].revisions, now),
            rounds=rounds,
        )


def read_history(study: StudyFile) -> History:
    """Read what was shown, what stands and what was decided.

    Of several decisions on one scenario that of the latest round stands, and a rehearsal never
    overrules people.
    """
    rounds = {campaign.id: campaign for campaign in study.rounds.all()}
    firsts = _firsts(study)
    shown: dict[str, list[Shown]] = defaultdict(list)
    for entry in study.drafts.shown():
        revisions = {c: firsts[entry.scenario, c, n] for c, n in entry.revisions.items()}
        shown[entry.scenario].append(replace(entry, revisions=revisions))
    texts: dict[str, dict[str, int]] = {name: {} for name in study.items.facts()}
    for (scenario, condition, _), first in firsts.items():
        texts[scenario][condition] = first  # oldest first, so that the newest text stays
    judged: dict[str, Judged] = {}
    decided = set()
    for campaign in sorted(rounds.values(), key=lambda found: found.kind != "rehearsal"):
        for decision in study.decisions.of_round(campaign.id):
            decided.add(campaign.id)
            judged[decision.scenario] = Judged(
                campaign.name,
                decision,
                _shown_in(campaign, shown[decision.scenario]),
                campaign.rule.decisive,
            )
    return History(rounds, shown, texts, judged, frozenset(decided))


def _firsts(study: StudyFile) -> dict[tuple[str, str, int], int]:
    """Return for every revision the first one of its item that says the same."""
    firsts: dict[tuple[str, str, int], int] = {}
    seen: dict[tuple[str, str, str], int] = {}
    for revision in study.items.all():
        item = (revision.scenario, revision.condition)
        first = seen.setdefault((*item, revision.hash), revision.number)
        firsts[*item, revision.number] = first
    return firsts


def _shown_in(campaign: Round, shown: Sequence[Shown]) -> Texts:
    return next((entry.revisions for entry in shown if entry.round == campaign.id), {})


def rewrites_until(history: History, campaign: Round) -> dict[str, int]:
    """Return how often each scenario of a round had been rewritten when the round showed it.

    What only simulated people saw is no rewrite to people.
    """
    found = {}
    for scenario, shown in history.shown.items():
        mine = [
            s.revisions
            for s in shown
            if s.round == campaign.id or (s.round < campaign.id and _counts(history, campaign, s))
        ]
        if any(s.round == campaign.id for s in shown):
            found[scenario] = rewrites(mine)
    return found


def _counts(history: History, campaign: Round, shown: Shown) -> bool:
    if history.rounds[shown.round].kind == "rehearsal":
        return campaign.kind == "rehearsal" and shown.round in history.decided
    return True


def candidates(study: StudyFile, history: History | None = None) -> tuple[Candidate, ...]:
    """Return every scenario of the study with its fate, by id."""
    known = history or read_history(study)
    exclusions, waves = study.drafts.exclusions(), frozen_waves(study)
    found = []
    for scenario, now in known.texts.items():
        fate, kind, reason = fate_of(
            waves.get(scenario),
            exclusions.get(scenario),
            known.judged.get(scenario),
            now,
            rated=bool(known.shown.get(scenario)),
        )
        rounds = tuple(known.rounds[s.round].name for s in known.shown.get(scenario, ()))
        used = rewrites([s.revisions for s in known.counting(scenario)])
        found.append(Candidate(scenario, fate, kind, reason, waves.get(scenario), rounds, used))
    return tuple(found)


def to_rate(study: StudyFile, kind: RoundKind) -> frozenset[str]:
    """Return the scenarios that a round may rate: what nothing was decided of as it stands.

    To rate a text again that failed, until it passes, would make the rule worth nothing. Practice
    feeds nothing, so it may show everything; only a rehearsal minds what rehearsals decided.
    """
    history = read_history(study)
    if kind == "practice":
        return frozenset(history.texts)
    settled = frozen_waves(study).keys() | study.drafts.exclusions().keys()
    rounds = {campaign.name: campaign for campaign in history.rounds.values()}
    for scenario, judged in history.judged.items():
        minds = kind == "rehearsal" or rounds[judged.round].kind != "rehearsal"
        excluded = judged.decision.verdict == "exclude"
        if minds and (excluded or judged.stands(history.texts[scenario])):
            settled |= {scenario}
    return frozenset(history.texts.keys() - settled)


def frozen_waves(study: StudyFile) -> dict[str, int]:
    """Return the number of the wave that each frozen scenario stands in."""
    numbers = {wave.id: wave.number for wave in study.waves.all()}
    return {item.scenario: numbers[item.wave] for item in study.waves.items()}
