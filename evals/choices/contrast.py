"""What choice probabilities come to: item by item, by condition, and from one to the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import nan

from core.choices import ChoiceScore
from core.resampling import Resampling
from core.study import WaveItem
from core.tables import Cell, Column, Table
from evals.choices.standing import OPEN, Standing
from stats.logprobs import decision_shift, decision_summary, renormalised

FOR, AGAINST = "heuristic", "heavy"  # s is the log-odds of the first against the second
ALL = "mean"
S = (
    "s = log p(heuristic) - log p(heavy), in nats; below 0 the model prefers the constraint-heavy "
    "answer."
)
NO_S = "There is no decision score: the answers asked for are not heavy and heuristic."
SUMMED = (
    "log p sums the probabilities of all token strings that an answer may begin with (n of them); "
    "p renormalises it over the answers asked for, and says nothing of what else the model might "
    "say."
)
EXACT = (
    "Scores are deterministic, computed and not sampled: no interval over tokens or repeats exists."
)
_SCORED = Column("state", "State")


def _over(how: Resampling) -> str:
    return f"{how.over('scenarios')}; n is their number."


def decision(score: ChoiceScore | None) -> float | None:
    """Return the decision score of an item, where both of its answers have a log-probability."""
    if score is None or score.state != "ok":
        return None
    one, other = score.logprob(FOR), score.logprob(AGAINST)
    return None if one is None or other is None else one - other


def items_table(standing: Standing) -> Table:
    """Return one row per item: every answer's word, log-probability and number of variants."""
    actions = _actions(standing)
    columns = [Column("scenario", "Scenario"), Column("condition", "Condition")]
    for action in actions:
        columns += [
            Column(f"{action}_word", action.capitalize()),
            Column(f"{action}_logprob", "log p", "signed"),
            Column(f"{action}_variants", "n", "count"),
            Column(f"{action}_p", "p", "share"),
        ]
    contrast = _contrasts(actions)
    columns += [Column("s", "s", "signed")] if contrast else []
    return Table(
        f"items {standing.setup.id}",
        standing.titled("Choice probabilities"),
        (*columns, _SCORED),
        tuple(_item_row(standing, item, actions) for item in standing.items),
        (SUMMED, S if contrast else NO_S, EXACT),
    )


def variants_table(standing: Standing) -> Table:
    """Return one row per way to write an answer: its tokens, its log-probability, if it counts."""
    columns = (
        Column("scenario", "Scenario"),
        Column("condition", "Condition"),
        Column("action", "Answer"),
        Column("text", "Written"),
        Column("tokens", "Tokens"),
        Column("logprob", "log p", "signed"),
        Column("left_out", "Left out, because"),
    )
    rows: list[dict[str, Cell]] = [
        {
            "scenario": item.scenario,
            "condition": item.condition,
            "action": answer.action,
            "text": repr(variant.text),
            "tokens": " ".join(map(str, variant.tokens)),
            "logprob": variant.logprob,
            "left_out": variant.left_out,
        }
        for item in standing.items
        if (score := standing.scores.get(item.id))
        for answer in score.answers
        for variant in answer.variants
    ]
    return Table(
        f"variants {standing.setup.id}",
        standing.titled("Choice probabilities by spelling"),
        columns,
        tuple(rows),
        (EXACT,),
    )


def conditions_table(standing: Standing, how: Resampling) -> Table:
    """Return one row per condition: the mean decision score and how often heavy is preferred."""
    columns = (
        Column("condition", "Condition"),
        Column("items", "items", "count"),
        Column("scored", "scored", "count"),
        Column("s", "mean s", "signed"),
        Column("heavy", "heavy preferred", "share"),
        Column("n", "n", "count"),
    )
    contrast = _contrasts(_actions(standing))
    return Table(
        f"conditions {standing.setup.id}",
        standing.titled("Decision scores by condition"),
        columns,
        tuple(_condition_rows(standing, how)) if contrast else (),
        (S, _over(how), EXACT) if contrast else (EXACT,),
        NO_S,
    )


