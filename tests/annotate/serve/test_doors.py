"""Both doors, with a program of a few lines behind them: limits, endings, and hostile visitors."""

from __future__ import annotations

import ast
import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp
import asyncssh
import pytest

from annotate.serve.hall import FULL, TOO_OFTEN
from annotate.serve.limits import Limits
from annotate.serve.visit import WORDS
from tests.annotate.serve.inside import Inside
from tests.annotate.serve.serving import (
    PATIENCE,
    Recording,
    SshClient,
    WebClient,
    alive,
    children,
    wait_until,
)

Open = Callable[..., Awaitable[Inside]]
DOORS = ("ssh", "web")


@pytest.fixture(params=DOORS)
def client(request: pytest.FixtureRequest, session: aiohttp.ClientSession) -> Callable[..., Any]:
    """Return a function that makes a client of either door."""

    def make(doors: Inside, **more: Any) -> SshClient | WebClient:
        if request.param == "ssh":
            return SshClient(doors.ssh_port, **more)
        return WebClient(session, doors.url, **more)

    return make


async def gone(visit: Recording) -> None:
    async with asyncio.timeout(PATIENCE):
        await visit.ended.wait()


async def settled(doors: Inside) -> None:
    """Wait until nobody is inside any more."""
    async with asyncio.timeout(PATIENCE):
        await doors.hall._empty.wait()
    assert not children(os.getpid())


async def test_keys_go_in_and_pictures_come_out(inside: Open, client: Any) -> None:
    """At the size that the client has; q ends it, and the log says so."""
    doors = await inside()
    async with client(doors) as visit:
        await visit.until("ready")
        await visit.type("s")
        await visit.until("<80x24>")
        await visit.type("q")
        await gone(visit)
    await settled(doors)
    assert [line.split(maxsplit=1)[1][4:] for line in doors.lines] == ["1 opened", "1 closed: left"]


async def test_a_new_size_arrives(inside: Open, session: aiohttp.ClientSession) -> None:
    """Through both doors; of a storm the last one counts."""
    doors = await inside()
    async with SshClient(doors.ssh_port) as visit:
        await visit.until("ready")
        for number in range(200):
            visit.process.change_terminal_size(50 + number, 10 + number % 30)
        await _until_size(visit, 249, 29)
    async with WebClient(session, doors.url) as page:
        await page.until("ready")
        for number in range(200):
            size = {"width": 50 + number, "height": 10 + number % 30}
            await page.socket.send_json(["resize", size])
        await _until_size(page, 249, 29)


async def _until_size(visit: Any, width: int, height: int) -> None:
    for _ in range(200):
        await visit.type("s")
        if f"<{width}x{height}>" in await visit.until(">"):
            return
        await asyncio.sleep(0.05)
    pytest.fail("the last size never arrived")


@pytest.mark.parametrize("way", ["drop", "close"])
async def test_a_lost_line_ends_the_application_at_once(
    inside: Open, client: Any, way: str
) -> None:
    """Whether the client says goodbye or not; then the place is free again."""
    doors = await inside(limits=Limits(sittings=1))
    for _ in range(2):
        async with client(doors) as visit:
            await visit.until("ready")
            (pid,) = children(os.getpid())
            if way == "drop":
                visit.drop()
                await settled(doors)
        await settled(doors)
        assert not alive(pid)
    assert doors.lines[-1].endswith("closed: gone")


async def test_an_idle_sitting_is_ended_with_a_word(inside: Open, client: Any) -> None:
    """Keys keep it; new sizes and pings do not."""
    doors = await inside(limits=Limits(idle=1.0))
    async with client(doors) as visit:
        await visit.until("ready")
        for _ in range(5):
            await asyncio.sleep(0.3)
            await visit.type("?")
            await visit.until("!here!")
        if isinstance(visit, WebClient):
            await visit.socket.send_json(["ping", "1"])
        await visit.until(WORDS["idle"])
        await gone(visit)
    await settled(doors)
    assert doors.lines[-1].endswith("closed: idle")


async def test_a_stopping_server_sees_everybody_out(inside: Open, client: Any) -> None:
    """With a word; afterwards nobody is let in."""
    doors = await inside()
    async with client(doors) as visit:
        await visit.until("ready")
        await doors.hall.close()
        await visit.until(WORDS["stopped"])
        async with client(doors) as late:
            await late.until(WORDS["stopped"])
    await settled(doors)


