"""Drawing responses for grading: quotas of verdicts, balance within them, or everything covered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from annotate.population import Found, Population, population, require_values
from annotate.strata import Cell, Chosen, Member, expected, sample
from core.errors import InputError, NotFound
from core.forms import Form, Question
from core.words import counted
from db.file import StudyFile
from db.gradings import criterion_of, reference_of
from db.panels import Panel, panels

VERDICT = "verdict"
LEVELS = (VERDICT, "family", "condition", "model")
POSITIVE = ("correct", "pass", "target")  # what a verdict is called that is for a response
DEFAULT_SIZE = 300
NAMED = 6  # values that are named, of however many are there


@dataclass(frozen=True, slots=True)
class SampleRequest:
    """What a researcher asks for.

    Attributes
    ----------
    rubric, judges
        Whose verdicts count; without both, all judges of the only rubric that was used.
    size
        How many responses; the sum of the quotas unless given.
    quotas
        How many of each verdict.
    levels
        What the sample is balanced over, one within the other.
    cover
        What shall be there with every value.
    fewer
        Whether to take what is there when it is less than was asked for.
    positive
        Which verdict is for a response, where its name does not say so.
    """

    runs: tuple[int, ...]
    rubric: str | None = None
    judges: tuple[int, ...] = ()
    size: int | None = None
    quotas: Mapping[str, int] = field(default_factory=dict)
    levels: tuple[str, ...] = LEVELS
    cover: str | None = None
    graders: int = 2
    seed: int = 1
    fewer: bool = False
    positive: str | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """What was drawn from what.

    Attributes
    ----------
    levels
        As they were used: a verdict under a quota, and what shall be covered, come first.
    shares
        How many of each cell are drawn on average over all seeds.
    wanted, size
        What was asked for, and what was drawn.
    """

    panel: Panel | None
    positive: str
    population: Population
    levels: tuple[str, ...]
    quotas: Mapping[str, int]
    shares: Mapping[Cell, Fraction]
    wanted: int
    drawn: tuple[tuple[Found, Chosen], ...]

    @property
    def size(self) -> int:
        """How many were drawn."""
        return len(self.drawn)

    def cell(self, found: Found) -> Cell:
        """Return the cell that a response stands in."""
        return tuple(found.values[level] for level in self.levels)


def draw(
    study: StudyFile, request: SampleRequest, form: Form, strata: Sequence[str] = ()
) -> Sample:
    """Draw a sample; nothing is stored.

    Raises
    ------
    InputError
        When what was asked for is not there, or does not fit; it says what is there.
    """
    graded_question(form)
    panel = chosen_panel(study, request)
    positive = _positive(panel, request.positive)
    levels = _levels(request, panel)
    there = population(study, request.runs, panel, strata)
    require_values(there.found, levels)
    _require_shown(study, form, there.found)
    quotas = _quotas(request, panel, there.found)
    eligible = [each for each in there.found if not quotas or each.verdict in quotas]
    wanted = _wanted(request, quotas)
    filled = {name: min(count, _count(eligible, name)) for name, count in quotas.items()}
    size = sum(filled.values()) if quotas else min(wanted, len(eligible))
    _require_enough(eligible, quotas, wanted, size, fewer=request.fewer)
    if request.cover:
        _require_cover(eligible, request.cover, size)
    cells = {each.id: tuple(each.values[level] for level in levels) for each in eligible}
    members = [Member(each.id, each.key, cells[each.id]) for each in eligible]
    chosen = {one.id: one for one in sample(members, size, request.seed, filled or None)}
    return Sample(
        panel=panel,
        positive=positive,
        population=there,
        levels=levels,
        quotas=quotas,
        shares=expected(Counter(cells.values()), size, filled or None),
        wanted=wanted,
        drawn=tuple((each, chosen[each.id]) for each in eligible if each.id in chosen),
    )


def graded_question(form: Form) -> Question:
    """Return the question whose answer is the grade: the first choice, or yes or no.

    Raises
    ------
    InputError
        When a form has none, or asks for an option of the item, which a response is none of.
    """
    for question in form.questions:
        if question.item_options:
            raise InputError(
                f"the form {form.name} asks for an option of an item; responses are graded with "
                "choices of the form's own"
            )
    for question in form.questions:
        if question.kind in ("choice", "yes-no") and question.required:
            return question
    raise InputError(f"the form {form.name} has no required choice, or yes or no, to grade with")


def chosen_panel(study: StudyFile, request: SampleRequest) -> Panel | None:
    """Return whose verdicts count, or ``None`` when there is no judge and none is asked for."""
    found = panels(study.judges, request.rubric, request.judges)
    if len(found) > 1:
        rubrics = ", ".join(panel.rubric for panel in found)
        raise InputError(
            f"verdicts stand under {len(found)} rubrics ({rubrics}); choose one with --rubric"
        )
    if not found and (request.quotas or VERDICT in request.levels):
        raise InputError(
            "no judge has judged anything; judge first (wavelock judge), or draw without verdicts: "
            "--stratify family,condition,model"
        )
    return found[0] if found else None


def _positive(panel: Panel | None, named: str | None) -> str:
    if panel is None:
        return named or ""
    if named is not None and named not in panel.verdicts:
        known = ", ".join(panel.verdicts)
        raise NotFound(f"{named!r} is no verdict under {panel.rubric}; there is {known}")
    found = named or next((each for each in POSITIVE if each in panel.verdicts), None)
    if found is None:
        known = ", ".join(panel.verdicts)
        raise InputError(
            f"which verdict of {panel.rubric} is for a response? say it with --positive; there is "
            f"{known}"
        )
    return found


def _levels(request: SampleRequest, panel: Panel | None) -> tuple[str, ...]:
    levels = list(dict.fromkeys(request.levels))
    if panel is None:
        levels = [level for level in levels if level != VERDICT]
    if request.cover and request.quotas:
        raise InputError(
            "--cover and --quota exclude each other: what is covered has equal shares of everything"
        )
    first = VERDICT if request.quotas else request.cover
    if first is not None:
        levels = [first, *(level for level in levels if level != first)]
    if not levels:
        raise InputError("a sample is balanced over something: --stratify condition, for example")
    return tuple(levels)


def _quotas(request: SampleRequest, panel: Panel | None, found: Sequence[Found]) -> dict[str, int]:
    if panel is None:
        return {}
    known = dict.fromkeys((*panel.verdicts, *(each.verdict for each in found)))
    for name in request.quotas:
        if name not in known:
            raise NotFound(
                f"{name!r} is no verdict under {panel.rubric}; there is {', '.join(known)}"
            )
    asked = {name: count for name, count in request.quotas.items() if count}
    if request.quotas and not asked:
        raise InputError("every quota is 0, so nothing would be drawn; give one that is not")
    return asked


def _wanted(request: SampleRequest, quotas: Mapping[str, int]) -> int:
    if not quotas:
        return DEFAULT_SIZE if request.size is None else request.size
    total = sum(quotas.values())
    if request.size not in (None, total):
        raise InputError(f"the quotas add up to {total}, and --size is {request.size}")
    return total


def _require_enough(
    eligible: Sequence[Found], quotas: Mapping[str, int], wanted: int, size: int, *, fewer: bool
) -> None:
    """Refuse what is not there, unless whoever asks takes less."""
    if not size:
        raise InputError(f"no response can be drawn: {_there(eligible)}")
    if size < wanted and not fewer:
        short = [f"{n} {name}" for name, n in quotas.items() if _count(eligible, name) < n]
        what = ", ".join(short) or counted(wanted, "response")
        raise InputError(
            f"{what} wanted, and {_there(eligible)}; ask for less, or take what is there with "
            "--fewer"
        )


def _require_cover(eligible: Sequence[Found], name: str, size: int) -> None:
    values = len({each.values[name] for each in eligible})
    if size < values:
        raise InputError(
            f"{size} responses cannot cover {values} values of {name}; use --size {values} or more"
        )


def _there(eligible: Sequence[Found]) -> str:
    counts = Counter(each.verdict or "responses" for each in eligible)
    told = ", ".join(f"{count} {name}" for name, count in counts.most_common(NAMED)) or "nothing"
    return f"there are {told}"


def _count(found: Sequence[Found], verdict: str) -> int:
    return sum(each.verdict == verdict for each in found)


def _require_shown(study: StudyFile, form: Form, found: Sequence[Found]) -> None:
    """Refuse a form that shows something which an item does not have."""
    documents = {item.revision: item.document for item in study.waves.items()}
    reads = {"reference": reference_of, "criterion": criterion_of}
    for each in found:
        for shown in form.shows:
            if not reads[shown](documents[each.revision]):
                raise InputError(
                    f"the form {form.name} shows a {shown}, which "
                    f"{each.scenario}/{each.condition} does not have"
                )
