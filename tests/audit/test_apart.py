"""Nobody audits what they rated in the same round: refused by the file, not by manners."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from annotate.sitting import RatingSitting
from audit.sitting import AuditSitting
from core.study import Round
from db.file import StudyFile
from tests.conftest import gold

SIT = "INSERT INTO occupancies (seat, person, since) VALUES (?, ?, '')"
AUDIT = """INSERT INTO pair_audits (pair, person, only_intended, note, differences, salt, hash,
    created_at, updated_at) VALUES (?, ?, 1, '', 0, 's', 'h', '', '')"""


@pytest.fixture
def study(workshop: Any, tmp_path: Path) -> StudyFile:
    made: StudyFile = workshop.create(tmp_path / "study.db", 2)
    return made


@pytest.fixture
def stranger(study: StudyFile) -> Iterator[sqlite3.Connection]:
    """Another program on the same file, with settings of its own: foreign keys are off."""
    with closing(sqlite3.connect(study.path, isolation_level=None)) as plain:
        yield plain


def one_rating(study: StudyFile, campaign: Round) -> int:
    """Let somebody rate one item in seat 1, and return who it was."""
    sitting = RatingSitting.at_seat(study, study.rounds.seats(campaign.id, "rater")[0])
    sitting.save(gold(sitting.revision(), 1))
    return sitting.person.id


def one_audit(study: StudyFile, campaign: Round) -> int:
    sitting = AuditSitting.at_seat(study, study.rounds.seats(campaign.id, "auditor")[0])
    sitting.save(only_intended=True)
    return sitting._person.id


def auditor(study: StudyFile, campaign: Round) -> int:
    return study.rounds.seats(campaign.id, "auditor")[0].id


@pytest.mark.parametrize("kind", ["main", "pilot", "rehearsal"])
def test_a_rater_cannot_sit_down_as_an_auditor(
    workshop: Any, study: StudyFile, stranger: sqlite3.Connection, kind: str
) -> None:
    """In every kind of round that counts, whatever program tries."""
    campaign = workshop.opened(study, kind=kind)
    rater = one_rating(study, campaign)
    with pytest.raises(sqlite3.IntegrityError, match="a person holds one seat in a round"):
        stranger.execute(SIT, (auditor(study, campaign), rater))


def test_an_auditor_cannot_sit_down_as_a_rater(
    workshop: Any, study: StudyFile, stranger: sqlite3.Connection
) -> None:
    """Nor the other way round."""
    campaign = workshop.opened(study)
    person = one_audit(study, campaign)
    seat = study.rounds.seats(campaign.id, "rater")[1].id
    with pytest.raises(sqlite3.IntegrityError, match="a person holds one seat in a round"):
        stranger.execute(SIT, (seat, person))


def test_not_even_after_they_were_replaced(
    workshop: Any, study: StudyFile, stranger: sqlite3.Connection
) -> None:
    """Whoever has seen an item stays somebody who has seen it."""
    campaign = workshop.opened(study)
    rater = one_rating(study, campaign)
    study.seats.replace(study.rounds.seats(campaign.id, "rater")[0])
    with pytest.raises(sqlite3.IntegrityError, match="a person holds one seat in a round"):
        stranger.execute(SIT, (auditor(study, campaign), rater))


def test_an_audit_by_somebody_who_does_not_sit_there(
    workshop: Any, study: StudyFile, stranger: sqlite3.Connection
) -> None:
    """A rater's verdict written straight into the table is refused as well."""
    campaign = workshop.opened(study)
    rater = one_rating(study, campaign)
    pair = study.rounds.pair_assignments(auditor(study, campaign))[0].id
    with pytest.raises(sqlite3.IntegrityError, match="only the person in the seat audits"):
        stranger.execute(AUDIT, (pair, rater))


def test_practice_is_for_trying_both(
    workshop: Any, study: StudyFile, stranger: sqlite3.Connection
) -> None:
    """It feeds nothing, so one person may rate and audit there; but not sit in two like seats."""
    campaign = workshop.opened(study, kind="practice")
    rater = one_rating(study, campaign)
    stranger.execute(SIT, (auditor(study, campaign), rater))
    other = study.rounds.seats(campaign.id, "rater")[1].id
    with pytest.raises(sqlite3.IntegrityError, match="a person holds one seat in a round"):
        stranger.execute(SIT, (other, rater))


def test_another_round_is_another_matter(
    workshop: Any, study: StudyFile, stranger: sqlite3.Connection
) -> None:
    """The rule is about one round: who rated in an earlier one may audit in this one."""
    first = workshop.opened(study, "first")
    rater = one_rating(study, first)
    second = workshop.opened(study, "second")
    stranger.execute(SIT, (auditor(study, second), rater))
