"""``wavelock runs``: what was run, how far, what it lacks, and what was dropped."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.diagnostics import say
from cli.models import models_file
from cli.numbers import Whole
from cli.output import listing, show
from cli.watching import keep_showing
from core.batches import by_batch
from core.errors import CheckFailed
from core.runs import STATES
from core.tables import Cell, Column, Table
from core.words import counted
from db.file import StudyFile, open_study

if TYPE_CHECKING:
    from exports.fitting import Part

EVERY = 2.0  # seconds between two looks


@click.group("runs")
def command() -> None:
    """List, watch, check and drop the runs of the study."""


@command.command("list")
@listing
@click.pass_obj
def list_runs(path: Path, form: str) -> None:
    """List every run with what came back, state by state."""
    rows: list[dict[str, Cell]] = []
    with open_study(path) as study:
        for entry in study.runs.all():
            states = study.run_counts.states(entry.id)
            rows.append(
                {
                    "run": entry.id,
                    "model": entry.model,
                    "kind": f"{entry.kind}, by batch" if by_batch(entry) else entry.kind,
                    "generations": sum(states.values()),
                    **{state: states.get(state, 0) for state in STATES},
                    "withdrawn": study.run_counts.withdrawn(entry.id),
                    "closed": entry.closed_at or ("imported" if entry.imported else "open"),
                }
            )
    columns = (
        Column("run", "run", "count"),
        Column("model", "Model"),
        Column("kind", "Kind"),
        Column("generations", "generations", "count"),
        *(Column(state, state, "count") for state in STATES),
        Column("withdrawn", "on withdrawn items", "count"),
        Column("closed", "Closed"),
    )
    show([Table("runs", counted(len(rows), "run"), columns, tuple(rows))], form)


@command.command("status")
@click.option("--watch", is_flag=True, help="Keep showing it until Ctrl-C, those at work first.")
@listing
@click.pass_obj
def status(path: Path, watch: bool, form: str) -> None:
    """How far each run is, how fast and at what cost; from any terminal, while it goes on."""
    from evals.batches.tables import batches_table
    from evals.run_tables import for_people, status_table

    with open_study(path) as study:
        if watch:
            keep_showing(lambda: _look(study), EVERY, form)
        table = status_table(study)
        tables = [*for_people(table)] if form == "text" else [table]
        if form != "csv" and (opened := study.batches.open()):
            tables.append(batches_table(study, opened))
    show(tables, form)


def _look(study: StudyFile) -> list[Part]:
    """Return what is watched of the runs, those at work first."""
    from evals.batches.tables import batches_table
    from evals.run_tables import for_people, status_table, urgent_first
    from exports.fitting import Part

    far, *came = for_people(urgent_first(status_table(study)))
    opened = study.batches.open()
    batches = [Part(batches_table(study, opened), "batch", "batches")] if opened else []
    return [
        Part(far, "run"),
        *batches,
        *(Part(table, "run with others", "runs with others") for table in came),
    ]


@command.command("batches")
@listing
@click.pass_obj
def batches(path: Path, form: str) -> None:
    """List every batch: how it stands, what came of its requests, and when it expires."""
    from evals.batches.tables import batches_table

    with open_study(path) as study:
        show([batches_table(study)], form)


@command.command("cancel")
@click.argument("batch", type=Whole())
@models_file
@click.option("--key-env", help="The environment variable with the key; else of the models file.")
@click.option("--lost", metavar="REASON", help="It is gone at the provider: end it here alone.")
@click.pass_obj
def cancel(
    path: Path, batch: int, file: Path | None, key_env: str | None, lost: str | None
) -> None:
    """Cancel an open batch at its provider; what was done until then is collected by its run."""
    from evals.batches.cancelling import cancel as cancel_batch
    from evals.batches.cancelling import lose, spec_of
    from evals.batches.tables import standing_of
    from evals.model_file import model_path

    with open_study(path) as study:
        if lost is not None:
            found = lose(study, batch, lost)
        else:
            run = study.runs.run(study.batches.batch(batch).run)
            found = cancel_batch(study, batch, spec_of(run, model_path(file, os.environ), key_env))
    say(f"batch {batch}: {standing_of(found)}; its run's own command goes on")


@command.command("check")
@click.argument("run", type=Whole(), required=False)
@listing
@click.pass_obj
def check(path: Path, run: int | None, form: str) -> None:
    """Hold runs against what they must have; exit 1 when anything is missing, twice or failed."""
    from evals.run_tables import check as check_runs

    with open_study(path) as study:
        found = check_runs(study, run)
    show(found.tables if form != "csv" else found.tables[:1], form)
    if found.faults:
        more = f" (and {len(found.faults) - 1} more)" if len(found.faults) > 1 else ""
        raise CheckFailed(f"{found.faults[0]}{more}")
    say("every run has what it must have, and nothing twice")


@command.command("drop")
@click.argument("run", type=Whole())
@click.option("--reason", help="In words, for the ledger.")
@click.option("--by-rule", is_flag=True, help="By the rule that the run was started with.")
@click.pass_obj
def drop(path: Path, run: int, reason: str | None, by_rule: bool) -> None:
    """Drop a run: its generations stay, no table shows it, and the ledger says why."""
    from evals.dropping import drop as drop_run

    if (reason is None) is not by_rule:
        raise click.UsageError("give a --reason, or --by-rule, and not both")
    with open_study(path) as study:
        dropped = drop_run(study, run, reason)
    say(f"run {dropped.run} is dropped: {dropped.reason}")
