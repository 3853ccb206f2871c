"""Finds suites: each is a package here with a ``suite`` module that has a ``SUITE``."""

from __future__ import annotations

import importlib
import pkgutil

import suites
from core.errors import NotFound
from suites.base import Suite


def names() -> tuple[str, ...]:
    """Return the names of all suites."""
    return tuple(
        sorted(found.name for found in pkgutil.iter_modules(suites.__path__) if found.ispkg)
    )


def load(name: str) -> Suite:
    """Return one suite by its name."""
    if name not in names():
        raise NotFound(f"there is no suite {name!r}; suites are: {', '.join(names())}")
    suite: Suite = importlib.import_module(f"suites.{name}.suite").SUITE
    return suite
