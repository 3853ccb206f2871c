"""WISE's floor-regime diagnostics (App. I): saved outputs that do not follow the target at all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.runs import Run
from core.study import WaveItem
from core.tables import Cell, Column, Table
from db.file import StudyFile
from stats.floor import FloorRegime, floor_regime

TARGET = "target"  # the frozen parameter, or fact of the scenario, that is swept
COLUMNS = (
    Column("run", "run", "count"),
    Column("model", "Model"),
    Column("target", "Target", "count"),
    Column("n", "n", "count"),
    Column("exact", "exact", "share"),
    Column("mean_words", "mean words", "score"),
    Column("mean_error", "mean error", "score"),
    Column("empty", "empty", "share"),
    Column("most_tokens", "most tokens out", "count"),
    Column("floor", "At the floor"),
)
RULE = (
    "At the floor: at most 1 % exact at every target above the least, and a change of less than "
    "one mean word from the least target to the greatest. Words are what white space separates in "
    "the visible text; an empty reply counts as 0 words, an error does not count."
)


@dataclass(slots=True)
class Outputs:
    """What one run said to all its targets; numbers only, no texts."""

    words: list[int] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    empty: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    tokens: dict[int, int] = field(default_factory=dict)


def floor_table(study: StudyFile, runs: Sequence[Run]) -> Table | None:
    """Return the diagnostics of every run over a target sweep; ``None`` where there is none."""
    targets = {item.id: found for item in study.waves.items() if (found := target_of(item))}
    if len(set(targets.values())) < 2:
        return None
    rows: list[dict[str, Cell]] = []
    for run in runs:
        outputs = _outputs(study, run, targets)
        if outputs.words:
            rows += _rows(run, outputs)
    return Table("floor", "Saved-output floor regime by run", COLUMNS, tuple(rows), (RULE,))


def target_of(item: WaveItem) -> int | None:
    """Return the target of a frozen item, where it has one."""
    for part in ("parameters", "facts"):
        value = dict(item.document.get(part) or {}).get(TARGET)
        if isinstance(value, int | str) and str(value).isascii() and str(value).isdigit():
            return int(value)
    return None


def _outputs(study: StudyFile, run: Run, targets: dict[int, int]) -> Outputs:
    outputs = Outputs()
    for said in study.run_counts.outputs(run.id):
        target = targets.get(said.wave_item)
        if target is None:
            continue
        words = len(said.visible_text.split())
        outputs.words.append(words)
        outputs.targets.append(target)
        outputs.empty[target] += words == 0
        if said.tokens_out is not None:
            outputs.tokens[target] = max(outputs.tokens.get(target, 0), said.tokens_out)
    return outputs


def _rows(run: Run, outputs: Outputs) -> list[dict[str, Cell]]:
    found = floor_regime(outputs.words, outputs.targets)
    return [
        {
            "run": run.id,
            "model": run.model,
            "target": int(row.target),
            "n": row.n_outputs,
            "exact": row.exact,
            "mean_words": row.mean_words,
            "mean_error": row.mean_error,
            "empty": outputs.empty[int(row.target)] / row.n_outputs,
            "most_tokens": outputs.tokens.get(int(row.target)),
            "floor": _word(found),
        }
        for row in found.targets
    ]


def _word(found: FloorRegime) -> str:
    if found.at_floor is None:
        return f"undefined: {found.why_undefined}"
    return "yes" if found.at_floor else "no"
