"""What the tables say of a study that is whole, has holes, or holds nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.study import WaveItem
from core.tables import Table
from suites.base import SuiteData
from suites.wise.outputs import outputs_of
from suites.wise.panels import shipped
from tests.suites.wise.making import Speaker, data, declared, obedient, small, suite, words

OF = suite(tasks=small(8))


def tables(found: SuiteData) -> dict[str, Table]:
    return {table.name: table for table in OF.tables(found)}


def row(table: Table, **keys: Any) -> Any:
    (found,) = [r for r in table.rows if all(r.get(k) == v for k, v in keys.items())]
    return found


def except_for(model: str, condition: str, text: str | None = None, sample: int = 0) -> Speaker:
    """Obey, but for one model under one condition (in one repetition)."""

    def speak(who: str, item: WaveItem, number: int) -> str | None:
        mine = who == model and item.condition == condition and sample in (0, number)
        return text if mine else obedient(who, item, number)

    return speak


def test_obedience_is_compliance_everywhere() -> None:
    """Every form of every panel is complied with; nothing is missing, and no wording matters."""
    found = tables(data(OF, models=("a", "b")))
    for panel in shipped().panels:
        for each in found[panel.name].rows:
            assert each["compliance"].value == 1.0
            assert each["n"] == 16
        audit = row(found["audit"], panel=panel.name)
        assert (audit["c_worst"].value, audit["g_wording"].value) == (1.0, 0.0)
    assert found["failures"].rows == found["paired-failures"].rows == ()


def test_every_table_has_its_own_name_and_a_reader_is_told_what_it_rests_on() -> None:
    """A report asks for tables by name; declared items are called so in every title on models."""
    made = OF.tables(data(OF, models=("a",)))
    names = [table.name for table in made]
    assert len(set(names)) == len(names)
    assert not set(names) & {figure.name for figure in OF.figures(data(OF, models=("a",)))}
    for table in made:
        assert table.title
        if not table.name.startswith("human"):
            assert "not human-validated" in table.title


def test_an_empty_study_has_all_tables_and_claims_nothing() -> None:
    """Before a wave, before a run and before scoring there is a report, without a number."""
    whole = data(OF, models=("a",))
    for empty in (
        data(OF, models=(), conditions=()),
        data(OF, models=()),
        data(OF, models=("a",), speak=lambda *_: None),
    ):
        for table in OF.tables(empty):
            cells = [cell for r in table.rows for cell in r.values()]
            assert not [c for c in cells if getattr(c, "value", None) is not None], table.name
        OF.figures(empty)
    unscored = SuiteData(**{
        **{name: getattr(whole, name) for name in SuiteData.__slots__},
        "verdicts": {}, "evidence": {},
    })  # fmt: skip
    assert row(tables(unscored)["states"], panel="exact")["unscored"] == 8 * 6 * 3
    assert tables(unscored)["exact"].rows[0]["compliance"].value is None


def test_a_missing_form_is_missing_in_every_table_that_needs_it() -> None:
    """One model lacks one form: its row says so, and nothing that needs all forms is computed."""
    found = tables(data(OF, models=("a", "b"), speak=except_for("b", "exact/NEVER")))
    missing = row(found["exact"], form="NEVER")
    assert missing["compliance"].why_undefined == "no whole task of b"
    assert missing["n"] == 0
    there = row(found["exact"], form="NEG")
    assert (there["compliance"].value, there["n"]) == (1.0, 16)
    audit = row(found["audit"], panel="exact")
    assert audit["c_worst"].value is None
    assert "NEVER is missing" in audit["c_worst"].why_undefined
    family = [r for r in found["multiplicity"].rows if r["family"] == "Original exact count"]
    assert {r["holm"] for r in family} == {"family incomplete: no p for NEVER"}
    assert row(found["ranking"], panel="exact", form="NEVER")["tau_b"].value is None
    assert (
        row(found["bootstrap"], panel="exact", contrast="NEVER - POS")["model>item"].value is None
    )
    by_model = {r["model"]: r for r in found["exact-models"].rows}
    assert by_model["a"]["NEVER"].value == 1.0
    assert by_model["b"]["NEVER"].value is None
    assert row(found["audit"], panel="range")["c_worst"].value == 1.0


def test_a_missing_repetition_takes_its_task_out_and_is_counted() -> None:
    """Nothing is averaged over holes: two repetitions of three are no task."""

    def speak(who: str, item: WaveItem, sample: int) -> str | None:
        hole = (who, item.scenario, item.condition, sample) == ("b", "W003", "exact/NEG", 2)
        return None if hole else obedient(who, item, sample)

    found = tables(data(OF, models=("a", "b"), speak=speak))
    assert {r["n"] for r in found["exact"].rows} == {15}
    assert any("1 of 16 are left out" in note for note in found["exact"].notes)
    assert row(found["exact-models"], model="b")["complete"] == "7 of 8 tasks"
    regime = next(r for r in found["floor"].rows if (r["model"], r["panel"]) == ("b", "exact"))
    assert regime["floor"] == "1 of 144 outputs are missing"


def test_a_declared_model_that_was_not_run_leaves_nothing_to_pool() -> None:
    """A set that was declared with it is not computed without it."""
    found = tables(data(OF, models=("a", "b"), sets=[declared("primary", "a", "c")]))
    assert row(found["exact"], form="POS")["compliance"].why_undefined == (
        "not run on this panel: c"
    )
    assert row(found["sets"], panel="exact", model="c")["in"] == "missing"
    assert row(found["sets"], panel="exact", model="b")["why"] == "left out by the declared set"


def test_a_declared_set_names_models_reason_and_panel() -> None:
    """A panel's own set goes before the general one, and its reason stands below the table."""
    sets = [declared("primary", "a", "b"), declared("primary/range", "a")]
    found = tables(data(OF, models=("a", "b"), sets=sets))
    assert "set primary: 2 models" in found["exact"].title
    assert "set primary/range: 1 model;" in found["range"].title
    assert any("it was said so." in note for note in found["range"].notes)
    assert found["range-all"].title.startswith("Inclusive 8-12 range (Table 16)")
    assert "exact-all" not in found


