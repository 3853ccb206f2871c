"""Scenarios, items and their revisions."""

from __future__ import annotations

import json
from collections.abc import Iterable

from sqlite_utils import Database

from core.clock import now
from core.errors import NotFound
from core.hashing import canonical
from core.items import ItemText, Scenario
from core.study import Revision
from db.connection import immediate
from db.rows import Row, insert, options_from_json, options_to_json, rows

EVERY = """
    SELECT revisions.*, items.scenario, items.condition
    FROM revisions JOIN items ON items.id = revisions.item
"""
LATEST = f"""{EVERY}
    WHERE revisions.number = (SELECT max(number) FROM revisions AS r WHERE r.item = items.id)
"""


class ItemStore:
    """Everything that was drafted, in every version."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, scenarios: Iterable[Scenario]) -> int:
        """Store scenarios whose options stand in the shown order; return how many items."""
        count = 0
        with immediate(self._db):
            for scenario in scenarios:
                insert(self._db, "scenarios", id=scenario.id, facts=canonical(scenario.facts))
                for item in scenario.items:
                    number = insert(
                        self._db, "items", scenario=scenario.id, condition=item.condition
                    )
                    self.add_revision(number, 1, item)
                    count += 1
        return count

    def add_revision(self, item: int, number: int, text: ItemText) -> int:
        """Store one more text of an item; part of the transaction of whoever has the reason."""
        return insert(
            self._db,
            "revisions",
            item=item,
            number=number,
            text=text.text,
            options=options_to_json(text.options),
            gold=text.gold,
            parameters=canonical(text.parameters),
            created_at=now(),
        )

    def facts(self) -> dict[str, dict[str, str]]:
        """Return the facts of every scenario, by id, in the order of the ids."""
        found = rows(self._db, "SELECT id, facts FROM scenarios ORDER BY id")
        return {entry["id"]: json.loads(entry["facts"]) for entry in found}

    def latest(self) -> tuple[Revision, ...]:
        """Return the newest revision of every item, by scenario and in drafting order."""
        found = rows(self._db, f"{LATEST} ORDER BY items.scenario, items.id")
        return tuple(_revision(entry) for entry in found)

    def all(self) -> tuple[Revision, ...]:
        """Return every revision of every item, by scenario, in drafting order, oldest first."""
        found = rows(self._db, f"{EVERY} ORDER BY items.scenario, items.id, revisions.number")
        return tuple(_revision(entry) for entry in found)

    def revision(self, revision: int) -> Revision:
        """Return one revision by its id."""
        for entry in rows(self._db, f"{EVERY} WHERE revisions.id = ?", [revision]):
            return _revision(entry)
        raise NotFound(f"there is no revision {revision}")

    def scenarios(self) -> tuple[Scenario, ...]:
        """Return every scenario with the newest text of its items."""
        texts: dict[str, list[ItemText]] = {}
        for revision in self.latest():
            texts.setdefault(revision.scenario, []).append(_item_text(revision))
        return tuple(
            Scenario(name, facts, tuple(texts.get(name, ())))
            for name, facts in self.facts().items()
        )


def _item_text(revision: Revision) -> ItemText:
    return ItemText(
        condition=revision.condition,
        text=revision.text,
        options=revision.options,
        gold=revision.gold,
        parameters=revision.parameters,
    )


def _revision(entry: Row) -> Revision:
    return Revision(
        id=entry["id"],
        item=entry["item"],
        scenario=entry["scenario"],
        condition=entry["condition"],
        number=entry["number"],
        text=entry["text"],
        options=options_from_json(entry["options"]),
        gold=entry["gold"],
        parameters=json.loads(entry["parameters"]),
        created_at=entry["created_at"],
    )
