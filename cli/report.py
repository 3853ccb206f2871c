"""``wavelock report``: the suite's tables, in the terminal or as one self-contained page."""

from __future__ import annotations

from pathlib import Path

import click

from cli.diagnostics import say
from cli.output import listing, show
from cli.run import wave_numbers
from cli.tables import REPLICATES, SEED, full_report, in_short
from core.errors import NotFound
from db.file import StudyFile, open_study
from exports.files import write_whole
from exports.report import Report


@click.command("report")
@click.argument("tables", nargs=-1)
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Write one page.")
@click.option("--waves", help="Comma-separated wave numbers; all unless given.")
@click.option("--seed", default=SEED, show_default=True)
@click.option("--replicates", default=REPLICATES, show_default=True)
@listing
@click.pass_obj
def command(
    path: Path,
    tables: tuple[str, ...],
    html: Path | None,
    waves: str | None,
    seed: int,
    replicates: int,
    form: str,
) -> None:
    """Print the report, or only the TABLES that are named.

    The name of a group stands for its tables: construction for construction-fates and so on.
    """
    with open_study(path) as study:
        report = full_report(study, seed=seed, replicates=replicates, waves=wave_numbers(waves))
        if tables:
            report = _only(report, tables)
        if html:
            write_page(study, report, html)
            say(f"{html}: {len(report.tables)} tables, {len(report.figures)} figures")
            return
    short = form == "text" and not tables
    show(in_short(report.tables) if short else report.tables, form, report.figures)


def _only(report: Report, names: tuple[str, ...]) -> Report:
    """Return a report of the named tables alone."""
    known = list(dict.fromkeys(table.name for table in report.tables))
    for name in names:
        if not any(_named(table, name) for table in known):
            raise NotFound(f"there is no table {name!r}; tables are: {', '.join(known)}")
    wanted = tuple(t for t in report.tables if any(_named(t.name, name) for name in names))
    return Report(wanted, (), report.provenance)


def _named(table: str, name: str) -> bool:
    return table == name or table.startswith(f"{name}-")


def write_page(study: StudyFile, report: Report, target: Path) -> None:
    """Write the report as one self-contained page, whole or not at all."""
    from exports.html import page

    subtitle = f"suite {study.info.suite}, study of {study.info.created_at[:10]}"
    text = page(study.info.title, subtitle, report.tables, report.figures, report.provenance)
    write_whole(target, text)
