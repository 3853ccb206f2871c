"""How a round stands while it runs: progress, pace, idle seats, short items, agreement so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from statistics import median

from core.clock import now
from core.evidence import GivenAudit, GivenRating
from core.grading import GivenGrade
from core.study import Role, Round, SeatProgress, SeatState
from core.tables import Cell, Column, Table
from db.file import StudyFile
from stats.questions import kappa

Given = GivenRating | GivenGrade
HOUR = timedelta(hours=1)
URGENCY: tuple[SeatState, ...] = ("idle", "active", "free", "done", "replaced")
NAMED = 4  # items that are named, of however many are short
SO_FAR = (Column("what", "So far"), Column("value", "", "share"), Column("n", "from"))
SEATS = (
    Column("role", "Role"),
    Column("seat", "seat", "count"),
    Column("person", "Person"),
    Column("state", "State"),
    Column("done", "done", "count"),
    Column("total", "of", "count"),
    Column("hour", "hour", "count"),
    Column("seconds", "s/item", "score"),
    Column("checks", "checks", "count"),
    Column("failed", "failed", "count"),
    Column("problems", "problems", "count"),
    Column("last", "last answer"),
)
# For people the columns stand in two tables, so that each fits into 80 cells.
PACE = ("role", "seat", "person", "state", "done", "total", "hour", "seconds", "last")
BESIDE = ("seat", "person", "checks", "failed", "problems")


@dataclass(frozen=True, slots=True)
class SeatStatus:
    """One seat: how far, how fast, how attentively, and since when nothing has come.

    Attributes
    ----------
    since
        How long ago the last answer came; ``None`` when there is none yet.
    checks, failed
        How many attention checks the person was given, and how many of them they failed.
    problems
        How many problems with items were reported from here.
    """

    progress: SeatProgress
    state: SeatState
    hour: int
    seconds: float | None
    since: timedelta | None
    checks: int = 0
    failed: int = 0
    problems: int = 0

    @property
    def idle(self) -> bool:
        """Whether somebody began here, is not done, and has not answered for an hour."""
        unfinished = self.progress.done < self.progress.total
        return unfinished and self.since is not None and self.since >= HOUR

    @property
    def urgency(self) -> int:
        """Its place among the seats that need attention: who stopped, who works, who never came."""
        return 0 if self.idle else URGENCY.index(self.state)


def status_tables(
    study: StudyFile,
    campaign: Round,
    *,
    at: str | None = None,
    urgent_first: bool = False,
    seed: int = 1,
    replicates: int = 2_000,
) -> tuple[Table, Table]:
    """Return what a round has come to so far, and its seats.

    Parameters
    ----------
    at
        The time to reckon from; now unless it is said.
    urgent_first
        List the seats that may need somebody's attention first, not by their numbers.
    """
    ratings = study.ratings.of_round(campaign.id)
    given = study.grades.of_round(campaign.id) if campaign.grading else ratings
    audits = study.audits.of_round(campaign.id)
    moment = _time(at or now())
    states = {found.seat.id: found.state for found in study.seats.status(campaign.id, at)}
    seats = [
        _said(study, campaign, _seat(progress, states[progress.seat.id], given, audits, moment))
        for progress in study.rounds.progress(campaign.id)
    ]
    if urgent_first:
        seats.sort(key=lambda seat: seat.urgency)
    short, planned = _short(study, campaign)
    agreement, reasons = _agreement(campaign, ratings, seed, replicates)
    rows = [
        *_progress(seats),
        *_pace(seats, given),
        _line("seats idle for an hour", len(_idle(seats)), f"{_begun(seats)} seats begun"),
        *_beside(seats),
        _line("items short of ratings", len(short), f"{planned} items"),
        *agreement,
    ]
    notes = (*_listed("Idle", _idle(seats)), *_listed("Fewest ratings", short), *reasons)
    so_far = Table("so far", _title(campaign), SO_FAR, tuple(rows), notes)
    names = f"{len(seats)} seats of round {campaign.name}"
    return so_far, Table("seats", names, SEATS, tuple(map(_row, seats)))


def for_people(seats: Table) -> tuple[Table, ...]:
    """Return the table of seats as people read it: the pace, and what was said beside the ratings.

    The second is left out while nobody met a check or reported a problem.
    """
    by_name = {column.key: column for column in seats.columns}
    pace = replace(seats, columns=tuple(by_name[name] for name in PACE))
    rows = tuple(row for row in seats.rows if row["checks"] or row["problems"])
    beside = Table(
        "beside",
        "Attention checks that people met and failed, and problems that they reported",
        tuple(by_name[name] for name in BESIDE),
        rows,
    )
    return (pace, beside) if rows else (pace,)


def _title(campaign: Round) -> str:
    known = ["grading"] if campaign.grading else []
    known += [campaign.kind, *(["imported ratings"] if campaign.source == "imported" else [])]
    return f"Round {campaign.name} ({', '.join(known)}) is {campaign.state}"


def _seat(
    progress: SeatProgress,
    state: SeatState,
    ratings: Sequence[Given],
    audits: Sequence[GivenAudit],
    moment: datetime,
) -> SeatStatus:
    number, rater = progress.seat.number, progress.seat.role == "rater"
    mine = [given for given in (ratings if rater else audits) if given.seat == number]
    begun = [_time(given.created_at) for given in mine]
    last = max((_time(given.updated_at) for given in mine), default=None)
    seconds = _measured([given for given in mine if not isinstance(given, GivenAudit)])
    return SeatStatus(
        progress,
        state,
        sum(moment - each < HOUR for each in begun),
        median(seconds) if seconds else None,
        # A clock that was set back makes no answer come from the future.
        None if last is None else max(moment - last, timedelta()),
    )


def _said(study: StudyFile, campaign: Round, seat: SeatStatus) -> SeatStatus:
    """Add what whoever sits at a rater's seat said beside their ratings."""
    if seat.progress.seat.role != "rater":
        return seat
    number, person = seat.progress.seat.number, seat.progress.person
    known = {(found.seat, found.person): found for found in study.said.checks_of_round(campaign.id)}
    checks = known.get((number, person or ""))
    return replace(
        seat,
        checks=checks.given if checks else 0,
        failed=checks.given - checks.correct if checks else 0,
        problems=sum(r.seat == number for r in study.said.reports_of_round(campaign.id)),
    )


