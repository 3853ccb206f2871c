"""What enters a wave: included scenarios, whole, as they were rated, and once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit.freezing import freeze, freeze_declared
from audit.inclusion import commit
from audit.registration import amend
from audit.registration import freeze as register
from audit.standing import open_round
from core.errors import CheckFailed, InputError, NotFound, Refused
from core.hashing import canonical, digest_of
from core.rules import rule_to_json
from core.study import Revision
from db.file import StudyFile
from evals.verifiers.catalogue import faults
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


def rewrite(study: StudyFile, scenario: str) -> None:
    """Rewrite every item of a scenario."""
    now = next(found for found in study.items.scenarios() if found.id == scenario)
    texts = [replace(item, text=f"{item.text} Rewritten.") for item in now.items]
    study.drafts.revise(scenario, texts, "clearer", {})


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
    assert wave.hash == digest_of(wave.header)
    assert [i["hash"] for i in wave.header["items"]] == [i.hash for i in study.waves.items()]
    assert wave.header["rounds"]["main"]["evidence"] == study.decisions.evidence_digest(campaign.id)
    assert wave.header["salt"] == "salt"
    entry = study.ledger.entries()[-1]
    assert (entry.event, entry.payload["wave"]) == ("wave frozen", wave.hash)
    assert study.waves.all() == (wave,)


def test_what_was_rewritten_since_is_not_frozen(study: StudyFile, workshop: Any) -> None:
    """The text that was rated is no longer the item's, and the new one was not rated."""
    workshop.decided(study)
    rewrite(study, "S01")
    with pytest.raises(Refused, match=r"S01/Active was rewritten .*\(revision 2, rated was 1\)"):
        freeze(study, SUITE)
    assert study.waves.all() == ()


def test_what_is_being_rated_again_is_not_frozen(study: StudyFile, workshop: Any) -> None:
    """While people are asked about an included scenario again, it is undecided."""
    workshop.decided(study, "first")
    second = workshop.opened(study, "second", scenarios=("S02",))
    with pytest.raises(Refused, match="S02 is being rated again in round second"):
        freeze(study, SUITE)
    commit(study, workshop.rate(study, second, against("S02")))
    freeze(study, SUITE)
    assert {item.scenario for item in study.waves.items()} == {"S01", "S03"}


def test_what_is_undecided_is_not_frozen(study: StudyFile, workshop: Any) -> None:
    """A round that was only closed decides nothing, and one that asks too few cannot decide."""
    workshop.rate(study, workshop.opened(study))
    with pytest.raises(Refused, match="commit decisions first"):
        freeze(study, SUITE)
    few = workshop.rate(study, workshop.opened(study, "few", rule={"ratings": 5}))
    with pytest.raises(Refused, match="is undecided"):
        commit(study, few)
    with pytest.raises(Refused, match="commit decisions first"):
        freeze(study, SUITE)


def test_a_pilot_has_waves_of_its_own(study: StudyFile, workshop: Any) -> None:
    """Pilot and main rounds are frozen apart, so that a wave can be left out."""
    workshop.decided(study, "early", kind="pilot", scenarios=("S01",))
    workshop.decided(study, "later", scenarios=("S02", "S03"))
    with pytest.raises(InputError, match=r"do not share a wave \(early, later\)"):
        freeze(study, SUITE)
    assert freeze(study, SUITE, ["later"]).label == "rated"
    assert freeze(study, SUITE).label == "rated, pilot"
    with pytest.raises(NotFound, match="no round 'nowhere'"):
        freeze(study, SUITE, ["nowhere"])


