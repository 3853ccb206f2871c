"""The responses that a sample can be drawn from, with everything that it can be balanced over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.errors import CheckFailed, InputError, Refused
from core.hashing import digest_of
from core.panels import OPEN
from core.runs import Generation, Run
from core.study import WaveItem
from db.file import StudyFile
from db.panels import Panel, verdict_of, votes

NONE = "none"  # the value of a scenario that lacks a fact
FAMILY = "family"
FAMILIES = ("family", "constraint")  # facts that are taken for the family, the first that is there
SILENT, WITHDRAWN, UNJUDGED = "show nothing", "to withdrawn items", "not judged yet"


@dataclass(frozen=True, slots=True)
class Found:
    """One response that can be drawn.

    Attributes
    ----------
    key
        A digest of prompt, sample and text: what it is, whatever model and study call it.
    values
        What it can be balanced over, by name.
    """

    id: int
    revision: int
    scenario: str
    condition: str
    model: str
    verdict: str
    key: str
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Population:
    """Responses that can be drawn, and how many cannot, by reason."""

    found: tuple[Found, ...]
    left_out: Mapping[str, int]


def population(
    study: StudyFile, runs: Sequence[int], panel: Panel | None, strata: Sequence[str]
) -> Population:
    """Return what some runs answered, as far as there is something to grade.

    Parameters
    ----------
    panel
        Whose verdicts count; ``None`` for none. What it has not judged yet cannot be drawn.
    strata
        Facts of the suite's scenarios, the first of which stands for the family where no scenario
        has a fact of that name.

    Raises
    ------
    Refused
        When a run was dropped.
    CheckFailed
        When something frozen is not what it was.
    """
    if faults := study.waves.faults():
        raise CheckFailed(f"{faults[0]}; no response was drawn")
    items = {item.id: item for item in study.waves.items()}
    cast = votes(study.judges, panel) if panel else {}
    dropped, left_out, found = study.run_drops.all(), Counter[str](), list[Found]()
    for number in dict.fromkeys(runs):
        run = study.runs.run(number)
        if run.id in dropped:
            raise Refused(f"run {number} was dropped; what it said is not graded")
        for each in study.runs.generations(number):
            item, said = items[each.wave_item], cast.get(each.id)
            verdict = verdict_of(said) if said else OPEN if panel else ""
            if why := _why_not(each, item, verdict):
                left_out[why] += 1
            else:
                found.append(_found(each, item, run, verdict, strata))
    return Population(tuple(found), dict(left_out))


def require_values(found: Sequence[Found], names: Sequence[str]) -> None:
    """Refuse a name that nothing can be balanced over.

    Raises
    ------
    InputError
        When no response has such a value; it says which there are.
    """
    known = dict.fromkeys(name for each in found for name in each.values)
    for name in names:
        if found and name not in known:
            raise InputError(f"nothing is known as {name!r}; there is {', '.join(sorted(known))}")


def _why_not(generation: Generation, item: WaveItem, verdict: str) -> str:
    if generation.silent or not generation.visible_text.strip():
        return SILENT
    if item.withdrawn:
        return WITHDRAWN
    return UNJUDGED if verdict == OPEN else ""


def _found(
    generation: Generation, item: WaveItem, run: Run, verdict: str, strata: Sequence[str]
) -> Found:
    facts = {name: str(value) or NONE for name, value in item.document.get("facts", {}).items()}
    family = next((name for name in (*FAMILIES, *strata) if name in facts), "")
    values = {
        **{name: facts.get(name, NONE) for name in strata},
        **facts,
        FAMILY: facts.get(family, NONE),
        "condition": item.condition,
        "model": run.model,
        "run": str(run.id),
        "scenario": item.scenario,
        "intervention": generation.intervention or NONE,
        "verifier": ", ".join(sorted(item.document.get("verifiers") or ())) or NONE,
        **({"verdict": verdict} if verdict else {}),
    }
    key = digest_of(
        [
            generation.prompt_hash,
            generation.intervention,
            generation.sample,
            generation.visible_text,
        ]
    )
    return Found(
        generation.id, item.revision, item.scenario, item.condition, run.model, verdict, key, values
    )
