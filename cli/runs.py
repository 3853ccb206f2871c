"""``wavelock runs``: what was run, and how far."""

from __future__ import annotations

from pathlib import Path

import click

from cli.output import listing, show
from core.runs import STATES
from core.tables import Cell, Column, Table
from core.words import counted
from db.file import open_study


@click.group("runs")
def command() -> None:
    """List the runs of the study."""


@command.command("list")
@listing
@click.pass_obj
def list_runs(path: Path, form: str) -> None:
    """List every run with what came back, state by state."""
    rows: list[dict[str, Cell]] = []
    with open_study(path) as study:
        withdrawn = {item.id for item in study.waves.items() if item.withdrawn}
        for entry in study.runs.all():
            found = study.runs.generations(entry.id)
            rows.append(
                {
                    "run": entry.id,
                    "model": entry.model,
                    "kind": entry.kind,
                    "generations": len(found),
                    **{state: sum(g.state == state for g in found) for state in STATES},
                    "withdrawn": sum(g.wave_item in withdrawn for g in found),
                    "closed": entry.closed_at or "open",
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
