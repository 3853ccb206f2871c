"""Which model ``--model`` means: one that needs no file, or one of the models file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from core.errors import InputError
from evals.model_file import load_models, named
from evals.models import ModelSpec, check_decoding, parse_model
from evals.providers.catalogue import PROVIDERS

ALONE = ("embedded", "scripted")


def chosen(text: str, file: Path, **given: Any) -> ModelSpec:
    """Return the model that is meant.

    Parameters
    ----------
    text
        ``embedded``, ``scripted``, a URL, or a name in the models file.
    file
        The models file; read only when it is needed.
    given
        What overrules the file, by the names of :func:`evals.models.parse_model`; ``None`` is
        not given.

    Raises
    ------
    InputError
        When there is no such model, or a setting is out of its range.
    """
    settings = {name: value for name, value in given.items() if value is not None}
    if text.strip() in ALONE or "://" in text:
        return parse_model(text, **settings)
    if not file.exists():
        return parse_model(text, **settings)  # it says what could be meant
    model = named(load_models(file), text.strip(), file)
    fixed = sorted(settings.keys() & {"api_model", "key_env"})
    if fixed:
        raise InputError(f"{model.name} stands in {file}; change its {fixed[0]} there")
    check_decoding(*(settings.get(name) for name in ("temperature", "top_p", "max_tokens")))
    lacks = PROVIDERS[model.provider].lacks
    return replace(model, **{name: v for name, v in settings.items() if name not in lacks})
