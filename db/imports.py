"""Generations that came from elsewhere: what is held already, and what an import brought."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from core.hashing import digest_all, digest_of
from core.runs import Reply, State
from db.replies import sealed_exchange
from db.rows import row, rows

# What makes two replies under one key the same: what was said, not when, or at what cost.
_CONTENT = ("state", "visible_text", "reasoning", "finish_reason", "error")
# By name, so that a column that a later version adds changes no seal.
_SEALED = (
    "generations.id", "run", "wave_item", "prompt_hash", "intervention", "sample", *_CONTENT,
    "usage", "answered_by", "seconds", "started_at", "ended_at", "body", "session", "attempts",
    "tokens_in", "tokens_out",
)  # fmt: skip
# An error holds a place, and a later import may answer it; only answers are sealed.
_BROUGHT = "FROM generations LEFT JOIN bodies ON bodies.id = body WHERE session = ?"
_ANSWERS = f"{_BROUGHT} AND state <> 'error' ORDER BY generations.id"


@dataclass(frozen=True, slots=True)
class Held:
    """A generation that a run has: its key within the run, and what it says, as a digest."""

    wave_item: int
    prompt_hash: str
    intervention: str
    sample: int
    state: State
    content: str


def content_of(reply: Reply) -> str:
    """Return the digest over what a reply says."""
    return digest_of({name: getattr(reply, name) for name in _CONTENT})


class ImportStore:
    """Reading and sealing; the rows themselves are stored like those of any run."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def held(self, run: int) -> Iterator[Held]:
        """Yield what a run has, one after another."""
        for entry in rows(self._db, "SELECT * FROM generations WHERE run = ?", [run]):
            content = digest_of({name: entry[name] for name in _CONTENT})
            yield Held(
                entry["wave_item"],
                entry["prompt_hash"],
                entry["intervention"],
                entry["sample"],
                entry["state"],
                content,
            )

    def seal(self, session: int) -> dict[str, Any]:
        """Return what the ledger says of the answers that one import brought into a run.

        The raw records have a digest of their own, as those of a closed run do.
        """
        said = rows(self._db, f"SELECT {', '.join(_SEALED)} {_ANSWERS}", [session])
        asked = "wave_item, prompt_hash, intervention, sample, request, reply"
        came = rows(self._db, f"SELECT {asked} {_ANSWERS}", [session])
        return {
            "answers": self._count(session),
            "digest": digest_all(digest_of(entry) for entry in said),
            "bodies": digest_all(digest_of(sealed_exchange(entry)) for entry in came),
        }

    def _count(self, session: int) -> int:
        found = row(self._db, f"SELECT count(*) AS n {_BROUGHT} AND state <> 'error'", [session])
        return int(found["n"]) if found else 0

    def samples_per_item(self, run: int) -> tuple[int, int, int]:
        """Return the fewest and the most samples of one item that a run has, and its items."""
        sql = (
            "SELECT coalesce(min(n), 0) AS fewest, coalesce(max(n), 0) AS most, count(*) AS items "
            "FROM (SELECT count(*) AS n FROM generations WHERE run = ? AND state <> 'error' "
            "GROUP BY wave_item, intervention)"
        )
        found = row(self._db, sql, [run])
        return (found["fewest"], found["most"], found["items"]) if found else (0, 0, 0)

    def stray(self, sessions: Iterable[int]) -> tuple[tuple[int, int], ...]:
        """Return the imported runs with generations of no import among these, and how many."""
        known = set(sessions)
        sql = (
            "SELECT run, session, count(*) AS n FROM generations "
            "WHERE run IN (SELECT id FROM runs WHERE kind = 'imported') GROUP BY run, session"
        )
        found: dict[int, int] = {}
        for entry in rows(self._db, sql):
            if entry["session"] not in known:
                found[entry["run"]] = found.get(entry["run"], 0) + entry["n"]
        return tuple(found.items())
