"""Which models ``--model`` means: such as need no file, and those of the models file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.errors import InputError
from evals.model_file import load_models, named
from evals.models import ModelSpec, check_decoding, parse_model
from evals.providers.catalogue import PROVIDERS

ALONE = ("embedded", "scripted")


def chosen(
    text: str, file: Path, usual: Mapping[str, Any] | None = None, **given: Any
) -> ModelSpec:
    """Return the model that is meant.

    Parameters
    ----------
    text
        ``embedded``, ``scripted``, a URL, or a name in the models file.
    file
        The models file; read only when it is needed.
    usual
        How the suite asks where the file names nothing; ``None`` leaves a setting open.
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
        wanted = {name: value for name, value in (usual or {}).items() if value is not None}
        return parse_model(text, **{**wanted, **settings})
    if not file.exists():
        return parse_model(text, **settings)  # it says what could be meant
    model = named(load_models(file, usual), text.strip(), file)
    fixed = sorted(settings.keys() & {"api_model", "key_env"})
    if fixed:
        raise InputError(f"{model.name} stands in {file}; change its {fixed[0]} there")
    check_decoding(*(settings.get(name) for name in ("temperature", "top_p", "max_tokens")))
    if settings.get("max_tokens") == 0:
        settings["max_tokens"] = None  # the provider's default, as for a URL
    lacks = PROVIDERS[model.provider].lacks
    return replace(model, **{name: v for name, v in settings.items() if name not in lacks})


def chosen_of(
    texts: Sequence[str],
    file: Path,
    usual: Mapping[str, Any] | None = None,
    *,
    every: bool = False,
    **given: Any,
) -> tuple[ModelSpec, ...]:
    """Return the models that are meant, each once: those of the texts, or all of the file.

    Raises
    ------
    InputError
        When there is no such model, none or both are asked for, or a setting is out of its range.
    """
    if every == bool(texts):
        raise InputError("say which models: --model, as often as there are models, or --all-models")
    names = [model.name for model in load_models(file)] if every else texts
    return tuple(dict.fromkeys(chosen(name, file, usual, **given) for name in names))
