"""The measured part of docs/performance.md: what was measured, where, and whether goals are met."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

Row = tuple[str, float, str]

BEGIN = "<!-- measured: written by `make bench`, do not edit -->"
END = "<!-- end of the measured part -->"
PAGE = Path(__file__).parent.parent / "docs" / "performance.md"

_GOAL = re.compile(r"(at least|at most) (\d+(?:\.\d+)?)")
_LIBRARIES = ("numpy", "scipy", "pandas", "statsmodels", "pingouin")


@dataclass(frozen=True, slots=True)
class Measured:
    """The rows of one benchmark module, under the first line of its docstring."""

    module: str
    about: str
    rows: tuple[Row, ...]


def verdict(ratio: float, goal: str) -> str:
    """Say whether a goal is met: ``met``, ``MISSED``, or nothing where there is no goal.

    Examples
    --------
    >>> verdict(3.1, "at least 3"), verdict(2.9, "at least 3"), verdict(2.9, "none")
    ('met', 'MISSED', '')
    """
    if goal == "none":
        return ""
    found = _GOAL.fullmatch(goal)
    if found is None:
        raise ValueError(f"a goal is 'at least N', 'at most N' or 'none', not {goal!r}")
    bound = float(found[2])
    return "met" if (ratio >= bound if found[1] == "at least" else ratio <= bound) else "MISSED"


def summary(measured: Sequence[Measured]) -> str:
    """Count the goals, and name every one that is missed.

    Examples
    --------
    >>> summary([Measured("m", "", (("work a", 4.0, "at least 3"), ("work b", 1.0, "none")))])
    '1 of 1 goals met.'
    """
    rows = [(what, verdict(ratio, goal)) for each in measured for what, ratio, goal in each.rows]
    judged = [(what, word) for what, word in rows if word]
    missed = [what for what, word in judged if word == "MISSED"]
    counted = f"{len(judged) - len(missed)} of {len(judged)} goals met."
    return " ".join([counted, *(f"Missed: {what}." for what in missed)])


def block(measured: Sequence[Measured], machine: Sequence[str]) -> str:
    """Return the measured part as Markdown."""
    lines = [*(f"- {fact}" for fact in machine), "", f"**{summary(measured)}**"]
    for each in measured:
        lines += ["", f"### `benchmarks/{each.module}.py`", "", each.about, ""]
        lines += ["| measured | ratio | goal | |", "| --- | ---: | --- | --- |"]
        for what, ratio, goal in each.rows:
            named = "" if goal == "none" else goal
            lines.append(f"| {what} | {written(ratio)} | {named} | {verdict(ratio, goal)} |")
    return "\n".join(lines)


def replaced(page: str, measured: str) -> str:
    """Return the page with the text between its two markers replaced.

    Examples
    --------
    >>> replaced(f"a {BEGIN} old {END} b", "new").split()[-2:]
    ['-->', 'b']
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{PAGE.name} has lost its markers: {BEGIN} and {END}")
    return f"{before}{begin}\n\n{measured}\n\n{end}{after}"


def written(ratio: float) -> str:
    """Return a ratio with as many digits as it deserves.

    Examples
    --------
    >>> written(11590.5), written(31.94), written(1.04)
    ('11,590', '31.9', '1.04')
    """
    if ratio >= 100:
        return f"{ratio:,.0f}"
    return f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def machine(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return what kind of machine this is; no name that would identify it."""
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in _LIBRARIES)
    threads = environment.get("OPENBLAS_NUM_THREADS", "as many as it likes")
    return [
        f"measured on {datetime.now(UTC):%Y-%m-%d}",
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        f"Python {platform.python_version()}, {versions}",
        f"BLAS: {_kernel()}; threads: {threads}",
    ]


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or "unknown processor"
    named = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return named[1] if named else platform.machine()


def _kernel() -> str:
    """Return which BLAS numpy runs, and its kernel where threadpoolctl can tell."""
    try:
        from threadpoolctl import threadpool_info  # noqa: PLC0415  not everybody has it
    except ImportError:
        return "kernel not checked (threadpoolctl is not installed)"
    found = [each for each in threadpool_info() if each.get("user_api") == "blas"]
    names = [f"{e['internal_api']} {e['version']}, kernel {e.get('architecture')}" for e in found]
    return "; ".join(dict.fromkeys(names)) or "none found"
