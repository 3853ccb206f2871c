"""Decisions of the inclusion rule, with the digest of the evidence that they rest on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from sqlite_utils import Database

from core.clock import now
from core.errors import Refused
from core.hashing import canonical, digest_all, digest_of
from core.rules import Decision, Finding, rule_to_json
from core.study import Round
from db.audits import AuditStore
from db.connection import immediate
from db.ledger import Ledger
from db.ratings import RatingStore
from db.rows import insert, row, rows


class DecisionStore:
    """What was decided, round by round."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def commit(self, campaign: Round, decisions: Sequence[Decision]) -> str:
        """Record a round's decisions once, with a ledger entry; return the evidence digest.

        Raises
        ------
        Refused
            When the round has decisions already, or a scenario is undecided.
        """
        for decision in decisions:
            if decision.verdict == "undecided":
                raise Refused(f"{decision.scenario} is undecided: {decision.reasons[0]}")
        with immediate(self._db):
            if row(self._db, "SELECT 1 AS x FROM decisions WHERE round = ?", [campaign.id]):
                raise Refused(f"round {campaign.name} was decided already")
            evidence = self.evidence_digest(campaign.id)
            for decision in decisions:
                self._add(campaign.id, decision, evidence)
            counts: dict[str, int] = {}
            for decision in decisions:
                counts[decision.verdict] = counts.get(decision.verdict, 0) + 1
            Ledger(self._db).append(
                "decisions committed",
                {
                    "round": campaign.name,
                    "evidence": evidence,
                    "rule_hash": digest_of(rule_to_json(campaign.rule)),
                    "decisions": self.decisions_digest(campaign.id),
                    "counts": counts,
                },
            )
        return evidence

    def _add(self, round_id: int, decision: Decision, evidence: str) -> None:
        insert(
            self._db,
            "decisions",
            round=round_id,
            scenario=decision.scenario,
            verdict=decision.verdict,
            cue_eligible=decision.cue_eligible,
            findings=canonical([asdict(finding) for finding in decision.findings]),
            evidence=evidence,
            created_at=now(),
        )

    def of_round(self, round_id: int) -> tuple[Decision, ...]:
        """Return a round's committed decisions, by scenario."""
        found = rows(
            self._db, "SELECT * FROM decisions WHERE round = ? ORDER BY scenario", [round_id]
        )
        return tuple(
            Decision(
                e["scenario"],
                e["verdict"],
                bool(e["cue_eligible"]),
                tuple(Finding(**entry) for entry in json.loads(e["findings"])),
            )
            for e in found
        )

    def evidence_digest(self, round_id: int, before: int | None = None) -> str:
        """Return the digest over the salted hashes of a round's standing ratings and audits.

        With `before`, over what stood before that entry of the ledger: what a person who withdrew
        later had given is part of it.
        """
        ratings = RatingStore(self._db).hashes(round_id, before)
        audits = AuditStore(self._db).hashes(round_id, before)
        return digest_all([*ratings, *audits])

    def decisions_digest(self, round_id: int) -> str:
        """Return the digest over a round's decisions as they stand now."""
        sql = (
            "SELECT scenario, verdict, cue_eligible, findings, evidence, created_at "
            "FROM decisions WHERE round = ? ORDER BY scenario"
        )
        return digest_of(list(rows(self._db, sql, [round_id])))
