"""What a report is made of: a suite's tables and figures over one study's own data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.figures import Figure
from core.study import Wave
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
    waves: Sequence[int] | None = None,
) -> SuiteData:
    """Read once everything that the suite's tables need."""
    reported = [w for w in study.waves.all() if waves is None or w.number in waves]
    dropped = study.run_drops.all()
    runs = tuple(run for run in study.runs.all() if run.id not in dropped)
    return SuiteData(
        items=study.waves.items(waves),
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
    )


def suite_report(study: StudyFile, suite: Suite, data: SuiteData) -> Report:
    """Return a suite's tables and figures with their provenance."""
    return Report(suite.tables(data), suite.figures(data), _provenance(study, data))


def _rounds(waves: Sequence[Wave]) -> tuple[str, ...]:
    """Return the names of the rounds that the waves rest on."""
    return tuple(dict.fromkeys(name for wave in waves for name in wave.header.get("rounds", {})))


def _caveats(study: StudyFile, waves: Sequence[Wave]) -> tuple[str, ...]:
    kinds = {wave.kind for wave in waves}
    sources = {study.rounds.named(name).source for name in _rounds(waves)}
    found = ["simulated ratings"] if "simulated" in kinds else []
    found += ["imported ratings"] if "imported" in sources else []
    found += ["not human-validated"] if "declared" in kinds else []
    return tuple(found)


def _provenance(study: StudyFile, data: SuiteData) -> dict[str, str]:
    lines = {"study": study.info.title, "ledger head": study.ledger.head()}
    for wave in study.waves.all():
        lines[f"wave {wave.number} ({wave.kind})"] = wave.hash
    for run in data.runs:
        lines[f"run {run.id} ({run.model})"] = run.digest or "not closed"
    registered = study.registrations.current()
    lines["preregistration"] = registered.hash if registered else "none"
    for drop in study.run_drops.all().values():
        lines[f"run {drop.run} ({study.runs.run(drop.run).model})"] = f"dropped: {drop.reason}"
    lines["analysis code"] = analysis_version()
    lines["resampling"] = f"seed {data.seed}, {data.replicates:,} replicates"
    return lines
