"""Batches as a table: for ``runs status`` and ``runs batches``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from core.batches import Batch, Outcome
from core.clock import now
from core.tables import Cell, Column, Table
from core.words import counted
from db.file import StudyFile

COLUMNS = (
    Column("batch", "batch", "count"),
    Column("run", "run", "count"),
    Column("model", "Model"),
    Column("is", "Is"),
    Column("requests", "requests", "count"),
    Column("done", "done", "count"),
    Column("failed", "failed", "count"),
    Column("expired", "expired", "count"),
    Column("lost", "lost", "count"),
    Column("age", "Age"),
    Column("expires", "Expires"),
    Column("remote", "At the provider"),
)
NOTE = (
    "Done, failed: of an open batch as the provider said when it was looked at last. Expired: also "
    "cancelled before it was asked. Lost: no line, or results that are gone."
)
FAILED: tuple[Outcome, ...] = ("errored", "unasked", "withdrawn")
EXPIRED: tuple[Outcome, ...] = ("expired", "cancelled")
LOST: tuple[Outcome, ...] = ("missing", "lost")
DONE: tuple[Outcome, ...] = ("answered", "held")


def batches_table(study: StudyFile, batches: Sequence[Batch] | None = None) -> Table:
    """Return one row per batch: how it stands, and what came of its requests."""
    shown = study.batches.all() if batches is None else batches
    models = {run.id: run.model for run in study.runs.all()}
    rows = tuple(_row(study, batch, models[batch.run]) for batch in shown)
    return Table("batches", counted(len(rows), "batch", "batches"), COLUMNS, rows, (NOTE,))


def _row(study: StudyFile, batch: Batch, model: str) -> dict[str, Cell]:
    outcomes = study.batches.outcomes(batch.id)

    def of(names: tuple[Outcome, ...]) -> int:
        return sum(outcomes.get(name, 0) for name in names)

    under_way = batch.ended is None and not outcomes
    return {
        "batch": batch.id,
        "run": batch.run,
        "model": model,
        "is": standing_of(batch),
        "requests": batch.requests,
        "done": batch.done if under_way else of(DONE),
        "failed": batch.failed if under_way else of(FAILED),
        "expired": of(EXPIRED),
        "lost": of(LOST),
        "age": "" if batch.ended else _since(batch.prepared_at),
        "expires": "" if batch.ended else batch.expires_at or "",
        "remote": batch.remote,
    }


def standing_of(batch: Batch) -> str:
    """Return how a batch stands in a word or two: how it ended, or what the provider calls it."""
    if batch.ended is not None:
        return batch.ended
    if batch.remote:
        return batch.status or "submitted"
    return "prepared" if batch.tried_at is None else "not known"


def _since(at: str) -> str:
    passed = datetime.fromisoformat(now()) - datetime.fromisoformat(at)
    return str(timedelta(seconds=max(0, round(passed.total_seconds()))))
