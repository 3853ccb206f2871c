"""The models of a study as a TOML file: names, places, decoding, limits, prices.

Whatever is wrong with the file is named with file, line and key. It holds no keys: it names the
environment variables that do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from core.errors import InputError, NotFound
from core.runs import Prices
from core.toml import Place, parse_toml, refuse_first
from evals.models import (
    MAX_TOKENS,
    TEMPERATURE,
    Limits,
    ModelSpec,
    ProviderName,
    base_url,
    check_decoding,
)
from evals.providers.catalogue import PROVIDERS

DEFAULT = "default"  # written in the place of a number: the field is left to the provider
FILE = "models.toml"
TEXTS = ("name", "provider", "api_model", "endpoint", "key_env")
TABLES = ("decoding", "limits", "prices", "extra")
DECODING: Mapping[str, type] = {
    "temperature": float, "top_p": float, "max_tokens": int, "seed": int,
    "reasoning_effort": str, "system": str, "prefill": str,
}  # fmt: skip
LEFT = ("temperature", "top_p", "max_tokens", "seed", "reasoning_effort")
LIMITS = ("concurrency", "requests_per_minute", "tokens_per_minute", "batch_requests", "timeout")
WHOLE = ("concurrency", "batch_requests")
PRICES = ("input", "output", "batch_input", "batch_output")
OURS = ("model", "messages", "contents", "stream")  # fields that a run fills in itself
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
KINDS = {float: "a number", int: "a whole number", str: "a text"}


def model_path(given: Path | None, environment: Mapping[str, str]) -> Path:
    """Return where the models file stands: as given, as ``WAVELOCK_MODELS`` says, else here."""
    return given or Path(environment.get("WAVELOCK_MODELS") or FILE)


def load_models(path: Path, usual: Mapping[str, Any] | None = None) -> tuple[ModelSpec, ...]:
    """Read a models file.

    Parameters
    ----------
    usual
        Decoding that holds where an entry names none: how the suite asks; ``None``: no wish.

    Raises
    ------
    InputError
        When it is not there, or no models file; naming file, line and key.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise NotFound(f"there is no models file {path}; docs/models.md shows one") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    return parse_models(text, str(path), usual)


def named(models: tuple[ModelSpec, ...], name: str, path: Path) -> ModelSpec:
    """Return the model of a name.

    Raises
    ------
    NotFound
        When there is none; the message names those that there are.
    """
    for model in models:
        if model.name == name:
            return model
    raise NotFound(f"{path} has no model “{name}”; there is {', '.join(m.name for m in models)}")


def parse_models(
    text: str, source: str, usual: Mapping[str, Any] | None = None
) -> tuple[ModelSpec, ...]:
    """Read models from TOML; what an entry leaves open is as usual, or else our default.

    Raises
    ------
    InputError
        Naming source, line and key.
    """
    raw = parse_toml(text, source)
    refuse_first(_faults(raw), text, source, keys=True)
    wanted = {name: value for name, value in (usual or {}).items() if value is not None}
    return tuple(_spec(entry, wanted) for entry in raw["model"])


def _spec(entry: Mapping[str, Any], usual: Mapping[str, Any]) -> ModelSpec:
    """Build one model from an entry that was checked."""
    provider: ProviderName = entry["provider"]
    given = dict(entry.get("decoding", {}))
    decoding = {"temperature": TEMPERATURE, "max_tokens": MAX_TOKENS, **usual, **given}
    lacks = PROVIDERS[provider].lacks
    left = {name for name in LEFT if decoding.get(name) == DEFAULT} | lacks
    kept = {name: value for name, value in decoding.items() if name not in left}
    limits, prices = dict(entry.get("limits", {})), entry.get("prices", {})
    defaults = {"temperature": None, "max_tokens": None}
    return ModelSpec(
        name=entry["name"],
        kind="chat",
        provider=provider,
        base_url=_address(entry),
        api_model=entry["api_model"],
        key_env=entry.get("key_env", ""),
        extra=tuple(sorted(entry.get("extra", {}).items())),
        timeout=float(limits.pop("timeout", 300.0)),
        limits=Limits(**limits),
        prices=_prices(prices),
        batch_prices=_prices(prices, "batch_"),
        **{**defaults, **kept},
    )


def _prices(prices: Mapping[str, Any], begin: str = "") -> Prices | None:
    if f"{begin}input" not in prices:
        return None
    return Prices(float(prices[f"{begin}input"]), float(prices[f"{begin}output"]))


def _address(entry: Mapping[str, Any]) -> str:
    return base_url(entry.get("endpoint") or PROVIDERS[entry["provider"]].endpoint)


