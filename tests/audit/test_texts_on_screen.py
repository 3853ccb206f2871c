"""Pairs of every script and length, at every size: never broken, the differences legible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from audit.app import AuditApp
from db.file import create_study
from tests.audit.test_audit_screen import LONG, audits, enter, verdict
from tests.ui.piloting import assert_golden, at_item, screen_text, shows, sign_in, until
from tests.ui.studies import Planted, add_round, scenarios

HERE = Path(__file__).parent
SIZES = [(80, 24), (40, 10), (160, 48)]
TEXTS = {
    "han": "日本語の文章はここで折り返します。" * 12,
    "arabic": "أريد أن آخذ الكرسي إلى المخزن القريب هل أحمله أم أستأجر شاحنة؟ " * 5,
    "hebrew": "אני צריך להביא את הספה למחסן הקרוב האם לסחוב או לשכור רכב? " * 5,
    "emoji": "A 👨\u200d👩\u200d👧 family ❤️ 👍🏽 1️⃣ and 🇫🇷 flags came by. " * 6,
    "hindi": "मुझे सोफ़ा दो गली दूर गोदाम तक ले जाना है। " * 6,
    "thai": "ฉันต้องเอาโซฟาไปที่โกดังสองซอยถัดไป" * 6,
    "no blanks": "x" * 700,
    "accents": "cafe\u0301 de\u0301ja\u0300 vu a\u0308o\u0308u\u0308 " * 20,
    "markup": "[bold]x[/bold] [@click=app.quit]press[/] [/ \x1b[31mred\x07 ",
    "lines": "first line\nsecond line\n\n\tthird after a tab\n" * 3,
    "empty but a dot": ".",
    "long": LONG,
}


def assert_whole(screen: str, size: tuple[int, int]) -> None:
    """As many lines as the terminal has, none too wide, the frame and the question in place."""
    lines = screen.rstrip("\n").split("\n")
    assert len(lines) <= size[1]
    assert not [line for line in lines if cell_len(line) > size[0]]
    assert lines[0].startswith(" Wavelock")
    assert "q stop" in lines[-1]
    assert "Has exactly one fact changed" in screen
    parted = [line for line in lines[2:] if " │ " in line]
    assert len({cell_len(line[: line.index("│")]) for line in parted}) <= 1


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_every_script_at_every_size(
    planted: Callable[..., Planted], size: tuple[int, int]
) -> None:
    """The frame stands, the added word is in brackets and underlined, a verdict can be given."""
    study = planted(texts=list(TEXTS.values()))
    app = AuditApp(study.path)
    async with app.run_test(size=size) as pilot:
        await enter(pilot, study)
        for number in range(1, len(TEXTS) + 1):
            await pilot.pause()
            assert_whole(screen_text(app), size)
            await pilot.press("x")
            await shows(pilot, "[Today]")
            assert_whole(screen_text(app), size)
            strips = app.screen._compositor.render_strips()
            styles = [s.style for strip in strips for s in strip if "Today" in s.text]
            assert styles
            assert all(style and style.underline and style.bold for style in styles)
            await verdict(pilot, "y", number + 1 if number < len(TEXTS) else None)
    assert all(audit.differences for audit in audits(study))


async def test_marks_come_into_sight(planted: Callable[..., Planted]) -> None:
    """In a stacked pair the first mark may be far below: asking for it shows it, and stays there.

    The line between the texts says where the second begins.
    """
    study = planted(texts=[LONG] * 4)
    app = AuditApp(study.path)
    async with app.run_test(size=(80, 24)) as pilot:
        await enter(pilot, study)
        while "Today" in screen_text(app).split("second text")[0]:
            number = app.screen.state.view.number  # type: ignore[attr-defined]
            await verdict(pilot, "y", number + 1)
            await pilot.pause()
        assert "[Today]" not in screen_text(app)
        await pilot.press("x")
        await shows(pilot, "[Today]")
        assert "second text ───" in screen_text(app)
        assert_golden(app, HERE, "long_marked")
        before = screen_text(app)
        await pilot.press("x")
        await until(pilot, lambda: "[Today]" not in screen_text(app))
        await pilot.press("x")
        await shows(pilot, "[Today]")
        assert screen_text(app) == before


async def test_a_pair_without_a_differing_word_says_why(tmp_path: Path) -> None:
    """Blanks are no words: the line below says that they are all that differs."""
    study = plant_pairs(tmp_path / "study.db", "one two. Go?", "one  two. Go?")
    app = AuditApp(study.path)
    async with app.run_test(size=(80, 24)) as pilot:
        await enter(pilot, study)
        await pilot.press("x")
        await shows(pilot, "No word differs; the texts differ only in blanks or line breaks.")
        await pilot.press("x")
        await until(pilot, lambda: "No word differs" not in screen_text(app))


def plant_pairs(path: Path, first: str, second: str) -> Planted:
    """Make a study with one pair of texts."""
    (drafted,) = scenarios([first])
    active, removed = drafted.items
    pair = replace(drafted, items=(active, replace(removed, text=second)))
    with create_study(path, title="t", suite="core100", scenarios=[pair], salt="s") as study:
        return add_round(study)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_instructions_come_first_and_on_a_key(
    instructed: Callable[..., Planted], size: tuple[int, int]
) -> None:
    """Before the first verdict by themselves, then on a key; no key gives a verdict there."""
    study = instructed()
    app = AuditApp(study.path)
    async with app.run_test(size=size) as pilot:
        await enter_instructed(pilot, study)
        assert_golden(app, HERE, f"instructions_{size[0]}")
        await pilot.press("y", "n", "q")
        await pilot.press("end", "pagedown", "enter")
        await at_item(pilot, 1)
        assert audits(study) == []
        await verdict(pilot, "y", 2)
        await pilot.press("i")
        await shows(pilot, "What to do")
        await pilot.press("escape")
        await at_item(pilot, 2)
        await pilot.press("q")
    app = AuditApp(study.path)
    async with app.run_test(size=size) as pilot:
        await enter_at(pilot, study, 2)
        assert "What to do" not in screen_text(app)


async def test_hostile_instructions_are_literal(instructed: Callable[..., Planted]) -> None:
    """They are a text like any other: no markup, any script, scrolled to their end."""
    middle, end = "日本語の文章。" * 400, "[@click=app.quit]the end[/]"
    text = f"# [bold]What[/bold] to do\n\n{middle}\n\n- {end}\n"
    study = instructed(text)
    app = AuditApp(study.path)
    async with app.run_test(size=(80, 24)) as pilot:
        await enter_instructed(pilot, study, "[bold]What[/bold] to do")
        for _ in range(9):
            await pilot.press("pagedown")
        await shows(pilot, end)
        assert not [line for line in screen_text(app).split("\n") if cell_len(line) > 80]


async def enter_instructed(pilot: Pilot[int], study: Planted, first: str = "What to do") -> None:
    await sign_in(pilot, study.code("auditor"))
    await shows(pilot, first)


async def enter_at(pilot: Pilot[int], study: Planted, number: int) -> None:
    await sign_in(pilot, study.code("auditor"))
    await at_item(pilot, number)
