"""Items for other programs: every revision, with facts and parameters in columns of their own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from core.errors import InputError
from core.hashing import canonical
from core.items import LETTERS
from core.study import Revision
from db.file import StudyFile
from exports.data import Data, Kind, Value

ITEM: dict[str, Kind] = {
    "scenario": "text", "condition": "text", "revision": "whole", "newest": "truth",
    "wave": "whole", "wave_kind": "text", "withdrawn": "truth", "text": "text", "gold": "text",
}  # fmt: skip
Row = dict[str, Value]


def items_data(study: StudyFile) -> Data:
    """Return one row per revision of every item, by scenario, in drafting order.

    ``wave`` is the number of the wave that the revision is frozen in, ``wave_kind`` what that rests
    on, ``withdrawn`` whether an error was found since. The options stand in the order in which they
    are shown; facts and parameters are prefixed, so that none can overwrite a field of the item.

    Raises
    ------
    InputError
        When the study has no items.
    """
    revisions, facts = study.items.all(), study.items.facts()
    if not revisions:
        raise InputError("nothing to export: the study has no items")
    newest = {revision.item: revision.id for revision in revisions}
    waves = {wave.id: wave for wave in study.waves.all()}
    frozen: dict[int, Row] = {
        item.revision: {
            "wave": waves[item.wave].number,
            "wave_kind": waves[item.wave].label,
            "withdrawn": item.withdrawn,
        }
        for item in study.waves.items()
    }
    rows = tuple(
        {
            **_item(revision),
            "newest": newest[revision.item] == revision.id,
            **frozen.get(revision.id, {}),
            **{f"fact_{name}": value for name, value in facts[revision.scenario].items()},
        }
        for revision in revisions
    )
    return Data(_columns(rows), rows)


def _item(revision: Revision) -> Row:
    row: Row = {
        "scenario": revision.scenario,
        "condition": revision.condition,
        "revision": revision.number,
        "text": revision.text,
        "gold": revision.gold,
    }
    for letter, option in zip(LETTERS.lower(), revision.options, strict=False):
        row |= {f"option_{letter}": option.label, f"option_{letter}_action": option.action}
    for name, value in sorted(revision.parameters.items()):
        row[f"parameter_{name}"] = _plain(value)
    return row


def _plain(value: Any) -> Value:
    return value if isinstance(value, (str, int, float, bool)) else canonical(value)


def _columns(rows: Iterable[Row]) -> dict[str, Kind]:
    """Return the fixed columns, then options, parameters and facts as they occur."""
    found: dict[str, set[Kind]] = {}
    for row in rows:
        for key, value in row.items():
            found.setdefault(key, set()).update(() if value is None else (_kind(value),))
    for prefix in ("option_", "parameter_", "fact_"):
        for key in [key for key in found if key.startswith(prefix)]:
            found[key] = found.pop(key)
    free = {key: kinds for key, kinds in found.items() if key not in ITEM}
    return {**ITEM, **{key: _common(kinds) for key, kinds in free.items()}}


def _kind(value: Value) -> Kind:
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int):
        return "whole"
    return "number" if isinstance(value, float) else "text"


def _common(kinds: set[Kind]) -> Kind:
    if kinds == {"whole", "number"}:
        return "number"
    return next(iter(kinds)) if len(kinds) == 1 else "text"
