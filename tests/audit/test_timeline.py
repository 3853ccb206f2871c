"""The ledger for readers: every kind of entry is a sentence, and entries are found by subject."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from audit.sentences import SENTENCES, told
from audit.timeline import about, timeline
from core.study import LedgerEntry
from db.file import open_study
from tests.audit.sealed import sealed


@pytest.fixture
def entries(whole_study: Path, tmp_path: Path) -> tuple[LedgerEntry, ...]:
    with open_study(sealed(whole_study, tmp_path / "study.db")) as study:
        return study.ledger.entries()


def entry(event: str, payload: Any) -> LedgerEntry:
    return LedgerEntry(1, event, payload, "2026-01-02T03:04:05.678Z", "", "sha256:" + "0" * 64)


def test_every_entry_is_a_sentence(entries: tuple[LedgerEntry, ...]) -> None:
    """No JSON, no whole hash: what happened, to what, how much of it."""
    seen = {found.event for found in entries}
    elsewhere = {
        "plan of an import", "ratings imported", "audits imported", "generations imported",
        "scenario revised",
    }  # fmt: skip
    assert seen >= SENTENCES.keys() - elsewhere
    for found in entries:
        assert found.event in SENTENCES
        text = told(found)
        assert not re.search(r"[{}\[\]]|sha256:[0-9a-f]{13}", text), text
        assert text != f"{found.event}: "
    assert told(entries[0]) == "study created from suite core100, with 24 drafted items"


def test_sentences_have_the_numbers(entries: tuple[LedgerEntry, ...]) -> None:
    """A reader of a paper finds counts, names and reasons."""
    text = "\n".join(told(found) for found in entries)
    assert "round rehearsal decided by rule " in text
    assert re.search(
        r"wave 1 frozen \(simulated\): 20 items of 5 scenarios of round rehearsal", text
    )
    assert "withdrawn from wave 1: S05/SalienceControl (the added clause gives the answer" in text
    assert re.search(
        r"run 1 of scripted \(a fake, no model\) began on wave 1, exploratory: configuration", text
    )
    assert "20 scores by forced-choice" in text
    assert re.search(r"P-\w+ withdrew: \d+ ratings and 0 audits void, in rehearsal", text)


@pytest.mark.parametrize(
    ("subject", "events"),
    [
        ("wave 1", {"wave frozen", "items withdrawn", "run started"}),
        ("run 1", {"run started", "run closed"}),
        ("tried", {"preregistration", "round opened", "round closed"}),
        ("round tried", {"preregistration", "round opened", "round closed"}),
        ("s05", {"items withdrawn"}),
        ("S05/SalienceControl", {"items withdrawn"}),
        ("nothing", set()),
    ],
)
def test_entries_are_found_by_what_they_are_about(
    entries: tuple[LedgerEntry, ...], subject: str, events: set[str]
) -> None:
    """A round, a wave, a run, a scenario or an item, with or without its kind."""
    found = timeline(entries, subjects=[subject], whole=True)
    assert {row["event"] for row in found.rows} == events
    assert subject in found.title


def test_entries_are_found_by_kind(entries: tuple[LedgerEntry, ...]) -> None:
    """The beginning of an event's name is enough, and several may be asked for."""
    found = timeline(entries, kinds=["run", "wave frozen"], whole=True)
    assert {row["event"] for row in found.rows} == {
        "run started", "run closed", "run dropped", "wave frozen"
    }  # fmt: skip


def test_a_person_is_found(entries: tuple[LedgerEntry, ...]) -> None:
    """Everything that the ledger says of a pseudonym."""
    gone = next(e for e in entries if e.event == "person erased").payload["person"]
    found = timeline(entries, subjects=[gone], whole=True)
    assert [row["event"] for row in found.rows] == ["person withdrawn", "person erased"]


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        ({}, "something new"),
        ({"n": 3, "hash": "sha256:" + "a" * 64}, "something new: n 3; hash sha256:aaaaaaaaaaaa…"),
        ({"seen": {"ratings": True}}, "something new: seen ratings True"),
        ({"of": list("abcdef")}, "something new: of a, b, c, d …"),
    ],
)
def test_an_event_without_a_sentence_shows_its_fields(payload: Any, text: str) -> None:
    """What another version wrote is readable too."""
    assert told(entry("something new", payload)) == text


@pytest.mark.parametrize("event", sorted(SENTENCES))
@pytest.mark.parametrize("payload", [{}, {"round": None, "items": 3, "counts": []}])
def test_no_payload_can_stop_the_timeline(event: str, payload: Any) -> None:
    """An entry that lacks what its sentence needs is shown as it is."""
    assert told(entry(event, payload))
    assert isinstance(about(entry(event, payload)), tuple)
