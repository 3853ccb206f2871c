"""A judge that is asked several times, and a panel in one line per condition."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.errors import InputError
from core.estimate import Estimate
from core.resampling import Resampling
from core.tables import Table
from db.file import StudyFile
from db.panels import panels
from evals.judges.agreement import agreement_tables
from evals.judges.ballots import ballots
from evals.judges.choose import chosen_judge
from evals.judges.docket import docket
from evals.judges.library import load_rubric
from evals.judges.runner import dry, judge
from evals.models import parse_model
from stats.fleiss import fleiss_kappa

NEUTRAL = load_rubric("grade-neutral")
FEW = Resampling(replicates=50)


def table(study: StudyFile, kind: str) -> Table:
    found = agreement_tables(study, panels(study.judges), FEW)
    (one,) = (each for each in found if each.name.startswith(kind))
    return one


def test_asked_three_times(answered: Any, endpoint: Any, complete: Any) -> None:
    """Three verdicts each, none over the other; the first is the vote; how many are the same."""
    study = answered(lambda *_: "Answer: A", scenarios=2, samples=1)
    spec = parse_model(endpoint.url, api_model="tiny", temperature=1.0)
    # Of eight replies the judge changes its mind on two, and mumbles twice on a third.
    second = ["C", "C", "I", "C", "C", "C", "C", "?"]
    third = ["C", "C", "C", "A", "C", "C", "C", "?"]
    said = [f"GRADE: {letter}" for letter in ["C"] * 8 + second + third]
    endpoint.behave = lambda number, _: complete(said[number - 1])
    wanted = docket(study, [1], times=3)
    assert "24 requests" in dry(study, spec, NEUTRAL, wanted)
    summary = judge(study, spec, NEUTRAL, wanted, workers=1)
    assert (summary.replies, summary.verdicts, summary.unreadable, summary.asked) == (24, 22, 2, 24)
    (scope,) = study.judges.scopes(1)
    assert scope.times == 3
    found = ballots(study, panels(study.judges)[0])
    assert {b.votes for b in found.ballots} == {("correct",)}
    rows = {str(row["condition"]): row for row in table(study, "stability").rows}
    assert (rows["all"]["replies"], rows["all"]["left_out"]) == (7, 1)
    same = rows["all"]["same"]
    assert isinstance(same, Estimate)
    assert (same.value, same.n, same.scheme) == (pytest.approx(5 / 7), 2, "cluster")
    endpoint.behave = lambda *_: complete("GRADE: C")
    again = judge(study, spec, NEUTRAL, wanted, workers=1)
    assert (again.verdicts, again.asked) == (24, 2)
    assert judge(study, spec, NEUTRAL, docket(study, [1]), workers=1).asked == 0


def test_asked_once_there_is_no_table(answered: Any) -> None:
    """Whoever was asked once cannot differ from itself; less than once is bad input."""
    study = answered(lambda *_: "Answer: A", scenarios=1, samples=1)
    judge(study, chosen_judge("scripted-judge", Path()), NEUTRAL, docket(study, [1]))
    names = [each.name for each in agreement_tables(study, panels(study.judges), FEW)]
    assert not any(name.startswith("stability") for name in names)
    with pytest.raises(InputError, match="--samples"):
        docket(study, [1], times=0)


def test_a_panel_in_the_form_of_table_13(answered: Any, by_action: Any) -> None:
    """By condition: kappa and unanimity over what all could read, the rest as rates."""
    study = answered(lambda d, s: by_action(d, "heavy") if s == 1 else "It depends.", scenarios=6)
    for name in ("scripted-judge", "scripted-judge-lenient", "scripted-judge-mumbling"):
        judge(study, chosen_judge(name, Path()), NEUTRAL, docket(study, [1]))
    found = ballots(study, panels(study.judges)[0]).ballots
    rows = {str(row["condition"]): row for row in table(study, "panel").rows}
    assert list(rows)[-1] == "all"
    removed = [b for b in found if b.condition == "Removed"]
    complete = [b.votes for b in removed if "unreadable" not in b.votes]
    assert (rows["Removed"]["replies"], rows["Removed"]["left_out"]) == (
        len(complete), 12 - len(complete),
    )  # fmt: skip
    kappa, alike = rows["Removed"]["fleiss"], rows["Removed"]["unanimous"]
    assert isinstance(kappa, Estimate)
    assert isinstance(alike, Estimate)
    assert kappa.value == pytest.approx(fleiss_kappa(complete, replicates=0).value)
    assert alike.value == pytest.approx(sum(len(set(v)) == 1 for v in complete) / len(complete))
    assert (kappa.scheme, alike.scheme) == ("cluster", "cluster")
    for key, verdict in (("ambiguous", "ambiguous"), ("no_majority", "no-majority")):
        rate = rows["Removed"][key]
        assert isinstance(rate, Estimate)
        assert rate.value == pytest.approx(sum(b.panel == verdict for b in removed) / 12)
        assert rate.n == len({b.scenario for b in removed})
    pairs = [row["value"] for row in table(study, "judges").rows
             if row["condition"] == "Removed" and row["estimator"] == "Cohen's kappa"
             and "majority" not in str(row["between"])]  # fmt: skip
    assert all(isinstance(each, Estimate) for each in pairs)
    assert rows["Removed"]["lowest"] <= rows["Removed"]["highest"]
