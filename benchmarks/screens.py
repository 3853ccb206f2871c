"""Screens on a pseudo-terminal against a bare Textual app, and 20 raters against raw sqlite3."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks._durable import RATERS, prepare, rate_of
from benchmarks._page import Row
from benchmarks._terminal import Painted
from benchmarks._timing import Pairs

HERE = Path(__file__).parent
CODE = "Your access code"
PAGE = "What to do"  # the one page before the items of a practice round
ON = "\x1b[C"
ITEM = "Which would you do?"
KEYS = ("a", "b")
BACK = "\x1b[A"
# The screens as they are painted, for the bare application.
CODE_SCREEN = HERE.parent / "tests" / "ui" / "golden" / "80x24" / "rate_code.txt"
ITEM_SCREEN = HERE.parent / "tests" / "ui" / "golden" / "80x24" / "rate_item.txt"


def run(*, tiny: bool = False) -> list[Row]:
    """Return the ratios of first paint, of a key, and of durable ratings."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = prepare(folder / "study.db", items=4 if tiny else 100)
        return [
            _first_paint(study.path, pairs=1 if tiny else 9),
            _keys(study.path, study.code, presses=4 if tiny else 200),
            _durable(study.path, folder, rounds=1 if tiny else 5),
        ]


def _ours(path: Path) -> list[str]:
    return [str(Path(sys.executable).with_name("wavelock")), "--study", str(path), "rate"]


def _bare(screen: Path) -> list[str]:
    return [sys.executable, str(HERE / "_bare.py"), str(screen)]


def _paint(command: list[str]) -> float:
    with Painted(command) as terminal:
        return terminal.until(CODE) - terminal.began


def _first_paint(path: Path, *, pairs: int) -> Row:
    sides = (_ours(path), _bare(CODE_SCREEN))
    for command in sides:
        _paint(command)
    taken = [(_paint(sides[0]), _paint(sides[1])) for _ in range(pairs)]
    # The ratio of a pair is the second over the first, so ours comes second here.
    found = Pairs(tuple(bare for _, bare in taken), tuple(ours for ours, _ in taken))
    return (
        f"start to first paint on a pseudo-terminal, wavelock rate over a bare Textual app with "
        f"the same text (bare {found.figures})",
        found.ratio,
        "at most 1.5",
    )


def _keys(path: Path, code: str, *, presses: int) -> Row:
    with Painted(_ours(path)) as ours, Painted(_bare(ITEM_SCREEN)) as bare:
        ours.until(CODE)
        ours.press(f"{code}\r")
        ours.until(PAGE)
        ours.settle()
        ours.press(ON)
        ours.until(ITEM)
        bare.until(ITEM)
        taken: dict[Painted, list[float]] = {ours: [], bare: []}
        for number in range(presses):
            key = KEYS[number % 2]
            for terminal, times in taken.items():
                terminal.settle()
                at = terminal.press(key)
                times.append(terminal.until(f"[{key}]") - at)
                terminal.settle()
                terminal.press(BACK)
    theirs, mine = (tuple(sorted(taken[side])) for side in (bare, ours))
    slow = [1e3 * times[int(0.95 * (len(times) - 1))] for times in (theirs, mine)]
    return (
        f"key to repaint on a pseudo-terminal, an answer on the rating screen over a bare Textual "
        f"app with the same text, medians of {presses} presses (bare {1e3 * median(theirs):.1f} ms "
        f"against {1e3 * median(mine):.1f} ms; 95% below {slow[0]:.1f} and {slow[1]:.1f} ms)",
        median(mine) / median(theirs),
        "at most 1.5",
    )


def _durable(path: Path, folder: Path, *, rounds: int) -> Row:
    rates: dict[str, list[float]] = {"store": [], "raw": []}
    for number in range(rounds):
        for side, found in rates.items():
            copy = Path(shutil.copy(path, folder / f"{side}-{number}.db"))
            found.append(rate_of(copy, side))
    ratios = sorted(a / b for a, b in zip(rates["store"], rates["raw"], strict=True))
    return (
        f"durable ratings per second from {RATERS} processes, RatingStore.save (checks, salt, "
        f"hash, rating and history in one transaction) over raw sqlite3 committing the same two "
        f"rows to the same file with its triggers ({median(rates['store']):,.0f} against "
        f"{median(rates['raw']):,.0f} per second; {rounds} pairs, ratios {ratios[0]:.2f} to "
        f"{ratios[-1]:.2f})",
        median(ratios),
        "at least 0.8",
    )
