"""Choice scores are held against the ledger; an edit of any of it is named."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from audit.verify import study_faults
from audit.verify_choices import choice_faults
from db.file import open_study

ENDED = "call 1 of setup 1: its choice scores are not those of its end"
BODIES = "call 1 of setup 1: its raw bodies or times are not those of its end"
SETUP = "setup 1: its model, build or configuration is not what it was"
EDITS = {
    "log-probability": (
        "UPDATE choice_scores SET answers = json_set(answers, '$[0].logprob', -0.25) WHERE id = 1",
        ENDED,
    ),
    "log-probability of one token": (
        "UPDATE choice_scores SET answers = "
        "json_set(answers, '$[0].variants[0].logprobs[0]', -0.25) WHERE id = 1",
        ENDED,
    ),
    "word": (
        "UPDATE choice_scores SET answers = json_set(answers, '$[0].word', 'Fly') WHERE id = 1",
        ENDED,
    ),
    "state": (
        "UPDATE choice_scores SET state = 'unscorable', error = 'too long' WHERE id = 1",
        ENDED,
    ),
    "of another item": ("UPDATE choice_scores SET wave_item = 99 WHERE id = 1", ENDED),
    "of another prompt": ("UPDATE choice_scores SET prompt_hash = 'x' WHERE id = 1", ENDED),
    "removed": ("DELETE FROM choice_scores WHERE id = 1", ENDED),
    "moved to no call": (
        "UPDATE choice_scores SET call = 9 WHERE id = 1",
        "choice score 1 belongs to no call of its setup",
    ),
    "raw body": (
        "UPDATE bodies SET reply = x'789c030000000001' WHERE id = "
        "(SELECT body FROM choice_scores WHERE id = 1)",
        BODIES,
    ),
    "seconds": ("UPDATE choice_scores SET seconds = 9 WHERE id = 1", BODIES),
    "build": ("UPDATE choice_setups SET build = json_set(build, '$.engine', 'another')", SETUP),
    "anchor": ("UPDATE choice_setups SET config = json_set(config, '$.anchor', 'x')", SETUP),
    "hash of the setup": ("UPDATE choice_setups SET hash = 'x'", "setup 1 is not the one that"),
    "setup removed": (
        "DELETE FROM choice_setups",
        "setup 1 is in the ledger, but not in the study",
    ),
    "call removed": (
        "DELETE FROM choice_calls",
        "call 1 of a setup is in the ledger, but not in the study",
    ),
    "call opened again": (
        "UPDATE choice_calls SET ended_at = NULL, ended = NULL, digest = NULL",
        "call 1 of setup 1: its end was taken back",
    ),
    "scope of the call": (
        "UPDATE choice_calls SET scope = json_set(scope, '$.waves', json('[1]'))",
        "call 1 of setup 1: entry",
    ),
    "digest of the call": ("UPDATE choice_calls SET digest = 'x'", ENDED),
    "call without an entry": (
        "INSERT INTO choice_calls VALUES (9, 1, '{}', 'm', 'p', 'now', NULL, NULL, NULL)",
        "call 9 of setup 1: it has begun without an entry",
    ),
}


def spoil(path: Path, edit: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        named = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        for (name,) in connection.execute(named).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        assert connection.execute(edit).rowcount, "nothing done"
        connection.commit()


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_found(study_path: Path, edit: str) -> None:
    """Each edit is found by what it broke, and the whole verification tells of it."""
    with open_study(study_path) as study:
        assert list(choice_faults(study)) == []
    sql, told = EDITS[edit]
    spoil(study_path, sql)
    with open_study(study_path) as study:
        found = list(choice_faults(study))
        assert any(told in fault for fault in found), found
        assert set(found) <= set(study_faults(study))


def test_the_file_refuses_what_was_not_asked(study_path: Path) -> None:
    """No second score, no attempt out of turn, nothing after an end or a withdrawal."""
    row = (
        "INSERT INTO choice_scores SELECT NULL, setup, {}, {}, {}, prompt_hash, state, answers, "
        "error, prompt_tokens, forward_calls, seconds, started_at, ended_at, body "
        "FROM choice_scores WHERE id = 1"
    )
    with closing(sqlite3.connect(study_path)) as plain:
        scored = {number for (number,) in plain.execute("SELECT wave_item FROM choice_scores")}
        (gone,) = plain.execute("SELECT wave_item FROM wave_withdrawals").fetchone()
        all_items = {number for (number,) in plain.execute("SELECT id FROM wave_items")}
        (one, *_), (other, *_) = sorted(scored), sorted(all_items - scored - {gone})
        with pytest.raises(sqlite3.IntegrityError, match="needs an open call"):
            plain.execute(row.format(other, 1, 1))
        plain.execute(
            "INSERT INTO choice_calls VALUES (9, 1, '{}', 'm', 'p', 'now', NULL, NULL, NULL)"
        )
        for item, attempt in ((one, 2), (one, 1), (other, 2)):
            with pytest.raises(sqlite3.IntegrityError, match=r"follows failed|exists already"):
                plain.execute(row.format(item, attempt, 9))
        with pytest.raises(sqlite3.IntegrityError, match="withdrawn item takes no further"):
            plain.execute(row.format(gone, 1, 9))
        assert plain.execute(row.format(other, 1, 9)).rowcount == 1
        with pytest.raises(sqlite3.IntegrityError, match="one call at a time"):
            plain.execute(
                "INSERT INTO choice_calls VALUES (10, 1, '{}', 'm', 'p', 'now', NULL, NULL, NULL)"
            )
        for change in ("ended = 'lost'", "digest = 'x'", "started_at = 'x'"):
            with pytest.raises(sqlite3.IntegrityError, match="ends once, with its digest"):
                plain.execute(f"UPDATE choice_calls SET {change} WHERE id = 9")
