"""A rater's way: every page in its place, kept over a restart, and nothing that could bias."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.sitting import RatingSitting, RatingView
from annotate.stage_views import (
    BreakView,
    CheckView,
    ConsentView,
    EndView,
    StageView,
    TextView,
    TrainingView,
)
from annotate.stages import Stages
from annotate.wording import load, parse
from audit.verify import study_faults
from core.errors import NotFound, Refused, WavelockError
from core.hashing import digest
from core.study import Seat
from db.file import StudyFile, open_study
from tests.annotate.test_sitting import CANARY, planted

GOOD = {"choice": "A", "confidence": 4, "naturalness": 4}
TEXTS = load("main")
TRAINING = parse(TEXTS).training
RIGHT = {item.text: item.right for item in (*TRAINING.items, *parse(TEXTS).checks)}  # type: ignore[union-attr]
CLOSE = TEXTS["checks.toml"].replace("apart = 10", "apart = 2")
PAUSE = 'every = 2\ntext = "pause"\n'


def made(workshop: Any, path: Path, texts: Mapping[str, str], count: int = 7) -> StudyFile:
    study: StudyFile = workshop.create(path / "study.db", count)
    workshop.opened(study, texts=texts)
    return study


@pytest.fixture
def study(workshop: Any, tmp_path: Path) -> StudyFile:
    """Seven scenarios; checks at least two items apart, a break after every second item."""
    return made(workshop, tmp_path, {**TEXTS, "checks.toml": CLOSE, "breaks.toml": PAUSE})


@pytest.fixture
def seat(study: StudyFile) -> Seat:
    return study.seats.find(1, 1)


def enter(study: StudyFile, seat: Seat) -> Stages:
    return Stages(study, RatingSitting.at_seat(study, seat))


def step(stages: Stages, right: bool = True) -> StageView:
    """Do what a willing person does with the page that is shown."""
    match stages.view():
        case ConsentView():
            return stages.consent(accepted=True)
        case (
            TrainingView(given=None, text=text, choices=choices)
            | CheckView(text=text, choices=choices)
        ):
            wrong = next(choice for choice in choices if choice != RIGHT[text])
            return stages.choose(RIGHT[text] if right else wrong)
        case RatingView(saved=False):
            return stages.save(GOOD)
        case _:
            return stages.forward()


def walk(stages: Stages, right: bool = True) -> Iterator[StageView]:
    """Go the whole way, and yield every page."""
    yield stages.view()
    while not isinstance(stages.view(), EndView):
        yield step(stages, right)


def until(stages: Stages, kind: type[Any]) -> StageView:
    return next(view for view in walk(stages) if isinstance(view, kind))


def count(study: StudyFile, table: str) -> int:
    with closing(sqlite3.connect(study.path)) as plain:
        found: int = plain.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return found


def test_the_pages_come_in_their_order(study: StudyFile, seat: Seat) -> None:
    """Consent, instructions, training, items with checks and breaks, and the end with a code."""
    seen = list(walk(enter(study, seat)))
    kinds = [type(view) for view in seen]
    assert kinds[:3] == [ConsentView, TextView, TrainingView]
    assert kinds.index(RatingView) > max(n for n, kind in enumerate(kinds) if kind is TrainingView)
    assert kinds.count(CheckView) == 2
    assert kinds.count(BreakView) == 3
    end = seen[-1]
    assert isinstance(end, EndView)
    assert (end.reason, end.done, end.total) == ("finished", 7, 7)
    assert re.fullmatch("[2-9A-Z]{5}-[2-9A-Z]{5}", end.code)
    assert (count(study, "ratings"), count(study, "check_answers")) == (7, 2)
    assert count(study, "training_answers") == 3


def test_training_and_checks_are_no_ratings(study: StudyFile, seat: Seat) -> None:
    """Only answers to items are in what is analysed; the evidence does not move otherwise."""
    stages = enter(study, seat)
    until(stages, RatingView)
    assert study.ratings.of_round(1) == ()
    assert study.rounds.progress(1)[0].done == 0
    list(walk(stages))
    before = study.decisions.evidence_digest(1)
    study.said.report(stages.sitting.assignment.id, stages.sitting.person.id, "x")
    assert study.decisions.evidence_digest(1) == before


def test_the_version_that_was_accepted_is_recorded(study: StudyFile, seat: Seat) -> None:
    """The digest of the consent text is stored, once, and nothing before it was accepted."""
    stages = enter(study, seat)
    with pytest.raises(Refused, match="no item is shown"):
        stages.save(GOOD)
    declined = stages.consent(accepted=False)
    assert isinstance(declined, EndView)
    assert (declined.reason, declined.code) == ("declined", "")
    assert isinstance(stages.forward(), EndView)
    assert isinstance(enter(study, seat).view(), ConsentView)
    assert count(study, "consents") == 0
    stages = enter(study, seat)
    stages.consent(accepted=False)
    assert isinstance(stages.back(), ConsentView)
    stages.consent(accepted=True)
    stages.consent(accepted=True)
    known = study.said.consented(seat.id, stages.sitting.person.id)
    assert known == digest(TEXTS["consent.md"])
    assert count(study, "consents") == 1


def test_feedback_comes_after_the_answer(study: StudyFile, seat: Seat) -> None:
    """Before an answer nothing tells the right one; after it, both it and why."""
    stages = enter(study, seat)
    view = until(stages, TrainingView)
    assert isinstance(view, TrainingView)
    assert (view.given, view.correct, view.feedback) == (None, None, "")
    with pytest.raises(Refused, match="that is not offered here"):
        stages.choose("something else")
    answered = step(stages, right=False)
    assert isinstance(answered, TrainingView)
    assert answered.correct is False
    assert answered.feedback
    assert answered.number == view.number
    with pytest.raises(Refused, match="that is not offered here"):
        stages.choose(view.choices[0])
    following = stages.forward()
    assert isinstance(following, TrainingView)
    assert (following.number, following.given) == (2, None)


def test_failing_can_be_repeated_and_ends_kindly(study: StudyFile, seat: Seat) -> None:
    """Three times through, as the text says; then a kind word, no code and no way to rate."""
    stages = enter(study, seat)
    seen = list(walk(stages, right=False))
    turns = {view.turn for view in seen if isinstance(view, TrainingView)}
    assert turns == {1, 2, 3}
    assert sum(isinstance(view, TextView) and view.kind == "repeat" for view in seen) == 2
    end = seen[-1]
    assert isinstance(end, EndView)
    assert (end.reason, end.code) == ("not passed", "")
    assert "Thank you" in end.text
    with pytest.raises(Refused):
        stages.save(GOOD)
    assert isinstance(enter(study, seat).view(), EndView)
    assert count(study, "ratings") == 0


def test_the_second_try_can_be_passed(study: StudyFile, seat: Seat) -> None:
    """Who fails once and then passes goes on to the items."""
    stages = enter(study, seat)
    for view in walk(stages, right=False):
        if isinstance(view, TextView) and view.kind == "repeat":
            break
    assert isinstance(until(stages, RatingView), RatingView)


def test_every_page_is_kept_over_a_restart(study: StudyFile, seat: Seat) -> None:
    """A new process at any point shows the same page, but for feedback and breaks, once read."""
    stages = enter(study, seat)
    while not isinstance(stages.view(), EndView):
        shown = stages.view()
        stages = enter(study, seat)
        while isinstance(stages.view(), TextView):
            stages.forward()
        again = stages.view()
        if isinstance(shown, TrainingView) and shown.given:
            assert again != shown
        elif isinstance(shown, BreakView):
            assert isinstance(again, RatingView)
        elif isinstance(shown, RatingView) and shown.saved:
            assert isinstance(again, RatingView | CheckView | EndView)
        elif not isinstance(shown, TextView | TrainingView):
            assert again == shown
        step(stages)
    assert count(study, "ratings") == 7
    assert count(study, "training_answers") == 3


def test_going_back_shows_items_only(study: StudyFile, seat: Seat) -> None:
    """Back leads from item to item, and from the end to the last; no check is shown twice."""
    stages = enter(study, seat)
    list(walk(stages))
    for number in range(7, 0, -1):
        view = stages.back()
        assert isinstance(view, RatingView)
        assert (view.number, view.saved) == (number, True)
    changed = stages.save({**GOOD, "confidence": 1})
    assert isinstance(changed, RatingView)
    assert changed.answers["confidence"] == 1
    assert {type(stages.forward()) for _ in range(6)} == {RatingView}
    assert isinstance(stages.forward(), EndView)
    assert count(study, "check_answers") == 2


def test_a_problem_can_be_reported(study: StudyFile, seat: Seat) -> None:
    """A report stands beside the item that was shown, for the researcher alone."""
    stages = enter(study, seat)
    with pytest.raises(Refused, match="no item is shown"):
        stages.report("x")
    until(stages, RatingView)
    with pytest.raises(Refused, match="say in a few words"):
        stages.report("  ")
    stages.report("the second sentence is cut off ")
    (found,) = study.said.reports_of_round(1)
    shown = study.items.revision(stages.sitting.assignment.revision)
    assert (found.scenario, found.condition) == (shown.scenario, shown.condition)
    assert found.text == "the second sentence is cut off"


def test_failed_checks_are_counted(study: StudyFile, seat: Seat) -> None:
    """The researcher learns how many checks a person was given and got right."""
    stages = enter(study, seat)
    until(stages, RatingView)
    list(walk(stages, right=False))
    (found,) = study.said.checks_of_round(1)
    assert (found.seat, found.given, found.correct) == (1, 2, 0)


def test_a_replacement_has_a_way_of_their_own(study: StudyFile, seat: Seat) -> None:
    """Consent and training are asked of everybody; checks that lie behind are not."""
    first = enter(study, seat)
    until(first, RatingView)
    for _ in range(9):
        step(first)
    done = study.seats.replace(seat)
    stages = Stages.enter(study, done.code)
    seen = list(walk(stages))
    assert isinstance(seen[0], ConsentView)
    assert isinstance(seen[-1], EndView)
    assert seen[-1].total == done.left
    assert study.rounds.progress(1)[0].done == 7


@pytest.mark.parametrize("kind", ["practice", "rehearsal"])
def test_practice_and_rehearsals_are_short(workshop: Any, tmp_path: Path, kind: Any) -> None:
    """Practice begins with the instructions, a rehearsal with the first item."""
    study = workshop.create(tmp_path / "study.db", 3)
    workshop.opened(study, kind=kind, texts=load(kind))
    person: Any = "simulated" if kind == "rehearsal" else "human"
    stages = Stages(study, RatingSitting.at_seat(study, study.seats.find(1, 1), person))
    assert isinstance(stages.view(), TextView if kind == "practice" else RatingView)
    assert isinstance(list(walk(stages))[-1], EndView)
    assert count(study, "training_answers") == 0


def test_a_completion_code_can_be_checked(study: StudyFile) -> None:
    """It is found again however it is typed, differs for everybody, and says nothing."""
    codes = set()
    for number in (1, 2, 3):
        seat = study.seats.find(1, number)
        stages = enter(study, seat)
        end = list(walk(stages))[-1]
        assert isinstance(end, EndView)
        found = study.completions.find(f" {end.code.lower().replace('-', ' ')} ")
        person = stages.sitting.person.pseudonym
        assert (found.seat, found.person, found.finished) == (number, person, True)
        assert person[2:] not in end.code
        codes.add(end.code)
    assert len(codes) == 3
    for wrong in ("", "AAAAA-AAAAA", "x", next(iter(codes))[:-1]):
        with pytest.raises(NotFound, match="no completion code of this study"):
            study.completions.find(wrong)


def test_another_study_has_other_codes(workshop: Any, tmp_path: Path) -> None:
    """Without the study's secret no code can be made, also not from an equal study."""
    codes = set()
    for name in ("a", "b"):
        study = workshop.create(tmp_path / name / "study.db", 2)
        codes.add(study.completions.code(1, 1))
    assert len(codes) == 2


