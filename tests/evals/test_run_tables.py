"""What runs have and lack, the floor regime, and the dropping of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from audit.verify import study_faults
from core.errors import CheckFailed, InputError, Refused
from core.runs import GenerationKey, Reply
from evals.dropping import Collected, DropRule, drop, rule_of, verdict
from evals.models import parse_model
from evals.run_tables import check, for_people, standing_of, status_table, urgent_first
from evals.runner import run
from exports.report import collect

BOTH: dict[str, Any] = {"conditions": ("Active", "Removed"), "samples": 2}


def rows(table: Any) -> list[dict[str, Any]]:
    return [dict(row) for row in table.rows]


def test_a_whole_run_is_whole(make_study: Any) -> None:
    """Expected equals present in every condition, and the check finds nothing."""
    study = make_study(3)
    run(study, parse_model("scripted"), **BOTH)
    found = check(study)
    assert found.faults == ()
    assert len(found.tables) == 1
    for row in rows(found.tables[0]):
        assert (row["expected"], row["present"], row["missing"], row["duplicate"]) == (6, 6, 0, 0)
        assert row["ok_of_expected"] == row["ok_of_present"] == 1.0


def test_what_is_missing_and_both_denominators(
    make_study: Any, endpoint: Any, say: Any, complete: Any
) -> None:
    """Missing and failed are named by run and condition; a change of model is flagged."""
    study = make_study(2)
    names = iter(["tiny-1", "tiny-1", "tiny-2"] * 9)

    def behave(_: int, asked: dict[str, Any]) -> Any:
        if "Scenario 2, Active" in asked["messages"][0]["content"]:
            return say(b"{}", status=400)
        body = complete("", "length") if "Removed" in str(asked) else complete()
        return replace(body, body=body.body.replace(b"tiny-1", next(names).encode()))

    endpoint.behave = behave
    done = run(study, parse_model(endpoint.url, api_model="m"), **BOTH, workers=1)
    assert "CAREFUL, the model changed in mid-run: tiny-1, then tiny-2" in done.words
    found = check(study)
    active, removed = rows(found.tables[0])
    assert (active["expected"], active["present"], active["missing"], active["error"]) == (
        4,
        2,
        2,
        2,
    )
    assert (active["ok_of_expected"], active["ok_of_present"]) == (0.5, 1.0)
    assert (removed["empty"], removed["ok_of_present"]) == (4, 0.0)
    assert "run 1 (m), Active: 2 missing" in found.faults
    assert any("changed in mid-run: tiny-1" in note for note in found.tables[0].notes)
    standing = standing_of(study, study.runs.run(1))
    assert (standing.expected, standing.present, standing.missing) == (8, 6, 2)
    assert rows(status_table(study))[0]["is"] == "open"


def test_the_status_for_people_shows_what_is_not_ok_and_no_empty_columns(make_study: Any) -> None:
    """Costs stand there when a run has prices, and other states when something came that way."""
    study = make_study(2)
    run(study, parse_model("scripted"), **BOTH)
    (far,) = for_people(status_table(study))
    assert "cost" not in [column.key for column in far.columns]
    entry = study.runs.start("m", "chat", {"conditions": ["Active"], "samples": 1, "waves": [1]})
    item = study.waves.items()[0]
    key = GenerationKey(entry.id, item.id, item.document["prompt_hash"], 1)
    study.runs.store(key, Reply("empty", ""))
    far, came = for_people(status_table(study))
    assert [(row["run"], row["empty"], row["ok"]) for row in rows(came)] == [(2, 1, 0)]
    assert [row["run"] for row in rows(far)] == [1, 2]


def test_runs_at_work_come_first(make_study: Any) -> None:
    """Those that are open before the closed, the newest before the others, the dropped last."""
    study = make_study(2)
    run(study, parse_model("scripted"), **BOTH)
    for name in "abc":
        study.runs.start(name, "chat", {"conditions": ["Active"], "samples": 1, "waves": [1]})
    drop(study, 3, "too slow")
    found = [(row["run"], row["is"]) for row in rows(urgent_first(status_table(study)))]
    assert found == [(4, "open"), (2, "open"), (1, "closed"), (3, "dropped")]


def swept(make_study: Any, words: Any) -> Any:
    """A study whose items have targets; `words(target)` is how many words the model writes."""
    study = make_study(4, parameters={"target": 5})
    items = study.waves.items()
    entry = study.runs.start("m", "chat", {"conditions": ["Active"], "samples": 2, "waves": [1]})
    targets = {item.id: (5, 8, 10, 12)[n // 2] for n, item in enumerate(items)}
    for item in items:
        for sample in (1, 2):
            key = GenerationKey(entry.id, item.id, item.document["prompt_hash"], sample)
            text = "word " * words(targets[item.id])
            study.runs.store(key, Reply("ok" if text else "empty", text, tokens_out=9))
    return study, targets


@pytest.mark.parametrize(("words", "floor"), [(lambda t: t, "no"), (lambda t: 3, "yes")])
def test_the_floor_regime(
    make_study: Any, monkeypatch: pytest.MonkeyPatch, words: Any, floor: str
) -> None:
    """Outputs that do not follow their targets are at the floor; those that do are not."""
    study, targets = swept(make_study, words)
    monkeypatch.setattr("evals.floor.target_of", lambda item: targets[item.id])
    table = check(study).tables[1]
    assert [row["target"] for row in rows(table)] == [5, 8, 10, 12]
    assert {row["floor"] for row in rows(table)} == {floor}
    assert rows(table)[3]["mean_words"] == words(12)
    assert rows(table)[0]["most_tokens"] == 9


def test_one_target_is_no_sweep(make_study: Any) -> None:
    """Where all items have one target there is nothing to diagnose."""
    study, _ = swept(make_study, lambda t: t)
    assert len(check(study).tables) == 1


def test_dropping_is_a_fact_of_the_ledger(make_study: Any) -> None:
    """A dropped run keeps what it has, takes nothing more, and no table shows it."""
    study = make_study(3)
    spec = parse_model("scripted")
    run(study, spec, **BOTH)
    drop(study, 1, "  the provider  was too slow ")
    entry = study.ledger.entries()[-1]
    assert (entry.event, entry.payload["reason"]) == ("run dropped", "the provider was too slow")
    assert len(study.runs.generations(1)) == 12
    assert check(study).faults == ()
    assert rows(status_table(study))[0]["is"] == "dropped"
    assert collect(study, [], seed=1, replicates=10).runs == ()
    assert study_faults(study) == ()
    with pytest.raises(Refused, match="takes no more answers"):
        run(study, spec, **BOTH)
    with pytest.raises(Refused, match="dropped already"):
        drop(study, 1, "again")
    with pytest.raises(InputError, match="in words"):
        drop(study, 1, "  ")


def test_dropping_by_a_rule_that_was_there_before(
    make_study: Any, endpoint: Any, say: Any, complete: Any
) -> None:
    """A rule stands in the run's configuration; it drops only what it says."""
    study, spec = make_study(3), parse_model(endpoint.url, api_model="m")
    rule = rule_of(0.2, None, 0.0)
    endpoint.behave = lambda number, _: say(b"{}", status=400) if number > 8 else complete()
    run(study, spec, **BOTH, recorded={"drop_rule": rule})
    assert study.runs.run(1).config["drop_rule"]["errors_above"] == 0.2
    assert "33.3 % of 12 keys failed" in drop(study, 1, None).reason
    run(study, parse_model("scripted"), **BOTH, recorded={"drop_rule": rule})
    with pytest.raises(CheckFailed, match="does not drop it: 12 answers and 0 errors"):
        drop(study, 2, None)
    run(study, replace(parse_model("scripted"), name="x"), **BOTH)
    with pytest.raises(Refused, match="without a rule"):
        drop(study, 3, None)
    assert rule_of(None, None, 5.0) is None
    with pytest.raises(InputError, match="from 0 to 1"):
        rule_of(20.0, None, 5.0)


def test_a_rule_waits_its_time() -> None:
    """Before its time a rule decides nothing, and its bounds are passed only beyond them."""
    rule = DropRule(errors_above=0.5, answers_per_hour_below=10, after_minutes=60)
    assert verdict(rule, Collected(0, 100, 0.9)) == ""
    assert verdict(rule, Collected(50, 50, 2.0)) == ""
    assert verdict(rule, Collected(20, 0, 2.0)) == ""
    assert "below 10" in verdict(rule, Collected(19, 0, 2.0))
