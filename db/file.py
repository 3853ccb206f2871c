"""The study file as one value: a store per table group, over one connection."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlite_utils import Database

from core.clock import now
from core.errors import NotAStudy
from core.hashing import seed_from
from core.items import ItemText, Option, Scenario
from core.study import StudyInfo
from db.audits import AuditStore
from db.batch_seals import BatchSealStore
from db.batches import BatchStore
from db.choice_seals import ChoiceSealStore
from db.choices import ChoiceStore
from db.completions import CompletionStore
from db.connection import (
    TIMEOUT,
    connect,
    create,
    discard,
    guard_faults,
    immediate,
    is_packet,
    reference_faults,
    waiting,
)
from db.decisions import DecisionStore
from db.drafts import DraftStore
from db.durable import Sync, deferred_sync
from db.exposures import ExposureStore
from db.grades import GradeStore
from db.gradings import GradingStore
from db.imports import ImportStore
from db.items import ItemStore
from db.judge_seals import JudgeSealStore
from db.judges import JudgeStore
from db.ledger import Ledger
from db.packets import PacketStore
from db.people import PeopleStore
from db.ratings import RatingStore
from db.registrations import RegistrationStore
from db.rounds import RoundStore
from db.rows import insert, row
from db.run_counts import RunCountStore
from db.run_drops import RunDropStore
from db.run_sessions import RunSessionStore
from db.runs import RunStore
from db.said import SaidStore
from db.scores import ScoreStore
from db.seals import SealStore
from db.seats import SeatStore
from db.sets import SetStore
from db.sittings import SittingStore
from db.voids import VoidStore
from db.waves import WaveStore
from db.withdrawals import WithdrawalStore


class StudyFile:
    """One study. Use it as a context manager; a connection belongs to the thread that opened it."""

    def __init__(self, path: Path, db: Database) -> None:
        self.path = path
        self._db = db
        self.items = ItemStore(db)
        self.drafts = DraftStore(db)
        self.rounds = RoundStore(db)
        self.people = PeopleStore(db)
        self.seats = SeatStore(db)
        self.sittings = SittingStore(db)
        self.said = SaidStore(db)
        self.completions = CompletionStore(db)
        self.voids = VoidStore(db)
        self.withdrawals = WithdrawalStore(db)
        self.packets = PacketStore(db)
        self.ratings = RatingStore(db)
        self.grades = GradeStore(db)
        self.gradings = GradingStore(db)
        self.audits = AuditStore(db)
        self.decisions = DecisionStore(db)
        self.exposures = ExposureStore(db)
        self.waves = WaveStore(db)
        self.runs = RunStore(db)
        self.run_counts = RunCountStore(db)
        self.run_drops = RunDropStore(db)
        self.run_sessions = RunSessionStore(db)
        self.imports = ImportStore(db)
        self.batches = BatchStore(db)
        self.batch_seals = BatchSealStore(db)
        self.scores = ScoreStore(db)
        self.judges = JudgeStore(db)
        self.judge_seals = JudgeSealStore(db)
        self.choices = ChoiceStore(db)
        self.choice_seals = ChoiceSealStore(db)
        self.registrations = RegistrationStore(db)
        self.sets = SetStore(db)
        self.seals = SealStore(db)
        self.ledger = Ledger(db)

    @property
    def info(self) -> StudyInfo:
        """What the study is called, and the salt of its option orders."""
        found = row(self._db, "SELECT * FROM study")
        if found is None:
            raise NotAStudy(f"{self.path} is an unfinished study; move it away and init again")
        return StudyInfo(
            found["title"], found["suite"], found["salt"], found["created_at"], found["version"]
        )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make several changes stand or fall together; see :func:`db.connection.immediate`."""
        with immediate(self._db):
            yield

    @contextmanager
    def waiting(self, seconds: float | None = None) -> Iterator[None]:
        """Wait so long for other writers; see :func:`db.connection.waiting`."""
        with waiting(self._db, TIMEOUT if seconds is None else seconds):
            yield

    @contextmanager
    def deferred_sync(self) -> Iterator[Sync]:
        """Commit without waiting for the disk; see :func:`db.durable.deferred_sync`."""
        with deferred_sync(self._db, self.path) as sync:
            yield sync

    def guard_faults(self) -> tuple[str, ...]:
        """Name the guards of the file that are gone; see :func:`db.connection.guard_faults`."""
        return guard_faults(self._db)

    def reference_faults(self) -> tuple[str, ...]:
        """Name the rows that refer to nothing; see :func:`db.connection.reference_faults`."""
        return reference_faults(self._db)

    def close(self) -> None:
        """Close the connection; everything acknowledged is on disk already."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_study(path: Path) -> StudyFile:
    """Open a study file, or a packet; see :func:`db.connection.connect` for what is refused."""
    db = connect(path)
    if is_packet(db):
        from db.packet_file import PacketFile  # noqa: PLC0415  (it is a study file itself)

        return PacketFile(path, db)
    return StudyFile(path, db)


def create_study(
    path: Path,
    *,
    title: str,
    suite: str,
    scenarios: Iterable[Scenario],
    salt: str | None = None,
) -> StudyFile:
    """Create a study with the drafted scenarios of a suite, in one transaction.

    The salt decides the option order of every scenario; it is drawn here, once, unless given.
    """
    salt = salt or secrets.token_hex(16)
    drafted = [with_shown_order(scenario, salt) for scenario in scenarios]
    study = StudyFile(path, create(path))
    try:
        _fill(study, title, suite, salt, drafted)
    except BaseException:
        study.close()
        discard(path)  # ours, made just now, and nothing in it: init can be tried again
        raise
    return study


def _fill(study: StudyFile, title: str, suite: str, salt: str, drafted: Iterable[Scenario]) -> None:
    with study.transaction():
        insert(
            study._db,
            "study",
            id=1,
            title=title,
            suite=suite,
            salt=salt,
            secret=secrets.token_hex(32),
            created_at=now(),
            version=metadata.version("wavelock"),
        )
        items = study.items.add(drafted)
        created = {**study.seals.creation(), "items": items}
        if items:
            _, created["texts"] = study.drafts.digests()[None]
        study.ledger.append("study created", created)


def with_shown_order(scenario: Scenario, salt: str) -> Scenario:
    """Return the scenario with its options in the order that everybody will see.

    The order comes from SHA-256(salt, scenario id): the same in all conditions of a scenario, for
    raters and for models. Options are sorted by action first, so that drafting order is no matter.
    """
    return Scenario(
        scenario.id,
        scenario.facts,
        tuple(_ordered(item, scenario.id, salt) for item in scenario.items),
    )


def _ordered(item: ItemText, scenario: str, salt: str) -> ItemText:
    ordered: list[Option] = []
    left = sorted(item.options, key=lambda option: option.action)
    seed = seed_from(salt, scenario)
    while left:
        seed, place = divmod(seed, len(left))
        ordered.append(left.pop(place))
    return ItemText(item.condition, item.text, tuple(ordered), item.gold, item.parameters)
