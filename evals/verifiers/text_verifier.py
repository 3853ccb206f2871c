"""A verifier made of a function of a text and of parameters that stand in the item."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import InputError
from core.verifiers import Reading
from evals.verifiers.parameters import Parameter


@dataclass(frozen=True, slots=True)
class TextVerifier:
    """Reads a text by a pure function, whose keyword arguments are the item's parameters.

    Attributes
    ----------
    name
        The id under which suites ask for it, and under which its parameters stand in an item.
    version
        Changes whenever any text could be read otherwise.
    judge
        ``judge(text, **parameters)`` returns the reading.
    parameters
        What the item must hold under `name`.
    """

    name: str
    version: str
    judge: Callable[..., Reading]
    parameters: tuple[Parameter, ...] = ()

    def read(self, text: str, document: Mapping[str, Any]) -> Reading:
        """Read one visible text; never raises for a text.

        Raises
        ------
        InputError
            When the item lacks a parameter or holds one that makes no sense.
        """
        try:
            given = self._given(document)
            values = {each.name: each.value(given) for each in self.parameters}
        except ValueError as error:
            raise InputError(f"{_name(document)}: {self.name}: {error}") from None
        return self.judge(text, **values)

    def faults(self, document: Mapping[str, Any]) -> tuple[str, ...]:
        """Say which parameters are missing, wrong, unknown, or not said by the prompt."""
        try:
            given = self._given(document)
        except ValueError as error:
            return (f"{self.name}: {error}",)
        known = {each.name for each in self.parameters}
        found = [
            f"{self.name}: there is no parameter {name}" for name in sorted(set(given) - known)
        ]
        prompt = _prompt(document)
        for parameter in self.parameters:
            try:
                value = parameter.value(given)
            except ValueError as error:
                found.append(f"{self.name}: {error}")
                continue
            found += [
                f"{self.name}: the prompt does not say “{part}”, which is its {parameter.name}"
                for part in parameter.unsaid(prompt, value)
            ]
        return tuple(found)

    def _given(self, document: Mapping[str, Any]) -> Mapping[str, Any]:
        given = document.get("parameters", {}).get(self.name, {})
        if not isinstance(given, Mapping):
            raise ValueError(f"its parameters must be named, not {given!r}")  # noqa: TRY004
        return given


def _prompt(document: Mapping[str, Any]) -> str:
    """Return what the model is told; hardcoded turns of the assistant tell it nothing."""
    return "\n".join(
        message["content"]
        for message in document.get("messages", ())
        if message["role"] != "assistant"
    )


def _name(document: Mapping[str, Any]) -> str:
    return f"{document.get('scenario', 'an item')}/{document.get('condition', '')}".rstrip("/")
