"""Ratings from elsewhere: a study that another tool collected can be analysed and decided here.

Everything is checked before anything is stored, and all of it is stored in one transaction: a round
with one seat per rater, the ratings, and what the ledger keeps of the file. Who a rater was
elsewhere is never stored. Rounds made here say ``imported`` wherever they are shown.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from annotate.import_map import ColumnMap
from annotate.import_rows import ImportedRating, RowChecker
from core.columns import in_order
from core.errors import InputError
from core.evidence import Rating
from core.forms import Form
from core.hashing import PREFIX
from core.plans import AuditorSeat, RaterSeat, RoundPlan
from core.rows import FileContent, FileKind, RowFault, read
from core.study import Design, Round, RoundKind, Seat
from db import imported_files
from db.file import StudyFile
from suites.base import Suite

EVENT = "ratings imported"
KINDS: dict[str, FileKind] = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Source:
    """A file of ratings: its content, its digest, and how it is read."""

    content: FileContent
    digest: str
    columns: ColumnMap


@dataclass(frozen=True, slots=True)
class Target:
    """The round that ratings are imported into."""

    name: str
    kind: RoundKind
    form: Form
    suite: Suite


class Beside(Protocol):
    """What comes into the same round beside its ratings: audits, which are checked elsewhere."""

    @property
    def seats(self) -> tuple[AuditorSeat, ...]:
        """The auditors' seats."""
        ...

    def store(self, study: StudyFile, campaign: Round) -> None:
        """Fill the seats; part of the transaction that makes the round."""
        ...


def read_source(path: Path, columns: ColumnMap) -> Source:
    """Read a file of ratings; see :func:`read_file`."""
    content, digest = read_file(path, columns.delimiter)
    return Source(content, digest, columns)


def read_file(path: Path, delimiter: str) -> tuple[FileContent, str]:
    """Read a file, and return what it holds, and its digest.

    Raises
    ------
    InputError
        When its ending says neither CSV nor JSON lines, or it cannot be read.
    """
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise InputError(f"{path} must end in {', '.join(KINDS)}, so that it is read as what it is")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    content = read(data, kind, "\t" if path.suffix.lower() == ".tsv" else delimiter)
    return content, PREFIX + hashlib.sha256(data).hexdigest()


def checked(
    study: StudyFile, source: Source, target: Target, salt: str | None = None
) -> tuple[tuple[ImportedRating, ...], list[RowFault]]:
    """Return the ratings of a file, and everything that is wrong with them; nothing is stored.

    With the same `salt`, somebody who is in two files is known in both.
    """
    salt = secrets.token_hex(16) if salt is None else salt
    checker = RowChecker(source.columns, target.form, target.kind, study.items.all(), salt)
    return checker.check(source.content)


def who_rated(ratings: Sequence[ImportedRating]) -> dict[tuple[str, str], int]:
    """Return the line on which each rater, a hash, first rated a condition of each scenario."""
    lines: dict[tuple[str, str], int] = {}
    for rating in ratings:
        lines.setdefault((rating.person, rating.revision.scenario), rating.line)
    return lines


def store(
    study: StudyFile,
    source: Source,
    target: Target,
    ratings: Sequence[ImportedRating],
    progress: Progress | None = None,
    *,
    beside: Beside | None = None,
) -> Round:
    """Make the round with its seats, people and ratings, and close it: all of it or nothing.

    `beside` are the audits of the same round.

    Raises
    ------
    Refused
        When this file is in this round already.
    InputError
        When another round has the name.
    """
    imported_files.require_new(study, EVENT, source.digest, target.name)
    by_rater: dict[str, list[ImportedRating]] = defaultdict(list)
    for rating in ratings:
        by_rater[rating.person].append(rating)
    raters = [in_order(mine) for mine in by_rater.values()]
    with study.transaction():
        plan = _plan(target, raters, beside.seats if beside else ())
        campaign = study.rounds.open(study.rounds.plan(plan).id)
        done = 0
        for seat, mine in zip(study.rounds.seats(campaign.id, "rater"), raters, strict=True):
            _rate(study, seat, mine)
            done += len(mine)
            if progress:
                progress(done, len(ratings))
        study.ledger.append(EVENT, _entry(source, target, ratings))
        if beside:
            beside.store(study, campaign)
        return study.rounds.close(campaign.id)


