"""A person's own settings on the rating screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from annotate.app import RateApp
from annotate.desk import RatingDesk
from annotate.sitting import RatingSitting
from annotate.talk import RatingTalk
from core.settings import Settings, parse_settings
from db.file import open_study
from tests.annotate.test_rating_screen import ratings
from tests.ui.piloting import assert_golden, at_item, screen_text, shows, sign_in, until
from tests.ui.studies import Planted
from ui.screens.note import NoteScreen
from ui.theme import LIGHT

HERE = Path(__file__).parent
MAPPED = """
[keys]
answers = ["f", "g", "h", "j", ";"]
scroll_down = "n"
stop = "F10"
comment = "c"
back = "b"
"""


async def test_mapped_keys_work_and_are_shown(planted: Callable[..., Planted]) -> None:
    """Answers by place, commands by name; the footer and the help show what is mapped."""
    study = planted()
    app = RateApp(study.path, parse_settings(MAPPED, "s"))
    async with app.run_test(size=(80, 24)) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        assert_golden(app, HERE, "mapped")
        await pilot.press("?")
        await shows(pilot, "F10")
        assert_golden(app, HERE, "mapped_help")
        await pilot.press("escape", "a", "1", "q", "m")
        assert "▸ Which would you do?" in screen_text(app)
        await pilot.press("g", "semicolon", "f")
        await at_item(pilot, 2)
        await pilot.press("b")
        await at_item(pilot, 1)
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, NoteScreen))
        await pilot.press(*"fgb", "escape")
        await shows(pilot, "Comment: fgb")
        await pilot.press("f10")
        await pilot.pause()
    assert app.return_code == 0
    assert ratings(study) == [{"choice": "B", "confidence": 5, "naturalness": 1}]


@pytest.mark.parametrize("go_on", ["enter", "right"])
async def test_auto_advance_can_be_turned_off(planted: Callable[..., Planted], go_on: str) -> None:
    """The item stays, saved, until Enter or the right arrow; a slip can be mended before."""
    study = planted()
    app = RateApp(study.path, Settings(auto_advance=False))
    async with app.run_test(size=(80, 24)) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await pilot.press("a", "4", "5")
        await shows(pilot, "Enter or → goes on")
        assert_golden(app, HERE, "stays")
        await pilot.press("3")
        await until(pilot, lambda: ratings(study)[0]["naturalness"] == 3)
        await shows(pilot, "Saved ✓")
        await pilot.press(go_on)
        await at_item(pilot, 2)


def test_lines_stay_too(planted: Callable[..., Planted]) -> None:
    """Line by line, the next item comes with Enter when auto-advance is off."""
    study = planted()
    with open_study(study.path) as file:
        talk = RatingTalk(RatingDesk(RatingSitting.enter(file, study.code()), advance=False))
        told = [talk.hear(line) for line in ("a", "4", "5", "")]
    assert told[2] == ["Saved.", "Enter or next goes on."]
    assert "Item 2 of 4." in told[3]


@pytest.mark.parametrize("keys", ["é\"'", "٢٣٤"])
async def test_digits_of_other_keyboards(planted: Callable[..., Planted], keys: str) -> None:
    """A French digit row without Shift and Arabic-Indic digits answer without any mapping."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=(80, 24)) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await pilot.press("b", *keys[:2])
        await at_item(pilot, 2)
    assert ratings(study)[0]["naturalness"] == 3


async def test_with_reduced_keys_letters_only_answer(planted: Callable[..., Planted]) -> None:
    """q, m, u, j and k do nothing; the function keys do what they did."""
    study = planted()
    app = RateApp(study.path, parse_settings("reduced_keys = true", "s"))
    async with app.run_test(size=(80, 24)) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await pilot.press(*"qmujkxr")
        assert_golden(app, HERE, "reduced")
        await pilot.press("f2")
        await shows(pilot, "Comment on item 1")
        await pilot.press("escape", "f10")
        await pilot.pause()
    assert app.return_code == 0


async def test_the_theme_of_the_settings(planted: Callable[..., Planted]) -> None:
    """A chosen theme is there from the first screen on."""
    app = RateApp(planted().path, Settings(theme="light"))
    async with app.run_test(size=(80, 24)):
        assert app.theme == LIGHT.name
