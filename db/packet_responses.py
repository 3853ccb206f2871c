"""The responses in a packet of a grading round: texts, and nothing of where they came from."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

from sqlite_utils import Database

from core.items import BlindItem, BlindResponse
from db.connection import immediate
from db.gradings import GradingStore
from db.rows import Row, insert, row, rows

TABLE = "packet_responses"


class PacketResponses(GradingStore):
    """What graders see of the responses in a packet."""

    def shown(self, assignment: int) -> BlindResponse | None:
        """Return the response at a place of the list; ``None`` where items are rated."""
        if not _there(self._db):
            return None
        found = row(self._db, f"SELECT * FROM {TABLE} WHERE assignment = ?", [assignment])
        return (
            BlindResponse(found["text"], found["reference"], found["criterion"]) if found else None
        )


def add_responses(db: Database, items: Sequence[BlindItem]) -> None:
    """Store what a packet of a grading round shows; nothing for a packet of any other round."""
    shown = {item.number: item.response for item in items if item.response}
    if not shown:
        return
    db.executescript((resources.files("db") / "sql" / "packet_responses.sql").read_text("utf-8"))
    places = {e["position"]: e["id"] for e in rows(db, "SELECT id, position FROM assignments")}
    with immediate(db):
        for place, response in shown.items():
            insert(
                db,
                TABLE,
                assignment=places[place],
                text=response.text,
                reference=response.reference,
                criterion=response.criterion,
            )


def sealed_responses(db: Database) -> list[Row]:
    """Return what a packet's digest covers of them; nothing where there is no such table."""
    return list(rows(db, f"SELECT * FROM {TABLE} ORDER BY assignment")) if _there(db) else []


def _there(db: Database) -> bool:
    return bool(row(db, "SELECT 1 AS x FROM sqlite_master WHERE name = ?", [TABLE]))
