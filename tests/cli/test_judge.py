from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from db.file import open_study

PANEL = ("--judge", "scripted-judge", "--judge", "scripted-judge-lenient")


@pytest.fixture
def study(demo_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(demo_folder / "study.db", tmp_path / "study.db"))


def test_judging_and_doubting(wavelock: Any, study: Path) -> None:
    """Two judges of a finished run, again without a request, and the tables of what they said."""
    asked = ("--study", study, "judge", 1, "--rubric", "grade-neutral", *PANEL)
    dry = wavelock(*asked, "--dry-run")
    assert (dry.code, dry.out.count("90 requests"), dry.err) == (0, 2, "")
    done = wavelock(*asked)
    assert (done.code, done.out) == (0, "")
    assert "judge 2 (scripted-judge-lenient, grade-neutral 1): 90 of 90 judged" in done.err
    assert wavelock(*asked).err.count("0 asked just now") == 2
    status = wavelock("--study", study, "judge", "status", "--json")
    rows = json.loads(status.out)["rows"]
    assert {row["judged_by"] for row in rows} == {
        "judge 1 (scripted-judge)", "judge 2 (scripted-judge-lenient)", "panel of 2",
    }  # fmt: skip
    agreement = wavelock("--study", study, "judge", "agreement", "--replicates", 50)
    assert "(simulated ratings; run 1 is a fake, no model; judges 1, 2 are fakes" in " ".join(
        agreement.out.split()
    )
    assert "Cohen's kappa" in agreement.out
    short = wavelock("--study", study, "judge", "agreement", "--table", "short", "--csv")
    assert short.out.startswith("rubric,judged_by,Active,Removed,Overall,recovered\n")
    assert wavelock("--study", study, "ledger", "verify").code == 0
    with open_study(study) as found:
        assert len(found.judges.all()) == 2


def test_the_subset_experiment(wavelock: Any, study: Path) -> None:
    """One command per rubric: the same drawn replies, told by the ledger, and Table 15's form."""
    for rubric in ("grade-neutral", "grade-metadata"):
        asked = ("--study", study, "judge", 1, "--rubric", rubric, "--judge", "scripted-judge")
        drawn = ("--per-cell", 5, "--nonconforming", "--seed", 7)
        done = wavelock(*asked, *drawn)
        assert (done.code, done.out) == (0, "")
        assert "drawn with seed 7: 10 conforming replies in 2 cells" in done.err
        assert "0 asked just now" in wavelock(*asked, *drawn).err
    ledger = wavelock("--study", study, "ledger", "show", "--json")
    scopes = [json.loads(entry["payload"])["scope"] for entry in json.loads(ledger.out)["rows"]
              if entry["event"] == "judging begun"]  # fmt: skip
    assert len(scopes) == 2
    assert scopes[0] == scopes[1]
    assert len(scopes[0]["draw"]["drawn"]) >= 10
    short = wavelock("--study", study, "judge", "agreement", "--table", "short", "--json")
    neutral, told = json.loads(short.out)["rows"]
    assert (neutral["Overall"], told["Active"]) == ("10/10", "5/5")
    assert told["Removed"] != neutral["Removed"] == "5/5"


def test_a_report_holds_what_judges_said(wavelock: Any, study: Path, tmp_path: Path) -> None:
    """In the terminal, as data and on the page, with the marks that the titles of others have."""
    assert wavelock("--study", study, "report", "judged").code == 2
    wavelock("--study", study, "judge", 1, "--rubric", "grade-neutral", *PANEL)
    short = ("--replicates", 50)
    told = " ".join(wavelock("--study", study, "report", *short).out.split())
    assert "panel of 2: judged under grade-neutral 1 by 2 judges (simulated ratings" in told
    data = json.loads(
        wavelock("--study", study, "report", "judged", "judges", "--json", *short).out
    )
    assert [table["name"] for table in data] == [
        "judged-grade-neutral-1",
        "judges-parser-grade-neutral-1",
    ]
    page = tmp_path / "report.html"
    assert wavelock("--study", study, "report", "--html", page, *short).code == 0
    assert page.read_text().count("judges 1, 2 are fakes, no models") >= 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((1, "--rubric", "graed", *PANEL), "there is no rubric “graed”"),
        ((1, "--rubric", "grade", "--judge", "nobody"), "“nobody” is no model"),
        ((9, "--rubric", "grade", *PANEL), "there is no run 9"),
        ((1, "--rubric", "target-pattern", *PANEL), "asks for {target}, which S"),
        ((1, "--rubric", "grade", *PANEL, "--conditions", "Actve"), "no frozen item is Actve"),
        ((1, "--rubric", "grade", *PANEL, "--samples-of", 0), "--samples-of is 1 or more"),
        ((1, "--rubric", "grade", *PANEL, "--max-cost", 1), "has no prices"),
        ((1, "--rubric", "grade", *PANEL, "--nonconforming"), "say --per-cell as well"),
        ((1, "--rubric", "grade", *PANEL, "--seed", 3), "say --per-cell as well"),
        ((1, "--rubric", "grade", *PANEL, "--per-cell", 0), "0 is not in the range"),
        ((1, "--rubric", "grade", *PANEL, "--samples", 0), "0 is not in the range"),
        (("--rubric", "grade", *PANEL), "Missing argument"),
        (("status", "--rubric", "grade"), "nothing was judged under"),
        (("statsu",), "statsu"),
    ],
)
def test_bad_input(wavelock: Any, study: Path, arguments: tuple[Any, ...], told: str) -> None:
    """One line, exit code 2, nothing judged."""
    done = wavelock("--study", study, "judge", *arguments)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert len(done.err.strip().split("\n")) == 1
    with open_study(study) as found:
        assert all(found.judges.last(judge.id) == () for judge in found.judges.all())
