"""What leaves a study for other programs: whole, by pseudonym, in bytes that repeat."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest

from annotate.sitting import RatingSitting
from core.errors import InputError, Unavailable
from core.forms import Form, Question
from core.items import ItemText, Option, Scenario
from core.plans import RaterSeat, RoundPlan
from core.study import Round
from db.file import StudyFile
from exports.data import Data, encoded, format_of
from exports.items import items_data
from exports.ratings import ratings_data

NASTY = 'a "quote", a comma\nand a line,\r\nan =SUM(A1), a tab\t, ein Umlaut ü, \ud800 half'


@pytest.fixture
def rated(workshop: Any, tmp_path: Path) -> tuple[StudyFile, Round]:
    study = workshop.create(tmp_path / "study.db", 3)
    return study, workshop.rate(study, workshop.opened(study, ratings=2))


def rows_of(data: Data) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(encoded(data, "csv").decode(), newline="")))


def test_every_annotator_of_every_item_is_there(rated: tuple[StudyFile, Round]) -> None:
    """No rating is dropped for another: 12 items with two ratings each are 24 rows."""
    study, campaign = rated
    rows = rows_of(ratings_data(study, [campaign]))
    assert len(rows) == 24
    assert len({(r["scenario"], r["condition"], r["rater"]) for r in rows}) == 24
    assert {row["rater"] for row in rows} == {r.person for r in study.ratings.of_round(campaign.id)}


def test_people_are_pseudonyms(rated: tuple[StudyFile, Round]) -> None:
    """No seat, no access code and nothing else that leads to a person is in a row."""
    study, campaign = rated
    for data in (ratings_data(study, [campaign]), ratings_data(study, [campaign], events=True)):
        assert all(row["rater"].startswith("P-") for row in rows_of(data))
        assert not {"seat", "code", "hash", "salt"} & set(data.columns)


def test_who_withdrew_is_in_no_row(rated: tuple[StudyFile, Round]) -> None:
    """Withdrawn or erased, a person's ratings and their versions stay in the study."""
    study, campaign = rated
    gone = study.ratings.of_round(campaign.id)[0].person
    for leave in (study.withdrawals.withdraw, study.withdrawals.erase):
        leave(gone)
        for events in (False, True):
            rows = rows_of(ratings_data(study, [campaign], events=events))
            assert rows
            assert gone not in {row["rater"] for row in rows}


def test_no_question_can_overwrite_a_field_of_the_item(workshop: Any, tmp_path: Path) -> None:
    """Questions called like fields of an item have columns of their own."""
    study = workshop.create(tmp_path / "study.db", 1)
    names = ("scenario", "condition", "gold", "text", "rater", "time")
    form = Form("clash", tuple(Question(name, "text", "?") for name in names))
    planned = workshop.plan(study, "main")
    campaign = study.rounds.plan(replace_plan(study, planned, form))
    study.rounds.open(campaign.id)
    for seat in study.rounds.seats(campaign.id, "rater"):
        sitting = RatingSitting.at_seat(study, seat)
        sitting.save(dict.fromkeys(names, "mine"))
    for row in rows_of(ratings_data(study, [campaign])):
        assert row["scenario"] == "S01"
        assert row["gold"] in ("heavy", "heuristic")
        assert {row[f"answer_{name}"] for name in names} == {"mine"}


def replace_plan(study: StudyFile, planned: Round, form: Form) -> Any:
    """Return the plan of a round under another name and with another form."""
    seats = study.rounds.seats(planned.id, "rater")
    return RoundPlan(
        name="other",
        kind=planned.kind,
        design=planned.design,
        ratings=planned.ratings,
        seed=1,
        form=form,
        rule=planned.rule,
        pair=planned.pair,
        raters=tuple(
            RaterSeat(s.number, s.list, tuple(a.revision for a in study.rounds.assignments(s.id)))
            for s in seats
        ),
        auditors=(),
    )


def test_letters_stand_beside_what_they_mean(rated: tuple[StudyFile, Round]) -> None:
    """A letter is what was pressed; its meaning is the action that the item showed under it."""
    study, campaign = rated
    shown = {(r.scenario, r.condition): r for r in study.items.latest()}
    rows = rows_of(ratings_data(study, [campaign]))
    for row in rows:
        options = shown[row["scenario"], row["condition"]].options
        assert options["AB".index(row["answer_choice"])].action == row["meaning_choice"]
    assert {row["answer_choice"] for row in rows} == {"A", "B"}


