"""Audits from elsewhere: checked whole, stored whole, and marked as what they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.import_map import own_map as own_ratings_map
from annotate.importing import Target as RatingsTarget
from annotate.importing import store as store_ratings
from audit.freezing import freeze
from audit.import_map import own_map, parse_map
from audit.importing import rounds_with
from audit.inclusion import commit, decide_round
from audit.verify import study_faults
from cli.importing import checked as checked_files
from core.errors import InputError, Refused
from core.evidence import PairAudit
from core.study import Round
from db.file import StudyFile
from exports.audits import audits_data
from exports.data import Format, encoded
from exports.ratings import ratings_data
from suites.core100.suite import SUITE
from tests.annotate.theirs import dump
from tests.audit.auditors import (
    GOOD,
    MAP,
    audit_all,
    source,
    take_in,
    target,
    their_file,
    their_map,
)


@pytest.fixture
def study(workshop: Any, tmp_path: Path) -> StudyFile:
    made: StudyFile = workshop.create(tmp_path / "study.db", 3)
    return made


# There and back


def without_names(text: bytes) -> str:
    """Return an export without provenance; pseudonyms are numbered as they occur."""
    people: dict[str, str] = {}
    plain = text.decode().replace("imported", "collected")
    return re.sub(r"\bP-[0-9A-Z]{5}\b", lambda m: people.setdefault(m[0], f"P{len(people)}"), plain)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("seed", [1, 2])
def test_exported_imported_and_exported_again_is_the_same(
    workshop: Any, tmp_path: Path, form: Format, seed: int
) -> None:
    """Into an empty study of the same items: the same bytes but for provenance and pseudonyms."""
    first = workshop.create(tmp_path / "first.db", 6)
    campaign = workshop.opened(first, auditors=3, seed=seed)
    audit_all(first, campaign)
    first.rounds.close(campaign.id)
    before = encoded(audits_data(first, [campaign]), form)
    path = tmp_path / f"a.{form}"
    path.write_bytes(before)
    second = workshop.create(tmp_path / "second.db", 6)
    taken = take_in(second, path, into=target("main"))
    assert isinstance(taken, Round)
    after = encoded(audits_data(second, [taken]), form)
    assert after != before
    assert without_names(after) == without_names(before)
    assert study_faults(second) == ()


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b"]), st.integers(1, 3), st.booleans(), st.booleans(),
            st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12),
        ),
        min_size=1, unique_by=lambda row: row[:2],
    )
)  # fmt: skip
def test_whatever_is_exported_comes_back(
    workshop: Any, tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[Any, ...]]
) -> None:
    """Any note, any verdicts, any subset of pairs: what came in goes out and in again the same."""
    folder = tmp_path_factory.mktemp("back")
    first, second = (workshop.create(folder / name, 3) for name in ("1.db", "2.db"))
    seats: dict[str, list[tuple[Any, ...]]] = {}
    for row in rows:
        seats.setdefault(row[0], []).append(row)
    campaign = workshop.opened(first, auditors=len(seats))
    for seat, mine in zip(first.rounds.seats(campaign.id, "auditor"), seats.values(), strict=True):
        person = first.people.take_seat(seat.id)
        pairs = {p.scenario: p.id for p in first.rounds.pair_assignments(seat.id)}
        for _, number, verdict, seen, note in mine:
            audit = PairAudit(pairs[f"S{number:02}"], verdict, note, seen)
            first.audits.save(audit, person.id)
    path = folder / "a.jsonl"
    path.write_bytes(encoded(audits_data(first, [campaign]), "jsonl"))
    taken = take_in(second, path, into=target("main"))
    assert isinstance(taken, Round), taken
    again = encoded(audits_data(second, [taken]), "jsonl")
    assert without_names(again) == without_names(path.read_bytes())


# From another tool


def test_verdicts_sides_and_zones_are_mapped(study: StudyFile, tmp_path: Path) -> None:
    """A verdict becomes yes or no, sides are those of the file, a time becomes UTC."""
    path = their_file(
        tmp_path,
        GOOD,
        "bob;S01;more;Active;Removed;;2026-01-02T03:04:05Z",
        "ann;S02;no;Active;Removed;;",
    )
    taken = take_in(study, path, their_map())
    assert isinstance(taken, Round)
    first, second, third = study.audits.of_round(taken.id)
    assert (first.only_intended, first.left.condition, first.note) == (True, "Removed", "fine")
    assert first.updated_at == "2026-01-02T01:04:05.000Z"
    assert (second.only_intended, second.left.condition) == (False, "Active")
    assert first.person == third.person != second.person
    assert (taken.source, taken.state, taken.design) == ("imported", "closed", "overlap")
    (entry,) = [e for e in study.ledger.entries() if e.event == "audits imported"]
    assert (entry.payload["audits"], entry.payload["auditors"]) == (3, 2)
    assert study_faults(study) == ()


def test_sides_may_be_said_for_all(study: StudyFile, tmp_path: Path) -> None:
    """Where everybody was shown the same sides, the map says so instead of the file."""
    text = MAP.replace('left = "shown left"\nright = "shown right"\n', "")
    text += '[sides]\nleft = "Active"\nright = "Removed"\n'
    path = their_file(tmp_path, "ann;S01;one fact;;;;", "ann;S02;more;;;;")
    taken = take_in(study, path, their_map(text))
    assert isinstance(taken, Round)
    assert {a.left.condition for a in study.audits.of_round(taken.id)} == {"Active"}


def test_who_somebody_was_is_not_stored(study: StudyFile, tmp_path: Path) -> None:
    """No name of the file is anywhere in the study, nor a hash that leads back to it."""
    path = their_file(tmp_path, GOOD.replace("ann", "CANARY-WORKER"))
    take_in(study, path, their_map())
    assert "CANARY-WORKER" not in dump(study)


OTHER = GOOD.replace("ann", "cy")
ROWS: dict[str, tuple[str, str]] = {
    "no such scenario": (OTHER.replace("S01", "S99"), "column task: there is no scenario 'S99'"),
    "another pair": (
        OTHER.replace("Active", "Explicit"),
        "column shown left: compared were 'Removed' and 'Explicit'; pairs here are Active and",
    ),
    "one condition twice": (
        OTHER.replace("Active", "Removed"), "compared were 'Removed' and 'Removed'"
    ),
    "no verdict": (OTHER.replace("one fact", ""), "column verdict: there is no verdict"),
    "an unknown verdict": (
        OTHER.replace("one fact", "perhaps"), "column verdict: 'perhaps' is no answer; understood"
    ),
    "nobody": (OTHER.replace("cy", " "), "column who: nobody is named"),
    "no time": (OTHER.replace("2026-01-02", "soon"), "column at: 'soon 03:04:05' is no time"),
    "a cell too few": ("ann;S01;more", "3 cells for 7 columns"),
    "the same pair again": (GOOD, "column who: this auditor audited S01 on line 2 already"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ROWS)
def test_every_fault_is_named_and_nothing_is_stored(
    study: StudyFile, tmp_path: Path, kind: str
) -> None:
    """Each fault has its line and column, among good rows, and the study stays as it was."""
    row, sentence = ROWS[kind]
    before = dump(study)
    good = (GOOD, GOOD.replace("ann", "bob"))
    found = take_in(study, their_file(tmp_path, *good, row), their_map())
    assert isinstance(found, list)
    (fault,) = found
    assert fault.startswith("line 4")
    assert sentence in fault
    assert dump(study) == before


def test_all_faults_come_at_once(study: StudyFile, tmp_path: Path) -> None:
    """Three rows with five faults are five lines, in the order of the file."""
    path = their_file(
        tmp_path,
        " ;S01;;Active;Removed;;",
        GOOD,
        "bob;S77;maybe;Active;Removed;;never",
    )
    found = take_in(study, path, their_map())
    assert isinstance(found, list)
    assert [fault.split(":")[0] for fault in found] == [
        "line 2, column who", "line 2, column verdict",
        "line 4, column verdict", "line 4, column at", "line 4, column task",
    ]  # fmt: skip


def test_texts_and_revisions_must_be_those_of_the_study(
    workshop: Any, study: StudyFile, tmp_path: Path
) -> None:
    """An audit is of the very texts that were shown; other texts are a fault by their column."""
    campaign = workshop.opened(study, auditors=1)
    audit_all(study, campaign)
    path = tmp_path / "a.csv"
    path.write_bytes(encoded(audits_data(study, [campaign]), "csv"))
    text = path.read_text("utf-8")
    path.write_text(text.replace("Task 2, wording 0", "Task 2, reworded"), "utf-8")
    (fault,) = take_in(study, path)  # type: ignore[misc]
    assert "_text: not the text of S02/Active in this study" in str(fault)
    path.write_text(re.sub(r"Active,1,", "Active,7,", text), "utf-8")
    assert "revision: S01/Active has no revision '7'" in str(take_in(study, path))


def test_a_file_without_the_columns_of_an_export(study: StudyFile, tmp_path: Path) -> None:
    """Every column that is missing is named."""
    found = take_in(study, their_file(tmp_path, "a,b", header="worker,task"))
    assert isinstance(found, list)
    assert "line 1, column auditor: the file has no such column" in found
    assert len(found) == 14


def test_simulated_auditors_stay_what_they_are(
    workshop: Any, study: StudyFile, tmp_path: Path
) -> None:
    """They come into a rehearsal and nowhere else, whatever the map leaves out."""
    campaign = workshop.rate(study, workshop.opened(study, kind="rehearsal"))
    path = tmp_path / "a.csv"
    path.write_bytes(encoded(audits_data(study, [campaign]), "csv"))
    found = take_in(study, path)
    assert isinstance(found, list)
    assert "column auditor_kind: a simulated auditor belongs in a rehearsal" in found[0]
    taken = take_in(study, path, into=target(kind="rehearsal"))
    assert isinstance(taken, Round)
    assert {a.person_kind for a in study.audits.of_round(taken.id)} == {"simulated"}


def test_the_same_file_twice(study: StudyFile, tmp_path: Path) -> None:
    """Into the same round it is refused and changes nothing; elsewhere it is known."""
    path = their_file(tmp_path, GOOD)
    take_in(study, path, their_map())
    before = dump(study)
    with pytest.raises(Refused, match="imported into round theirs already"):
        take_in(study, path, their_map())
    assert dump(study) == before
    assert rounds_with(study, source(path, their_map())) == ("theirs",)


def test_a_failure_in_the_middle_leaves_nothing(
    study: StudyFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Round, seats, people and audits are one transaction."""
    calls = []

    def fails(*_: object) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise Refused("the disk is full")

    monkeypatch.setattr(type(study.audits), "save", fails)
    before = dump(study)
    path = their_file(tmp_path, GOOD, GOOD.replace("ann", "bob"))
    with pytest.raises(Refused, match="disk"):
        take_in(study, path, their_map())
    assert dump(study) == before


