"""Drafts come in whole or not at all, and what goes out comes in again as it was."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from audit.draft_files import open_drafts
from audit.drafting import checked, store
from audit.revising import all_faults
from audit.verify import study_faults
from core.errors import InputError, Unavailable
from db.file import StudyFile, create_study
from exports.data import encoded
from exports.items import items_data
from exports.template import template_text
from suites.core100.pool import scenarios
from suites.core100.suite import SUITE
from suites.wise import suite as wise
from tests.audit.drafts import synthetic, take_in, write

FORMATS = ("csv", "jsonl", "parquet")


def empty(path: Path, salt: str = "salt") -> StudyFile:
    return create_study(path, title="t", suite="core100", scenarios=(), salt=salt)


@pytest.fixture
def study(tmp_path: Path) -> Any:
    with empty(tmp_path / "study.db") as made:
        yield made


def test_the_synthetic_drafts_keep_every_rule(study: StudyFile, tmp_path: Path) -> None:
    """What other tests rest on is sound, also in great number."""
    take_in(study, write(tmp_path / "d.json", [synthetic(n) for n in range(141)]))
    assert all_faults(SUITE, study.items.scenarios()) == ()


@pytest.mark.parametrize("form", FORMATS)
def test_what_was_exported_comes_in_again_byte_for_byte(tmp_path: Path, form: Any) -> None:
    """Export, import into an empty study with the same salt, export: the same bytes."""
    with create_study(
        tmp_path / "a.db", title="t", suite="core100", scenarios=scenarios(), salt="salt"
    ) as first:
        text = first.items.scenarios()[0].item("Removed")
        first.drafts.revise("S01", [text], "the same again, as a second revision", {})
        written = {name: encoded(items_data(first), name) for name in FORMATS}
    path = tmp_path / f"items.{form}"
    path.write_bytes(written[form])
    with empty(tmp_path / "b.db") as second:
        assert len(take_in(second, path).new) == 16
        assert {name: encoded(items_data(second), name) for name in FORMATS} == written
        assert study_faults(second) == ()
        again = take_in(second, path)
        assert (again.new, len(again.known)) == ((), 16)


@pytest.mark.parametrize("form", FORMATS)
def test_parameters_and_panels_come_in_again_byte_for_byte(tmp_path: Path, form: Any) -> None:
    """The same for a suite whose items name verifiers, and whose scenarios differ in conditions."""
    drafted = [*wise.SUITE.scenarios()[:2], *wise.SUITE.scenarios()[-1:]]
    path = tmp_path / f"items.{form}"
    with create_study(
        tmp_path / "a.db", title="t", suite="wise", scenarios=drafted, salt="salt"
    ) as first:
        path.write_bytes(encoded(items_data(first), form))
    with create_study(
        tmp_path / "b.db", title="t", suite="wise", scenarios=(), salt="salt"
    ) as second:
        intake = checked(second, wise.SUITE, open_drafts(path))
        assert intake.faults == ()
        store(second, open_drafts(path), intake)
        assert second.items.scenarios() == tuple(drafted)
        assert encoded(items_data(second), form) == path.read_bytes()


def test_another_salt_changes_the_order_of_options_alone(tmp_path: Path) -> None:
    """A study has its own salt; what an option means travels with it."""
    with empty(tmp_path / "a.db") as first, empty(tmp_path / "b.db", "other") as second:
        path = write(tmp_path / "d.json", [synthetic(n) for n in range(20)])
        for made in (first, second):
            take_in(made, path)
        ours, theirs = first.items.latest(), second.items.latest()
        assert [r.text for r in ours] == [r.text for r in theirs]
        assert [set(r.options) for r in ours] == [set(r.options) for r in theirs]
        assert [r.options for r in ours] != [r.options for r in theirs]


@pytest.mark.parametrize("form", ["yaml", "json", "jsonl"])
def test_every_format_is_the_same_scenario(study: StudyFile, tmp_path: Path, form: str) -> None:
    """The way of writing leaves no trace in what is stored."""
    entries = [synthetic(1), synthetic(2)]
    take_in(study, write(tmp_path / "d.json", entries))
    path = tmp_path / f"other.{form}"
    match form:
        case "yaml":
            path.write_text(yaml.safe_dump(entries), "utf-8")
        case "json":
            path.write_text(json.dumps(entries, indent=2), "utf-8-sig")
        case _:
            path.write_text("\n".join(json.dumps(entry) for entry in entries), "utf-8")
    intake = checked(study, SUITE, open_drafts(path))
    assert (intake.new, intake.known, intake.faults) == ((), ("C001", "C002"), ())


def test_an_import_is_ledgered_with_its_file(study: StudyFile, tmp_path: Path) -> None:
    """Name and digest of the file, without its folder, and what came of it."""
    path = write(tmp_path / "drafts.json", [synthetic(1)])
    take_in(study, path)
    entry = study.ledger.entries()[-1]
    assert entry.event == "items imported"
    assert entry.payload["file"] == "drafts.json"
    assert entry.payload["digest"] == open_drafts(path).digest
    assert (entry.payload["scenarios"], entry.payload["revisions"]) == (1, 4)
    assert set(study.drafts.origins().values()) == {entry.sequence}


def test_one_fault_and_nothing_would_come_in(study: StudyFile, tmp_path: Path) -> None:
    """Sound scenarios beside a spoiled one are told apart, for those who want them."""
    broken = synthetic(2) | {"facts": {**synthetic(2)["facts"], "domain": "space"}}
    file = open_drafts(write(tmp_path / "d.json", [synthetic(1), broken, synthetic(3)]))
    intake = checked(study, SUITE, file)
    assert [fault.column for fault in intake.faults] == ["facts.domain"]
    assert (intake.spoiled, intake.whole) == (("C002",), True)
    assert [scenario.id for scenario in intake.new] == ["C001", "C003"]
    assert study.items.facts() == {}
    store(study, file, intake)
    assert list(study.items.facts()) == ["C001", "C003"]


@pytest.mark.parametrize("field", ["texts", "facts", "options"])
def test_a_known_scenario_is_never_overwritten(
    study: StudyFile, tmp_path: Path, field: str
) -> None:
    """Another text says how to revise it; other facts are refused as well."""
    take_in(study, write(tmp_path / "d.json", [synthetic(1)]))
    entry = synthetic(1)
    entry[field] = {key: f"{value} Truly." for key, value in entry[field].items()}
    entry["facts"] |= {k: v for k, v in synthetic(1)["facts"].items() if k != "prerequisite"}
    intake = checked(study, SUITE, open_drafts(write(tmp_path / "e.json", [entry])))
    assert (intake.new, intake.known, intake.spoiled) == ((), (), ("C001",))
    told = " ".join(str(fault) for fault in intake.faults)
    wanted = {"texts": "another text", "options": "another options", "facts": "other facts"}
    assert wanted[field] in told
    assert ("wavelock items revise C001" in told) == (field != "facts")


YAML = {
    "twice": ("- scenario: a\n  scenario: b\n", "line 2: not a row: a name is given twice"),
    "alias": ("- &a {scenario: x}\n- *a\n", "line 1: not a row: an alias (*) is not read"),
    "nan": ("- scenario: x\n  text: .nan\n", "line 2: not a row: .nan is no number"),
    "mapping": ("scenario: a\n", "line 1: a YAML file must hold a list"),
    "syntax": ("- a: [\n", "line 2: not YAML: "),
    "control": ("- a: 1\n- b: \x01\n", "line 2: not YAML: "),
    "deep": ("- a: " + "[" * 5000, "not YAML: "),
    "no object": ("- 3\n", "line 1: not a row: an object is needed"),
    "empty": ("", "line 1: the file holds no items"),
    "latin": (b"- a: caf\xe9\n", "line 1: not UTF-8 at byte 8"),
}  # fmt: skip


@pytest.mark.parametrize("kind", YAML)
def test_faults_of_yaml_are_named_by_line(study: StudyFile, tmp_path: Path, kind: str) -> None:
    """Whatever YAML could make of it, what is not plain is refused."""
    text, told = YAML[kind]
    path = tmp_path / "d.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    faults = [str(fault) for fault in checked(study, SUITE, open_drafts(path)).faults]
    assert any(fault.startswith(told) or told in fault for fault in faults), faults


def test_a_plain_no_is_the_word_no(study: StudyFile, tmp_path: Path) -> None:
    """YAML's truths and numbers are the texts that were written."""
    entry = synthetic(1)
    path = tmp_path / "d.yaml"
    path.write_text(yaml.safe_dump([entry]).replace("Fetch the key\n", "no\n", 1), "utf-8")
    assert "heavy: no\n" in path.read_text()
    take_in(study, path)
    assert "no" in study.items.latest()[0].labels


