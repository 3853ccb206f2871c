"""One row of a file of drafts: cells to one item, each fault named with its column."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.hashing import canonical
from core.items import LETTERS, ItemText, Option
from core.rows import Bare, Record, RowFault, Unit, listed, told
from suites.base import Suite

LONGEST = 20_000  # characters of a text; what is longer is no item but a file that went wrong
LONGEST_NAME = 64
MOST_REVISIONS = 1_000
_LABEL = re.compile(r"option_([a-h])(_action)?\Z")
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?\Z")


@dataclass(frozen=True, slots=True)
class DraftRow:
    """One text of one item; `number` is its revision: 1 where the file says none, 0 for none."""

    line: int
    unit: Unit
    scenario: str
    number: int
    item: ItemText
    facts: Mapping[str, str]


def read_row(record: Record, suite: Suite, *, typed: bool) -> tuple[DraftRow, list[RowFault]]:
    """Read one row as far as it can be read, and name everything that is wrong with it."""
    reader = _Reader(record, suite, typed=typed)
    row = DraftRow(
        line=record.line,
        unit=record.unit,
        scenario=reader.scenario(),
        number=reader.number(),
        item=reader.item(),
        facts=reader.facts(),
    )
    return row, reader.faults


def forbidden(text: str) -> str | None:
    r"""Return what in a text may act on a terminal: the name of its first control character.

    Examples
    --------
    >>> forbidden("one line\nand another"), forbidden("a\x1b[31m")
    (None, 'U+001B')
    """
    for character in text:
        if unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\t":
            return f"U+{ord(character):04X}"
    return None


class _Reader:
    def __init__(self, record: Record, suite: Suite, *, typed: bool) -> None:
        self._record = record
        self._cells = record.cells
        self._suite = suite
        self._typed = typed
        self.faults: list[RowFault] = []

    def _wrong(self, column: str, what: str) -> None:
        self.faults.append(RowFault(self._record.line, column, what, self._record.unit))

    def _cell(self, column: str) -> str:
        return str(self._cells.get(column, ""))

    def _absent(self, cell: str) -> bool:
        """Whether a cell says nothing: null, or empty where the format knows no null."""
        return not cell and (isinstance(cell, Bare) or not self._typed)

    def _text(self, column: str, *, longest: int = LONGEST) -> str:
        """Return a cell that must hold something that can be read."""
        cell = self._cell(column)
        if not cell.strip():
            self._wrong(column, "nothing stands there")
        elif len(cell) > longest:
            self._wrong(column, f"{len(cell):,} characters, at most {longest:,} are taken")
        elif named := forbidden(cell):
            self._wrong(column, f"a control character, {named}, stands in the text")
        return cell

    def scenario(self) -> str:
        name = self._text("scenario", longest=LONGEST_NAME)
        if name.strip() and (name != name.strip() or "/" in name or not name.isprintable()):
            self._wrong("scenario", f"{told(name)} is no id: no slash, no blanks at its ends")
        return "" if any(fault.column == "scenario" for fault in self.faults) else name

    def number(self) -> int:
        cell = self._cell("revision").strip()
        if not cell:
            return 1
        if cell.isascii() and cell.isdigit() and 1 <= int(cell[:9]) <= MOST_REVISIONS:
            return int(cell)
        self._wrong("revision", f"{told(cell)} is no number of a revision; they count from 1")
        return 0

    def item(self) -> ItemText:
        condition = self._cell("condition")
        conditions = self._suite.conditions
        if condition not in conditions:
            what = f"there is no condition {told(condition)}; there is {listed(conditions)}"
            self._wrong("condition", what)
        options = self._options()
        return ItemText(
            condition=condition,
            text=self._text("text"),
            options=options,
            gold=self._gold(condition, options),
            parameters=self._parameters(),
        )

    def _gold(self, condition: str, options: tuple[Option, ...]) -> str | None:
        gold = self._cell("gold") or None
        meant = self._suite.draft.golds.get(condition)
        if gold and meant and gold != meant:
            self._wrong("gold", f"{told(gold)} cannot be meant in {condition}; it is {meant}")
        elif gold and options and gold not in {option.action for option in options}:
            offered = listed([option.action for option in options])
            self._wrong("gold", f"{told(gold)} is no action of the item; there is {offered}")
        return gold or meant

    def _options(self) -> tuple[Option, ...]:
        found = {**self._lettered(), **self._by_action()}
        wanted = self._suite.draft.actions
        actions = [option.action for option in found.values()]
        for column, option in found.items():
            if wanted and option.action and option.action not in wanted:
                what = f"there is no action {told(option.action)}; there is {listed(wanted)}"
                self._wrong(column, what)
            if actions.count(option.action) > 1:
                self._wrong(column, f"two options mean {told(option.action)}")
        if lacking := [action for action in wanted if action not in actions]:
            self._wrong("option_a", f"no option means {listed(lacking)}")
        return tuple(found.values())

    def _lettered(self) -> dict[str, Option]:
        """Return the options of the columns option_a, option_a_action, option_b, ..."""
        found: dict[str, Option] = {}
        for column in self._cells:
            if column.startswith("option_") and not _LABEL.match(column):
                self._wrong(column, "options are called option_a, option_a_action, option_b, ...")
        for letter in LETTERS.lower():
            column, action = f"option_{letter}", f"option_{letter}_action"
            if not self._cell(column) and not self._cell(action):
                continue
            found[column] = Option(self._text(action), self._text(column))
        used = [column[-1] for column in found]
        if used and used != list(LETTERS.lower()[: len(used)]):
            self._wrong(f"option_{used[-1]}", "an option before this one is empty")
        return found

    def _by_action(self) -> dict[str, Option]:
        """Return the options of the columns options.ACTION."""
        columns = [column for column in self._cells if column.startswith("options.")]
        return {c: Option(c.removeprefix("options."), self._text(c)) for c in columns}

    def facts(self) -> dict[str, str]:
        facts = {
            column.removeprefix("fact_"): self._text(column)
            for column, cell in self._cells.items()
            if column.startswith("fact_") and not self._absent(cell)
        }
        for name, allowed in self._suite.draft.facts.items():
            value = facts.get(name)
            if value is None:
                self._wrong(f"fact_{name}", "nothing stands there")
            elif allowed and value.strip() and value not in allowed:
                what = f"{told(value)} is not known; there is {listed(allowed, len(allowed))}"
                self._wrong(f"fact_{name}", what)
        return facts

    def _parameters(self) -> dict[str, Any]:
        """Return the parameters; a column word-count.exactly is a part of word-count."""
        found: dict[str, Any] = {}
        for column, cell in self._cells.items():
            name = column.removeprefix("parameter_")
            if name == column or self._absent(cell):
                continue
            try:
                value = self._value(cell)
            except ValueError:
                self._wrong(column, f"{told(cell)} is no value that can be kept")
                continue
            if not _put(found, name.split("."), value):
                self._wrong(column, "it stands inside a parameter that another column gives")
        return found

    def _value(self, cell: str) -> Any:
        """Return a parameter as what it is; in CSV what looks like a number or JSON is that.

        Elsewhere a text is a text, but for an object or a list just as an export writes it.
        """
        if isinstance(cell, Bare) or (not self._typed and _NUMBER.match(cell)):
            value = json.loads(cell)
            canonical(value)  # NaN and what is too large for a number are refused
            return value
        if not self._typed and cell in ("true", "false"):
            return cell == "true"
        if cell[:1] in ("[", "{"):
            try:
                value = json.loads(cell)
            except (ValueError, RecursionError):
                return cell
            written = canonical(value)
            return value if written == cell or not self._typed else cell
        return cell


def _put(found: dict[str, Any], path: Sequence[str], value: Any) -> bool:
    """Put a value at its place inside objects; ``False`` when something else stands there."""
    *outer, last = path
    for name in outer:
        inside = found.setdefault(name, {})
        if not isinstance(inside, dict):
            return False
        found = inside
    free = last not in found
    found.setdefault(last, value)
    return free