MAPS: dict[str, tuple[Callable[[str], str], str]] = {
    "no auditor": (lambda t: t.replace('auditor = "who"\n', ""), "column of auditor is missing"),
    "no side": (lambda t: t.replace('left = "shown left"\n', ""), "the column of left, or say"),
    "an unknown column": (
        lambda t: t.replace('note = "remark"', 'nota = "remark"'), "line 8: unknown 'nota'"
    ),
    "a column that is none": (
        lambda t: t.replace('"remark"', "7"), "line 8: note must name a column, not 7"
    ),
    "a verdict that is none": (
        lambda t: t.replace('"more" = false', '"more" = "no"'), "line 13: a verdict is"
    ),
    "an unknown table": (lambda t: t + "[answers]\n", "unknown table 'answers'"),
    "a side twice": (lambda t: t + '[sides]\nleft = "Active"\n', "column of left is named already"),
    "a third side": (lambda t: t + '[sides]\ntop = "Active"\n', "unknown side 'top'"),
    "no zone": (lambda t: t.replace("+02:00", "Mars"), "'Mars' is no time zone"),
    "no columns": (lambda t: "[file]\n", "a map needs a table [columns]"),
    "columns that are none": (lambda t: "columns = 1\n", "columns must be a table"),
    "no TOML": (lambda t: t + "=", "not TOML"),
}  # fmt: skip


