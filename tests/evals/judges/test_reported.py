"""What a report says of judges, and of which replies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.tables import Table
from db.file import StudyFile
from evals.judges.choose import chosen_judge
from evals.judges.docket import docket
from evals.judges.library import load_rubric
from evals.judges.reported import for_terminal, judged_tables
from evals.judges.runner import judge


@pytest.fixture
def study(answered: Any, by_action: Any) -> StudyFile:
    """Two judges, of which one approves of everything, on replies that are all right."""
    found: StudyFile = answered(lambda document, _: by_action(document, document["gold"]))
    for name in ("scripted-judge", "scripted-judge-lenient"):
        judge(found, chosen_judge(name, Path()), load_rubric("grade-neutral"), docket(found, [1]))
    return found


def tables(study: StudyFile, among: Any = None) -> dict[str, Table]:
    among = study.waves.standing() if among is None else among
    return {t.name: t for t in judged_tables(study, among, seed=1, replicates=40)}


def test_verdicts_and_agreement_with_the_parser(study: StudyFile) -> None:
    """A table of each for every rubric; the titles say what the judges are."""
    found = tables(study)
    assert list(found) == ["judged-grade-neutral-1", "judges-parser-grade-neutral-1"]
    verdicts, parser = found.values()
    assert all("judges 1, 2 are fakes, no models" in t.title for t in (verdicts, parser))
    assert all("not human-validated" in t.title for t in (verdicts, parser))
    whole = [row for row in verdicts.rows if row["condition"] == "all"]
    assert [(r["replies"], r["correct"], r.get("no-majority"))
            for r in whole] == [(24, 24, None), (24, 24, None), (24, 24, 0)]  # fmt: skip
    overall = [row for row in parser.rows if row["condition"] == "Overall"]
    assert [(row["agree"], row["of"]) for row in overall] == [(24, 24)] * 3


def test_withdrawn_items_and_others_do_not_count(study: StudyFile) -> None:
    """What the report leaves out, its judges' tables leave out."""
    study.waves.withdraw(1, "S01/Active", "two answers are right")
    (row,) = (r for r in tables(study)["judged-grade-neutral-1"].rows
              if r["judged_by"] == "panel of 2" and r["condition"] == "Active")  # fmt: skip
    assert row["replies"] == 4
    some = [item for item in study.waves.standing() if item.scenario == "S02"]
    narrowed = tables(study, some)["judged-grade-neutral-1"]
    assert {row["replies"] for row in narrowed.rows if row["condition"] == "all"} == {8}
    assert tables(study, ()) == {}


def test_a_rubric_that_the_parser_knows_nothing_of_has_no_table_of_agreement(
    study: StudyFile,
) -> None:
    """Pass and fail are not correct and incorrect."""
    scale = load_rubric("scale")
    judge(study, chosen_judge("scripted-judge", Path()), scale, docket(study, [1]))
    assert f"judged-scale-{scale.version}" in tables(study)
    assert f"judges-parser-scale-{scale.version}" not in tables(study)


def test_people_read_one_judge_after_the_other(study: StudyFile) -> None:
    """The wide tables are split; every other table passes as it is."""
    other = Table("paired", "Paired", (), ())
    shown = list(for_terminal([other, *tables(study).values()]))
    assert shown[0] is other
    assert len(shown) == 7
    assert not any(column.key == "judged_by" for table in shown for column in table.columns)


def test_no_judge_no_table(answered: Any) -> None:
    """A study without judges has a report without them."""
    assert tables(answered(lambda *_: "Answer: A")) == {}
