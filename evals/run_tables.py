"""What runs have and lack, as tables: for ``runs list``, ``runs status`` and ``runs check``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from core.batches import BATCH, by_batch
from core.clock import now
from core.runs import STATES, Run, Tally
from core.tables import Cell, Column, Table
from core.words import counted
from db.file import StudyFile
from evals.judges.backlog import backlog_notes
from evals.standing import Standing

LATELY = 60  # seconds over which the rate of a run is taken from its answers
URGENCY = ("running", "open", "closed", "imported", "dropped")
FAR = ("run", "model", "is", "through", "answered", "expected", "per_minute", "eta", "cost")
RARE = ("through", "cost")  # left out while no run has them
Row = Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class Check:
    """Tables of a check, and what failed in it; nothing when every run is whole."""

    tables: tuple[Table, ...]
    faults: tuple[str, ...]


def expected_by_condition(study: StudyFile, run: Run) -> dict[str, int]:
    """Return how many generations a run must have in each condition, from its configuration.

    Nothing is known of that where a run was imported.
    """
    conditions, samples = run.config.get("conditions", ()), int(run.config.get("samples", 0))
    known = {wave.number for wave in study.waves.all()}
    waves = [number for number in run.config.get("waves", ()) if number in known]
    items = study.waves.items(waves) if waves else ()
    return {name: samples * sum(item.condition == name for item in items) for name in conditions}


def standing_of(study: StudyFile, run: Run) -> Standing:
    """Return how a run stands, from the study file alone: another process may be at work on it."""
    states = study.run_counts.states(run.id)
    spent = study.run_counts.spent(run.id)
    prices = [s.prices for s in study.run_sessions.of_run(run.id) if s.prices]
    since = (datetime.fromisoformat(now()) - timedelta(seconds=LATELY)).isoformat(
        timespec="milliseconds"
    )
    lately = study.run_counts.since(run.id, since.replace("+00:00", "Z"))
    return Standing(
        expected=sum(expected_by_condition(study, run).values()),
        present=sum(states.values()) - states.get("error", 0),
        states=states,
        rate=lately / LATELY if lately else None,
        tokens=spent.tokens_in + spent.tokens_out,
        cost=prices[-1].cost(spent.tokens_in, spent.tokens_out) if prices else None,
    )


def status_table(study: StudyFile) -> Table:
    """Return one row per run: how far, how fast, what it cost, what came."""
    dropped, runs = study.run_drops.all(), study.runs.all()
    rows = [_status(study, run, dropped=run.id in dropped) for run in runs]
    columns = (
        Column("run", "run", "count"),
        Column("model", "Model"),
        Column("is", "Is"),
        Column("through", "By"),
        Column("answered", "answered", "count"),
        Column("expected", "of", "count"),
        Column("per_minute", "per min", "score"),
        Column("eta", "left"),
        Column("cost", "cost $", "score"),
        *(Column(state, state, "count") for state in STATES),
    )
    notes = backlog_notes(study, {run.id for run in runs})
    return Table("status", counted(len(rows), "run"), columns, tuple(rows), notes)


def for_people(status: Table) -> tuple[Table, ...]:
    """Return the status of runs as people read it: how far, and what came that is not ok.

    So each fits into 80 cells. The second is left out while everything is ok, and a rare column
    while no run has it.
    """
    by_name = {column.key: column for column in status.columns}
    unused = {name for name in RARE if not any(row[name] not in {None, ""} for row in status.rows)}
    far = replace(status, columns=tuple(by_name[name] for name in FAR if name not in unused))
    rows = tuple(row for row in status.rows if any(row[state] for state in STATES if state != "ok"))
    came = Table(
        "came",
        "Answers by what became of them, where not all are ok",
        tuple(by_name[name] for name in ("run", "model", *STATES)),
        rows,
    )
    return (far, came) if rows else (far,)


def urgent_first(status: Table) -> Table:
    """Return the status of runs with those at work first, and the newest before the others."""
    newest = status.rows[::-1]
    rows = tuple(sorted(newest, key=lambda row: URGENCY.index(str(row["is"]))))
    return replace(status, rows=rows)


def _status(study: StudyFile, run: Run, *, dropped: bool) -> Row:
    standing = standing_of(study, run)
    live = any(session.live for session in study.run_sessions.of_run(run.id))
    eta = standing.eta if live else None
    return {
        "run": run.id,
        "model": run.model,
        "is": _is(run, dropped=dropped, live=live),
        "through": BATCH if by_batch(run) else "",
        "answered": standing.present,
        "expected": None if run.imported else standing.expected,
        "per_minute": standing.rate * 60 if standing.rate and live else None,
        "eta": str(timedelta(seconds=round(eta))) if eta is not None else "",
        "cost": standing.cost,
        **{state: standing.states.get(state, 0) for state in STATES},
    }


def _is(run: Run, *, dropped: bool, live: bool) -> str:
    if dropped:
        return "dropped"
    if run.imported:
        return "imported"
    return "closed" if run.closed_at else "running" if live else "open"


def check(study: StudyFile, run: int | None = None) -> Check:
    """Hold runs against what they must have: expected, present, missing, duplicate, and states.

    Dropped runs are left out, because nothing is expected of them any more. Imported ones are shown
    with what they have: nothing here says what they should have.
    """
    from evals.floor import floor_table  # noqa: PLC0415  (statistics load when they are needed)

    dropped = study.run_drops.all()
    chosen = study.runs.all() if run is None else (study.runs.run(run),)
    runs = [entry for entry in chosen if entry.id not in dropped]
    rows: list[Row] = []
    faults: list[str] = []
    for entry in runs:
        tallies = {tally.condition: tally for tally in study.run_counts.tallies(entry.id)}
        expected = expected_by_condition(study, entry)
        for name in sorted(tallies.keys() | expected.keys()):
            known = None if entry.imported else expected.get(name, 0)
            row = _row(entry, known, tallies.get(name, Tally(name, {})))
            rows.append(row)
            faults += _faults(row)
    notes = tuple(note for entry in runs for note in _notes(study, entry))
    notes += backlog_notes(study, {entry.id for entry in runs})
    table = Table("check", counted(len(runs), "run"), COLUMNS, tuple(rows), (*DENOMINATORS, *notes))
    floor = floor_table(study, runs)
    return Check((table, floor) if floor else (table,), tuple(faults))


COLUMNS = (
    Column("run", "run", "count"),
    Column("model", "Model"),
    Column("condition", "Condition"),
    Column("expected", "expected", "count"),
    Column("present", "present", "count"),
    Column("missing", "missing", "count"),
    Column("duplicate", "duplicate", "count"),
    *(Column(state, state, "count") for state in STATES),
    Column("ok_of_expected", "ok of expected", "share"),
    Column("ok_of_present", "ok of present", "share"),
)
DENOMINATORS = (
    "Present: a model answered, whatever it said. An error is missing: the same command tries it "
    "again. ok of expected counts what failed, ok of present does not.",
)


def _row(run: Run, expected: int | None, tally: Tally) -> Row:
    present, ok = tally.answered - tally.duplicates, tally.states.get("ok", 0)
    return {
        "run": run.id,
        "model": run.model,
        "condition": tally.condition,
        "expected": expected,
        "present": present,
        "missing": None if expected is None else expected - present,
        "duplicate": tally.duplicates,
        **{state: tally.states.get(state, 0) for state in STATES},
        "ok_of_expected": ok / expected if expected else None,
        "ok_of_present": ok / present if present else None,
    }


def _faults(row: Row) -> list[str]:
    where = f"run {row['run']} ({row['model']}), {row['condition']}"
    words = {"missing": "missing", "duplicate": "twice", "error": "failed"}
    if row["expected"] is None:
        words = {"duplicate": "twice"}  # what failed elsewhere is no fault of what is kept here
    return [f"{where}: {row[name]} {word}" for name, word in words.items() if row[name]]


def _notes(study: StudyFile, run: Run) -> list[str]:
    names = study.run_counts.answered_by(run.id)
    notes = [_brought(study, run)] if run.imported else []
    if len(names) > 1:
        told = ", then ".join(f"{name or 'nameless'} ({n:,})" for name, n in names.items())
        notes.append(f"Run {run.id}: the model that answered changed in mid-run: {told}.")
    guessed = study.run_counts.spent(run.id).estimated
    if guessed and run.kind == "chat":
        notes.append(
            f"Run {run.id}: {guessed:,} answers came without usage; theirs is estimated at three "
            "bytes a token."
        )
    return notes


def _brought(study: StudyFile, run: Run) -> str:
    """Say of an imported run how even it is: items, and the fewest and most samples of one."""
    fewest, most, items = study.imports.samples_per_item(run.id)
    each = counted(fewest, "sample") if fewest == most else f"{fewest} to {most} samples"
    return (
        f"Run {run.id} was imported: it has {each} of {counted(items, 'item')}, and nothing says "
        "how many it should have."
    )