def test_events_tell_every_change_of_mind(workshop: Any, tmp_path: Path) -> None:
    """5, 4, 5 and on is one rating of 5 in the ratings, and three events in the events."""
    study = workshop.create(tmp_path / "study.db", 1)
    campaign = workshop.opened(study)
    sitting = RatingSitting.at_seat(study, study.rounds.seats(campaign.id, "rater")[0])
    for sure in (5, 4, 5):
        sitting.save({"choice": "A", "confidence": sure, "naturalness": 3}, f"sure {sure}")
    (rating,) = rows_of(ratings_data(study, [campaign]))
    assert (rating["answer_confidence"], rating["comment"]) == ("5", "sure 5")
    events = rows_of(ratings_data(study, [campaign], events=True))
    assert [(e["event"], e["answer_confidence"], e["comment"], e["last"]) for e in events] == [
        ("1", "5", "sure 5", "false"),
        ("2", "4", "sure 4", "false"),
        ("3", "5", "sure 5", "true"),
    ]
    assert sorted(e["time"] for e in events) == [e["time"] for e in events]


def test_versions_of_one_rating_stand_together(rated: tuple[StudyFile, Round]) -> None:
    """The events of an item are not shuffled among its raters."""
    study, campaign = rated
    rows = rows_of(ratings_data(study, [campaign], events=True))
    seen = [(r["scenario"], r["condition"], r["rater"]) for r in rows]
    assert seen == sorted(seen, key=seen.index)


def test_nothing_to_export_is_an_error(workshop: Any, tmp_path: Path) -> None:
    """A round that nobody rated, and a study without rounds, are refused by name."""
    study = workshop.create(tmp_path / "study.db", 1)
    with pytest.raises(InputError, match="there is no rating yet in any round that counts"):
        ratings_data(study, [])
    with pytest.raises(InputError, match="there is no rating yet in main"):
        ratings_data(study, [workshop.opened(study)])
    empty = workshop.create(tmp_path / "empty.db", ())
    with pytest.raises(InputError, match="the study has no items"):
        items_data(empty)


def test_order_is_that_of_items_not_of_people(rated: tuple[StudyFile, Round]) -> None:
    """Rows stand by item in drafting order, then by time; the same file gives the same bytes."""
    study, campaign = rated
    rows = rows_of(ratings_data(study, [campaign]))
    drafted = [(r.scenario, r.condition) for r in study.items.latest()]
    found = [(drafted.index((r["scenario"], r["condition"])), r["time"]) for r in rows]
    assert found == sorted(found)
    for form in ("csv", "jsonl"):
        first, again = (encoded(ratings_data(study, [campaign]), form) for _ in "ab")  # type: ignore[arg-type]
        assert first == again


def test_any_text_survives_csv_and_json(workshop: Any, tmp_path: Path) -> None:
    """Quotes, line ends of both kinds and formulas come back as they were typed."""
    study = workshop.create(tmp_path / "study.db", 1)
    campaign = workshop.opened(study)
    sitting = RatingSitting.at_seat(study, study.rounds.seats(campaign.id, "rater")[0])
    comment = NASTY.replace("\ud800", "")
    sitting.save({"choice": "A", "confidence": 5, "naturalness": 3}, comment)
    data = ratings_data(study, [campaign])
    assert rows_of(data)[0]["comment"] == comment
    lines = encoded(data, "jsonl").decode().split("\n")
    assert json.loads(lines[0])["comment"] == comment
    assert lines[1:] == [""]


def test_half_a_character_is_escaped_not_fatal() -> None:
    """What UTF-8 cannot hold is written as an escape in every format."""
    data = Data({"a": "text"}, ({"a": NASTY},))
    assert b"\\ud800 half" in encoded(data, "csv")
    assert b"\\\\ud800 half" in encoded(data, "jsonl")


def test_kinds_hold_through_a_column() -> None:
    """A column is of one kind: among texts all are texts, among decimals all are decimals."""
    data = Data(
        {"t": "text", "n": "number", "w": "whole", "b": "truth", "none": "text"},
        ({"t": 7, "n": 1, "w": 2, "b": True}, {"t": "x", "n": 0.5, "w": None, "b": False}),
    )
    rows = [json.loads(line) for line in encoded(data, "jsonl").decode().splitlines()]
    assert rows == [
        {"t": "7", "n": 1.0, "w": 2, "b": True, "none": None},
        {"t": "x", "n": 0.5, "w": None, "b": False, "none": None},
    ]
    assert encoded(data, "csv") == b"t,n,w,b,none\n7,1.0,2,true,\nx,0.5,,false,\n"


@pytest.mark.parametrize(
    ("name", "asked", "form"),
    [
        ("r.csv", None, "csv"),
        ("r.JSONL", None, "jsonl"),
        ("r.ndjson", None, "jsonl"),
        ("r.parquet", None, "parquet"),
        ("r.txt", "csv", "csv"),
        ("r.csv", "jsonl", "jsonl"),
    ],
)
def test_the_format_is_asked_for_or_read_from_the_name(name: str, asked: Any, form: str) -> None:
    """--format wins; otherwise the ending of the file says it."""
    assert format_of(Path(name), asked) == form


@pytest.mark.parametrize("name", ["r.txt", "r", "-"])
def test_a_name_that_says_no_format_is_refused(name: str) -> None:
    """Nobody guesses a format."""
    with pytest.raises(InputError, match="does not say its format"):
        format_of(Path(name), None)