def test_the_texts_are_part_of_the_plan(workshop: Any, tmp_path: Path) -> None:
    """Another consent text is another plan; a text that was changed after the opening is found."""
    study = made(workshop, tmp_path, TEXTS, 2)
    other = workshop.plan(study, "other", texts={**TEXTS, "consent.md": "# Other\n"})
    same = workshop.plan(study, "same", texts={})
    assert study.rounds.plan_hash(other.id) != study.rounds.plan_hash(same.id)
    assert study_faults(study) == ()
    with closing(sqlite3.connect(study.path)) as plain:
        plain.execute("DROP TRIGGER round_texts_unchanged")
        plain.execute("UPDATE round_texts SET content = 'x' WHERE name = 'consent.md'")
        plain.commit()
    assert any("its plan is not the one" in fault for fault in study_faults(study))


def test_erasing_takes_what_was_said_beside(study: StudyFile, seat: Seat) -> None:
    """Reports, training and checks of an erased person say nothing any more."""
    stages = enter(study, seat)
    until(stages, RatingView)
    stages.report("a-word-of-mine")
    list(walk(stages))
    name = stages.sitting.person.pseudonym
    study.withdrawals.withdraw(name)
    assert study.said.reports_of_round(1) == study.said.checks_of_round(1) == ()
    study.withdrawals.erase(name)
    with closing(sqlite3.connect(study.path)) as plain:
        for table, column in (
            ("training_answers", "answer"), ("check_answers", "answer"), ("item_reports", "text"),
        ):  # fmt: skip
            assert {row[0] for row in plain.execute(f"SELECT {column} FROM {table}")} == {""}
    for file in study.path.parent.glob("study.db*"):
        assert b"a-word-of-mine" not in file.read_bytes()
    assert study_faults(study) == ()


