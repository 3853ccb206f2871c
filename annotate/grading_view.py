"""A sample of responses and its grading round as tables: what was there, wanted, drawn and done."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from core.grading import Grading
from core.study import Round
from core.tables import Cell, Column, Table
from core.words import counted
from db.file import StudyFile

ALL = "all"
STRATA = (
    Column("stratum", "Stratum"),
    Column("value", "Value"),
    Column("there", "there", "count"),
    Column("wanted", "wanted", "score"),
    Column("drawn", "drawn", "count"),
)
ROUNDS = (
    Column("round", "Round"),
    Column("kind", "Kind"),
    Column("state", "State"),
    Column("judged_by", "Judges"),
    Column("responses", "responses", "count"),
    Column("graders", "graders", "count"),
    Column("done", "done", "count"),
    Column("left", "left", "count"),
    Column("marks", "Careful"),
)
GRADERS = (
    Column("round", "Round"),
    Column("seat", "seat", "count"),
    Column("person", "Person"),
    Column("kind", "Kind"),
    Column("done", "done", "count"),
    Column("left", "left", "count"),
)
PROGRESS = (
    Column("round", "Round"),
    Column("stratum", "Stratum"),
    Column("value", "Value"),
    Column("there", "there", "count"),
    Column("drawn", "drawn", "count"),
    Column("all", "graded by all", "count"),
    Column("some", "by some", "count"),
)


def sample_table(name: str, document: Mapping[str, Any]) -> Table:
    """Return a sample by stratum: how many responses were there, wanted and drawn."""
    rows: list[dict[str, Cell]] = [
        {"stratum": stratum, "value": value, "there": there, "wanted": wanted, "drawn": drawn}
        for stratum, value, there, wanted, drawn in _margins(document)
    ]
    title = f"Sample for {name}: {counted(len(document['drawn']), 'response')}"
    return Table(
        "sample", f"{title} of {judged_by(document)}", STRATA, tuple(rows), _notes(document)
    )


def judged_by(document: Mapping[str, Any]) -> str:
    """Say whose verdicts a sample knows."""
    judges = document["judges"]
    runs = counted(len(document["runs"]), "run")
    if not judges:
        return f"{runs}, no judge asked"
    who = (
        f"judge {judges[0]['judge']} ({judges[0]['model']})"
        if len(judges) == 1
        else f"a panel of {len(judges)} judges"
    )
    return f"{runs}, judged under {document['rubric']} by {who}"


def status_tables(study: StudyFile, rounds: Sequence[Round]) -> tuple[Table, Table, Table]:
    """Return how grading rounds stand: by round, by grader, and by stratum."""
    samples = [(each, found) for each in rounds if (found := study.gradings.of_round(each.id))]
    title = counted(len(samples), "grading round")
    return (
        Table("rounds", title, ROUNDS, tuple(_round(study, *pair) for pair in samples)),
        Table(
            "graders",
            "Graders",
            GRADERS,
            tuple(row for campaign, _ in samples for row in _graders(study, campaign)),
        ),
        Table(
            "strata",
            "How far each stratum is graded",
            PROGRESS,
            tuple(row for pair in samples for row in _strata(study, *pair)),
        ),
    )


def _margins(document: Mapping[str, Any]) -> Iterator[tuple[str, str, int, float, int]]:
    """Yield the totals of every value of every level, and of all."""
    cells = document["population"]
    everything = [sum(cell[key] for cell in cells) for key in ("there", "drawn")]
    wanted = sum(Fraction(cell["wanted"]) for cell in cells)
    yield ALL, "", everything[0], float(wanted), everything[1]
    for place, level in enumerate(document["levels"]):
        sums: dict[str, list[Fraction]] = defaultdict(lambda: [Fraction(0)] * 3)
        for cell in cells:
            value = cell["cell"][place]
            parts = (cell["there"], Fraction(cell["wanted"]), cell["drawn"])
            sums[value] = [before + now for before, now in zip(sums[value], parts, strict=True)]
        for value in sorted(sums):
            there, share, drawn = sums[value]
            yield level, value, int(there), float(share), int(drawn)


def _notes(document: Mapping[str, Any]) -> tuple[str, ...]:
    levels = ", ".join(document["levels"])
    how = (
        f"Balanced over {levels}, each within the ones before it: equal shares of what is there. "
        "Wanted is the share, on average over all seeds."
    )
    asked = document["wanted"]
    drawn = len(document["drawn"])
    fewer = () if drawn == asked else (f"{asked} were asked for; {drawn} are there.",)
    left = ", ".join(f"{count:,} {why}" for why, count in document["left_out"].items())
    return (how, *fewer, *((f"Not drawn from: {left}.",) if left else ()))


def _round(study: StudyFile, campaign: Round, sample: Grading) -> dict[str, Cell]:
    progress = study.rounds.progress(campaign.id)
    done, total = sum(seat.done for seat in progress), sum(seat.total for seat in progress)
    return {
        "round": campaign.name,
        "kind": campaign.kind,
        "state": campaign.state,
        "judged_by": _judges(sample.document),
        "responses": len(sample.drawn),
        "graders": len(progress),
        "done": done,
        "left": total - done,
        "marks": "simulated grades" if _simulated(study, campaign) else "",
    }


def _judges(document: Mapping[str, Any]) -> str:
    numbers = [str(judge["judge"]) for judge in document["judges"]]
    return f"{', '.join(numbers)} ({document['rubric']})" if numbers else "nobody"


def _simulated(study: StudyFile, campaign: Round) -> bool:
    return any(grade.person_kind != "human" for grade in study.grades.of_round(campaign.id))


def _graders(study: StudyFile, campaign: Round) -> Iterator[dict[str, Cell]]:
    for seat in study.rounds.progress(campaign.id):
        person = study.people.occupant(seat.seat.id)
        yield {
            "round": campaign.name,
            "seat": seat.seat.number,
            "person": seat.person or "nobody yet",
            "kind": person.kind if person else "",
            "done": seat.done,
            "left": seat.total - seat.done,
        }


def _strata(study: StudyFile, campaign: Round, sample: Grading) -> Iterator[dict[str, Cell]]:
    seats = len(study.rounds.seats(campaign.id))
    given = Counter(grade.response for grade in study.grades.of_round(campaign.id))
    for stratum, value, there, _, drawn in _margins(sample.document):
        mine = [
            given[each.response]
            for each in sample.drawn
            if stratum == ALL or each.strata[stratum] == value
        ]
        yield {
            "round": campaign.name,
            "stratum": stratum,
            "value": value,
            "there": there,
            "drawn": drawn,
            "all": sum(count == seats for count in mine),
            "some": sum(0 < count < seats for count in mine),
        }
