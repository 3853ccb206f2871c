"""What enters a wave: included scenarios, whole, as they were rated, and once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from audit.freezing import freeze
from core.errors import CheckFailed, Refused
from core.hashing import canonical, digest_of
from core.study import Revision
from db.file import StudyFile
from db.waves import wave_hash
from suites.core100.suite import SUITE


@pytest.fixture
def study(workshop: Any, tmp_path: Path) -> StudyFile:
    found: StudyFile = workshop.create(tmp_path / "study.db", 3)
    return found


def against(*scenarios: str) -> Any:
    """Return a rater who chooses the wrong action in these scenarios."""

    def rater(revision: Revision, _seat: int) -> dict[str, Any]:
        actions = [option.action for option in revision.options]
        right = actions.index(str(revision.gold))
        choice = "AB"[1 - right if revision.scenario in scenarios else right]
        return {"choice": choice, "confidence": 4, "naturalness": 4}

    return rater


def rewrite(study: StudyFile, scenario: str, number: int = 2) -> None:
    """Add a newer text to every item of a scenario, as a rewrite does."""
    with closing(sqlite3.connect(study.path)) as plain:
        plain.execute(
            "INSERT INTO revisions (item, number, text, options, gold, parameters, created_at) "
            "SELECT item, ?, revisions.text || ' Rewritten.', options, gold, parameters, '' "
            "FROM revisions JOIN items ON items.id = item WHERE scenario = ? AND number = ?",
            (number, scenario, number - 1),
        )
        plain.commit()


def test_only_what_is_included_is_frozen_and_all_of_it(study: StudyFile, workshop: Any) -> None:
    """An included scenario is frozen in all its conditions, another not at all."""
    workshop.decided(study, rater=against("S02"))
    wave = freeze(study, SUITE)
    cells = [(item.scenario, item.condition) for item in study.waves.items()]
    assert cells == [(s, c) for s in ("S01", "S03") for c in workshop.conditions]
    assert (wave.number, wave.kind) == (1, "rated")


def test_everything_that_decides_is_frozen(study: StudyFile, workshop: Any) -> None:
    """The document holds text, labels, order, gold, parameters, facts, salt, prompt, verifiers."""
    workshop.decided(study)
    freeze(study, SUITE)
    latest = {r.id: r for r in study.items.latest()}
    for item in study.waves.items():
        revision = latest[item.revision]
        messages = [{"role": m.role, "content": m.content} for m in SUITE.render(revision)]
        assert item.document == {
            "suite": "core100",
            "scenario": item.scenario,
            "condition": item.condition,
            "revision": 1,
            "text": revision.text,
            "options": [{"action": o.action, "label": o.label} for o in revision.options],
            "gold": revision.gold,
            "parameters": {},
            "facts": study.items.facts()[item.scenario],
            "salt": "salt",
            "messages": messages,
            "prompt_hash": digest_of(messages),
            "verifiers": ["forced-choice"],
        }
        assert item.hash == digest_of(item.document)


def test_a_wave_is_hashed_with_its_rule_and_evidence(study: StudyFile, workshop: Any) -> None:
    """The hash is over the header and the items' hashes, and stands in the ledger."""
    campaign = workshop.decided(study)
    wave = freeze(study, SUITE)
    assert wave.hash == wave_hash(wave.header, [i.hash for i in study.waves.items()])
    assert wave.header["rounds"]["main"]["evidence"] == study.decisions.evidence_digest(campaign.id)
    assert wave.header["salt"] == "salt"
    entry = study.ledger.entries()[-1]
    assert (entry.event, entry.payload["wave"]) == ("wave frozen", wave.hash)
    assert study.waves.all() == (wave,)


def test_the_rated_revision_is_frozen_not_a_newer_one(study: StudyFile, workshop: Any) -> None:
    """A text that was written after the rating was not rated, and is not frozen."""
    workshop.decided(study)
    rewrite(study, "S01")
    freeze(study, SUITE)
    assert {item.document["revision"] for item in study.waves.items()} == {1}
    assert not any("Rewritten" in item.document["text"] for item in study.waves.items())


def test_a_rewrite_is_frozen_as_it_was_rated(study: StudyFile, workshop: Any) -> None:
    """Of a scenario that was rewritten and rated again, the second text is frozen."""
    workshop.decided(study, "first", rater=against("S02"))
    rewrite(study, "S02")
    workshop.decided(study, "second", scenarios=("S02",))
    freeze(study, SUITE)
    revisions = {item.scenario: item.document["revision"] for item in study.waves.items()}
    assert revisions == {"S01": 1, "S02": 2, "S03": 1}