def test_what_a_page_holds_is_listed_here() -> None:
    """A field more on a page is a decision, not an accident."""
    assert {kind.__name__: tuple(f.name for f in fields(kind)) for kind in get_args(StageView)} == {
        "ConsentView": ("text",),
        "TextView": ("kind", "text"),
        "TrainingView": (
            "number", "total", "text", "choices", "turn", "turns", "given", "correct", "feedback",
        ),
        "RatingView": ("item", "form", "total", "done", "answers", "comment", "saved"),
        "CheckView": ("text", "choices"),
        "BreakView": ("text", "done", "total"),
        "EndView": ("reason", "text", "code", "done", "total", "graded"),
    }  # fmt: skip


def refusals(study: StudyFile, stages: Stages, code: str) -> list[str]:
    """Do everything wrong that can be done wrong, and return what is said to it."""
    told = []
    for wrong in (
        lambda: stages.save({"choice": "Z"}),
        lambda: stages.save({}),
        lambda: stages.choose("Z"),
        lambda: stages.report(""),
        lambda: Stages.enter(study, code),
        lambda: Stages.enter(study, "AAAA-AAAAAAAA"),
    ):
        try:
            wrong()
        except WavelockError as error:
            told.append(str(error))
    return told


def test_no_canary_is_in_a_page_an_error_or_a_code(workshop: Any, tmp_path: Path) -> None:
    """Condition, scenario, action, gold and fact are on no page, in no refusal and in no code."""
    study = workshop.create(tmp_path / f"{CANARY}-file.db", [planted(n) for n in range(5)])
    texts = {**TEXTS, "checks.toml": CLOSE, "breaks.toml": PAUSE}
    workshop.opened(study, name=f"{CANARY}-round", texts=texts)
    secrets = (CANARY, "Active", "Removed", "Explicit", "SalienceControl", "gold", "heavy")
    told: list[str] = []
    for seat in study.rounds.seats(1, "rater"):
        code = study.people.issue_code(seat.id)
        stages = Stages.enter(study, code)
        for view in walk(stages):
            told.append(repr(view))
            told += refusals(study, stages, code)
        stages.leave()
    study.rounds.close(1)
    with pytest.raises(Refused) as closed:
        stages.report("late")
    told.append(str(closed.value))
    assert len(told) > 100
    for text in told:
        assert not [secret for secret in secrets if secret in text], text


