"""The model-level tables of WISE as scores: every cell is a count out of 300 generations."""

from __future__ import annotations

import numpy as np

from stats.draws import FloatArray
from tests.papers.build import nearest, on_tasks
from tests.papers.table import read

TASKS, REPETITIONS = 100, 3
TRIALS = TASKS * REPETITIONS


def members(flag: str) -> list[str]:
    """Return the models that a column of Table 7 marks; all of them for an empty name."""
    models = read("wise", "t07_models")
    return list(models.model if not flag else models.model[models[flag] == 1])


def providers(models: list[str]) -> list[str]:
    """Return each model's provider."""
    return list(read("wise", "t07_models").set_index("model").provider[models])


class ByModel:
    """One model-level table: its models and forms, what is printed, and the counts behind it."""

    def __init__(self, name: str) -> None:
        table = read("wise", name).set_index("model").drop(columns="gap_pp", errors="ignore")
        self.models = list(table.index)
        self.forms = [column.removesuffix("_pct").upper() for column in table.columns]
        self.printed = table.to_numpy(float)
        self._counts = {
            model: [nearest(percent, TRIALS) for percent in row]
            for model, row in zip(self.models, self.printed, strict=True)
        }

    def counts(self, model: str) -> list[int]:
        """Return how many of its trials a model got right, form by form."""
        return self._counts[model]

    def scores(self, models: list[str]) -> FloatArray:
        """Return shares by model, task and form."""
        cells = [[on_tasks(k, TASKS, REPETITIONS) for k in self._counts[m]] for m in models]
        return np.array(cells).transpose(0, 2, 1)