async def test_a_failed_application_gives_the_terminal_back(inside: Open, client: Any) -> None:
    """What it was is not told; that nothing is lost is."""
    doors = await inside()
    async with client(doors) as visit:
        await visit.until("ready")
        await visit.type("f")
        await visit.until(WORDS["failed"])
        assert b"\x1b[?1049l" in visit.received
    await settled(doors)
    assert doors.lines[-1].endswith("closed: failed")


async def test_a_command_that_cannot_start_fails_for_its_visitor_alone(
    inside: Open, client: Any
) -> None:
    doors = await inside(command=("/nowhere/wavelock",))
    for _ in range(2):
        async with client(doors) as visit:
            await visit.until(WORDS["failed"])
    assert "FileNotFoundError" in doors.lines[1]
    assert "nowhere" not in "".join(doors.lines)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(sittings=2), FULL),
        (Limits(per_address=2), FULL),
        (Limits(starts=2, start_rate=0.001), TOO_OFTEN),
    ],
)
async def test_too_many_are_turned_away_with_a_word(
    inside: Open, client: Any, limits: Limits, words: str
) -> None:
    """The third of two hears why; who is inside does not notice."""
    doors = await inside(limits=limits)
    async with client(doors) as one, client(doors) as two:
        await one.until("ready")
        await two.until("ready")
        async with client(doors) as three:
            await three.until(words)
            await gone(three)
        await one.type("?")
        await one.until("!here!")
    assert "ready" not in "".join(doors.lines)


@pytest.mark.parametrize("door", DOORS)
async def test_connections_are_counted_and_given_back(inside: Open, door: str) -> None:
    """Of many that say nothing those beyond the limit are cut; when they leave, others fit."""
    doors = await inside(limits=Limits(connections=6))
    port = doors.ssh_port if door == "ssh" else doors.web_port
    for _ in range(2):
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(20)]
        ends = [asyncio.create_task(_end(reader)) for reader, _ in silent]
        async with asyncio.timeout(PATIENCE):
            while sum(end.done() for end in ends) < 14:
                await asyncio.sleep(0.02)
        await asyncio.sleep(0.3)
        assert sum(end.done() for end in ends) == 14
        for _, writer in silent:
            writer.transport.abort()
        await asyncio.gather(*ends)
        for _, writer in silent:
            await _closed(writer)
        await asyncio.sleep(0.1)
    async with SshClient(doors.ssh_port) as visit:
        await visit.until("ready")


async def _closed(writer: asyncio.StreamWriter) -> None:
    """Leave at once, and wait until the socket is gone: the next test must not hear of it."""
    writer.transport.abort()
    with suppress(ConnectionError):
        await writer.wait_closed()


async def _end(reader: asyncio.StreamReader) -> None:
    """Read until the other side has ended it."""
    with suppress(ConnectionError):
        while await reader.read(1000):
            pass