def _measured(ratings: Sequence[Given]) -> list[float]:
    """Return active seconds; 0 is a time that nobody measured, as in most imports."""
    return [rating.seconds for rating in ratings if rating.seconds > 0]


def _line(what: str, value: Cell, n: str) -> dict[str, Cell]:
    # A count is written as it is; the column's decimals are for coefficients.
    return {"what": what, "value": f"{value:,}" if isinstance(value, int) else value, "n": n}


def _begun(seats: Sequence[SeatStatus]) -> int:
    return sum(seat.progress.person is not None for seat in seats)


def _idle(seats: Sequence[SeatStatus]) -> list[str]:
    return [f"{s.progress.seat.role} {s.progress.seat.number}" for s in seats if s.idle]


def _listed(heading: str, names: Sequence[str]) -> tuple[str, ...]:
    if not names:
        return ()
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return (f"{heading}: {', '.join(names[:NAMED])}{more}.",)


def _progress(seats: Sequence[SeatStatus]) -> list[dict[str, Cell]]:
    roles: tuple[tuple[str, Role], ...] = (("ratings", "rater"), ("audits", "auditor"))
    rows: list[dict[str, Cell]] = []
    for what, role in roles:
        mine = [seat for seat in seats if seat.progress.seat.role == role]
        if mine:
            done, total = (sum(getattr(s.progress, n) for s in mine) for n in ("done", "total"))
            rows.append(_line(what, f"{done} of {total}", f"{_begun(mine)} of {len(mine)} seats"))
    return rows


