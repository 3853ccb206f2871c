"""What the local server does wrong, and when: decided by its seed and the request, never by chance.

Passing faults hit the first time that a request is seen and are gone the next time; lasting ones
are how the model answers that request, always. So it is known beforehand how every reply must end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.hashing import seed_from
from core.toml import Place, line_of, parse_toml
from evals.mock.batch_faults import BatchFaults, batch_faults, batch_faults_in, batch_preset

PASSING = (
    "rate_limit_seconds", "rate_limit_date", "server_error", "slow", "cut", "drop", "rubbish",
    "huge", "echo_key",
)  # fmt: skip
LASTING = ("thinking_only", "refusal", "truncated")
KINDS = (*PASSING, *LASTING)
NUMBERS = ("seed", "delay", "slowness", "wait", "requests_per_second")
MOST = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Faults:
    """How often each fault comes, and how the server behaves beside.

    Attributes
    ----------
    shares
        Of all requests, by kind of fault; together at most 1.
    seed
        Another one draws other requests and other answers.
    delay, slowness
        Seconds before every answer, and before a slow one.
    wait
        What ``Retry-After`` asks for.
    requests_per_second
        What is beyond gets 429; 0 for no such limit.
    batch
        What is done wrong with batches, and how long they take.
    """

    shares: Mapping[str, float] = field(default_factory=dict)
    seed: int = 1
    delay: float = 0.0
    slowness: float = 2.0
    wait: int = 1
    requests_per_second: float = 0.0
    batch: BatchFaults = field(default_factory=BatchFaults)

    def of(self, request: str) -> str:
        """Return the fault of a request, or nothing."""
        drawn = seed_from("mock", self.seed, request) / 2**64
        for kind in KINDS:
            drawn -= self.shares.get(kind, 0.0)
            if drawn < 0:
                return kind
        return ""


PRESETS: Mapping[str, Faults] = {
    "none": Faults(),
    "rough": Faults(dict.fromkeys(KINDS, 0.05 / len(KINDS)), batch=batch_preset(0.05, 0.3)),
    "hostile": Faults(dict.fromkeys(KINDS, 0.6 / len(KINDS)), batch=batch_preset(0.6, 0.9)),
}


def load_faults(name: str) -> Faults:
    """Return a preset by its name, or what a TOML file says.

    Raises
    ------
    InputError
        When it is neither, naming file and line.
    """
    if name in PRESETS:
        return PRESETS[name]
    try:
        text = Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        presets = ", ".join(PRESETS)
        raise InputError(f"{name} is no readable file and no preset; there are {presets}") from None
    return parse_faults(text, name)


def parse_faults(text: str, source: str) -> Faults:
    """Read faults from TOML.

    Raises
    ------
    InputError
        Naming source, line and key.
    """
    raw = parse_toml(text, source)
    for place, said in _faults_in(raw):
        key = ".".join(str(step) for step in place)
        raise InputError(f"{source}, line {line_of(text, place)}, key {key}: {said}")
    given = {name: value for name, value in raw.items() if name in NUMBERS}
    batch = batch_faults(raw.get("batch", {}))
    return Faults(shares=raw.get("faults", {}), batch=batch, **given)


def _faults_in(raw: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """Find what is wrong. Only the first is asked for, so each check relies on those before."""
    for name, value in raw.items():
        whole = name in {"seed", "wait"}
        if name in {"faults", "batch"}:
            continue
        if name not in NUMBERS:
            yield (name,), f"unknown; there are faults, batch, {', '.join(NUMBERS)}"
        elif type(value) is not int and (whole or type(value) is not float):
            yield (name,), "must be a whole number" if whole else "must be a number"
        elif not 0 <= value < MOST:
            yield (name,), f"must be from 0 to {MOST:,}"
    yield from _faults_in_shares(raw.get("faults", {}))
    yield from batch_faults_in(raw.get("batch", {}))


def _faults_in_shares(shares: Any) -> Iterator[tuple[Place, str]]:
    if not isinstance(shares, dict):
        yield ("faults",), "must be a table"
    for kind, share in shares.items():
        if kind not in KINDS:
            yield ("faults", kind), f"unknown; there are {', '.join(KINDS)}"
        elif type(share) not in {int, float} or not 0 <= share <= 1:
            yield ("faults", kind), "must be a share from 0 to 1"
    if sum(shares.values()) > 1:
        yield ("faults",), "come to more than 1 together"


def overruled(faults: Faults, *, delay: float | None = None, seed: int | None = None) -> Faults:
    """Return faults with what the command line gave in the place of what the file says.

    Raises
    ------
    InputError
        When the delay is negative.
    """
    if delay is not None and delay < 0:
        raise InputError("a delay is 0 or more seconds")
    found = faults if delay is None else replace(faults, delay=delay)
    return found if seed is None else replace(found, seed=seed)
