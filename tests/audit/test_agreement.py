"""The agreement table on data worked out by hand, and what it says where kappa says nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotate.import_map import parse_map
from annotate.importing import Target, checked, read_source, store
from audit.agreement import agreement_table, simulated
from audit.agreement_view import by_question
from core.errors import InputError
from core.estimate import Estimate
from core.forms import Form, Question
from core.study import Revision, Round
from db.file import StudyFile
from stats.icc import icc_in_lists
from stats.questions import NO_SHARED_ITEM
from suites.core100.suite import SUITE


def rater(revision: Revision, seat: int) -> dict[str, Any]:
    """Seat 1 to 4 is the first rater of its list, 5 to 8 the second.

    All give the gold answer, but the second rater of S01/Active chooses the other action.
    """
    odd = (revision.scenario, revision.condition) == ("S01", "Active") and seat > 4
    action = "heuristic" if odd else revision.gold
    letter = "AB"[[option.action for option in revision.options].index(str(action))]
    return {
        "choice": letter,
        "confidence": 1 + (revision.id + 3 * seat) % 5,
        "naturalness": 3,
    }


@pytest.fixture
def round_(workshop: Any, tmp_path: Path) -> tuple[StudyFile, Round]:
    study = workshop.create(tmp_path / "study.db", 2)
    return study, workshop.rate(study, workshop.opened(study, ratings=2), rater)


def row(table: Any, question: str, group: str = "all", estimator: str = "") -> dict[str, Any]:
    (found,) = [
        r
        for r in table.rows
        if (r["question"], r["group"]) == (question, group) and r["estimator"].startswith(estimator)
    ]
    return dict(found)


def test_kappa_is_the_one_worked_out_by_hand(round_: tuple[StudyFile, Round]) -> None:
    """8 items, 2 ratings each, 11 heavy and 5 heuristic, one item split: kappa is 78/110.

    P = 7/8, P_e = (11/16)^2 + (5/16)^2 = 146/256, (224 - 146) / (256 - 146).
    """
    table = agreement_table(*round_, replicates=200, seed=1)
    found = row(table, "choice")
    assert found["value"].value == pytest.approx(78 / 110, abs=1e-12)
    assert (found["raw"], found["items"], found["ratings"]) == (pytest.approx(7 / 8), 8, 16)
    # Active alone: P = 1/2, P_e = (3/4)^2 + (1/4)^2 = 5/8, so (1/2 - 5/8) / (3/8).
    active = row(table, "choice", "Active")
    assert active["value"].value == pytest.approx(-1 / 3, abs=1e-12)
    assert (active["items"], active["ratings"]) == (2, 4)


def test_unanimous_answers_are_undefined_not_zero(round_: tuple[StudyFile, Round]) -> None:
    """Where every rater gave the same answer there is a reason, and raw agreement 1 beside it."""
    table = agreement_table(*round_, replicates=200, seed=1)
    for condition in ("Removed", "Explicit", "SalienceControl"):
        found = row(table, "choice", condition)
        assert found["value"].value is None
        assert "only one category was used" in found["value"].why_undefined
        assert found["raw"] == 1.0
    assert row(table, "naturalness")["value"].value is None


def test_letters_are_recoded_before_anything_is_computed(
    round_: tuple[StudyFile, Round], workshop: Any
) -> None:
    """The two scenarios show heavy under different letters, and agreement does not notice."""
    study, campaign = round_
    heavy = {
        r.scenario: r.answers["choice"]
        for r in study.ratings.of_round(campaign.id)
        if r.condition == "Explicit"
    }
    assert set(heavy.values()) == {"A", "B"}


def test_icc_is_pooled_over_lists(round_: tuple[StudyFile, Round]) -> None:
    """ICC rests on one matrix per list, items by raters, never on one incomplete square."""
    study, campaign = round_
    ratings = study.ratings.of_round(campaign.id)
    lists = []
    for number in range(4):
        mine = [r for r in ratings if r.list == number]
        people = sorted({r.person for r in mine})
        items = sorted({(r.scenario, r.condition) for r in mine})
        by = {(r.scenario, r.condition, r.person): r.answers["confidence"] for r in mine}
        lists.append([[by[(*item, person)] for person in people] for item in items])
    expected = icc_in_lists(lists, "ICC(2,k)", replicates=200, seed=1)
    table = agreement_table(study, campaign, replicates=200, seed=1)
    found = row(table, "confidence")
    assert found["value"].value == pytest.approx(expected.estimate.value, abs=1e-12)
    assert "pooled over lists" in found["estimator"]


def test_every_value_has_its_n_and_its_interval_or_why_not(
    round_: tuple[StudyFile, Round],
) -> None:
    """No number stands alone: each has items, ratings, and an interval or a reason."""
    table = agreement_table(*round_, replicates=200, seed=1)
    assert "200 replicates, seed 1" in table.notes[0]
    for entry in table.rows:
        value: Any = entry["value"]
        assert isinstance(value, Estimate)
        assert entry["items"]
        assert entry["ratings"]
        if value.value is None:
            assert value.why_undefined
        else:
            assert value.low is not None or value.why_no_interval


def test_the_same_seed_gives_the_same_table(round_: tuple[StudyFile, Round]) -> None:
    """A table is repeatable, and another seed moves its intervals and not its values."""
    first, again, other = (
        agreement_table(*round_, replicates=200, seed=seed) for seed in (1, 1, 2)
    )
    assert first == again
    assert [r["value"].value for r in first.rows] == [r["value"].value for r in other.rows]  # type: ignore[union-attr]


@pytest.mark.parametrize(("kind", "said"), [("main", False), ("pilot", False), ("rehearsal", True)])
def test_simulated_ratings_are_named_in_the_title(
    workshop: Any, tmp_path: Path, kind: str, *, said: bool
) -> None:
    """A table on a rehearsal says so in its title; one on people does not."""
    study = workshop.create(tmp_path / "s.db", 1)
    campaign = workshop.rate(study, workshop.opened(study, kind=kind))
    title = agreement_table(study, campaign, replicates=200, seed=1).title
    assert (title == "Agreement in round main (simulated ratings)") == said
    assert simulated(study, campaign) == said


def test_a_rehearsal_without_ratings_is_simulated_already(workshop: Any, tmp_path: Path) -> None:
    """Even its empty decisions say simulated, so that no preview is taken for people's."""
    study = workshop.create(tmp_path / "s.db", 1)
    assert simulated(study, workshop.opened(study, kind="rehearsal"))