def test_parquet_without_its_package_is_one_sentence(
    rated: tuple[StudyFile, Round], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where pyarrow is missing, the extra that brings it is named."""
    study, campaign = rated
    monkeypatch.setattr("exports.data.find_spec", lambda name: None)
    with pytest.raises(Unavailable, match=r"install the extra wavelock\[parquet\]"):
        encoded(ratings_data(study, [campaign]), "parquet")


def test_parquet_holds_what_csv_holds(rated: tuple[StudyFile, Round]) -> None:
    """The same rows, with types: numbers are numbers, and the bytes repeat."""
    parquet = pytest.importorskip("pyarrow.parquet")
    study, campaign = rated
    data = ratings_data(study, [campaign])
    table = parquet.read_table(BytesIO(encoded(data, "parquet")))
    found = table.to_pylist()
    assert found == [json.loads(line) for line in encoded(data, "jsonl").decode().splitlines()]
    assert str(table.schema.field("answer_confidence").type) == "int64"
    assert encoded(data, "parquet") == encoded(data, "parquet")


def test_items_are_exported_in_every_revision(rated: tuple[StudyFile, Round]) -> None:
    """Each item has a row per revision, with its options as shown and its facts prefixed."""
    study, _ = rated
    data = items_data(study)
    rows = rows_of(data)
    assert len(rows) == 12
    assert {row["newest"] for row in rows} == {"true"}
    first = rows[0]
    assert (first["scenario"], first["condition"], first["revision"]) == ("S01", "Active", "1")
    assert {first["option_a_action"], first["option_b_action"]} == {"heavy", "heuristic"}
    assert first["fact_domain"] == "travel"
    assert first["wave"] == ""
    assert list(data.columns)[-2:] == ["fact_constraint", "fact_domain"]


def test_facts_and_parameters_overwrite_nothing(workshop: Any, tmp_path: Path) -> None:
    """A fact called text and a parameter called gold stand beside the item's own."""
    item = ItemText(
        "Only", "the text", (Option("go", "Go"),), "go", {"gold": 3, "n": 1, "list": [1], "x": 1}
    )
    other = replace(item, condition="Also", parameters={"n": 0.5, "x": "one"})
    scenario = Scenario("S01", {"text": "a fact", "scenario": "another"}, (item, other))
    study = workshop.create(tmp_path / "study.db", [scenario])
    data = items_data(study)
    first, second = rows_of(data)
    assert (first["text"], first["gold"], first["scenario"]) == ("the text", "go", "S01")
    assert (first["fact_text"], first["parameter_gold"]) == ("a fact", "3")
    assert (first["parameter_list"], second["parameter_list"]) == ("[1]", "")
    kinds = {key: data.columns[f"parameter_{key}"] for key in ("gold", "n", "x")}
    assert kinds == {"gold": "whole", "n": "number", "x": "text"}
    assert second["parameter_x"] == "one"


def test_frozen_revisions_name_their_wave(workshop: Any, study_path: Path) -> None:
    """A revision that is frozen says in which wave, and simulated raters say what they are."""
    study = workshop.open(study_path)
    rows = rows_of(items_data(study))
    assert {row["wave"] for row in rows if row["scenario"] == "S01"} == {"1"}
    assert {row["wave"] for row in rows if row["scenario"] == "S06"} == {""}
    assert {row["wave_kind"] for row in rows if row["wave"]} == {"simulated"}
    gone = [(row["scenario"], row["condition"]) for row in rows if row["withdrawn"] == "true"]
    assert gone == [("S05", "SalienceControl")]
    ratings = rows_of(ratings_data(study, [study.rounds.named("rehearsal")]))
    assert {row["rater_kind"] for row in ratings} == {"simulated"}
    assert {row["source"] for row in ratings} == {"collected"}


def test_rounds_of_different_forms_share_a_file(workshop: Any, tmp_path: Path) -> None:
    """Columns are those of all forms; what one form does not ask is empty in its rows."""
    study = workshop.create(tmp_path / "study.db", 1)
    first = workshop.rate(study, workshop.opened(study))
    form = Form("other", (Question("choice", "yes-no", "?"), Question("why", "text", "?")))
    second = study.rounds.open(study.rounds.plan(replace_plan(study, first, form)).id)
    for seat in study.rounds.seats(second.id, "rater"):
        RatingSitting.at_seat(study, seat).save({"choice": True, "why": "so"})
    data = ratings_data(study, [first, second])
    assert data.columns["answer_choice"] == "text"
    rows = rows_of(data)
    assert [row["round"] for row in rows] == ["main"] * 4 + ["other"] * 4
    assert {row["answer_why"] for row in rows[:4]} == {""}
    assert {(row["answer_choice"], row["meaning_choice"]) for row in rows[4:]} == {("true", "")}
