"""A frozen item with an error: out of everything that follows, with its reason, never edited."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from audit.freezing import freeze
from audit.verify import study_faults
from core.errors import InputError, NotFound, Refused
from core.runs import GenerationKey, Reply
from core.subsets import Subset
from db.file import StudyFile
from suites.core100.suite import SUITE


@pytest.fixture
def study(workshop: Any, tmp_path: Path) -> StudyFile:
    """A study with a wave of three scenarios and a finished run."""
    found: StudyFile = workshop.create(tmp_path / "study.db", 3)
    workshop.decided(found)
    freeze(found, SUITE)
    workshop.run(found, samples=1)
    return found


def test_a_withdrawal_is_logged_with_its_reason(study: StudyFile) -> None:
    """The ledger names wave, items, reason, and what had been run; the wave stays as it was."""
    before = study.waves.all()
    found = study.waves.withdraw(1, "S02", "  the gold\n is wrong ")
    names = tuple(f"S02/{c}" for c in ("Active", "Removed", "Explicit", "SalienceControl"))
    assert (found.items, found.reason, found.generations) == (names, "the gold is wrong", 2)
    entry = study.ledger.entries()[-1]
    assert entry.event == "items withdrawn"
    assert entry.payload == {
        "wave": 1, "items": list(names), "reason": "the gold is wrong", "generations": 2,
    }  # fmt: skip
    assert study.waves.withdrawals() == (found,)
    assert study.waves.all() == before
    assert study.waves.faults() == ()
    assert study_faults(study) == ()


def test_one_item_can_be_withdrawn_then_the_rest(study: StudyFile) -> None:
    """A scenario that is withdrawn later loses what stood of it, under its own reason."""
    study.waves.withdraw(1, "S01/Explicit", "a typing error")
    rest = study.waves.withdraw(1, "S01", "the constraint is contestable")
    assert len(rest.items) == 3
    assert "S01/Explicit" not in rest.items
    with pytest.raises(Refused, match="S01 of wave 1 was withdrawn already"):
        study.waves.withdraw(1, "S01", "again")


@pytest.mark.parametrize(
    ("number", "name", "reason", "error", "sentence"),
    [
        (9, "S01", "r", NotFound, "no wave 9"),
        (1, "S09", "r", NotFound, "no scenario or item 'S09'"),
        (1, "S01/Passive", "r", NotFound, "no scenario or item"),
        (1, "S01", " \n ", InputError, "needs its reason"),
    ],
)
def test_a_wrong_withdrawal_is_refused(
    study: StudyFile, number: int, name: str, reason: str, error: type[Exception], sentence: str
) -> None:
    """Nothing is logged of a withdrawal that is none."""
    entries = study.ledger.count()
    with pytest.raises(error, match=sentence):
        study.waves.withdraw(number, name, reason)
    assert study.ledger.count() == entries


def test_no_model_is_asked_any_more(study: StudyFile, workshop: Any) -> None:
    """A later run leaves withdrawn items out; one of before keeps what it has, and stays closed."""
    kept = study.runs.generations(1)
    study.waves.withdraw(1, "S02", "the gold is wrong")
    run = workshop.run(study, "another", samples=1)
    asked = {g.wave_item for g in study.runs.generations(run)}
    gone = {item.id for item in study.waves.items() if item.withdrawn}
    assert asked
    assert not asked & gone
    assert study.runs.generations(1) == kept
    assert study_faults(study) == ()


def test_the_file_itself_refuses(study: StudyFile) -> None:
    """Neither a new generation, nor a failed one tried again, nor a withdrawal without an entry."""
    run = study.runs.start("m", "chat", {"waves": [1]})
    item = study.waves.items()[0]
    key = GenerationKey(run.id, item.id, item.document["prompt_hash"], 1)
    study.runs.store(key, Reply("error", error="no connection"))
    study.waves.withdraw(1, item.name, "the gold is wrong")
    with pytest.raises(Refused, match="a withdrawn item takes no further generation"):
        study.runs.store(key, Reply("ok", visible_text="Answer: A"))
    with pytest.raises(Refused, match="a withdrawn item takes no further generation"):
        study.runs.store(GenerationKey(run.id, item.id, "h", 2), Reply("ok"))
    with closing(sqlite3.connect(study.path)) as plain:
        for entry, reason in ((1, "the gold is wrong"), (99, "r"), (study.ledger.count(), "other")):
            with pytest.raises(sqlite3.IntegrityError, match=r"needs its entry|refers to nothing"):
                plain.execute(
                    "INSERT INTO wave_withdrawals (wave_item, reason, entry) VALUES (?, ?, ?)",
                    (item.id + 1, reason, entry),
                )


def test_a_selection_leaves_it_out_and_counts_it(study: StudyFile) -> None:
    """Every analysis, restricted or not, says how many items are missing."""
    study.waves.withdraw(1, "S02", "the gold is wrong")
    found = study.waves.selected()
    assert found.scenarios == {"S01", "S03"}
    assert found.withdrawn == 4
    assert found.notes == ("Left out: 4 frozen items withdrawn after an error was found.",)
    assert not found.restricted


def test_a_restriction_that_leaves_nothing_is_an_error(study: StudyFile) -> None:
    """An empty table would look like a result."""
    for scenario in ("S01", "S02", "S03"):
        study.waves.withdraw(1, scenario, "r")
    with pytest.raises(NotFound, match="no frozen item is left: only wave 1"):
        study.waves.selected(Subset((1,)))


def test_what_a_pilot_has_shown_can_be_left_out(workshop: Any, tmp_path: Path) -> None:
    """Pilot waves go, and scenarios that a pilot had shown before a main round decided them."""
    study = workshop.create(tmp_path / "other.db", 4)
    workshop.decided(study, "early", kind="pilot", scenarios=("S01", "S02"))
    freeze(study, SUITE, ["early"])
    workshop.rate(study, workshop.opened(study, "sketch", kind="pilot", scenarios=("S03",)))
    workshop.decided(study, "later", scenarios=("S03", "S04"))
    freeze(study, SUITE)
    found = study.waves.selected(Subset(without_pilot=True))
    assert (found.scenarios, found.piloted) == ({"S04"}, 3)
    assert found.notes == (
        "Restricted to 1 scenario (without pilot scenarios).",
        "Left out: 3 scenarios that a pilot round has shown to raters.",
    )
    second = study.waves.selected(Subset((2,), without_pilot=True))
    assert (second.scenarios, second.piloted) == ({"S04"}, 1)
    assert second.subset.words == "only wave 2; without pilot scenarios"
