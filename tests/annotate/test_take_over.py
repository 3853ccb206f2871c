"""A code that is open elsewhere, on the screen: asked about, taken over, and let go of."""

from __future__ import annotations

from collections.abc import Callable

from annotate.app import RateApp
from annotate.sitting import RatingSitting
from db.file import open_study
from tests.ui.piloting import at_item, shows, sign_in
from tests.ui.studies import Planted


async def test_a_code_that_is_open_elsewhere_is_asked_about(
    planted: Callable[..., Planted],
) -> None:
    """The question comes first; after a yes the items are there, and the other window is told."""
    study = planted()
    with open_study(study.path) as file:
        elsewhere = RatingSitting.enter(file, study.code())
        app = RateApp(study.path)
        async with app.run_test(size=(80, 24)) as pilot:
            await sign_in(pilot, study.code())
            await shows(pilot, "Take it over?")
            await pilot.press("escape")
            await shows(pilot, "take it over?")
            elsewhere.alive()
            await sign_in(pilot, study.code())
            await shows(pilot, "Take it over?")
            await pilot.press("q")
            await at_item(pilot, 1)


async def test_leaving_lets_go_of_the_seat(planted: Callable[..., Planted]) -> None:
    """After the application has ended the code opens at once, in the same process or another."""
    study = planted()
    app = RateApp(study.path)
    async with app.run_test(size=(80, 24)) as pilot:
        await sign_in(pilot, study.code())
        await at_item(pilot, 1)
        await pilot.press("ctrl+c")
    with open_study(study.path) as file:
        assert RatingSitting.enter(file, study.code()).total == 4
