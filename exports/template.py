"""An empty file of drafts: one scenario of a suite with nothing in it yet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.errors import InputError
from exports.data import Data, Kind, encoded
from suites.base import Suite

ENDINGS = (".csv", ".json", ".yaml", ".yml")


def template_text(suite: Suite, target: Path) -> str:
    """Return the text of a template, in the format that the file's ending names.

    Raises
    ------
    InputError
        When the ending names none of them.
    """
    match target.suffix.lower():
        case ".csv":
            return _csv(suite)
        case ".json":
            return json.dumps([_scenario(suite)], ensure_ascii=False, indent=1) + "\n"
        case ".yaml" | ".yml":
            return _yaml(suite)
    raise InputError(f"{target} must end in {', '.join(ENDINGS)}, so that it is written as that")


def _scenario(suite: Suite) -> dict[str, Any]:
    """Return one scenario as one entry; what the suite fixes (gold) is left out."""
    entry: dict[str, Any] = {
        "scenario": "",
        "facts": dict.fromkeys(suite.draft.facts, ""),
        "options": dict.fromkeys(suite.draft.actions, ""),
        "texts": dict.fromkeys(suite.conditions, ""),
    }
    if free := [name for name in suite.conditions if name not in suite.draft.golds]:
        entry["gold"] = dict.fromkeys(free, "")
    return {key: value for key, value in entry.items() if value != {}}


def _csv(suite: Suite) -> str:
    """Return one row per condition, options in lettered columns."""
    columns: dict[str, Kind] = {"scenario": "text", "condition": "text", "text": "text"}
    columns["gold"] = "text"
    fixed = {}
    for letter, action in zip("abcdefgh", suite.draft.actions, strict=False):
        columns |= {f"option_{letter}": "text", f"option_{letter}_action": "text"}
        fixed[f"option_{letter}_action"] = action
    columns |= {f"fact_{name}": "text" for name in suite.draft.facts}
    rows = tuple(
        {"condition": name, "gold": suite.draft.golds.get(name), **fixed}
        for name in suite.conditions
    )
    return encoded(Data(columns, rows), "csv").decode()


def _yaml(suite: Suite) -> str:
    """Return the entry by hand, so that what is allowed can be said beside it."""
    lines: list[str] = []
    for key, value in _scenario(suite).items():
        mark = "  " if lines else "- "
        if not isinstance(value, dict):
            lines.append(f"{mark}{key}: ''")
            continue
        lines.append(f"{mark}{key}:")
        for name in value:
            allowed = suite.draft.facts.get(name, ()) if key == "facts" else ()
            lines.append(f"    {name}: ''" + (f"  # {', '.join(allowed)}" if allowed else ""))
    return "\n".join(lines) + "\n"
