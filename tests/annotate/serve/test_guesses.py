"""Guessing codes through the doors: slowed down, told nothing, and no honest person kept out."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing

import aiohttp
import pytest

from db.attempts import FREE_HERE
from tests.annotate.serve.serving import PATIENCE, Serving, SshClient, WebClient, shown
from tests.ui.studies import Planted

REFUSED, SLOWED = "that access code is not known", "too many wrong codes"
HEADER = "X-Real-IP"


def attempts(study: Planted) -> int:
    """Return how many codes were really tried."""
    with closing(sqlite3.connect(study.path)) as file:
        found: int = file.execute("SELECT count(*) FROM code_attempts").fetchone()[0]
    return found


async def guess(visit: SshClient | WebClient, study: Planted, code: str) -> bool:
    """Type a wrong code; return whether it was tried, rather than put off."""
    before, known = attempts(study), len(visit.received)
    await visit.type(f"{code}\r")
    async with asyncio.timeout(PATIENCE):
        while (tried := attempts(study) > before) is False:
            if SLOWED in shown(visit.received[known:]):
                break
            await asyncio.sleep(0.02)
    return tried


@pytest.mark.parametrize("door", ["ssh", "web"])
async def test_one_address_is_slowed_down_and_another_gets_in(
    serve: Callable[..., Serving], planted: Planted, session: aiohttp.ClientSession, door: str
) -> None:
    """After twenty wrong codes, whatever their handles; somebody elsewhere does not wait."""
    server = serve(planted.path, "--trust-header", HEADER)
    client = (
        SshClient(server.ssh_port)
        if door == "ssh"
        else WebClient(session, server.url, headers={HEADER: "198.51.100.7"})
    )
    letters = "ABCDEFGHJKMNPQRSTVWXYZ"
    async with client as visit:
        await visit.until("Your access code")
        codes = [f"{letters[number]}2Z9-WRONGONE" for number in range(FREE_HERE + 1)]
        tried = [await guess(visit, planted, code) for code in codes]
    assert tried == [True] * FREE_HERE + [False]
    assert REFUSED in visit.text()
    async with WebClient(session, server.url, headers={HEADER: "203.0.113.9"}) as honest:
        await honest.until("Your access code")
        await honest.type(f"{planted.code()}\r")
        await honest.until("1 of 4")


async def test_a_crowd_keeps_nobody_out(
    serve: Callable[..., Serving], planted: Planted, session: aiohttp.ClientSession
) -> None:
    """Sixty addresses, a guess each: the crowd's second guesses wait, a newcomer does not."""
    server = serve(planted.path, "--trust-header", HEADER)
    with closing(sqlite3.connect(planted.path)) as file, file:
        # As if they had guessed already, so that the test need not start sixty applications.
        at = "strftime('%Y-%m-%dT%H:%M:%fZ')"
        for number in range(60):
            file.execute(f"INSERT INTO code_attempts (handle, at) VALUES ('{number}', {at})")
    async with WebClient(session, server.url, headers={HEADER: "198.51.100.7"}) as one:
        await one.until("Your access code")
        assert await guess(one, planted, "A2Z9-WRONGONE")
        assert not await guess(one, planted, "B2Z9-WRONGONE")
    async with WebClient(session, server.url, headers={HEADER: "203.0.113.9"}) as honest:
        await honest.until("Your access code")
        await honest.type(f"{planted.code()}\r")
        await honest.until("1 of 4")


async def test_an_unknown_handle_looks_like_a_wrong_secret(
    serve: Callable[..., Serving], planted: Planted, session: aiohttp.ClientSession
) -> None:
    """The same words for a rater's handle, an auditor's, and none at all."""
    server = serve(planted.path)
    told = []
    for code in (planted.code(), planted.code("auditor"), "ZZZZ-ZZZZZZZZ"):
        wrong = code[:-1] + ("2" if code[-1] != "2" else "3")
        async with WebClient(session, server.url) as visit:
            await visit.until("Your access code")
            await visit.type(f"{wrong}\r")
            await visit.until(REFUSED)
        told.append(re.findall(rf"{REFUSED}.*?type it again", visit.text())[-1])
    assert len(set(told)) == 1


async def test_the_address_is_kept_as_a_digest_alone(
    serve: Callable[..., Serving], planted: Planted, session: aiohttp.ClientSession
) -> None:
    """Neither the study nor the log holds it; and who pretends to be a proxy is not believed."""
    server = serve(planted.path, "--trust-header", HEADER, "--proxy", "192.0.2.1")
    for pretended in ("198.51.100.7", "203.0.113.9"):
        async with WebClient(session, server.url, headers={HEADER: pretended}) as visit:
            await visit.until("Your access code")
            assert await guess(visit, planted, "A2Z9-WRONGONE")
    with closing(sqlite3.connect(planted.path)) as file:
        origins = file.execute("SELECT DISTINCT origin FROM code_attempt_origins").fetchall()
        dump = "\n".join(file.iterdump())
    assert len(origins) == 1
    said = dump + server.log.partition("serving;")[2]
    assert not [a for a in ("198.51.100.7", "203.0.113.9", "127.0.0.1") if a in said]
