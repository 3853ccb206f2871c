"""Hearts beat without a screen."""

from __future__ import annotations

import subprocess
import sys

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


@pytest.mark.parametrize("module", ["annotate.app", "audit.app"])
def test_screens_load_no_study(module: str) -> None:
    """The first screen is painted before what reads a study is loaded."""
    code = f"import sys, {module}; print([m for m in sys.modules if m.split('.')[0] in {STORES}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
