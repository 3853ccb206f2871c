"""The construction report adds up, and says of every number what it rests on."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from audit.candidates import candidates
from audit.construction import construction_tables
from audit.revising import prepare
from audit.rewriting import from_texts
from audit.verify import study_faults
from cli.tables import full_report
from core.errors import Refused
from core.estimate import Estimate
from core.tables import Table
from db.file import StudyFile, open_study
from exports.ratings import ratings_data
from tests.audit.construct import PAPER, SMALL, Sizes, construct

FEW = {"replicates": 200, "seed": 1}


def by_name(tables: tuple[Table, ...]) -> dict[str, Table]:
    return {table.name.removeprefix("construction-"): table for table in tables}


def value(cell: Any) -> float:
    assert isinstance(cell, Estimate)
    assert cell.value is not None
    return cell.value


def adds_up(study: StudyFile, sizes: Sizes) -> dict[str, Table]:
    """Hold every count of the report against the others and against the study file."""
    tables = by_name(construction_tables(study, **FEW))
    total = sum(sizes.new)
    found = candidates(study)
    assert len({c.scenario for c in found}) == len(found) == total == len(study.items.facts())
    fates, rounds = tables["fates"].rows, tables["rounds"].rows
    kinds = [row for row in fates if row["kind"] not in ("all", "")]
    sums = [row for row in fates if row["kind"] == "all"]
    assert sum(row["candidates"] for row in kinds) == total  # type: ignore[misc]
    assert sum(row["candidates"] for row in sums) == total  # type: ignore[misc]
    assert fates[-1]["candidates"] == total
    assert Counter(str(r["fate"]) for r in tables["candidates"].rows) == {
        str(row["fate"]): row["candidates"] for row in sums if row["candidates"]
    }
    # Rounds: what was frozen by each is what the waves hold, and rated is what was planned.
    each, pooled, frozen = rounds[:-2], rounds[-2], rounds[-1]
    waves = Counter(item.wave for item in study.waves.items())
    assert [row["frozen"] for row in each] == [waves[w.id] // 4 for w in study.waves.all()]
    assert sum(row["frozen"] for row in each) == pooled["frozen"] == frozen["rated"]  # type: ignore[misc]
    assert sum(row["rated"] for row in each) == sum(len(c.rounds) for c in found)  # type: ignore[misc]
    assert pooled["rated"] == sum(bool(c.rounds) for c in found)
    assert frozen["frozen"] == next(r["candidates"] for r in sums if r["fate"] == "frozen")
    assert sum(row["ratings"] for row in each) == pooled["ratings"]  # type: ignore[misc]
    # Carry-over: rated twice is rated before, and every rewrite was looked at again or not at all.
    again = sum(row["again"] for row in tables["carry-over"].rows)  # type: ignore[misc]
    assert again == sum(len(c.rounds) - 1 for c in found if c.rounds)
    return tables


def agrees_with_the_export(study: StudyFile, tables: dict[str, Table]) -> None:
    """Recompute shares, means and exposures from the exported ratings, in plain Python."""
    rows = ratings_data(study, study.rounds.all()).rows
    for row in tables["rounds"].rows[:-2]:
        name = str(row["round"]).partition(" ")[0]
        mine = [r for r in rows if r["round"] == name]
        assert len([r for r in mine if r["condition"] in ("Active", "Removed")]) == row["ratings"]
        for condition, key in (("Active", "p_a"), ("Removed", "p_r")):
            shares = []
            for scenario in sorted({str(r["scenario"]) for r in mine}):
                chosen = [
                    r["meaning_choice"]
                    for r in mine
                    if r["scenario"] == scenario
                    and r["condition"] == condition
                    and r["meaning_choice"] in ("heavy", "heuristic")
                ]
                shares.append(chosen.count("heavy") / len(chosen))
            assert value(row[key]) == pytest.approx(sum(shares) / len(shares))
        for scale in ("confidence", "naturalness"):
            answers = [r[f"answer_{scale}"] for r in mine]
            assert value(row[scale]) == pytest.approx(sum(answers) / len(answers))  # type: ignore[arg-type]
    for row in tables["naturalness"].rows:
        name = str(row["round"]).partition(" ")[0]
        answers = [
            r["answer_naturalness"]
            for r in rows
            if r["round"] == name and r["condition"] == row["condition"]
        ]
        assert (row["ratings"], value(row["naturalness"])) == (
            len(answers), pytest.approx(sum(answers) / len(answers)),  # type: ignore[arg-type]
        )  # fmt: skip
    met: dict[str, set[tuple[Any, Any]]] = defaultdict(set)
    seen: set[tuple[Any, Any]] = set()
    for campaign in study.rounds.all():
        mine_ = {(r["rater"], r["scenario"]) for r in rows if r["round"] == campaign.name}
        met[campaign.name] = mine_ & seen
        seen |= mine_
    for row in tables["carry-over"].rows:
        wanted = met[str(row["round"]).partition(" ")[0]]
        assert row["exposed"] == len({person for person, _ in wanted})
        exposures = [e for e in tables["exposure"].rows if e["round"] == row["round"]]
        assert sum(e["scenarios"] for e in exposures) == len(wanted)  # type: ignore[misc]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("small") / "study.db"
    construct(path, SMALL).close()
    return path


@pytest.fixture
def study(small: Path) -> Iterator[StudyFile]:
    with open_study(small) as opened:
        yield opened


def test_a_small_construction_adds_up(study: StudyFile) -> None:
    """Candidates are the sum of their fates, rounds the sum of what they showed and froze."""
    tables = adds_up(study, SMALL)
    agrees_with_the_export(study, tables)
    assert study_faults(study) == ()
    fates = {row["fate"]: row["candidates"] for row in tables["fates"].rows if row["kind"] == "all"}
    assert fates["frozen"]
    assert fates["excluded"]
    assert fates["failed"]


def test_every_title_says_that_people_are_simulated(study: StudyFile) -> None:
    """Also those that only count."""
    for table in construction_tables(study, **FEW):
        assert "(simulated ratings)" in table.title


def test_the_frozen_texts_are_the_human_reference(study: StudyFile) -> None:
    """The report has one human reference, and both of its tables caution that it is optimistic."""
    report = {table.name: table for table in full_report(study, **FEW).tables}
    (human,) = report["human"].rows
    frozen = report["construction-rounds"].rows[-1]
    assert frozen["round"] == "frozen texts"
    for key in ("p_a", "p_r", "selectivity", "n", "dropped", "ratings", "abstained"):
        assert human[key] == frozen[key]
    for name in ("human", "construction-rounds"):
        assert "optimistic" in " ".join(report[name].notes)


def test_every_estimate_has_its_n_and_interval_or_why_none(study: StudyFile) -> None:
    """No number stands alone."""
    estimates = [
        cell
        for table in construction_tables(study, **FEW)
        for row in table.rows
        for cell in row.values()
        if isinstance(cell, Estimate)
    ]
    assert len(estimates) > 20
    for found in estimates:
        assert found.n or found.value is None
        assert found.low is not None or found.why_no_interval or found.why_undefined


def test_a_rewrite_beyond_the_rule_is_refused(study: StudyFile) -> None:
    """What failed after its rewrite is excluded by the rule, and cannot be tried again."""
    spent = [c.scenario for c in candidates(study) if c.kind.startswith("failed after")]
    assert spent
    for scenario in spent:
        new = from_texts(study, scenario, ["Active"], ["Yet another text?"])
        with pytest.raises(Refused, match="permits 1 rewrite"):
            prepare(study, scenario, new)


def test_a_study_without_rounds_reports_its_candidates(workshop: Any, tmp_path: Path) -> None:
    """Nothing rated is no error: everything is open, and the tables say that they are empty."""
    tables = by_name(construction_tables(workshop.create(tmp_path / "s.db", 2), **FEW))
    assert tables["fates"].rows[-1]["candidates"] == 2
    assert [row["fate"] for row in tables["candidates"].rows] == ["open", "open"]
    assert tables["rounds"].rows == tables["naturalness"].rows == ()
    assert "simulated" not in tables["fates"].title


def test_people_are_not_pooled_with_a_rehearsal(workshop: Any, tmp_path: Path) -> None:
    """The last rows rest on people where there are any, and the note says what is left out."""
    study = workshop.create(tmp_path / "s.db", 2)
    workshop.decided(study, "try", kind="rehearsal")
    workshop.decided(study, "r1")
    table = by_name(construction_tables(study, **FEW))["rounds"]
    rehearsal, people, pooled, _ = table.rows
    assert (rehearsal["round"], people["round"]) == ("try (rehearsal)", "r1")
    assert pooled["ratings"] == people["ratings"]
    assert any("Not in the last two rows: try (rehearsal)." in note for note in table.notes)


@pytest.mark.soak
def test_the_construction_of_the_paper_in_size(tmp_path: Path) -> None:
    """141 candidates, three rounds of 20 raters and 2 auditors: everything adds up."""
    with construct(tmp_path / "study.db", PAPER) as study:
        tables = adds_up(study, PAPER)
        agrees_with_the_export(study, tables)
        assert study_faults(study) == ()
        assert sum(PAPER.new) == 141
        for name in ("fates", "rounds", "carry-over"):
            for row in tables[name].rows:
                print({k: c.value if isinstance(c, Estimate) else c for k, c in row.items()})
