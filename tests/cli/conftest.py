"""The command line as a script meets it: arguments in, exit code and two streams out."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cli.main import main


@dataclass(frozen=True)
class Done:
    """What a command left: its exit code, and what it printed."""

    code: int
    out: str
    err: str


Wavelock = Callable[..., Done]


@pytest.fixture
def wavelock(capfd: pytest.CaptureFixture[str]) -> Wavelock:
    """Return a function that runs the command line in this process."""

    def run(*arguments: Any) -> Done:
        capfd.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        found = capfd.readouterr()
        assert isinstance(left.value.code, int)
        return Done(left.value.code, found.out, found.err)

    return run


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the demo has been run once; copied by tests, never used itself."""
    folder = tmp_path_factory.mktemp("demo") / "demo"
    with pytest.raises(SystemExit) as left:
        main(["demo", "--dir", str(folder), "--no-tui", "--model", "scripted"])
    assert left.value.code == 0
    return folder


@pytest.fixture
def demo(demo_folder: Path, tmp_path: Path) -> Path:
    """A copy of a finished demo."""
    return Path(shutil.copytree(demo_folder, tmp_path / "demo"))
