"""What a report is made of: a suite's tables and figures over one study's own data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.evidence import GivenRating
from core.figures import Figure
from core.judging import PanelVerdicts
from core.runs import Run
from core.study import UNVALIDATED, Wave
from core.subsets import Selection
from core.tables import Table
from core.verifiers import Verifier
from db.file import StudyFile
from exports.provenance import analysis_version
from suites.base import Suite, SuiteData


@dataclass(frozen=True, slots=True)
class Report:
    """Tables and figures in reading order, and where they came from."""

    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    provenance: dict[str, str]


def collect(
    study: StudyFile,
    verifiers: Sequence[Verifier],
    *,
    seed: int,
    replicates: int,
    selection: Selection | None = None,
    surveyed: Sequence[str] = (),
    judged: Mapping[str, PanelVerdicts] | None = None,
) -> SuiteData:
    """Read once everything that the suite's tables need: of all standing items, or of some.

    `judged` is what panels of judges say, by rubric, where the suite takes that for a score.
    """
    selection = selection or study.waves.selected()
    ids = {item.wave for item in selection.items}
    reported = [wave for wave in study.waves.all() if wave.id in ids]
    dropped = study.run_drops.all()
    runs = tuple(run for run in study.runs.all() if run.id not in dropped)
    surveys = _surveys(study, surveyed)
    return SuiteData(
        items=selection.items,
        runs=runs,
        generations={run.id: study.runs.generations(run.id) for run in runs},
        verdicts={v.name: study.scores.verdicts(v.name, v.version) for v in verifiers},
        scores={v.name: study.scores.values(v.name, v.version) for v in verifiers},
        ratings=tuple(
            rating
            for name in _rounds(reported)
            for rating in study.ratings.of_round(study.rounds.named(name).id)
        ),
        caveats=_caveats(study, reported),
        seed=seed,
        replicates=replicates,
        evidence={v.name: study.scores.evidence(v.name, v.version) for v in verifiers},
        sets=study.sets.all(),
        survey=tuple(rating for ratings in surveys.values() for rating in ratings),
        survey_caveats=_survey_caveats(study, surveys),
        judged=judged or {},
    )


def suite_report(
    study: StudyFile, suite: Suite, data: SuiteData, selection: Selection | None = None
) -> Report:
    """Return a suite's tables and figures with their provenance."""
    provenance = _provenance(study, data, selection or study.waves.selected())
    return Report(suite.tables(data), suite.figures(data), provenance)


def _surveys(study: StudyFile, surveyed: Sequence[str]) -> dict[str, list[GivenRating]]:
    """Return, by closed round, its ratings of what the suite only surveys.

    Rounds of the firmest kind that there is: main, else pilot, else rehearsal. So simulated people
    are never mixed with real ones, and practice feeds nothing.
    """
    closed = [c for c in study.rounds.all() if surveyed and c.closed_at is not None]
    for kind in ("main", "pilot", "rehearsal"):
        found = {
            c.name: [r for r in study.ratings.of_round(c.id) if r.condition in surveyed]
            for c in closed
            if c.kind == kind
        }
        if any(found.values()):
            return {name: ratings for name, ratings in found.items() if ratings}
    return {}


def _survey_caveats(
    study: StudyFile, surveys: Mapping[str, Sequence[GivenRating]]
) -> tuple[str, ...]:
    given = [rating for ratings in surveys.values() for rating in ratings]
    rounds = [study.rounds.named(name) for name in surveys]
    simulated = any(each.kind == "rehearsal" for each in rounds)
    found = []
    if simulated or any(rating.person_kind != "human" for rating in given):
        found.append("simulated ratings")
    if any(each.source == "imported" for each in rounds):
        found.append("imported ratings")
    return tuple(found)


def _rounds(waves: Sequence[Wave]) -> tuple[str, ...]:
    """Return the names of the rounds that the waves rest on."""
    return tuple(dict.fromkeys(name for wave in waves for name in wave.header.get("rounds", {})))


def _caveats(study: StudyFile, waves: Sequence[Wave]) -> tuple[str, ...]:
    kinds = {wave.kind for wave in waves}
    sources = {study.rounds.named(name).source for name in _rounds(waves)}
    found = ["simulated ratings"] if "simulated" in kinds else []
    found += ["imported ratings"] if "imported" in sources else []
    found += [UNVALIDATED] if "declared" in kinds else []
    return tuple(found)


def _sealed(run: Run) -> str:
    """Return what a run is known by: the digest of its closing, or of the file that it is from."""
    if not run.imported:
        return run.digest or "not closed"
    about = run.config.get("import", {})
    return f"imported from {about.get('file')} ({about.get('format')}), {about.get('sha256')}"


def _provenance(study: StudyFile, data: SuiteData, selection: Selection) -> dict[str, str]:
    lines = {"study": study.info.title, "ledger head": study.ledger.head()}
    if selection.restricted:
        lines["restricted to"] = selection.subset.words
    for wave in study.waves.all():
        lines[f"wave {wave.number} ({wave.label})"] = wave.hash
    for gone in study.waves.withdrawals():
        lines[f"withdrawn from wave {gone.wave}"] = f"{', '.join(gone.items)}: {gone.reason}"
    for run in data.runs:
        lines[f"run {run.id} ({run.model})"] = _sealed(run)
    registered = study.registrations.current()
    lines["preregistration"] = registered.hash if registered else "none"
    for drop in study.run_drops.all().values():
        lines[f"run {drop.run} ({study.runs.run(drop.run).model})"] = f"dropped: {drop.reason}"
    lines["analysis code"] = analysis_version()
    lines["resampling"] = f"seed {data.seed}, {data.replicates:,} replicates"
    return lines
