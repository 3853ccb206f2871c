"""``wavelock audit``: the audit screens, and what the auditors of a round said."""

from __future__ import annotations

import os
from pathlib import Path

import click

from cli.open_app import PLAIN, chosen_plain, require_terminal
from cli.output import listing, show
from core.settings import load_settings


@click.group("audit", invoke_without_command=True)
@PLAIN
@click.pass_context
def command(context: click.Context, plain: bool) -> None:
    """Audit pairs side by side. Asks for your access code; everything else is on the screen."""
    if context.invoked_subcommand:
        return
    if chosen_plain(asked=plain):
        from audit.plain import run
    else:
        require_terminal()
        from audit.app import run
    run(context.obj, load_settings(os.environ))


@command.command("disagreements")
@click.argument("round_name", metavar="ROUND")
@click.option("--all", "everything", is_flag=True, help="The pairs they agree on as well.")
@listing
@click.pass_obj
def disagreements(path: Path, round_name: str, form: str, *, everything: bool) -> None:
    """List the pairs of ROUND on which auditors differ: who said what, with every note.

    For researchers: it names scenarios and conditions.
    """
    from audit.disagreements import disagreements_table
    from db.file import open_study

    with open_study(path) as study:
        table = disagreements_table(study, study.rounds.named(round_name), everything=everything)
    show([table], form)