@pytest.mark.parametrize("again", [("S01",), ("S01", "S02"), ("S03",)])
def test_every_scenario_is_frozen_as_its_own_round_rated_it(
    study: StudyFile, workshop: Any, again: tuple[str, ...]
) -> None:
    """When some included scenarios are rated again, each is frozen in the text that decided it."""
    workshop.decided(study, "first")
    for scenario in again:
        rewrite(study, scenario)
    workshop.decided(study, "second", scenarios=again)
    freeze(study, SUITE)
    assert {item.scenario: item.document["revision"] for item in study.waves.items()} == {
        scenario: 2 if scenario in again else 1 for scenario in ("S01", "S02", "S03")
    }


def test_the_latest_decision_stands(study: StudyFile, workshop: Any) -> None:
    """A scenario that was included once and failed later is not frozen."""
    workshop.decided(study, "first")
    workshop.decided(study, "second", scenarios=("S02",), rater=against("S02"))
    freeze(study, SUITE)
    assert {item.scenario for item in study.waves.items()} == {"S01", "S03"}


@pytest.mark.parametrize("order", [("rehearsal", "main"), ("main", "rehearsal")])
def test_a_rehearsal_never_overrules_people(
    study: StudyFile, workshop: Any, order: tuple[str, ...]
) -> None:
    """What people excluded is not frozen on the word of simulated raters, whichever came last."""
    for kind in order:
        rater = against("S02") if kind == "main" else None
        workshop.decided(study, kind, kind=kind, rater=rater)
    wave = freeze(study, SUITE)
    assert {item.scenario for item in study.waves.items()} == {"S01", "S03"}
    assert (wave.kind, list(wave.header["rounds"])) == ("rated", ["main"])


def test_nothing_is_frozen_twice(study: StudyFile, workshop: Any) -> None:
    """A second freeze takes what was included since, and with nothing new it is refused."""
    with pytest.raises(Refused, match="commit decisions first"):
        freeze(study, SUITE)
    workshop.decided(study, "first", scenarios=("S01",))
    freeze(study, SUITE)
    with pytest.raises(Refused, match="everything included is frozen already"):
        freeze(study, SUITE)
    workshop.decided(study, "second", scenarios=("S02",))
    second = freeze(study, SUITE)
    assert second.number == 2
    assert {item.scenario for item in study.waves.items([2])} == {"S02"}
    assert study.waves.faults() == ()


def test_what_rests_on_a_rehearsal_is_a_simulated_wave(study: StudyFile, workshop: Any) -> None:
    """One simulated scenario among rated ones makes the wave simulated."""
    workshop.decided(study, "people", scenarios=("S01",))
    workshop.decided(study, "rehearsal", kind="rehearsal", scenarios=("S02",))
    wave = freeze(study, SUITE)
    assert wave.kind == wave.header["kind"] == "simulated"


def test_cue_ineligible_scenarios_are_frozen_as_such(study: StudyFile, workshop: Any) -> None:
    """A scenario that lost its cue contrasts is in the wave, and named in its header."""

    def unnatural(revision: Revision, seat: int) -> dict[str, Any]:
        answers: dict[str, Any] = against()(revision, seat)
        poor = (revision.scenario, revision.condition) == ("S03", "Explicit")
        return {**answers, "naturalness": 1 if poor else 4}

    workshop.decided(study, rater=unnatural)
    assert freeze(study, SUITE).header["cue_ineligible"] == ["S03"]


@pytest.mark.parametrize(
    ("trigger", "edit"),
    [
        ("ratings_changes", "UPDATE ratings SET comment = 'x' WHERE id = 1"),
        ("decisions_unchanged", "UPDATE decisions SET cue_eligible = 0 WHERE id = 1"),
        ("rounds_one_way", "UPDATE rounds SET kind = 'main' WHERE id = 1"),
        ("revisions_unchanged", "UPDATE revisions SET text = 'x' WHERE id = 1"),
    ],
)
def test_nothing_is_frozen_on_tampered_evidence(
    study: StudyFile, workshop: Any, trigger: str, edit: str
) -> None:
    """Ratings, decisions, plan and texts are checked before they are frozen."""
    workshop.decided(study, kind="rehearsal")
    with closing(sqlite3.connect(study.path)) as plain:
        plain.execute(f"DROP TRIGGER {trigger}")
        plain.execute(edit)
        plain.commit()
    with pytest.raises(CheckFailed, match="nothing was frozen"):
        freeze(study, SUITE)
    assert study.waves.all() == ()


def test_frozen_documents_are_canonical(study: StudyFile, workshop: Any) -> None:
    """The stored bytes are the canonical JSON that the hash is over."""
    workshop.decided(study)
    freeze(study, SUITE)
    with closing(sqlite3.connect(study.path)) as plain:
        stored = [row[0] for row in plain.execute("SELECT document FROM wave_items ORDER BY id")]
    assert sorted(stored) == sorted(canonical(item.document) for item in study.waves.items())
