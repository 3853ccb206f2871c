"""Intervals that look surer than they are come with a word of care, below their table."""

from __future__ import annotations

from core.estimate import Estimate
from core.tables import Column, Table
from exports.caveats import MOST_NAMED, with_caveats

COLUMNS = (Column("model", "Model"), Column("s", "S", "signed"))


def table(*estimates: Estimate) -> Table:
    rows = tuple({"model": f"m{n}", "s": estimate} for n, estimate in enumerate(estimates))
    return Table("t", "T", COLUMNS, rows, notes=("first",))


def test_a_zero_width_interval_is_named() -> None:
    """An interval from equal values says nothing about uncertainty, and the table says so."""
    equal = Estimate(1.0, 9, 1.0, 1.0, replicates=100, scheme="iid", seed=1, method="percentile")
    notes = with_caveats(table(equal)).notes
    assert notes[0] == "first"
    assert "zero-width" in notes[1]
    assert "m0: S" in notes[1]


def test_a_sound_table_stays_as_it_is() -> None:
    """Nothing is added where there is nothing to say; an undefined value has its own reason."""
    sound = Estimate(0.5, 90, 0.4, 0.6, replicates=100, scheme="iid", seed=1, method="percentile")
    undefined = Estimate(None, 0, why_undefined="no data")
    plain = table(sound, undefined)
    assert with_caveats(plain) is plain


def test_many_cells_are_counted() -> None:
    """A long list is cut and counted, never silently."""
    equal = Estimate(1.0, 9, 1.0, 1.0, replicates=100, scheme="iid", seed=1, method="percentile")
    notes = with_caveats(table(*[equal] * (MOST_NAMED + 3))).notes
    assert "and 3 more" in notes[1]
