"""``wavelock wave``: freeze, list, show, verify and withdraw."""

from __future__ import annotations

import json
from pathlib import Path

import click

from cli.diagnostics import say
from cli.numbers import Whole
from cli.output import listing, show
from core.errors import CheckFailed, NotFound
from core.hashing import canonical
from core.tables import Cell, Column, Table
from core.words import counted
from db.file import open_study
from suites.registry import load


@click.group("wave")
def command() -> None:
    """Freeze included items in hashed waves, and check that they still are what they were."""


@command.command("freeze")
@click.option("--round", "rounds", multiple=True, help="Only what this round decided; repeatable.")
@click.option("--declared", is_flag=True, help="All drafts, for a suite that people do not rate.")
@click.option("--despite-breaches", "despite", metavar="REASON", default="",
              help="Why items that break construction rules are frozen all the same.")  # fmt: skip
@click.pass_obj
def freeze(path: Path, rounds: tuple[str, ...], despite: str, *, declared: bool) -> None:
    """Freeze every included scenario that is not frozen yet, as one wave.

    With --declared every drafted scenario, on nobody's word but the drafters'; whatever rests on
    such a wave is titled "not human-validated". What breaks the construction rules (wavelock items
    check) is not frozen, unless a reason is given; it is logged and is part of the wave.
    """
    from audit.breaches import RulesBroken
    from audit.freezing import freeze as freeze_wave
    from audit.freezing import freeze_declared
    from audit.revising import all_faults
    from evals.verifiers.catalogue import faults

    if declared and rounds:
        raise click.UsageError("--declared rests on no round; leave --round out")
    with open_study(path) as study:
        suite = load(study.info.suite)
        try:
            if declared:
                wave = freeze_declared(study, suite, faults, rules=all_faults, despite=despite)
            else:
                wave = freeze_wave(study, suite, rounds, faults, rules=all_faults, despite=despite)
        except RulesBroken as error:
            for breach in error.breaches:
                say(str(breach))
            raise
        count = len(study.waves.items([wave.number]))
        surveyed = sum(r.condition in suite.surveyed for r in study.items.latest())
    click.echo(wave.hash)
    say(f"wave {wave.number} ({wave.label}): {count} items frozen; publish the hash above")
    if broken := wave.header.get("breaches"):
        breaches = counted(len(broken["found"]), "breach", "breaches")
        say(f"in spite of {breaches} of the construction rules: {broken['reason']}")
    elif despite:
        say("every construction rule holds, so no reason was logged")
    if declared and surveyed:
        say(f"{counted(surveyed, 'item')} that people rate for their own sake stay unfrozen")


@command.command("list")
@listing
@click.pass_obj
def list_waves(path: Path, form: str) -> None:
    """List the waves with their hashes."""
    with open_study(path) as study:
        rows: list[dict[str, Cell]] = []
        for wave in study.waves.all():
            items = study.waves.items([wave.number])
            rows.append(
                {
                    "wave": wave.number,
                    "kind": wave.label,
                    "rounds": ", ".join(wave.header.get("rounds", {})),
                    "items": len(items),
                    "withdrawn": sum(item.withdrawn for item in items),
                    "frozen": wave.created_at,
                    "hash": wave.hash,
                }
            )
    columns = (
        Column("wave", "wave", "count"),
        Column("kind", "Kind"),
        Column("rounds", "Rounds"),
        Column("items", "items", "count"),
        Column("withdrawn", "withdrawn", "count"),
        Column("frozen", "Frozen"),
        Column("hash", "Hash"),
    )
    show([Table("waves", counted(len(rows), "wave"), columns, tuple(rows))], form)


@command.command("show")
@click.argument("number", metavar="WAVE", type=Whole())
@click.argument("item", required=False)
@click.pass_obj
def show_document(path: Path, number: int, item: str | None) -> None:
    """Print the frozen document of WAVE, or of one ITEM of it (S01/Active), byte for byte.

    Its SHA-256 is the hash: wavelock wave show 1 | sha256sum
    """
    with open_study(path) as study:
        wave = study.waves.wave(number)
        documents = {found.name: found.document for found in study.waves.items([number])}
    if item is not None and item not in documents:
        raise NotFound(f"wave {number} has no item {item!r}; an item is named like S01/Active")
    click.echo(canonical(documents[item] if item else wave.header).encode(), nl=False)


@command.command("withdraw")
@click.argument("number", metavar="WAVE", type=Whole())
@click.argument("name", metavar="SCENARIO|ITEM")
@click.option("--reason", required=True, help="What is wrong with it; logged for every reader.")
@click.pass_obj
def withdraw(path: Path, number: int, name: str, reason: str) -> None:
    """Withdraw a scenario of WAVE, or one item (S01/Active), in which an error was found.

    Nothing frozen is changed. No model is asked any more, analyses leave it out and say so, and
    what was run before is kept and marked.
    """
    with open_study(path) as study:
        found = study.waves.withdraw(number, name, reason)
    kept = counted(found.generations, "generation")
    say(f"wave {number}: withdrew {', '.join(found.items)}; {kept} of before kept and marked")


@command.command("verify")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def verify(path: Path, *, as_json: bool) -> None:
    """Re-hash everything that is frozen; exit 1 and name item and field where it differs."""
    with open_study(path) as study:
        faults = study.waves.faults()
        items = len(study.waves.frozen_items())
        out = sum(len(found.items) for found in study.waves.withdrawals())
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
    gone = f" ({out:,} withdrawn)" if out else ""
    say(f"ok: {counted(items, 'frozen item')}{gone} checked, nothing was changed")
