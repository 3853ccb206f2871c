"""Synthetic drafts for tests: small scenarios that keep every construction rule of Core-100."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from audit.draft_files import open_drafts
from audit.drafting import Intake, checked, store
from db.file import StudyFile
from suites.core100.suite import SUITE

THINGS = ("ladder", "kettle", "mirror", "bicycle", "curtain", "drawer", "printer", "lantern")
PLACES = ("shed", "cellar", "attic", "garage", "kitchen", "workshop", "pantry", "hallway")
CELLS = (
    ("proximity", "presence"), ("proximity", "capability"), ("efficiency", "validity"),
    ("cost", "scope"), ("semantic match", "scope"), ("efficiency", "procedural"),
)  # fmt: skip
DOMAINS = ("home", "work", "shopping", "travel", "digital", "medical", "transportation")


def synthetic(number: int) -> dict[str, Any]:
    """Return a scenario as one entry of a file. SYNTHETIC: made by a program, for tests alone.

    Made-up words, drawn from its number, tell it from the others, so that none are near-duplicates.
    """
    mark = f"{number:03}"
    thing, place = THINGS[number % 8], PLACES[number // 8 % 8]
    draw = Random(number)
    names = ["".join(draw.choice(pair) for pair in ("bdfgk", "aeiou") * 3) for _ in range(9)]
    code = " ".join(names)
    heuristic, constraint = CELLS[number % len(CELLS)]

    def text(state: str, clause: str = "") -> str:
        return (
            f"[synthetic {mark}] I need the {thing} {code} from the {place} beside me, and its "
            f"lock is {state}.{clause} Should I fetch the key or walk straight in?"
        )

    return {
        "scenario": f"C{mark}",
        "facts": {
            "heuristic": heuristic,
            "constraint": constraint,
            "domain": DOMAINS[number % len(DOMAINS)],
            "prerequisite": f"The {place} must be open.",
        },
        "options": {"heavy": "Fetch the key", "heuristic": "Walk straight in"},
        "texts": {
            "Active": text("shut"),
            "Removed": text("open"),
            "Explicit": text("shut", " Nothing else opens that door today."),
            "SalienceControl": text("shut", " Somebody else painted that wall recently."),
        },
    }


def write(path: Path, entries: list[dict[str, Any]]) -> Path:
    """Write entries as JSON."""
    path.write_text(json.dumps(entries), "utf-8")
    return path


def take_in(study: StudyFile, path: Path) -> Intake:
    """Import a file without faults."""
    file = open_drafts(path)
    intake = checked(study, SUITE, file)
    assert intake.faults == ()
    store(study, file, intake)
    return intake