@pytest.mark.parametrize("kind", MAPS)
def test_a_wrong_map_is_told_by_line(kind: str) -> None:
    """One sentence with file and line, before any row is read."""
    change, sentence = MAPS[kind]
    with pytest.raises(InputError, match=re.escape(sentence)) as caught:
        parse_map(change(MAP), "map.toml")
    assert str(caught.value).startswith("map.toml, line ")


# Together with ratings


def exported(workshop: Any, folder: Path) -> tuple[Path, Path]:
    """Rate and audit a round elsewhere, everybody as the drafters intend, and export both."""
    elsewhere = workshop.create(folder / "elsewhere.db", 3)
    campaign = workshop.opened(elsewhere, ratings=5, auditors=2)
    workshop.rate(elsewhere, campaign)
    rated, audited = folder / "ratings.csv", folder / "audits.csv"
    rated.write_bytes(encoded(ratings_data(elsewhere, [campaign]), "csv"))
    audited.write_bytes(encoded(audits_data(elsewhere, [campaign]), "csv"))
    return rated, audited


def both(study: StudyFile, rated: Path, audited: Path) -> Round | list[str]:
    into = RatingsTarget("theirs", "main", SUITE.form, SUITE)
    found, faults = checked_files(
        study, into, (rated, own_ratings_map(SUITE.form)), (audited, own_map())
    )
    if faults:
        return [f"{path.name}, {fault}" for path, fault in faults]
    return store_ratings(study, found.source, into, found.ratings, beside=found.audits)


