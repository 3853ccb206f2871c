"""A study in which everything that can come to its end has: the ground of the tamper matrix."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from db.file import open_study


def sealed(whole: Path, target: Path) -> Path:
    """Copy the whole study; let people withdraw, be erased, be replaced, and the round close."""
    shutil.copy(whole, target)
    with open_study(target) as study:
        campaign = study.rounds.named("people")
        second = study.rounds.seats(campaign.id, "rater")[1]
        study.seats.replace(second)
        study.rounds.close(campaign.id)
        gone, left = _raters(target)
        study.withdrawals.withdraw(gone)
        study.withdrawals.erase(gone)
        study.withdrawals.withdraw(left)
    return target


def _raters(path: Path) -> tuple[str, str]:
    """Return the last two who rated in the rehearsal."""
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute(
            "SELECT DISTINCT pseudonym FROM people JOIN ratings ON person = people.id "
            "WHERE kind = 'simulated' ORDER BY people.id DESC LIMIT 2"
        ).fetchall()
    return found[0][0], found[1][0]