def rounds_with(study: StudyFile, source: Source) -> tuple[str, ...]:
    """Name the rounds that the same file was imported into."""
    return imported_files.rounds_with(study, EVENT, source.digest)


def _plan(
    target: Target,
    raters: Sequence[Sequence[ImportedRating]],
    auditors: tuple[AuditorSeat, ...],
) -> RoundPlan:
    shown = [frozenset(r.revision.id for r in mine) for mine in raters]
    cells = {r.revision.id: _cell(r) for mine in raters for r in mine}
    design = design_of(shown, cells)
    counts = Counter(revision for items in shown for revision in items)
    numbers = {items: n for n, items in enumerate(dict.fromkeys(shown))}
    return RoundPlan(
        name=target.name,
        kind=target.kind,
        design=design,
        ratings=min(counts.values()),
        seed=0,
        form=target.form,
        rule=target.suite.rule,
        pair=target.suite.pair,
        raters=tuple(
            _seat(number, mine, numbers[items] if design == "latin-square" else 0)
            for number, (mine, items) in enumerate(zip(raters, shown, strict=True), start=1)
        ),
        auditors=auditors,
        source="imported",
    )


def _cell(rating: ImportedRating) -> tuple[str, str]:
    return rating.revision.scenario, rating.revision.condition


def design_of(shown: Sequence[frozenset[int]], cells: Mapping[int, tuple[str, str]]) -> Design:
    """Return the design that ratings have, going by who rated what.

    Parameters
    ----------
    shown
        Per rater, the revisions that were rated.
    cells
        Scenario and condition of each revision.

    Returns
    -------
    str
        ``crossed`` when everybody rated everything. ``latin-square`` when it is a complete one: as
        many lists as conditions, each with every scenario once, each rated by equally many.
        ``overlap`` otherwise.
    """
    lists = Counter(shown)
    if len(lists) == 1:
        return "crossed"
    scenarios = {scenario for scenario, _ in cells.values()}
    conditions = {condition for _, condition in cells.values()}
    whole = len(cells) == len(scenarios) * len(conditions)
    once = all(
        sorted(cells[revision][0] for revision in items) == sorted(scenarios) for items in lists
    )
    even = len(lists) == len(conditions) and len(set(lists.values())) == 1
    apart = sum(len(items) for items in lists) == len(cells)
    return "latin-square" if whole and once and even and apart else "overlap"


def _seat(number: int, ratings: Sequence[ImportedRating], found: int) -> RaterSeat:
    """Return a seat for one rater; list and positions are those of the file where it has them."""
    given = ratings[0].list
    positions = tuple(rating.position for rating in ratings if rating.position is not None)
    return RaterSeat(
        number,
        found if given is None else given,
        tuple(rating.revision.id for rating in ratings),
        positions if len(positions) == len(ratings) else (),
    )


def _rate(study: StudyFile, seat: Seat, ratings: Sequence[ImportedRating]) -> None:
    person = study.people.take_seat(seat.id, ratings[0].kind)
    assignments = {a.revision: a.id for a in study.rounds.assignments(seat.id)}
    for given in ratings:
        assignment = assignments[given.revision.id]
        rating = Rating(assignment, given.answers, given.comment, given.seconds)
        study.ratings.save(rating, person.id, given.at)


def _entry(source: Source, target: Target, ratings: Sequence[ImportedRating]) -> dict[str, Any]:
    return {
        "round": target.name,
        "file": source.digest,
        "ratings": len(ratings),
        "raters": len({rating.person for rating in ratings}),
        "items": len({rating.revision.item for rating in ratings}),
        "map": source.columns.document,
    }
