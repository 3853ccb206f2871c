"""Recompute the published numbers that follow from the published tables: `make papers`.

    python -m tests.papers.checks

prints one line per number: paper, number, published, ours, difference, and whether it is within
rounding or known not to be. Exit code 1 when a difference has no known reason. Further kinds of
numbers add their function to SOURCES.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from tests.papers import agreement, correlation, multiplicity, paired_t
from tests.papers.table import Check, report

SOURCES: tuple[Callable[[], Iterator[Check]], ...] = (
    agreement.checks,
    multiplicity.checks,
    paired_t.checks,
    correlation.checks,
)


def all_checks() -> list[Check]:
    """Return the checks of all sources."""
    return [check for source in SOURCES for check in source()]


def main() -> int:
    """Print all lines; return 1 when one is unexplained."""
    checks = all_checks()
    print(report(checks))
    return int(not all(check.explained for check in checks))


if __name__ == "__main__":
    sys.exit(main())
