"""Triggers that make the file itself refuse, whatever program opens it.

They do not depend on the settings of the connection: ``INSERT OR REPLACE`` deletes without firing
delete triggers unless ``recursive_triggers`` is on, so a second row with a taken key is refused
before the insert. ``BEFORE UPDATE`` names no column, because ``UPDATE OF id`` would let
``SET rowid =`` slip past. Foreign keys are off unless asked for, and a row that refers to nothing
yet slips past every rule that looks at what it refers to, so it is refused here as well.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlite_utils.db import ForeignKey

# Every unique key of each table; a REPLACE could come in through any of them.
KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "study": (("id",),),
    "scenarios": (("id",),),
    "items": (("id",), ("scenario", "condition")),
    "revisions": (("id",), ("item", "number")),
    "rounds": (("id",), ("name",)),
    "round_texts": (("id",), ("round", "name")),
    "seats": (("id",), ("round", "role", "number")),
    "people": (("id",), ("pseudonym",)),
    "occupancies": (("id",), ("seat", "person")),
    "access_codes": (("id",), ("handle",)),
    "code_attempts": (("id",),),
    "code_attempt_origins": (("attempt",),),
    "sittings": (("id",), ("token",)),
    "assignments": (("id",), ("seat", "position"), ("seat", "response")),
    "pair_assignments": (("id",), ("seat", "position"), ("seat", "scenario")),
    "ratings": (("id",), ("assignment", "person")),
    "rating_history": (("id",),),
    "pair_audits": (("id",), ("pair", "person")),
    "pair_audit_history": (("id",),),
    "consents": (("id",), ("seat", "person")),
    "training_answers": (("id",), ("seat", "person", "turn", "name")),
    "check_answers": (("id",), ("seat", "person", "name")),
    "item_reports": (("id",),),
    "decisions": (("id",), ("round", "scenario")),
    "ledger": (("sequence",), ("hash",)),
    "waves": (("id",), ("number",), ("hash",)),
    "wave_items": (("id",), ("item",), ("revision",)),
    "wave_withdrawals": (("id",), ("wave_item",)),
    "runs": (("id",), ("hash",)),
    "bodies": (("id",),),
    "generations": (
        ("id",),
        ("run", "wave_item", "prompt_hash", "intervention", "sample"),
    ),
    "scores": (("id",), ("generation", "verifier", "version")),
    "packets": (("id",), ("name",)),
    "packet_items": (("id",), ("packet", "place"), ("packet", "assignment")),
    "packet_events": (("id",), ("seal",), ("history",)),
    "preregistrations": (("id",), ("hash",)),
    "amendments": (("id",), ("number",), ("hash",)),
    "round_standings": (("round",),),
    "gradings": (("round",), ("entry",)),
    "run_standings": (("run",),),
    "origins": (("revision",),),
    "exclusions": (("id",), ("scenario",), ("entry",)),
    "run_sessions": (("id",),),
    "leases": (("id",), ("run", "wave_item", "intervention", "sample")),
    "run_drops": (("id",), ("run",)),
    "model_sets": (("id",), ("name", "version")),
    "rubrics": (("id",), ("hash",), ("name", "version")),
    "judges": (("id",), ("hash",)),
    "judge_calls": (("id",),),
    "judgements": (("id",), ("judge", "generation", "sample", "attempt")),
    "choice_setups": (("id",), ("hash",)),
    "choice_calls": (("id",),),
    "choice_scores": (("id",), ("setup", "wave_item", "attempt")),
    "batches": (("id",), ("marker",)),
    "batch_requests": (("id",), ("batch", "place")),
    "batch_strays": (("id",), ("batch", "kind", "line")),
}

# Keys that hold among some rows only: those in which the last column is null.
PARTIAL: dict[str, tuple[tuple[str, ...], ...]] = {
    "assignments": (("seat", "revision", "response"),),
    "occupancies": (("seat", "until"),),
    "sittings": (("seat", "ended_at"),),
    "ratings": (("assignment", "void"),),
    "pair_audits": (("pair", "void"),),
}

# Their own triggers say what may change, and when.
CHANGEABLE = {
    "rounds", "people", "occupancies", "access_codes", "code_attempts", "sittings", "ratings",
    "rating_history", "pair_audits", "pair_audit_history", "training_answers",
    "check_answers", "item_reports", "runs", "generations", "run_sessions", "leases",
    "judge_calls", "choice_calls", "batches", "batch_requests",
}  # fmt: skip


def guards(table: str, references: Sequence[ForeignKey] = ()) -> tuple[str, ...]:
    """Return the statements that make a table's rows permanent, and whole from the beginning."""
    keys = [_same(key) for key in KEYS[table]]
    keys += [
        f"{_same(key)} AND {open_} IS NULL AND NEW.{open_} IS NULL"
        for *key, open_ in PARTIAL.get(table, ())
    ]
    taken = " OR ".join(f"EXISTS (SELECT 1 FROM {table} WHERE {key})" for key in keys)
    statements = [
        f"CREATE TRIGGER {table}_kept BEFORE DELETE ON {table} "
        f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are never deleted'); END",
        f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN {taken} "
        f"BEGIN SELECT RAISE(ABORT, 'that row of {table} exists already'); END",
    ]
    if table not in CHANGEABLE:
        statements.append(
            f"CREATE TRIGGER {table}_unchanged BEFORE UPDATE ON {table} "
            f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed'); END"
        )
    if references:
        orphan = " OR ".join(_refers_to_nothing(reference) for reference in references)
        statements.append(
            f"CREATE TRIGGER {table}_whole BEFORE INSERT ON {table} WHEN {orphan} "
            f"BEGIN SELECT RAISE(ABORT, 'that row of {table} refers to nothing'); END"
        )
    return tuple(statements)


def _same(key: Sequence[str]) -> str:
    return " AND ".join(f"{column} = NEW.{column}" for column in key)


def _refers_to_nothing(reference: ForeignKey) -> str:
    column, parent, key = reference.column, reference.other_table, reference.other_column
    return (
        f"(NEW.{column} IS NOT NULL AND "
        f"NOT EXISTS (SELECT 1 FROM {parent} WHERE {key} = NEW.{column}))"
    )