def stubborn(who: str, item: WaveItem, sample: int) -> str:
    """Model "s" says two words whatever is asked."""
    return words(2) if who == "s" else obedient(who, item, sample)


def test_the_floor_leaves_a_model_out_unless_a_set_is_declared() -> None:
    """The rule is automatic where targets are swept, and only there."""
    found = tables(data(OF, models=("a", "s"), speak=stubborn))
    assert "primary set: 1 model" in found["exact"].title
    assert any("left out by that rule: s" in note for note in found["exact"].notes)
    assert "all models: 2 models" in found["exact-all"].title
    assert "primary set: 2 models" in found["keyword"].title
    kept = tables(data(OF, models=("a", "s"), speak=stubborn, sets=[declared("primary", "a", "s")]))
    assert any("At the floor of this panel, and in the declared set: s" in note
               for note in kept["exact"].notes)  # fmt: skip


def test_failures_are_told_apart() -> None:
    """Under and over, zero and multiple, no JSON and other keys; an empty output has no words."""
    said = {
        "exact/NEG": words(3), "exact/NEVER": words(50), "exact/AVOID1": "",
        "keyword/NEG": "nothing of it", "range/NEG": words(7), "range/AVOID": words(13),
        "json/NEG": "```json\n{}\n```", "json/AVOID": '{"other": 1}',
    }  # fmt: skip

    def speak(who: str, item: WaveItem, sample: int) -> str:
        if item.condition == "keyword/AVOID":
            keyword = item.document["parameters"]["keyword-once"]["keyword"]
            return f"{keyword}, {keyword.upper()}!"
        return said.get(item.condition, obedient(who, item, sample))

    found = tables(data(OF, models=("a",), speak=speak))
    for table, form, under, over in (
        ("exact", "NEG", 1, 0), ("exact", "NEVER", 0, 1), ("exact", "AVOID1", 1, 0),
        ("keyword", "NEG", 1, 0), ("keyword", "AVOID", 0, 1), ("range", "NEG", 1, 0),
        ("range", "AVOID", 0, 1), ("json", "NEG", 1, 0), ("json", "AVOID", 0, 1),
    ):  # fmt: skip
        each = row(found[table], form=form)
        assert (each["under"].value, each["over"].value) == (under, over), (table, form)
        assert each["compliance"].value == 0
    assert row(found["exact"], form="AVOID1")["short"].value == 1
    assert row(found["states"], panel="exact")["empty"] == 24
    directions = {(r["panel"], r["form"]): r["direction"] for r in found["failures"].rows}
    assert directions["json", "NEG"] == "parse failure"
    assert directions["json", "AVOID"] == "other keys"
    pair = row(found["paired-failures"], panel="exact", form="NEVER")
    assert (pair["pos_count"], pair["other_count"], pair["direction"]) == (5, 50, "over")
    assert row(found["failures"], panel="exact", form="AVOID1")["other"] == "(nothing)"


@pytest.mark.parametrize(
    ("text", "opens"),
    [("Here is the answer now", 1), ("“Here’s one more try", 1), ("THE ANSWER IS five words", 1),
     ("Hereisnot an answer at all", 0), ("So here is my answer", 0)],
)  # fmt: skip
def test_openings_about_the_answer(text: str, opens: int) -> None:
    """The three openings that appendix D names, in any case and behind a quote."""
    found = tables(data(OF, models=("a",), speak=except_for("a", "exact/NEG", text)))
    surface = row(found["surface"], panel="exact", form="NEG")
    assert surface["openings"].value == opens
    assert row(found["surface"], panel="exact", form="POS")["openings"].value == 0


def test_models_that_were_asked_by_batch_are_named_in_titles() -> None:
    """A title says so of them, and of nobody else."""
    batched = tables(data(OF, models=("a", "b"), config={"through": "batch"}))["states"].title
    assert ("a: asked by batch" in batched, "b: asked by batch" in batched) == (True, True)
    assert "by batch" not in tables(data(OF, models=("a", "b")))["states"].title


