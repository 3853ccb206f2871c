"""docs/researchers.md is one study: its commands run one after the other and say what it shows."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.main import cli

TEXT = (Path(__file__).parents[2] / "docs" / "researchers.md").read_text("utf-8")
BLOCKS = re.findall(r"```(console|csv|toml)\n(.*?)```", TEXT, re.DOTALL)
SLOW = ("round simulate", "agreement", "report --html", "prereg show")  # tried elsewhere


def commands(block: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each command of a console block with the lines that are shown below it."""
    for part in block.split("$ ")[1:]:
        command, *shown = part.splitlines()
        if command.startswith("wavelock "):
            yield command.removeprefix("wavelock "), shown


def masked(line: str) -> str:
    """Leave out what is another thing in every study: hashes, and tokens, as options are turned."""
    return re.sub(r"[0-9a-f]{64}|[\d,]+ tokens", "…", line).rstrip()


def test_the_study_on_the_page_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files are written as they stand there; every command succeeds and begins as it is shown."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WAVELOCK_STUDY", "study.db")
    monkeypatch.setenv("COLUMNS", "100")
    head, done = "", 0
    for kind, block in BLOCKS:
        if kind != "console":
            file = Path("drafts.csv" if kind == "csv" else "plan.toml")
            before = file.read_text("utf-8") if file.exists() else ""
            file.write_text(f"{before}\n{block}".lstrip(), "utf-8")
            continue
        for command, shown in commands(block):
            if command.startswith(SLOW):
                continue
            words = [head if word.startswith("sha256:") else word for word in shlex.split(command)]
            found = CliRunner().invoke(cli, words)
            assert found.exit_code == 0, (command, found.output)
            first = (found.stdout or found.stderr).splitlines()[0]
            assert masked(first) == masked(shown[0]), command
            head = found.stdout.strip() if command == "ledger head" else head
            done += 1
    assert done > 25
