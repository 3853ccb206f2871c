"""``wavelock items``: what was drafted."""

from __future__ import annotations

from pathlib import Path

import click

from cli.output import listing, show
from core.errors import CheckFailed, NotFound
from core.tables import Column, Table
from core.words import counted
from db.file import open_study
from suites.registry import load
from ui.text import visible


@click.group("items")
def command() -> None:
    """List, show and check the drafted items."""


@command.command("list")
@listing
@click.pass_obj
def list_items(path: Path, form: str) -> None:
    """List every item with its newest revision."""
    with open_study(path) as study:
        frozen = study.waves.frozen_items()
        rows = [
            {
                "scenario": item.scenario,
                "condition": item.condition,
                "revision": item.number,
                "frozen": "frozen" if item.item in frozen else "draft",
                "text": item.text,
            }
            for item in study.items.latest()
        ]
    columns = (
        Column("scenario", "Scenario"),
        Column("condition", "Condition"),
        Column("revision", "revision", "count"),
        Column("frozen", "State"),
        Column("text", "Text"),
    )
    show([Table("items", counted(len(rows), "item"), columns, tuple(rows))], form)


@command.command("show")
@click.argument("scenario")
@click.pass_obj
def show_scenario(path: Path, scenario: str) -> None:
    """Show one scenario in all its conditions."""
    with open_study(path) as study:
        facts = study.items.facts().get(scenario)
        items = [item for item in study.items.latest() if item.scenario == scenario]
    if facts is None:
        raise NotFound(f"there is no scenario {scenario}")
    for name, value in facts.items():
        click.echo(visible(f"{name}: {value}"))
    for item in items:
        click.echo(f"\n{item.condition} (revision {item.number}, gold: {item.gold})")
        click.echo(visible(item.text))
        for option in item.options:
            click.echo(visible(f"  - {option.label} [{option.action}]"))


@command.command("check")
@listing
@click.pass_obj
def check(path: Path, form: str) -> None:
    """Apply the suite's construction rules to every drafted scenario."""
    with open_study(path) as study:
        suite = load(study.info.suite)
        scenarios = study.items.scenarios()
    faults = suite.faults(scenarios)
    columns = (
        Column("scenario", "Scenario"),
        Column("condition", "Condition"),
        Column("rule", "Rule"),
        Column("found", "Found"),
    )
    rows = tuple(
        {"scenario": f.scenario, "condition": f.condition, "rule": f.rule, "found": f.found}
        for f in faults
    )
    heading = f"{counted(len(scenarios), 'scenario')} checked, {counted(len(faults), 'fault')}"
    show([Table("faults", heading, columns, rows, empty="every rule holds")], form)
    if faults:
        raise CheckFailed(
            f"{counted(len(faults), 'breach', 'breaches')} of the construction rules, listed above"
        )