def test_copies_of_one_prompt_are_no_reruns_for_a_seeded_model() -> None:
    """POS against POS shows what rerunning does; with a seed it shows nothing, and says so."""
    lucky = except_for("a", "avoidance/POS", words(1), sample=2)
    free = tables(data(OF, models=("a", "b"), speak=lucky))["reruns"]
    one = row(free, who="a", form="POS", first="exact", second="avoidance")
    assert one["difference"].value == pytest.approx(-1 / 3)
    pooled = row(free, who="all of both panels", form="POS", first="exact", second="avoidance")
    assert pooled["difference"].value == pytest.approx(-1 / 6)
    assert {r["form"] for r in free.rows} == {"POS", "AVOID1"}
    assert not any("seed: a" in note for note in free.notes)
    seeded = tables(data(OF, models=("a", "b"), config={"seed": 7}))["reruns"]
    assert any("Asked with a seed: a, b." in note for note in seeded.notes)


def test_runs_of_one_configuration_are_one_model() -> None:
    """Panels may be run one after the other; two configurations of one name are told apart."""
    whole = data(OF, models=("a", "a"))
    first, second = whole.runs
    exact = [c for c in first.config["conditions"] if c.startswith("exact/")]
    parts = {**first.config, "conditions": exact, "samples": 3}
    one = replace(whole, runs=(replace(first, config=parts), second))
    assert [m["model"] for m in tables(one)["models"].rows] == ["a"]
    other = replace(whole, runs=(first, replace(second, config={**parts, "temperature": 1.0})))
    assert [m["model"] for m in tables(other)["models"].rows] == ["a (run 1)", "a (run 2)"]


def test_order_of_models_and_names_do_not_matter() -> None:
    """The same outputs under other names and in another order give the same numbers."""

    def speak(who: str, item: WaveItem, sample: int) -> str:
        weak = {"a": 2, "x": 2, "b": 5, "y": 5, "c": 0, "z": 0}[who]
        return words(1) if (item.id + sample) % 7 < weak else obedient(who, item, sample)

    one = tables(data(OF, models=("a", "b", "c"), speak=speak))
    two = tables(data(OF, models=("z", "x", "y"), speak=speak))
    for name in ("exact", "avoidance", "keyword", "range"):
        for left, right in zip(one[name].rows, two[name].rows, strict=True):
            # Models are added up in another order: equal but for the last bits.
            for key in ("compliance", "difference"):
                if left[key] is not None:
                    assert left[key].value == pytest.approx(right[key].value)
                    assert left[key].low == pytest.approx(right[key].low)


def test_counts_are_those_of_the_verifiers() -> None:
    """A count at the target complies, and no other: verdict and evidence agree."""

    def speak(_who: str, item: WaveItem, sample: int) -> str:
        return words((item.id * sample) % 14)

    for outputs in outputs_of(data(OF, models=("a",), speak=speak), shipped()).values():
        if outputs.panel.verifier in ("word-count", "word-range"):
            low = outputs.lowest[None, :, None, None]
            high = outputs.highest[None, :, None, None]
            inside = (outputs.counts >= low) & (outputs.counts <= high)
            assert (inside == outputs.compliant.astype(bool)).all()


@given(
    st.sets(
        st.tuples(st.integers(0, 3), st.sampled_from(("POS", "NEG", "AVOID")), st.integers(1, 2)),
        max_size=12,
    )
)
@settings(max_examples=30, deadline=None)
def test_whatever_is_missing_is_counted_and_never_averaged_over(
    holes: set[tuple[int, str, int]],
) -> None:
    """For any holes: n is the number of whole tasks, and compliance the mean over just those."""
    drafted = small(4)
    of = suite(tasks=drafted)

    def speak(_who: str, item: WaveItem, sample: int) -> str | None:
        task = [t.id for t in drafted].index(item.scenario)
        form = item.condition.split("/")[1]
        if (task, form, sample) in holes:
            return None
        return words(9 if (task + sample) % 2 else 3)

    conditions = [f"range/{form}" for form in ("POS", "NEG", "AVOID")]
    made = data(of, models=("a",), speak=speak, samples=2, conditions=conditions, replicates=40)
    found = {table.name: table for table in of.tables(made)}["range"]
    broken = {(task, form) for task, form, _ in holes}
    lost = {form for form in ("POS", "NEG", "AVOID")
            if all((task, form) in broken for task in range(4))}  # fmt: skip
    whole = [
        task for task in range(4)
        if not any((task, form) in broken for form in {"POS", "NEG", "AVOID"} - lost)
    ]  # fmt: skip
    for each in found.rows:
        if each["form"] in lost:
            assert each["compliance"].value is None
        elif not whole:
            assert each["compliance"].value is None
            assert each["n"] == 0
        else:
            assert each["n"] == len(whole)
            assert each["compliance"].value == 0.5  # of two repetitions one complies, always
