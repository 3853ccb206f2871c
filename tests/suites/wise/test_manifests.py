"""Tasks and templates of somebody else are read from a folder, with every fault named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import InputError
from suites.wise.manifests import read
from suites.wise.panels import shipped
from suites.wise.suite import SUITE

CSV = "item_id,base_task,target_count\nx1,Name a fruit.,5\nx2,Name a river.,8\n"


def folder(path: Path, **files: str) -> Path:
    for name, text in files.items():
        (path / name.replace("_", ".")).write_text(text, "utf-8")
    return path


def test_ids_tasks_and_targets_are_enough_for_the_counted_panels(tmp_path: Path) -> None:
    """Without keywords and keys the panels that need them have no items, and nothing is made up."""
    scenarios = SUITE.scenarios_in(folder(tmp_path, tasks_csv=CSV))
    first = scenarios[0]
    assert first.id == "x1"
    panels = {item.condition.split("/")[0] for item in first.items}
    assert panels == {"exact", "avoidance", "controls", "range"}
    assert first.item("exact/NEG").text == ("Name a fruit. Do not use more or fewer than 5 words.")
    assert SUITE.faults(scenarios) == ()


def test_json_lines_and_templates(tmp_path: Path) -> None:
    """Templates of the folder take the place of ours, and say where they are from."""
    line = {"id": "x1", "task": "Name a fruit.", "target": 5, "keyword": "apple",
            "fields": ["name"]}  # fmt: skip
    where = folder(
        tmp_path,
        tasks_jsonl=json.dumps(line) + "\n",
        forms_csv='panel,form,template\nkeyword,POS,"Say ""{K}"" once"\n',
    )
    tasks, definition = read(where, shipped())
    assert tasks[0].fields == ("name",)
    form = definition.panel("keyword").forms[0]
    assert (form.source, form.ours, form.period_printed) == ("forms.csv, line 2", False, False)
    found = SUITE.scenarios_in(where)[0]
    assert found.item("keyword/POS").text == 'Name a fruit. Say "apple" once.'


def test_templates_reach_the_survey_too(tmp_path: Path) -> None:
    """People judge the wording that models are asked."""
    forms = "panel,form,template\navoidance,AVOID3,Avoid other than {N} words.\n"
    where = folder(tmp_path, tasks_csv=CSV, forms_csv=forms)
    survey = [s for s in SUITE.scenarios_in(where) if s.facts["kind"] == "survey"]
    assert survey[0].item("wording/AVOID3").text.endswith("Instruction: Avoid other than 5 words.")


def test_all_faults_are_named_at_once(tmp_path: Path) -> None:
    """One reading tells everything that is wrong with both files."""
    tasks = "item_id,base_task,target,colour\nx1,,5,\nx1,Name a river.,many,\nx2,Name it.,5,red\n"
    forms = (
        "panel,form,template\nexact,POS,Use some words.\nexact,NEW,Use {N}.\n"
        "exact,NEG,\nexact,AVOID1,Use {N}.\nexact,AVOID1,Use {N} now.\n"
    )
    with pytest.raises(InputError) as fault:
        read(folder(tmp_path, tasks_csv=tasks, forms_csv=forms), shipped())
    said = str(fault.value)
    for part in (
        "tasks.csv, line 2: task is not a text that says something",
        "tasks.csv, line 3: target is 'many'",
        "tasks.csv, line 4: unknown field 'colour'",
        "2 tasks have the id x1",
        "forms.csv, line 2: the template of exact/POS does not say {N}",
        "forms.csv, line 3: there is no form exact/NEW",
        "forms.csv, line 4: template is missing",
        "forms.csv, line 6: exact/AVOID1 has a template already",
    ):
        assert part in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "has no tasks.jsonl and no tasks.csv"),
        ({"tasks_csv": CSV, "tasks_jsonl": "{}\n"}, "keep one"),
        ({"tasks_csv": "item_id,base_task,target\n"}, "there is no task"),
        ({"tasks_csv": "item_id,base_task,target\nx1,Name it.\n"}, "not as many cells"),
        ({"tasks_jsonl": "{"}, "line 1: not JSON"),
        ({"tasks_jsonl": "[1]"}, "line 1: not a JSON object"),
        ({"tasks_jsonl": '{"id": 1, "task": 2, "target": true}'}, "target is True"),
        ({"tasks_jsonl": '{"id": "a", "task": "b", "target": 5, "fields": "x"}'}, "fields is not"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, files: dict[str, str], said: str
) -> None:
    """No traceback, whatever the file holds."""
    with pytest.raises(InputError) as fault:
        SUITE.scenarios_in(folder(tmp_path, **files))
    assert said in str(fault.value)
