"""Grading rounds: what is drawn, what a grader sees, in which order, and where it is kept."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from annotate.app import RateApp
from annotate.desk import RatingDesk
from annotate.grading_proof import prove_grading
from annotate.packet_in import merge
from annotate.packet_out import hand_out
from annotate.proof import failed
from annotate.sampling import SampleRequest, draw
from annotate.simulate import simulate_ratings
from annotate.sitting import RatingSitting
from annotate.status import status_tables
from annotate.talk import RatingTalk
from audit.verify import study_faults
from core.errors import InputError, NotFound, Refused
from core.forms import parse_form
from db.file import StudyFile, open_study
from suites.forms import load as load_form
from tests.annotate.graded import HOSTILE, LONG, graded_round, with_responses
from tests.ui.piloting import screen_text, sign_in, until
from tests.ui.studies import CANARIES

FORM = load_form("grading")
SIZE = (80, 24)


@pytest.fixture
def study(tmp_path: Path) -> Iterator[StudyFile]:
    with with_responses(tmp_path / "study.db") as made:
        yield made


def asked(**more: object) -> SampleRequest:
    levels = ("verdict", "condition", "model")
    return SampleRequest(**{"runs": (1, 2), "levels": levels, "size": 8, **more})  # type: ignore[arg-type]


def test_every_grader_has_the_sample_in_an_order_of_their_own(study: StudyFile) -> None:
    """All grade everything; no two in the same order, and no text twice in a row."""
    made = graded_round(study, size=16, graders=3)
    lists = [study.rounds.assignments(seat.id) for seat in study.rounds.seats(made.round.id)]
    drawn = {each.response for each in made.sample.drawn}
    assert len(drawn) == 16
    assert all({each.response for each in mine} == drawn for mine in lists)
    assert len({tuple(each.response for each in mine) for mine in lists}) == 3
    assert not any(one.revision == two.revision for mine in lists for one, two in pairwise(mine))
    claims = prove_grading(study, made.round, made.sample)
    assert (len(claims), failed(claims), study_faults(study)) == (5, (), ())


def test_quotas_are_drawn_and_what_is_not_there_is_said(study: StudyFile) -> None:
    """A quota that cannot be filled is refused with what is there; --fewer takes that."""
    found = draw(study, asked(size=None, quotas={"correct": 5, "incorrect": 3}), FORM)
    assert Counter(each.verdict for each, _ in found.drawn) == {"correct": 5, "incorrect": 3}
    short = asked(size=None, quotas={"correct": 5, "incorrect": 90})
    with pytest.raises(InputError, match="90 incorrect wanted, and there are 16 correct, 16 incor"):
        draw(study, short, FORM)
    fewer = draw(study, asked(size=None, quotas={"correct": 5, "incorrect": 90}, fewer=True), FORM)
    assert (fewer.wanted, fewer.size) == (95, 21)
    with pytest.raises(NotFound, match="'right' is no verdict under grade 1; there is"):
        draw(study, asked(quotas={"right": 1}), FORM)
    with pytest.raises(InputError, match="add up to 1, and --size is 8"):
        draw(study, asked(quotas={"correct": 1}), FORM)


def test_everything_is_covered_or_refused(study: StudyFile) -> None:
    found = draw(study, asked(cover="scenario", size=4), FORM)
    assert {each.scenario for each, _ in found.drawn} == {
        each.scenario for each in found.population.found
    }
    with pytest.raises(InputError, match="3 responses cannot cover 4 values of scenario"):
        draw(study, asked(cover="scenario", size=3), FORM)
    with pytest.raises(InputError, match="exclude each other"):
        draw(study, asked(cover="scenario", quotas={"correct": 1}), FORM)
    with pytest.raises(InputError, match="nothing is known as 'colour'"):
        draw(study, asked(cover="colour"), FORM)


def test_the_seed_decides(study: StudyFile) -> None:
    drawn = [
        [each.id for each, _ in draw(study, asked(seed=seed), FORM).drawn] for seed in (1, 1, 2)
    ]
    assert drawn[0] == drawn[1] != drawn[2]


def test_other_names_draw_the_same(tmp_path: Path) -> None:
    """The same replies of models with other names give the same sample."""
    said = []
    for number, models in enumerate((("zeta", "alpha"), ("b", "c"))):
        with with_responses(tmp_path / f"{number}.db", models=models) as study:
            found = draw(study, asked(size=9), FORM)
            said.append(
                sorted((each.scenario, each.condition, each.key) for each, _ in found.drawn)
            )
    assert said[0] == said[1]


def test_what_shows_nothing_is_counted_and_not_drawn(tmp_path: Path) -> None:
    with with_responses(tmp_path / "study.db", said=("Answer: A", " \n")) as study:
        found = draw(study, asked(size=16, fewer=True), FORM)
        assert found.population.left_out == {"show nothing": 16}
        assert found.size == 16
        unjudged = draw(study, asked(judges=(1,), size=16), FORM)
        assert unjudged.size == 16


def test_no_majority_is_a_stratum_of_its_own(tmp_path: Path) -> None:
    judges = ("scripted-judge", "scripted-judge-lenient")
    with with_responses(tmp_path / "study.db", judges=judges) as study:
        found = draw(study, asked(size=8), FORM)
        assert Counter(each.verdict for each, _ in found.drawn) == {"correct": 4, "no-majority": 4}


def test_without_a_judge_there_are_no_verdicts(tmp_path: Path) -> None:
    with with_responses(tmp_path / "study.db", judges=()) as study:
        with pytest.raises(InputError, match="no judge has judged anything; judge first"):
            draw(study, asked(), FORM)
        made = graded_round(study)
        assert made.sample.document["judges"] == []
        assert {each.verdict for each in made.sample.drawn} == {""}


@pytest.mark.parametrize("name", ["core100", "wise"])
def test_a_form_must_be_able_to_grade(study: StudyFile, name: str) -> None:
    """A form that asks for an item's option is refused; one with a yes or no will do."""
    if name == "core100":
        with pytest.raises(InputError, match="asks for an option of an item"):
            draw(study, asked(), load_form(name))
    else:
        assert draw(study, asked(), load_form(name)).size == 8


