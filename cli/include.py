"""``wavelock include``: hold a round against its inclusion rule."""

from __future__ import annotations

from pathlib import Path

import click

from cli.diagnostics import say
from cli.output import listing, show
from db.file import open_study


@click.command("include")
@click.argument("round_name", metavar="ROUND")
@click.option("--commit", "recorded", is_flag=True, help="Record the decisions, once.")
@listing
@click.pass_obj
def command(path: Path, round_name: str, *, recorded: bool, form: str) -> None:
    """Show what the rule says of every scenario of ROUND, with every missed threshold."""
    from audit.agreement import simulated
    from audit.inclusion import commit, decide_round, decisions_table

    with open_study(path) as study:
        campaign = study.rounds.named(round_name)
        known = study.decisions.of_round(campaign.id)
        decisions = commit(study, campaign) if recorded else known or decide_round(study, campaign)
        table = decisions_table(
            campaign,
            decisions,
            committed=recorded or bool(known),
            simulated=simulated(study, campaign),
        )
    show([table], form)
    if recorded:
        say("decisions recorded; next: wavelock wave freeze")
