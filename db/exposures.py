"""What the people of a round have met before: carry-over between rounds."""

from __future__ import annotations

from dataclasses import dataclass

from sqlite_utils import Database

from db.rows import rows

EARLIER = """
    SELECT people.pseudonym, items.scenario, earlier.name AS round, max(EXISTS (
      SELECT 1 FROM assignments AS other JOIN seats AS now ON now.id = other.seat
      JOIN revisions AS shown ON shown.id = other.revision
      WHERE now.round = ?1 AND shown.item = old_item.id
        AND shown.id <> old_revision.id)) AS rewritten
    FROM occupancies
    JOIN seats ON seats.id = occupancies.seat
    JOIN people ON people.id = occupancies.person
    JOIN assignments ON assignments.seat = seats.id
    JOIN revisions ON revisions.id = assignments.revision
    JOIN items ON items.id = revisions.item
    JOIN ratings ON ratings.person = people.id
    JOIN assignments AS before ON before.id = ratings.assignment
    JOIN seats AS old_seat ON old_seat.id = before.seat
    JOIN rounds AS earlier ON earlier.id = old_seat.round
    JOIN revisions AS old_revision ON old_revision.id = before.revision
    JOIN items AS old_item ON old_item.id = old_revision.item
    JOIN rounds AS this ON this.id = seats.round
    WHERE seats.round = ?1 AND assignments.response IS NULL AND before.response IS NULL
      AND earlier.id <> this.id AND earlier.kind <> 'practice'
      AND (this.opened_at IS NULL OR (earlier.opened_at, earlier.id) < (this.opened_at, this.id))
      AND old_item.scenario = items.scenario AND people.withdrawn IS NULL
    GROUP BY people.pseudonym, items.scenario, earlier.name
    ORDER BY people.pseudonym, items.scenario, earlier.id"""


@dataclass(frozen=True, slots=True)
class Exposure:
    """A person of a round who rated the same scenario in an earlier one.

    `rewritten` says whether what they rated then has another text now.
    """

    person: str
    scenario: str
    round: str
    rewritten: bool


class ExposureStore:
    """Who met what before."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def of_round(self, round_id: int) -> tuple[Exposure, ...]:
        """Return every earlier meeting of a round's people with its scenarios; practice apart."""
        return tuple(
            Exposure(
                entry["pseudonym"], entry["scenario"], entry["round"], bool(entry["rewritten"])
            )
            for entry in rows(self._db, EARLIER, [round_id])
        )
