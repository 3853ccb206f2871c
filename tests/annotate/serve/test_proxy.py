"""Behind a proxy: a path, TLS, and the one header that is believed."""

from __future__ import annotations

import re
import shutil
import socket
import sqlite3
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from yarl import URL

from annotate.serve.origins import Trust
from annotate.serve.web import Place
from tests.annotate.serve.inside import Inside
from tests.annotate.serve.serving import PATIENCE, WAVELOCK, Serving, WebClient, wait_until
from tests.ui.studies import Planted

DOC = Path(__file__).parents[3] / "docs" / "hosting.md"
LINK = re.compile(r'(?:href|src)="([^"]+)"')


@pytest.mark.parametrize("prefix", ["", "/rate", "/a/b"])
async def test_every_link_stays_below_the_prefix(
    inside: Callable[..., Any], session: aiohttp.ClientSession, prefix: str
) -> None:
    """Pages, scripts, styles and the websocket; nothing outside it, nothing from elsewhere."""
    doors: Inside = await inside(place=Place(prefix=prefix))
    seen = set()
    for page in ("", "screen"):
        async with session.get(doors.url + page) as response:
            links = LINK.findall(await response.text())
        for link in links:
            assert "//" not in link
            if not link.startswith("data:"):
                async with session.get(response.url.join(URL(link))) as found:
                    assert found.status == 200
                    assert found.url.path.startswith(f"{prefix}/")
                seen.add(found.url.path.removeprefix(prefix))
    assert seen == {"/", "/screen", "/static/wavelock.css", "/static/xterm.css",
                    "/static/screen.js", "/static/textual.js"}  # fmt: skip
    async with WebClient(session, doors.url) as visit:
        await visit.until("ready")
    async with session.get(doors.url.removesuffix("/") or doors.url) as response:
        assert response.status == 200
    if prefix:
        async with session.get(f"http://127.0.0.1:{doors.web_port}/") as response:
            assert response.status == 404


@pytest.mark.parametrize(
    ("origin", "public", "welcome"),
    [
        ("http://127.0.0.1:{port}", "", True),
        (None, "", True),
        ("http://evil.example", "", False),
        ("null", "", False),
        ("https://study.example/", "https://study.example/rate/", True),
        ("http://127.0.0.1:{port}", "https://study.example/rate/", False),
    ],
)
async def test_a_page_from_elsewhere_gets_no_terminal(
    inside: Callable[..., Any],
    session: aiohttp.ClientSession,
    origin: str | None,
    public: str,
    welcome: bool,
) -> None:
    doors: Inside = await inside(place=Place(public=public))
    headers = {} if origin is None else {"Origin": origin.format(port=doors.web_port)}
    if welcome:
        async with WebClient(session, doors.url, headers=headers) as visit:
            await visit.until("ready")
    else:
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await session.ws_connect(f"{doors.url}ws", headers=headers)


async def test_a_plain_request_for_the_websocket_is_refused(
    inside: Callable[..., Any], session: aiohttp.ClientSession
) -> None:
    doors: Inside = await inside()
    async with session.get(f"{doors.url}ws") as response:
        assert response.status == 400
    assert doors.lines == []


@pytest.mark.parametrize(
    ("trust", "header", "counted"),
    [
        (Trust(), "X-Real-IP", "127.0.0.1"),
        (Trust("X-Real-IP"), "X-Real-IP", "198.51.100.7"),
        (Trust("X-Real-IP"), "X-Forwarded-For", "127.0.0.1"),
        (Trust("X-Real-IP", ("192.0.2.1",)), "X-Real-IP", "127.0.0.1"),
    ],
)
async def test_only_the_named_header_of_the_proxy_counts(
    inside: Callable[..., Any],
    session: aiohttp.ClientSession,
    trust: Trust,
    header: str,
    counted: str,
) -> None:
    doors: Inside = await inside(place=Place(trust=trust), addresses=True)
    async with WebClient(session, doors.url, headers={header: "198.51.100.7"}) as visit:
        await visit.until("ready")
    assert doors.lines[0].endswith(f"({counted})")


def documented(kind: str) -> str:
    """Return the block of a kind in the page on hosting."""
    found = re.search(rf"```{kind}\n(.*?)```", DOC.read_text("utf-8"), re.DOTALL)
    assert found
    return found[1]


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[Callable[[int], int]]:
    """Return a function that puts nginx before a port, as documented; it returns its own port."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    openssl = shutil.which("openssl")
    if program is None or openssl is None:
        pytest.skip("nginx or openssl is missing; on Debian: apt-get install nginx-light openssl")
    started: list[subprocess.Popen[bytes]] = []

    def start(behind: int) -> int:
        pem, key = tmp_path / "study.pem", tmp_path / "study.key"
        subprocess.run(
            [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-subj", "/CN=localhost", "-days", "2", "-keyout", key, "-out", pem],
            check=True, capture_output=True,
        )  # fmt: skip
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        text = documented("nginx")
        for old, new in (
            ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
            ("/etc/ssl/study.pem", str(pem)),
            ("/etc/ssl/study.key", str(key)),
            ("127.0.0.1:8080", f"127.0.0.1:{behind}"),
        ):
            assert old in text
            text = text.replace(old, new)
        places = "".join(
            f"{name}_temp_path {tmp_path}/{name};\n"
            for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        config = tmp_path / "nginx.conf"
        config.write_text(
            f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/error.log;\n"
            f"events {{}}\nhttp {{\n{places}{text}}}\n"
        )
        started.append(
            subprocess.Popen([program, "-p", tmp_path, "-e", tmp_path / "error.log", "-c", config])
        )
        wait_until(lambda: _listens(port), "nginx")
        return port

    yield start
    for each in started:
        each.terminate()
        each.wait(PATIENCE)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


async def test_the_documented_nginx_works(
    nginx: Callable[[int], int],
    serve: Callable[..., Serving],
    planted: Planted,
    session: aiohttp.ClientSession,
) -> None:
    """TLS, the path, the websocket and the client's address; and what a client pretends is lost."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        behind = free.getsockname()[1]
    port = nginx(behind)
    public = f"https://127.0.0.1:{port}/rate/"
    server = serve(
        planted.path, "--web", str(behind), "--prefix", "/rate/", "--public-url", public,
        "--trust-header", "X-Real-IP", "--log-addresses",
    )  # fmt: skip
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    assert f"web: {public}" in server.log
    for page in ("", "screen", "static/textual.js"):
        async with session.get(public + page, ssl=trusting) as response:
            assert response.status == 200
    headers = {"Origin": f"https://127.0.0.1:{port}", "X-Real-IP": "203.0.113.9"}
    async with WebClient(session, public, headers=headers, ssl=trusting) as visit:
        await visit.until("Your access code")
        await visit.type(f"{planted.code()}\r")
        await visit.until("1 of 4", "q stop")
        await visit.answer("b45", "Saved 1")
        await visit.type("q")
        await visit.ended.wait()
    assert server.log.count("(127.0.0.1)") == 1
    assert "203.0.113.9" not in server.log


def test_the_documented_backup_is_whole(
    serve: Callable[..., Serving], planted: Planted, tmp_path: Path
) -> None:
    """Made while the study is served; the copy opens, and its ledger verifies."""
    serve(planted.path)
    copy = tmp_path / "copy.db"
    with closing(sqlite3.connect(planted.path)) as study, closing(sqlite3.connect(copy)) as other:
        study.backup(other)
    done = subprocess.run(
        [WAVELOCK, "--study", copy, "ledger", "verify"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
