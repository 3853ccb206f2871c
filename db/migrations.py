"""The schema as an append-only list of steps; a released step is never edited."""

from __future__ import annotations

from importlib import resources

from sqlite_utils import Database, Migrations

from db.guards import guards

migrations = Migrations("wavelock")


def _run(db: Database, script: str, tables: tuple[str, ...]) -> None:
    text = (resources.files("db") / "sql" / script).read_text("utf-8")
    created, mark, triggers = text.partition("CREATE TRIGGER")
    # Inside the migration's transaction, executescript runs statement by statement.
    db.executescript(created)
    for table in tables:
        for statement in guards(table, db.table(table).foreign_keys):
            db.execute(statement)
    # The script's own triggers come last, because SQLite asks the newest first, and theirs is the
    # better sentence where a general guard would refuse as well.
    db.executescript(mark + triggers)


@migrations(name="0001_items")
def m0001_items(db: Database) -> None:
    """Create scenarios, items and revisions."""
    _run(db, "0001_items.sql", ("study", "scenarios", "items", "revisions"))


@migrations(name="0002_rounds")
def m0002_rounds(db: Database) -> None:
    """Create rounds, seats, people and assignments."""
    tables = (
        "rounds", "round_texts", "seats", "people", "occupancies", "access_codes",
        "code_attempts", "sittings", "assignments", "pair_assignments",
    )  # fmt: skip
    _run(db, "0002_rounds.sql", tables)


@migrations(name="0003_evidence")
def m0003_evidence(db: Database) -> None:
    """Create ratings, audits and decisions."""
    tables = (
        "ratings", "rating_history", "pair_audits", "pair_audit_history", "consents",
        "training_answers", "check_answers", "item_reports", "decisions",
    )  # fmt: skip
    _run(db, "0003_evidence.sql", tables)


@migrations(name="0004_waves")
def m0004_waves(db: Database) -> None:
    """Create the ledger and the waves."""
    _run(db, "0004_waves.sql", ("ledger", "waves", "wave_items"))


@migrations(name="0005_runs")
def m0005_runs(db: Database) -> None:
    """Create runs, generations and scores."""
    _run(db, "0005_runs.sql", ("runs", "bodies", "generations", "scores"))


@migrations(name="0006_preregistration")
def m0006_preregistration(db: Database) -> None:
    """Create the preregistration, its amendments, and what rounds and runs stand on."""
    tables = ("preregistrations", "amendments", "round_standings", "run_standings")
    _run(db, "0006_preregistration.sql", tables)


@migrations(name="0007_drafts")
def m0007_drafts(db: Database) -> None:
    """Create where texts came from, and the scenarios that were given up."""
    _run(db, "0007_drafts.sql", ("origins", "exclusions"))


@migrations(name="0008_withdrawals")
def m0008_withdrawals(db: Database) -> None:
    """Create the withdrawals of frozen items."""
    _run(db, "0008_withdrawals.sql", ("wave_withdrawals",))


@migrations(name="0009_doors")
def m0009_doors(db: Database) -> None:
    """Create the origins of attempts at a code."""
    _run(db, "0009_doors.sql", ("code_attempt_origins",))


@migrations(name="0010_packets")
def m0010_packets(db: Database) -> None:
    """Create the packets that were handed out, and what came back of them."""
    _run(db, "0010_packets.sql", ("packets", "packet_items", "packet_events"))


@migrations(name="0011_run_sessions")
def m0011_run_sessions(db: Database) -> None:
    """Create the sessions, leases and drops of runs; count attempts and tokens."""
    _run(db, "0011_run_sessions.sql", ("run_sessions", "leases", "run_drops"))


@migrations(name="0012_graded_scores")
def m0012_graded_scores(db: Database) -> None:
    """Let a score say how far a reply complies, from 0 to 1; adding a column keeps the triggers."""
    db.execute("ALTER TABLE scores ADD COLUMN score REAL CHECK (score BETWEEN 0 AND 1)")


@migrations(name="0013_sets")
def m0013_sets(db: Database) -> None:
    """Create the declared sets of models."""
    _run(db, "0013_sets.sql", ("model_sets",))


@migrations(name="0014_judgements")
def m0014_judgements(db: Database) -> None:
    """Create rubrics, judges, their calls, and what they said."""
    _run(db, "0014_judgements.sql", ("rubrics", "judges", "judge_calls", "judgements"))


@migrations(name="0015_gradings")
def m0015_gradings(db: Database) -> None:
    """Create grading rounds; assignments are made anew, with a place for a response.

    Foreign keys are asked about when the step is committed, so that whatever refers to an
    assignment must find it again under its number, or nothing is changed.
    """
    db.execute("PRAGMA defer_foreign_keys = ON")
    _run(db, "0015_gradings.sql", ("assignments", "gradings"))


@migrations(name="0016_choices")
def m0016_choices(db: Database) -> None:
    """Create the setups that give choice probabilities, their calls, and what they gave."""
    _run(db, "0016_choices.sql", ("choice_setups", "choice_calls", "choice_scores"))


@migrations(name="0018_batches")
def m0018_batches(db: Database) -> None:
    """Create batches, their requests, and the lines that are nobody's answer."""
    _run(db, "0018_batches.sql", ("batches", "batch_requests", "batch_strays"))
