"""The panels and wording forms of WISE, read from TOML: what is asked, in which words, and whence.

A panel is a constraint with its own copy of every form it compares. A condition of the suite is
``panel/FORM``; the survey, which people answer, has conditions of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, get_args

from core.toml import Place, parse_toml, refuse_first
from stats.pooled import Scheme

FILE = "suites/wise/panels.toml"
OURS = "ours"
COUNTED, ONCE, RANGED, STRUCTURED = "word-count", "keyword-once", "word-range", "strict-json"
VERIFIERS = (COUNTED, ONCE, RANGED, STRUCTURED)
_SAYS = {COUNTED: ("{N}",), ONCE: ("{K}",), RANGED: ("{LOW}", "{HIGH}"), STRUCTURED: ("{KEYS}",)}


@dataclass(frozen=True, slots=True)
class WordingForm:
    """One wording of a constraint.

    Attributes
    ----------
    template
        As the source prints it, with placeholders.
    source
        Where it is printed; ``ours`` where we wrote it.
    period_printed
        Whether the source prints a full stop.
    """

    name: str
    template: str
    source: str
    period_printed: bool = True

    @property
    def ours(self) -> bool:
        """Whether we wrote the template."""
        return self.source == OURS

    def instruction(self, values: Mapping[str, str]) -> str:
        """Return the instruction that a prompt ends with: placeholders filled, one full stop."""
        text = self.template
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", value)
        return text if text.endswith(".") else f"{text}."


@dataclass(frozen=True, slots=True)
class Panel:
    """One constraint in several wordings.

    Attributes
    ----------
    verifier
        What reads the replies: one of `VERIFIERS`.
    scheme
        How the panel's primary intervals are resampled.
    between
        The range, for the verifier of ranges.
    """

    name: str
    title: str
    verifier: str
    scheme: Scheme
    source: str
    forms: tuple[WordingForm, ...]
    between: tuple[int, int] | None = None

    @property
    def form_names(self) -> tuple[str, ...]:
        """The forms in the order of every table."""
        return tuple(form.name for form in self.forms)

    @property
    def conditions(self) -> tuple[str, ...]:
        """The panel's conditions, in the same order."""
        return tuple(self.condition(name) for name in self.form_names)

    @property
    def sweeps_targets(self) -> bool:
        """Whether tasks differ in their target, so that a floor regime can be seen."""
        return self.verifier == COUNTED

    @property
    def placeholders(self) -> tuple[str, ...]:
        """What every template of the panel must say."""
        return _SAYS[self.verifier]

    def condition(self, form: str) -> str:
        """Return the condition of one form."""
        return f"{self.name}/{form}"


@dataclass(frozen=True, slots=True)
class Survey:
    """What people judge: every form of a panel at every target."""

    name: str
    panel: Panel
    targets: tuple[int, ...]

    @property
    def conditions(self) -> tuple[str, ...]:
        """One condition per form."""
        return tuple(f"{self.name}/{name}" for name in self.panel.form_names)


@dataclass(frozen=True, slots=True)
class Definition:
    """All panels, the form that contrasts are taken against, and the survey."""

    reference: str
    panels: tuple[Panel, ...]
    survey: Survey

    @property
    def conditions(self) -> tuple[str, ...]:
        """What models are asked, panel by panel."""
        return tuple(condition for panel in self.panels for condition in panel.conditions)

    def panel(self, name: str) -> Panel:
        """Return one panel; ``KeyError`` when there is none of that name."""
        for panel in self.panels:
            if panel.name == name:
                return panel
        raise KeyError(name)


def shipped() -> Definition:
    """Return the panels that ship."""
    text = (resources.files("suites.wise") / "panels.toml").read_text("utf-8")
    return parse(text, FILE)


