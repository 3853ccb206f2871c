"""Rounds with their seats and assignments."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from sqlite_utils import Database

from core.clock import now
from core.errors import CheckFailed, InputError, NotFound, Refused
from core.forms import form_from_json, form_to_json
from core.hashing import canonical, digest_of
from core.plans import AuditorSeat, RaterSeat, RoundPlan
from core.rules import rule_from_json, rule_to_json
from core.study import (
    Assignment,
    PairAssignment,
    Role,
    Round,
    Seat,
    SeatProgress,
    Source,
)
from db.connection import immediate
from db.decisions import DecisionStore
from db.gradings import GradingStore
from db.ledger import Ledger
from db.plan_seal import plan_digest
from db.rows import Row, insert, row, rows
from db.seals import SealStore

LONGEST_NAME = 100  # characters; a name stands in every table and on every page

ROUNDS = (
    "SELECT rounds.*, EXISTS (SELECT 1 FROM gradings WHERE round = rounds.id) AS grading "
    "FROM rounds"
)

# The ledger's entry with the plan that a round was opened on.
OPENING: dict[Source, str] = {"collected": "preregistration", "imported": "plan of an import"}


class RoundStore:
    """Planning, opening and closing; a plan is never edited."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def plan(self, plan: RoundPlan) -> Round:
        """Store a plan in one transaction.

        Raises
        ------
        InputError
            When the name is taken, or cannot be typed.
        Refused
            When the study file finds a seat that would break the design.
        """
        if not plan.name.strip() or not plan.name.isprintable():
            raise InputError(f"{plan.name!r} is no name for a round")
        if len(plan.name) > LONGEST_NAME:
            raise InputError(f"a round's name has at most {LONGEST_NAME} characters")
        with immediate(self._db):
            if row(self._db, "SELECT id FROM rounds WHERE name = ?", [plan.name]):
                raise InputError(f"there is a round {plan.name!r} already; choose another name")
            number = insert(
                self._db,
                "rounds",
                name=plan.name,
                kind=plan.kind,
                source=plan.source,
                design=plan.design,
                ratings=plan.ratings,
                seed=plan.seed,
                form=canonical(form_to_json(plan.form)),
                rule=canonical(rule_to_json(plan.rule)),
                pair=canonical(list(plan.pair)),
                on_replace=plan.on_replace,
                idle_limit=plan.idle_limit,
                created_at=now(),
            )
            if plan.grading is not None:
                GradingStore(self._db).add(number, plan.name, plan.grading)
            for name, content in plan.texts.items():
                insert(self._db, "round_texts", round=number, name=name, content=content)
            for rater in plan.raters:
                self._add_rater(number, rater)
            for auditor in plan.auditors:
                self._add_auditor(number, auditor)
        return self.named(plan.name)

    def _add_rater(self, round_id: int, rater: RaterSeat) -> None:
        seat = insert(
            self._db, "seats", round=round_id, role="rater", number=rater.number, list=rater.list
        )
        positions = rater.positions or range(1, len(rater.revisions) + 1)
        responses = rater.responses or (None,) * len(rater.revisions)
        for position, revision, response in zip(positions, rater.revisions, responses, strict=True):
            shown = {"revision": revision, "response": response}
            insert(self._db, "assignments", seat=seat, position=position, **shown)

    def _add_auditor(self, round_id: int, auditor: AuditorSeat) -> None:
        seat = insert(
            self._db, "seats", round=round_id, role="auditor", number=auditor.number, list=0
        )
        positions = auditor.positions or range(1, len(auditor.pairs) + 1)
        for position, pair in zip(positions, auditor.pairs, strict=True):
            insert(
                self._db,
                "pair_assignments",
                seat=seat,
                position=position,
                scenario=pair.scenario,
                left_revision=pair.left,
                right_revision=pair.right,
            )

    def open(self, round_id: int, preregistration: str | None = None) -> Round:
        """Open a round, after writing its rule and plan, hashed, into the ledger.

        The entry is a minimal preregistration: it stands in the chain before any rating. Imported
        ratings were there before, so theirs is not called one. `preregistration` is the hash of
        the study's plan that the round conforms to; without it the round is exploratory.
        """
        with immediate(self._db):
            found = self.round(round_id)
            if found.state != "planned":
                raise Refused(f"round {found.name} is {found.state} already")
            at = now()
            Ledger(self._db).append(
                OPENING[found.source],
                {
                    "round": found.name,
                    "kind": found.kind,
                    "rule": rule_to_json(found.rule),
                    "rule_hash": digest_of(rule_to_json(found.rule)),
                    "form_hash": digest_of(form_to_json(found.form)),
                    "plan_hash": self.plan_hash(round_id),
                    "preregistration": preregistration,
                    "exploratory": preregistration is None,
                },
                at,
            )
            insert(
                self._db,
                "round_standings",
                round=round_id,
                preregistration=preregistration,
                created_at=at,
            )
            self._db.execute("UPDATE rounds SET opened_at = ? WHERE id = ?", [at, round_id])
            Ledger(self._db).append("round opened", {"round": found.name}, at)
        return self.round(round_id)

    def close(self, round_id: int, *, incomplete: bool = True) -> Round:
        """Close a round: its ratings and audits can no longer change, and are digested.

        Raises
        ------
        Refused
            When it is not open, or, unless `incomplete`, when somebody has something left to do.
        """
        with immediate(self._db):
            found = self.round(round_id)
            if found.state != "open":
                raise Refused(f"round {found.name} is {found.state}, not open")
            if not incomplete:
                self._require_complete(found)
            at, seals = now(), SealStore(self._db)
            self._db.execute("UPDATE rounds SET closed_at = ? WHERE id = ?", [at, round_id])
            payload = {
                "round": found.name,
                "evidence": DecisionStore(self._db).evidence_digest(round_id),
                "people": seals.people(round_id),
                "said": seals.said(round_id),
            }
            Ledger(self._db).append("round closed", payload, at)
        return self.round(round_id)

    def _require_complete(self, campaign: Round) -> None:
        progress = self.progress(campaign.id)
        done, total = sum(p.done for p in progress), sum(p.total for p in progress)
        if done < total:
            raise Refused(
                f"round {campaign.name} has {done} of {total} answers, and closing cannot be "
                "undone; close it as it is with --incomplete"
            )

    def plan_hash(self, round_id: int) -> str:
        """Return the digest over a round's plan; see :func:`db.plan_seal.plan_digest`."""
        return plan_digest(self._db, self.round(round_id), self.texts(round_id))

    def texts(self, round_id: int) -> dict[str, str]:
        """Return what a round says beside its items, by file name."""
        sql = "SELECT name, content FROM round_texts WHERE round = ? ORDER BY name"
        return {entry["name"]: entry["content"] for entry in rows(self._db, sql, [round_id])}

    def round(self, round_id: int) -> Round:
        """Return one round by id."""
        found = row(self._db, f"{ROUNDS} WHERE id = ?", [round_id])
        if found is None:
            raise NotFound(f"there is no round {round_id}")
        return _round(found)

    def named(self, name: str) -> Round:
        """Return one round by its name, as people type it."""
        if found := self.find(name):
            return found
        known = ", ".join(entry.name for entry in self.all()) or "none yet"
        raise NotFound(f"there is no round {name!r}; rounds are: {known}")

    def find(self, name: str) -> Round | None:
        """Return the round of a name, if there is one."""
        found = row(self._db, f"{ROUNDS} WHERE name = ?", [name])
        return _round(found) if found else None

    def all(self) -> tuple[Round, ...]:
        """Return all rounds, oldest first."""
        return tuple(_round(entry) for entry in rows(self._db, f"{ROUNDS} ORDER BY id"))

    def seat(self, seat: int) -> Seat:
        """Return one seat by id."""
        found = row(self._db, "SELECT * FROM seats WHERE id = ?", [seat])
        if found is None:
            raise NotFound(f"there is no seat {seat}")
        return _seat(found)

    def seats(self, round_id: int, role: Role | None = None) -> tuple[Seat, ...]:
        """Return the seats of a round, raters before auditors."""
        sql = (
            "SELECT * FROM seats WHERE round = ?1 AND (?2 IS NULL OR role = ?2) "
            "ORDER BY role DESC, number"
        )
        return tuple(_seat(entry) for entry in rows(self._db, sql, [round_id, role]))

    def assignments(self, seat: int) -> tuple[Assignment, ...]:
        """Return a rater's list, in order."""
        sql = "SELECT * FROM assignments WHERE seat = ? ORDER BY position"
        return tuple(
            Assignment(e["id"], e["seat"], e["position"], e["revision"], e["response"])
            for e in rows(self._db, sql, [seat])
        )

    def pair_assignments(self, seat: int) -> tuple[PairAssignment, ...]:
        """Return an auditor's list, in order."""
        sql = "SELECT * FROM pair_assignments WHERE seat = ? ORDER BY position"
        return tuple(
            PairAssignment(
                id=e["id"],
                seat=e["seat"],
                position=e["position"],
                scenario=e["scenario"],
                left_revision=e["left_revision"],
                right_revision=e["right_revision"],
            )
            for e in rows(self._db, sql, [seat])
        )

    def progress(self, round_id: int) -> tuple[SeatProgress, ...]:
        """Return who sits where and how far they have come, seat by seat."""
        sql = """
            SELECT seats.*, people.pseudonym AS person,
              (SELECT count(*) FROM assignments WHERE seat = seats.id)
                + (SELECT count(*) FROM pair_assignments WHERE seat = seats.id) AS total,
              (SELECT count(*) FROM ratings JOIN assignments ON assignments.id = ratings.assignment
                WHERE assignments.seat = seats.id AND ratings.void IS NULL)
                + (SELECT count(*) FROM pair_audits JOIN pair_assignments
                   ON pair_assignments.id = pair_audits.pair
                   WHERE pair_assignments.seat = seats.id AND pair_audits.void IS NULL) AS done
            FROM seats
            LEFT JOIN occupancies ON occupancies.seat = seats.id AND occupancies.until IS NULL
            LEFT JOIN people ON people.id = occupancies.person
            WHERE seats.round = ? ORDER BY seats.role DESC, seats.number"""
        return tuple(
            SeatProgress(_seat(e), e["person"], e["done"], e["total"])
            for e in rows(self._db, sql, [round_id])
        )