def test_parquet_counts_rows(study: StudyFile, tmp_path: Path) -> None:
    """A fault is of a row, because there are no lines; what is no Parquet says so."""
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet  # noqa: PLC0415

    path = tmp_path / "d.parquet"
    table = pyarrow.Table.from_pylist([{"scenario": "S1", "condition": "Active", "text": None}])
    parquet.write_table(table, path)
    faults = [str(fault) for fault in checked(study, SUITE, open_drafts(path)).faults]
    assert "row 1, column text: nothing stands there" in faults
    path.write_bytes(b"PAR1 not really")
    (fault,) = checked(study, SUITE, open_drafts(path)).faults
    assert str(fault).startswith("row 1: not Parquet: ")


def test_parquet_without_its_package_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The extra is named, and what to do without it."""
    path = tmp_path / "d.parquet"
    path.write_bytes(b"")
    monkeypatch.setattr(
        "audit.draft_files.find_spec",
        lambda name: None if name == "pyarrow" else importlib.util.find_spec(name),
    )
    with pytest.raises(Unavailable, match=r"wavelock\[parquet\].*CSV or JSON lines"):
        open_drafts(path)


@pytest.mark.parametrize("name", ["d.txt", "d", "nosuch.csv"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    """An ending that says nothing, and a file that is not there."""
    with pytest.raises(InputError, match=name):
        open_drafts(tmp_path / name)


@pytest.mark.parametrize("ending", ["csv", "json", "yaml"])
def test_a_template_is_refused_until_it_is_filled_in(
    study: StudyFile, tmp_path: Path, ending: str
) -> None:
    """Its columns are all known, and every cell that must be written is named."""
    path = tmp_path / f"t.{ending}"
    path.write_text(template_text(SUITE, path), "utf-8")
    faults = [str(fault) for fault in checked(study, SUITE, open_drafts(path)).faults]
    assert faults
    assert all("nothing stands there" in fault for fault in faults), faults
