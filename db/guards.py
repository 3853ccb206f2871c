"""Triggers that make the file itself refuse, whatever program opens it.

They do not depend on the settings of the connection: ``INSERT OR REPLACE`` deletes without firing
delete triggers unless ``recursive_triggers`` is on, so a second row with a taken key is refused
before the insert. ``BEFORE UPDATE`` names no column, because ``UPDATE OF id`` would let
``SET rowid =`` slip past.
"""

from __future__ import annotations

# Every unique key of each table; a REPLACE could come in through any of them.
KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "study": (("id",),),
    "scenarios": (("id",),),
    "items": (("id",), ("scenario", "condition")),
    "revisions": (("id",), ("item", "number")),
    "rounds": (("id",), ("name",)),
    "seats": (("id",), ("round", "role", "number")),
    "people": (("id",), ("pseudonym",)),
    "occupancies": (("id",), ("seat",)),
    "access_codes": (("id",), ("handle",)),
    "assignments": (("id",), ("seat", "position"), ("seat", "revision")),
    "pair_assignments": (("id",), ("seat", "position"), ("seat", "scenario")),
    "ratings": (("id",), ("assignment",)),
    "rating_history": (("id",),),
    "pair_audits": (("id",), ("pair",)),
    "pair_audit_history": (("id",),),
    "decisions": (("id",), ("round", "scenario")),
    "ledger": (("sequence",), ("hash",)),
    "waves": (("id",), ("number",), ("hash",)),
    "wave_items": (("id",), ("item",), ("revision",)),
    "runs": (("id",), ("hash",)),
    "bodies": (("id",),),
    "generations": (
        ("id",),
        ("run", "wave_item", "prompt_hash", "intervention", "sample"),
    ),
    "scores": (("id",), ("generation", "verifier", "version")),
}

# Their own triggers say what may change, and when.
CHANGEABLE = {"rounds", "access_codes", "ratings", "pair_audits", "runs", "generations"}


def guards(table: str) -> tuple[str, ...]:
    """Return the statements that make a table's rows permanent."""
    taken = " OR ".join(f"EXISTS (SELECT 1 FROM {table} WHERE {_same(key)})" for key in KEYS[table])
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
    return tuple(statements)


def _same(key: tuple[str, ...]) -> str:
    return " AND ".join(f"{column} = NEW.{column}" for column in key)
