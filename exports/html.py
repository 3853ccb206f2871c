"""One self-contained page: the tables of the terminal, the figures, and where it all came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources

from jinja2 import Environment, StrictUndefined

from core.figures import Figure
from core.tables import Table
from exports.cells import lines
from exports.figures import svg
from exports.text_figures import has_content


def page(
    title: str,
    subtitle: str,
    tables: Sequence[Table],
    figures: Sequence[Figure],
    provenance: Mapping[str, str],
) -> str:
    """Return the page as HTML; it loads nothing from anywhere, and texts are escaped."""
    # Autoescaping on: item texts and model names are data, never markup.
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    source = (resources.files("exports") / "templates" / "report.html").read_text("utf-8")
    drawn = [{"title": f.title, "notes": f.notes, "svg": svg(f)} for f in figures if has_content(f)]
    return environment.from_string(source).render(
        title=title,
        subtitle=subtitle,
        tables=tables,
        figures=drawn,
        lines=lines,
        provenance=[{"name": name, "value": value} for name, value in provenance.items()],
    )
