"""``wavelock export prompts`` and ``wavelock import generations``, as somebody types them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_bad_input import one_line, sqlite_dump


@pytest.fixture
def study(wavelock: Any, study_path: Path) -> Any:
    """Return what runs a command on a copy of the whole study."""
    return lambda *arguments: wavelock("--study", study_path, *arguments)


def answered(study: Any, folder: Path, said: str = "Answer: A", samples: int = 1) -> Path:
    """Export the prompts of Active and Removed, answer them, and return the file."""
    prompts, answers = folder / "prompts.jsonl", folder / "answers.jsonl"
    assert study("export", "prompts", prompts, "--conditions", "Active,Removed").code == 0
    rows = [json.loads(line) for line in prompts.read_text().splitlines()]
    lines = [
        json.dumps({**row, "response": said, "model": "m", "sample": n})
        for n in range(1, samples + 1)
        for row in rows
    ]
    answers.write_text("\n".join(lines))
    return answers


def test_there_and_back(study: Any, tmp_path: Path) -> None:
    """Prompts go out, answers come in; every table on them says so, and the ledger verifies."""
    answers = answered(study, tmp_path, samples=2)
    done = study("import", "generations", answers)
    assert done.code == 0
    assert done.out.splitlines()[0] == "answers.jsonl (jsonl): 20 records"
    assert "run 5 (m): 20 imported generations" in done.err
    (run,) = [r for r in json.loads(study("runs", "list", "--json").out)["rows"] if r["run"] == 5]
    assert (run["kind"], run["generations"], run["ok"]) == ("imported", 20, 20)
    assert study("score").code == 0
    report = study("report", "paired", "states", "--replicates", "200").out
    assert report.count("m: imported outputs") == 2
    assert "m (imported)" in report
    judged = ("judge", "5", "--rubric", "grade", "--judge", "scripted-judge")
    assert study(*judged).code == 0
    assert "run 5: imported outputs" in study("judge", "agreement", "--rubric", "grade").out
    verified = study("ledger", "verify")
    assert verified.code == 0, verified.err
    shown = study("ledger", "show").out
    assert "20 generations imported into run 5 of m from answers.jsonl (jsonl)" in " ".join(
        shown.split()
    )
    page = tmp_path / "report.html"
    assert study("report", "--html", page, "--replicates", "200").code == 0
    assert "imported from answers.jsonl (jsonl), sha256:" in page.read_text()


def test_the_same_again_and_a_dry_run(study: Any, study_path: Path, tmp_path: Path) -> None:
    """A dry run stores nothing; the same file adds nothing, and says so."""
    answers = answered(study, tmp_path)
    before = sqlite_dump(study_path)
    dry = study("import", "generations", answers, "--dry-run")
    assert (dry.code, "nothing was stored" in dry.err) == (0, True)
    assert sqlite_dump(study_path) == before
    study("import", "generations", answers)
    before = sqlite_dump(study_path)
    again = study("import", "generations", answers)
    assert (again.code, "all of it is in the study already" in again.err) == (0, True)
    assert "note" not in again.err
    assert sqlite_dump(study_path) == before
    other = study("import", "generations", answers, "--model", "other")
    assert "note: the same file is in run 5 as well; count its outputs once" in other.err


def test_what_does_not_match_is_listed(study: Any, study_path: Path, tmp_path: Path) -> None:
    """Exit 1 and nothing stored; as CSV and JSON the records are listed for programs."""
    answers = answered(study, tmp_path)
    with answers.open("a") as file:
        file.write('\n{"prompt": "Who?", "response": "I", "model": "m"}\n')
    before = sqlite_dump(study_path)
    done = study("import", "generations", answers)
    assert done.code == 1
    assert "of no frozen prompt  line 11  no frozen prompt is like it" in done.out
    assert done.err.endswith(
        f"wavelock: {answers}: 1 unmatched; nothing was imported; --partial takes the rest\n"
    )
    assert sqlite_dump(study_path) == before
    listed = study("import", "generations", answers, "--dry-run", "--csv")
    assert listed.code == 1
    assert listed.out.splitlines()[1] == "of no frozen prompt,line 11,no frozen prompt is like it"
    told = json.loads(study("import", "generations", answers, "--dry-run", "--json").out)
    assert [table["name"] for table in told] == ["import", "left"]
    assert study("import", "generations", answers, "--partial").code == 0


def test_several_files(study: Any, tmp_path: Path) -> None:
    """Each is an import of its own; one that is refused does not keep out the others."""
    good = answered(study, tmp_path)
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"prompt": "Who?", "response": "I", "model": "m"}\n')
    done = study("import", "generations", bad, good)
    assert (done.code, "run 5 (m): 10 imported generations" in done.err) == (1, True)
    assert done.err.splitlines()[-1].startswith(f"wavelock: {bad}: 1 unmatched")


BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "no file": (("nosuch.jsonl",), "nosuch.jsonl cannot be read"),
    "no name": ((), "Missing argument 'FILE...'"),
    "a directory": ((".",), "is a directory"),
    "the study itself": (("study.db",), "is a SQLite file, such as a study"),
    "an unknown format": (("x.jsonl", "--format", "x"), "Invalid value for '--format'"),
    "columns that are none": (("x.jsonl", "--columns", "prompt"), "is no NAME=COLUMN"),
    "an unknown name": (("x.jsonl", "--columns", "answer=a"), "unknown 'answer'; known are key,"),
    "a name twice": (("x.jsonl", "--columns", "prompt=a,prompt=b"), "prompt is named twice"),
    "a column that is not there": (("x.jsonl", "--columns", "response=a"), "has no column a; it"),
    "no model": (("x.jsonl",), "does not name the model that answered; say --model NAME"),
    "no requests": (("b.jsonl", "--requests", "no.jsonl"), "no.jsonl cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
def test_bad_input_is_one_line(
    study: Any, study_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Exit 2, one line, nothing changed."""
    monkeypatch.chdir(study_path.parent)
    exported = Path("p.jsonl")
    study("export", "prompts", exported)
    row = json.loads(exported.read_text().splitlines()[0])
    Path("x.jsonl").write_text(json.dumps({**row, "response": "a"}))
    Path("b.jsonl").write_text('{"custom_id": "r", "response": null, "error": null}')
    before = sqlite_dump(study_path)
    arguments, sentence = BAD[kind]
    assert sentence in one_line(study("import", "generations", *arguments))
    assert sqlite_dump(study_path) == before


