"""A rater's way on the screen: every page in its place, by keys alone, none passed unread."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest
from textual.pilot import Pilot

from annotate.app import RateApp
from annotate.desk import RatingDesk
from annotate.screens.page import PageScreen
from annotate.stages import Stages
from db.file import open_study
from tests.ui.piloting import COMPLETION, at_item, screen_text, shows, sign_in, until
from tests.ui.studies import CANARIES, PAGES, Planted
from ui.app import WavelockApp

SIZE = (80, 24)
RIGHT = "bba"  # the keys of the right answers to the training that ships
LONG = "# Much to read\n\n" + "\n\n".join(f"Paragraph {n} of the text." for n in range(40))


def count(study: Planted, table: str) -> int:
    with closing(sqlite3.connect(study.path)) as file:
        found: int = file.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return found


async def settled(pilot: Pilot[int], text: str) -> None:
    """Wait until a page with a text is painted; by then the last key was let go."""
    await shows(pilot, text)
    await pilot.pause()
    let_go(pilot)


async def to_items(pilot: Pilot[int], study: Planted) -> None:
    """Go from the code to the first item, as a willing person does."""
    await sign_in(pilot, study.code())
    await shows(pilot, "Do you agree to take part?")
    await pilot.press("y")
    await settled(pilot, "What to do")
    await pilot.press("right")
    for number, key in enumerate(RIGHT, start=1):
        await settled(pilot, f"{number} of 3")
        await pilot.press(key)
        await settled(pilot, "That is right.")
        await pilot.press("right")
    await at_item(pilot, 1)


def let_go(pilot: Pilot[int]) -> None:
    """Let the time pass after which a key cannot be one that is still held."""
    assert isinstance(pilot.app, WavelockApp)
    pilot.app.guard._held = None


def kind(pilot: Pilot[int]) -> str:
    """Name what is on the screen."""
    text = screen_text(pilot.app)
    names = {"Which would you do?": "item", "in between": "check", "short break": "pause"}
    return next((name for sign, name in names.items() if sign in text), "end")


async def test_the_whole_way_by_keys(planted: Callable[..., Planted]) -> None:
    """From the code to the completion code; all is stored, and no page shows a canary."""
    study = planted(pages=PAGES)
    app = RateApp(study.path)
    seen: list[str] = []
    async with app.run_test(size=SIZE) as pilot:
        await to_items(pilot, study)
        kinds = []
        while (here := kind(pilot)) != "end":
            kinds.append(here)
            seen += [screen_text(app), app.title, app.sub_title]
            before = app.screen
            if here == "item":
                number = before.state.view.number  # type: ignore[attr-defined]
                await at_item(pilot, number)
                await pilot.press("a", "4", "5")
                await until(
                    pilot,
                    lambda: app.screen is not before or app.screen.state.view.number != number,  # type: ignore[attr-defined]  # noqa: B023
                )
            else:
                await settled(pilot, "Wavelock")
                await pilot.press("b" if here == "check" else "right")
                await until(pilot, lambda: app.screen is not before)  # noqa: B023
        assert kinds == ["item", "check", "item", "check", "pause", "item", "item"]
        await shows(pilot, "All 4 items are rated")
        seen.append(screen_text(app))
        code = COMPLETION.search(screen_text(app))
        assert code
        await pilot.press("q")
    assert app.return_code == 0
    with open_study(study.path) as file:
        assert file.completions.find(code[0]).finished
    assert [count(study, t) for t in ("consents", "training_answers", "check_answers")] == [1, 3, 2]
    assert count(study, "ratings") == 4
    assert not [text for text in seen if any(canary in text for canary in CANARIES)]


async def test_declining_ends_kindly_and_stores_nothing(planted: Callable[..., Planted]) -> None:
    """No is answered with a word of thanks; one may think again, or leave, and is asked again."""
    study = planted(pages=PAGES)
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await shows(pilot, "Do you agree")
        await pilot.press("n")
        await settled(pilot, "Thank you all the same")
        await pilot.press("left")
        await settled(pilot, "Do you agree")
        await pilot.press("n")
        await settled(pilot, "Thank you all the same")
        await pilot.press("q")
    assert (app.return_code, count(study, "consents"), count(study, "ratings")) == (0, 0, 0)
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await shows(pilot, "Do you agree")


async def test_a_held_enter_turns_one_page(planted: Callable[..., Planted]) -> None:
    """Enter that stays down goes through one page, and answers nothing on the next."""
    study = planted(pages={**PAGES, "instructions.md": "# What to do\n\nRead.\n"})
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await shows(pilot, "Do you agree")
        await pilot.press("y")
        await settled(pilot, "What to do")
        app.guard._wait = 60.0  # however slow the machine, the key counts as held
        await pilot.press(*["enter"] * 12)
        await shows(pilot, "1 of 3")
        assert count(study, "training_answers") == 0


async def test_the_answer_is_told_after_it_was_given(planted: Callable[..., Planted]) -> None:
    """Feedback stands below the answer in brackets; another key changes nothing any more."""
    study = planted(pages=PAGES)
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await shows(pilot, "Do you agree")
        await pilot.press("tab", "enter")
        await settled(pilot, "What to do")
        await pilot.press("right")
        await settled(pilot, "1 of 3")
        assert "Only your own judgement" not in screen_text(app)
        await pilot.press("a")
        await settled(pilot, "Not quite. Only your own judgement counts")
        assert "[a]" in screen_text(app)
        await pilot.press("b")
        await pilot.pause()
        assert "[a]" in screen_text(app)
        assert count(study, "training_answers") == 1


async def test_a_long_text_is_read_on_by_one_key(planted: Callable[..., Planted]) -> None:
    """Enter reads on while there is more, and goes on at the end; the rule counts the lines."""
    study = planted(pages={**PAGES, "instructions.md": LONG})
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await shows(pilot, "Do you agree")
        await pilot.press("y")
        await settled(pilot, "Much to read")
        assert "Enter read on" in screen_text(app)
        turns = 0
        while "Paragraph 39" not in screen_text(app):
            assert "1 of 3" not in screen_text(app)
            await pilot.press("enter")
            await pilot.pause()
            turns += 1
        assert turns > 3
        await shows(pilot, "Enter go on")
        await pilot.press("enter")
        await shows(pilot, "1 of 3")


async def test_resizing_keeps_the_place_and_the_answer(planted: Callable[..., Planted]) -> None:
    """At 40x10 every page can be read and answered; growing back shows it as it was."""
    study = planted(pages={**PAGES, "consent.md": LONG})
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await shows(pilot, "Do you agree")
        await pilot.press("pagedown", "down", "tab")
        await pilot.pause()
        before = screen_text(app)
        await pilot.resize_terminal(40, 10)
        await pilot.pause()
        small = screen_text(app)
        assert "Do you agree" in small
        assert "Paragraph" in small
        assert all(len(line) <= 40 for line in small.split("\n"))
        await pilot.resize_terminal(*SIZE)
        await pilot.pause()
        assert screen_text(app) == before


HOSTILE = (
    "[/ [bold]x[/bold] [@click=app.quit]press[/]", "[a link](https://example.org)",
    "日本語の文章はここで折り返します。" * 5, "<b>bold</b> &amp;",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
async def test_texts_are_data(planted: Callable[..., Planted], text: str) -> None:
    """Markup, links and control characters of a study's text stand there and do nothing."""
    study = planted(pages={**PAGES, "consent.md": f"# Title\n\n{text}\n"})
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await shows(pilot, "Do you agree")
        shown = screen_text(app)
        assert text[:30] in shown
        await pilot.click("ProsePane", offset=(40, 3))
        assert isinstance(app.screen, PageScreen)


