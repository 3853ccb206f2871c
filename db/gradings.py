"""The samples of grading rounds: which responses were drawn, and what a grader sees of one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlite_utils import Database

from core.clock import now
from core.grading import Grading, drawn_from_json
from core.hashing import canonical, digest_of
from core.items import BlindResponse
from db.ledger import Ledger
from db.rows import Row, insert, row, rows

SAMPLED = "responses sampled"
SHOWN = """
    SELECT generations.visible_text, wave_items.document, rounds.form
    FROM assignments JOIN generations ON generations.id = assignments.response
    JOIN wave_items ON wave_items.id = generations.wave_item
    JOIN seats ON seats.id = assignments.seat JOIN rounds ON rounds.id = seats.round
    WHERE assignments.id = ?"""
CRITERIA = ("criterion", "constraint")  # facts of a scenario that say what to hold a response to


class GradingStore:
    """What was drawn for grading."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, round_id: int, name: str, document: Mapping[str, Any]) -> None:
        """Make a round that has no seats yet a grading round; its sample enters the ledger."""
        sealed, at = digest_of(document), now()
        payload = {"round": name, "hash": sealed, "responses": len(document["drawn"])}
        payload |= {key: document[key] for key in ("runs", "judges", "seed")}
        entry = Ledger(self._db).append(SAMPLED, payload, at).sequence
        insert(
            self._db,
            "gradings",
            round=round_id,
            document=canonical(document),
            hash=sealed,
            entry=entry,
            created_at=at,
        )

    def of_round(self, round_id: int) -> Grading | None:
        """Return the sample of a grading round; ``None`` for a round that rates items."""
        found = row(self._db, "SELECT * FROM gradings WHERE round = ?", [round_id])
        return _grading(found) if found else None

    def entries(self) -> dict[int, tuple[str, int, str]]:
        """Return, by round, the digest, ledger entry and time that its sample claims."""
        found = rows(self._db, "SELECT * FROM gradings ORDER BY round")
        return {e["round"]: (e["hash"], e["entry"], e["created_at"]) for e in found}

    def planned(self, round_id: int) -> dict[int, frozenset[int]]:
        """Return the responses on the list of each seat of a round, by seat."""
        sql = (
            "SELECT seat, response FROM assignments JOIN seats ON seats.id = seat "
            "WHERE seats.round = ? AND response IS NOT NULL"
        )
        found: dict[int, set[int]] = {}
        for entry in rows(self._db, sql, [round_id]):
            found.setdefault(entry["seat"], set()).add(entry["response"])
        return {seat: frozenset(mine) for seat, mine in found.items()}

    def shown(self, assignment: int) -> BlindResponse | None:
        """Return the response at a place of a list, as its grader may see it."""
        found = row(self._db, SHOWN, [assignment])
        if found is None:
            return None
        document, shows = json.loads(found["document"]), json.loads(found["form"]).get("shows", ())
        return BlindResponse(
            found["visible_text"],
            reference_of(document) if "reference" in shows else "",
            criterion_of(document) if "criterion" in shows else "",
        )


def reference_of(document: Mapping[str, Any]) -> str:
    """Return the right answer of a frozen item as it reads: the label of its gold option."""
    labels = [o["label"] for o in document["options"] if o["action"] == document["gold"]]
    return str(labels[0] if labels else document["gold"] or "")


def criterion_of(document: Mapping[str, Any]) -> str:
    """Return what responses to a frozen item are held to; empty where its scenario says nothing."""
    facts = document.get("facts", {})
    return next((str(facts[name]) for name in CRITERIA if facts.get(name)), "")


def _grading(entry: Row) -> Grading:
    document = json.loads(entry["document"])
    drawn = tuple(drawn_from_json(each) for each in document["drawn"])
    return Grading(entry["round"], document, drawn, entry["hash"])
