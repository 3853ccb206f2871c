"""From rows to drafted scenarios: every row is held against what the suite declares.

Two ways of writing are read. One row per item is what ``wavelock export items`` writes::

    scenario, condition, text, gold, option_a, option_a_action, ..., fact_domain, parameter_flesch

One row per scenario is shorter to write by hand, with a column per condition and action::

    scenario, facts.domain, options.heavy, texts.Active, texts.Removed, gold.Active

In JSON and YAML the dotted columns are objects: ``facts: {domain: home}``. What a verifier needs is
nested once more: ``parameters: {word-count: {exactly: 5}}``, or ``parameter_word-count.exactly``.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.items import ItemText, Scenario
from core.rows import FileContent, Record, RowFault, listed, told
from suites.base import Suite
from suites.draft_row import DraftRow, read_row

KNOWN = ("scenario", "condition", "text", "gold")
# What an export says of an item beyond what was drafted: the study that reads it has its own.
PROVENANCE = ("revision", "newest", "wave", "wave_kind", "withdrawn")
FAMILIES = ("option_", "parameter_", "fact_")
NESTED = ("options.", "facts.", "parameters.", "texts.", "gold.")


@dataclass(frozen=True, slots=True)
class Draft:
    """One scenario as a file has it: every item with its texts, oldest first, and their lines."""

    id: str
    line: int
    facts: Mapping[str, str]
    rows: Mapping[str, tuple[DraftRow, ...]]

    @property
    def scenario(self) -> Scenario:
        """The scenario with the newest text of its items."""
        items = tuple(found[-1].item for found in self.rows.values())
        return Scenario(self.id, self.facts, items)

    def texts(self, condition: str) -> tuple[ItemText, ...]:
        """Return the texts of one item, oldest first."""
        return tuple(row.item for row in self.rows[condition])


@dataclass(frozen=True, slots=True)
class Drafts:
    """What a file holds.

    Attributes
    ----------
    drafts
        The scenarios without a fault, in the order of the file.
    faults
        Everything that is wrong, by line.
    spoiled
        The scenarios that a fault is of. A fault of no scenario is one of the whole file.
    whole
        Whether every fault is of some scenario, so that the others can be taken without it.
    """

    drafts: tuple[Draft, ...]
    faults: tuple[RowFault, ...]
    spoiled: tuple[str, ...]
    whole: bool


def read_drafts(content: FileContent, suite: Suite, *, typed: bool = False) -> Drafts:
    """Read drafted scenarios; what is wrong is named, all of it.

    Parameters
    ----------
    typed
        Whether the format tells a number from a text (JSON, YAML and Parquet do).
    """
    faults = list(content.faults)
    unit = content.records[0].unit if content.records else "line"
    faults += [RowFault(1, name, what, unit) for name, what in _unknown_columns(content.columns)]
    broken = bool(faults)
    rows, spoiled = [], dict[str, None]()
    for record in content.records:
        mixed = list(_both_ways(record))
        faults += mixed
        broken |= bool(mixed)
        for item, columns in _items(record):
            row, named = read_row(item, suite, typed=typed)
            found = [replace(f, column=columns.get(f.column or "", f.column)) for f in named]
            rows.append(row)
            faults += found
            if found:
                spoiled[row.scenario] = None
                broken |= not row.scenario
    drafts = []
    for name, mine in _by_scenario(rows).items():
        found = [*_repeated(mine), *_facts_apart(mine), *_not_whole(name, mine, suite)]
        faults += found
        if found or name in spoiled:
            spoiled[name] = None
        else:
            drafts.append(_draft(name, mine))
    # What is wrong with a column that conditions share is wrong once.
    told_once = sorted(dict.fromkeys(faults), key=lambda fault: fault.line)
    return Drafts(tuple(drafts), tuple(told_once), tuple(filter(None, spoiled)), not broken)


def _unknown_columns(columns: frozenset[str]) -> Iterator[tuple[str, str]]:
    known = ", ".join((*KNOWN, *(f"{family}…" for family in FAMILIES)))
    for name in sorted(columns):
        if name not in (*KNOWN, *PROVENANCE) and not name.startswith((*FAMILIES, *NESTED)):
            yield name, f"there is no such column; known are {known}"
    if columns and "scenario" not in columns:
        yield "scenario", "the file has no such column"


def _items(record: Record) -> Iterator[tuple[Record, Mapping[str, str]]]:
    """Yield a row per item, with the names that its columns have in the file.

    A row of a whole scenario is taken apart.
    """
    cells = record.cells
    named = {_column(name): name for name in cells}
    # A gold of a condition without a text is a slip that its missing text tells.
    conditions = _conditions(cells, "texts.") | _conditions(cells, "gold.")
    if not conditions:
        yield replace(record, cells={_column(name): cell for name, cell in cells.items()}), named
        return
    own_parts = tuple(f"parameters.{condition}" for condition in conditions)
    shared = {
        _column(name): cell
        for name, cell in cells.items()
        if not name.startswith(("texts.", "gold.", *(f"{part}." for part in own_parts)))
        and not (name in own_parts and cell == "{}")
    }
    for condition in conditions:
        prefix = f"parameters.{condition}."
        parameters = {
            f"parameter_{name.removeprefix(prefix)}": name
            for name in cells
            if name.startswith(prefix)
        }
        own = {column: cells[name] for column, name in parameters.items()}
        columns = {"condition": f"texts.{condition}", "text": f"texts.{condition}", **parameters}
        own |= {"condition": condition, "text": cells.get(f"texts.{condition}", "")}
        if f"gold.{condition}" in cells:
            own["gold"], columns["gold"] = cells[f"gold.{condition}"], f"gold.{condition}"
        yield replace(record, cells={**shared, **own}), {**named, **columns}


def _conditions(cells: Mapping[str, str], prefix: str) -> dict[str, None]:
    """Return the conditions that columns of a kind are of, in their order."""
    return {n.removeprefix(prefix): None for n in cells if n.startswith(prefix)}


def _both_ways(record: Record) -> Iterator[RowFault]:
    """Name a row that is written as one item and as a scenario."""
    if any(name.startswith("texts.") for name in record.cells):
        for name in ("condition", "text"):
            if record.cells.get(name):
                what = "a row has this or texts, not both"
                yield RowFault(record.line, name, what, record.unit)


def _column(name: str) -> str:
    for nested, flat in (("facts.", "fact_"), ("parameters.", "parameter_")):
        if name.startswith(nested):
            return flat + name.removeprefix(nested)
    return name


def _by_scenario(rows: Sequence[DraftRow]) -> dict[str, list[DraftRow]]:
    found: dict[str, list[DraftRow]] = {}
    for row in rows:
        if row.scenario:
            found.setdefault(row.scenario, []).append(row)
    return found


def _repeated(rows: Sequence[DraftRow]) -> Iterator[RowFault]:
    first: dict[tuple[str, int], DraftRow] = {}
    for row in rows:
        before = first.setdefault((row.item.condition, row.number), row)
        if before is not row and row.item.condition and row.number:
            item = f"{row.scenario}/{row.item.condition}"
            what = f"{item} stands on {row.unit} {before.line} already"
            yield RowFault(row.line, "scenario", what, row.unit)


def _facts_apart(rows: Sequence[DraftRow]) -> Iterator[RowFault]:
    facts = rows[0].facts
    for row in rows[1:]:
        for name in sorted({*facts, *row.facts}):
            if facts.get(name) != row.facts.get(name):
                what = (
                    f"{told(row.facts.get(name, ''))} is not the {told(facts.get(name, ''))} of "
                    f"{row.unit} {rows[0].line}; a scenario has its facts in all conditions"
                )
                yield RowFault(row.line, f"fact_{name}", what, row.unit)


def _not_whole(name: str, rows: Sequence[DraftRow], suite: Suite) -> Iterator[RowFault]:
    """Name what is missing: a condition, or a revision before one that is there."""
    numbers: dict[str, set[int]] = {}
    for row in rows:
        numbers.setdefault(row.item.condition, set()).add(row.number)
    line, unit = rows[0].line, rows[0].unit
    if lacking := _lacking(suite, numbers):
        yield RowFault(line, "condition", f"{name} has no {listed(lacking)}", unit)
    for condition, found in numbers.items():
        gaps = sorted(set(range(1, max(found))) - found)
        if gaps and 0 not in found:
            what = f"{name}/{condition} has a revision {max(found)} without revision {gaps[0]}"
            yield RowFault(line, "revision", what, unit)


def _lacking(suite: Suite, found: Container[str]) -> list[str]:
    """Return what is missing of the matched sets that a scenario has a condition of."""
    matched = suite.draft.matched or (suite.conditions,)
    begun = [whole for whole in matched if any(c in found for c in whole)]
    wanted = {condition for whole in begun or matched for condition in whole}
    return [c for c in suite.conditions if c in wanted and c not in found]


def _draft(name: str, rows: Sequence[DraftRow]) -> Draft:
    items: dict[str, list[DraftRow]] = {}
    for row in rows:
        items.setdefault(row.item.condition, []).append(row)
    ordered = {
        condition: tuple(sorted(found, key=lambda row: row.number))
        for condition, found in items.items()
    }
    return Draft(name, rows[0].line, rows[0].facts, ordered)
