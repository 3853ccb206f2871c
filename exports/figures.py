"""Figures in one style: intervals always drawn, readable without colour, text kept as text."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Any

from core.estimate import Estimate
from core.tables import Interval, IntervalFigure

if TYPE_CHECKING:  # matplotlib is slow to load, and most commands draw nothing
    from matplotlib.axes import Axes

# Text stays text (readable by machines and screen readers, no dollar sign means mathematics), and
# ids are salted so that the same figure is the same bytes.
STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "wavelock",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 10,
}
ROW_HEIGHT = 0.42  # inches per labelled point
INK, QUIET = "#1a1a1a", "#767676"


def svg(figure: IntervalFigure) -> str:
    """Return an interval figure as SVG: the same bytes for the same figure.

    Undefined points keep their row, with the reason in place of a mark.
    """
    from matplotlib import rc_context  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    with rc_context(STYLE):
        drawing = Figure(figsize=(7.2, 1.4 + ROW_HEIGHT * max(1, len(figure.points))))
        axes = drawing.add_subplot()
        _draw(axes, figure)
        drawing.tight_layout()
        out = StringIO()
        drawing.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    return text[text.index("<svg") :]


def _draw(axes: Axes, figure: IntervalFigure) -> None:
    rows = list(reversed(figure.points))
    for place, point in enumerate(rows):
        _draw_point(axes, place, point, figure.bounds)
    if figure.reference and figure.reference.estimate.value is not None:
        _draw_reference(axes, figure.reference)
    axes.axvline(0, color=QUIET, linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(rows)), [point.label for point in rows])
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.set_xlim(*figure.bounds)
    axes.set_xlabel(figure.axis)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _draw_point(axes: Axes, place: int, point: Interval, bounds: tuple[float, float]) -> None:
    estimate = point.estimate
    if estimate.value is None:
        axes.text(bounds[0], place, f" undefined: {estimate.why_undefined}", va="center", size=8)
        return
    low, high = _ends(estimate)
    axes.plot([low, high], [place, place], color=INK, linewidth=1.6, solid_capstyle="butt")
    axes.plot(estimate.value, place, marker="o", markersize=6, color=INK)


def _draw_reference(axes: Axes, reference: Interval) -> None:
    value = reference.estimate.value or 0.0
    low, high = _ends(reference.estimate)
    axes.axvspan(low, high, color=QUIET, alpha=0.18, linewidth=0, zorder=0)
    axes.axvline(value, color=QUIET, linestyle="--", linewidth=1.2, zorder=0)
    axes.annotate(
        reference.label,
        (value, 1.0),
        xycoords=("data", "axes fraction"),
        ha="center",
        va="bottom",
        size=8,
        color=QUIET,
    )


def _ends(estimate: Estimate) -> tuple[float, float]:
    value = estimate.value or 0.0
    low = value if estimate.low is None else estimate.low
    high = value if estimate.high is None else estimate.high
    return low, high
