"""Rewrites are held to the number that the rule permits, and nothing old is lost."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from annotate.plan import PlanRequest
from audit.candidates import candidates, read_history, to_rate
from audit.freezing import freeze
from audit.history import history_tables
from audit.inclusion import commit
from audit.revising import exclude, prepare, revise
from audit.rewriting import from_drafts, from_text_file, from_texts
from audit.verify import study_faults
from cli.planning import plan_round
from core.errors import InputError, NotFound, Refused
from core.study import Revision
from db.file import StudyFile
from suites.core100.suite import SUITE
from tests.audit.drafts import synthetic, take_in, write


def against(*scenarios: str) -> Any:
    """Everybody chooses the other action in some scenarios."""

    def rater(revision: Revision, _seat: int) -> dict[str, Any]:
        actions = [option.action for option in revision.options]
        right = actions.index(str(revision.gold))
        choice = "AB"[1 - right if revision.scenario in scenarios else right]
        return {"choice": choice, "confidence": 4, "naturalness": 4}

    return rater


@pytest.fixture
def study(workshop: Any, tmp_path: Path) -> StudyFile:
    made: StudyFile = workshop.create(tmp_path / "study.db", 3)
    return made


def rewrite(study: StudyFile, scenario: str = "S01", text: str = "Another text?") -> Any:
    new = from_texts(study, scenario, ["Removed"], [text])
    return revise(study, prepare(study, scenario, new), "it did not reverse")


def test_drafts_that_nobody_saw_are_written_freely(study: StudyFile) -> None:
    """Before any round a new text is no rewrite; the old one stays as it was."""
    before = {r.id: r for r in study.items.all()}
    for number in range(1, 4):
        entry = rewrite(study, text=f"Version {number}?")
        assert entry.payload["rewrite"] == 0
    assert {r.id: r for r in study.items.all() if r.id in before} == before
    newest = next(
        r for r in study.items.latest() if (r.scenario, r.condition) == ("S01", "Removed")
    )
    assert (newest.number, newest.text) == (4, "Version 3?")
    assert study_faults(study) == ()


def test_the_rule_permits_so_many_rewrites(study: StudyFile, workshop: Any) -> None:
    """One here: what is changed before the next round belongs to it, and then it is used up."""
    workshop.decided(study, "r1", rater=against("S01"))
    first = rewrite(study)
    assert (first.payload["rewrite"], first.payload["permitted"]) == (1, 1)
    assert rewrite(study, text="A correction of that?").payload["rewrite"] == 1
    workshop.decided(study, "r2", scenarios=("S01",), rater=against("S01"))
    with pytest.raises(Refused, match="rewritten once, and the rule of round r2 permits 1 rewrite"):
        rewrite(study, text="Once more?")
    (decision,) = study.decisions.of_round(2)
    assert decision.verdict == "exclude"
    found = {c.scenario: (c.fate, c.rewrites) for c in candidates(study)}
    assert found["S01"] == ("excluded", 1)
    assert study_faults(study) == ()


def test_a_text_corrected_before_anybody_saw_it_still_has_its_rewrite(
    study: StudyFile, workshop: Any
) -> None:
    """The number of a revision is not the number of its rewrites."""
    rewrite(study, text="A correction in drafting?")
    workshop.decided(study, "r1", rater=against("S01"))
    assert {d.scenario: d.verdict for d in study.decisions.of_round(1)}["S01"] == "revise"
    assert rewrite(study, text="The rewrite?").payload["rewrite"] == 1


def test_nobody_goes_back_to_a_text_that_was_rated(study: StudyFile, workshop: Any) -> None:
    """To rate one text until it passes would make the rule worth nothing."""
    rated = next(r.text for r in study.items.latest() if r.condition == "Removed")
    workshop.decided(study, "r1", rater=against("S01"))
    rewrite(study)
    with pytest.raises(Refused, match="that is how round r1 rated S01"):
        rewrite(study, text=rated)
    assert rewrite(study, text="Yet another?")


def test_two_rewrites_where_the_rule_has_two(study: StudyFile, workshop: Any) -> None:
    """The rule of the last round counts."""
    for number in (1, 2, 3):
        workshop.decided(
            study, f"r{number}", scenarios=("S01",), rater=against("S01"), rule={"rewrites": 2}
        )
        if number < 3:
            assert rewrite(study, text=f"Text {number}?").payload["rewrite"] == number
    assert [study.decisions.of_round(n)[0].verdict for n in (1, 2, 3)] == [
        "revise", "revise", "exclude",
    ]  # fmt: skip


def test_what_simulated_people_saw_uses_up_nothing(study: StudyFile, workshop: Any) -> None:
    """A rehearsal comes before people; its rewrites are not theirs."""
    workshop.decided(study, "try", kind="rehearsal", rater=against("S01"))
    rewrite(study)
    workshop.decided(study, "r1", rater=against("S01"))
    assert {d.scenario: d.verdict for d in study.decisions.of_round(2)}["S01"] == "revise"
    assert rewrite(study, text="For people?").payload["rewrite"] == 1


def test_a_study_of_rehearsals_is_held_to_the_rule_as_well(study: StudyFile, workshop: Any) -> None:
    """Once its decisions are committed, a simulated study goes the way of a real one."""
    for name in ("one", "two"):
        workshop.decided(study, name, kind="rehearsal", scenarios=("S01",), rater=against("S01"))
        if name == "one":
            rewrite(study)
    with pytest.raises(Refused, match="was rewritten once"):
        rewrite(study, text="Once more?")


def test_no_text_changes_under_those_who_rate_it(study: StudyFile, workshop: Any) -> None:
    """Not while a round is open, not before it is decided, and not when it passed."""
    campaign = workshop.opened(study, "r1", scenarios=("S01", "S02"))
    with pytest.raises(Refused, match="being rated in round r1"):
        rewrite(study)
    workshop.rate(study, campaign, against("S01"))
    with pytest.raises(Refused, match="which is not decided; first: wavelock include r1 --commit"):
        rewrite(study)
    commit(study, study.rounds.round(campaign.id))
    with pytest.raises(Refused, match="S02 was included by round r1 as it stands"):
        rewrite(study, "S02")
    assert rewrite(study, "S01")
    freeze(study, SUITE)
    with pytest.raises(Refused, match=r"S02 is frozen in wave 1.*amendment"):
        rewrite(study, "S02")


def test_a_reason_and_a_change_are_needed(study: StudyFile) -> None:
    """Nothing is stored without them, nor for what is not there."""
    same = next(r.text for r in study.items.latest() if r.condition == "Removed")
    with pytest.raises(InputError, match="stands already"):
        rewrite(study, text=same)
    with pytest.raises(InputError, match="say why"):
        revise(study, prepare(study, "S01", from_texts(study, "S01", ["Active"], ["x"])), " ")
    with pytest.raises(NotFound, match="no scenario S99"):
        rewrite(study, "S99")
    with pytest.raises(NotFound, match="has no condition Actve; it has Active, Removed"):
        from_texts(study, "S01", ["Actve"], ["x"])
    for text, told in (("a\x1bb", "U\\+001B"), ("x" * 20_001, "20,001 characters"), (" ", "empty")):
        with pytest.raises(InputError, match=told):
            rewrite(study, text=text)
    assert {r.number for r in study.items.all()} == {1}


def test_new_texts_come_from_files(study: StudyFile, tmp_path: Path) -> None:
    """A text file holds one text, a file of drafts a scenario; only what differs is new."""
    take_in(study, write(tmp_path / "d.json", [synthetic(1)]))
    entry = synthetic(1)
    entry["texts"]["Removed"] = entry["texts"]["Removed"].replace("open", "ajar")
    found = from_drafts(study, SUITE, "C001", (), write(tmp_path / "e.json", [entry]))
    rewrite_ = prepare(study, "C001", found)
    assert [text.condition for text in rewrite_.texts] == ["Removed"]
    plain = tmp_path / "new.txt"
    plain.write_bytes("\ufeffFrom a file?\r\n".encode())
    (text,) = from_text_file(study, "S01", ["Active"], plain).values()
    assert text.text == "From a file?"
    plain.write_bytes(b"caf\xe9")
    with pytest.raises(InputError, match="not UTF-8"):
        from_text_file(study, "S01", ["Active"], plain)
    with pytest.raises(InputError, match="holds one text"):
        from_text_file(study, "S01", [], plain)
    with pytest.raises(InputError, match="has no scenario S01"):
        from_drafts(study, SUITE, "S01", (), tmp_path / "e.json")


def test_what_is_given_up_stays_so(study: StudyFile, workshop: Any) -> None:
    """No round shows it, no wave freezes it, no text is added, and it is not given up twice."""
    workshop.decided(study, "r1")
    exclude(study, "S02", "contestable", "people differ")
    with pytest.raises(Refused, match=r"was excluded \(people differ\) and stays so.*amendment"):
        exclude(study, "S02", "contestable", "again")
    with pytest.raises(Refused, match="stays so"):
        rewrite(study, "S02")
    wave = freeze(study, SUITE)
    assert {item.scenario for item in study.waves.items()} == {"S01", "S03"}
    with pytest.raises(Refused, match="S01 is frozen in wave 1"):
        exclude(study, "S01", "other", "too late")
    assert wave.number == 1
    for reason, kind in ((" ", "x"), ("x", " ")):
        with pytest.raises(InputError, match="say why"):
            exclude(study, "S03", kind, reason)
    found = {c.scenario: (c.fate, c.kind, c.reason) for c in candidates(study)}
    assert found["S02"] == ("excluded", "contestable", "people differ")
    assert study_faults(study) == ()


def test_a_round_shows_what_nothing_was_decided_of(study: StudyFile, workshop: Any) -> None:
    """A text that failed is not rated again until it passes; a rewritten one is."""
    workshop.decided(study, "r1", scenarios=("S01", "S02"), rater=against("S01"))
    assert to_rate(study, "main") == {"S03"}
    rewrite(study)
    assert to_rate(study, "main") == {"S01", "S03"}
    exclude(study, "S03", "other", "no")
    assert to_rate(study, "main") == {"S01"}
    assert to_rate(study, "practice") == {"S01", "S02", "S03"}
    planned, _ = plan_round(
        study, SUITE, name="r2", kind="main", request=PlanRequest(seats=4, ratings=1), auditors=1
    )
    study.rounds.open(planned.id)
    shown = {s for s, every in read_history(study).shown.items() if len(every) == 2}
    assert shown == {"S01"}


def test_an_added_clause_alone_is_no_new_chance(study: StudyFile, workshop: Any) -> None:
    """The texts that failed are rated again only when one of them was rewritten."""
    workshop.decided(study, "r1", scenarios=("S01",), rater=against("S01"))
    new = from_texts(study, "S01", ["Explicit"], ["Another clause. Drive or walk?"])
    revise(study, prepare(study, "S01", new), "the clause")
    assert "S01" not in to_rate(study, "main")
    assert {c.fate for c in candidates(study) if c.scenario == "S01"} == {"failed"}
    rewrite(study)
    assert "S01" in to_rate(study, "main")
    # Back to the Removed of before, beside the new clause: allowed to write, but no new chance.
    rated = next(r.text for r in study.items.all() if (r.condition, r.number) == ("Removed", 1))
    rewrite(study, text=rated)
    assert "S01" not in to_rate(study, "main")


def test_only_a_rehearsal_minds_what_rehearsals_decided(study: StudyFile, workshop: Any) -> None:
    """People rate everything, whatever simulated people said of it."""
    workshop.decided(study, "try", kind="rehearsal", rater=against("S01"))
    assert to_rate(study, "main") == {"S01", "S02", "S03"}
    assert to_rate(study, "rehearsal") == frozenset()


def test_the_history_tells_everything(study: StudyFile, workshop: Any) -> None:
    """Where each text came from, how often it was rated, what was decided."""
    workshop.decided(study, "r1", rater=against("S01"))
    rewrite(study)
    workshop.decided(study, "r2", scenarios=("S01",))
    freeze(study, SUITE)
    revisions, decisions = history_tables(study, "S01", "Removed")
    first, second = revisions.rows
    assert (first["by"], first["rated"]) == ("drafted with the study", "r1 (main): 1 rating")
    assert str(second["by"]).startswith("rewritten, entry ")
    assert (second["rated"], second["wave"]) == ("r2 (main): 1 rating", 1)
    assert first["hash"] != second["hash"]
    assert [row["verdict"] for row in decisions.rows] == ["revise", "include"]
    assert revisions.title == "S01: frozen, wave 1, included by round r2, 1 of 1 rewrite used"
    for name, condition in (("S99", None), ("S01", "Nosuch")):
        with pytest.raises(NotFound, match=r"S01 has no condition|there is no scenario"):
            history_tables(study, name, condition)


ATTACKS = {
    "a frozen scenario": (
        "INSERT INTO exclusions (scenario, kind, reason, entry, at) VALUES ('S01', 'x', 'x', "
        "(SELECT sequence FROM ledger WHERE event = 'scenario excluded'), '')",
        "a frozen scenario cannot be excluded",
    ),
    "without an entry": (
        "INSERT INTO exclusions (scenario, kind, reason, entry, at) "
        "VALUES ('S03', 'x', 'x', 1, '')",
        "exclusion has its own entry",
    ),
    "a text of an excluded one": (
        "INSERT INTO revisions (item, number, text, options, gold, parameters, created_at) SELECT "
        "items.id, 2, 'x', '[]', NULL, '{}', '' FROM items WHERE scenario = 'S02' LIMIT 1",
        "an excluded scenario is not rewritten",
    ),
    "an origin of nothing": (
        "INSERT INTO origins (revision, entry) VALUES (1, 1)",
        "a text comes in by an entry of the ledger",
    ),
    "freezing it": (
        "INSERT INTO wave_items (wave, item, revision, scenario, condition, document, hash) SELECT "
        "1, items.id, revisions.id, 'S02', 'Active', '{}', 'h' FROM items JOIN revisions ON "
        "revisions.item = items.id WHERE scenario = 'S02' LIMIT 1",
        "never frozen|takes no further item",
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_file_refuses_as_well(study: StudyFile, workshop: Any, attack: str) -> None:
    """Whatever program writes to it."""
    workshop.decided(study, "r1", scenarios=("S01",))
    freeze(study, SUITE)
    exclude(study, "S02", "other", "no")
    sql, told = ATTACKS[attack]
    with (
        closing(sqlite3.connect(study.path)) as plain,
        pytest.raises(sqlite3.IntegrityError, match=told),
    ):
        plain.execute(sql)


def test_a_frozen_scenario_with_its_entry_is_refused_too(study: StudyFile, workshop: Any) -> None:
    """An exclusion that is ledgered by whatever way still cannot be of a frozen scenario."""
    workshop.decided(study, "r1", scenarios=("S01",))
    freeze(study, SUITE)
    entries = len(study.ledger.entries())
    with pytest.raises(Refused, match="a frozen scenario cannot be excluded"):
        study.drafts.exclude("S01", "other", "no")
    assert len(study.ledger.entries()) == entries


def test_the_rule_that_permits_is_in_the_ledger(study: StudyFile, workshop: Any) -> None:
    """A rewrite names the rule that it was permitted by."""
    workshop.decided(study, "r1", rater=against("S01"), rule={"rewrites": 3})
    payload = rewrite(study).payload
    assert (payload["permitted"], payload["reason"]) == (3, "it did not reverse")
    opened = next(e for e in study.ledger.entries() if e.event == "preregistration")
    assert payload["rule_hash"] == opened.payload["rule_hash"]
