"""docs/waves.md is true: its program runs, its commands exist, its fields are those frozen."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from audit.breaches import accepted
from audit.sentences import SENTENCES
from cli.main import cli
from core.items import Fault
from db.file import open_study
from tests.core.test_canonical import BYTES, by_hand

TEXT = (Path(__file__).parents[2] / "docs" / "waves.md").read_text(encoding="utf-8")


def test_the_readers_program_checks_a_wave(study_path: Path, tmp_path: Path) -> None:
    """The program on the page needs nothing of ours, and fails when a frozen byte was changed."""
    found = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert found
    program = tmp_path / "check.py"
    program.write_text(found[1], encoding="utf-8")
    assert len([line for line in found[1].splitlines() if line.strip()]) <= 15
    command = [sys.executable, "-I", str(program), str(study_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    with open_study(study_path) as study:
        assert done.stdout == f"wave 1: 20 items, {study.waves.all()[0].hash}\n"
        study._db.execute("DROP TRIGGER wave_items_unchanged")
        study._db.execute("UPDATE wave_items SET document = document || ' ' WHERE id = 1")
        study._db.conn.commit()
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1


def test_every_field_on_the_page_is_frozen(study_path: Path) -> None:
    """The page names each field of both documents, and no others."""
    with open_study(study_path) as study:
        wave, item = study.waves.all()[0].header, study.waves.items()[0].document
    table = TEXT.partition("The document of a wave holds")[2].partition("So the one hash")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    broken = accepted([Fault("S01", "rule", "found")], "why it may stand")
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == {*wave, *broken}
    said = re.search(r"The document of an item holds (.*?)\n\n", TEXT, re.DOTALL)
    assert said
    assert set(re.findall(r"`(\w+)`", said[1])) == set(item)


def test_every_command_on_the_page_exists() -> None:
    """Who types what stands on the page meets a command."""
    for line in set(re.findall(r"wavelock ((?:wave|ledger|report|runs) [a-z]+)", TEXT)):
        noun, verb = line.split()
        words = [noun] if noun == "report" else [noun, verb]
        assert CliRunner().invoke(cli, [*words, "--help"]).exit_code == 0


def test_every_entry_on_the_page_has_a_sentence() -> None:
    """The table of entries names events that are told."""
    table = TEXT.partition("| entry | what it carries |")[2]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| ")]
    named = {name.strip() for row in rows for name in row.split(",")} - {"---"}
    assert named <= set(SENTENCES)
    assert len(named) > 10


def test_the_rules_on_the_page_are_followed_by_hand() -> None:
    """Every rule is in the example that the other writer is held against."""
    value: Any = json.loads(BYTES)
    assert by_hand(value) == BYTES
