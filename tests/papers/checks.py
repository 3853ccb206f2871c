"""Recompute the published numbers that follow from the published tables: `make papers`.

    python -m tests.papers.checks

prints one line per number: paper, number, published, ours, difference, the function of `stats` that
ours went through, and whether it is within rounding or known not to be. Exit code 1 when a
difference has no known reason. Further kinds of numbers add their function to SOURCES.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import tests.papers.core100.hob
import tests.papers.core100.interventions
import tests.papers.core100.judges
import tests.papers.core100.multiplicity
import tests.papers.core100.naturalness
import tests.papers.core100.paired
import tests.papers.core100.printed
import tests.papers.core100.sweeps
import tests.papers.induction.correlation
import tests.papers.induction.crossings
import tests.papers.induction.gaps
import tests.papers.induction.judges
import tests.papers.induction.paired
import tests.papers.induction.printed
import tests.papers.induction.rates
import tests.papers.mosaic.composition
import tests.papers.mosaic.correlation
import tests.papers.mosaic.printed
import tests.papers.wise.counts
import tests.papers.wise.humans
import tests.papers.wise.multiplicity
import tests.papers.wise.panels
import tests.papers.wise.printed
import tests.papers.wise.ranking
from tests.papers.table import Check, report

Source = Callable[[], Iterator[Check]]

SOURCES: tuple[Source, ...] = (
    tests.papers.wise.panels.checks,
    tests.papers.wise.ranking.checks,
    tests.papers.wise.counts.checks,
    tests.papers.wise.humans.checks,
    tests.papers.wise.multiplicity.checks,
    tests.papers.core100.paired.checks,
    tests.papers.core100.interventions.checks,
    tests.papers.core100.hob.checks,
    tests.papers.core100.sweeps.checks,
    tests.papers.core100.judges.checks,
    tests.papers.core100.multiplicity.checks,
    tests.papers.core100.naturalness.checks,
    tests.papers.mosaic.composition.checks,
    tests.papers.mosaic.correlation.checks,
    tests.papers.induction.rates.checks,
    tests.papers.induction.gaps.checks,
    tests.papers.induction.crossings.checks,
    tests.papers.induction.paired.checks,
    tests.papers.induction.correlation.checks,
    tests.papers.induction.judges.checks,
)
# Printed numbers against printed numbers: no statistic of ours is involved.
PRINTED: tuple[Source, ...] = (
    tests.papers.wise.printed.checks,
    tests.papers.core100.printed.checks,
    tests.papers.mosaic.printed.checks,
    tests.papers.induction.printed.checks,
)


def all_checks() -> list[Check]:
    """Return the checks of all sources."""
    return [check for source in SOURCES + PRINTED for check in source()]


def main() -> int:
    """Print all lines; return 1 when one is unexplained."""
    checks = all_checks()
    print(report(checks))
    return int(not all(check.explained for check in checks))


if __name__ == "__main__":
    sys.exit(main())