def test_a_wave_names_what_it_rests_on(study: StudyFile, workshop: Any) -> None:
    """Rule, opening, decision and preregistration are in the wave's document, by their hashes."""
    planned = workshop.plan(study)
    document = workshop.document(study, [planned], rule=rule_to_json(planned.rule), family=[])
    register(study, document)
    opened = open_round(study, planned)
    changed = workshop.document(
        study, [opened], rule={**rule_to_json(planned.rule), "rewrites": 2}, family=[]
    )
    newest = amend(study, changed, reason="two", seen_ratings=False, seen_outputs=False)
    campaign = workshop.rate(study, opened)
    commit(study, campaign)
    wave = freeze(study, SUITE)
    entries = {entry.event: entry for entry in study.ledger.entries()}
    amended, decided = entries["preregistration amended"], entries["decisions committed"]
    assert wave.header["preregistration"] == {"hash": newest.hash, "entry": amended.hash}
    assert wave.header["rounds"] == {
        "main": {
            "kind": "main",
            "source": "collected",
            "preregistration": study.registrations.versions()[0].hash,
            "opening": entries["preregistration"].hash,
            "decided": decided.hash,
            "rule_hash": digest_of(newest.document["rule"]),
            "evidence": study.decisions.evidence_digest(campaign.id),
            "decisions": study.decisions.decisions_digest(campaign.id),
        }
    }
    assert newest.document["rule"] != rule_to_json(campaign.rule)


def test_declared_items_are_called_so(study: StudyFile, workshop: Any) -> None:
    """Nobody was asked: everything drafted is frozen, and the wave says what it is."""
    workshop.decided(study, "rehearsal", kind="rehearsal", scenarios=("S01",))
    wave = freeze_declared(study, SUITE)
    assert (wave.kind, wave.label) == ("declared", "declared, not human-validated")
    assert len(study.waves.items([1])) == 3 * len(workshop.conditions)
    entry = study.ledger.entries()[-1]
    assert (entry.event, entry.payload["kind"]) == ("wave frozen", "declared")
    with pytest.raises(Refused, match="every scenario is frozen or given up"):
        freeze_declared(study, SUITE)


@pytest.mark.parametrize("kind", ["pilot", "main"])
def test_what_people_were_asked_about_cannot_be_declared(
    study: StudyFile, workshop: Any, kind: str
) -> None:
    """What people excluded does not come back as declared, nor while they are still asked."""
    campaign = workshop.opened(study, kind=kind, scenarios=("S02",))
    with pytest.raises(Refused, match="S02 cannot be declared: people were asked"):
        freeze_declared(study, SUITE)
    commit(study, workshop.rate(study, campaign, against("S02")))
    with pytest.raises(Refused, match="S02 cannot be declared"):
        freeze_declared(study, SUITE)
    assert study.waves.all() == ()


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


@pytest.mark.parametrize("declared", [True, False])
def test_what_no_verifier_could_read_is_not_frozen(
    study: StudyFile, workshop: Any, declared: bool
) -> None:
    """An item whose prompt and verifier do not fit measures nothing; the first one is named."""

    def misread(document: Any) -> tuple[str, ...]:
        return ("the prompt asks for 400 words", "and more") if document["gold"] == "heavy" else ()

    sentence = r"S01/Active cannot be frozen: the prompt asks for 400 words \(and 1 more\)"
    if not declared:
        workshop.decided(study)
    freezing = freeze_declared if declared else freeze
    with pytest.raises(Refused, match=sentence):
        freezing(study, SUITE, faults=misread)
    assert study.waves.all() == ()


@pytest.mark.parametrize("declared", [True, False])
def test_what_was_given_up_is_never_frozen(study: StudyFile, workshop: Any, declared: bool) -> None:
    """A scenario that the researchers excluded stays out, also when it was included before."""
    if not declared:
        workshop.decided(study)
    study.drafts.exclude("S02", "contestable", "people differ")
    (freeze_declared if declared else freeze)(study, SUITE)
    assert {item.scenario for item in study.waves.items()} == {"S01", "S03"}


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"word-count": {"exactly": 336}}, "word-count: the prompt does not say “336”"),
        ({"sentiment": {}}, "there is no verifier “sentiment”"),
    ],
)
def test_an_item_is_held_against_its_own_verifiers(
    workshop: Any, tmp_path: Path, parameters: Any, sentence: str
) -> None:
    """The catalogue's own check: a number that the prompt does not say, and an unknown name."""
    (scenario,) = workshop.scenarios(1)
    first, *others = scenario.items
    asked = replace(first, text="Write exactly 400 words.", parameters=parameters)
    drafted = replace(scenario, items=(asked, *others))
    study = workshop.create(tmp_path / "asked.db", [drafted])
    with pytest.raises(Refused, match=f"S01/Active cannot be frozen: {sentence}"):
        freeze_declared(study, SUITE, faults)
    assert study.waves.all() == ()
