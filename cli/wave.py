"""``wavelock wave``: freeze, list and verify."""

from __future__ import annotations

import json
from pathlib import Path

import click

from cli.diagnostics import say
from cli.output import listing, show
from core.errors import CheckFailed
from core.tables import Column, Table
from core.words import counted
from db.file import open_study
from suites.registry import load


@click.group("wave")
def command() -> None:
    """Freeze included items in hashed waves, and check that they still are what they were."""


@command.command("freeze")
@click.pass_obj
def freeze(path: Path) -> None:
    """Freeze every included scenario that is not frozen yet, as one wave."""
    from audit.freezing import freeze as freeze_wave

    with open_study(path) as study:
        wave = freeze_wave(study, load(study.info.suite))
        count = len(study.waves.items([wave.number]))
    click.echo(wave.hash)
    say(f"wave {wave.number} ({wave.kind}): {count} items frozen; publish the hash above")


@command.command("list")
@listing
@click.pass_obj
def list_waves(path: Path, form: str) -> None:
    """List the waves with their hashes."""
    with open_study(path) as study:
        rows = tuple(
            {
                "wave": wave.number,
                "kind": wave.kind,
                "items": len(study.waves.items([wave.number])),
                "frozen": wave.created_at,
                "hash": wave.hash,
            }
            for wave in study.waves.all()
        )
    columns = (
        Column("wave", "wave", "count"),
        Column("kind", "Kind"),
        Column("items", "items", "count"),
        Column("frozen", "Frozen"),
        Column("hash", "Hash"),
    )
    show([Table("waves", counted(len(rows), "wave"), columns, rows)], form)


@command.command("verify")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def verify(path: Path, *, as_json: bool) -> None:
    """Re-hash everything that is frozen; exit 1 and name item and field where it differs."""
    with open_study(path) as study:
        faults = study.waves.faults()
        items = len(study.waves.items())
    if as_json:
        found = [
            {"wave": f.wave, "item": f.item, "field": f.field, "frozen": f.frozen, "now": f.now}
            for f in faults
        ]
        click.echo(json.dumps({"ok": not faults, "items": items, "faults": found}, indent=2))
    else:
        for fault in faults:
            click.echo(str(fault))
    if faults:
        raise CheckFailed(
            f"{counted(len(faults), 'difference')} between what was frozen and what is there"
        )
    say(f"ok: {counted(items, 'frozen item')} checked, nothing was changed")
