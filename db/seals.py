"""Digests that ledger entries carry, over facts that no other hash covers.

They are taken when a thing is finished and taken again when the ledger is verified. Nothing here is
a hash of a few possible answers alone: it could be searched through after an erasure. Where people
spoke, the salts of their ratings and audits are part of the digest, and those go when they are
erased.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlite_utils import Database

from core.hashing import digest_of
from db.rows import Row, row, rows

SEATED = """
    SELECT people.id, people.pseudonym, people.kind, people.created_at, people.erased,
      occupancies.seat, occupancies.since
    FROM occupancies JOIN people ON people.id = occupancies.person
    JOIN seats ON seats.id = occupancies.seat
    WHERE seats.round = ? ORDER BY occupancies.since, people.pseudonym"""

CONSENTED = """
    SELECT people.pseudonym, consents.* FROM consents JOIN people ON people.id = consents.person
    JOIN seats ON seats.id = consents.seat WHERE seats.round = ? ORDER BY consents.id"""

# What each person said in a round beside their last answers. The first two have the salts.
SAID: Mapping[str, str] = {
    "ratings": """
        SELECT ratings.person, ratings.id, ratings.salt FROM ratings
        JOIN assignments ON assignments.id = ratings.assignment
        JOIN seats ON seats.id = assignments.seat WHERE seats.round = ? ORDER BY ratings.id""",
    "audits": """
        SELECT pair_audits.person, pair_audits.id, pair_audits.salt FROM pair_audits
        JOIN pair_assignments ON pair_assignments.id = pair_audits.pair
        JOIN seats ON seats.id = pair_assignments.seat WHERE seats.round = ?
        ORDER BY pair_audits.id""",
    "rating_history": """
        SELECT ratings.person, rating_history.* FROM rating_history
        JOIN ratings ON ratings.id = rating_history.rating
        JOIN assignments ON assignments.id = ratings.assignment
        JOIN seats ON seats.id = assignments.seat WHERE seats.round = ?
        ORDER BY rating_history.id""",
    "pair_audit_history": """
        SELECT pair_audits.person, pair_audit_history.* FROM pair_audit_history
        JOIN pair_audits ON pair_audits.id = pair_audit_history.audit
        JOIN pair_assignments ON pair_assignments.id = pair_audits.pair
        JOIN seats ON seats.id = pair_assignments.seat WHERE seats.round = ?
        ORDER BY pair_audit_history.id""",
    "training_answers": """
        SELECT training_answers.* FROM training_answers
        JOIN seats ON seats.id = training_answers.seat
        WHERE seats.round = ? ORDER BY training_answers.id""",
    "check_answers": """
        SELECT check_answers.* FROM check_answers JOIN seats ON seats.id = check_answers.seat
        WHERE seats.round = ? ORDER BY check_answers.id""",
    "item_reports": """
        SELECT item_reports.* FROM item_reports
        JOIN assignments ON assignments.id = item_reports.assignment
        JOIN seats ON seats.id = assignments.seat
        WHERE seats.round = ? ORDER BY item_reports.id""",
}


# Of whom something is left that an erasure takes; see ERASURES in db/withdrawals.py.
LEFT = """
    SELECT pseudonym FROM people WHERE erased IS NOT NULL AND id IN (
      SELECT person FROM ratings WHERE (answers, comment, seconds, salt) IS NOT ('{}', '', 0.0, '')
      UNION SELECT ratings.person FROM rating_history
        JOIN ratings ON ratings.id = rating_history.rating
        WHERE (rating_history.answers, rating_history.comment) IS NOT ('{}', '')
      UNION SELECT person FROM pair_audits
        WHERE (only_intended, note, differences, salt) IS NOT (NULL, '', 0, '')
      UNION SELECT pair_audits.person FROM pair_audit_history
        JOIN pair_audits ON pair_audits.id = pair_audit_history.audit
        WHERE (pair_audit_history.only_intended, pair_audit_history.note,
               pair_audit_history.differences) IS NOT (NULL, '', 0)
      UNION SELECT person FROM training_answers WHERE (answer, correct) IS NOT ('', 0)
      UNION SELECT person FROM check_answers WHERE (answer, correct) IS NOT ('', 0)
      UNION SELECT person FROM item_reports WHERE text <> '')
    ORDER BY pseudonym"""


class SealStore:
    """Taking digests, of what stands in the file now."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def creation(self) -> dict[str, Any]:
        """Return what the entry of the study's creation says of the study itself."""
        study = row(self._db, "SELECT * FROM study") or {}
        return {
            "title": study.get("title"),
            "suite": study.get("suite"),
            "salt": digest_of(study.get("salt")),
            "secret": digest_of(study.get("secret")),
            "created_at": study.get("created_at"),
            "version": study.get("version"),
        }

    def people(self, round_id: int) -> dict[str, str]:
        """Return, by pseudonym, the digest over who a person is, where they sat and consented.

        Nothing of it is erased when they are.
        """
        found: dict[str, list[Row]] = {}
        for sql in (SEATED, CONSENTED):
            for entry in rows(self._db, sql, [round_id]):
                lasting = {key: value for key, value in entry.items() if key != "erased"}
                found.setdefault(entry["pseudonym"], []).append(lasting)
        return {pseudonym: digest_of(facts) for pseudonym, facts in found.items()}

    def said(self, round_id: int) -> dict[str, str]:
        """Return, by pseudonym, the digest over everything that a person said in a round.

        Of a person who rated and audited nothing there is none, because there is no salt, and of an
        erased one there is none any more.
        """
        people = {e["id"]: e for e in rows(self._db, SEATED, [round_id])}
        said: dict[int, dict[str, list[Row]]] = {number: {} for number in people}
        for table, sql in SAID.items():
            for entry in rows(self._db, sql, [round_id]):
                said.setdefault(entry["person"], {}).setdefault(table, []).append(entry)
        return {
            people[number]["pseudonym"]: digest_of(mine)
            for number, mine in said.items()
            if number in people and people[number]["erased"] is None
            if "ratings" in mine or "audits" in mine
        }

    def left_of_erased(self) -> tuple[str, ...]:
        """Return the people of whom something is there although they were erased."""
        return tuple(entry["pseudonym"] for entry in rows(self._db, LEFT))
