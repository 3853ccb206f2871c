"""The construction report: every candidate by fate, the rounds, naturalness, and carry-over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from audit.agreement import simulated
from audit.candidates import candidates, read_history
from audit.construction_rounds import RatedRound, naturalness_table, rounds_table
from core.fates import FATES, Candidate, counted_by_fate
from core.study import UNVALIDATED, Round
from core.tables import Cell, Column, Table
from core.words import counted
from db.file import StudyFile

PREFIX = "construction-"
ONE_BY_ONE = (f"{PREFIX}candidates", f"{PREFIX}exposure")  # a row per candidate or person
WITHDRAWN = "Withdrawn: frozen, and all of it taken out after an error was found."
Row = Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class Construction:
    """What the report is made of, read once."""

    candidates: tuple[Candidate, ...]
    rounds: tuple[RatedRound, ...]
    caveats: tuple[str, ...]

    def titled(self, heading: str) -> str:
        """Return a heading with everything that a reader must know before the numbers."""
        return f"{heading} ({'; '.join(self.caveats)})" if self.caveats else heading


def construction_tables(study: StudyFile, *, replicates: int, seed: int) -> tuple[Table, ...]:
    """Return the tables of the construction report, in reading order."""
    data = read_construction(study)
    left_out = study.waves.selected().notes  # of the frozen texts, what was withdrawn
    rounds = rounds_table(data.rounds, data.titled, replicates=replicates, seed=seed)
    natural = naturalness_table(data.rounds, data.titled, replicates=replicates, seed=seed)
    return (
        _fates(data, despite=_despite(study)),
        _candidates(data),
        replace(rounds, notes=(*rounds.notes, *left_out)),
        replace(natural, notes=(*natural.notes, *left_out)),
        _carry_over(study, data),
        _exposure(study, data),
    )


def read_construction(study: StudyFile) -> Construction:
    """Read candidates and rated rounds; practice is no part of a construction."""
    history = read_history(study)
    found = candidates(study, history)
    frozen = {(w.scenario, w.condition): w.document["revision"] for w in study.waves.standing()}
    rounds = tuple(
        RatedRound(
            campaign=campaign,
            simulated=simulated(study, campaign),
            shown=frozenset(
                s
                for s, every in history.shown.items()
                if any(e.round == campaign.id for e in every)
            ),
            frozen=frozenset(
                c.scenario
                for c in found
                if c.fate == "frozen" and history.judged_by(c.scenario) == campaign.name
            ),
            ratings=study.ratings.of_round(campaign.id),
            texts=frozen,
        )
        for campaign in study.rounds.all()
        if campaign.kind != "practice" and campaign.opened_at and not campaign.grading
    )
    declared = any(wave.kind == "declared" for wave in study.waves.all())
    return Construction(found, rounds, _caveats(rounds, declared=declared))


def _caveats(rounds: Sequence[RatedRound], *, declared: bool) -> tuple[str, ...]:
    found = ["simulated ratings"] if any(r.simulated for r in rounds) else []
    found += ["imported ratings"] if any(r.campaign.source == "imported" for r in rounds) else []
    found += [UNVALIDATED] if declared else []
    return tuple(found)


def _despite(study: StudyFile) -> tuple[str, ...]:
    """Say which waves were frozen although their items break construction rules, and why."""
    broken = {w.number: w.header["breaches"] for w in study.waves.all() if "breaches" in w.header}
    return tuple(
        f"Wave {number} was frozen in spite of {counted(len(held['found']), 'breach', 'breaches')} "
        f"of the construction rules: {held['reason']}."
        for number, held in broken.items()
    )


def _fates(data: Construction, despite: tuple[str, ...]) -> Table:
    counts = counted_by_fate(data.candidates)
    totals = Counter(candidate.fate for candidate in data.candidates)
    rows: list[Row] = []
    # Most studies withdraw nothing, and then say nothing of it.
    withdrawn = [WITHDRAWN] if totals["withdrawn"] else []
    for fate in (fate for fate in FATES if fate != "withdrawn" or withdrawn):
        rows += [
            {"fate": fate, "kind": kind, "candidates": count}
            for (found, kind), count in counts.items()
            if found == fate
        ]
        rows.append({"fate": fate, "kind": "all", "candidates": totals[fate]})
    rows.append({"fate": "all candidates", "kind": "", "candidates": len(data.candidates)})
    return Table(
        name=f"{PREFIX}fates",
        title=data.titled(f"What became of {len(data.candidates)} candidates"),
        columns=(
            Column("fate", "Fate"),
            Column("kind", "Counted under"),
            Column("candidates", "candidates", "count"),
        ),
        rows=tuple(rows),
        notes=(
            "Excluded: by the researchers, with a reason, or by the rule after the rewrites that "
            "it permits. Failed: below the rule as it stands, and not rewritten. Open: neither.",
            *withdrawn,
            *despite,
            "Every candidate of the study is counted once, so no number has an interval.",
        ),
    )


def _candidates(data: Construction) -> Table:
    ordered = sorted(data.candidates, key=lambda c: (FATES.index(c.fate), c.wave or 0, c.scenario))
    return Table(
        name=f"{PREFIX}candidates",
        title=data.titled("Candidates, one by one"),
        columns=(
            Column("scenario", "Scenario"),
            Column("fate", "Fate"),
            Column("wave", "wave", "count"),
            Column("rounds", "Rounds"),
            Column("rewrites", "rewrites", "count"),
            Column("reason", "Why"),
        ),
        rows=tuple(
            {
                "scenario": candidate.scenario,
                "fate": candidate.fate,
                "wave": candidate.wave,
                "rounds": ", ".join(candidate.rounds) or None,
                "rewrites": candidate.rewrites,
                "reason": candidate.reason or candidate.kind,
            }
            for candidate in ordered
        ),
        notes=("Rewrites: changes of the text between two rounds that showed it.",),
    )


def _carry_over(study: StudyFile, data: Construction) -> Table:
    """Return per round how much of it had been seen before, by anybody and by its own people."""
    rows: list[Row] = []
    earlier: set[str] = set()
    rewritten = {c.scenario: c.rewrites for c in data.candidates}
    for rated in data.rounds:
        again = rated.shown & earlier
        met = study.exposures.of_round(rated.campaign.id)
        rows.append(
            {
                "round": rated.label,
                "scenarios": len(rated.shown),
                "again": len(again),
                "rewritten": sum(rewritten[scenario] > 0 for scenario in again),
                "people": len({rating.person for rating in rated.ratings}),
                "exposed": len({exposure.person for exposure in met}),
                "meetings": len(met),
                "older": sum(exposure.rewritten for exposure in met),
            }
        )
        earlier |= rated.shown
    return Table(
        name=f"{PREFIX}carry-over",
        title=data.titled("Carry-over between rounds"),
        columns=(
            Column("round", "Round"),
            Column("scenarios", "rated", "count"),
            Column("again", "before", "count"),
            Column("rewritten", "rewritten", "count"),
            Column("people", "raters", "count"),
            Column("exposed", "known", "count"),
            Column("meetings", "met", "count"),
            Column("older", "older text", "count"),
        ),
        rows=tuple(rows),
        notes=(
            "Before: scenarios that an earlier round had shown; rewritten: those of them that were "
            "rewritten at some time. Known: raters who had rated in an earlier round. Met: "
            "scenarios that they had rated there, counted per rater; older text: of these, in a "
            "text that the round replaced.",
            "Who sits in a round is known by the pseudonym of the seat: the same people with new "
            "codes are new pseudonyms, and what they met before is then not known.",
            "Everything is counted, so no number has an interval.",
        ),
        empty="no round has shown anything yet",
    )


def _exposure(study: StudyFile, data: Construction) -> Table:
    rows: list[Row] = []
    for rated in data.rounds:
        found = study.exposures.of_round(rated.campaign.id)
        for person in sorted({exposure.person for exposure in found}):
            mine = [exposure for exposure in found if exposure.person == person]
            rows.append(
                {
                    "round": rated.label,
                    "person": person,
                    "scenarios": len({exposure.scenario for exposure in mine}),
                    "older": len({e.scenario for e in mine if e.rewritten}),
                    "of": _load(study, rated.campaign, person),
                }
            )
    return Table(
        name=f"{PREFIX}exposure",
        title=data.titled("People who rated a scenario in an earlier round"),
        columns=(
            Column("round", "Round"),
            Column("person", "Person"),
            Column("scenarios", "scenarios met before", "count"),
            Column("older", "in another text", "count"),
            Column("of", "of ratings in the round", "count"),
        ),
        rows=tuple(rows),
        empty="nobody is known to have rated a scenario in two rounds",
    )


def _load(study: StudyFile, campaign: Round, person: str) -> int:
    return sum(rating.person == person for rating in study.ratings.of_round(campaign.id))
