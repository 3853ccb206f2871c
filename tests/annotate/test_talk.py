"""A rater's whole way by typed lines: the same stages, and nothing called saved too early."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest

from annotate.desk import RatingDesk
from annotate.stages import Stages
from annotate.talk import RaterTalk
from db.file import StudyFile, open_study
from tests.ui.piloting import COMPLETION
from tests.ui.studies import CANARIES, PAGES, Planted

TRAINED = ("y", "", "b", "", "b", "", "a", "")  # from the consent text to the first item
RATED = ("a", "4", "5")
WHOLE = (*TRAINED, *RATED, "b", *RATED, "c", "", *RATED, *RATED)


@contextmanager
def talking(study: Planted) -> Iterator[tuple[RaterTalk, StudyFile]]:
    with open_study(study.path) as file:
        talk = RaterTalk(Stages.enter(file, study.code()))
        yield talk, file
        talk.leave()


def tell(talk: RaterTalk, *lines: str) -> str:
    """Say some lines, and return what comes back to the last one."""
    told: list[str] = []
    for line in lines:
        told = talk.hear(line)
    return "\n".join(told)


def test_the_whole_way_in_lines(planted: Callable[..., Planted]) -> None:
    """Every page and item in its order, each said once, and the code at the end."""
    study = planted(pages=PAGES)
    with talking(study) as (talk, file):
        said = "\n".join([*talk.begin(), *(line for typed in WHOLE for line in talk.hear(typed))])
        places = [
            said.index(text)
            for text in (
                "Do you agree to take part?", "What to do", "Training, 1 of 3.", "That is right.",
                "Item 1 of 4.", "choose the second", "Item 2 of 4.", "the colour of grass",
                "A pause, 2 of 4.", "Item 3 of 4.", "Item 4 of 4.", "Your completion code: ",
            )
        ]  # fmt: skip
        assert places == sorted(places)
        assert said.count("Item 2 of 4.") == said.count("choose the second") == 1
        assert said.count("Saved.") == 4 == len(file.ratings.of_round(study.round))
        code = COMPLETION.search(said)
        assert code
        assert file.completions.find(code[0]).finished
        assert talk.prompt == "back or stop: "
        assert "Item 4 of 4." in tell(talk, "back")
        assert not [line for line in said.split("\n") if any(c in line for c in CANARIES)]
        assert said.replace("\n", "").isprintable()


def test_declining_ends_kindly(planted: Callable[..., Planted]) -> None:
    """No stores nothing; back asks again, stop leaves."""
    study = planted(pages=PAGES)
    with talking(study) as (talk, file):
        talk.begin()
        assert "Thank you all the same" in tell(talk, "no")
        assert "Do you agree" in tell(talk, "back")
        tell(talk, "n", "stop")
        assert talk.ended
        assert file.said.consented(1, 1) is None


@pytest.mark.parametrize("line", ["", "z", "next", "back", "\x1b[A", "[/", "ja"])
def test_what_is_no_answer_turns_no_page(planted: Callable[..., Planted], line: str) -> None:
    """A page that asks is left by an answer alone; what a terminal would obey is made visible."""
    with talking(planted(pages=PAGES)) as (talk, _):
        talk.begin()
        told = tell(talk, line)
        assert "Do you agree to take part?" in told
        assert "\x1b" not in told
        assert talk.prompt == "Answer: "


def test_pages_have_their_words(planted: Callable[..., Planted]) -> None:
    """keys lists what can be said, again reads the page once more."""
    with talking(planted(pages=PAGES)) as (talk, _):
        talk.begin()
        tell(talk, "y")
        assert talk.prompt == "Enter or stop: "
        assert "Enter: go on." in tell(talk, "keys")
        assert "What to do" in tell(talk, "again")
        assert "is no answer here" in tell(talk, "a")


def test_a_report_is_a_text_and_is_stored(planted: Callable[..., Planted]) -> None:
    """On one line or on many; no line of it is a command, and nothing written is no report."""
    study = planted()
    with talking(study) as (talk, file):
        talk.begin()
        assert tell(talk, "report cut off") == "Your report is saved."
        assert tell(talk, "report", "a", "stop", ".") == "Your report is saved."
        assert tell(talk, "report", ".") == "Nothing is reported."
        assert [r.text for r in file.said.reports_of_round(study.round)] == ["cut off", "a\nstop"]
        assert tell(talk, *RATED).startswith("Saved.")


def test_what_cannot_be_stored_is_told(
    planted: Callable[..., Planted], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy file keeps the page and the report from being called saved; later both go."""
    monkeypatch.setattr(RatingDesk, "PATIENCE", 0.0)
    monkeypatch.setattr("ui.desk.Desk.PATIENCE", 0.0)
    study = planted(pages=PAGES)
    with talking(study) as (talk, file):
        talk.begin()
        with closing(sqlite3.connect(study.path)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert tell(talk, "y").startswith("Not saved: ")
        tell(talk, *TRAINED)
        with closing(sqlite3.connect(study.path)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert tell(talk, "report x").startswith("Your report is not saved: ")
        assert tell(talk, "report x") == "Your report is saved."
        assert len(file.said.reports_of_round(study.round)) == 1


def test_it_goes_on_where_it_was(planted: Callable[..., Planted]) -> None:
    """A new conversation begins at the page or item at which the last one ended."""
    study = planted(pages=PAGES)
    with talking(study) as (talk, _):
        tell(talk, *TRAINED, *RATED)
        assert talk.hang_up() == []
    with talking(study) as (talk, _):
        assert "choose the second" in "\n".join(talk.begin())
        tell(talk, "b", "a")
        assert "item 2" in "\n".join(talk.hang_up())
    with talking(study) as (talk, _):
        assert "Item 2 of 4." in "\n".join(talk.begin())
