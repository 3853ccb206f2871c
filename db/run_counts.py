"""What a run has, counted by the study file, so that no row need be in memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from sqlite_utils import Database

from core.runs import State, Tally
from db.rows import row, rows

# Where an endpoint states no usage, three bytes count as a token: rather too many than too few.
ESTIMATE = "(length(CAST({} AS BLOB)) + 2) / 3"


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens of a run over all attempts, and how many generations had theirs estimated."""

    tokens_in: int
    tokens_out: int
    estimated: int = 0


@dataclass(frozen=True, slots=True)
class Output:
    """One visible text as it was saved, and its tokens where they are known."""

    wave_item: int
    visible_text: str
    tokens_out: int | None


class RunCountStore:
    """Counts over generations, sums over usage."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def states(self, run: int) -> dict[State, int]:
        """Return how many generations of a run there are in each state."""
        sql = "SELECT state, count(*) AS n FROM generations WHERE run = ? GROUP BY state"
        return {entry["state"]: entry["n"] for entry in rows(self._db, sql, [run])}

    def tallies(self, run: int) -> tuple[Tally, ...]:
        """Return the states by condition, with what would be duplicates."""
        sql = (
            "SELECT condition, state, count(*) AS n FROM generations "
            "JOIN wave_items ON wave_items.id = wave_item WHERE run = ? GROUP BY condition, state"
        )
        found: dict[str, dict[State, int]] = defaultdict(dict)
        for entry in rows(self._db, sql, [run]):
            found[entry["condition"]][entry["state"]] = entry["n"]
        twice = self._duplicates(run)
        return tuple(Tally(name, found[name], twice.get(name, 0)) for name in sorted(found))

    def withdrawn(self, run: int) -> int:
        """Count the generations of a run whose item was withdrawn since."""
        sql = (
            "SELECT count(*) AS n FROM generations WHERE run = ? "
            "AND wave_item IN (SELECT wave_item FROM wave_withdrawals)"
        )
        found = row(self._db, sql, [run])
        return int(found["n"]) if found else 0

    def _duplicates(self, run: int) -> dict[str, int]:
        sql = (
            "SELECT condition, sum(n - 1) AS twice FROM (SELECT wave_item, count(*) AS n "
            "FROM generations WHERE run = ? GROUP BY wave_item, intervention, sample HAVING n > 1) "
            "JOIN wave_items ON wave_items.id = wave_item GROUP BY condition"
        )
        return {entry["condition"]: entry["twice"] for entry in rows(self._db, sql, [run])}

    def spent(self, run: int) -> Spent:
        """Return the tokens of a run; where none are stated they are estimated from the texts."""
        asked = ESTIMATE.format("request")
        said = ESTIMATE.format("visible_text || reasoning")
        found = row(
            self._db,
            f"SELECT coalesce(sum(coalesce(tokens_in, {asked} * attempts, 0)), 0) AS sent, "
            f"coalesce(sum(coalesce(tokens_out, {said})), 0) AS came, "
            "coalesce(sum(tokens_out IS NULL AND state <> 'error'), 0) AS guessed "
            "FROM generations LEFT JOIN bodies ON bodies.id = body WHERE run = ?",
            [run],
        )
        return Spent(found["sent"], found["came"], found["guessed"]) if found else Spent(0, 0)

    def answered_by(self, run: int) -> dict[str, int]:
        """Return the model ids that endpoints named, in the order of their first answer."""
        sql = (
            "SELECT answered_by, count(*) AS n FROM generations WHERE run = ? AND state <> 'error' "
            "GROUP BY answered_by ORDER BY min(ended_at)"
        )
        return {entry["answered_by"]: entry["n"] for entry in rows(self._db, sql, [run])}

    def outputs(self, run: int) -> Iterator[Output]:
        """Yield what a run's models said, one after another, errors left out."""
        sql = (
            "SELECT wave_item, visible_text, tokens_out FROM generations "
            "WHERE run = ? AND state <> 'error'"
        )
        for entry in rows(self._db, sql, [run]):
            yield Output(entry["wave_item"], entry["visible_text"], entry["tokens_out"])

    def since(self, run: int, at: str) -> int:
        """Return how many answers a run got after a moment."""
        sql = "SELECT count(*) AS n FROM generations WHERE run = ? AND ended_at > ?"
        found = row(self._db, f"{sql} AND state <> 'error'", [run, at])
        return int(found["n"]) if found else 0