def test_exports_that_cannot_be(study: Any, tmp_path: Path, wavelock: Any) -> None:
    """Nothing frozen, a batch without a model, a form that is no table."""
    assert "names its model" in one_line(study("export", "prompts", "-", "--form", "openai-batch"))
    told = one_line(study("export", "prompts", tmp_path / "x.csv", "--form", "harness"))
    assert "is JSON lines" in told
    assert "there is no frozen condition 'X'" in one_line(
        study("export", "prompts", "-", "--conditions", "X")
    )
    empty = tmp_path / "empty.db"
    wavelock("init", empty, "--suite", "core100")
    assert "nothing is frozen yet" in one_line(wavelock("--study", empty, "export", "prompts", "-"))


def test_an_export_leaves_out_what_was_withdrawn(study: Any) -> None:
    """A withdrawn item is asked no more; all others are there, in CSV as on standard output."""
    done = study("export", "prompts", "-", "--form", "harness")
    assert (done.code, len(done.out.splitlines())) == (0, 19)
    assert "19 frozen prompts\n" in done.err
    batch = study("export", "prompts", "-", "--form", "openai-batch", "--api-model", "m",
                  "-k", "2", "--temperature", "0.2").out.splitlines()  # fmt: skip
    assert len(batch) == 38
    assert json.loads(batch[1])["custom_id"].endswith("-2")
    assert json.loads(batch[0])["body"]["temperature"] == 0.2


def test_a_copied_study_knows_the_keys(
    study: Any, wavelock: Any, study_path: Path, tmp_path: Path
) -> None:
    """Keys are of the frozen items, not of the file that they were exported from."""
    copy = Path(shutil.copy(study_path, tmp_path / "copy.db"))
    answers = answered(study, tmp_path)
    assert wavelock("--study", copy, "import", "generations", answers).code == 0
