"""How far people agree on responses, with each other and with the judge; for the sample and beyond.

The sample is stratified, so a plain share is that of the sample. What it says of all responses that
it was drawn from is the weighted share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from audit.grades import NO, YES, Graded, GradedRound
from core.estimate import Estimate
from core.panels import NO_MAJORITY
from core.resampling import Resampling
from core.tables import Cell, Column, Table, split_by
from stats.agreement import Agreement, raw_agreement
from stats.cohen import cohen_kappa
from stats.fleiss import FleissVariant, fleiss_kappa
from stats.means import mean_by_cluster
from stats.weighted import weighted_mean

Row = dict[str, Cell]
Say = Callable[[Graded], str | None]
ALL, CUT = "all categories", "cut"
PEOPLE = (
    Column("on", "On"),
    Column("between", "Between"),
    Column("estimator", "Estimator"),
    Column("value", "Value", "share"),
    Column("raw", "raw", "share"),
    Column("responses", "n", "count"),
    Column("left_out", "left out", "count"),
)
AGAINST = (
    Column("on", "On"),
    Column("between", "Who"),
    Column("agree", "agree", "count"),
    Column("of", "of", "count"),
    Column("share", "Share", "share"),
    Column("kappa", "Cohen's kappa", "share"),
    Column("no_verdict", "no verdict", "count"),
    Column("not_graded", "not graded", "count"),
)
CONSENSUS = (
    Column("on", "On"),
    Column("responses", "responses", "count"),
    Column("consensus", "consensus", "count"),
    Column("none", "none", "count"),
    Column("not_graded", "not by all", "count"),
    Column("no_verdict", "no verdict", "count"),
    Column("agree", "agree", "count"),
    Column("of", "of", "count"),
    Column("share", "Share", "share"),
)
STRATA = (
    Column("stratum", "Stratum"),
    Column("value", "Value"),
    Column("between", "Between"),
    Column("agree", "agree", "count"),
    Column("of", "of", "count"),
    Column("share", "Share", "share"),
)
POPULATION = (
    Column("between", "Who"),
    Column("plain", "Sample", "share"),
    Column("weighted", "Population", "share"),
    Column("of", "n", "count"),
    Column("covered", "stands for", "count"),
    Column("there", "of", "count"),
)


def agreement_tables(found: GradedRound, how: Resampling | None = None) -> tuple[Table, ...]:
    """Return the tables of a grading round; those against a judge only where one was asked."""
    how = how or Resampling()
    tables = [_people(found, how)]
    if found.judged_by:
        tables += [_against(found, how), _consensus(found, how)]
    tables.append(_strata(found, how))
    if found.judged_by:
        tables.append(_population(found, how))
    return tuple(tables)


def for_people(tables: Sequence[Table]) -> Iterator[Table]:
    """Yield narrower tables: one for all categories and one for the cut, where there are both."""
    for table in tables:
        yield from split_by([table], "on") if table.name in ("people", "judge") else [table]


def _titled(found: GradedRound, heading: str) -> str:
    named = "; ".join(found.caveats)
    return f"{heading} ({named})" if named else heading


def _intervals(how: Resampling) -> str:
    return f"{how.over('scenarios with all their responses')}."


def _cut_note(found: GradedRound) -> str:
    return f"Cut: {' or '.join(sorted(found.scale.positive))}, against everything else."


# Between people


def _people(found: GradedRound, how: Resampling) -> Table:
    rows = [*_among(found, ALL, how), *_among(found, CUT, how)]
    notes = (
        _cut_note(found),
        "Raw: the share of pairs of people who agree, over responses that both graded. Left out: "
        "responses that somebody concerned has not graded.",
        _intervals(how),
    )
    title = f"Agreement of {len(found.people)} graders of {found.name}"
    return Table("people", _titled(found, title), PEOPLE, tuple(rows), notes)


def _among(found: GradedRound, on: str, how: Resampling) -> Iterator[Row]:
    scale = found.scale
    labels = scale.categories if on == ALL else (YES, NO)
    votes = [[_on(found, on, said) for said in each.said] for each in found.responses]
    clusters = [each.drawn.scenario for each in found.responses]
    if len(found.people) < 2:
        return
    shared = [any(said is not None for said in row) for row in votes]
    if not any(shared):
        return
    everybody = "everybody" if len(found.people) > 2 else " / ".join(found.people)
    raw = raw_agreement(votes, labels, clusters=clusters, **how.again)
    yield _estimated(on, everybody, "raw agreement", raw, len(votes))
    if len(found.people) > 2:
        counts = {sum(said is not None for said in row) for row in votes}
        variant: FleissVariant = "classic" if len(counts) == 1 else "gwet"
        kappa = fleiss_kappa(votes, labels, variant=variant, clusters=clusters, **how.again)
        yield _estimated(on, everybody, kappa.estimator, kappa, len(votes))
    for one, other in combinations(range(len(found.people)), 2):
        first, second = ([row[place] for row in votes] for place in (one, other))
        kappa = cohen_kappa(first, second, labels, clusters=clusters, **how.again)
        names = f"{found.people[one]} / {found.people[other]}"
        yield _estimated(on, names, "Cohen's kappa", kappa, len(votes))


def _estimated(on: str, between: str, estimator: str, found: Agreement, of: int) -> Row:
    return {
        "on": on,
        "between": between,
        "estimator": estimator,
        "value": found.estimate,
        "raw": found.raw_agreement,
        "responses": found.n_items,
        "left_out": of - found.n_items,
    }


def _on(found: GradedRound, on: str, said: str | None) -> str | None:
    return said if on == ALL else found.scale.cut(said)


# Against the judge


def _against(found: GradedRound, how: Resampling) -> Table:
    rows: list[Row] = []
    for on in _scales(found):
        people = [(person, _person(found, place, on)) for place, person in enumerate(found.people)]
        mine = [_held(found, on, name, say, how) for name, say in people]
        rows += mine
        if len(mine) > 1:
            rows.append(_mean(found, on, [say for _, say in people], mine, how))
    different = (
        ()
        if found.scale.comparable
        else ("People and judge do not use the same categories, so only the cut compares.",)
    )
    notes = (
        _cut_note(found),
        *different,
        "No verdict: unreadable or without a majority when the sample was drawn; it counts neither "
        "way. The mean is over everything that anybody graded.",
        "The sample is stratified, so these are shares of the sample; what they say of all "
        "responses is in the last table.",
        _intervals(how),
    )
    title = f"Graders of {found.name} against the verdict of {found.judged_by}"
    return Table("judge", _titled(found, title), AGAINST, tuple(rows), notes)


def _scales(found: GradedRound) -> tuple[str, ...]:
    return (ALL, CUT) if found.scale.comparable else (CUT,)


def _person(found: GradedRound, place: int, on: str) -> Say:
    return lambda each: _on(found, on, each.said[place])


def _consensus_of(found: GradedRound, on: str) -> Say:
    def say(each: Graded) -> str | None:
        agreed = each.consensus(found.scale if on == CUT else None)
        return None if agreed == NO_MAJORITY else agreed

    return say


def _held(found: GradedRound, on: str, name: str, say: Say, how: Resampling) -> Row:
    responses = found.responses
    pairs = _pairs(found, responses, on, say)
    said, verdicts, clusters = ([pair[n] for pair in pairs] for n in range(3))
    labels = found.scale.categories if on == ALL else (YES, NO)
    kappa = (
        cohen_kappa(said, verdicts, labels, clusters=clusters, **how.again).estimate
        if pairs
        else None
    )
    graded = [each for each in responses if say(each) is not None]
    return {
        "on": on,
        "between": name,
        **_agreeing(pairs, how),
        "kappa": kappa,
        "no_verdict": sum(each.verdict is None for each in graded),
        "not_graded": len(responses) - len(graded),
    }


def _pairs(
    found: GradedRound, responses: Sequence[Graded], on: str, say: Say
) -> list[tuple[str, str, str]]:
    """Return what was said, the verdict and the scenario, where there are both to compare."""
    return [
        (said, verdict, each.drawn.scenario)
        for each in responses
        if (said := say(each)) is not None and (verdict := _on(found, on, each.verdict)) is not None
    ]


def _agreeing(pairs: Sequence[tuple[str, str, str]], how: Resampling) -> Row:
    same = [float(said == verdict) for said, verdict, _ in pairs]
    share = mean_by_cluster(
        same,
        [scenario for _, _, scenario in pairs],
        **how.again,
        why="no response has both",
    )
    return {"agree": int(sum(same)), "of": len(same), "share": share}


def _mean(
    found: GradedRound, on: str, people: Sequence[Say], rows: Sequence[Row], how: Resampling
) -> Row:
    pairs = [pair for say in people for pair in _pairs(found, found.responses, on, say)]
    kappas = [row["kappa"] for row in rows]
    values = [k.value for k in kappas if isinstance(k, Estimate) and k.value is not None]
    kappa = None
    if len(values) == len(rows):
        why = "a mean of kappas"
        kappa = Estimate(sum(values) / len(values), len(pairs), why_no_interval=why)
    return {
        "on": on,
        "between": f"mean of {len(people)}",
        **_agreeing(pairs, how),
        "kappa": kappa,
        "no_verdict": sum(int(str(row["no_verdict"])) for row in rows),
        "not_graded": sum(int(str(row["not_graded"])) for row in rows),
    }


# The people's consensus against the judge


def _consensus(found: GradedRound, how: Resampling) -> Table:
    notes = (
        _cut_note(found),
        "A consensus is what more than half of all graders said; of two, what both said. None: "
        "all graded, and nothing was said by more than half. Not by all: somebody has not graded.",
        _intervals(how),
    )
    rows = tuple(_agreed(found, on, how) for on in _scales(found))
    title = f"The consensus of the graders of {found.name} against {found.judged_by}"
    return Table("consensus", _titled(found, title), CONSENSUS, rows, notes)


def _agreed(found: GradedRound, on: str, how: Resampling) -> Row:
    scale = found.scale if on == CUT else None
    said = [each.consensus(scale) for each in found.responses]
    say = _consensus_of(found, on)
    agreed = [each for each in found.responses if say(each) is not None]
    return {
        "on": on,
        "responses": len(said),
        "consensus": len(agreed),
        "none": said.count(NO_MAJORITY),
        "not_graded": said.count(None),
        "no_verdict": sum(each.verdict is None for each in agreed),
        **_agreeing(_pairs(found, found.responses, on, say), how),
    }


# Stratum by stratum, on the cut


def _strata(found: GradedRound, how: Resampling) -> Table:
    rows: list[Row] = []
    levels = dict.fromkeys(("condition", "family", "model", *found.sample.document["levels"]))
    for level in levels:
        values = dict.fromkeys(sorted(_value(each, level) for each in found.responses))
        for value in values:
            mine = [each for each in found.responses if _value(each, level) == value]
            rows += [{"stratum": level, "value": value, **row} for row in _within(found, mine, how)]
    notes = (_cut_note(found), "Within the sample, on the cut.", _intervals(how))
    title = f"Agreement within each stratum of {found.name}"
    return Table("strata", _titled(found, title), STRATA, tuple(rows), notes)


def _value(each: Graded, level: str) -> str:
    own = {"condition": each.drawn.condition, "model": each.drawn.model}
    return each.drawn.strata.get(level) or own.get(level) or "not recorded"


def _within(found: GradedRound, mine: Sequence[Graded], how: Resampling) -> Iterator[Row]:
    if len(found.people) > 1:
        pairs = [
            (one, other, each.drawn.scenario)
            for each in mine
            for first, second in combinations(each.said, 2)
            if (one := found.scale.cut(first)) is not None
            and (other := found.scale.cut(second)) is not None
        ]
        yield {"between": "people", **_agreeing(pairs, how)}
    if not found.judged_by:
        return
    for place, person in enumerate(found.people):
        say = _person(found, place, CUT)
        yield {"between": f"{person} / judge", **_agreeing(_pairs(found, mine, CUT, say), how)}
    say = _consensus_of(found, CUT)
    yield {"between": "consensus / judge", **_agreeing(_pairs(found, mine, CUT, say), how)}


# Beyond the sample


def _population(found: GradedRound, how: Resampling) -> Table:
    voters = [(person, _person(found, place, CUT)) for place, person in enumerate(found.people)]
    if len(voters) > 1:
        voters.append(("consensus", _consensus_of(found, CUT)))
    rows = tuple({"between": name, **_beyond(found, say, how)} for name, say in voters)
    first = found.sample.document["levels"][0]
    notes = (
        _cut_note(found),
        "Sample: the plain share, of a sample in which rare verdicts are many. Population: each "
        "response weighs one over its chance to be drawn; stands for: the sum of these weights, of "
        "all responses that could be drawn.",
        f"95 % percentile intervals of the population from a bootstrap of responses within each "
        f"{first}, {how.replicates:,} replicates, seed {how.seed}; the chances are taken as fixed, "
        "and responses to one scenario as if they were independent. Those of the sample resample "
        "scenarios.",
    )
    title = f"What {found.name} says of everything that it was drawn from"
    return Table("population", _titled(found, title), POPULATION, rows, notes)


def _beyond(found: GradedRound, say: Say, how: Resampling) -> Row:
    mine = [
        (each, float(said == found.scale.cut(each.verdict)))
        for each in found.responses
        if each.verdict is not None and (said := say(each)) is not None
    ]
    first = found.sample.document["levels"][0]
    weighted = weighted_mean(
        [same for _, same in mine],
        [float(each.drawn.probability) for each, _ in mine],
        [each.drawn.strata[first] for each, _ in mine],
        **how.again,
        why="no response has both",
    )
    plain = _agreeing(_pairs(found, found.responses, CUT, say), how)
    return {
        "plain": plain["share"],
        "weighted": weighted,
        "of": len(mine),
        "covered": round(sum(1 / each.drawn.probability for each, _ in mine)),
        "there": sum(cell["there"] for cell in found.sample.document["population"]),
    }
