"""Who asks what just now: sessions of runs, and the leases by which they share one run.

A lease holds as long as its session gives signs. One that was left by a dead process, or by one
that gave no sign for two minutes, is taken over; what was asked and not kept is then asked again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlite_utils import Database

from core.clock import now
from core.runs import GenerationKey, Prices, RunSession
from db import processes
from db.connection import immediate
from db.rows import Row, insert, row, rows

HOLD = 120.0  # seconds without a sign after which leases are free; the file's own bound is 600
FURTHEST = 600.0  # a sign further ahead than this was given under another clock
Ending = Literal["finished", "interrupted", "failed", "lost"]

# One look-up by index for each key, so that resuming is linear in what there is.
_STANDING = """
SELECT json_extract(wanted.value, '$[0]') AS wave_item, generations.state,
       generations.session AS kept_by, leases.id AS lease, leases.session
FROM json_each(?) AS wanted
LEFT JOIN generations ON generations.run = ?
  AND generations.wave_item = json_extract(wanted.value, '$[0]')
  AND generations.prompt_hash = json_extract(wanted.value, '$[1]')
  AND generations.intervention = json_extract(wanted.value, '$[2]')
  AND generations.sample = json_extract(wanted.value, '$[3]')
LEFT JOIN leases ON leases.run = ?
  AND leases.wave_item = json_extract(wanted.value, '$[0]')
  AND leases.intervention = json_extract(wanted.value, '$[2]')
  AND leases.sample = json_extract(wanted.value, '$[3]')
ORDER BY wanted.key
"""


@dataclass(frozen=True, slots=True)
class Claim:
    """What came of claiming keys.

    Attributes
    ----------
    session
        The session that has them: a new one where the old one was taken for lost meanwhile.
    mine
        Keys to ask now, in the order in which they were wanted.
    elsewhere
        Keys that another session asks just now; they may become free.
    """

    session: int
    mine: tuple[GenerationKey, ...]
    elsewhere: tuple[GenerationKey, ...]


class RunSessionStore:
    """Sessions and leases; whatever reads and then writes does it in one transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def begin(self, run: int, workers: int, prices: Prices | None = None) -> int:
        """Begin a session of a run and return its number."""
        at = now()
        with immediate(self._db):
            return insert(
                self._db,
                "run_sessions",
                run=run,
                machine=processes.machine(),
                process=processes.process(),
                workers=workers,
                price_in=prices.tokens_in if prices else None,
                price_out=prices.tokens_out if prices else None,
                started_at=at,
                until=_later(at, HOLD),
            )

    def renew(self, session: int) -> bool:
        """Give a sign; return whether the session goes on, or was taken for lost meanwhile."""
        with immediate(self._db):
            sql = "UPDATE run_sessions SET until = ? WHERE id = ? AND ended_at IS NULL"
            return self._db.execute(sql, [_later(now(), HOLD), session]).rowcount == 1

    def end(self, session: int, how: Ending) -> None:
        """End a session, and with it all its leases; one that was ended before stays as it is."""
        with immediate(self._db):
            self._db.execute(
                "UPDATE run_sessions SET ended_at = ?, ended = ? WHERE id = ? AND ended_at IS NULL",
                [now(), how, session],
            )

    def over(self, session: int) -> bool:
        """Return whether a session is over; one whose process is gone is ended here."""
        with immediate(self._db):
            return not self._goes_on(session, {})

    def of_run(self, run: int) -> tuple[RunSession, ...]:
        """Return the sessions of a run, oldest first."""
        sql = "SELECT * FROM run_sessions WHERE run = ? ORDER BY id"
        return tuple(_session(entry) for entry in rows(self._db, sql, [run]))

    def unanswered(self, keys: Sequence[GenerationKey]) -> tuple[GenerationKey, ...]:
        """Return those of some keys of one run that have no answer, without taking any."""
        if not keys:
            return ()
        found = self._standing(keys)
        return tuple(
            key
            for key, standing in zip(keys, found, strict=True)
            if standing["state"] in {None, "error"}
        )

    def _standing(self, keys: Sequence[GenerationKey]) -> list[Row]:
        run = keys[0].run
        wanted = [[key.wave_item, key.prompt_hash, key.intervention, key.sample] for key in keys]
        return list(rows(self._db, _STANDING, [json.dumps(wanted), run, run]))

    def claim(self, session: int, keys: Sequence[GenerationKey]) -> Claim:
        """Lease those of some keys of one run that have no answer and that nobody else asks.

        A key that failed in a session that goes on is left alone, be it this one or another: it
        is tried again by the next call, not by the neighbour.
        """
        if not keys:
            return Claim(session, (), ())
        mine: list[GenerationKey] = []
        elsewhere: list[GenerationKey] = []
        with immediate(self._db):
            if not self.renew(session):
                session = self._again(session)
            held: dict[int, bool] = {session: True}
            for key, standing in zip(keys, self._standing(keys), strict=True):
                if standing["state"] not in {None, "error"}:
                    continue
                holder = standing["session"]
                if holder is None or not self._goes_on(holder, held):
                    self._lease(session, key, standing["lease"])
                    mine.append(key)
                elif standing["kept_by"] != holder:
                    elsewhere.append(key)
        return Claim(session, tuple(mine), tuple(elsewhere))

    def _again(self, session: int) -> int:
        """Begin a session like one that was taken for lost while its process slept."""
        (old,) = rows(self._db, "SELECT * FROM run_sessions WHERE id = ?", [session])
        return self.begin(old["run"], old["workers"], _prices(old))

    def _lease(self, session: int, key: GenerationKey, lease: int | None) -> None:
        if lease is not None:
            self._db.execute("UPDATE leases SET session = ? WHERE id = ?", [session, lease])
            return
        insert(
            self._db,
            "leases",
            run=key.run,
            wave_item=key.wave_item,
            intervention=key.intervention,
            sample=key.sample,
            session=session,
        )

    def _goes_on(self, session: int, known: dict[int, bool]) -> bool:
        """Return whether a session holds its leases; one whose process is gone is ended here."""
        if session not in known:
            found = row(self._db, "SELECT * FROM run_sessions WHERE id = ?", [session])
            known[session] = found is not None and _live(found)
            if not known[session]:
                self.end(session, "lost")
        return known[session]


def _live(entry: Row) -> bool:
    if entry["ended_at"] is not None:
        return False
    ahead = datetime.fromisoformat(entry["until"]) - datetime.fromisoformat(now())
    if not 0 < ahead.total_seconds() < FURTHEST:
        return False
    return not (entry["machine"] == processes.machine() and processes.dead(entry["process"]))


def _later(at: str, seconds: float) -> str:
    moved = datetime.fromisoformat(at) + timedelta(seconds=seconds)
    return moved.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _prices(entry: Row) -> Prices | None:
    known = entry["price_in"] is not None and entry["price_out"] is not None
    return Prices(entry["price_in"], entry["price_out"]) if known else None


def _session(entry: Row) -> RunSession:
    return RunSession(
        id=entry["id"],
        run=entry["run"],
        workers=entry["workers"],
        prices=_prices(entry),
        started_at=entry["started_at"],
        until=entry["until"],
        ended_at=entry["ended_at"],
        ended=entry["ended"],
        live=_live(entry),
    )