async def test_a_problem_is_reported_on_the_screen(planted: Callable[..., Planted]) -> None:
    """! opens a field in which every key is text; what was written is stored and called saved."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await pilot.press("!", "escape")
        await pilot.pause()
        assert count(study, "item_reports") == 0
        await pilot.press("!", *"a45q!")
        await pilot.press("escape")
        await shows(pilot, "Your report is saved ✓")
        assert "[a]" not in screen_text(app)
        with open_study(study.path) as file:
            assert [r.text for r in file.said.reports_of_round(study.round)] == ["a45q!"]
        await pilot.press("a", "4", "5")
        await at_item(pilot, 2)


async def test_a_report_that_is_not_saved_is_kept(
    planted: Callable[..., Planted], monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the file stays busy the reason is told, and ! shows the text again."""
    monkeypatch.setattr(RatingDesk, "PATIENCE", 0.0)
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        with closing(sqlite3.connect(study.path)) as other:
            other.execute("BEGIN IMMEDIATE")
            await pilot.press("!", *"cut", "escape")
            await shows(pilot, "Not saved")
        await pilot.press("!")
        await shows(pilot, "cut")
        await pilot.press("escape")
        await shows(pilot, "Your report is saved ✓")
    assert count(study, "item_reports") == 1


@pytest.mark.parametrize("patience", [0.0, 30.0])
async def test_a_page_waits_for_a_busy_file(
    planted: Callable[..., Planted], monkeypatch: pytest.MonkeyPatch, patience: float
) -> None:
    """The screen lives while the file is busy; then the answer is stored once, or can be again."""
    monkeypatch.setattr(RatingDesk, "PATIENCE", patience)
    study = planted(pages=PAGES)
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await shows(pilot, "Do you agree")
        with closing(sqlite3.connect(study.path)) as other:
            other.execute("BEGIN IMMEDIATE")
            await pilot.press("y")
            await shows(pilot, "Saving …" if patience else "Not saved")
            await pilot.press("question_mark")
            await shows(pilot, "All keys")
            await pilot.press("escape")
        if not patience:
            let_go(pilot)
            await pilot.press("y")
        await shows(pilot, "What to do")
    assert count(study, "consents") == 1