def test_ratings_and_audits_are_decided_and_frozen(
    workshop: Any, study: StudyFile, tmp_path: Path
) -> None:
    """From two files of another study to decisions and a wave, every digest intact."""
    taken = both(study, *exported(workshop, tmp_path))
    assert isinstance(taken, Round)
    assert (taken.source, taken.state) == ("imported", "closed")
    decisions = commit(study, taken)
    assert [d.verdict for d in decisions] == ["include"] * 3
    wave = freeze(study, SUITE)
    assert wave.header["rounds"]["theirs"]["source"] == "imported"
    assert len(study.waves.items()) == 12
    assert study_faults(study) == ()


def test_audits_alone_are_never_decided_on(workshop: Any, study: StudyFile, tmp_path: Path) -> None:
    """A round of audits says how its ratings would have to come in."""
    taken = take_in(study, exported(workshop, tmp_path)[1])
    assert isinstance(taken, Round)
    with pytest.raises(Refused, match="holds audits alone"):
        decide_round(study, taken)


def test_without_unanimous_auditors_nothing_is_included(
    workshop: Any, study: StudyFile, tmp_path: Path
) -> None:
    """One no among two verdicts is a missed threshold; a missing verdict leaves it undecided."""
    rated, audited = exported(workshop, tmp_path)
    lines = audited.read_text("utf-8").splitlines(keepends=True)
    place = next(n for n, line in enumerate(lines) if ",S02," in line)
    lines[place] = lines[place].replace(",true,", ",false,", 1)
    gone = next(n for n, line in enumerate(lines) if ",S03," in line)
    del lines[gone]
    audited.write_text("".join(lines), "utf-8")
    taken = both(study, rated, audited)
    assert isinstance(taken, Round)
    verdicts = {d.scenario: d.verdict for d in decide_round(study, taken)}
    assert verdicts["S01"] == "include"
    assert verdicts["S02"] in ("revise", "exclude")
    assert verdicts["S03"] == "undecided"


def test_nobody_audits_what_they_rated(workshop: Any, study: StudyFile, tmp_path: Path) -> None:
    """A name in both files is a fault for every scenario that is in both; nothing is stored."""
    rated, audited = exported(workshop, tmp_path)
    rater = re.findall(r"P-\w{5}", rated.read_text("utf-8"))[0]
    auditor = re.findall(r"P-\w{5}", audited.read_text("utf-8"))[0]
    audited.write_text(audited.read_text("utf-8").replace(auditor, rater), "utf-8")
    before = dump(study)
    found = both(study, rated, audited)
    assert isinstance(found, list)
    assert len(found) == 3
    assert (
        "audits.csv, line 2, column scenario: whoever audits a pair may not have rated" in found[0]
    )
    assert "on line 2 of the ratings" in "".join(found)
    assert dump(study) == before


def test_audits_of_other_texts_than_those_rated(
    workshop: Any, study: StudyFile, tmp_path: Path
) -> None:
    """Evidence of two revisions is no evidence of one."""
    rated, audited = exported(workshop, tmp_path)
    lines = rated.read_text("utf-8").splitlines(keepends=True)
    rated.write_text("".join(line for line in lines if ",S01,Removed," not in line), "utf-8")
    found = both(study, rated, audited)
    assert isinstance(found, list)
    assert len(found) == 2
    assert "revision 1 of S01/Removed was audited, and no rating of this round is of it" in found[0]


def test_faults_of_both_files_come_at_once(workshop: Any, study: StudyFile, tmp_path: Path) -> None:
    """Each fault is told with its own file."""
    rated, audited = exported(workshop, tmp_path)
    rated.write_text(rated.read_text("utf-8").replace("S01,Active", "S0X,Active", 1), "utf-8")
    audited.write_text(audited.read_text("utf-8").replace(",true,", ",perhaps,", 1), "utf-8")
    found = both(study, rated, audited)
    assert isinstance(found, list)
    assert {fault.split(",")[0] for fault in found} == {"ratings.csv", "audits.csv"}
