"""How far judges agree with each other, and each of them and their panel with the parser.

Kappas leave out replies that a judge left unreadable or open, and say how many. The table against
the parser has the form of Core-100's Table 15: of the replies that the parser could read, on how
many the judge came to the same, condition by condition. Replies to one scenario resemble each
other, so every interval resamples scenarios with all their replies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from core.estimate import undefined
from core.resampling import Resampling
from core.study import WaveItem
from core.tables import Cell, Column, Table, split_by
from db.file import StudyFile
from db.panels import Panel
from evals.judges.ballots import (
    CORRECT,
    INCORRECT,
    Ballot,
    Ballots,
    ballots,
)
from evals.judges.panel_table import (
    NONE,
    UNDECIDED,
    panel_table,
    read,
    runs_of,
    unanimous,
)
from evals.judges.stability import stability_table
from evals.judges.status import ALL, groups, panel_of, titled
from evals.verifiers.forced_choice import NONCONFORMING
from stats.agreement import Agreement
from stats.cohen import cohen_kappa, cohen_kappa_pairs
from stats.fleiss import fleiss_kappa
from stats.means import mean_by_cluster

Vote = Callable[[Ballot], str]
OVERALL = "Overall"
COHEN = "Cohen's kappa"
DECIDED = "kappa, decided"  # Fleiss' without the replies on which anybody is undecided
KINDS = ("short", "panel", "judges", "stability", "parser")
AMONG = (
    Column("between", "Between"),
    Column("condition", "Condition"),
    Column("estimator", "Estimator"),
    Column("value", "Value", "share"),
    Column("raw", "raw", "share"),
    Column("replies", "n", "count"),
    Column("left_out", "left out", "count"),
)
AGAINST = (
    Column("judged_by", "Judged by"),
    Column("condition", "Condition"),
    Column("conforming", "parsed", "count"),
    Column("agree", "agree", "count"),
    Column("of", "of", "count"),
    Column("share", "Share", "share"),
    Column("stricter", "too strict", "count"),
    Column("no_verdict", "no verdict", "count"),
    Column("recovered", "recovered", "count"),
    Column("nonconforming", "nonconf.", "count"),
)


def agreement_tables(
    study: StudyFile,
    chosen: Sequence[Panel],
    how: Resampling | None = None,
    among: Sequence[WaveItem] | None = None,
) -> tuple[Table, ...]:
    """Return for each rubric the agreement among its judges, with the parser, and with themselves.

    A rubric without the verdicts ``correct`` and ``incorrect`` is not held against the parser, one
    judge has nobody to agree with, and whoever was asked once cannot differ from itself.

    Parameters
    ----------
    among
        The frozen items that count; all that were not withdrawn, unless given.
    """
    how, tables = how or Resampling(), []
    parsed = []
    for panel in chosen:
        found = ballots(study, panel, among)
        if len(panel.judges) > 1:
            tables.append(panel_table(study, found, how))
            tables.append(_among(study, found, how))
        if any(scope.times > 1 for j in panel.judges for scope in study.judges.scopes(j.id)):
            tables.append(stability_table(study, found, how))
        if {CORRECT, INCORRECT} <= set(panel.verdicts):
            tables.append(_against_parser(study, found, how))
            parsed.append((panel, tables[-1]))
    return (*([_short(study, parsed)] if parsed else []), *tables)


def only(tables: Sequence[Table], kind: str | None) -> tuple[Table, ...]:
    """Return the tables of one of the :data:`KINDS`; all without one."""
    return tuple(table for table in tables if table.name.startswith(kind or ""))


def for_people(tables: Sequence[Table]) -> Iterator[Table]:
    """Yield narrower tables: one per condition among judges, one per judge where it is alone."""
    for table in tables:
        match table.name.split(" ")[0]:
            case "judges":
                yield from split_by([table], "condition")
            case "parser" | "stability":
                yield from split_by([table], "judged_by")
            case _:
                yield table


def _short(study: StudyFile, parsed: Sequence[tuple[Panel, Table]]) -> Table:
    """Return agreement with the parser as Table 15 has it, but with a row per rubric and judge."""
    rows = dict[tuple[str, str], dict[str, Cell]]()
    for panel, table in parsed:
        for row in table.rows:
            who = str(row["judged_by"])
            line = rows.setdefault((panel.rubric, who), {"rubric": panel.rubric, "judged_by": who})
            line[str(row["condition"])] = f"{row['agree']}/{row['of']}"
            if row["condition"] == OVERALL:
                line["recovered"] = f"{row['recovered']}/{row['nonconforming']}"
    conditions = dict.fromkeys(str(row["condition"]) for _, table in parsed for row in table.rows)
    columns = (
        Column("rubric", "Rubric"),
        Column("judged_by", "Judged by"),
        *(Column(name, name) for name in sorted(conditions, key=lambda name: name == OVERALL)),
        Column("recovered", "Recovered"),
    )
    everybody = Panel("", (), tuple(judge for panel, _ in parsed for judge in panel.judges))
    note = (
        "Replies on which judge and parser agree, of those that have a verdict of both. Recovered: "
        "correct or incorrect by the judge, of those that the parser calls nonconforming."
    )
    title = titled(study, "Agreement with the parser", everybody)
    return Table("short", title, columns, tuple(rows.values()), (note,))


def _among(study: StudyFile, found: Ballots, how: Resampling) -> Table:
    panel = found.panel
    notes = (
        f"Judges: {', '.join(f'{judge.id} {judge.model}' for judge in panel.judges)}.",
        "Kappas are unweighted, over replies with a readable verdict of everybody concerned; the "
        "others are left out and counted. Kappa, decided: Fleiss' over replies on which everybody "
        "says anything but unknown or ambiguous. Raw: the share of pairs that agree. "
        f"{how.over('scenarios with all their replies')}.",
        "A judge that says the same of everything makes kappa 0 or undefined, however often it "
        "agrees; read raw agreement beside it.",
    )
    rows = tuple(_rows_among(found, how))
    return Table(
        f"judges {panel.rubric}",
        titled(study, f"Agreement of {panel_of(panel)} under {panel.rubric}", panel),
        AMONG,
        rows,
        notes,
        runs=runs_of(found, rows),
    )


def _rows_among(found: Ballots, how: Resampling) -> Iterator[dict[str, Cell]]:
    panel, everything = found.panel, dict(groups(found))
    labels, scale = [str(judge.id) for judge in panel.judges], panel.verdicts
    for condition, mine in everything.items():
        votes = [[read(vote) for vote in ballot.votes] for ballot in mine]
        scenarios = [ballot.scenario for ballot in mine]
        if not any(all(row) for row in votes):
            yield _nothing(panel_of(panel), condition, len(votes))
            continue
        kappa = fleiss_kappa(votes, scale, variant="listwise", clusters=scenarios, **how.again)
        yield _row(panel_of(panel), condition, "Fleiss' kappa", kappa, len(votes))
        if undecided := [name for name in UNDECIDED if name in scale]:
            yield _decided(found, condition, mine, undecided, how)
        alike = unanimous(votes, scale, scenarios, how)
        yield _row(panel_of(panel), condition, "unanimous", alike, len(votes))
        for pair in cohen_kappa_pairs(votes, scale, raters=labels, clusters=scenarios, **how.again):
            between = f"{pair.first} / {pair.second}"
            yield _row(between, condition, COHEN, pair.agreement, len(votes))
        whole = [read(ballot.panel) for ballot in mine]
        if len(labels) < 3 or not any(whole):
            continue  # the majority of two is what both say
        for place, label in enumerate(labels):
            own = [row[place] for row in votes]
            kappa = cohen_kappa(whole, own, scale, clusters=scenarios, **how.again)
            yield _row(f"majority / {label}", condition, COHEN, kappa, len(votes))


def _decided(
    found: Ballots,
    condition: str,
    mine: Sequence[Ballot],
    undecided: Sequence[str],
    how: Resampling,
) -> dict[str, Cell]:
    """Return kappa over the replies on which everybody decided, and how many are left out."""
    whole = [b for b in mine if all(read(vote) and vote not in undecided for vote in b.votes)]
    between = panel_of(found.panel)
    if not whole:
        nothing = _nothing(between, condition, len(mine))
        return {
            **nothing,
            "estimator": DECIDED,
            "value": undefined("on no reply did everybody decide"),
        }
    scale = [name for name in found.panel.verdicts if name not in undecided]
    scenarios = [ballot.scenario for ballot in whole]
    kappa = fleiss_kappa([b.votes for b in whole], scale, clusters=scenarios, **how.again)
    return _row(between, condition, DECIDED, kappa, len(mine))


def _row(
    between: str, condition: str, estimator: str, found: Agreement, of: int
) -> dict[str, Cell]:
    return {
        "between": between,
        "condition": condition,
        "estimator": estimator,
        "value": found.estimate,
        "raw": found.raw_agreement,
        "replies": found.n_items,
        "left_out": of - found.n_items,
    }


def _nothing(between: str, condition: str, of: int) -> dict[str, Cell]:
    return {
        "between": between, "condition": condition, "estimator": "no reply with all verdicts",
        "value": None, "raw": None, "replies": 0, "left_out": of,
    }  # fmt: skip


def _against_parser(study: StudyFile, found: Ballots, how: Resampling) -> Table:
    panel = found.panel
    unread = sum(ballot.parsed is None for ballot in found.ballots)
    notes: tuple[str, ...] = (
        "Parsed: the forced choice, mapped to correct or incorrect by the item's gold. Of: those "
        "that have a verdict too; ambiguous is a verdict, and agrees with neither. No verdict: "
        "unreadable, open or without a majority; they count neither way. Too "
        "strict: right by the parser and incorrect by the judge. Recovered: correct or incorrect, "
        "of the replies that the parser calls nonconforming.",
        f"{how.over('scenarios with all their replies')}.",
    )
    if unread:
        notes += (f"{unread} replies are left out: the parser has not read them (wavelock score), "
                  "or their item has no gold.",)  # fmt: skip
    rows = tuple(_rows_against(found, how))
    return Table(
        f"parser {panel.rubric}",
        titled(study, f"Judges under {panel.rubric} against the parser", panel),
        AGAINST,
        rows,
        notes,
        runs=runs_of(found, rows),
    )


def _rows_against(found: Ballots, how: Resampling) -> Iterator[dict[str, Cell]]:
    voters: list[tuple[str, Vote]] = [
        (label, _member(place)) for place, label in enumerate(found.panel.labels)
    ]
    if len(voters) > 1:
        voters.append((panel_of(found.panel), lambda ballot: ballot.panel))
    everything = list(groups(found))
    for label, vote in voters:
        for condition, mine in [*everything[1:], everything[0]]:
            name = OVERALL if condition == ALL else condition
            yield {"judged_by": label, "condition": name, **_against(mine, vote, how)}


def _member(place: int) -> Vote:
    return lambda ballot: ballot.votes[place]


def _against(mine: Sequence[Ballot], vote: Vote, how: Resampling) -> dict[str, Cell]:
    parsed = [ballot for ballot in mine if ballot.parsed in {CORRECT, INCORRECT}]
    read = [ballot for ballot in parsed if vote(ballot) not in NONE]
    other = [ballot for ballot in mine if ballot.parsed == NONCONFORMING]
    agree = [vote(ballot) == ballot.parsed for ballot in read]
    return {
        "conforming": len(parsed),
        "agree": sum(agree),
        "of": len(read),
        "share": mean_by_cluster(
            [float(same) for same in agree],
            [ballot.scenario for ballot in read],
            why="no reply has both",
            **how.again,
        ),
        "stricter": sum(b.parsed == CORRECT and vote(b) == INCORRECT for b in read),
        "no_verdict": len(parsed) - len(read),
        "recovered": sum(vote(ballot) in {CORRECT, INCORRECT} for ballot in other),
        "nonconforming": len(other),
    }
