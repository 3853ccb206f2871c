"""Nothing stays behind: not when the server is told to stop, not when it is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable

import aiohttp
import pytest

from annotate.serve.leash import LEASH
from db.file import open_study
from tests.annotate.serve.serving import Serving, SshClient, WebClient, alive, wait_until
from tests.ui.studies import Planted


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGHUP])
async def test_no_application_outlives_its_server(
    serve: Callable[..., Serving],
    planted: Planted,
    session: aiohttp.ClientSession,
    number: signal.Signals,
) -> None:
    """Through both doors, at work or at the code, and one that is stopped; no answer is lost."""
    server = serve(planted.path)
    async with (
        SshClient(server.ssh_port) as one,
        WebClient(session, server.url) as two,
        SshClient(server.ssh_port) as three,
    ):
        for visit, seat in ((one, 1), (two, 2)):
            await visit.until("Your access code")
            await visit.type(f"{planted.code(number=seat)}\r")
            await visit.until("1 of 4", "q stop")
            await visit.answer("b45", "Saved 1")
        await three.until("Your access code")
        left = server.applications()
        assert len(left) == 3
        os.kill(left[0], signal.SIGSTOP)
        code = server.stop(number)
        wait_until(lambda: not any(alive(pid) for pid in left), "the end of all applications")
    expected = {signal.SIGKILL: -signal.SIGKILL, signal.SIGINT: 130}
    assert code == expected.get(number, 0)
    with open_study(planted.path) as study:
        assert [person.ratings for person in study.people.all()] == [1, 1]
        assert study.sittings.at_work() == ()
    assert (server.state / "status.json").exists() is (number == signal.SIGKILL)


PROGRAM = """
import os, time
from annotate.serve.leash import hold
def leave():
    os.write(1, b"asked")
    time.sleep(60)
hold(os.environ, leave)
os.write(1, b"ready")
time.sleep(60)
"""


def test_who_does_not_leave_when_asked_is_ended() -> None:
    """The pipe closes: the application is asked, and ended a moment later whatever it does."""
    held, leash = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], pass_fds=(held,), stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL, env={**os.environ, LEASH: str(held)},
    ) as program:  # fmt: skip
        os.close(held)
        assert program.stdout is not None
        assert os.read(program.stdout.fileno(), 5) == b"ready"
        os.close(leash)
        assert program.wait(30) == 128 + signal.SIGHUP
        assert program.stdout.read() == b"asked"
