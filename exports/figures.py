"""Figures as SVG in one style: intervals always drawn, readable without colour, text kept as text.

The same figure gives the same bytes. Undefined points keep their place, with the reason in words.
"""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Any

from core.estimate import Estimate
from core.figures import (
    BoxFigure,
    Figure,
    GapFigure,
    Interval,
    IntervalFigure,
    PlaneFigure,
    RankFigure,
    ShareFigure,
)

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
INK, QUIET = "#1a1a1a", "#767676"
WIDTH = 7.2  # inches
MARKS = "osD^vP*Xhd<>p8"  # shapes, not colours, tell points apart


def svg(figure: Figure) -> str:
    """Return a figure as one SVG element."""
    from matplotlib import rc_context  # noqa: PLC0415
    from matplotlib.figure import Figure as Drawing  # noqa: PLC0415

    with rc_context(STYLE):
        drawing = Drawing(figsize=_size(figure), layout="tight")
        axes = drawing.add_subplot()
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        match figure:
            case IntervalFigure():
                _intervals(axes, figure)
            case PlaneFigure():
                _plane(axes, figure)
            case RankFigure():
                _ranks(axes, figure)
            case GapFigure():
                _gaps(axes, figure)
            case BoxFigure():
                _boxes(axes, figure)
            case ShareFigure():
                _shares(axes, figure)
        out = StringIO()
        drawing.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    return text[text.index("<svg") :]


def _size(figure: Figure) -> tuple[float, float]:
    match figure:
        case IntervalFigure():
            return WIDTH, 1.4 + 0.42 * max(1, len(figure.points))
        case PlaneFigure():
            return WIDTH, 4.6
        case RankFigure():
            return WIDTH, 1.0 + 0.34 * max(2, len(figure.lines))
        case GapFigure():
            return WIDTH, 1.4 + 0.42 * max(1, len(figure.gaps))
        case BoxFigure():
            return WIDTH, 1.2 + 0.42 * max(1, len(figure.boxes))
        case ShareFigure():
            return WIDTH, 1.4 + 0.42 * max(1, len(figure.rows))


def _intervals(axes: Axes, figure: IntervalFigure) -> None:
    rows = list(reversed(figure.points))
    for place, point in enumerate(rows):
        _interval(axes, place, point, figure.bounds)
    if figure.reference and figure.reference.estimate.value is not None:
        _reference(axes, figure.reference)
    low, high = figure.bounds
    if low < 0 < high:
        axes.axvline(0, color=QUIET, linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(rows)), [point.label for point in rows])
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.set_xlim(low, high)
    axes.set_xlabel(figure.axis)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _interval(axes: Axes, place: int, point: Interval, bounds: tuple[float, float]) -> None:
    estimate = point.estimate
    if estimate.value is None:
        axes.text(bounds[0], place, f" undefined: {estimate.why_undefined}", va="center", size=8)
        return
    low, high = _ends(estimate)
    axes.plot([low, high], [place, place], color=INK, linewidth=1.6, solid_capstyle="butt")
    axes.plot(estimate.value, place, marker="o", markersize=6, color=INK, clip_on=False)


def _reference(axes: Axes, reference: Interval) -> None:
    low, high = _ends(reference.estimate)
    value = reference.estimate.value or 0.0
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


def _plane(axes: Axes, figure: PlaneFigure) -> None:
    axes.plot([0, 1], [0, 1], color=QUIET, linewidth=0.8, linestyle=":", zorder=0)
    for place, point in enumerate(figure.points):
        if point.x.value is None or point.y.value is None:
            reason = point.x.why_undefined or point.y.why_undefined
            axes.plot([], [], " ", label=f"{point.label}: undefined, {reason}")
            continue
        style: dict[str, Any] = {"color": INK, "linewidth": 1.0, "solid_capstyle": "butt"}
        axes.plot(_ends(point.x), [point.y.value] * 2, **style)
        axes.plot([point.x.value] * 2, _ends(point.y), **style)
        axes.plot(
            point.x.value,
            point.y.value,
            marker=MARKS[place % len(MARKS)],
            markersize=7,
            linestyle=" ",
            markerfacecolor="white",
            markeredgecolor=INK,
            label=point.label,
            clip_on=False,
        )
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_aspect("equal")
    axes.set_xlabel(figure.x_axis)
    axes.set_ylabel(figure.y_axis)
    axes.text(0.0, 1.02, figure.corner, ha="left", va="bottom", color=QUIET, size=8)
    axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)