def _round(entry: Row) -> Round:
    try:
        return _read(entry)
    except (KeyError, TypeError, ValueError, InputError) as error:
        name = entry["name"]
        raise CheckFailed(f"round {name} was tampered with and cannot be read: {error}") from error


def _read(entry: Row) -> Round:
    first, second = json.loads(entry["pair"])
    rule: Mapping[str, object] = json.loads(entry["rule"])
    return Round(
        id=entry["id"],
        name=entry["name"],
        kind=entry["kind"],
        design=entry["design"],
        ratings=entry["ratings"],
        seed=entry["seed"],
        form=form_from_json(json.loads(entry["form"])),
        rule=rule_from_json(rule),
        pair=(first, second),
        created_at=entry["created_at"],
        opened_at=entry["opened_at"],
        closed_at=entry["closed_at"],
        source=entry["source"],
        on_replace=entry["on_replace"],
        idle_limit=entry["idle_limit"],
        grading=bool(entry["grading"]),
    )


def _seat(entry: Row) -> Seat:
    return Seat(entry["id"], entry["round"], entry["role"], entry["number"], entry["list"])


def unused_seats(progress: Sequence[SeatProgress]) -> tuple[Seat, ...]:
    """Return the seats that nobody has taken."""
    return tuple(entry.seat for entry in progress if entry.person is None)
