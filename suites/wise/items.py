"""From tasks and panels to items: each task in every form of every panel, and the survey's items.

The content request comes first and the instruction follows it; nothing else is said, and there is
no system prompt (WISE, Eq. 1 and section 4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.items import ItemText, Scenario
from core.runs import Message
from core.study import Revision
from suites.wise.panels import COUNTED, ONCE, RANGED, STRUCTURED, Definition, Panel, Survey
from suites.wise.tasks import Task


def scenarios(tasks: Sequence[Task], definition: Definition) -> tuple[Scenario, ...]:
    """Return one scenario per task, then one per target of the survey."""
    asked = tuple(_of_task(task, definition) for task in tasks)
    return (*asked, *(_of_target(n, definition.survey) for n in definition.survey.targets))


def render(revision: Revision) -> tuple[Message, ...]:
    """Return the one user message that a model is sent: the item's text as it stands."""
    return (Message("user", revision.text),)


def prompt_text(task: Task, panel: Panel, form: str) -> str:
    """Return a task in one wording."""
    chosen = next(each for each in panel.forms if each.name == form)
    return f"{task.task} {chosen.instruction(_values(task, panel))}"


def parameters(task: Task, panel: Panel) -> Mapping[str, object]:
    """Return what the panel's verifier is told of a task."""
    told: Mapping[str, Mapping[str, object]] = {
        COUNTED: {"exactly": task.target},
        ONCE: {"keyword": task.keyword},
        RANGED: {"between": list(panel.between or ())},
        STRUCTURED: {"keys": list(task.fields)},
    }
    return {panel.verifier: told[panel.verifier]}


def _of_task(task: Task, definition: Definition) -> Scenario:
    items = tuple(
        ItemText(
            panel.condition(form),
            prompt_text(task, panel, form),
            parameters=parameters(task, panel),
        )
        for panel in definition.panels
        if _fits(task, panel)
        for form in panel.form_names
    )
    facts = {
        "kind": "task",
        "task": task.task,
        "target": str(task.target),
        "topic": task.topic,
        "keyword": task.keyword,
        "fields": ", ".join(task.fields),
    }
    return Scenario(task.id, facts, items)


def _fits(task: Task, panel: Panel) -> bool:
    """Whether the task has what the panel asks for; tasks of others may lack keywords or keys."""
    needs = {ONCE: bool(task.keyword), STRUCTURED: bool(task.fields)}
    return needs.get(panel.verifier, True)


def _of_target(target: int, survey: Survey) -> Scenario:
    """Return the survey's items of one target: the target and the instruction, nothing else."""
    items = tuple(
        ItemText(
            condition,
            f"Target: {target} words.\n\nInstruction: {form.instruction({'N': str(target)})}",
        )
        for condition, form in zip(survey.conditions, survey.panel.forms, strict=True)
    )
    return Scenario(f"{survey.name}-{target:02}", {"kind": "survey", "target": str(target)}, items)


def _values(task: Task, panel: Panel) -> Mapping[str, str]:
    """Return what the panel's placeholders stand for, numbers in digits."""
    low, high = panel.between or (0, 0)
    return {
        "N": str(task.target),
        "K": task.keyword,
        "LOW": str(low),
        "HIGH": str(high),
        "KEYS": _and([f'"{field}"' for field in task.fields]),
    }


def _and(words: Sequence[str]) -> str:
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)
