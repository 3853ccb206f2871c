"""``wavelock include``: hold a round against its inclusion rule."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from cli.diagnostics import say
from cli.output import listing, show
from core.errors import InputError
from core.tables import Table
from core.toml import parse_toml
from db.file import open_study


@click.command("include")
@click.argument("round_name", metavar="ROUND")
@click.option("--commit", "recorded", is_flag=True, help="Record the decisions, once.")
@click.option("--scenario", metavar="ID", help="Only this one.")
@click.option("--show-rule", is_flag=True, help="Print the rule, field by field, and its hash.")
@click.option(
    "--what-if",
    "changes",
    metavar="KEY=VALUE|FILE",
    multiple=True,
    help="Try other thresholds; exploratory, and never recorded.",
)
@listing
@click.pass_obj
def command(
    path: Path,
    round_name: str,
    scenario: str | None,
    changes: tuple[str, ...],
    form: str,
    *,
    recorded: bool,
    show_rule: bool,
) -> None:
    """Show what the rule says of every scenario of ROUND, threshold by threshold.

    --json and --csv have a row per threshold: what was needed, what was found, on how many answers.
    """
    if recorded and (changes or scenario or show_rule):
        raise InputError(
            "--commit records all decisions under the preregistered rule, and goes with nothing "
            "else; --what-if is never recorded"
        )
    from audit.inclusion import commit
    from audit.inclusion_view import decision_tables, round_rule_table, what_if

    tried = _tried(changes)
    tables: Sequence[Table]
    with open_study(path) as study:
        campaign = study.rounds.named(round_name)
        if recorded:
            commit(study, campaign)
        if show_rule:
            tables = [round_rule_table(study, campaign)]
        elif changes:
            tables = [what_if(study, campaign, tried, scenario)]
        else:
            tables = decision_tables(study, campaign, scenario, whole=form != "text")
    show(tables, form)
    if recorded:
        say("decisions recorded; next: wavelock wave freeze")


def _tried(given: Sequence[str]) -> dict[str, Any]:
    """Return the thresholds of ``--what-if``: from files, or one by one as KEY=VALUE."""
    tried: dict[str, Any] = {}
    for each in given:
        key, equals, _ = each.partition("=")
        if equals and key.strip().isidentifier():
            tried |= parse_toml(each, f"--what-if {each}")
        else:
            tried |= _file(Path(each))
    return tried


def _file(path: Path) -> dict[str, Any]:
    try:
        return parse_toml(path.read_text("utf-8-sig"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} cannot be read; give KEY=VALUE, such as confidence_at_least=3.0, or a TOML "
            "file"
        ) from error
