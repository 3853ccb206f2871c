"""``wavelock sets`` and choosing by pattern: conditions of a run, items of a round."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from db.file import open_study


def test_declare_and_show(wavelock: Any, study_path: Path) -> None:
    """A set is declared, shown in every form, and found again by name."""
    done = wavelock("--study", study_path, "sets", "declare", "shared", "--models",
                    "scripted, absent", "--reason", "they share all panels")  # fmt: skip
    assert done.code == 0
    assert done.out == ""
    assert "note: not run yet: absent" in done.err
    found = json.loads(wavelock("--study", study_path, "sets", "show", "--json").out)
    assert [(row["set"], row["version"], row["state"]) for row in found["rows"]] == [
        ("primary", 1, "stands"),
        ("shared", 1, "stands"),
    ]
    text = wavelock("--study", study_path, "sets", "show", "shared")
    assert "they share all panels" in text.out
    assert wavelock("--study", study_path, "sets", "show", "nosuch").code == 2


def test_a_round_over_named_items_only(wavelock: Any, study_path: Path) -> None:
    """Conditions and scenarios narrow a plan; no auditor is needed where none is asked for."""
    done = wavelock("--study", study_path, "round", "plan", "part", "--design", "crossed",
                    "--seats", "2", "--auditors", "0", "--scenarios", "S06",
                    "--conditions", "Act*,Removed")  # fmt: skip
    assert done.code == 0, done.err
    with open_study(study_path) as study:
        planned = study.rounds.named("part")
        assert study.rounds.seats(planned.id, "auditor") == ()
        shown = {
            study.items.revision(entry.revision).condition
            for seat in study.rounds.seats(planned.id, "rater")
            for entry in study.rounds.assignments(seat.id)
        }
        assert shown == {"Active", "Removed"}
    slip = wavelock("--study", study_path, "round", "plan", "slip", "--conditions", "active")
    assert slip.code == 2
    assert "there is no condition 'active'" in slip.err


def test_a_run_over_conditions_by_pattern(wavelock: Any, study_path: Path) -> None:
    """A pattern is spelled out in the run's configuration, so that it is the same run again."""
    for conditions in ("R*", "Removed"):
        done = wavelock("--study", study_path, "run", "--model", "scripted", "-k", "1",
                        "--conditions", conditions, "--exploratory")  # fmt: skip
        assert done.code == 0, done.err
    with open_study(study_path) as study:
        asked = [run.config.get("conditions") for run in study.runs.all()]
    assert asked.count(["Removed"]) == 1


def test_items_of_ones_own_where_the_suite_reads_them(wavelock: Any, tmp_path: Path) -> None:
    """A folder takes the place of what ships; a suite that reads none says so."""
    (tmp_path / "tasks.csv").write_text("id,task,target\nx,Name a fruit.,5\n", "utf-8")
    made = wavelock("init", tmp_path / "own.db", "--suite", "wise", "--from", tmp_path)
    assert made.code == 0, made.err
    with open_study(tmp_path / "own.db") as study:
        assert {item.scenario for item in study.items.latest()} >= {"x", "wording-05"}
    refused = wavelock("init", tmp_path / "no.db", "--suite", "core100", "--from", tmp_path)
    assert refused.code == 2
    assert "core100 reads no items from a folder" in refused.err
    assert not (tmp_path / "no.db").exists()
    absent = wavelock("init", tmp_path / "no.db", "--suite", "wise", "--from", tmp_path / "none")
    assert absent.code == 2
