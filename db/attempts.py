"""Guessing access codes takes for ever: waits double with every wrong code, and outlive a restart.

An attempt is written down before the slow hash is computed, so that many processes that guess at
once wait like one. The same holds for handles that exist and those that do not.

What a server lets in is counted by its origin as well, a digest of the client's address. Who has
made no mistake lately does not wait for the mistakes of others: a crowd that guesses cannot keep an
honest person out, and each of the crowd still has the limits of its handle and its origin.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from datetime import datetime, timedelta

from sqlite_utils import Database

from core.clock import now
from core.errors import TooManyCodes
from core.hashing import digest_of
from db.connection import immediate
from db.rows import insert, row

FREE, LONGEST = 5, 900  # wrong codes for one handle before the first wait; seconds of the last
FREE_OVERALL, LONGEST_OVERALL = 50, 60  # the same for all handles together,
FREE_HERE, LONGEST_HERE = 20, 300  # and for one origin; a classroom may share an address
WINDOW = timedelta(minutes=10)  # the last two are counted over this time
ORIGIN = "WAVELOCK_ORIGIN"  # set by the server for the applications that it starts

# Of the aggregates' rows SQLite takes `at` from the one with the highest number: the last one.
ONE = """
    SELECT count(*) AS wrong, max(id), at AS last FROM code_attempts
    WHERE handle = ?1 AND right_at IS NULL AND id > coalesce(
      (SELECT max(id) FROM code_attempts WHERE handle = ?1 AND right_at IS NOT NULL), 0)"""
OVERALL = """
    SELECT count(*) AS wrong, max(id), at AS last FROM code_attempts
    WHERE right_at IS NULL AND at > ?1 AND at <= ?2"""
HERE = """
    SELECT count(*) AS wrong, max(id), at AS last
    FROM code_attempt_origins JOIN code_attempts ON code_attempts.id = attempt
    WHERE origin = ?3 AND right_at IS NULL AND at > ?1 AND at <= ?2"""


class Attempts:
    """Counts wrong codes, per handle, per origin and overall.

    Parameters
    ----------
    environment
        Says where the code is typed, when a server stands between.
    """

    def __init__(self, db: Database, environment: Mapping[str, str] = os.environ) -> None:
        self._db = db
        self._origin = environment.get(ORIGIN, "")

    def begin(self, handle: str) -> int:
        """Write down that a code is being tried; return the number of the attempt.

        Raises
        ------
        TooManyCodes
            When it must wait; that is not counted as an attempt.
        """
        with immediate(self._db):
            study = row(self._db, "SELECT salt FROM study")
            sealed = digest_of([study["salt"] if study else "", handle])
            at = now()
            if wait := self._wait(sealed, at):
                unit = "second" if wait == 1 else "seconds"
                raise TooManyCodes(f"too many wrong codes; wait {wait} {unit}, then type it again")
            attempt = insert(self._db, "code_attempts", handle=sealed, at=at)
            if self._origin:
                insert(self._db, "code_attempt_origins", attempt=attempt, origin=self._origin)
            return attempt

    def right(self, attempt: int) -> None:
        """Note that an attempt was right; wrong ones before it no longer count for its handle."""
        with immediate(self._db):
            sql = "UPDATE code_attempts SET right_at = ? WHERE id = ?"
            self._db.execute(sql, [now(), attempt])

    def _wait(self, handle: str, at: str) -> int:
        since = (datetime.fromisoformat(at) - WINDOW).isoformat(timespec="milliseconds")
        window = [since.replace("+00:00", "Z"), at]
        counted = [(row(self._db, ONE, [handle]), FREE, LONGEST)]
        here = row(self._db, HERE, [*window, self._origin]) if self._origin else None
        counted.append((here, FREE_HERE, LONGEST_HERE))
        if not here or here["wrong"]:
            counted.append((row(self._db, OVERALL, window), FREE_OVERALL, LONGEST_OVERALL))
        waits = [0]
        for found, free, longest in counted:
            if found and found["wrong"] >= free:
                wait = min(2 ** min(found["wrong"] - free, 20), longest)
                waits.append(math.ceil(wait - _passed(found["last"], at)))
        return max(waits)


def _passed(since: str, until: str) -> float:
    """Return the seconds between two times; after a clock was set back, as many as it takes."""
    seconds = (datetime.fromisoformat(until) - datetime.fromisoformat(since)).total_seconds()
    return seconds if seconds >= 0 else LONGEST
