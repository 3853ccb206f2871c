"""Leases: a key is asked by one session at a time, and whatever ends a session frees its keys."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from core.runs import Answered, GenerationKey, Prices, Reply
from db.file import StudyFile, open_study
from db.run_sessions import HOLD


@pytest.fixture
def study(study_path: Path) -> Any:
    with open_study(study_path) as opened:
        yield opened


def keys(study: StudyFile, count: int = 4) -> list[GenerationKey]:
    """Keys of run 2, which is open and has an error under the first."""
    item = study.waves.items()[0]
    return [GenerationKey(2, item.id, item.document["prompt_hash"], n + 1) for n in range(count)]


def at(monkeypatch: pytest.MonkeyPatch, **further: float) -> None:
    """Let our clock say another time; the study file's own stays."""
    moment = datetime.now().astimezone() + timedelta(**further)
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    monkeypatch.setattr("db.run_sessions.now", lambda: text.replace("+00:00", "Z"))


def test_a_key_has_one_holder(study: StudyFile) -> None:
    """What one session asks the other does not get; an answered key nobody gets."""
    wanted = keys(study)
    study.runs.store(wanted[3], Reply("ok"))
    first, second = (study.run_sessions.begin(2, 1) for _ in range(2))
    one = study.run_sessions.claim(first, wanted[:2])
    other = study.run_sessions.claim(second, wanted)
    assert one.mine == tuple(wanted[:2])
    assert (other.mine, other.elsewhere) == ((wanted[2],), tuple(wanted[:2]))
    assert study.run_sessions.claim(first, []).mine == ()


def test_what_failed_is_left_alone_while_its_session_goes_on(study: StudyFile) -> None:
    """A failure is no work for the neighbour; when its session ended it is tried again."""
    (key,) = keys(study, 1)
    first, second = (study.run_sessions.begin(2, 1) for _ in range(2))
    assert study.run_sessions.claim(first, [key]).mine == (key,)
    study.runs.keep([Answered(key, Reply("error", error="no"), first)])
    claim = study.run_sessions.claim(second, [key])
    assert (claim.mine, claim.elsewhere) == ((), ())
    study.run_sessions.end(first, "finished")
    assert study.run_sessions.claim(second, [key]).mine == (key,)


@pytest.mark.parametrize("how", ["finished", "interrupted", "failed", "lost"])
def test_an_end_frees_all_leases(study: StudyFile, how: Any) -> None:
    """However a session ends, what it had leased and not answered is free at once."""
    wanted = keys(study)
    first, second = (study.run_sessions.begin(2, 1) for _ in range(2))
    study.run_sessions.claim(first, wanted)
    study.run_sessions.end(first, how)
    study.run_sessions.end(first, "lost")
    assert study.run_sessions.claim(second, wanted).mine == tuple(wanted)
    assert study.run_sessions.of_run(2)[0].ended == how


def test_a_dead_process_frees_its_leases_at_once(study: StudyFile) -> None:
    """The leases of a killed process are taken over without waiting for them to expire."""
    code = (
        "import sys, pathlib, os; from db.file import open_study\n"
        "from core.runs import GenerationKey\n"
        "study = open_study(pathlib.Path(sys.argv[1])); item = study.waves.items()[0]\n"
        "key = GenerationKey(2, item.id, item.document['prompt_hash'], 1)\n"
        "print(len(study.run_sessions.claim(study.run_sessions.begin(2, 1), [key]).mine))\n"
        "sys.stdout.flush(); os.kill(os.getpid(), 9)"
    )
    command = [sys.executable, "-c", code, str(study.path)]
    assert subprocess.run(command, capture_output=True, check=False).stdout == b"1\n"
    mine = study.run_sessions.begin(2, 1)
    assert study.run_sessions.claim(mine, keys(study, 1)).mine == tuple(keys(study, 1))
    assert [session.ended for session in study.run_sessions.of_run(2)] == ["lost", None]


@pytest.mark.parametrize("further", [{"days": -1}, {"days": 1}, {"seconds": -HOLD - 1}])
def test_a_clock_that_was_wrong_blocks_nobody(
    study: StudyFile, monkeypatch: pytest.MonkeyPatch, further: dict[str, float]
) -> None:
    """Leases given under a clock that was far off, either way, do not hold; nothing is lost."""
    wanted = keys(study)
    at(monkeypatch, **further)
    first = study.run_sessions.begin(2, 1)
    study.run_sessions.claim(first, wanted[:2])
    monkeypatch.undo()
    second = study.run_sessions.begin(2, 1)
    assert study.run_sessions.claim(second, wanted).mine == tuple(wanted)
    # The first one notices when it goes on, and works on under a session of its own.
    again = study.run_sessions.claim(first, wanted)
    assert again.session not in {first, second}
    assert (again.mine, again.elsewhere) == ((), tuple(wanted))
    assert not study.run_sessions.renew(first)
    assert study.run_sessions.renew(second)


def test_the_file_itself_keeps_a_live_lease(study: StudyFile) -> None:
    """No other program takes a lease over while its session goes on."""
    first, second = (study.run_sessions.begin(2, 1, Prices(1, 2)) for _ in range(2))
    study.run_sessions.claim(first, keys(study, 1))
    with closing(sqlite3.connect(study.path)) as other:
        with pytest.raises(sqlite3.IntegrityError, match="not before"):
            other.execute("UPDATE leases SET session = ? WHERE session = ?", (second, first))
        with pytest.raises(sqlite3.IntegrityError, match="exists already"):
            other.execute(
                "INSERT OR REPLACE INTO leases (run, wave_item, intervention, sample, session) "
                "SELECT run, wave_item, intervention, sample, ? FROM leases WHERE session = ?",
                (second, first),
            )
    assert study.run_sessions.of_run(2)[0].prices == Prices(1.0, 2.0)
    assert str(os.getpid()) not in str(study.run_sessions.of_run(2))
