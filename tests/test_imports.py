"""What is asked for is loaded, and nothing else: hearts without screens, help without numbers."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {
    "textual", "numpy", "pandas", "scipy", "statsmodels", "matplotlib", "httpx", "krippendorff",
    "jinja2", "plotext", "asyncio",
}  # fmt: skip
SCREENS = {"textual"}
NUMBERS = {"numpy", "pandas", "scipy", "statsmodels", "matplotlib"}


def loaded(code: str) -> set[str]:
    """Return the top-level modules that a fresh process has after running the code."""
    ask = f"{code}\nimport json, sys\nprint()\nprint(json.dumps([n for n in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


@pytest.mark.parametrize(
    "module",
    [
        "annotate.sitting", "annotate.stages", "annotate.wording", "annotate.plan",
        "annotate.simulate", "annotate.plain", "annotate.packet_in", "annotate.packet_out",
        "audit.plain", "audit.sitting",
        "audit.inclusion", "audit.agreement", "audit.verify", "audit.freezing", "db.file",
        "stats.agreement", "stats.inclusion", "stats.paired", "stats.resample", "stats.icc",
        "evals.models", "evals.runner", "evals.scoring", "suites.core100.suite",
        "exports.report", "exports.html", "exports.terminal",
    ],
)  # fmt: skip
def test_hearts_are_headless(module: str) -> None:
    """Importing what decides does not load what draws."""
    assert not loaded(f"import {module}") & SCREENS


CORE = (
    "clock", "errors", "estimate", "figures", "forms", "hashing", "items", "packets", "rules",
    "runs", "settings", "study", "tables", "verifiers",
)  # fmt: skip


def test_core_is_light() -> None:
    """Everybody imports core, so core imports nothing of anybody's, heavy or ours."""
    found = loaded("\n".join(f"import core.{name}" for name in CORE))
    ours = {"annotate", "audit", "cli", "db", "evals", "exports", "stats", "suites", "ui"}
    assert not found & (HEAVY | ours | {"click", "rich", "sqlite3", "sqlite_utils"})


def test_the_study_file_is_light() -> None:
    """Opening a study loads no statistics and no network."""
    assert not loaded("import db.file") & (HEAVY - {"asyncio"})


def test_naming_a_model_loads_no_client() -> None:
    """The description of a model is known before any HTTP client is."""
    assert not loaded("import evals.models") & (HEAVY - {"asyncio"})


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"], ["--version"], ["round", "--help"], ["round", "plan", "--help"],
        ["demo", "--help"], ["run", "--help"], ["report", "--help"], ["items", "--help"],
        ["wave", "--help"], ["ledger", "--help"], ["include", "--help"], ["rate", "--help"],
        ["enter", "--help"], ["serve", "--help"], ["serve", "status", "--help"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    """Help is there at once: no statistics, no screens, no drawing, no network."""
    code = (
        "from cli.main import main\n"
        f"try:\n    main({arguments!r})\n"
        "except SystemExit as left:\n    assert left.code == 0"
    )
    assert not loaded(code) & (
        NUMBERS | SCREENS | {"httpx", "jinja2", "plotext", "asyncssh", "aiohttp"}
    )


def test_a_server_holds_neither_screens_nor_numbers() -> None:
    """It carries bytes; what draws and what reads a study runs in processes of their own."""
    assert not loaded("import annotate.serve.server") & (NUMBERS | SCREENS | {"httpx"})


def test_the_door_is_drawn_before_the_study_is_opened() -> None:
    """What people wait for does not load what reads a study."""
    assert not loaded("import cli.door") & {"sqlite3", "sqlite_utils", "asyncssh", "aiohttp"}