def shift_table(standing: Standing, pair: tuple[str, str], how: Resampling) -> Table:
    """Return the shift from the second condition to the first, by scenario and in the mean."""
    first, second = pair
    columns = (
        Column("scenario", "Scenario"),
        Column("first", f"s {first}", "signed"),
        Column("second", f"s {second}", "signed"),
        Column("shift", f"{first} - {second}", "signed"),
        Column("p", "p-value", "share"),
        Column("n", "n", "count"),
    )
    by_scenario: dict[str, dict[str, float | None]] = {}
    for item in standing.items:
        if item.condition in pair:
            score = decision(standing.scores.get(item.id))
            by_scenario.setdefault(item.scenario, {})[item.condition] = score
    scores = [(name, each.get(first), each.get(second)) for name, each in by_scenario.items()]
    found = decision_shift(
        [_number(one) for _, one, _ in scores],
        [_number(two) for _, _, two in scores],
        **how.again,
    )
    rows: list[dict[str, Cell]] = [
        {
            "scenario": name,
            "first": one,
            "second": two,
            "shift": None if one is None or two is None else one - two,
        }
        for name, one, two in scores
    ]
    total: dict[str, Cell] = {
        "scenario": ALL,
        "shift": found.shift,
        "p": found.shift.p,
        "n": found.n_scenarios,
    }
    contrast = _contrasts(_actions(standing))
    left_out = f"{found.n_dropped} scenarios lack a score in one of the two, and are left out."
    return Table(
        f"shift {standing.setup.id}",
        standing.titled(f"Shift of the decision score, {first} - {second}"),
        columns,
        (*rows, total) if rows and contrast else (),
        (
            S,
            _over(how),
            *([left_out] if found.n_dropped else []),
            EXACT,
        ),
    )


def _actions(standing: Standing) -> tuple[str, ...]:
    answers = standing.setup.config["answers"]
    if not isinstance(answers, str):
        return tuple(answers)
    found = [
        option["action"] for item in standing.items for option in item.document.get("options", ())
    ]
    return tuple(sorted(set(found), key=lambda action: (action != AGAINST, action != FOR, action)))


def _contrasts(actions: Sequence[str]) -> bool:
    return {FOR, AGAINST} <= set(actions)


def _item_row(standing: Standing, item: WaveItem, actions: Sequence[str]) -> dict[str, Cell]:
    score = standing.scores.get(item.id)
    row: dict[str, Cell] = {
        "scenario": item.scenario,
        "condition": item.condition,
        "s": decision(score),
        "state": _told(score),
    }
    if score is None or score.state != "ok":
        return row
    shares = renormalised([a.logprob for a in score.answers if a.logprob is not None])
    for answer, share in zip(score.answers, shares, strict=True):
        if answer.action in actions:
            row[f"{answer.action}_word"] = answer.word
            row[f"{answer.action}_logprob"] = answer.logprob
            row[f"{answer.action}_variants"] = answer.counted
            row[f"{answer.action}_p"] = float(share)
    return row


def _told(score: ChoiceScore | None) -> str:
    if score is None:
        return OPEN
    return score.state if score.state == "ok" else f"{score.state}: {score.error}"


def _condition_rows(standing: Standing, how: Resampling) -> Iterator[dict[str, Cell]]:
    for condition in dict.fromkeys(item.condition for item in standing.items):
        mine = [item for item in standing.items if item.condition == condition]
        scores = [_number(decision(standing.scores.get(item.id))) for item in mine]
        found = decision_summary(scores, **how.again)
        yield {
            "condition": condition,
            "items": len(mine),
            "scored": sum(standing.state(item) == "ok" for item in mine),
            "s": found.mean,
            "heavy": found.heavy,
            "n": found.n_scenarios,
        }


def _number(score: float | None) -> float:
    return nan if score is None else score
