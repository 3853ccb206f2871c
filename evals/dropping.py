"""When a model may be dropped: by a rule that the run was started with, on what the run has.

The rule is part of the run's configuration, and so of the ledger, from before the first request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from core.clock import now
from core.errors import CheckFailed, InputError, Refused, RunDropped
from core.runs import Drop, Run, RunSession, State
from db.file import StudyFile

KEY = "drop_rule"  # where a run's configuration holds it


@dataclass(frozen=True, slots=True)
class DropRule:
    """Bounds beyond which a collection is not feasible; either alone is enough.

    Attributes
    ----------
    errors_above
        Share of keys whose last attempt failed.
    answers_per_hour_below
        Answers per hour at work.
    after_minutes
        Time at work before which nothing is decided.
    """

    errors_above: float | None = None
    answers_per_hour_below: float | None = None
    after_minutes: float = 60.0


@dataclass(frozen=True, slots=True)
class Collected:
    """What a rule looks at."""

    answered: int
    errors: int
    hours: float


def rule_of(
    errors_above: float | None, answers_per_hour_below: float | None, after_minutes: float
) -> dict[str, Any] | None:
    """Return a rule as a run's configuration holds it; ``None`` when no bound is given."""
    if errors_above is None and answers_per_hour_below is None:
        return None
    if errors_above is not None and not 0 <= errors_above <= 1:
        raise InputError(f"a share of errors is from 0 to 1, not {errors_above}")
    return asdict(DropRule(errors_above, answers_per_hour_below, after_minutes))


def verdict(rule: DropRule, found: Collected) -> str:
    """Return why a rule drops a run, or nothing when it does not.

    Examples
    --------
    >>> rule = DropRule(errors_above=0.2, answers_per_hour_below=100)
    >>> verdict(rule, Collected(answered=70, errors=30, hours=2.0))
    '30.0 % of 100 keys failed, above 20.0 %'
    >>> verdict(rule, Collected(answered=70, errors=0, hours=2.0))
    '35.0 answers per hour in 2.0 hours, below 100'
    >>> verdict(rule, Collected(answered=0, errors=30, hours=0.5))
    ''
    """
    tried = found.answered + found.errors
    if found.hours * 60 < rule.after_minutes:
        return ""
    most = rule.errors_above
    if most is not None and tried and found.errors / tried > most:
        share = found.errors / tried
        return f"{share:.1%} of {tried} keys failed, above {most:.1%}".replace("%", " %")
    bound = rule.answers_per_hour_below
    if bound is not None and found.answered < bound * found.hours:
        speed = found.answered / found.hours
        return f"{speed:.1f} answers per hour in {found.hours:.1f} hours, below {bound:g}"
    return ""


def drop(study: StudyFile, run: int, reason: str | None) -> Drop:
    """Drop a run: for a reason that is given, or by the rule that it was started with.

    Raises
    ------
    CheckFailed
        When its rule does not drop it.
    Refused
        When there is neither reason nor rule, or it was dropped before.
    """
    entry = study.runs.run(run)
    if reason is not None:
        if not reason.strip():
            raise InputError("a run is dropped for a reason; give one in words")
        return study.run_drops.drop(run, " ".join(reason.split()))
    held = entry.config.get(KEY)
    if not held:
        raise Refused(f"run {run} was started without a rule to drop it by; give a --reason")
    states = study.run_counts.states(run)
    found = collected(states, study.run_sessions.of_run(run))
    why = verdict(DropRule(**held), found)
    if not why:
        raise CheckFailed(
            f"the rule of run {run} does not drop it: {found.answered} answers and "
            f"{found.errors} errors in {found.hours:.1f} hours at work"
        )
    return study.run_drops.drop(run, why, held)


def require_kept(study: StudyFile, run: Run) -> None:
    """Refuse to go on with a run that was dropped.

    Raises
    ------
    RunDropped
        With the reason that the ledger has.
    """
    if dropped := study.run_drops.all().get(run.id):
        raise RunDropped(
            f"run {run.id} ({run.model}) was dropped and takes no more answers: {dropped.reason}"
        )


def collected(states: Mapping[State, int], sessions: Sequence[RunSession]) -> Collected:
    """Return what a run has, and the hours that its sessions were at work."""
    errors = states.get("error", 0)
    seconds = sum(_seconds(session) for session in sessions)
    return Collected(sum(states.values()) - errors, errors, seconds / 3600)


def _seconds(session: RunSession) -> float:
    end = session.ended_at or min(session.until, now())
    lasted = datetime.fromisoformat(end) - datetime.fromisoformat(session.started_at)
    return max(0.0, lasted.total_seconds())
