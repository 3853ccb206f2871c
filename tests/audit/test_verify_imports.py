"""What was imported is held against the ledger; an edit of any of it is named."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from audit.sentences import told
from audit.verify import study_faults
from core.prompt_keys import prompt_key
from db.file import open_study
from evals.imports.examining import examine
from evals.imports.files import opened
from evals.imports.samples import How
from evals.imports.storing import store

ANSWERS = "run 5: its imported answers are not those of entry"
RECORDS = "run 5: its raw records are not those of entry"
EDITS = {
    "what was said": ("UPDATE generations SET visible_text = 'B' WHERE run = 5", ANSWERS),
    "state": ("UPDATE generations SET state = 'refused' WHERE run = 5", ANSWERS),
    "an error made an answer": (
        "UPDATE generations SET state = 'ok' WHERE run = 5 AND state = 'error'", ANSWERS,
    ),
    "time": ("UPDATE generations SET seconds = 1 WHERE run = 5", ANSWERS),
    "sample": ("UPDATE generations SET sample = 9 WHERE run = 5 AND sample = 1", ANSWERS),
    "removed": ("DELETE FROM generations WHERE run = 5 AND sample = 1", ANSWERS),
    "moved to another run": (
        "UPDATE generations SET run = 2 WHERE run = 5 AND sample = 2", ANSWERS,
    ),
    "moved to no import": (
        "UPDATE generations SET session = NULL WHERE run = 5",
        "run 5: 3 imported outputs stand without an entry",
    ),
    "raw record": (
        "UPDATE bodies SET reply = x'789c030000000001' WHERE id IN "
        "(SELECT body FROM generations WHERE run = 5)",
        RECORDS,
    ),
    "what was asked": (
        "UPDATE bodies SET request = '{}' WHERE id IN (SELECT body FROM generations WHERE run = 5)",
        RECORDS,
    ),
    "a run that was made here": (
        "UPDATE runs SET kind = 'chat' WHERE id = 5", "outputs were imported into it, and it is",
    ),
    "what the file was called": (
        "UPDATE runs SET config = replace(config, 'out.jsonl', 'other.jsonl') WHERE id = 5",
        "run 5: its model or configuration is not what it was started with",
    ),
}  # fmt: skip


@pytest.fixture
def imported(study_path: Path, tmp_path: Path) -> Path:
    """The whole study with a run that was imported: two answers and an error."""
    with open_study(study_path) as study:
        keys = [prompt_key(item.hash) for item in study.waves.items()]
        rows: list[dict[str, Any]] = [
            {"key": keys[0], "response": "A", "sample": 1},
            {"key": keys[0], "response": "B", "sample": 2},
            {"key": keys[1], "error": "boom"},
        ]
        path = tmp_path / "out.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)))
        found = examine(study, opened(path), How(model="m"))
        store(study, found, partial=False)
        assert study_faults(study) == ()
    return study_path


@pytest.mark.parametrize("kind", EDITS)
def test_every_edit_is_named(imported: Path, kind: str) -> None:
    """Triggers can be dropped; then verification finds what was changed."""
    sql, words = EDITS[kind]
    with closing(sqlite3.connect(imported)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
            connection.execute(f"DROP TRIGGER {name}")
        assert connection.execute(sql).rowcount > 0
        connection.commit()
    with open_study(imported) as study:
        assert any(words in fault for fault in study_faults(study))


def test_an_output_without_an_entry_is_found(imported: Path) -> None:
    """What is slipped into an imported run later is not of any import."""
    with closing(sqlite3.connect(imported)) as connection:
        connection.execute(
            "INSERT INTO generations (run, wave_item, prompt_hash, intervention, sample, state, "
            "visible_text, reasoning, finish_reason, usage, answered_by, error, seconds, "
            "started_at, ended_at) SELECT run, wave_item, prompt_hash, intervention, 7, state, "
            "visible_text, reasoning, finish_reason, usage, answered_by, error, seconds, "
            "started_at, ended_at FROM generations WHERE run = 5 AND sample = 1 LIMIT 1"
        )
        connection.commit()
    with open_study(imported) as study:
        assert "run 5: 1 imported outputs stand without an entry" in study_faults(study)


def test_the_entry_is_a_sentence(imported: Path) -> None:
    """With its run, its file and its counts."""
    with open_study(imported) as study:
        said = told(study.ledger.entries()[-1])
    assert said.startswith("3 generations imported into run 5 of m from out.jsonl (jsonl): sha256:")
