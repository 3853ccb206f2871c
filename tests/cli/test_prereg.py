"""The plan by commands: written, frozen, kept, amended; and what is refused without it."""

from __future__ import annotations

import csv
import hashlib
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_bad_input import one_line

PLANNED = ("round", "plan", "r1", "--seats", "4", "--ratings", "1", "--auditors", "1")
RULE = """\
name = "small"
ratings = 1
agree_at_least = 1
abstain_at_most = 0
confidence_at_least = 3.5
naturalness_at_least = 3.0
auditors = 1
decisive = ["Active", "Removed"]
eligibility = ["Explicit", "SalienceControl"]
rewrites = 1
"""


@pytest.fixture
def go(wavelock: Any, tmp_path: Path) -> Any:
    """Return commands on a new study with one planned main round under a rule of one's own."""
    path = tmp_path / "study.db"
    wavelock("init", path, "--suite", "core100")
    (tmp_path / "rule.toml").write_text(RULE)

    def run(*arguments: Any) -> Any:
        return wavelock("--study", path, *arguments)

    planned = run(*PLANNED, "--rule", tmp_path / "rule.toml")
    assert (planned.code, "not decided" in planned.err) == (0, False)
    return run


def filled(go: Any, target: Path, **changed: str) -> Path:
    """Write the template of r1, filled in, to a file."""
    text = go("prereg", "template", "--round", "r1").out
    text = text.replace("FILL IN: as wavelock runs list calls it", "scripted")
    text = text.replace("temperature = 0.7", 'kind = "scripted"').replace("FILL IN", "done")
    for before, after in changed.items():
        assert before in text
        text = text.replace(before, after)
    target.write_text(text)
    return target


JUDGE = """[[judge]]
name = "J1"
model = "scripted-judge"
rubric = "{rubric}"
{more}
"""


def with_judge(plan: Path, rubric: str = "grade", more: str = "") -> Path:
    text = plan.read_text().replace(
        "[[round]]", JUDGE.format(rubric=rubric, more=more) + "[[round]]"
    )
    plan.write_text(text)
    return plan


def test_judges_are_registered_with_their_rubrics(go: Any, tmp_path: Path) -> None:
    """Name, version and digest of a rubric, its own file beside the plan or one that ships."""
    assert "# [[judge]]" in go("prereg", "template", "--round", "r1").out
    own = tmp_path / "own.toml"
    own.write_text(
        'name = "polite"\nversion = "3"\nsystem = ""\nprompt = "{response}\\nGRADE: Y or N"\n'
        '[answer]\nform = "line"\nkey = "GRADE"\nlabels = { Y = "polite", N = "impolite" }\n'
    )
    plan = with_judge(filled(go, tmp_path / "plan.toml"), "own.toml", "temperature = 0.0")
    assert go("prereg", "freeze", plan).code == 0
    (entry,) = json.loads(go("prereg", "show", "--document").out)["judges"]
    sealed = entry.pop("hash")
    assert sealed.startswith("sha256:")
    assert entry == {"name": "J1", "model": "scripted-judge", "rubric": "polite", "version": "3",
                     "temperature": 0.0}  # fmt: skip
    rows = json.loads(go("prereg", "show", "--json").out)[1]["rows"]
    assert {"field": "judges.J1.hash", "registered": sealed, "present": "–", "same": "–"} in rows


@pytest.mark.parametrize(
    ("rubric", "more", "sentence"),
    [
        ("graed", "", "judge J1: there is no rubric “graed”"),
        ("nosuch.toml", "", "judge J1: there is no rubric file nosuch.toml"),
        ("grade", 'version = "2"', "judge J1: the version of rubric grade is 1, not 2"),
        ("grade", 'hash = "sha256:00"', "judge J1: the hash of rubric grade is sha256:"),
        ("grade", "temperature = -1.0", "judge: temperature is -1.0; it must be 0 or more"),
        ("grade", "tempreature = 0.0", "judge: unknown field 'tempreature'"),
    ],
)
def test_a_judge_that_cannot_be_resolved_is_refused(
    go: Any, tmp_path: Path, rubric: str, more: str, sentence: str
) -> None:
    """One line with the judge's name, and nothing is frozen."""
    plan = with_judge(filled(go, tmp_path / "plan.toml"), rubric, more)
    done = go("prereg", "freeze", plan)
    assert sentence in one_line(done)
    assert "plan.toml" in done.err
    assert "Nothing is preregistered" in go("prereg", "show").out


