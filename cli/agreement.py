"""``wavelock agreement``: how far the raters of a round agree."""

from __future__ import annotations

from pathlib import Path

import click

from cli.output import listing, show
from cli.subset import restrictable, subset_of
from db.file import open_study


@click.command("agreement")
@click.argument("round_name", metavar="ROUND")
@click.option("--by", "facts", multiple=True, metavar="FACT", help="Also within each family.")
@click.option("--seed", default=1, show_default=True)
@click.option("--replicates", default=2_000, show_default=True)
@restrictable
@listing
@click.pass_obj
def command(
    path: Path,
    round_name: str,
    facts: tuple[str, ...],
    seed: int,
    replicates: int,
    waves: str | None,
    without: str | None,
    form: str,
) -> None:
    """Show how far the raters of ROUND agree: per question, condition and, by FACT, family.

    Every coefficient has its interval, what it rests on, what it leaves out, and raw agreement
    beside it.
    """
    from audit.agreement import agreement_table
    from audit.agreement_view import by_question
    from exports.caveats import with_caveats
    from exports.marks import mark, round_marks
    from exports.provenance import analysis_version
    from exports.subsets import told

    with open_study(path) as study:
        campaign = study.rounds.named(round_name)
        selection = study.waves.selected(subset_of(waves, without))
        among = selection.cells if selection.restricted else None
        table = agreement_table(
            study, campaign, seed=seed, replicates=replicates, by=facts, full=True, among=among
        )
        marks = round_marks(
            study, campaign, code=analysis_version(), seed=seed, subset=selection.subset
        )
    table = with_caveats(mark(table, marks))
    table = told(table, selection) if selection.restricted else table
    show(by_question(table) if form == "text" else [table], form)
