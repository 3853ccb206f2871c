"""What people and a judge said of the same responses, on one scale, read once from the study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.errors import InputError
from core.forms import Answer, Question
from core.grading import DrawnResponse, Grading
from core.panels import NO_MAJORITY, UNREADABLE, majority
from core.study import Round
from core.words import counted
from db.file import StudyFile
from db.panels import evidence_caveats

YES, NO = "yes", "no"
SILENT = frozenset({"", UNREADABLE, NO_MAJORITY})  # what is no verdict


@dataclass(frozen=True, slots=True)
class Scale:
    """What a response can be graded to be, and how that compares with a verdict.

    Attributes
    ----------
    categories
        What people can say.
    positive
        The categories that are for a response, of people and of judges.
    comparable
        Whether people and judges use the same categories; else only the cut compares.
    yes, no
        What the answers yes and no stand for.
    """

    categories: tuple[str, ...]
    positive: frozenset[str]
    comparable: bool
    yes: str = YES
    no: str = NO

    def read(self, answer: Answer | None) -> str | None:
        """Return an answer as a category; ``None`` when the question was left open."""
        if answer is None:
            return None
        if isinstance(answer, bool):
            return self.yes if answer else self.no
        return str(answer)

    def cut(self, category: str | None) -> str | None:
        """Return on which side of the cut a category is."""
        return None if category is None else YES if category in self.positive else NO


@dataclass(frozen=True, slots=True)
class Graded:
    """One response: what each person said of it, in the order of the people, and the verdict.

    Attributes
    ----------
    seats
        How many grades make it whole, where people followed each other on a seat: one list is
        graded once, by whoever sat there. ``None`` where everybody has a list of their own.
    """

    drawn: DrawnResponse
    said: tuple[str | None, ...]
    seats: int | None = None

    @property
    def verdict(self) -> str | None:
        """The verdict; ``None`` where there is none to compare with."""
        return None if self.drawn.verdict in SILENT else self.drawn.verdict

    def consensus(self, scale: Scale | None = None) -> str | None:
        """Return what more than half of all said, a grade per seat; ``None`` where one is missing.

        With a scale, on its cut.
        """
        given = [each for each in self.said if each is not None]
        if len(given) < (len(self.said) if self.seats is None else self.seats):
            return None
        return majority([scale.cut(each) for each in given] if scale else given)


@dataclass(frozen=True, slots=True)
class GradedRound:
    """A grading round as it is analysed.

    Attributes
    ----------
    people
        Pseudonyms of those who graded anything, in the order of their seats.
    caveats
        What every title must say.
    """

    name: str
    sample: Grading
    scale: Scale
    people: tuple[str, ...]
    responses: tuple[Graded, ...]
    caveats: tuple[str, ...]

    @property
    def judged_by(self) -> str:
        """What tables call whoever gave the verdicts; empty where there were none."""
        judges = self.sample.document["judges"]
        if not judges:
            return ""
        only = f"judge {judges[0]['judge']} ({judges[0]['model']})"
        return only if len(judges) == 1 else f"panel of {len(judges)}"


def read_grades(study: StudyFile, campaign: Round) -> GradedRound:
    """Return what was said of every response of a grading round; what is void counts nowhere.

    Raises
    ------
    InputError
        When the round grades nothing, or nobody has graded anything yet.
    """
    sample = study.gradings.of_round(campaign.id)
    if sample is None:
        raise InputError(
            f"round {campaign.name} rates items; see wavelock agreement {campaign.name}"
        )
    grades = sorted(study.grades.of_round(campaign.id), key=lambda each: (each.seat, each.person))
    if not grades:
        raise InputError(f"nothing is graded yet in {campaign.name}; see wavelock grading status")
    question = campaign.form.question(str(sample.document["question"]))
    scale = scale_of(question, sample.document["verdicts"], sample.document["positive"])
    people = tuple(dict.fromkeys(each.person for each in grades))
    seats = len({each.seat for each in grades})
    said: dict[int, dict[str, str | None]] = {}
    for each in grades:
        answer = scale.read(each.answers.get(question.id))
        said.setdefault(each.response, {})[each.person] = answer
    kinds = {each.person_kind for each in grades}
    return GradedRound(
        campaign.name,
        sample,
        scale,
        people,
        tuple(
            _graded(drawn, said.get(drawn.response, {}), people, seats) for drawn in sample.drawn
        ),
        _caveats(study, campaign, sample, simulated=bool(kinds - {"human"})),
    )


def scale_of(question: Question, verdicts: Sequence[str], positive: str) -> Scale:
    """Return how the answers to a question compare with verdicts.

    Where people choose among the verdicts, these are the categories. Yes stands for the verdict
    that is for a response, and no for the other one, when there are two.
    """
    if question.kind == "yes-no":
        others = [verdict for verdict in verdicts if verdict != positive]
        if len(others) == 1:
            both = (positive, others[0])
            return Scale(both, frozenset({positive}), comparable=True, yes=positive, no=others[0])
        return Scale((YES, NO), frozenset({YES, positive}), comparable=False)
    values = tuple(value for value, _ in question.choices)
    own = positive if positive in values else values[0]
    same = bool(verdicts) and (set(verdicts) <= set(values) or set(values) <= set(verdicts))
    scale = tuple(dict.fromkeys((*values, *verdicts))) if same else values
    return Scale(scale, frozenset({own, positive}), comparable=same)


def _graded(
    drawn: DrawnResponse, said: Mapping[str, str | None], people: Sequence[str], seats: int
) -> Graded:
    return Graded(drawn, tuple(said.get(person) for person in people), seats)


def _caveats(
    study: StudyFile, campaign: Round, sample: Grading, *, simulated: bool
) -> tuple[str, ...]:
    asked = {each["judge"] for each in sample.document["judges"]}
    judges = [judge for judge in study.judges.all() if judge.id in asked]
    found = ["simulated grades"] if simulated else []
    found += [f"{campaign.kind} round"] if campaign.kind in ("practice", "pilot") else []
    return (
        *found,
        *evidence_caveats(study, sample.document["runs"], judges),
        *_since(study, sample),
    )


def _since(study: StudyFile, sample: Grading) -> Iterator[str]:
    """Say what of a sealed sample would not be drawn today; it counts on, as it was drawn."""
    dropped = study.run_drops.all()
    for run in sample.document["runs"]:
        if run in dropped:
            yield f"run {run} was dropped since"
    gone = {item.revision for item in study.waves.items() if item.withdrawn}
    if count := sum(each.revision in gone for each in sample.drawn):
        yield f"{counted(count, 'response')} to items withdrawn since"