def _pace(seats: Sequence[SeatStatus], ratings: Sequence[Given]) -> list[dict[str, Cell]]:
    hours = [seat.hour for seat in seats if seat.progress.seat.role == "rater"]
    seconds = _measured(ratings)
    typical = f"{median(seconds):.1f}" if seconds else None
    return [
        _line("ratings in the last hour", sum(hours), f"{sum(n > 0 for n in hours)} seats"),
        _line("median seconds per item", typical, f"{len(seconds)} ratings"),
    ]


def _beside(seats: Sequence[SeatStatus]) -> list[dict[str, Cell]]:
    """Return what was said beside the ratings, in rounds that ask for it or where somebody did."""
    checks, failed, problems = (
        sum(getattr(seat, name) for seat in seats) for name in ("checks", "failed", "problems")
    )
    failing = sum(seat.failed > 0 for seat in seats)
    told = f"{sum(seat.problems > 0 for seat in seats)} seats"
    return [
        _line("attention checks failed", f"{failed} of {checks}", f"{failing} seats"),
        _line("problems reported", problems, told),
    ]


def _short(study: StudyFile, campaign: Round) -> tuple[list[str], int]:
    """Return the items with fewer ratings than planned, fewest first, and how many are planned."""
    planned: Counter[int] = Counter()
    given: Counter[int] = Counter()
    for seat in study.rounds.seats(campaign.id, "rater"):
        rated = study.ratings.of_seat(seat.id)
        for assignment in study.rounds.assignments(seat.id):
            shown = assignment.response or assignment.revision
            planned[shown] += 1
            given[shown] += assignment.id in rated
    if campaign.grading:
        names = {response: f"response {response}" for response in planned}
    else:
        names = {r.id: f"{r.scenario}/{r.condition}" for r in study.items.all()}
    short = sorted((given[r], names[r], n) for r, n in planned.items() if given[r] < n)
    return [f"{name} ({count} of {wanted})" for count, name, wanted in short], len(planned)


def _agreement(
    campaign: Round, ratings: Sequence[GivenRating], seed: int, replicates: int
) -> tuple[list[dict[str, Cell]], list[str]]:
    """Return kappa and raw agreement of every choice, and in words what keeps one from a value."""
    rows: list[dict[str, Cell]] = []
    reasons: list[str] = []
    if campaign.grading:
        return rows, [f"How far they agree: wavelock grading agreement {campaign.name}."]
    for question in campaign.form.questions:
        if question.kind not in ("choice", "yes-no"):
            continue
        found = kappa(ratings, question, seed=seed, replicates=replicates)
        estimate, n = found.estimate, f"{found.n_items} items, {found.n_ratings} ratings"
        if estimate.why_undefined:
            reasons.append(f"{question.id}: {estimate.why_undefined}.")
            estimate = replace(estimate, why_undefined="see below")
        elif estimate.why_no_interval:
            reasons.append(f"{question.id}: {estimate.why_no_interval}.")
            estimate = replace(estimate, why_no_interval="see below")
        rows.append(_line(f"{question.id}: Fleiss' kappa", estimate, n))
        rows.append(_line(f"{question.id}: raw agreement", found.raw_agreement, n))
    return rows, reasons


def _row(seat: SeatStatus) -> dict[str, Cell]:
    progress = seat.progress
    return {
        "role": progress.seat.role,
        "seat": progress.seat.number,
        "person": progress.person or "nobody yet",
        "state": seat.state,
        "done": progress.done,
        "total": progress.total,
        "hour": seat.hour,
        "seconds": seat.seconds,
        "checks": seat.checks,
        "failed": seat.failed,
        "problems": seat.problems,
        "last": _told(seat),
    }


def _told(seat: SeatStatus) -> str | None:
    if seat.since is None:
        return None
    minutes = int(seat.since.total_seconds() // 60)
    if minutes < 1:
        told = "just now"
    elif minutes < 120:
        told = f"{minutes} min ago"
    else:
        told = f"{minutes // 60} h ago" if minutes < 48 * 60 else f"{minutes // 1440} days ago"
    return f"{told}, idle" if seat.idle else told


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