def _ranks(axes: Axes, figure: RankFigure) -> None:
    places = range(len(figure.columns))
    for line in figure.lines:
        axes.plot(places, line.ranks, color=INK, linewidth=1.2, marker="o", markersize=5)
        axes.annotate(line.label, (0, line.ranks[0]), (-8, 0), **_beside("right"))
        axes.annotate(line.label, (places[-1], line.ranks[-1]), (8, 0), **_beside("left"))
    axes.set_xticks(places, figure.columns)
    axes.set_yticks([])
    axes.set_ylim(len(figure.lines) + 0.6, 0.4)
    axes.set_xlim(-0.9, len(figure.columns) - 0.1)
    axes.spines["left"].set_visible(False)


def _gaps(axes: Axes, figure: GapFigure) -> None:
    rows = list(reversed(figure.gaps))
    for place, gap in enumerate(rows):
        if gap.start.value is None or gap.end.value is None:
            reason = gap.start.why_undefined or gap.end.why_undefined
            axes.text(figure.bounds[0], place, f" undefined: {reason}", va="center", size=8)
            continue
        first = place == len(rows) - 1  # one entry in the legend is enough
        axes.plot([gap.start.value, gap.end.value], [place] * 2, color=QUIET, linewidth=1.0)
        # The two intervals stand one above the other, where they cannot hide each other.
        for estimate, value, mark, fill, name, above in (
            (gap.start, gap.start.value, "o", INK, figure.start, 0.12),
            (gap.end, gap.end.value, "D", "white", figure.end, -0.12),
        ):
            axes.plot(_ends(estimate), [place + above] * 2, color=QUIET, linewidth=1.6)
            axes.plot(
                value, place, marker=mark, markersize=6, linestyle=" ", clip_on=False,
                markerfacecolor=fill, markeredgecolor=INK, label=name if first else None,
            )  # fmt: skip
        at_the_edge = ("axes fraction", "data")
        axes.annotate(gap.note, (1.0, place), (8, 0), xycoords=at_the_edge, **_beside("left"))
    _rows(axes, [gap.label for gap in rows], figure.axis)
    axes.set_xlim(*figure.bounds)
    if rows:
        axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, frameon=False)


def _boxes(axes: Axes, figure: BoxFigure) -> None:
    rows = list(reversed(figure.boxes))
    for place, box in enumerate(rows):
        axes.plot([box.low, box.high], [place] * 2, color=INK, linewidth=1.0, zorder=1)
        width = box.upper - box.lower
        axes.barh(place, width, 0.5, box.lower, color="white", edgecolor=INK, zorder=2)
        axes.plot([box.median] * 2, [place - 0.25, place + 0.25], color=INK, linewidth=2.2)
    axes.axvline(0, color=QUIET, linewidth=0.8, zorder=0)
    _rows(axes, [f"{box.label} (n {box.n:,})" for box in rows], figure.axis)


def _shares(axes: Axes, figure: ShareFigure) -> None:
    rows = list(reversed(figure.rows))
    hatches = ("///", "", "...", "xx", "++")  # told apart without colour
    for part, name in enumerate(figure.parts):
        for place, row in enumerate(rows):
            start = sum(row.shares[:part])
            axes.barh(
                place, row.shares[part], 0.6, start, color="white", edgecolor=INK,
                hatch=hatches[part % len(hatches)], label=name if place == 0 else None,
            )  # fmt: skip
    _rows(axes, [row.label for row in rows], "share of outputs")
    axes.set_xlim(0, 1)
    if rows:
        axes.legend(
            loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=len(figure.parts), frameon=False
        )


def _rows(axes: Axes, labels: list[str], axis: str) -> None:
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(-0.7, len(labels) - 0.3)
    axes.set_xlabel(axis)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _beside(side: str) -> dict[str, Any]:
    return {"textcoords": "offset points", "ha": side, "va": "center", "size": 9}


def _ends(estimate: Estimate) -> tuple[float, float]:
    value = estimate.value or 0.0
    low = value if estimate.low is None else estimate.low
    high = value if estimate.high is None else estimate.high
    return low, high