async def test_half_a_request_is_not_waited_for(inside: Open) -> None:
    """A header that never ends, and a handshake that never does, are cut off in time."""
    doors = await inside(limits=Limits(opening=0.5))
    for port, begun in (
        (doors.web_port, b"GET / HTTP/1.1\r\nHost: x\r\nX: "),
        (doors.ssh_port, b"SSH-2.0-slow\r\n"),
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(begun)
        async with asyncio.timeout(PATIENCE):
            await _end(reader)
        await _closed(writer)


async def test_an_ssh_connection_without_a_terminal_does_not_stay(inside: Open) -> None:
    """Who logs in and opens nothing is cut off in time."""
    doors = await inside(limits=Limits(opening=0.5))
    connection = await asyncssh.connect(
        "127.0.0.1", doors.ssh_port, known_hosts=None, username="x", config=None, client_keys=None
    )
    async with asyncio.timeout(PATIENCE):
        await connection.wait_closed()


FUZZ = (
    "", "x", "[", "null", "{}", "[]", '["stdin"]', '["stdin", null]', '["resize", 5]',
    '["resize", {"width": "9", "height": []}]', '["unknown", "x"]', "[" * 50_000, "1" * 9000,
    '["stdin", {"a": "b"}]', b"", b"\0" * 1000, b"D\0\0\0\4quit", '["ping", {}]',
)  # fmt: skip


async def test_fuzzed_frames_end_their_own_visit_alone(
    inside: Open, session: aiohttp.ClientSession
) -> None:
    """Each is answered by the end of that connection; another sitting does not notice."""
    doors = await inside(limits=Limits(starts=1000))
    async with WebClient(session, doors.url) as honest:
        await honest.until("ready")
        for frame in FUZZ:
            async with WebClient(session, doors.url) as hostile:
                if isinstance(frame, str):
                    await hostile.socket.send_str(frame)
                else:
                    await hostile.socket.send_bytes(frame)
                await gone(hostile)
            await honest.type("?")
            await honest.until("!here!")


async def test_raw_rubbish_does_not_hurt(inside: Open, client: Any) -> None:
    """Bytes that are neither HTTP nor SSH nor a frame."""
    doors = await inside()
    async with client(doors) as honest:
        await honest.until("ready")
        for port in (doors.web_port, doors.ssh_port):
            for rubbish in (b"\0" * 5000, os.urandom(5000), b"GET " + b"/" * 50_000, b"\r\n" * 999):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(rubbish)
                with suppress(TimeoutError, ConnectionError):
                    await asyncio.wait_for(reader.read(1000), 0.5)
                await _closed(writer)
        await honest.type("?")
        await honest.until("!here!")


async def test_a_huge_paste_is_slowed_down_and_arrives(inside: Open, client: Any) -> None:
    """The burst is free and the rest takes its time; another visitor is not held up by it."""
    doors = await inside(limits=Limits(burst=20_000, rate=1_000_000))
    async with client(doors) as heavy, client(doors) as light:
        await heavy.until("ready")
        await light.until("ready")
        for _ in range(20):
            await heavy.type("." * 10_000)
            await light.type("?")
            await light.until("!here!")
        await heavy.type("?")
        await heavy.until("!here!")


async def test_a_message_beyond_the_limit_ends_its_own_visit(
    inside: Open, session: aiohttp.ClientSession
) -> None:
    doors = await inside(limits=Limits(message=10_000))
    async with WebClient(session, doors.url) as honest, WebClient(session, doors.url) as heavy:
        await honest.until("ready")
        await heavy.until("ready")
        await heavy.type("." * 20_000)
        await gone(heavy)
        await honest.type("?")
        await honest.until("!here!")


async def test_a_client_that_does_not_read_holds_up_nobody(inside: Open) -> None:
    """Its application waits; others go on; when it leaves, everything of it is gone."""
    doors = await inside()
    reader, writer = await asyncio.open_connection("127.0.0.1", doors.web_port, limit=1024)
    writer.write(
        b"GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    await reader.readuntil(b"ready")
    for _ in range(100):
        writer.write(_masked(json.dumps(["stdin", "p"])))
    await asyncio.sleep(0.5)
    async with SshClient(doors.ssh_port) as honest:
        await honest.until("ready")
        await honest.type("?")
        await honest.until("!here!")
    await _closed(writer)
    await settled(doors)


def _masked(text: str) -> bytes:
    """Return a short text as the frame of a client, under the mask of zeros."""
    data = text.encode()
    assert len(data) < 126
    return bytes([0x81, 0x80 | len(data), 0, 0, 0, 0]) + data


async def test_what_an_application_is_told(inside: Open) -> None:
    """Of the client's wishes the listed ones; of its address a digest under the server's key."""
    doors = await inside()
    wishes = {"LANG": "de_DE.UTF-8", "LD_PRELOAD": "/x", "WAVELOCK_ORIGIN": "me", "COLORTERM": "no"}
    async with SshClient(doors.ssh_port, env=wishes) as visit:
        await visit.until("ready")
        await visit.type("e")
        told = dict(ast.literal_eval("[" + (await visit.until("]")).partition("[")[2]))
    assert told["LANG"] == "de_DE.UTF-8"
    assert told["TERM"] == "xterm-256color"
    assert told["WAVELOCK_ORIGIN"].startswith("hmac-sha256:")
    assert "LD_PRELOAD" not in told
    assert "COLORTERM" not in told
    assert not [value for value in told.values() if "127.0.0.1" in value]
    assert Path(told["HOME"]) == doors.state.folder


async def test_addresses_are_logged_only_on_request(inside: Open, client: Any) -> None:
    for addresses in (False, True):
        doors = await inside(addresses=addresses)
        async with client(doors) as visit:
            await visit.until("ready")
            await visit.type("q")
            await gone(visit)
        assert ("127.0.0.1" in "".join(doors.lines)) is addresses


def test_the_end_of_a_test_leaves_no_application() -> None:
    """The fixture above has seen everybody out."""
    wait_until(lambda: not children(os.getpid()), "the end of all applications")