# The whole table

FULL = {
    "choice": ("Fleiss' kappa", "Krippendorff's alpha, nominal", "Gwet's AC1"),
    "confidence": ("ICC(2,k)", "Krippendorff's alpha, ordinal"),
}
CONDITIONS = ("Active", "Removed", "Explicit", "SalienceControl")


def test_the_whole_table_has_every_coefficient_everywhere(
    round_: tuple[StudyFile, Round],
) -> None:
    """Per question: the coefficients that fit it, over all, per condition and per family."""
    table = agreement_table(*round_, replicates=200, seed=1, full=True, by=["constraint"])
    groups = ("all", *CONDITIONS, "constraint: capacity 1", "constraint: capacity 2")
    for question, estimators in FULL.items():
        for group in groups:
            for estimator in estimators:
                row(table, question, group, estimator)
    assert len(table.rows) == len(groups) * (3 + 2 + 2)


def test_raw_agreement_stands_beside_every_corrected_value(
    round_: tuple[StudyFile, Round],
) -> None:
    """No coefficient that corrects for chance stands without the agreement that it corrects."""
    table = agreement_table(*round_, replicates=200, seed=1, full=True)
    for entry in table.rows:
        if not str(entry["estimator"]).startswith("ICC"):
            assert isinstance(entry["raw"], float)


def test_a_family_holds_its_own_scenarios(round_: tuple[StudyFile, Round]) -> None:
    """Agreement within a family is that of its scenarios alone: 4 items, one of them split."""
    table = agreement_table(*round_, replicates=200, seed=1, full=True, by=["constraint"])
    first = row(table, "choice", "constraint: capacity 1", "Fleiss")
    second = row(table, "choice", "constraint: capacity 2", "Fleiss")
    assert (first["items"], first["ratings"], first["raw"]) == (4, 8, pytest.approx(3 / 4))
    assert (second["raw"], second["value"].value) == (1.0, pytest.approx(1.0))


def test_an_unknown_fact_is_named(round_: tuple[StudyFile, Round]) -> None:
    """Families of what no scenario says are refused, with the facts that there are."""
    with pytest.raises(InputError, match="has a fact 'nosuch'; facts are: constraint, domain"):
        agreement_table(*round_, replicates=200, seed=1, by=["nosuch"])


# Krippendorff's data C (2011): 12 items, 4 observers, 7 ratings missing.
DATA_C = (
    "11.1", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", ".555", "..11", ".3..",
)  # fmt: skip
VALUES = tuple((str(n), f"answer {n}") for n in range(1, 6))
FORM = Form(
    "c",
    (
        Question("kind", "choice", "?", choices=VALUES),
        Question("much", "likert", "?", points=5, low="-", high="+"),
    ),
)
MAP = """
[columns]
rater = "who"
scenario = "s"
condition = "c"
[answers]
kind = "answer"
much = "answer"
"""


def imported(workshop: Any, folder: Path, data: tuple[str, ...]) -> tuple[StudyFile, Round]:
    """Return a study with these ratings, one line per item and one place per rater."""
    study = workshop.create(folder / "study.db", 3)
    items = [(r.scenario, r.condition) for r in study.items.latest()]
    lines = [
        f"{who},{scenario},{condition},{answer}"
        for (scenario, condition), answers in zip(items, data, strict=False)
        for who, answer in enumerate(answers)
        if answer != "."
    ]
    path = folder / "r.csv"
    path.write_text("\n".join(["who,s,c,answer", *lines]))
    target = Target("theirs", "main", FORM, SUITE)
    source = read_source(path, parse_map(MAP, "map.toml", FORM))
    ratings, faults = checked(study, source, target)
    assert not faults
    return study, store(study, source, target, ratings)