def test_the_way_of_a_plan(go: Any, tmp_path: Path) -> None:
    """Template, freeze, show, open, amend: each says what is next, and the ledger holds."""
    refused = go("round", "open", "r1")
    assert refused.code == 2
    assert "round r1 is not preregistered; write down what is planned" in refused.err
    template = go("prereg", "template")
    assert "wavelock prereg freeze FILE" in template.err
    file = tmp_path / "plan.toml"
    file.write_text(template.out)
    unfilled = go("prereg", "freeze", file)
    assert (unfilled.code, unfilled.out) == (2, "")
    assert f"{file}, line 3: hypotheses still says FILL IN" in unfilled.err
    frozen = go("prereg", "freeze", filled(go, file))
    assert (frozen.code, frozen.out.startswith("sha256:")) == (0, True)
    document = go("prereg", "show", "--document").out
    assert f"sha256:{hashlib.sha256(document.encode()).hexdigest()}\n" == frozen.out
    opened = go("round", "open", "r1")
    assert (opened.code, frozen.out.strip() in opened.err) == (0, True)
    assert "preregistered already" in go("prereg", "freeze", file).err
    shown = go("prereg", "show").out
    assert "The plan is kept" in shown
    assert frozen.out.strip() in shown
    said = ("--reason", "a clearer title", "--seen-ratings", "no", "--seen-outputs", "no")
    assert "says what is registered already" in go("prereg", "amend", file, *said).err
    filled(go, file, **{'title = "Core-100': 'title = "A clearer Core-100'})
    amended = go("prereg", "amend", file, *said)
    assert (amended.code, "amendment 1: 1 field changed" in amended.err) == (0, True)
    assert "Amendment 1 of" in go("prereg", "show").out
    assert "ok: " in go("ledger", "verify").err


