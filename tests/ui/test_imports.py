"""Hearts beat without a screen."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEADLESS = ["annotate.sitting", "annotate.plan", "annotate.desk", "audit.sitting", "audit.desk",
            "audit.differences", "ui.text", "ui.guard", "ui.active", "ui.desk"]  # fmt: skip


@pytest.mark.parametrize("module", HEADLESS)
def test_hearts_load_no_textual(module: str) -> None:
    """Importing a heart leaves Textual and rich out of the process."""
    code = f"import sys, {module}; print([m for m in ('textual', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
