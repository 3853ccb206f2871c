"""How far a panel agrees in each condition, in one line each: the induction paper's Table 13.

Fleiss' kappa and the share of unanimous replies are over replies with a readable verdict of
everybody, with unknown as a class of its own, as the paper has them. A panel's unknown decides
nothing: such replies are told as a rate, and left out of the rate of those that show the target, as
the paper leaves them out of its own. Ambiguous is treated alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.estimate import Estimate
from core.panels import NO_MAJORITY, OPEN, UNREADABLE
from core.resampling import Resampling
from core.rows import listed
from core.tables import Cell, Column, Table
from db.file import StudyFile
from evals.judges.ballots import Ballot, Ballots
from evals.judges.status import ALL, groups, panel_of, titled
from stats.agreement import Agreement, unanimous_agreement
from stats.cohen import cohen_kappa_pairs
from stats.fleiss import fleiss_kappa
from stats.means import mean_by_cluster

NONE = frozenset({UNREADABLE, OPEN, NO_MAJORITY})
UNDECIDED = ("unknown", "ambiguous")  # verdicts that say neither one thing nor the other
HOPED = ("target", "correct")  # verdicts whose share is told, of the replies that were decided


def read(vote: str) -> str | None:
    """Return a vote, or ``None`` for one that is no verdict."""
    return None if vote in NONE else vote


def unanimous(
    votes: Sequence[Sequence[str | None]],
    scale: Sequence[str],
    scenarios: Sequence[str],
    how: Resampling,
) -> Agreement:
    """Return the share of replies on which all say the same, of those that all could read."""
    complete = [place for place, row in enumerate(votes) if all(row)]
    whole, about = [votes[place] for place in complete], [scenarios[place] for place in complete]
    return unanimous_agreement(whole, scale, clusters=about, **how.again)


def runs_of(found: Ballots, rows: Sequence[Mapping[str, Cell]]) -> tuple[tuple[int, ...], ...]:
    """Return the runs that each row of a table by condition rests on."""
    of = {name: tuple(sorted({b.run for b in mine})) for name, mine in groups(found)}
    return tuple(of.get(str(row["condition"]), of[ALL]) for row in rows)


def panel_table(study: StudyFile, found: Ballots, how: Resampling) -> Table:
    """Return agreement, unanimity and undecided replies by condition."""
    panel, rows = found.panel, tuple(_rows(found, how))
    undecided = [name for name in UNDECIDED if name in panel.verdicts]
    hoped = [name for name in HOPED if name in panel.verdicts]
    columns = (
        Column("condition", "Condition"),
        Column("fleiss", "Fleiss' kappa", "share"),
        Column("unanimous", "unanimous", "share"),
        Column("lowest", "pairs from", "share"),
        Column("highest", "to", "share"),
        Column("replies", "n", "count"),
        Column("left_out", "left out", "count"),
        *(Column("decided", name, "share") for name in hoped),
        *(Column(name, name, "share") for name in undecided),
        Column("no_majority", "no majority", "share"),
    )
    told = [*undecided, "no majority"]
    notes = (
        "Over replies that every judge gave a readable verdict on (n); the others are left out. "
        "Pairs: the lowest and the highest Cohen's kappa of two judges.",
        f"{listed(told).capitalize()}: shares of the replies that every judge was asked about, by "
        "the verdict of the panel.",
        *(
            f"{name.capitalize()}: share of the replies on which the panel decided, so without "
            f"{listed([*told, 'unreadable'])}."
            for name in hoped
        ),
        f"{how.over('scenarios with all their replies')}.",
    )
    return Table(
        f"panel {panel.rubric}",
        titled(study, f"The {panel_of(panel)} under {panel.rubric}, by condition", panel),
        columns,
        rows,
        notes,
        runs=runs_of(found, rows),
    )


def _rows(found: Ballots, how: Resampling) -> Iterator[dict[str, Cell]]:
    everything = list(groups(found))
    undecided = [name for name in UNDECIDED if name in found.panel.verdicts]
    hoped = [name for name in HOPED if name in found.panel.verdicts]
    for condition, mine in [*everything[1:], everything[0]]:
        votes = [[read(vote) for vote in ballot.votes] for ballot in mine]
        asked = [ballot for ballot in mine if OPEN not in ballot.votes]
        whole = sum(all(row) for row in votes)
        yield {
            "condition": condition,
            **(_among(found, mine, votes, how) if whole else {}),
            "replies": whole,
            "left_out": len(mine) - whole,
            **({"decided": _decided(asked, hoped[0], how)} if hoped else {}),
            **{name: _share(asked, name, how) for name in undecided},
            "no_majority": _share(asked, NO_MAJORITY, how),
        }


def _among(
    found: Ballots, mine: Sequence[Ballot], votes: Sequence[Sequence[str | None]], how: Resampling
) -> dict[str, Cell]:
    scale, scenarios = found.panel.verdicts, [ballot.scenario for ballot in mine]
    kappa = fleiss_kappa(votes, scale, variant="listwise", clusters=scenarios, **how.again)
    complete = [row for row in votes if all(row)]
    pairs = [p.agreement.value for p in cohen_kappa_pairs(complete, scale, replicates=0)]
    known = [value for value in pairs if value is not None]
    return {
        "fleiss": kappa.estimate,
        "unanimous": unanimous(votes, scale, scenarios, how).estimate,
        "lowest": min(known) if known else None,
        "highest": max(known) if known else None,
    }


def _decided(asked: Sequence[Ballot], verdict: str, how: Resampling) -> Estimate:
    """Return the share of a verdict among the replies on which the panel came to one."""
    decided = [b for b in asked if b.panel not in UNDECIDED and read(b.panel)]
    said = [float(ballot.panel == verdict) for ballot in decided]
    why = "the panel decided on no reply"
    return mean_by_cluster(said, [ballot.scenario for ballot in decided], why=why, **how.again)


def _share(asked: Sequence[Ballot], verdict: str, how: Resampling) -> Estimate:
    said = [float(ballot.panel == verdict) for ballot in asked]
    why = "no reply that every judge was asked about"
    return mean_by_cluster(said, [ballot.scenario for ballot in asked], why=why, **how.again)