ACTS = ("on", "back", "good", "bad", "right", "wrong", "agree", "refuse", "report", "again")


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(acts=st.lists(st.sampled_from(ACTS), max_size=60))
def test_whatever_people_do_the_list_is_kept(
    workshop: Any, tmp_path_factory: pytest.TempPathFactory, acts: list[str]
) -> None:
    """Any keys in any order: no item skipped, none twice, training before items, checks once."""
    texts = {**TEXTS, "checks.toml": CLOSE, "breaks.toml": PAUSE}
    study = made(workshop, tmp_path_factory.mktemp("acts"), texts, 4)
    seat = study.seats.find(1, 1)
    stages = enter(study, seat)
    for act in acts:
        try:
            stages = _act(study, seat, stages, act)
        except Refused:
            continue
    done = [study.rounds.assignments(seat.id)[n].id for n in range(stages.sitting.done)]
    assert sorted(study.ratings.of_seat(seat.id)) == done
    if done:
        assert count(study, "consents") == 1
        assert count(study, "training_answers") >= 3
    study.close()


def _act(study: StudyFile, seat: Seat, stages: Stages, act: str) -> Stages:
    match act:
        case "on":
            stages.forward()
        case "back":
            stages.back()
        case "good":
            stages.save(GOOD)
        case "bad":
            stages.save({"choice": "Z"})
        case "right" | "wrong":
            step(stages, act == "right")
        case "agree" | "refuse":
            stages.consent(accepted=act == "agree")
        case "report":
            stages.report("x")
        case "again":
            with open_study(study.path):
                return enter(study, seat)
    return stages
