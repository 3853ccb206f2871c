"""What the tables say of numbers that are known, and what they refuse to set side by side."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from core.choices import Answer, ChoiceKey, ChoiceScope, ChoiceSetup, Scored, Variant
from core.errors import InputError, NotFound, Refused
from core.estimate import Estimate
from core.items import ItemText, Option, Scenario
from core.resampling import Resampling
from core.tables import Table
from db.file import StudyFile, create_study
from db.waves import FrozenDocument
from evals.choices.contrast import EXACT, NO_S, decision
from evals.choices.show import choice_tables, only
from evals.choices.standing import build_words, require_one_build, standings, status_table
from evals.choices.sweep import Sweep, curve_tables
from suites.base import frozen_document
from suites.registry import load

PAIR = ("Active", "Removed")
HOW = Resampling(200, 1)
BUILD = {"route": "forced tokens", "engine": "tiny 1", "weights": "sha256:00"}
CONFIG = {"anchor": "\nFinal:", "answers": {"heavy": "Drive", "heuristic": "Walk"},
          "variants": ["plain", "space"]}  # fmt: skip


def fill(
    study: StudyFile,
    scores: Mapping[str, float | str],
    build: Mapping[str, Any] = BUILD,
    config: Mapping[str, Any] = CONFIG,
) -> ChoiceSetup:
    """Store decision scores by item name: log p(heavy) is -1; a text is why there is none."""
    setup = study.choices.take("tiny", "embedded", build, config)
    call = study.choices.begin(setup, ChoiceScope(PAIR))
    for item in study.waves.items():
        if item.name not in scores:
            continue
        key = ChoiceKey(setup.id, item.id, item.document["prompt_hash"])
        given = scores[item.name]
        if isinstance(given, str):
            state: Any = "error" if given.startswith("HTTP") else "unscorable"
            entry = Scored(key, state, error=given)
        else:
            actions = list(config["answers"])
            entry = Scored(key, "ok", (answer(actions[0], -1.0), answer(actions[1], -1.0 + given)))
        study.choices.keep([(call, entry)])
    study.choices.end(call, "finished")
    return setup


def answer(action: str, logprob: float) -> Answer:
    return Answer(action, action.title(), logprob, (
        Variant("x", (1,), (logprob,)), Variant(" x", (), (), "it comes to no token"),
    ))  # fmt: skip


def tables(study: StudyFile, *setups: int) -> dict[str, Table]:
    found = choice_tables(standings(study, setups), PAIR, HOW)
    return {table.name: table for table in found}


def test_items_conditions_and_shift_say_what_is_known(make_study: Any) -> None:
    """Scores, renormalised probabilities, means, shares and the paired shift, by hand."""
    study = make_study(3)
    fill(study, {"S01/Active": -1.0, "S01/Removed": 1.0, "S02/Active": 2.0, "S02/Removed": 3.0,
                 "S03/Active": -4.0, "S03/Removed": "HTTP 500"})  # fmt: skip
    found = tables(study)
    first = found["items 1"].rows[0]
    assert (first["scenario"], first["condition"], first["s"]) == ("S01", "Active", -1.0)
    assert (first["heavy_word"], first["heavy_logprob"], first["heavy_variants"]) == (
        "Heavy", -1.0, 1,
    )  # fmt: skip
    assert first["heavy_p"] == pytest.approx(0.7310585786)
    assert first["heavy_p"] + first["heuristic_p"] == pytest.approx(1.0)  # type: ignore[operator]
    assert found["items 1"].rows[-1]["state"] == "error: HTTP 500"
    active, removed = found["conditions 1"].rows
    assert (active["items"], active["scored"], active["n"]) == (3, 3, 3)
    assert isinstance(active["s"], Estimate)
    assert isinstance(active["heavy"], Estimate)
    assert (active["s"].value, active["heavy"].value) == (-1.0, pytest.approx(2 / 3))
    assert (removed["items"], removed["scored"], removed["n"]) == (3, 2, 2)
    *each, total = found["shift 1"].rows
    assert [row["shift"] for row in each] == [-2.0, -1.0, None]
    assert isinstance(total["shift"], Estimate)
    assert (total["shift"].value, total["n"]) == (-1.5, 2)
    assert total["shift"].low is not None
    assert "1 scenarios lack a score" in " ".join(found["shift 1"].notes)


def test_every_table_says_model_route_build_and_that_nothing_is_sampled(make_study: Any) -> None:
    """A title stands alone; the notes say what n is, and that no interval over tokens exists."""
    study = make_study(2)
    setup = fill(study, {"S01/Active": 1.0})
    for table in tables(study).values():
        for word in ("tiny", "forced tokens", "tiny 1", build_words(setup), "not human-validated"):
            assert word in table.title
        assert EXACT in table.notes
    for name in ("conditions 1", "shift 1"):
        assert "bootstrap over scenarios, 200 replicates, seed 1" in " ".join(
            tables(study)[name].notes
        )


def test_every_spelling_is_listed_with_its_tokens_and_why_it_is_left_out(make_study: Any) -> None:
    """One row per variant; one that is no term of the sum says why."""
    study = make_study(1)
    fill(study, {"S01/Active": -1.0})
    (table,) = choice_tables(standings(study), PAIR, HOW, "variants")
    first, second, *_ = table.rows
    assert (first["text"], first["tokens"], first["logprob"]) == ("'x'", "1", -1.0)
    assert (second["text"], second["logprob"]) == ("' x'", None)
    assert second["left_out"] == "it comes to no token"
    assert len(table.rows) == 4


def test_what_has_no_pair_is_undefined_and_never_a_number(make_study: Any) -> None:
    study = make_study(2)
    fill(study, {"S01/Active": 1.0, "S02/Removed": "too long"})
    found = tables(study)
    total = found["shift 1"].rows[-1]["shift"]
    assert isinstance(total, Estimate)
    assert (total.value, total.why_undefined) == (
        None, "no scenario has a decision score in both conditions",
    )  # fmt: skip
    states = [row["state"] for row in found["items 1"].rows]
    assert states == ["ok", "open", "open", "unscorable: too long"]
    assert decision(None) is None


def test_answers_of_other_names_have_no_decision_score(make_study: Any) -> None:
    """Probabilities are shown; what would need heavy and heuristic is empty, and says why."""
    study = make_study(1)
    config = {**CONFIG, "answers": {"yes": "Yes", "no": "No"}}
    fill(study, {"S01/Active": 1.0}, config=config)
    found = tables(study)
    assert found["items 1"].rows[0]["yes_word"] == "Yes"
    assert "s" not in [column.key for column in found["items 1"].columns]
    assert found["conditions 1"].rows == ()
    assert found["conditions 1"].empty == NO_S


def test_two_builds_are_never_set_side_by_side(make_study: Any) -> None:
    """Asking for both is refused and says what they differ in; each alone is shown."""
    study = make_study(1)
    scores = {"S01/Active": 1.0, "S01/Removed": 0.5}
    fill(study, scores)
    fill(study, scores, {**BUILD, "engine": "tiny 2", "processor": "another"})
    fill(study, scores, config={**CONFIG, "anchor": "\nAnswer:"})
    for chosen in ((), (1, 2), (2, 3)):
        with pytest.raises(Refused, match=r"they differ in engine, processor\), and log-prob"):
            choice_tables(standings(study, chosen), PAIR, HOW)
    assert len(tables(study, 2)) == 3
    assert len(tables(study, 1, 3)) == 6
    rows = status_table(standings(study)).rows
    assert len({row["build"] for row in rows}) == 2


def test_nothing_yet_and_unknown_setups(make_study: Any) -> None:
    study = make_study(1)
    assert status_table(standings(study)).rows == ()
    with pytest.raises(NotFound, match="no choice probabilities yet; ask for some"):
        require_one_build(standings(study))
    with pytest.raises(NotFound, match="there is no setup 7"):
        standings(study, [7])


def test_status_counts_each_state_apart(make_study: Any) -> None:
    study = make_study(2)
    fill(study, {"S01/Active": 1.0, "S01/Removed": "too long", "S02/Active": "HTTP 500"})
    (row,) = status_table(standings(study)).rows
    counts = [row[name] for name in ("items", "scored", "unscorable", "failed", "open")]
    assert counts == [4, 1, 1, 1, 1]
    assert (row["anchor"], row["answers"]) == (r"'\nFinal:'", "heavy=Drive, heuristic=Walk")


GRID = (10, 100, 1000, 10_000)


def swept(path: Path, phrasings: int = 2, facts: Mapping[str, str] | None = None) -> StudyFile:
    """Freeze a sweep: the distance stands among the facts of each scenario, and the wording."""
    suite = load("core100")
    options = (Option("heavy", "Drive"), Option("heuristic", "Walk"))
    drafted = []
    for place, distance in enumerate(GRID):
        for wording in range(phrasings):
            texts = {name: f"{name} {wording}: {distance} m. Drive or walk?" for name in PAIR}
            items = tuple(
                ItemText(name, text, options, "heavy" if name == "Active" else "heuristic")
                for name, text in texts.items()
            )
            carried = {"distance": str(distance), "wording": f"w{wording}", **(facts or {})}
            drafted.append(Scenario(f"D{place}{wording}", carried, items))
    study = create_study(path, title="t", suite="core100", scenarios=drafted, salt="s")
    known = study.items.facts()
    study.waves.freeze("declared", {}, [
        FrozenDocument(r.item, r.id, frozen_document(suite, r, known[r.scenario], "s"))
        for r in study.items.latest()
    ])  # fmt: skip
    return study


def curve(study: StudyFile) -> dict[str, float]:
    """A control that falls by 1 per step of the grid, and a conflict curve 2 below it."""
    return {
        item.name: 1.5
        - GRID.index(int(item.document["facts"]["distance"]))
        - 2.0 * (item.condition == "Active")
        for item in study.waves.items()
    }


def test_curves_over_a_cue_share_their_shape_and_differ_by_a_shift(tmp_path: Path) -> None:
    """r, shift and crossings are those of the curves that were put in; n is the phrasings."""
    with swept(tmp_path / "s.db") as study:
        fill(study, curve(study))
        sweep = Sweep("distance", "Active", "Removed", "wording")
        (standing,) = standings(study)
        points, contrast = curve_tables(standing, sweep, HOW)
        assert [row["conflict"] for row in points.rows] == [-0.5, -1.5, -2.5, -3.5]
        assert [row["control"] for row in points.rows] == [1.5, 0.5, -0.5, -1.5]
        values = {row["what"]: row["value"] for row in contrast.rows}
        r, shift = values["correlation r"], values["mean shift"]
        assert isinstance(r, Estimate)
        assert isinstance(shift, Estimate)
        assert (r.value, shift.value) == (pytest.approx(1.0), pytest.approx(-2.0))
        assert str(values["Active first below 0"]).startswith("10 ")
        assert str(values["Removed first below 0"]).startswith("1000 ")
        assert "phrasings" in contrast.notes[0]
        assert "2 of Active, 2 of Removed" in contrast.notes[0]
        assert only((points, contrast), "curves") == (contrast,)


@pytest.mark.parametrize(
    ("changed", "phrasings", "facts", "told"),
    [
        ({"cue": "price"}, 1, {}, "carries the fact “price”; facts are: distance, wording"),
        ({"control": "Explicit"}, 1, {}, "no item with the fact “distance” is Explicit"),
        ({}, 2, {}, "there are two scores at distance 10; name the fact that tells wordings"),
        ({"phrasing": "voice"}, 1, {}, "does not carry the fact “voice”"),
        ({}, 1, {"distance": "far"}, "the distance “far” is no number"),
    ],
)
def test_a_sweep_that_is_none_is_one_line(
    tmp_path: Path, changed: dict, phrasings: int, facts: dict, told: str
) -> None:
    with swept(tmp_path / "s.db", phrasings, facts) as study:
        given = {item.name: 1.0 for item in study.waves.items()}
        fill(study, given)
        (standing,) = standings(study)
        sweep = Sweep(**{"cue": "distance", "conflict": "Active", "control": "Removed", **changed})
        with pytest.raises((InputError, NotFound), match=told):
            curve_tables(standing, sweep, HOW)


def test_a_curve_with_a_hole_is_refused(tmp_path: Path) -> None:
    with swept(tmp_path / "s.db", 1) as study:
        scores: dict[str, Any] = curve(study)
        scores["D20/Active"] = "too long"
        fill(study, scores)
        (standing,) = standings(study)
        with pytest.raises(InputError, match="D20/Active has no decision score"):
            curve_tables(standing, Sweep("distance", "Active", "Removed"), HOW)
