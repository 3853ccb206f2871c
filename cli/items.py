"""``wavelock items``: what was drafted, and what became of it."""

from __future__ import annotations

from pathlib import Path

import click

from cli.drafts import exclude, import_items, revise, template
from cli.output import listing, show
from core.errors import CheckFailed, NotFound
from core.tables import Column, Table
from core.words import counted
from db.file import open_study
from suites.registry import load
from ui.text import visible

FAULTS = "faults"


@click.group("items")
def command() -> None:
    """Import, check, rewrite, exclude and show the drafted items."""


for part in (import_items, template, revise, exclude):
    command.add_command(part)


@command.command("list")
@listing
@click.pass_obj
def list_items(path: Path, form: str) -> None:
    """List every item with its newest revision."""
    from audit.candidates import candidates

    with open_study(path) as study:
        fates = {found.scenario: found.fate for found in candidates(study)}
        rows = [
            {
                "scenario": item.scenario,
                "condition": item.condition,
                "revision": item.number,
                "frozen": "draft" if (fate := fates[item.scenario]) == "open" else fate,
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
@click.argument("name", metavar="SCENARIO[/CONDITION]")
@listing
@click.pass_obj
def show_scenario(path: Path, name: str, form: str) -> None:
    """Show one scenario with its whole history: texts, rounds, decisions, fate.

    It names conditions and gold: for researchers, never for raters.
    """
    from audit.history import history_tables

    scenario, _, condition = name.partition("/")
    with open_study(path) as study:
        tables = history_tables(study, scenario, condition or None)
        texts = [r for r in study.items.all() if r.scenario == scenario]
        facts = study.items.facts()[scenario]
    if form != "text":
        show(tables if form == "json" else tables[:1], form)
        return
    for fact, value in facts.items():
        click.echo(visible(f"{fact}: {value}"))
    show(tables, form)
    for item in texts:
        if condition in ("", item.condition):
            click.echo(f"\n{item.condition} (revision {item.number}, gold: {item.gold})")
            click.echo(visible(item.text))
            for option in item.options:
                click.echo(visible(f"  - {option.label} [{option.action}]"))


@command.command("check")
@click.option(
    "--table", "wanted", metavar="NAME", help="Only one table: faults, pair-audit, pairs, clauses."
)
@listing
@click.pass_obj
def check(path: Path, wanted: str | None, form: str) -> None:
    """Measure every drafted pair, and apply the construction rules to every scenario.

    Scenarios that were given up are left out. CSV is the table of faults unless another is named.
    """
    from audit.revising import all_faults, open_scenarios

    with open_study(path) as study:
        suite = load(study.info.suite)
        scenarios = open_scenarios(study)
    faults = all_faults(suite, scenarios)
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
    tables = (
        *suite.measures(scenarios),
        Table(FAULTS, heading, columns, rows, empty="every rule holds"),
    )
    show(_chosen(tables, wanted, form), form)
    if faults:
        raise CheckFailed(
            f"{counted(len(faults), 'breach', 'breaches')} of the construction rules; they are in "
            "the table of faults"
        )


def _chosen(tables: tuple[Table, ...], wanted: str | None, form: str) -> list[Table]:
    """Return the tables to print: for people without those of one row per pair."""
    names = [table.name for table in tables]
    if wanted is not None:
        if wanted not in names:
            raise NotFound(f"there is no table {wanted!r}; tables are: {', '.join(names)}")
        return [table for table in tables if table.name == wanted]
    if form == "csv":
        return [tables[-1]]
    if form == "json":
        return list(tables)
    return [tables[0], tables[-1]] if len(tables) > 1 else list(tables)