def test_incomplete_overlap_has_the_published_values(workshop: Any, tmp_path: Path) -> None:
    """Data C as a round: kappa .76117 and AC1 .77544 (irrCAC), alpha .743 and .815 (2011)."""
    table = agreement_table(
        *imported(workshop, tmp_path, DATA_C), replicates=200, seed=1, full=True
    )
    kappa = row(table, "kind", "all", "Fleiss")
    assert kappa["value"].value == pytest.approx(0.7611692754224111, abs=1e-9)
    assert "unequal n" in kappa["estimator"]
    assert (kappa["items"], kappa["ratings"]) == (12, 41)
    ac1 = row(table, "kind", "all", "Gwet")
    assert ac1["value"].value == pytest.approx(0.77544, abs=5e-6)
    nominal = row(table, "kind", "all", "Kripp")
    assert nominal["value"].value == pytest.approx(0.743421052631579, abs=1e-9)
    assert (nominal["items"], nominal["ratings"]) == (11, 40)
    assert (nominal["items_dropped"], nominal["ratings_dropped"]) == (1, 1)
    ordinal = row(table, "much", "all", "Kripp")
    assert ordinal["value"].value == pytest.approx(0.8153875037548813, abs=1e-9)


def test_an_icc_counts_what_it_leaves_out(workshop: Any, tmp_path: Path) -> None:
    """Of data C only the eight items that all four rated make a square; the rest is counted."""
    table = agreement_table(
        *imported(workshop, tmp_path, DATA_C), replicates=200, seed=1, full=True
    )
    found = row(table, "much", "all", "ICC")
    assert (found["items"], found["ratings"]) == (8, 32)
    assert (found["items_dropped"], found["ratings_dropped"]) == (4, 9)


def test_raters_who_share_no_item_have_no_agreement(workshop: Any, tmp_path: Path) -> None:
    """Two raters of different items: every coefficient says so, and none is 0 or 1."""
    table = agreement_table(
        *imported(workshop, tmp_path, ("1.", ".1", "2.", ".2")), replicates=200, seed=1, full=True
    )
    everything = [entry for entry in table.rows if entry["group"] == "all"]
    assert len(everything) == 5
    for entry in everything:
        value: Any = entry["value"]
        assert value.value is None
        assert value.why_undefined == NO_SHARED_ITEM == "not computable: no shared item"
        assert entry["raw"] is None


def test_a_round_without_ratings_says_so(workshop: Any, tmp_path: Path) -> None:
    """Before the first rating there is no number, and no error either."""
    study = workshop.create(tmp_path / "s.db", 1)
    table = agreement_table(study, workshop.opened(study), replicates=200, seed=1, full=True)
    assert [e["value"].why_undefined for e in table.rows] == ["no ratings yet"] * 3  # type: ignore[union-attr]


# For people


def test_people_are_shown_one_grid_per_question(round_: tuple[StudyFile, Round]) -> None:
    """Each grid has short names, their full ones below it, and every row of the table once."""
    table = agreement_table(*round_, replicates=200, seed=1, full=True)
    grids = by_question(table)
    assert [grid.title for grid in grids] == [
        f"{question}: agreement in round main"
        for question in ("choice", "confidence", "naturalness")
    ]
    assert sum(len(grid.rows) for grid in grids) == len(table.rows)
    assert [r["estimator"] for r in grids[0].rows[:3]] == ["kappa", "alpha", "AC1"]
    assert (
        grids[0]
        .notes[0]
        .startswith(
            "Fleiss' kappa; Krippendorff's alpha, nominal; Gwet's AC1. No item and no rating"
        )
    )
    assert grids[-1].notes[-2:] == table.notes


def test_reasons_stand_below_a_grid(round_: tuple[StudyFile, Round]) -> None:
    """A cell refers to a note, the note is the whole reason, and a reason is given once."""
    grid = by_question(agreement_table(*round_, replicates=200, seed=1, full=True))[0]
    unanimous = next(r for r in grid.rows if r["group"] == "Removed")
    said: Any = unanimous["value"]
    number = said.why_undefined.removeprefix("note ")
    (note,) = [note for note in grid.notes if note.startswith(f"Note {number}: ")]
    assert "only one category was used" in note


def test_what_is_left_out_has_a_column_only_where_something_is(
    workshop: Any, tmp_path: Path
) -> None:
    """A grid without losses says so once; one with losses counts them row by row."""
    table = agreement_table(
        *imported(workshop, tmp_path, DATA_C), replicates=200, seed=1, full=True
    )
    grid = by_question(table)[0]
    assert grid.columns[-1].key == "dropped"
    assert [r["dropped"] for r in grid.rows[:3]] == [None, "1 item, 1 rating", None]