async def test_what_was_given_up_is_not_stored_later(planted: Callable[..., Planted]) -> None:
    """Who leaves while an answer waits for the file has not given it."""
    study = planted(pages=PAGES)
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await shows(pilot, "Do you agree")
        with closing(sqlite3.connect(study.path)) as other:
            other.execute("BEGIN IMMEDIATE")
            await pilot.press("y")
            await shows(pilot, "Saving …")
            await pilot.press("q")
            await pilot.pause()
    assert count(study, "consents") == 0


async def test_a_seat_that_was_lost_is_told_on_a_page(planted: Callable[..., Planted]) -> None:
    """Whoever was taken over learns it from the page, and nothing of theirs is stored."""
    study = planted(pages=PAGES)
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await shows(pilot, "Do you agree")
        with open_study(study.path) as file:
            other = Stages.enter(file, study.code(), take_over=True)
            await pilot.press("y")
            await shows(pilot, "this code was opened elsewhere")
            assert count(study, "consents") == 0
            other.leave()


async def test_reading_is_not_working_on_an_item(
    planted: Callable[..., Planted], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time of a rating begins with its item, not with the pages before it."""
    study = planted(pages={"instructions.md": "# What to do\n"})
    app = RateApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await settled(pilot, "What to do")
        assert app.flow is not None
        clock = app.flow.desk.time._clock
        monkeypatch.setattr(app.flow.desk.time, "_clock", lambda: clock() + 50)
        await pilot.press("right")
        await at_item(pilot, 1)
        await pilot.press("a", "4", "5")
        await at_item(pilot, 2)
    with closing(sqlite3.connect(study.path)) as file:
        assert file.execute("SELECT max(seconds) FROM ratings").fetchone()[0] < 50
