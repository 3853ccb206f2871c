"""``wavelock report``: the suite's tables, in the terminal or as one self-contained page."""

from __future__ import annotations

from pathlib import Path

import click

from cli.diagnostics import say
from cli.output import listing, show
from cli.subset import restrictable, subset_of
from cli.tables import REPLICATES, SEED, full_report, in_short
from core.errors import NotFound
from db.file import StudyFile, open_study
from exports.files import write_whole
from exports.report import Report


@click.command("report")
@click.argument("tables", nargs=-1)
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Write one page.")
@restrictable
@click.option("--seed", default=SEED, show_default=True)
@click.option("--replicates", default=REPLICATES, show_default=True)
@listing
@click.pass_obj
def command(
    path: Path,
    tables: tuple[str, ...],
    html: Path | None,
    waves: str | None,
    without: str | None,
    seed: int,
    replicates: int,
    form: str,
) -> None:
    """Print the report, or only the TABLES (and figures) that are named.

    The name of a group stands for its tables: construction for construction-fates and so on.
    """
    from evals.judges.reported import for_terminal

    with open_study(path) as study:
        subset = subset_of(waves, without)
        report = full_report(study, seed=seed, replicates=replicates, subset=subset)
        if tables:
            report = _only(report, tables)
        if html:
            write_page(study, report, html)
            say(f"{html}: {len(report.tables)} tables, {len(report.figures)} figures")
            return
    shown = in_short(report.tables) if form == "text" and not tables else report.tables
    show(list(for_terminal(shown)) if form == "text" else shown, form, report.figures)


def _only(report: Report, names: tuple[str, ...]) -> Report:
    """Return a report of the named tables and figures alone; a group's name stands for its own."""
    tables = list(dict.fromkeys(table.name for table in report.tables))
    figures = [figure.name for figure in report.figures]
    known, wanted = {*tables, *figures}, set[str]()
    for name in names:
        found = {name} & known or {each for each in known if each.startswith(f"{name}-")}
        if not found:
            drawn = f"; figures are: {', '.join(figures)}" if figures else ""
            raise NotFound(f"there is no table {name!r}; tables are: {', '.join(tables)}{drawn}")
        wanted |= found
    return Report(
        tuple(table for table in report.tables if table.name in wanted),
        tuple(figure for figure in report.figures if figure.name in wanted),
        report.provenance,
    )


def write_page(study: StudyFile, report: Report, target: Path) -> None:
    """Write the report as one self-contained page, whole or not at all."""
    from exports.html import page

    subtitle = f"suite {study.info.suite}, study of {study.info.created_at[:10]}"
    text = page(study.info.title, subtitle, report.tables, report.figures, report.provenance)
    write_whole(target, text)
