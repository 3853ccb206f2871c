"""What judges said is held against the ledger; an edit of any of it is named."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from audit.verify import study_faults
from audit.verify_judges import judge_faults
from db.file import open_study

ENDED = "call 1 of judge 1: its judgements are not those of its end"
BODIES = "call 1 of judge 1: its raw bodies are not those of its end"
EDITS = {
    "verdict": (
        "UPDATE judgements SET verdict = 'incorrect' WHERE id = "
        "(SELECT min(id) FROM judgements WHERE verdict = 'correct')",
        ENDED,
    ),
    "verdict taken away": ("UPDATE judgements SET verdict = NULL WHERE id = 1", ENDED),
    "score": ("UPDATE judgements SET score = 9 WHERE id = 1", ENDED),
    "what the judge said": ("UPDATE judgements SET visible_text = 'GRADE: I'", ENDED),
    "about another reply": ("UPDATE judgements SET generation = 99 WHERE id = 1", ENDED),
    "removed": ("DELETE FROM judgements WHERE id = 1", ENDED),
    "moved to no call": (
        "UPDATE judgements SET call = 9 WHERE id = 1",
        "judgement 1 belongs to no call of its judge",
    ),
    "raw body": (
        "UPDATE bodies SET reply = x'789c030000000001' WHERE id = "
        "(SELECT body FROM judgements WHERE id = 1)",
        BODIES,
    ),
    "tokens": ("UPDATE judgements SET tokens_out = 1 WHERE id = 1", BODIES),
    "text of the rubric": (
        "UPDATE rubrics SET document = replace(document, 'Right', 'Wrong')",
        "is not the text that it was",
    ),
    "model of the judge": (
        "UPDATE judges SET model = 'better'",
        "judge 1: its rubric, model or configuration is not what it was",
    ),
    "hash of the judge": (
        "UPDATE judges SET hash = 'x'",
        "judge 1 is not the one that entry",
    ),
    "judge removed": ("DELETE FROM judges", "judge 1 is in the ledger, but not in the study"),
    "call removed": (
        "DELETE FROM judge_calls",
        "call 1 of a judge is in the ledger, but not in the study",
    ),
    "call opened again": (
        "UPDATE judge_calls SET ended_at = NULL, ended = NULL, digest = NULL",
        "call 1 of judge 1: its end was taken back",
    ),
    "scope of the call": (
        "UPDATE judge_calls SET scope = json_set(scope, '$.samples', 1)",
        "call 1 of judge 1: entry",
    ),
    "digest of the call": ("UPDATE judge_calls SET digest = 'x'", ENDED),
    "call without an entry": (
        "INSERT INTO judge_calls VALUES (9, 1, '{}', 'm', 'p', 'now', NULL, NULL, NULL)",
        "call 9 of judge 1: it has begun without an entry",
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
        assert list(judge_faults(study)) == []
    sql, told = EDITS[edit]
    spoil(study_path, sql)
    with open_study(study_path) as study:
        found = list(judge_faults(study))
        assert any(told in fault for fault in found), found
        assert set(found) <= set(study_faults(study))


def test_the_file_refuses_what_was_not_asked(study_path: Path) -> None:
    """No second verdict, no attempt out of turn, nothing in a call that has ended."""
    row = "INSERT INTO judgements SELECT NULL, judge, generation, sample, {}, {}, prompt_hash, " \
          "state, visible_text, reasoning, verdict, score, finish_reason, usage, answered_by, " \
          "error, seconds, started_at, ended_at, attempts, tokens_in, tokens_out, body " \
          "FROM judgements WHERE id = 1"  # fmt: skip
    with closing(sqlite3.connect(study_path)) as plain:
        with pytest.raises(sqlite3.IntegrityError, match="needs an open call"):
            plain.execute(row.format(2, 1))
        plain.execute(
            "INSERT INTO judge_calls VALUES (9, 1, '{}', 'm', 'p', 'now', NULL, NULL, NULL)"
        )
        with pytest.raises(sqlite3.IntegrityError, match="follows attempts without a verdict"):
            plain.execute(row.format(2, 9))
        with pytest.raises(sqlite3.IntegrityError, match="one call at a time"):
            plain.execute(
                "INSERT INTO judge_calls VALUES (10, 1, '{}', 'm', 'p', 'now', NULL, NULL, NULL)"
            )
