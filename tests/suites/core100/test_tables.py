"""The tables of Core-100 against ten lines of pandas over the study file itself."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from audit.freezing import freeze
from core.runs import GenerationKey, Reply
from core.study import Revision, WaveItem
from core.tables import Table
from db.file import StudyFile
from evals.models import parse_model
from evals.scoring import score
from evals.verifiers.catalogue import verifier
from exports.cells import written
from exports.report import collect
from suites.core100.suite import SUITE

TEXTS = ("Answer: A", "Answer: B\nBecause.", "Answer: A \r\n", "answer: A", "**Answer: B**", "")


def ask(
    study: StudyFile,
    model: str,
    reply: Any,
    samples: int = 3,
    *,
    finished: bool = True,
    **config: Any,
) -> int:
    """Store a run whose replies come from a function of item and sample; ``None`` asks nothing."""
    run = study.runs.start(model, config.pop("kind", "chat"), {"model": model, **config})
    for item in study.waves.items():
        for sample in range(1, samples + 1):
            found = reply(item, sample)
            if item.condition not in SUITE.run_conditions or found is None:
                continue
            key = GenerationKey(run.id, item.id, item.document["prompt_hash"], sample)
            study.runs.store(key, found if isinstance(found, Reply) else said(found))
    if finished:
        study.runs.close(run.id)
    return run.id


def said(text: str) -> Reply:
    return Reply("ok" if text else "empty", visible_text=text)


def chosen(item: WaveItem, action: str) -> str:
    """Return the conforming reply that chooses an action."""
    actions = [option["action"] for option in item.document["options"]]
    return f"Answer: {'AB'[actions.index(action)]}"


@pytest.fixture
def study(workshop: Any, tmp_path: Path) -> StudyFile:
    """Twelve scenarios, rated by people and frozen."""
    found: StudyFile = workshop.create(tmp_path / "study.db", 12)
    workshop.decided(found)
    freeze(found, SUITE)
    return found


def tables(study: StudyFile, *, scored: bool = True) -> dict[str, Table]:
    if scored:
        score(study, SUITE.verifiers)
    data = collect(study, [verifier("forced-choice")], seed=1, replicates=400)
    return {table.name: table for table in SUITE.tables(data)}


def row(table: Table, label: str) -> dict[str, Any]:
    key = table.columns[0].key
    (found,) = [r for r in table.rows if r[key] == label]
    return dict(found)


def by_hand(path: Path) -> pd.DataFrame:
    """The paired table, as a sceptic computes it from the file."""
    with closing(sqlite3.connect(path)) as file:
        g = pd.read_sql(
            "SELECT runs.model, g.visible_text, w.scenario, w.condition, w.document FROM "
            "generations g JOIN wave_items w ON w.id = g.wave_item JOIN runs ON runs.id = g.run",
            file,
        )
    letter = g.visible_text.str.extract(r"\AAnswer: ([AB])[^\S\r\n]*(?:[\r\n]|\Z)")[0]
    actions = [[o["action"] for o in json.loads(d)["options"]] for d in g.document]
    g["heavy"] = [
        None if pd.isna(x) else float(a["AB".index(x)] == "heavy")
        for a, x in zip(actions, letter, strict=True)
    ]
    g["heavy"] = g.heavy.astype(float)
    pair = g.groupby(["model", "scenario", "condition"]).heavy.mean().unstack().dropna()
    p = pair.groupby("model")[["Active", "Removed"]].mean()
    p["S"], p["SBA"] = p.Active - p.Removed, (p.Active + 1 - p.Removed) / 2
    return p.assign(n=pair.groupby("model").size())


def test_ten_lines_of_pandas_reproduce_the_paired_table(study: StudyFile) -> None:
    """p_A, p_R, S and SBA of every model are exactly those computed from the file by hand."""
    draw = random.Random(7)
    for model in ("one", "two", "three"):
        ask(study, model, lambda _item, _sample: draw.choice(TEXTS))
    paired = tables(study)["paired"]
    expected = by_hand(study.path)
    assert sorted(expected.index) == ["one", "three", "two"]
    units = {column.key: column for column in paired.columns}
    for model, hand in expected.iterrows():
        found = row(paired, str(model))
        assert found["n"] == hand["n"] < 12
        assert found["dropped"] == 12 - hand["n"]
        for key, name in (
            ("p_a", "Active"),
            ("p_r", "Removed"),
            ("selectivity", "S"),
            ("sba", "SBA"),
        ):
            assert found[key].value == pytest.approx(hand[name], abs=1e-12)
            sign = "+" if key == "selectivity" else ""
            printed = written(found[key], units[key]).split(" ")[0]
            assert float(printed) == pytest.approx(float(f"{hand[name]:{sign}.3f}"))
        assert found["ua"].value == pytest.approx(1 - hand["Active"], abs=1e-12)
        assert found["gap"].value == pytest.approx(hand["Active"] - hand["SBA"], abs=1e-12)


def test_ten_lines_of_pandas_reproduce_a_scripted_run(study: StudyFile, workshop: Any) -> None:
    """The same holds for the fake that ships, run as any model is run."""
    workshop.run(study, samples=3)
    found = row(tables(study)["paired"], "scripted (no model)")
    hand = by_hand(study.path).loc["scripted"]
    assert found["p_a"].value == pytest.approx(hand["Active"], abs=1e-12)
    assert found["p_r"].value == pytest.approx(hand["Removed"], abs=1e-12)


def test_models_that_are_perfect_and_perfectly_wrong(study: StudyFile) -> None:
    """Always following the constraint is S = 1, always the reverse S = -1, never moving S = 0."""
    ask(study, "right", lambda item, _: chosen(item, item.document["gold"]))
    ask(
        study,
        "reversed",
        lambda item, _: chosen(item, "heavy" if item.condition == "Removed" else "heuristic"),
    )
    ask(study, "always heavy", lambda item, _: chosen(item, "heavy"))
    paired = tables(study)["paired"]
    expected = {"right": (1, 0, 1, 1), "always heavy": (1, 1, 0, 0.5), "reversed": (0, 1, -1, 0)}
    for model, values in expected.items():
        found = row(paired, model)
        assert [found[k].value for k in ("p_a", "p_r", "selectivity", "sba")] == list(values)
    assert [r["model"] for r in paired.rows] == ["right", "always heavy", "reversed"]


def test_a_model_without_a_conforming_reply_is_undefined(study: StudyFile) -> None:
    """No conforming sample: every metric says why it is undefined, and the replies are counted."""
    ask(study, "silent", lambda _item, sample: "It depends." if sample < 3 else "")
    found = tables(study)
    silent = row(found["paired"], "silent")
    for column in found["paired"].columns:
        if column.unit in ("share", "signed"):
            assert silent[column.key].value is None
            assert written(silent[column.key], column) == (
                "undefined: no scenario has a conforming sample in every condition"
            )
    assert (silent["n"], silent["dropped"], silent["conforming"]) == (0, 12, "0 of 72")


def test_an_undefined_model_stands_below_a_bad_one(study: StudyFile) -> None:
    """The worst possible value is still a value, and sorts above none."""
    ask(study, "silent", lambda *_: "no")
    ask(
        study,
        "reversed",
        lambda item, _: chosen(item, "heavy" if item.condition == "Removed" else "heuristic"),
    )
    assert [r["model"] for r in tables(study)["paired"].rows] == ["reversed", "silent"]
    data = collect(study, [verifier("forced-choice")], seed=1, replicates=400)
    assert [p.label for p in SUITE.figures(data)[0].points] == ["reversed", "silent"]  # type: ignore[union-attr]


def test_a_scenario_without_a_conforming_reply_leaves_the_pair(study: StudyFile) -> None:
    """A scenario with nothing conforming in one condition is dropped from both, and counted."""

    def gappy(item: WaveItem, _sample: int) -> str:
        if (item.scenario, item.condition) in {("S01", "Active"), ("S02", "Removed")}:
            return "Hmm."
        # S01/Removed would count if it were not dropped with its partner.
        return chosen(item, "heavy" if item.scenario == "S01" else item.document["gold"])

    ask(study, "gappy", gappy)
    found = row(tables(study)["paired"], "gappy")
    assert (found["n"], found["dropped"]) == (10, 2)
    assert (found["p_a"].value, found["p_r"].value) == (1.0, 0.0)


def test_a_condition_that_was_not_asked_is_not_made_up(study: StudyFile) -> None:
    """A run on Active alone has no paired metrics, and says so."""
    ask(
        study,
        "half",
        lambda item, _: chosen(item, "heavy") if item.condition == "Active" else None,
    )
    found = tables(study)
    half = row(found["paired"], "half")
    assert half["p_a"].value is None
    assert (half["n"], half["dropped"], half["unasked"]) == (0, 0, 12)
    assert half["conforming"] == "36 of 36"
    assert [r["condition"] for r in found["states"].rows] == ["Active"]


def test_states_are_kept_apart(study: StudyFile) -> None:
    """Errors, empty, cut off, refused and nonconforming are counted each as what they are."""
    replies = {
        1: Reply("ok", visible_text="Answer: A"),
        2: Reply("ok", visible_text="I choose A"),
        3: Reply("truncated", visible_text="Answer: B"),
        4: Reply("truncated", visible_text="  "),
        5: Reply("empty"),
        6: Reply("refused", visible_text="I cannot."),
        7: Reply("error", error="HTTP 500"),
    }
    ask(study, "mixed", lambda _item, sample: replies[sample], samples=7)
    found = tables(study)
    for entry in found["states"].rows:
        assert {k: v for k, v in entry.items() if isinstance(v, int)} == {
            "generations": 84, "ok": 24, "truncated": 24, "empty": 12, "refused": 12, "error": 12,
            "conforming": 24, "nonconforming": 12, "unscored": 0,
        }  # fmt: skip
    # Of what was answered, two conform; the failed requests are no answers.
    assert row(found["paired"], "mixed")["conforming"] == "48 of 144"


def test_replies_that_nobody_scored_are_not_nonconforming(study: StudyFile) -> None:
    """Before scoring, a report says that replies wait for it, and counts none as wrong."""
    ask(study, "waiting", lambda item, _: chosen(item, "heavy"))
    before = tables(study, scored=False)
    assert "waiting: 72 replies not scored yet" in before["paired"].title
    assert row(before["paired"], "waiting")["conforming"] == "0 of 0"
    for entry in before["states"].rows:
        assert (entry["conforming"], entry["nonconforming"], entry["unscored"]) == (0, 0, 36)
    assert "not scored" not in tables(study)["paired"].title


def test_titles_carry_what_a_reader_must_know(workshop: Any, tmp_path: Path) -> None:
    """Simulated ratings, a prefilled reply and a fake stand in the titles, not in a footnote."""
    study = workshop.create(tmp_path / "simulated.db", 2)
    workshop.decided(study, kind="rehearsal")
    freeze(study, SUITE)
    workshop.run(study)
    spec = parse_model("embedded")
    ask(study, spec.name, lambda *_: "Answer: A", kind="embedded", prefill=spec.prefill)
    found = tables(study)
    for name in ("paired", "states"):
        assert "simulated ratings" in found[name].title
        assert "SmolLM2-135M-Instruct: reply prefilled with 'Answer:'" in found[name].title
        assert "scripted is a fake, no model" in found[name].title
    assert found["human"].title == "Human reference (simulated ratings)"
    data = collect(study, [verifier("forced-choice")], seed=1, replicates=400)
    for figure in SUITE.figures(data):
        assert "simulated ratings" in figure.title


def test_two_ways_of_asking_are_told_apart(study: StudyFile) -> None:
    """One name, by single requests and by batch, is two rows; the title says which is which."""
    ask(study, "same", lambda item, _: chosen(item, "heavy"))
    run = ask(study, "same", lambda item, _: chosen(item, "heuristic"), through="batch")
    paired = tables(study)["paired"]
    assert row(paired, "same")["p_a"].value == 1
    assert row(paired, f"same (run {run})")["p_a"].value == 0
    assert f"same (run {run}): asked by batch" in paired.title
    assert "same: asked by batch" not in paired.title


def test_an_unfinished_run_is_named_in_the_title(study: StudyFile) -> None:
    """Numbers from half a run say so where they are read, and the other half is counted."""
    first = study.waves.items()[0].scenario

    def reply(item: WaveItem, _sample: int) -> str | None:
        return chosen(item, "heavy") if item.scenario == first else None

    ask(study, "half", reply, finished=False)
    found = tables(study)["paired"]
    assert "half: the run is not finished" in found.title
    entry = row(found, "half")
    assert (entry["n"], entry["dropped"], entry["unasked"]) == (1, 0, 11)


def test_titles_on_people_carry_no_caveat(study: StudyFile) -> None:
    """Where people rated and a model answered, there is nothing to warn of."""
    ask(study, "model", lambda item, _: chosen(item, "heavy"))
    assert tables(study)["paired"].title == "Paired metrics by model"


def test_the_human_reference_leaves_abstentions_out(workshop: Any, tmp_path: Path) -> None:
    """Abstentions are in no share and are counted; nothing else of the ratings is lost."""

    def rater(revision: Revision, seat: int) -> dict[str, Any]:
        actions = [option.action for option in revision.options]
        choice = "AB"[actions.index(str(revision.gold))]
        if (revision.scenario, revision.condition) == ("S01", "Active") and seat > 16:
            choice = "depends"
        if (revision.scenario, revision.condition) == ("S02", "Active") and seat > 16:
            choice = "AB"[actions.index("heuristic")]
        return {"choice": choice, "confidence": 4, "naturalness": 4}

    study = workshop.create(tmp_path / "study.db", 4)
    workshop.decided(study, ratings=5, rater=rater)
    freeze(study, SUITE)
    human = row(tables(study)["human"], "raters")
    # S01/Active: 4 of 4 heavy, one abstained; S02/Active: 4 of 5.
    assert human["p_a"].value == pytest.approx((1 + 0.8 + 1 + 1) / 4)
    assert human["p_r"].value == 0.0
    assert (human["n"], human["ratings"], human["abstained"]) == (4, 40, 1)


def test_the_human_reference_rests_on_the_frozen_text(workshop: Any, tmp_path: Path) -> None:
    """What raters said of a text that was rewritten since does not count for the rewrite."""

    def reversed_(revision: Revision, seat: int) -> dict[str, Any]:
        actions = [option.action for option in revision.options]
        right = actions.index(str(revision.gold))
        wrong = revision.scenario == "S02"
        return {"choice": "AB"[1 - right if wrong else right], "confidence": 4, "naturalness": 4}

    study = workshop.create(tmp_path / "study.db", 2)
    workshop.decided(study, "first", rater=reversed_)
    now = study.items.scenarios()[1]
    study.drafts.revise("S02", [replace(i, text=f"{i.text}!") for i in now.items], "clearer", {})
    workshop.decided(study, "second", scenarios=("S02",))
    freeze(study, SUITE)
    human = row(tables(study)["human"], "raters")
    assert (human["p_a"].value, human["p_r"].value) == (1.0, 0.0)
    assert (human["n"], human["ratings"]) == (2, 4)


def test_every_number_has_its_n_interval_and_scheme(study: StudyFile) -> None:
    """Each estimate rests on a count of scenarios and has an interval, or says why it has none."""
    ask(study, "model", lambda item, sample: chosen(item, "heavy") if sample > 1 else TEXTS[1])
    for name in ("paired", "human"):
        table = tables(study)[name]
        assert "400 replicates, seed 1. n: scenarios." in table.notes[0]
        for entry in table.rows:
            for column in table.columns:
                if column.unit in ("share", "signed"):
                    found: Any = entry[column.key]
                    assert found.n == entry["n"] == 12
                    assert found.low is not None or found.why_no_interval


def test_tables_do_not_depend_on_the_order_of_rows(study: StudyFile) -> None:
    """The same replies stored in another order, under other names, give the same numbers."""
    draw = random.Random(3)
    replies = {
        (item.id, sample): draw.choice(TEXTS)
        for item in study.waves.items()
        for sample in (1, 2, 3)
    }
    ask(study, "b", lambda item, sample: replies[item.id, sample])
    run = study.runs.start("a", "chat", {"model": "a"})
    documents = {item.id: item for item in study.waves.items()}
    for (item, sample), text in sorted(replies.items(), key=lambda entry: -entry[0][0]):
        if documents[item].condition in SUITE.run_conditions:
            key = GenerationKey(run.id, item, documents[item].document["prompt_hash"], sample)
            study.runs.store(key, said(text))
    paired = tables(study)["paired"]
    one, two = row(paired, "a"), row(paired, "b")
    assert {**one, "model": ""} == {**two, "model": ""}


def test_an_empty_study_has_empty_tables(workshop: Any, tmp_path: Path) -> None:
    """Before anything is frozen or run, tables are there, titled and empty."""
    study = workshop.create(tmp_path / "study.db", 2)
    found = tables(study)
    assert list(found) == ["paired", "human", "states"]
    assert all(not table.rows for table in found.values())
    data = collect(study, [verifier("forced-choice")], seed=1, replicates=400)
    assert all(not figure.points for figure in SUITE.figures(data))  # type: ignore[union-attr]
