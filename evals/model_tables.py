"""The models of a models file as a table."""

from __future__ import annotations

import os
from collections.abc import Sequence

from core.tables import Cell, Column, Table
from core.words import counted
from evals.models import PROVIDER_DEFAULT, ModelSpec

COLUMNS = (
    Column("name", "Name"),
    Column("provider", "Provider"),
    Column("api_model", "API model id"),
    Column("endpoint", "Endpoint"),
    Column("key", "Key"),
    Column("temperature", "temperature"),
    Column("top_p", "top-p"),
    Column("max_tokens", "max tokens"),
    Column("seed", "seed"),
    Column("reasoning_effort", "reasoning"),
    Column("price_in", "$ in", "score"),
    Column("price_out", "$ out", "score"),
    Column("batch_price_in", "$ in by batch", "score"),
    Column("batch_price_out", "$ out by batch", "score"),
)


def models_table(models: Sequence[ModelSpec]) -> Table:
    """Return one row per model; keys are named and never shown."""
    rows = tuple(_row(model) for model in models)
    notes = (
        "A run takes what an entry does not name from the suite (temperature, max tokens, prefill)."
        " Prices are dollars per million tokens.",
    )
    return Table("models", counted(len(rows), "model"), COLUMNS, rows, notes)


def _row(model: ModelSpec) -> dict[str, Cell]:
    fields = ("temperature", "top_p", "max_tokens", "seed", "reasoning_effort")
    values = {name: getattr(model, name) for name in fields}
    return {
        "name": model.name,
        "provider": model.provider,
        "api_model": model.called,
        "endpoint": model.base_url,
        "key": _key(model),
        **{name: PROVIDER_DEFAULT if v is None else str(v) for name, v in values.items()},
        "price_in": model.prices.tokens_in if model.prices else None,
        "price_out": model.prices.tokens_out if model.prices else None,
        "batch_price_in": model.batch_prices.tokens_in if model.batch_prices else None,
        "batch_price_out": model.batch_prices.tokens_out if model.batch_prices else None,
    }


def _key(model: ModelSpec) -> str:
    if not model.key_env:
        return "none"
    return f"{model.key_env} ({'set' if os.environ.get(model.key_env) else 'not set'})"
