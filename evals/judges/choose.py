"""Which judge ``--judge`` means: a scripted one, or any model that a run can name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evals.choose import ALONE, chosen
from evals.judges.scripted_judge import JUDGES
from evals.models import ModelSpec

# What a judge is asked with, unless it is said otherwise: the papers' judges were greedy, and a
# prefill of the embedded model is for forced choices.
DEFAULTS: Mapping[str, Any] = {"temperature": 0.0, "prefill": ""}


def chosen_judge(text: str, file: Path, **given: Any) -> ModelSpec:
    """Return the model that ``--judge`` names: a scripted judge, or what ``--model`` can name.

    A model that no file describes is asked at temperature 0 and without a prefill unless given.
    """
    if text.strip() in JUDGES:
        return ModelSpec(text.strip(), "scripted", api_model=text.strip(), key_env="")
    alone = text.strip() in ALONE or "://" in text
    settings = {name: value for name, value in given.items() if value is not None}
    return chosen(text, file, **({**DEFAULTS, **settings} if alone else settings))