def test_a_grader_sees_question_and_response_and_no_more(study: StudyFile) -> None:
    """The frozen text, its options, the visible text; the reference if asked for."""
    made = graded_round(study)
    sitting = RatingSitting.enter(study, made.codes[1])
    item = sitting.view().item
    assert item.response is not None
    assert item.question == f"{item.text}\n\nA. {item.options[0]}\nB. {item.options[1]}"
    assert item.response.text in {"Answer: A", "Answer: B"}
    assert (item.response.reference, item.response.criterion) == ("", "")
    assert not any(canary in repr(sitting.view()) for canary in CANARIES)
    sitting.leave()
    text = 'name = "open"\nshows = ["reference", "criterion"]\n' + "\n".join([
        "[[question]]", 'id = "ok"', 'kind = "yes-no"', 'text = "Is it right?"',
    ])  # fmt: skip
    shown = graded_round(study, name="two", form=parse_form(text, "x"))
    response = RatingSitting.enter(study, shown.codes[1]).view().item.response
    assert response is not None
    assert response.reference in item.options
    assert response.criterion == "CANARY-FACT"  # asked for by the form


def test_grades_are_no_ratings(study: StudyFile) -> None:
    """What was said stands in the grades of the round, and nowhere among ratings."""
    made = graded_round(study)
    made.grade(1, ["correct"] * 8)
    assert len(study.grades.of_round(made.round.id)) == 8
    assert (
        study.ratings.of_round(made.round.id) == study.ratings.events_of_round(made.round.id) == ()
    )
    so_far, seats = status_tables(study, made.round)
    assert so_far.rows[0]["value"] == "8 of 16"
    assert [row["done"] for row in seats.rows] == [8, 0]
    assert "grading" in so_far.title
    closed = study.rounds.close(made.round.id)
    assert (closed.state, study_faults(study)) == ("closed", ())


def test_simulated_graders_sit_in_rehearsals(study: StudyFile) -> None:
    made = graded_round(study, kind="rehearsal")
    assert simulate_ratings(study, made.round, seed=1) == 16
    assert {grade.person_kind for grade in study.grades.of_round(made.round.id)} == {"simulated"}
    with pytest.raises(Refused, match="only rehearsals are simulated"):
        simulate_ratings(study, graded_round(study, name="two").round, seed=1)


