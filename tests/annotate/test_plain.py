"""Rating by typed lines: one question at a time, and Saved only of what is on disk."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.desk import RatingDesk
from annotate.sitting import RatingSitting
from annotate.talk import RatingTalk
from core.errors import InputError, SeatInUse, SeatLost, WavelockError
from core.forms import Form, Question
from db.file import open_study
from tests.ui.studies import CANARIES, Planted
from ui.lines import LineTerminal


@contextmanager
def talking(study: Planted) -> Iterator[RatingTalk]:
    with open_study(study.path) as file:
        desk = RatingDesk(RatingSitting.enter(file, study.code()))
        yield RatingTalk(desk)
        desk.leave()


def tell(talk: RatingTalk, *lines: str) -> str:
    """Say some lines, and return what comes back to the last one."""
    told: list[str] = []
    for line in lines:
        told = talk.hear(line)
    return "\n".join(told)


def stored(study: Planted) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(study.path)) as file:
        return file.execute(
            "SELECT answers, ratings.comment FROM ratings "
            "JOIN assignments ON assignments.id = ratings.assignment ORDER BY position"
        ).fetchall()


def test_saved_is_said_after_the_save(planted: Callable[..., Planted]) -> None:
    """Nothing is called saved before its row is in the file; the next item follows at once."""
    study = planted()
    with talking(study) as talk:
        talk.begin()
        assert "Saved" not in tell(talk, "a", "4")
        assert stored(study) == []
        told = tell(talk, "5")
        assert told.startswith("Saved.\n\nItem 2 of 4.")
        assert len(stored(study)) == 1


def test_one_question_at_a_time(planted: Callable[..., Planted]) -> None:
    """Each answer is followed by the next question, with the words at the ends of its scale."""
    with talking(planted()) as talk:
        first = "\n".join(talk.begin())
        assert "Which would you do?\na  Carry it over\nb  Rent a van" in first
        assert "How sure are you?" not in first
        assert tell(talk, "b") == "\nHow sure are you? 1 is not at all, 5 is completely."


@pytest.mark.parametrize("answer", ["b", "B", " b ", "rent a VAN"])
def test_a_key_or_the_words_answer(planted: Callable[..., Planted], answer: str) -> None:
    """The key in any case, or the whole label, gives an answer."""
    study = planted()
    with talking(study) as talk:
        tell(talk, answer, "٤", "é")
    assert stored(study)[0][0] == '{"choice":"B","confidence":4,"naturalness":2}'


@pytest.mark.parametrize("line", ["z", "6", "0", "ab", "a b", "back!", "\x1b[A", "[/"])
def test_what_is_no_answer_is_named_and_asked_again(
    planted: Callable[..., Planted], line: str
) -> None:
    """A line that means nothing changes nothing; what a terminal would obey is made visible."""
    with talking(planted()) as talk:
        told = tell(talk, line)
        assert "is no answer here" in told
        assert "Which would you do?" in told
        assert "\x1b" not in told
        assert talk.desk.unsaved == ()


def test_back_shows_what_was_answered_and_enter_keeps_it(planted: Callable[..., Planted]) -> None:
    """Going back, one change, and Enter: the one answer is changed, and one is where one was."""
    study = planted()
    with talking(study) as talk:
        tell(talk, "a", "4", "5")
        assert "Answered: a, Carry it over. Enter keeps it." in tell(talk, "back")
        assert "Answered: 4. Enter keeps it." in tell(talk, "")
        assert tell(talk, "2").startswith("Saved.")
        assert "Item 2 of 4." in tell(talk, "")
        assert "Answer every question to go on." in tell(talk, "next")
        assert "needs an answer" in tell(talk, "")
    assert [answers for answers, _ in stored(study)] == [
        '{"choice":"A","confidence":2,"naturalness":5}'
    ]


def test_up_goes_to_the_question_before(planted: Callable[..., Planted]) -> None:
    """A slip is mended before the item is complete."""
    study = planted()
    with talking(study) as talk:
        tell(talk, "a", "up", "b", "3", "3")
    assert '"choice":"B"' in stored(study)[0][0]


def test_no_line_of_a_comment_is_a_command(planted: Callable[..., Planted]) -> None:
    """Whatever is typed or pasted into a comment stays text until the line with a single dot."""
    study = planted()

    @settings(max_examples=30, deadline=None)
    @given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r")), max_size=6))
    def holds(lines: list[str]) -> None:
        with talking(study) as talk:
            tell(talk, "comment", "a", "5", "stop", "back", "", *(f"{line}|" for line in lines))
            assert not talk.ended
            assert dict(talk.desk.view.answers) == {}
            tell(talk, ".")
            assert talk.desk.view.comment.startswith("a\n5\nstop\nback")

    holds()


def test_a_comment_goes_with_the_rating(planted: Callable[..., Planted]) -> None:
    """On one line or on many, before the answers or after them."""
    study = planted()
    with talking(study) as talk:
        assert tell(talk, "comment reads oddly") == "Comment taken."
        tell(talk, "a", "4", "5", "back")
        assert tell(talk, "comment", "first", "second", ".") == "Comment taken.\nSaved."
    assert stored(study)[0][1] == "first\nsecond"


def test_stop_asks_once_when_something_is_not_complete(planted: Callable[..., Planted]) -> None:
    """Half an answer is named before it is given up; anything but a second stop stays."""
    with talking(planted()) as talk:
        assert "Not saved, because it is not complete: item 1." in tell(talk, "a", "stop")
        assert not talk.ended
        tell(talk, "again", "stop")
        assert not talk.ended
        tell(talk, "stop")
        assert talk.ended


def test_the_end_of_the_input_saves_what_can_be_saved(planted: Callable[..., Planted]) -> None:
    """A comment that was not ended is kept with its saved item."""
    study = planted()
    with talking(study) as talk:
        tell(talk, "a", "4", "5", "back", "comment", "in the middle")
        assert talk.hang_up() == ["Saved."]
        assert talk.ended
    assert stored(study)[0][1] == "in the middle"


def test_a_closed_round_is_told_and_nothing_is_called_saved(
    planted: Callable[..., Planted],
) -> None:
    """The reason comes back as a line, the answers stay, and save tries again."""
    study = planted()
    with talking(study) as talk, open_study(study.path) as other:
        other.rounds.close(study.round)
        assert tell(talk, "a", "4", "5").startswith("Not saved: this round is closed")
        assert tell(talk, "save").startswith("Not saved: this round is closed")
        assert dict(talk.desk.view.answers) == {"choice": "A", "confidence": 4, "naturalness": 5}
    assert stored(study) == []


def test_a_text_question_is_written_or_passed(planted: Callable[..., Planted]) -> None:
    """An optional text is offered; Enter passes it, write takes lines up to the dot."""
    form = Form(
        "text",
        (Question("ok", "yes-no", "Fine?"), Question("why", "text", "Why?", required=False)),
    )
    study = planted(form=form)
    with talking(study) as talk:
        assert "write begins your text; Enter goes on." in tell(talk, "yes")
        assert talk.prompt == "write or Enter: "
        assert "Item 2 of 4." in tell(talk, "")
        assert "Saved.\n\nItem 3 of 4." in tell(talk, "n", "write", "stop", "y", ".")
    assert [answers for answers, _ in stored(study)] == [
        '{"ok":true}',
        '{"ok":false,"why":"stop\\ny"}',
    ]


def test_the_end_can_be_left_or_gone_back_from(planted: Callable[..., Planted]) -> None:
    """After the last item come thanks; back shows it again, stop leaves."""
    study = planted()
    with talking(study) as talk:
        assert "Thank you. All 4 items are rated" in tell(talk, *["a", "4", "5"] * 4)
        assert tell(talk, "a") == "Type back or stop."
        assert "Item 4 of 4." in tell(talk, "back")
        tell(talk, "stop")
        assert talk.ended
    with talking(study) as talk:
        assert "Thank you." in "\n".join(talk.begin())


def test_nothing_said_carries_a_canary(planted: Callable[..., Planted]) -> None:
    """Conditions, scenarios, facts, gold labels and the round's name are in no line."""
    with talking(planted()) as talk:
        said = talk.begin()
        for line in ["keys", "again", "back", "zz", *["a", "4", "5"] * 4, "stop"]:
            said += talk.hear(line)
    assert not [line for line in said if any(canary in line for canary in CANARIES)]


def test_a_code_that_is_open_elsewhere_is_taken_over_after_a_yes(
    planted: Callable[..., Planted],
) -> None:
    """Anything else leaves the other window alone; after a yes that one saves nothing more."""
    study = planted()
    with open_study(study.path) as file:
        elsewhere = RatingSitting.enter(file, study.code())

        def admitted(*lines: str) -> RatingSitting | None:
            source = io.StringIO("".join(f"{line}\n" for line in lines))
            return LineTerminal(source, io.StringIO()).admit(
                lambda code, take_over: RatingSitting.enter(file, code, take_over=take_over),
                WavelockError,
            )

        with pytest.raises(InputError, match="open elsewhere"):
            admitted(study.code(), "no")
        elsewhere.alive()
        sitting = admitted(study.code(), "yes")
        assert sitting is not None
        with pytest.raises(SeatLost):
            elsewhere.alive()
        with pytest.raises(SeatInUse):
            RatingSitting.enter(file, study.code())
        sitting.leave()
        assert RatingSitting.enter(file, study.code()).total == sitting.total
