"""What comes into a study after it was made: imported scenarios, rewrites, and exclusions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from core.errors import NotFound, Refused
from core.hashing import canonical, digest_of
from core.items import ItemText, Scenario
from core.study import Exclusion, LedgerEntry
from db.connection import immediate
from db.items import ItemStore
from db.ledger import Ledger
from db.rows import Row, insert, row, rows

IMPORTED, REVISED, EXCLUDED = "items imported", "scenario revised", "scenario excluded"

TEXTS = """
    SELECT origins.entry, items.scenario, items.condition, scenarios.facts, revisions.*
    FROM revisions JOIN items ON items.id = revisions.item
    JOIN scenarios ON scenarios.id = items.scenario
    LEFT JOIN origins ON origins.revision = revisions.id
"""
SHOWN = """
    SELECT DISTINCT rounds.id AS round, items.scenario, items.condition, revisions.number
    FROM assignments JOIN seats ON seats.id = assignments.seat
    JOIN rounds ON rounds.id = seats.round
    JOIN revisions ON revisions.id = assignments.revision
    JOIN items ON items.id = revisions.item
    WHERE rounds.opened_at IS NOT NULL AND rounds.kind <> 'practice'
      AND assignments.response IS NULL
    ORDER BY rounds.id, items.id, revisions.number
"""


@dataclass(frozen=True, slots=True)
class Shown:
    """The texts of one scenario that one round showed: the revision per condition."""

    round: int
    scenario: str
    revisions: Mapping[str, int]


class DraftStore:
    """Every way in which drafted texts change; each leaves an entry in the ledger."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._items = ItemStore(db)

    def take_in(self, scenarios: Sequence[Scenario], file: str, digest: str) -> LedgerEntry:
        """Store scenarios from a file in one transaction.

        Options stand in the shown order. A condition that stands more than once has as many
        revisions, in that order.
        """
        with immediate(self._db):
            revisions = [number for scenario in scenarios for number in self._add(scenario)]
            return self._enter(
                revisions,
                IMPORTED,
                {"file": file, "digest": digest, "scenarios": len(scenarios)},
            )

    def _add(self, scenario: Scenario) -> list[int]:
        insert(self._db, "scenarios", id=scenario.id, facts=canonical(scenario.facts))
        numbers: Counter[str] = Counter()
        items: dict[str, int] = {}
        revisions = []
        for text in scenario.items:
            if text.condition not in items:
                items[text.condition] = insert(
                    self._db, "items", scenario=scenario.id, condition=text.condition
                )
            numbers[text.condition] += 1
            revisions.append(
                self._items.add_revision(items[text.condition], numbers[text.condition], text)
            )
        return revisions

    def revise(
        self, scenario: str, texts: Sequence[ItemText], reason: str, facts: Mapping[str, Any]
    ) -> LedgerEntry:
        """Add new texts of a scenario's items; the old ones stay.

        Parameters
        ----------
        facts
            What the ledger keeps of the rule that permitted it.

        Raises
        ------
        NotFound
            When the scenario has no such condition.
        """
        with immediate(self._db):
            revisions, numbers = [], {}
            for text in texts:
                item = self._item(scenario, text.condition)
                last = row(
                    self._db, "SELECT max(number) AS number FROM revisions WHERE item = ?", [item]
                )
                number = (last["number"] if last else 0) + 1
                revisions.append(self._items.add_revision(item, number, text))
                numbers[text.condition] = number
            return self._enter(
                revisions,
                REVISED,
                {"scenario": scenario, "items": numbers, "reason": reason, **facts},
            )

    def _item(self, scenario: str, condition: str) -> int:
        found = row(
            self._db,
            "SELECT id FROM items WHERE scenario = ? AND condition = ?",
            [scenario, condition],
        )
        if found is None:
            raise NotFound(f"there is no item {scenario}/{condition}")
        return int(found["id"])

    def _enter(
        self, revisions: Sequence[int], event: str, payload: Mapping[str, Any]
    ) -> LedgerEntry:
        # Those of this transaction are the newest, so the first of them says which they are.
        sql = f"{TEXTS} WHERE revisions.id >= ? ORDER BY revisions.id"
        texts = _digest(list(rows(self._db, sql, [min(revisions)])))
        entry = Ledger(self._db).append(
            event, {**payload, "revisions": len(revisions), "texts": texts}
        )
        for revision in revisions:
            insert(self._db, "origins", revision=revision, entry=entry.sequence)
        return entry

    def exclude(self, scenario: str, kind: str, reason: str) -> LedgerEntry:
        """Give a scenario up, for good.

        Raises
        ------
        Refused
            When it is frozen or excluded already.
        """
        with immediate(self._db):
            if scenario in self.exclusions():
                raise Refused(f"{scenario} is excluded already")
            entry = Ledger(self._db).append(
                EXCLUDED, {"scenario": scenario, "kind": kind, "reason": reason}
            )
            insert(
                self._db,
                "exclusions",
                scenario=scenario,
                kind=kind,
                reason=reason,
                entry=entry.sequence,
                at=entry.at,
            )
        return entry

    def exclusions(self) -> dict[str, Exclusion]:
        """Return the scenarios that were given up, by id."""
        found = rows(self._db, "SELECT * FROM exclusions ORDER BY scenario")
        return {
            entry["scenario"]: Exclusion(
                number=entry["id"],
                scenario=entry["scenario"],
                kind=entry["kind"],
                reason=entry["reason"],
                entry=entry["entry"],
                at=entry["at"],
            )
            for entry in found
        }

    def origins(self) -> dict[int, int]:
        """Return the ledger entry that brought a revision, for those that were not drafted."""
        found = rows(self._db, "SELECT revision, entry FROM origins ORDER BY revision")
        return {entry["revision"]: entry["entry"] for entry in found}

    def shown(self) -> tuple[Shown, ...]:
        """Return which texts every round that was opened showed, practice apart, oldest first.

        Of several revisions of one item in one round (an import may have them) the newest stands.
        """
        found: dict[tuple[int, str], dict[str, int]] = {}
        for entry in rows(self._db, SHOWN):
            found.setdefault((entry["round"], entry["scenario"]), {})[entry["condition"]] = entry[
                "number"
            ]
        return tuple(Shown(campaign, name, texts) for (campaign, name), texts in found.items())

    def digests(self) -> dict[int | None, tuple[int, str]]:
        """Return how many texts each entry brought, and their digest; ``None``: with the study."""
        found: dict[int | None, list[Row]] = {}
        for entry in rows(self._db, f"{TEXTS} ORDER BY revisions.id"):
            found.setdefault(entry["entry"], []).append(entry)
        return {entry: (len(texts), _digest(texts)) for entry, texts in found.items()}


def _digest(texts: Sequence[Row]) -> str:
    """Return the digest over texts as they are stored, with all that belongs to them and when."""
    return digest_of([{key: text[key] for key in text if key != "entry"} for text in texts])
