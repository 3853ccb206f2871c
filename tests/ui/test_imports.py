"""Hearts beat without a screen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEADLESS = [
    "annotate.sitting", "annotate.plan", "annotate.desk", "annotate.stages", "annotate.pages",
    "annotate.items", "annotate.talk", "audit.sitting", "audit.desk", "audit.differences",
    "ui.text", "ui.guard", "ui.active", "ui.desk", "ui.sitting", "ui.source", "ui.dictation",
    "ui.prose", "ui.lines",
]  # fmt: skip
STORES = ("db", "sqlite_utils", "sqlite3")


@pytest.mark.parametrize("module", HEADLESS)
def test_hearts_load_no_textual(module: str) -> None:
    """Importing a heart leaves Textual and rich out of the process."""
    code = f"import sys, {module}; print([m for m in ('textual', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# What follows the code: stores, hearts, forms, and every screen that shows something to answer.
LATER = {
    "annotate.desk", "annotate.flow", "annotate.pages", "annotate.screens", "annotate.sitting",
    "annotate.stages", "audit.desk", "audit.flow", "audit.screens", "audit.sitting", "core.forms",
    "core.packets", "core.study", "ui.desk", "ui.flow", "ui.screens.item", "ui.screens.note",
    "ui.widgets.form_view", "ui.widgets.reading_pane", *STORES,
}  # fmt: skip


def after(code: str) -> set[str]:
    """Return all modules, and the packages they stand in, of a process that ran the code."""
    ask = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("module", ["annotate.app", "audit.app", "cli.rate", "cli.door"])
def test_the_first_screen_waits_for_nothing_that_follows_the_code(module: str) -> None:
    """It is painted before what reads a study and what shows its items is loaded."""
    assert not after(f"import {module}") & LATER


@pytest.mark.parametrize(
    ("app", "follows"),
    [("annotate.app.RateApp", {"annotate.flow"}), ("audit.app.AuditApp", {"audit.flow"}),
     ("cli.door.DoorApp", {"annotate.flow", "audit.flow"})],
)  # fmt: skip
def test_nobody_who_typed_a_code_waits_for_screens(
    app: str, follows: set[str], study_path: Path
) -> None:
    """They are loaded with the study, while the code is typed."""
    module = app.rpartition(".")[0]
    code = f"import {module}, pathlib; app = {app}(pathlib.Path({str(study_path)!r}))"
    assert not after(code) & LATER
    assert follows <= after(f"{code}; app.open()")
