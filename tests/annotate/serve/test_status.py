"""Who is on: by pseudonym, since when, through which door; and nothing that leads to a person."""

from __future__ import annotations

import json
from collections.abc import Callable

import aiohttp
import pytest

from annotate.serve.state import Running, Visitor
from annotate.serve.status import HERE, status_table
from cli.main import main
from db.sittings import AtWork
from tests.annotate.serve.serving import Serving, SshClient, WebClient
from tests.ui.studies import Planted

AT = "2026-11-30T12:00:00.000Z"


def test_the_door_is_found_by_the_process() -> None:
    """Who came through no door sits at this machine; who has no seat yet is counted only."""
    work = [
        AtWork("P-AAAAA", "main", "rater", 1, "10 5", AT, AT),
        AtWork("P-BBBBB", "main", "auditor", 2, "11 5", AT, AT),
    ]
    running = Running(
        {"ssh": "127.0.0.1:22"}, (Visitor("10 5", "ssh", AT), Visitor("9 9", "web", AT))
    )
    table = status_table(work, running)
    assert [row["door"] for row in table.rows] == ["ssh", HERE]
    assert table.title == "2 at work; serving ssh on 127.0.0.1:22; 1 not at a seat yet"
    assert status_table((), None).title == "0 at work; no server is running"


async def test_both_doors_are_told_apart(
    serve: Callable[..., Serving],
    planted: Planted,
    session: aiohttp.ClientSession,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """While they work, and no longer when they have left."""
    server = serve(planted.path)
    assert rows(planted, capsys) == []
    async with SshClient(server.ssh_port) as one, WebClient(session, server.url) as two:
        for visit, code in ((one, planted.code()), (two, planted.code("auditor"))):
            await visit.until("Your access code")
            await visit.type(f"{code}\r")
            await visit.until("1 of 4")
        found = rows(planted, capsys)
        assert [(row["role"], row["door"]) for row in found] == [
            ("rater", "ssh"),
            ("auditor", "web"),
        ]
        assert all(row["person"].startswith("P-") for row in found)
        for visit in (one, two):
            await visit.type("q")
            await visit.ended.wait()
    assert rows(planted, capsys) == []


def rows(planted: Planted, capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    with pytest.raises(SystemExit) as ended:
        main(["--study", str(planted.path), "serve", "status", "--json"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert "127.0.0.1:" in said
    found: list[dict[str, str]] = json.loads(said)["rows"]
    return found


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "name at least one door"),
        (("--ssh", "22x"), "is no PORT and no ADDRESS:PORT"),
        (("--web", "70000"), "is no PORT"),
        (("--web", "192.0.2.1:8080"), "cannot listen on 192.0.2.1:8080"),
        (("--ssh", "0", "--sittings", "0"), "--sittings"),
        (("--ssh", "0", "--idle", "0"), "--idle"),
        (("--ssh", "0", "--state", "/nowhere/state"), "cannot be made"),
        (("--web", "0", "--welcome", "/nowhere/text"), "--welcome"),
    ],
)
def test_bad_input_is_told_in_one_line(
    planted: Planted, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], told: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--study", str(planted.path), "serve", *words])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1


def test_a_missing_extra_is_named(
    planted: Planted, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.serve.find_spec", lambda name: None if name == "asyncssh" else name)
    with pytest.raises(SystemExit) as ended:
        main(["--study", str(planted.path), "serve", "--ssh", "0"])
    assert ended.value.code == 2
    assert capsys.readouterr().err == (
        "wavelock: serving needs asyncssh: pip install 'wavelock[serve]'\n"
    )


def test_a_second_server_and_a_taken_port_are_refused(
    serve: Callable[..., Serving], planted: Planted, capsys: pytest.CaptureFixture[str]
) -> None:
    server = serve(planted.path)
    for words, told in (
        (("--ssh", "0"), "a server runs on"),
        (("--web", str(server.web_port), "--state", f"{planted.path}-other"), "cannot listen on"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(["--study", str(planted.path), "serve", *words])
        assert ended.value.code == 2
        assert told in capsys.readouterr().err


def test_without_tls_on_a_network_it_warns(serve: Callable[..., Serving], planted: Planted) -> None:
    assert "warning" not in serve(planted.path).log
    server = serve(planted.path, "--web", "0.0.0.0:0", "--state", f"{planted.path}-other")
    assert server.log.count("without TLS") == 1
