"""The audit screen, driven by keys; what counts is what is in the study file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from audit.app import AuditApp
from core.evidence import PairAudit
from db.file import open_study
from tests.ui.piloting import assert_golden, at_item, screen_text, shows, sign_in, until
from tests.ui.studies import CANARIES, Planted
from ui.screens.done import DoneScreen

HERE = Path(__file__).parent
SIZE = (80, 24)
LONG = " ".join(f"word{number}" for number in range(300))


def audits(study: Planted) -> list[PairAudit]:
    with open_study(study.path) as file:
        seat = file.people.seat_of(study.code("auditor"))
        given = file.audits.of_seat(seat.id)
        assigned = [pair.id for pair in file.rounds.pair_assignments(seat.id)]
        return [given[pair] for pair in assigned if pair in given]


async def enter(pilot: Pilot[int], study: Planted) -> None:
    await sign_in(pilot, study.code("auditor"))
    await at_item(pilot, 1)


async def verdict(pilot: Pilot[int], key: str, then: int | None) -> None:
    """Give a verdict until it is taken: a held key is not, so that each press is one."""
    await until(pilot, lambda: pilot.app.screen._guard._opened is not None)  # type: ignore[attr-defined]
    pilot.app.screen._guard._held = None  # type: ignore[attr-defined]  # time has passed
    await pilot.press(key)
    if then is None:
        await until(pilot, lambda: isinstance(pilot.app.screen, DoneScreen))
    else:
        await at_item(pilot, then)


async def test_a_whole_seat_by_keys(planted: Callable[..., Planted]) -> None:
    """One key per pair is all it takes; the sides are those of the plan."""
    study = planted()
    app = AuditApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await enter(pilot, study)
        assert_golden(app, HERE, "columns")
        await verdict(pilot, "y", 2)
        await verdict(pilot, "n", 3)
        assert "Saved 2 ✓" in screen_text(app)
        await verdict(pilot, "y", 4)
        await verdict(pilot, "y", None)
        assert_golden(app, HERE, "done")
        await pilot.press("q")
    assert [audit.only_intended for audit in audits(study)] == [True, False, True, True]
    assert not any(audit.differences for audit in audits(study))


async def test_looking_at_differences_is_stored(planted: Callable[..., Planted]) -> None:
    """The key marks the differing words, shows them without colour, and its use is stored."""
    study = planted()
    app = AuditApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await enter(pilot, study)
        await pilot.press("x")
        await shows(pilot, "[Today]")
        assert_golden(app, HERE, "differences")
        await pilot.press("x")
        await until(pilot, lambda: "[Today]" not in screen_text(app))
        await verdict(pilot, "y", 2)
        assert "[Today]" not in screen_text(app)
        await verdict(pilot, "n", 3)
    assert [audit.differences for audit in audits(study)] == [True, False]


async def test_a_note_goes_with_the_verdict(planted: Callable[..., Planted]) -> None:
    """A note is written before the verdict or after it, and both are one audit."""
    study = planted()
    app = AuditApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await enter(pilot, study)
        await pilot.press("m", *"yn x", "escape")
        await shows(pilot, "Note (optional)  yn x")
        await verdict(pilot, "n", 2)
        await pilot.press("left")
        await at_item(pilot, 1)
        assert_golden(app, HERE, "back")
        await pilot.press("down", "enter", *"!", "escape")
        await until(pilot, lambda: audits(study)[0].note == "yn x!")
        await pilot.press("up", "y")
        await until(pilot, lambda: audits(study)[0].only_intended)
    assert len(audits(study)) == 1


@pytest.mark.parametrize("size", [(160, 48), (40, 10)])
async def test_short_pairs_at_other_sizes(
    planted: Callable[..., Planted], size: tuple[int, int]
) -> None:
    """Wide terminals give room to both columns; the smallest ones show one text after the other."""
    study = planted()
    app = AuditApp(study.path)
    async with app.run_test(size=size) as pilot:
        await enter(pilot, study)
        await pilot.press("x")
        await shows(pilot, "[Today]")
        assert_golden(app, HERE, f"differences_{size[0]}")


async def test_quitting_and_resuming(planted: Callable[..., Planted]) -> None:
    """Who stops and starts again is at the first pair without a verdict."""
    study = planted()
    for number in (1, 2):
        app = AuditApp(study.path)
        async with app.run_test(size=SIZE) as pilot:
            await sign_in(pilot, study.code("auditor"))
            await at_item(pilot, number)
            await verdict(pilot, "y", number + 1)
            await pilot.press("q")
    assert len(audits(study)) == 2


@pytest.mark.parametrize("size", [(80, 24), (160, 48), (40, 10)])
async def test_long_pairs_are_stacked(
    planted: Callable[..., Planted], size: tuple[int, int]
) -> None:
    """Texts that do not fit side by side stand one below the other and can be scrolled."""
    study = planted(texts=[LONG] * 4)
    app = AuditApp(study.path)
    async with app.run_test(size=size) as pilot:
        await enter(pilot, study)
        await pilot.pause()
        assert_golden(app, HERE, f"long_{size[0]}")
        await pilot.press("end")
        await shows(pilot, "word299")
        await verdict(pilot, "y", 2)


async def test_room_is_used_whatever_came_before(planted: Callable[..., Planted]) -> None:
    """A pair that fits side by side stands so, also after a short one and after a stacked one."""
    fits = " ".join(["words of a pair that fits"] * 9)
    study = planted(texts=["short", fits, LONG, fits])
    app = AuditApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await enter(pilot, study)
        for number in range(1, 5):
            await pilot.pause()
            screen = screen_text(app)
            assert ("│" in screen) == ("word0" not in screen)
            await verdict(pilot, "y", number + 1 if number < 4 else None)


async def test_the_same_pair_keeps_its_sides(planted: Callable[..., Planted]) -> None:
    """A pair looks the same when one comes back to it."""
    study = planted()
    app = AuditApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await enter(pilot, study)
        before = screen_text(app).splitlines()[2:12]
        await verdict(pilot, "y", 2)
        await pilot.press("left")
        await at_item(pilot, 1)
        assert screen_text(app).splitlines()[2:12] == before


async def test_sides_and_order_are_the_same_after_a_restart(
    planted: Callable[..., Planted],
) -> None:
    """Every pair of the list looks the same to whoever looks back at it in another process."""
    study = planted()
    forth: dict[int, list[str]] = {}
    back: dict[int, list[str]] = {}
    app = AuditApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await enter(pilot, study)
        for number in (1, 2, 3):
            forth[number] = screen_text(app).splitlines()[2:12]
            await verdict(pilot, "y", number + 1)
        await pilot.press("q")
    app = AuditApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code("auditor"))
        await at_item(pilot, 4)
        for number in (3, 2, 1):
            await pilot.press("left")
            await at_item(pilot, number)
            back[number] = screen_text(app).splitlines()[2:12]
    assert forth == back


async def test_taking_back(planted: Callable[..., Planted]) -> None:
    """Undo goes back to where the change was and takes back a note; a first verdict stays.

    What was changed and taken back is in the history, all of it.
    """
    study = planted()
    app = AuditApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await enter(pilot, study)
        await verdict(pilot, "y", 2)
        await pilot.press("u")
        await at_item(pilot, 1)
        await shows(pilot, "that is saved; another answer changes it")
        await pilot.press("m", *"why", "escape")
        await until(pilot, lambda: audits(study)[0].note == "why")
        await verdict(pilot, "n", 1)
        await until(pilot, lambda: not audits(study)[0].only_intended)
        await pilot.press("u")
        await until(pilot, lambda: audits(study)[0].only_intended)
        await pilot.press("u")
        await until(pilot, lambda: audits(study)[0].note == "")
    with open_study(study.path) as file:
        events = file.audits.events_of_round(study.round)
    assert [(e.audit.only_intended, e.audit.note) for e in events] == [
        (True, ""), (True, "why"), (False, "why"), (True, "why"), (True, "")
    ]  # fmt: skip
    assert [e.number for e in events] == [1, 2, 3, 4, 5]


async def test_a_later_verdict_was_given_knowing_the_differences(
    planted: Callable[..., Planted],
) -> None:
    """Once shown, they count for every later verdict on the pair, after a restart too."""
    study = planted()
    app = AuditApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await enter(pilot, study)
        await pilot.press("x")
        await shows(pilot, "[Today]")
        await verdict(pilot, "y", 2)
        await pilot.press("q")
    app = AuditApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code("auditor"))
        await at_item(pilot, 2)
        await pilot.press("left")
        await at_item(pilot, 1)
        await verdict(pilot, "n", 1)
        await until(pilot, lambda: not audits(study)[0].only_intended)
    with open_study(study.path) as file:
        events = file.audits.events_of_round(study.round)
    assert [(e.audit.only_intended, e.audit.differences) for e in events] == [
        (True, True), (False, True)
    ]  # fmt: skip


async def test_a_verdict_needs_no_focus(planted: Callable[..., Planted]) -> None:
    """There is one question with keys: they give the verdict from wherever the mark stands."""
    study = planted()
    app = AuditApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await enter(pilot, study)
        await pilot.press("down")
        await shows(pilot, "▸ Note")
        await verdict(pilot, "n", 2)
        await pilot.press("left")
        await at_item(pilot, 1)
        await verdict(pilot, "y", 1)
        await until(pilot, lambda: audits(study)[0].only_intended)


async def test_a_raters_code_is_told_where_it_belongs(planted: Callable[..., Planted]) -> None:
    """A code for rating opens no audit, and a wrong one can be typed again."""
    study = planted()
    app = AuditApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await sign_in(pilot, study.code())
        await shows(pilot, "this code is for rating")
        await sign_in(pilot, "wrong")
        await shows(pilot, "that access code is not known")
        await enter(pilot, study)


async def test_a_round_that_closes_on_the_screen(planted: Callable[..., Planted]) -> None:
    """A verdict that cannot be saved is not called saved, and the reason is shown."""
    study = planted()
    app = AuditApp(study.path)
    async with app.run_test(size=SIZE) as pilot:
        await enter(pilot, study)
        with open_study(study.path) as other:
            other.rounds.close(study.round)
        await pilot.press("y")
        await shows(pilot, "Not saved: this round is closed")
        assert "Saved" not in screen_text(app).replace("Not saved", "")
    assert audits(study) == []


async def test_no_screen_carries_a_canary(planted: Callable[..., Planted]) -> None:
    """Conditions, scenarios, facts, gold labels and option labels are on no audit screen."""
    study = planted(labels=("CANARY-LABEL", "canary-label"))
    app = AuditApp(study.path)
    seen = []
    async with app.run_test(size=SIZE) as pilot:
        await enter(pilot, study)
        for number in range(1, 5):
            seen.append(screen_text(app))
            await pilot.press("x")
            await pilot.pause()
            seen.append(screen_text(app))
            await verdict(pilot, "y", number + 1 if number < 4 else None)
        seen.append(screen_text(app))
    assert not [text for text in seen if any(canary in text for canary in CANARIES)]
