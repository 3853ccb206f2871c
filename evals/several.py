"""Runs of several models one after the other: foretold together, and none ends the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from core.errors import CheckFailed, InputError, RunDropped
from core.words import counted
from db.file import StudyFile
from evals.budget import Estimate
from evals.models import ModelSpec
from evals.runner import dry


def foretold(
    study: StudyFile,
    specs: Sequence[ModelSpec],
    foresee: Callable[..., Estimate] = dry,
    **asked: Any,
) -> Iterator[str]:
    """Say line by line what each model would be asked and cost, then all of them together.

    One whose run was dropped is left out, and said.

    Parameters
    ----------
    foresee
        What estimates a run of one model.
    asked
        Conditions, samples and so on, as :func:`evals.runner.dry` takes them.

    Raises
    ------
    InputError
        When not one of the models can be asked; what is wrong with the first is said.
    CheckFailed
        When something frozen is not what it was.
    """
    found: dict[str, Estimate] = {}
    first: InputError | None = None
    lines: list[str] = []
    for spec in specs:
        try:
            found[called(spec)] = foresee(study, spec, **asked)
            lines.append(f"{called(spec)}: {found[called(spec)].words}")
        except RunDropped as error:
            lines.append(f"{called(spec)}: left out: {error}")
        except InputError as error:
            first = first or error
            lines.append(f"{called(spec)}: cannot be asked: {error}")
    if first is not None and not found:
        raise first
    yield from lines
    if found:
        yield _together(found)


def run_each(
    specs: Sequence[ModelSpec], one: Callable[[ModelSpec], None], tell: Callable[[str], None]
) -> None:
    """Run one model after the other; one that fails is told of and does not end the others.

    One whose run was dropped is left out: that was decided, and nothing is waited for.

    Raises
    ------
    CheckFailed
        At the end, when any is not done; it names them.
    """
    failed: list[str] = []
    for spec in specs:
        try:
            one(spec)
        except RunDropped as error:
            tell(f"{called(spec)}: left out: {error}")
        except (InputError, CheckFailed) as error:
            tell(f"{called(spec)}: {error}")
            failed.append(called(spec))
    if failed:
        raise CheckFailed(
            f"{len(failed)} of {counted(len(specs), 'model')} are not done: {', '.join(failed)}; "
            "the same command goes on"
        )


def called(spec: ModelSpec) -> str:
    """Return the name of a model; its address where it has not been asked for its name."""
    return spec.name or spec.base_url


def _together(found: dict[str, Estimate]) -> str:
    calls = sum(each.calls for each in found.values())
    costs = {name: each.cost(each.at_most) for name, each in found.items() if each.calls}
    priced = [cost for cost in costs.values() if cost is not None]
    unknown = [name for name, cost in costs.items() if cost is None]
    said = f"{counted(len(found), 'model')}: {calls:,} requests"
    said += f"; at most ${sum(priced):.2f}" if priced else ""
    return said + (f"; no prices are known of {', '.join(unknown)}" if unknown else "")
