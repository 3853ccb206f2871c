"""Waves come before outputs, by the order of the ledger; a long ledger is checked in one pass."""

from __future__ import annotations

import json
import sqlite3
import tracemalloc
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import db.ledger
from audit.verify import study_faults
from core.hashing import canonical
from db.file import StudyFile, open_study
from tests.audit.tampering import unguarded


def resealed(path: Path, order: list[int]) -> None:
    """Write the ledger anew in another order, with every hash made to fit."""
    with closing(sqlite3.connect(path)) as plain:
        stored = {row[0]: row[1:] for row in plain.execute("SELECT * FROM ledger")}
        plain.execute("DELETE FROM ledger")
        previous = ""
        for sequence, old in enumerate(order, start=1):
            event, payload, at, *_ = stored[old]
            sealed = db.ledger._seal(sequence, event, json.loads(payload), at, previous)
            plain.execute(
                "INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?)",
                (sequence, event, payload, at, previous, sealed),
            )
            previous = sealed
        plain.commit()


def test_outputs_before_the_wave_are_found(whole_study: Path, tmp_path: Path) -> None:
    """A run that the ledger has before the wave whose items it answered is named, with both."""
    path = unguarded(whole_study, tmp_path / "study.db")
    with open_study(path) as study:
        events = {entry.event: entry.sequence for entry in reversed(study.ledger.entries())}
        order = [entry.sequence for entry in study.ledger.entries()]
    frozen, began = events["wave frozen"], events["run started"]
    order[frozen - 1], order[began - 1] = began, frozen
    resealed(path, order)
    with open_study(path) as study:
        found = study_faults(study)
    sentence = (
        f"run 1: it began (entry {frozen}) before wave 1 was frozen (entry {began}), and has "
        "outputs on it"
    )
    assert sentence in found
    assert not any("entry" in fault and "changed" in fault for fault in found)


def test_the_order_of_honest_work_is_proved(whole_study: Path, tmp_path: Path) -> None:
    """In the study as it was made every wave has a lower number than each run on it."""
    with open_study(unguarded(whole_study, tmp_path / "study.db")) as study:
        entries = study.ledger.entries()
        frozen = {e.payload["number"]: e.sequence for e in entries if e.event == "wave frozen"}
        began = {e.payload["run"]: e.sequence for e in entries if e.event == "run started"}
        for run in study.runs.all():
            for wave in study.runs.waves(run.id):
                assert frozen[wave] < began[run.id]


def lengthened(study: StudyFile, entries: int) -> None:
    """Add entries of a kind that no fact stands behind, with a payload of some size."""
    payload = {"note": "x" * 400}
    with study.transaction():
        last = study.ledger.entries()[-1]
        previous, at = last.hash, last.at
        for sequence in range(last.sequence + 1, last.sequence + entries + 1):
            sealed = db.ledger._seal(sequence, "noted", payload, at, previous)
            study.ledger._db.execute(
                "INSERT INTO ledger VALUES (?, 'noted', ?, ?, ?, ?)",
                [sequence, canonical(payload), at, previous, sealed],
            )
            previous = sealed


def checked(path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int, int]:
    """Verify a study; return its entries, how often an entry was hashed, and the peak memory."""
    calls = 0
    seal = db.ledger._seal

    def counting(*arguments: Any) -> str:
        nonlocal calls
        calls += 1
        return seal(*arguments)

    with open_study(path) as study, monkeypatch.context() as patch:
        patch.setattr(db.ledger, "_seal", counting)
        tracemalloc.start()
        assert study_faults(study, study.ledger.head()) == ()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return study.ledger.count(), calls, peak


def test_a_long_ledger_is_checked_entry_by_entry(
    study_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten times the entries: hashed twice each, in hardly more memory than before."""
    with open_study(study_path) as study:
        lengthened(study, 1_000)
    count, calls, before = checked(study_path, monkeypatch)
    assert calls < 2.2 * count
    with open_study(study_path) as study:
        lengthened(study, 9_000)
    longer, more, after = checked(study_path, monkeypatch)
    assert longer == count + 9_000
    assert more - calls == 2 * 9_000
    # What grows is a number and a name per entry, not the entries, which are ten times this.
    assert after - before < 9_000 * 150