def parse(text: str, source: str) -> Definition:
    """Read panels from TOML.

    Raises
    ------
    InputError
        Naming source, line and what is wrong.
    """
    raw = parse_toml(text, source)
    refuse_first(_faults(raw), text, source)
    panels = tuple(_panel(entry) for entry in raw["panel"])
    survey = raw["survey"]
    asked = next(panel for panel in panels if panel.name == survey["panel"])
    return Definition(
        raw["reference"], panels, Survey(survey["name"], asked, tuple(survey["targets"]))
    )


def _panel(entry: Mapping[str, Any]) -> Panel:
    forms = tuple(
        WordingForm(
            form["name"],
            form["template"],
            form["source"],
            form.get("period", "printed") == "printed",
        )
        for form in entry["form"]
    )
    between = entry.get("between")
    return Panel(
        name=entry["name"],
        title=entry["title"],
        verifier=entry["verifier"],
        scheme=entry["scheme"],
        source=entry["source"],
        forms=forms,
        between=(between[0], between[1]) if between else None,
    )


# Where a fault is, and what it is. Only the first is asked for, so later checks rely on earlier.
_Faults = Iterator[tuple[Place, str]]
_PANEL = {"name": str, "title": str, "verifier": str, "scheme": str, "source": str, "form": list}
_FORM = {"name": str, "template": str, "source": str}


def _faults(raw: Mapping[str, Any]) -> _Faults:
    yield from _misfits(raw, {"reference": str, "panel": list, "survey": dict}, (), ())
    for number, entry in enumerate(raw["panel"]):
        yield from _faults_of_panel(entry, raw["reference"], ("panel", number))
    names = [entry["name"] for entry in raw["panel"]]
    if twice := _twice(names):
        yield ("panel", names.index(twice)), f"two panels are called {twice!r}"
    survey = raw["survey"]
    yield from _misfits(survey, {"name": str, "panel": str, "targets": list}, (), ("survey",))
    if survey["panel"] not in names:
        yield ("survey", "panel"), f"there is no panel {survey['panel']!r}"
    if survey["name"] in names:
        yield ("survey", "name"), "the survey cannot have the name of a panel"


def _faults_of_panel(entry: Mapping[str, Any], reference: str, place: Place) -> _Faults:
    yield from _misfits(entry, _PANEL, ("between",), place)
    if entry["verifier"] not in VERIFIERS:
        yield (*place, "verifier"), f"verifier must be one of {', '.join(VERIFIERS)}"
    if entry["scheme"] not in get_args(Scheme):
        yield (*place, "scheme"), f"scheme must be one of {', '.join(get_args(Scheme))}"
    if (entry["verifier"] == RANGED) != ("between" in entry):
        yield place, f"between = [LOW, HIGH] belongs to {RANGED}, and to nothing else"
    for number, form in enumerate(entry["form"]):
        at = (*place, "form", number)
        yield from _misfits(form, _FORM, ("period",), at)
        for said in _SAYS[entry["verifier"]]:
            if said not in form["template"]:
                yield at, f"the template of {form['name']} does not say {said}"
    names = [form["name"] for form in entry["form"]]
    if twice := _twice(names):
        yield place, f"panel {entry['name']} has two forms {twice!r}"
    if reference not in names:
        yield place, f"panel {entry['name']} has no form {reference}, which others are held against"


def _misfits(
    entry: Mapping[str, Any], needed: Mapping[str, type], allowed: tuple[str, ...], place: Place
) -> _Faults:
    if not isinstance(entry, dict):
        yield place, "a table is needed here"
    for name, kind in needed.items():
        if name not in entry:
            yield place, f"{name} is missing"
        if not isinstance(entry[name], kind) or not entry[name]:
            yield (*place, name), f"{name} cannot be {entry[name]!r}"
    for name in entry:
        if name not in needed and name not in allowed:
            yield (*place, name), f"unknown field {name!r}"


def _twice(names: list[str]) -> str | None:
    return next((name for name in names if names.count(name) > 1), None)
