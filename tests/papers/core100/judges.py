"""Core-100: the second judge's agreement with the parser (Table 15)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from stats.agreement import raw_agreement
from tests.papers.table import Check, Through, read

VIA = Through("core100", raw_agreement)
RUBRICS = ("shared_metadata_rubric_agree", "condition_neutral_rubric_agree")


def checks() -> Iterator[Check]:
    """Yield the overall line of Table 15, and its weakest cell from the text."""
    table = read("core100", "t15_second_judge_agreement").set_index("condition")
    parts, overall = table.drop("Overall"), table.loc["Overall"]
    for column in RUBRICS:
        found = raw_agreement(_pairs(parts, column), replicates=0)
        what = column.removesuffix("_agree").replace("_", " ")
        ours = round(found.n_items * (found.value or 0.0), 9)
        yield VIA.count(f"Table 15 overall, {what}", overall[column], ours)
        yield VIA.count(f"Table 15 overall records, {what}", overall.n_records, found.n_items)
    text = read("core100", "text_numbers").set_index("key").value
    right = int(text["removed_correct_answers_in_480"])
    refused = int(text["removed_correct_marked_wrong_shared_rubric"])
    wrong = int(parts.n_records["Removed"]) - right
    # Parser and judge, record by record; the judge marks every wrong answer as wrong.
    votes = [[1, 0]] * refused + [[1, 1]] * (right - refused) + [[0, 0]] * wrong
    found = raw_agreement(votes, replicates=0)
    name = "Table 15 Removed, shared metadata rubric, from the 95 of 96"
    ours = round(found.n_items * (found.value or 0.0), 9)
    yield VIA.count(name, parts.shared_metadata_rubric_agree["Removed"], ours)


def _pairs(parts: pd.DataFrame, column: str) -> np.ndarray:
    """Return parser and judge for all records: they agree as often as the table says."""
    judge = [np.arange(n) < agree for n, agree in zip(parts.n_records, parts[column], strict=True)]
    second = np.concatenate(judge).astype(int)
    return np.column_stack([np.ones_like(second), second])