def test_the_page_for_programs(go: Any, tmp_path: Path) -> None:
    """--json has every table, --csv the fields, with whole hashes."""
    assert go("prereg", "show").out.startswith("Nothing is preregistered")
    assert go("prereg", "show", "--document").code == 2
    go("prereg", "freeze", filled(go, tmp_path / "plan.toml"))
    heading, fields = json.loads(go("prereg", "show", "--json").out)
    assert heading["name"] == "preregistration"
    found = {row["field"]: row for row in fields["rows"]}
    assert found["code"]["same"] == "yes"
    assert len(found["code"]["present"]) == len("sha256:") + 64
    rows = list(csv.DictReader(StringIO(go("prereg", "show", "--csv").out)))
    assert [row["field"] for row in rows] == list(found)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("freeze", "nosuch.toml"), "nosuch.toml: No such file"),
        (("amend", "nosuch.toml"), "Missing option '--reason'"),
        (("template", "--round", "nosuch"), "there is no round 'nosuch'"),
    ],
)
def test_bad_input_is_one_line(go: Any, arguments: tuple[str, ...], sentence: str) -> None:
    """What cannot be done is said in one line."""
    done = go("prereg", *arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert sentence in done.err


def test_a_file_that_is_no_text(go: Any, tmp_path: Path) -> None:
    """Bytes that are no UTF-8 are told where they stand."""
    (tmp_path / "p.toml").write_bytes(b'title = "\xff"')
    assert "not UTF-8 at byte 9" in go("prereg", "freeze", tmp_path / "p.toml").err


def test_a_plan_for_rounds_to_come(go: Any, tmp_path: Path) -> None:
    """A round that is planned after the freeze must be the one that was described."""
    file = filled(go, tmp_path / "plan.toml", **{'name = "r1"': 'name = "r2"'})
    text = "\n".join(line for line in file.read_text().split("\n") if not line.startswith("plan ="))
    file.write_text(text)
    assert go("prereg", "freeze", file).code == 0
    rule = ("--rule", tmp_path / "rule.toml")
    assert "round is r1, registered r2" in go("round", "open", "r1").err
    go("round", "plan", "r2", *PLANNED[3:], *rule)
    assert go("round", "open", "r2").code == 0
    assert "round r1 is exploratory" in go("round", "open", "r1", "--exploratory").err


def test_a_rule_file_with_a_fault_plans_nothing(go: Any, tmp_path: Path) -> None:
    """File and line are named; a condition that the suite has not is no rule for it."""
    (tmp_path / "rule.toml").write_text(RULE.replace("ratings = 1", "ratings = 0", 1))
    plan = ("round", "plan", "r9", "--seats", "4", "--ratings", "1", "--rule")
    assert "rule.toml, line 2: ratings is 0" in go(*plan, tmp_path / "rule.toml").err
    (tmp_path / "rule.toml").write_text(RULE.replace('"Removed"', '"Gone"'))
    assert "names a condition 'Gone'" in go(*plan, tmp_path / "rule.toml").err
    assert "there is no rule file none.toml" in go(*plan, "none.toml").err
    assert [r["round"] for r in json.loads(go("round", "list", "--json").out)["rows"]] == ["r1"]


def test_decisions_are_explained(wavelock: Any, study_path: Path, tmp_path: Path) -> None:
    """Every threshold, one scenario, the rule, and other thresholds; none of them records."""

    def include(*arguments: Any) -> Any:
        return wavelock("--study", study_path, "include", "rehearsal", *arguments)

    rows = json.loads(include("--json").out)["rows"]
    assert {row["condition"] for row in rows} >= {"Active", "Removed", "pair"}
    assert {"needed", "found", "limit", "value", "n", "met"} <= set(rows[0])
    assert "threshold by threshold" in include().out
    one = list(csv.DictReader(StringIO(include("--scenario", "S06", "--csv").out)))
    assert {row["scenario"] for row in one} == {"S06"}
    assert {row["met"] for row in one} == {"yes", "no"}
    assert "there are: S01" in include("--scenario", "S99").err
    rule = include("--show-rule").out
    assert "agree_at_least" in rule
    assert "Hash: sha256:" in rule
    before = wavelock("--study", study_path, "ledger", "head").out
    tried = json.loads(include("--what-if", "naturalness_at_least=4.5", "--json").out)
    assert tried["title"].count("EXPLORATORY") == 1
    assert len(tried["rows"]) == 5
    assert {row["status"] for row in tried["rows"]} == {"exploratory"}
    (tmp_path / "w.toml").write_text("rewrites = 0\nauditors = 1\n")
    assert "rewrites 0 instead of 1" in include("--what-if", tmp_path / "w.toml").out
    for wrong, sentence in (
        ("colour=1", "a rule has no 'colour'"),
        ("auditors=", "not TOML"),
        ("auditors=two", "not TOML"),
        ("auditors=-1", "auditors cannot be -1"),
        ('decisive=["Gone"]', "names a condition 'Gone'"),
        ("nosuch.toml", "cannot be read; give KEY=VALUE"),
    ):
        done = include("--what-if", wrong)
        assert (done.code, done.out) == (2, "")
        assert sentence in done.err
    for other in (("--what-if", "auditors=1"), ("--scenario", "S01"), ("--show-rule",)):
        assert "goes with nothing else" in include("--commit", *other).err
    assert wavelock("--study", study_path, "ledger", "head").out == before


def test_the_demo_shows_how_it_is_done(demo: Path, wavelock: Any) -> None:
    """Its plan is a file beside it, is kept, and marks its numbers."""
    study = ("--study", demo / "study.db")
    assert "FILL IN" not in (demo / "preregistration.toml").read_text("utf-8")
    assert "The plan is kept" in wavelock(*study, "prereg", "show").out
    table = json.loads(wavelock(*study, "report", "paired", "--json").out)
    assert {row["selectivity"]["standing"] for row in table["rows"]} == {"preregistered"}
    assert {row["ua"]["standing"] for row in table["rows"]} == {"exploratory"}
    family = json.loads(wavelock(*study, "report", "families", "--json").out)
    assert [row["family"] for row in family["rows"]] == ["F1"]
    other = wavelock(*study, "report", "paired", "--json", "--seed", "2")
    assert "seed 2 instead of 1" in " ".join(json.loads(other.out)["notes"])
