"""Where the texts of a rewrite come from: the command line, a text file or a file of drafts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from audit.draft_files import open_drafts
from core.errors import InputError, NotFound
from core.items import ItemText
from core.rows import RowFault, decoded
from core.study import Revision
from db.file import StudyFile
from suites.base import Suite
from suites.drafts import read_drafts


def from_texts(
    study: StudyFile, scenario: str, conditions: Sequence[str], texts: Sequence[str]
) -> dict[str, ItemText]:
    """Return items with other texts, everything else as it stands."""
    if not texts or len(conditions) != len(texts):
        raise InputError(
            "name a --condition for every --text, in their order"
            if texts
            else "say what the new text is, with --text or --file"
        )
    if len(set(conditions)) != len(conditions):
        raise InputError("a condition is named twice")
    stands = _newest(study, scenario)
    return {
        name: _with_text(stands, scenario, name, text)
        for name, text in zip(conditions, texts, strict=True)
    }


def from_text_file(
    study: StudyFile, scenario: str, conditions: Sequence[str], file: Path
) -> dict[str, ItemText]:
    """Return one item with the text of a file, without the line break at its end."""
    if len(conditions) != 1:
        raise InputError(f"{file} holds one text: name the --condition that it is of")
    try:
        text = decoded(file.read_bytes())
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from error
    if isinstance(text, RowFault):
        raise InputError(f"{file}, {text}")
    text = text.replace("\r\n", "\n").removesuffix("\n")
    return from_texts(study, scenario, conditions, [text])


def from_drafts(
    study: StudyFile,
    suite: Suite,
    scenario: str,
    conditions: Sequence[str],
    file: Path,
    *,
    delimiter: str = ",",
) -> dict[str, ItemText]:
    """Return the items of a scenario as a file of drafts has them, its newest texts.

    Raises
    ------
    InputError
        With the first fault of the file, or when the scenario is not in it.
    """
    opened = open_drafts(file, delimiter)
    found = read_drafts(opened.content, suite, typed=opened.typed)
    if found.faults:
        more = f" (and {len(found.faults) - 1} more)" if len(found.faults) > 1 else ""
        raise InputError(f"{file}, {found.faults[0]}{more}")
    draft = next((draft for draft in found.drafts if draft.id == scenario), None)
    if draft is None:
        raise InputError(f"{file} has no scenario {scenario}")
    facts = study.items.facts().get(scenario)
    if facts is not None and dict(draft.facts) != facts:
        raise InputError(f"{file} has other facts of {scenario}; facts are not revised")
    items = {item.condition: item for item in draft.scenario.items}
    if unknown := [name for name in conditions if name not in items]:
        raise NotFound(f"{file} has no condition {unknown[0]} of {scenario}")
    return {name: item for name, item in items.items() if not conditions or name in conditions}


def _newest(study: StudyFile, scenario: str) -> dict[str, Revision]:
    found = {r.condition: r for r in study.items.latest() if r.scenario == scenario}
    if not found:
        raise NotFound(f"there is no scenario {scenario}")
    return found


def _with_text(
    stands: Mapping[str, Revision], scenario: str, condition: str, text: str
) -> ItemText:
    if condition not in stands:
        known = ", ".join(stands)
        raise NotFound(f"{scenario} has no condition {condition}; it has {known}")
    item = stands[condition]
    return ItemText(condition, text, item.options, item.gold, item.parameters)