def _faults(raw: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """Find what is wrong. Only the first is asked for, so each check relies on those before."""
    for name in raw:
        if name != "model":
            yield (name,), "unknown; a models file holds [[model]] entries"
    entries = raw.get("model")
    if not isinstance(entries, list) or not entries:
        yield ("model",), "there must be at least one [[model]]"
        return
    taken: set[str] = set()
    for number, entry in enumerate(entries):
        place: Place = ("model", number)
        if not isinstance(entry, dict):
            yield place, "must be a [[model]] table"
            continue
        yield from ((("model", number, *at), said) for at, said in _faults_of(entry))
        if entry["name"] in taken:
            yield ("model", number, "name"), f"there are two models called {entry['name']!r}"
        taken.add(entry["name"])


def _faults_of(entry: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    yield from _faults_of_shape(entry)
    provider = entry["provider"]
    if provider not in PROVIDERS:
        yield ("provider",), f"unknown; there are {', '.join(PROVIDERS)}"
    if not entry.get("endpoint") and not PROVIDERS[provider].endpoint:
        yield ("endpoint",), f"is missing; {provider} has no address of its own"
    try:
        _address(entry)
    except InputError as error:
        yield ("endpoint",), str(error)
    if not VARIABLE.fullmatch(entry.get("key_env", "_")):
        yield ("key_env",), "must be the name of a variable of the environment, never the key"
    yield from _faults_of_decoding(entry.get("decoding", {}))
    yield from _faults_of_extra(entry.get("extra", {}))
    yield from _faults_of_numbers("limits", entry.get("limits", {}), LIMITS)
    yield from _faults_of_numbers("prices", entry.get("prices", {}), PRICES)
    yield from _faults_of_prices(entry)
    yield from _faults_of_prefill(entry)


def _faults_of_shape(entry: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    for name, value in entry.items():
        if name not in {*TEXTS, *TABLES}:
            yield (name,), f"unknown; there are {', '.join((*TEXTS, *TABLES))}"
        elif name in TEXTS and not (isinstance(value, str) and value.strip()):
            yield (name,), "must be a text"
        elif name in TABLES and not isinstance(value, dict):
            yield (name,), "must be a table"
    for name in ("name", "provider", "api_model"):
        if name not in entry:
            yield (name,), "is missing"


def _faults_of_decoding(decoding: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], str]]:
    for name, value in decoding.items():
        place = ("decoding", name)
        if name not in DECODING:
            yield place, f"unknown; there are {', '.join(DECODING)}"
        elif value == DEFAULT and name in LEFT:
            continue
        elif type(value) is not DECODING[name] and not (
            DECODING[name] is float and type(value) is int
        ):
            yield place, f"must be {KINDS[DECODING[name]]}" + _or_default(name)
        elif fault := _out_of_range(name, value):
            yield place, fault


def _faults_of_extra(extra: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], str]]:
    for name, value in extra.items():
        if name in OURS:
            yield ("extra", name), "is filled in by the run itself"
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            yield ("extra", name), "cannot be written as JSON, which requests are made of"


def _or_default(name: str) -> str:
    return f", or {DEFAULT!r}" if name in LEFT else ""


def _out_of_range(name: str, value: Any) -> str:
    checked = {"temperature": None, "top_p": None, "max_tokens": None}
    if name not in checked:
        return ""
    if name == "max_tokens" and value < 1:
        return f"must be 1 or more, or {DEFAULT!r}"
    try:
        check_decoding(**{**checked, name: value})
    except InputError as error:
        return str(error)
    return ""


def _faults_of_numbers(
    table: str, numbers: Mapping[str, Any], known: tuple[str, ...]
) -> Iterator[tuple[tuple[str, str], str]]:
    for name, value in numbers.items():
        least = 0 if table == "prices" else 1 if name in WHOLE else 1e-6
        if name not in known:
            yield (table, name), f"unknown; there are {', '.join(known)}"
        elif type(value) is not int and (name in WHOLE or type(value) is not float):
            yield (table, name), f"must be a {'whole ' if name in WHOLE else ''}number"
        elif not least <= value < 1e12:
            yield (table, name), "must not be negative" if table == "prices" else "must be above 0"


def _faults_of_prices(entry: Mapping[str, Any]) -> Iterator[tuple[tuple[str], str]]:
    given = entry.get("prices", {}).keys()
    if "prices" in entry and not given >= {"input", "output"}:
        yield ("prices",), "must give input and output, in dollars per million tokens"
    if len(given & {"batch_input", "batch_output"}) == 1:
        yield ("prices",), "must give both batch_input and batch_output, or neither"


def _faults_of_prefill(entry: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], str]]:
    if entry.get("decoding", {}).get("prefill"):
        why = PROVIDERS[entry["provider"]].no_prefill(_spec(entry, {}))
        if why:
            yield ("decoding", "prefill"), f"cannot be sent: {why}"
