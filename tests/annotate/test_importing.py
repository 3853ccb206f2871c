"""Ratings from elsewhere: checked whole, stored whole, and marked as what they are."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from annotate.import_map import ColumnMap, own_map, parse_map
from annotate.importing import checked, design_of, read_source, rounds_with
from annotate.sitting import RatingSitting
from audit.agreement import agreement_table
from audit.inclusion import decide_round, decisions_table
from audit.verify import study_faults
from core.errors import InputError, Refused
from core.forms import Form, Question
from core.study import Round
from db.file import StudyFile, open_study
from exports.data import Format, encoded
from exports.ratings import ratings_data
from suites.core100.suite import SUITE
from tests.annotate.theirs import GOOD, HEADER, MAP, dump, take_in, target, their_file, their_map


@pytest.fixture
def study(workshop: Any, tmp_path: Path) -> StudyFile:
    made: StudyFile = workshop.create(tmp_path / "study.db", 2)
    return made


# There and back


def history(study: StudyFile, campaign: Round) -> None:
    """Rate most of a round, with changes of mind, comments and a seat that was left half done."""
    for seat in study.rounds.seats(campaign.id, "rater"):
        sitting = RatingSitting.at_seat(study, seat)
        for turn in range(sitting.total - (seat.number == 2)):
            answers = {"choice": "AB"[turn % 2], "confidence": 1 + turn % 5, "naturalness": 3}
            sitting.save(answers, 'one "word",\r\nand\ta line\n' * (turn == 1), seconds=1.1 * turn)
            sitting.save({**answers, "choice": "both"} if turn == 2 else answers, "=A1", 0.7)
            sitting.forward()


def without_names(text: bytes) -> str:
    """Return an export without provenance; pseudonyms are numbered as they occur."""
    people: dict[str, str] = {}
    plain = text.decode().replace("imported", "collected")
    return re.sub(r"\bP-[0-9A-Z]{5}\b", lambda m: people.setdefault(m[0], f"P{len(people)}"), plain)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_exported_imported_and_exported_again_is_the_same(
    workshop: Any, tmp_path: Path, form: Format, seed: int
) -> None:
    """Into an empty study of the same items: the same bytes but for provenance and pseudonyms."""
    first = workshop.create(tmp_path / "first.db", 4)
    campaign = workshop.opened(first, ratings=2, seed=seed)
    history(first, campaign)
    first.rounds.close(campaign.id)
    before = encoded(ratings_data(first, [campaign]), form)
    path = tmp_path / f"r.{form}"
    path.write_bytes(before)
    second = workshop.create(tmp_path / "second.db", 4)
    taken = take_in(second, path, own_map(SUITE.form), target("main"))
    assert isinstance(taken, Round)
    after = encoded(ratings_data(second, [taken]), form)
    assert after != before
    assert without_names(after) == without_names(before)
    assert study_faults(second) == ()


def test_the_way_back_keeps_who_said_what(workshop: Any, tmp_path: Path) -> None:
    """Ratings of one person stay ratings of one person, and no two people become one."""
    first = workshop.create(tmp_path / "first.db", 3)
    campaign = workshop.rate(first, workshop.opened(first, ratings=2))
    path = tmp_path / "r.csv"
    path.write_bytes(encoded(ratings_data(first, [campaign]), "csv"))
    second = workshop.create(tmp_path / "second.db", 3)
    taken = take_in(second, path, own_map(SUITE.form))
    assert isinstance(taken, Round)

    def said(study: StudyFile, round_id: int) -> list[Any]:
        by: dict[str, list[Any]] = {}
        for r in study.ratings.of_round(round_id):
            by.setdefault(r.person, []).append((r.scenario, r.condition, r.updated_at))
        return sorted(sorted(each) for each in by.values())

    assert said(second, taken.id) == said(first, campaign.id)
    assert taken.design == "latin-square"
    people = {r.person for r in first.ratings.of_round(campaign.id)}
    assert people.isdisjoint(r.person for r in second.ratings.of_round(taken.id))


def test_places_and_lists_are_kept_with_their_gaps(study: StudyFile, tmp_path: Path) -> None:
    """Items that a rater never answered leave gaps in the order, and the gaps come along."""
    columns = parse_map(
        MAP.replace('comment = "remark"\ntime = "at"', 'position = "remark"\nlist = "at"'),
        "m",
        SUITE.form,
    )
    rows = ("a;S02;Active;Drive 2;1;1;3;2", "a;S01;Active;Drive 1;1;1;7;2")
    taken = take_in(study, their_file(tmp_path, *rows), columns)
    assert isinstance(taken, Round)
    found = study.ratings.of_round(taken.id)
    assert {(r.scenario, r.position, r.list) for r in found} == {("S01", 7, 2), ("S02", 3, 2)}
    same = their_file(tmp_path, rows[0], rows[1].replace(";7;", ";3;"))
    (fault,) = take_in(study, same, columns, target("x"))  # type: ignore[misc]
    assert fault == "line 3, column remark: this rater has an item at that place on line 2 already"


# From another tool


def test_labels_values_and_zones_are_mapped(study: StudyFile, tmp_path: Path) -> None:
    """A label becomes the letter under which this study shows it; a time becomes UTC."""
    path = their_file(
        tmp_path,
        "ann;S01;Active;Drive 1;5;4.0;fine;2026-01-02 03:04:05",
        "bob;S01;Active;idk;2;3;;2026-01-02T03:04:05.5Z",
        "ann;S02;Removed;Neither;1;1;;1767322800",
    )
    taken = take_in(study, path, their_map())
    assert isinstance(taken, Round)
    first, second, third = study.ratings.of_round(taken.id)
    shown = {r.scenario: r for r in study.items.latest() if r.condition == "Active"}
    letter = "AB"[[o.label for o in shown["S01"].options].index("Drive 1")]
    assert first.answers == {"choice": letter, "confidence": 5, "naturalness": 4}
    assert (first.comment, first.updated_at) == ("fine", "2026-01-02T01:04:05.000Z")
    assert (second.answers["choice"], second.updated_at) == ("depends", "2026-01-02T03:04:05.500Z")
    assert (third.answers["choice"], third.updated_at) == ("neither", "2026-01-02T03:00:00.000Z")
    assert first.person == third.person != second.person


def test_letters_are_those_that_were_shown(study: StudyFile, tmp_path: Path) -> None:
    """Read as letters, B is the second option, C the first of the further answers."""
    columns = parse_map(MAP.replace('"label"', '"letter"'), "m", SUITE.form)
    rows = ("a;S01;Active;b;1;1;;", "b;S01;Active;C;1;1;;", "c;S01;Active;depends;1;1;;")
    taken = take_in(study, their_file(tmp_path, *rows), columns)
    assert isinstance(taken, Round)
    assert [r.answers["choice"] for r in study.ratings.of_round(taken.id)] == [
        "B",
        "both",
        "depends",
    ]


def test_an_item_may_be_named_by_its_text(study: StudyFile, tmp_path: Path) -> None:
    """A file without ids is joined by the text that was shown, exactly."""
    text = MAP.replace('scenario = "task"\ncondition = "version"', 'text = "task"')
    columns = parse_map(text, "map.toml", SUITE.form)
    row = "ann;Task 1, wording 0. Drive or walk?;;Drive 1;5;4;;"
    taken = take_in(study, their_file(tmp_path, row), columns)
    assert isinstance(taken, Round)
    (rating,) = study.ratings.of_round(taken.id)
    assert (rating.scenario, rating.condition) == ("S01", "Active")
    wrong = their_file(tmp_path, row.replace("wording", "Wording"))
    assert take_in(study, wrong, columns, target("again")) == [
        "line 2, column task: not the text of an item in this study"
    ]


def test_nested_json_lines_are_columns_with_dots(study: StudyFile, tmp_path: Path) -> None:
    """Objects inside a line are read by dotted names; numbers and truths need no quotes."""
    form = Form("f", (Question("ok", "yes-no", "?"), Question("n", "likert", "?", points=3)))
    columns = parse_map(
        '[columns]\nrater = "meta.who"\nscenario = "s"\ncondition = "c"\n'
        '[answers]\nok = "a.ok"\nn = "a.n"\n',
        "m",
        form,
    )
    path = tmp_path / "r.jsonl"
    rows = [
        {"meta": {"who": 7}, "s": "S01", "c": "Active", "a": {"ok": True, "n": 3}},
        {"meta": {"who": 8}, "s": "S01", "c": "Active", "a": {"ok": "No", "n": 1.0}},
    ]
    path.write_text("\n\n".join(map(json.dumps, rows)))
    taken = take_in(study, path, columns, target(form=form))
    assert isinstance(taken, Round)
    assert [r.answers for r in study.ratings.of_round(taken.id)] == [
        {"ok": True, "n": 3},
        {"ok": False, "n": 1},
    ]


def test_revisions_are_told_apart(study: StudyFile, tmp_path: Path) -> None:
    """The revision that is named was rated; without one it is the newest."""
    with closing(sqlite3.connect(study.path)) as plain:
        plain.execute(
            "INSERT INTO revisions (item, number, text, options, gold, parameters, created_at) "
            "SELECT item, 2, 'New. ' || text, options, gold, parameters, created_at "
            "FROM revisions WHERE id = 1"
        )
        plain.commit()
    text = MAP.replace('time = "at"', 'revision = "at"')
    columns = parse_map(text, "map.toml", SUITE.form)
    rows = [f"{who};S01;Active;Drive 1;5;4;;{n}" for who, n in (("a", 1), ("b", 2), ("c", ""))]
    taken = take_in(study, their_file(tmp_path, *rows), columns)
    assert isinstance(taken, Round)
    assert [r.revision for r in study.ratings.of_round(taken.id)] == [1, 2, 2]
    assert take_in(study, their_file(tmp_path, rows[0][:-1] + "3"), columns, target("x")) == [
        "line 2, column at: S01/Active has no revision '3'"
    ]


# What an import leaves


def test_the_same_file_twice_into_one_round_is_refused(study: StudyFile, tmp_path: Path) -> None:
    """A double click imports nothing twice; another file may not take the name either."""
    path = their_file(tmp_path, GOOD)
    take_in(study, path, their_map())
    before = dump(study)
    with pytest.raises(Refused, match="imported into round theirs already; nothing was changed"):
        take_in(study, path, their_map())
    other = their_file(tmp_path, GOOD.replace("ann", "bob"))
    with pytest.raises(InputError, match="there is a round 'theirs' already"):
        take_in(study, other, their_map())
    assert dump(study) == before
    again = read_source(their_file(tmp_path, GOOD), their_map())
    assert rounds_with(study, again) == ("theirs",)


def test_who_a_rater_was_elsewhere_is_not_stored(study: StudyFile, tmp_path: Path) -> None:
    """Neither the foreign id nor a hash that could be tried against it is in the study file."""
    path = their_file(tmp_path, GOOD.replace("ann", "CANARY-ann@example.org"))
    taken = take_in(study, path, their_map())
    assert isinstance(taken, Round)
    assert "CANARY" not in dump(study)
    (rating,) = study.ratings.of_round(taken.id)
    assert re.fullmatch("P-[0-9A-Z]{5}", rating.person)
    source = read_source(path, their_map())
    keys = {checked(study, source, target("x"))[0][0].person for _ in range(3)}
    assert len(keys) == 3


def test_the_ledger_says_what_came_in(study: StudyFile, tmp_path: Path) -> None:
    """File digest, counts and map are in the chain; an import is never called preregistered."""
    path = their_file(tmp_path, GOOD, GOOD.replace("ann", "bob"))
    take_in(study, path, their_map())
    entries = {entry.event: entry.payload for entry in study.ledger.entries()}
    found = entries["ratings imported"]
    assert (found["round"], found["ratings"], found["raters"], found["items"]) == (
        "theirs", 2, 2, 1,
    )  # fmt: skip
    assert re.fullmatch("sha256:[0-9a-f]{64}", found["file"])
    assert found["map"]["answers"]["choice"]["reads"] == "label"
    assert "preregistration" not in entries
    assert study_faults(study) == ()


def test_an_import_that_is_passed_off_as_collected_is_found(
    study: StudyFile, tmp_path: Path
) -> None:
    """The file refuses to change where ratings come from, and verification finds it if forced."""
    take_in(study, their_file(tmp_path, GOOD), their_map())
    with closing(sqlite3.connect(study.path)) as plain:
        with pytest.raises(sqlite3.IntegrityError, match="a round keeps its plan"):
            plain.execute("UPDATE rounds SET source = 'collected'")
        with pytest.raises(sqlite3.IntegrityError, match="CHECK constraint failed: source"):
            plain.execute(
                "INSERT INTO rounds (name, kind, source, design, ratings, seed, form, rule, pair, "
                "on_replace, idle_limit, created_at) "
                "VALUES ('x', 'main', 'found', 'crossed', 1, 1, '{}', '{}', '[]', 'keep', 1, '')"
            )
        plain.execute("DROP TRIGGER rounds_one_way")
        plain.execute("UPDATE rounds SET source = 'collected'")
        plain.commit()
    with open_study(study.path) as again:
        assert any("opened without an entry" in fault for fault in study_faults(again))


def test_every_title_on_imported_ratings_says_so(study: StudyFile, tmp_path: Path) -> None:
    """Agreement and decisions on ratings from elsewhere name them in their titles."""
    taken = take_in(study, their_file(tmp_path, GOOD), their_map())
    assert isinstance(taken, Round)
    assert taken.source == "imported"
    title = agreement_table(study, taken, replicates=200, seed=1).title
    assert title == "Agreement in round theirs (imported ratings)"
    decisions = decide_round(study, taken)
    shown = decisions_table(taken, decisions, committed=True, simulated=False)
    assert shown.title == "Decisions of round theirs (imported ratings)"


def test_an_imported_round_is_closed(study: StudyFile, tmp_path: Path) -> None:
    """Nobody adds to what came from elsewhere."""
    taken = take_in(study, their_file(tmp_path, GOOD), their_map())
    assert isinstance(taken, Round)
    assert taken.state == "closed"
    (seat,) = study.rounds.seats(taken.id)
    with pytest.raises(Refused, match="closed"):
        RatingSitting.at_seat(study, seat)


@pytest.mark.parametrize("mapped", [True, False])
def test_nobody_simulated_is_taken_for_human(
    study: StudyFile, tmp_path: Path, *, mapped: bool
) -> None:
    """Simulated raters come into rehearsals only, also when the map does not mention the column."""
    line = 'rater_kind = "rater_kind"' if mapped else ""
    columns = parse_map(MAP.replace("[answers]", f"{line}\n[answers]", 1), "m", SUITE.form)
    path = their_file(tmp_path, f"{GOOD};simulated", header=f"{HEADER};rater_kind")
    assert take_in(study, path, columns) == [
        "line 2, column rater_kind: a simulated rater belongs in a rehearsal"
    ]
    taken = take_in(study, path, columns, target(kind="rehearsal"))
    assert isinstance(taken, Round)
    assert {r.person_kind for r in study.ratings.of_round(taken.id)} == {"simulated"}


def test_one_rater_is_of_one_kind(study: StudyFile, tmp_path: Path) -> None:
    """A rater who is human on one line and a model on the next is a fault."""
    columns = own_map(SUITE.form)
    cells = {"rater": "a", "scenario": "S01", "meaning_choice": "heavy", "answer_confidence": "1"}
    cells |= {"answer_naturalness": "1", "text": "Task 1, wording 0. Drive or walk?"}
    rows = [
        {**cells, "condition": "Active", "rater_kind": "human"},
        {**cells, "condition": "Removed", "text": "Task 1, wording 1. Drive or walk?",
         "rater_kind": "model"},
    ]  # fmt: skip
    path = tmp_path / "r.csv"
    path.write_text(table(rows, columns))
    assert take_in(study, path, columns, target(kind="rehearsal")) == [
        "line 3, column rater_kind: this rater is of another kind on an earlier line"
    ]
    rows[1]["rater_kind"] = "dog"
    path.write_text(table(rows, columns))
    (found,) = take_in(study, path, columns)  # type: ignore[misc]
    assert found == "line 3, column rater_kind: 'dog' is not human, simulated or model"


def table(rows: Sequence[Mapping[str, str]], columns: ColumnMap) -> str:
    out = StringIO()
    writer = csv.DictWriter(out, columns.named(), restval="")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


# Designs

CELLS = {n: (f"S{n // 2}", "ab"[n % 2]) for n in range(6)}  # three scenarios, two conditions
LISTS = (frozenset({0, 3, 4}), frozenset({1, 2, 5}))


@pytest.mark.parametrize(
    ("shown", "design"),
    [
        ([frozenset(CELLS)] * 3, "crossed"),
        ([LISTS[0], LISTS[1]], "latin-square"),
        ([*LISTS, *LISTS], "latin-square"),
        ([LISTS[0], LISTS[0], LISTS[1]], "overlap"),
        ([LISTS[0], frozenset({1, 2})], "overlap"),
        ([LISTS[0], LISTS[1] | {0}], "overlap"),
        ([frozenset({0, 1, 2, 3, 4, 5}), LISTS[0]], "overlap"),
        ([frozenset({0, 2, 5}), frozenset({0, 3, 4})], "overlap"),
        ([frozenset({0})], "crossed"),
    ],
)
def test_the_design_is_read_off_the_ratings(shown: list[frozenset[int]], design: str) -> None:
    """A complete square or crossing is called so; anything else is an overlap."""
    cells = {n: cell for n, cell in CELLS.items() if any(n in items for items in shown)}
    assert design_of(shown, cells) == design
