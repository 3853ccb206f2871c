"""The long numbers of the doors: whole seats, many at once, ten thousand guesses."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import aiohttp
import pytest

from benchmarks._durable import RATERS, prepare
from db.attempts import FREE_HERE, FREE_OVERALL
from db.file import open_study
from db.people import ALPHABET
from tests.annotate.serve.driving import Chromium, missing
from tests.annotate.serve.serving import (
    PATIENCE,
    Serving,
    SshClient,
    WebClient,
    shown,
    wait_until,
)
from tests.ui.studies import plant

pytestmark = pytest.mark.soak
ITEMS = 20
HEADER = "X-Real-IP"
Client = SshClient | WebClient


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study in which each of twenty people has twenty items to rate, and no pages beside them."""
    monkeypatch.setattr("cli.planning._texts", lambda *_, **__: {})
    return prepare(tmp_path / "study.db", items=ITEMS).path


def codes(path: Path) -> list[str]:
    with open_study(path) as study:
        seats = study.rounds.seats(study.rounds.all()[0].id, "rater")
        return [study.people.issue_code(seat.id) for seat in seats]


def counted(path: Path) -> dict[str, int]:
    """Return how many ratings each person has given."""
    with open_study(path) as study:
        return {each.person.pseudonym: each.ratings for each in study.people.all()}


async def whole_seat(make: Callable[[], Client], code: str, drops: int, seed: int) -> None:
    """Rate a whole seat, with a line that drops now and then, in the middle of an answer."""
    chance, done = random.Random(seed), 0
    places = [*sorted(chance.sample(range(1, ITEMS), drops)), ITEMS]
    for until in places:
        async with make() as visit:
            await visit.until("Your access code")
            await visit.type(f"{code}\r")
            await visit.until(f"{done + 1} of {ITEMS}", "q stop")
            while done < until:
                done += 1
                await visit.answer("b45", f"Saved {done}" if done < ITEMS else "Thank you.")
            if done < ITEMS:
                await visit.type("a")
                visit.drop()


@pytest.mark.parametrize("door", ["ssh", "web"])
async def test_twenty_at_once_with_dropped_lines(
    serve: Callable[..., Serving], study: Path, door: str
) -> None:
    """Every item of every seat has one rating in the end, and nothing is left running."""
    server = serve(study)
    async with aiohttp.ClientSession() as session:

        def make() -> Client:
            if door == "ssh":
                return SshClient(server.ssh_port)
            return WebClient(session, server.url)

        seats = [
            whole_seat(make, code, drops=1, seed=number) for number, code in enumerate(codes(study))
        ]
        await asyncio.gather(*seats)
    assert list(counted(study).values()) == [ITEMS] * RATERS
    wait_until(lambda: not server.applications(), "the end of all applications")
    with open_study(study) as file:
        assert not file.ratings.faults(file.rounds.all()[0].id)
        assert file.sittings.at_work() == ()


@pytest.fixture
def chromium() -> Iterator[Chromium]:
    if what := missing():
        pytest.skip(f"{what} is missing; on Debian: apt-get install chromium chromium-driver")
    found = Chromium()
    yield found
    found.close()


def test_a_long_seat_in_a_browser(
    chromium: Chromium, serve: Callable[..., Serving], study: Path
) -> None:
    """Twenty items, and the tab is closed after every fifth."""
    server, code = serve(study), codes(study)[0]
    for number in range(1, ITEMS + 1):
        if number % 5 == 1:
            chromium.visit(server.url)
            chromium.start()
            chromium.enter(code)
            chromium.shows(f"{number} of {ITEMS}")
        chromium.answer("b45", f"Saved {number} ✓" if number < ITEMS else "Thank you.")
        if number % 5 == 0 and number < ITEMS:
            chromium.close_tab()
            wait_until(lambda: not server.applications(), "the end of the application")
    assert sorted(counted(study).values())[-1] == ITEMS


async def test_ten_thousand_guesses(
    serve: Callable[..., Serving], tmp_path: Path, session: aiohttp.ClientSession
) -> None:
    """From twenty addresses at once; few are tried at all, and an honest rater walks in."""
    planted = plant(tmp_path / "study.db")
    server = serve(planted.path, "--trust-header", HEADER)
    began = time.monotonic()
    tried = await asyncio.gather(
        *(_guess(session, server, f"198.51.100.{number}", 500) for number in range(20))
    )
    minutes = (time.monotonic() - began) / 60
    with closing(sqlite3.connect(planted.path)) as file:
        attempts = file.execute("SELECT count(*) FROM code_attempts").fetchone()[0]
    assert sum(tried) == 10_000
    # At most what one address has free in ten minutes, and one more in every wait after that.
    assert FREE_OVERALL <= attempts <= 20 * (FREE_HERE + 10) * (1 + minutes / 10)
    print(f"10,000 guesses in {minutes:.1f} minutes, {attempts} of them tried")
    async with WebClient(session, server.url, headers={HEADER: "203.0.113.9"}) as honest:
        await honest.until("Your access code")
        await honest.type(f"{planted.code()}\r")
        await honest.until("1 of 4")


async def _guess(session: aiohttp.ClientSession, server: Serving, address: str, count: int) -> int:
    """Type so many codes; the field is empty again after each, which shows that it was heard."""
    chance, typed = random.Random(address), 0
    async with WebClient(session, server.url, headers={HEADER: address}) as visit:
        await visit.until("Your access code")
        while typed < count:
            code = "".join(chance.choices(ALPHABET, k=12))
            await visit.type(f"\x1b[200~{code}\x1b[201~\r")  # pasted, as one event
            typed += 1
            if typed % 10 == 0:
                await _heard(visit)
    return typed


async def _heard(visit: WebClient) -> None:
    """Wait until all that was typed is worked off: a letter of no code stays in the field."""
    known = len(visit.received)
    async with asyncio.timeout(10 * PATIENCE):
        while "0" not in shown(visit.received[known:]):
            await visit.type("0")  # a refusal that was on its way may clear it again
            await asyncio.sleep(0.2)
    await visit.type("\x7f" * 30)