async def test_the_response_stands_apart_without_colour(tmp_path: Path) -> None:
    """A heading, and a bar on every line of the response; nothing in it acts or hides."""
    with with_responses(tmp_path / "study.db", said=(HOSTILE,), judges=()) as study:
        made = graded_round(study)
    app = RateApp(made.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, made.codes[1])
        await until(pilot, lambda: "What to do" in screen_text(app))
        await pilot.press("right")
        await until(pilot, lambda: "Is the response correct?" in screen_text(app))
        shown = screen_text(app)
    assert "┏━ Response ━" in shown
    barred = [line.strip() for line in shown.splitlines() if line.strip().startswith("┃")]
    assert barred[0] == "┃ Answer: A"
    assert barred[1].startswith("┃ ␛[31m[bold]RED[/bold]‹RLO›")
    assert not any(canary in shown for canary in CANARIES)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 16)])
async def test_a_long_response_is_scrolled_by_keys(tmp_path: Path, size: tuple[int, int]) -> None:
    with with_responses(tmp_path / "study.db", said=(LONG,), judges=()) as study:
        made = graded_round(study)
    app = RateApp(made.path)
    async with app.run_test(size=size) as pilot:
        await sign_in(pilot, made.codes[1])
        await until(pilot, lambda: "What to do" in screen_text(app))
        await pilot.press("right")
        await until(pilot, lambda: "lines more" in screen_text(app))
        assert "Line 40 of" not in screen_text(app)
        await pilot.press("end")
        await until(pilot, lambda: "Line 40 of a long reply." in screen_text(app))
        await pilot.press("home", "a")
        await until(pilot, lambda: "2 of 8" in screen_text(app))


def test_lines_mark_the_response_too(tmp_path: Path) -> None:
    with with_responses(tmp_path / "study.db", said=(HOSTILE,)) as study:
        made = graded_round(study)
        sitting = RatingSitting.enter(study, made.codes[1])
        told = RatingTalk(RatingDesk(sitting)).begin()
    assert "Response, 2 lines, each behind a bar:" in told
    at = told.index("Response, 2 lines, each behind a bar:")
    assert told[at + 1] == "| Answer: A"
    assert told[at + 2].startswith("| ␛[31m[bold]RED")
    assert any(line.startswith("Is the response correct?") for line in told)


def test_a_packet_is_blind_and_comes_back(study: StudyFile, tmp_path: Path) -> None:
    """No model, run, condition, verdict or thought is in its bytes; its grades come in."""
    made = graded_round(study, kind="main")
    (sent,) = hand_out(study, made.round, [study.seats.find(made.round.id, 1)], tmp_path / "out")
    data = sent.file.read_bytes()
    for word in (b"CANARY", b"canary", b"scripted-judge", b"grade 1", b"core100", b"incorrect 1"):
        assert word not in data, word
    with closing(sqlite3.connect(sent.file)) as file:
        tables = ("generations", "runs", "judges", "judgements", "gradings", "waves")
        counts = [file.execute(f"SELECT count(*) FROM {name}").fetchone() for name in tables]
        texts = [text for (text,) in file.execute("SELECT text FROM packet_responses")]
    assert set(counts) == {(0,)}
    assert sorted(set(texts)) == ["Answer: A", "Answer: B"]
    with open_study(sent.file) as packet:
        sitting = RatingSitting.enter(packet, made.codes[1])
        listed = study.rounds.assignments(study.seats.find(made.round.id, 1).id)
        for assignment in listed:
            item = sitting.view().item
            assert item.response is not None
            response = study.gradings.shown(assignment.id)
            assert item.response == response
            sitting.save({"grade": "correct"})
            sitting.forward()
        sitting.leave()
    merge(study, sent.file)
    assert len(study.grades.of_round(made.round.id)) == 8
    assert study_faults(study) == ()


def test_a_changed_response_in_a_packet_is_noticed(study: StudyFile, tmp_path: Path) -> None:
    made = graded_round(study)
    (sent,) = hand_out(study, made.round, [study.seats.find(made.round.id, 1)], tmp_path / "out")
    with closing(sqlite3.connect(sent.file)) as file:
        file.execute("DROP TRIGGER packet_responses_unchanged")
        file.execute("UPDATE packet_responses SET text = 'Answer: C'")
        file.commit()
    with open_study(sent.file) as packet, pytest.raises(Refused, match="damaged or changed"):
        RatingSitting.enter(packet, made.codes[1])
