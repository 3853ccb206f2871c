"""The digest over a round's plan: every seat, assignment, side and shown text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlite_utils import Database

from core.hashing import digest, digest_of
from core.study import Round
from db.rows import Row, row, rows

SEATS = "SELECT id, role, number, list FROM seats WHERE round = ? ORDER BY id"
ITEMS = """
    SELECT assignments.id, position, revision, response, generations.visible_text
    FROM assignments LEFT JOIN generations ON generations.id = assignments.response
    WHERE seat = ? ORDER BY position"""
PAIRS = """
    SELECT id, position, scenario, left_revision, right_revision FROM pair_assignments
    WHERE seat = ? ORDER BY position"""
# The revisions on a round's lists, with everything that they are.
SHOWN = """
    SELECT revisions.id, item, scenario, condition, facts, number, text, options, gold,
      parameters FROM revisions JOIN items ON items.id = revisions.item
    JOIN scenarios ON scenarios.id = items.scenario
    WHERE revisions.id IN (
      SELECT revision FROM assignments JOIN seats ON seats.id = assignments.seat
        WHERE seats.round = ?1
      UNION SELECT left_revision FROM pair_assignments
        JOIN seats ON seats.id = pair_assignments.seat WHERE seats.round = ?1
      UNION SELECT right_revision FROM pair_assignments
        JOIN seats ON seats.id = pair_assignments.seat WHERE seats.round = ?1)
    ORDER BY revisions.id"""
SAMPLE = "SELECT hash FROM gradings WHERE round = ?"


def plan_digest(db: Database, campaign: Round, texts: Mapping[str, str]) -> str:
    """Return the digest over a plan as it stands in the file.

    Ratings name assignments and assignments name revisions by their ids, so ids are part of it. A
    response is part of it with its text, and a grading round with its sample.
    """
    sample = row(db, SAMPLE, [campaign.id])
    plan: dict[str, Any] = {
        "source": campaign.source,
        "design": campaign.design,
        "ratings": campaign.ratings,
        "seed": campaign.seed,
        "pair": campaign.pair,
        "on_replace": campaign.on_replace,
        "idle_limit": campaign.idle_limit,
        "texts": {name: digest(text) for name, text in texts.items()},
        "shown": list(rows(db, SHOWN, [campaign.id])),
        "seats": [
            {
                **seat,
                "items": [_item(entry) for entry in rows(db, ITEMS, [seat["id"]])],
                "pairs": [list(entry.values()) for entry in rows(db, PAIRS, [seat["id"]])],
            }
            for seat in list(rows(db, SEATS, [campaign.id]))
        ],
        **({"sample": sample["hash"]} if sample else {}),
    }
    return digest_of(plan)


def _item(entry: Row) -> list[Any]:
    item = [entry["id"], entry["position"], entry["revision"]]
    if entry["response"] is not None:
        item += [entry["response"], digest(entry["visible_text"] or "")]
    return item
