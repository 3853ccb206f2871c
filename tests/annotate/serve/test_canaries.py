"""What leaves for people elsewhere holds nothing that could bias them, nor the way to the file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import aiohttp
import pytest

from annotate.serve.visit import WORDS
from tests.annotate.serve.inside import Inside
from tests.annotate.serve.serving import Recording, Serving, SshClient, WebClient, shown
from tests.ui.studies import CANARIES, Planted


def assert_blind(told: str, study: Planted) -> None:
    """No condition, scenario, gold, rule or title, and neither the file nor its folder."""
    secrets = (*CANARIES, study.path.name, str(study.path.parent), "scrypt", "Traceback")
    assert not [word for word in secrets if word in told]


async def rate(visit: SshClient | WebClient, study: Planted) -> None:
    """Go through a whole small seat, with the help, and a wrong code first."""
    await visit.until("Your access code")
    await visit.type("ZZZZ-ZZZZZZZZ\r")
    await visit.until("that access code is not known")
    await visit.type(f"{study.code()}\r")
    await visit.until("1 of 4", "q stop")
    await visit.type("?")
    await visit.until("any key")
    await visit.type(" ")
    await visit.until("q stop")
    for number in range(1, 5):
        await visit.answer("b45", f"Saved {number}" if number < 4 else "Thank you.")
    await visit.type("q")
    await visit.ended.wait()


async def test_neither_door_tells_too_much(
    serve: Callable[..., Serving], planted: Planted, session: aiohttp.ClientSession
) -> None:
    """Every byte, frame, page and header of whole seats through both doors, and the log."""
    server = serve(planted.path)
    told = []
    for client, role in ((SshClient(server.ssh_port), 1), (WebClient(session, server.url), 2)):
        async with client as visit:
            seat = Planted(planted.path, 1, {("rater", 1): planted.code(number=role)})
            await rate(visit, seat)
        told += [visit.received.decode("utf-8", "replace"), shown(visit.received)]
        told += [str(frame) for frame in getattr(visit, "frames", ())]
    for path in ("", "screen", "static/screen.js", "static/wavelock.css", "static/nothing", "ws"):
        async with session.get(server.url + path) as response:
            told += [await response.text(), str(response.headers)]
            assert "aiohttp" not in str(response.headers)
            assert "Content-Security-Policy" in response.headers
    assert_blind("\n".join(told), planted)
    said = server.log.partition("serving;")[2]
    assert said.count("closed: left") == 2
    assert_blind(said, planted)
    codes = list(planted.codes.values())
    typed = [word for code in codes for word in (code, code.split("-")[1])]
    assert not [word for word in (*typed, "127.0.0.1", "P-") if word in said]


@pytest.mark.parametrize("fault", ["_open", "begin"])
async def test_a_defect_of_the_application_tells_nothing(
    inside: Callable[..., Inside], planted: Planted, session: aiohttp.ClientSession, fault: str
) -> None:
    """No traceback with values in it; what failed and where stands in the server's own folder."""
    await _with_defect(
        inside, planted, session, f"d.DoorApp.{fault} = lambda self: 1 / len(self.path.name[:0]);"
    )


async def test_a_study_that_vanishes_is_not_named(
    inside: Callable[..., Inside], planted: Planted, session: aiohttp.ClientSession, tmp_path: Path
) -> None:
    """Moved away while people come: they are told whom to ask, and no path."""
    doors = await inside(command=_command(tmp_path / "CANARY-GONE.db"))
    for visit in (SshClient(doors.ssh_port), WebClient(session, doors.url)):
        async with visit:
            await visit.until("tell the person who invited you")
        assert_blind(_all(visit), planted)


async def _with_defect(
    inside: Callable[..., Inside], planted: Planted, session: aiohttp.ClientSession, defect: str
) -> None:
    doors = await inside(command=_command(planted.path, f"import cli.door as d; {defect}"))
    for visit in (SshClient(doors.ssh_port), WebClient(session, doors.url)):
        async with visit:
            await visit.until(WORDS["failed"])
        assert_blind(_all(visit), planted)
    said = (doors.state.folder / "failures.log").read_text()
    assert said.count("ZeroDivisionError at ") == 2
    assert_blind(said, planted)


def _all(visit: Recording) -> str:
    return visit.received.decode("utf-8", "replace") + shown(visit.received)


def _command(study: Path, before: str = "") -> tuple[str, ...]:
    return (
        sys.executable, "-P", "-c", f"{before}from cli.main import main; main()",
        "--study", str(study), "enter",
    )  # fmt: skip
