"""The tables of setups of one build; two builds are refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.resampling import Resampling
from core.tables import Table
from evals.choices.contrast import (
    conditions_table,
    items_table,
    shift_table,
    variants_table,
)
from evals.choices.standing import Standing, require_one_build

VARIANTS = "variants"  # a row per spelling: shown when it is asked for


def choice_tables(
    found: Sequence[Standing], pair: tuple[str, str], how: Resampling, table: str | None = None
) -> tuple[Table, ...]:
    """Return the tables of every setup, or those of one kind.

    Raises
    ------
    NotFound
        When nothing was asked for yet.
    Refused
        When the setups are of two builds.
    """
    require_one_build(found)
    tables = [each for standing in found for each in _tables(standing, pair, how)]
    if table == VARIANTS:
        tables = [variants_table(standing) for standing in found]
    return only(tables, table)


def only(tables: Sequence[Table], kind: str | None) -> tuple[Table, ...]:
    """Return the tables of one kind, by the first word of their names; all for none."""
    return tuple(each for each in tables if kind is None or each.name.split()[0] == kind)


def _tables(standing: Standing, pair: tuple[str, str], how: Resampling) -> Iterator[Table]:
    yield items_table(standing)
    yield conditions_table(standing, how)
    yield shift_table(standing, pair, how)
