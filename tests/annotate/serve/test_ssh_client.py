"""An ordinary ssh client: it gets the screens, and nothing else that SSH can do."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from db.file import open_study
from tests.annotate.serve.serving import PATIENCE, Serving, wait_until
from tests.terminal.tmux import Terminal
from tests.ui.studies import Planted

ITEMS = 4


def enter(terminal: Terminal, server: Serving, code: str, place: int) -> None:
    terminal.start(*server.ssh())
    terminal.shows("Your access code")
    terminal.type(code)
    terminal.keys("Enter")
    terminal.shows(f"{place} of {ITEMS}")


def answers(study: Path) -> list[dict[str, object]]:
    with open_study(study) as file:
        return [dict(entry.answers) for entry in file.ratings.of_round(1)]


def test_a_whole_seat_dropped_and_resumed(
    terminal: Terminal, serve: Callable[..., Serving], planted: Planted
) -> None:
    """The line drops after two items: no wait, no question, the same person at the third."""
    server = serve(planted.path)
    code = planted.code()
    enter(terminal, server, code, 1)
    for number in (1, 2):
        terminal.keys("b", "4", "5")
        terminal.shows(f"Saved {number} ✓", f"{number + 1} of {ITEMS}")
    terminal.keys("a")  # begun and not finished
    terminal.shows("[a]")
    (before,) = server.applications()
    terminal.kill()
    wait_until(lambda: not server.applications(), "the end of the application")
    assert len(answers(planted.path)) == 2
    enter(terminal, server, code, 3)
    assert "[a]" not in terminal.screen()
    assert server.applications() != [before]
    for number in (3, 4):
        terminal.keys("c", "1", "2")
        terminal.shows(f"Saved {number} ✓" if number < ITEMS else "Thank you.")
    terminal.keys("q")
    assert terminal.ended() == 0
    choices = sorted(str(each["choice"]) for each in answers(planted.path))
    assert choices == ["B", "B", "both", "both"]
    with open_study(planted.path) as study:
        (person,) = study.people.all()
    assert person.ratings == ITEMS
    assert server.log.count(" closed: ") == 2


def test_the_code_says_what_is_behind_the_door(
    terminal: Terminal, serve: Callable[..., Serving], planted: Planted
) -> None:
    """An auditor's code opens pairs; a wrong one is refused in the same words as ever."""
    server = serve(planted.path)
    for code in (planted.code("auditor")[:-1] + "0", "ZZZZ-ZZZZZZZZ"):
        terminal.start(*server.ssh())
        terminal.until(lambda screen: "access code" in screen and "not known" not in screen)
        terminal.type(code)
        terminal.keys("Enter")
        terminal.shows("that access code is not known")
    terminal.type(planted.code("auditor"))
    terminal.keys("Enter")
    terminal.shows("Wavelock · pair audit", "1 of 4")
    terminal.keys("q")
    assert terminal.ended() == 0


def test_the_window_changes_its_size(
    terminal: Terminal, serve: Callable[..., Serving], planted: Planted
) -> None:
    """What is drawn fits the new size, wider and narrower."""
    enter(terminal, serve(planted.path), planted.code(), 1)
    for width, height in ((120, 40), (60, 20), (80, 24)):
        terminal.resize(width, height)
        terminal.until(lambda screen, w=width: _fits(screen, w))


def _fits(screen: str, width: int) -> bool:
    lines = screen.rstrip("\n").split("\n")
    return "─" * width in lines and "q stop" in lines[-1]


def test_line_by_line_for_who_asks(
    terminal: Terminal, serve: Callable[..., Serving], planted: Planted
) -> None:
    """The user name plain, or TERM=dumb: no picture, one question at a time."""
    server = serve(planted.path)
    for start in (
        lambda: terminal.start(*server.ssh(user="plain")),
        lambda: terminal.start("env", "TERM=dumb", *server.ssh()),
    ):
        start()
        terminal.shows("Are you here to rate or to audit?")
        terminal.type("rate")
        terminal.keys("Enter")
        terminal.shows("Your access code:")
        terminal.type(planted.code())
        terminal.keys("Enter")
        terminal.shows("Item 1 of 4.")
        terminal.type("stop")
        terminal.keys("Enter")
        assert terminal.ended() == 0


def run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE,
    )


@pytest.fixture
def server(serve: Callable[..., Serving], planted: Planted) -> Serving:
    if shutil.which("ssh") is None:
        pytest.skip("ssh is missing; on Debian: apt-get install openssh-client")
    return serve(planted.path)


@pytest.mark.parametrize("command", ["id", "/bin/sh", "scp -f /etc/passwd", "scp -t /tmp"])
@pytest.mark.parametrize("options", [(), ("-tt",)])
def test_no_command_is_run(server: Serving, command: str, options: tuple[str, ...]) -> None:
    done = run([*server.ssh(*options), command])
    assert done.returncode == 255
    assert "request failed" in done.stderr
    assert done.stdout == ""


def test_no_file_is_reached(server: Serving, tmp_path: Path) -> None:
    """Neither sftp nor scp, in the old protocol and the new."""
    port = ["-F", "none", "-P", str(server.ssh_port), "-o", "StrictHostKeyChecking=no",
            "-o", "UserKnownHostsFile=/dev/null", "-o", "BatchMode=yes"]  # fmt: skip
    for command in (
        ["sftp", *port, "x@127.0.0.1:/etc/passwd", str(tmp_path / "got")],
        ["scp", *port, "x@127.0.0.1:/etc/passwd", str(tmp_path / "got")],
        ["scp", "-O", *port, "x@127.0.0.1:/etc/passwd", str(tmp_path / "got")],
    ):
        assert run(command).returncode != 0
    assert not (tmp_path / "got").exists()


def test_nothing_is_forwarded(server: Serving, tmp_path: Path) -> None:
    """Remote and local ports, sockets, the agent and X11: all refused."""
    remote = run([*server.ssh("-N", "-o", "ExitOnForwardFailure=yes", "-R", "0:127.0.0.1:9")])
    assert "remote port forwarding failed" in remote.stderr
    there = f"{tmp_path}/there"
    remote = run(
        [*server.ssh("-N", "-o", "ExitOnForwardFailure=yes", "-R", f"{there}:127.0.0.1:9")]
    )
    assert remote.returncode == 255
    assert not Path(there).exists()
    direct = run([*server.ssh("-W", f"127.0.0.1:{server.web_port}")])
    assert "forwarding failed" in direct.stderr
    assert direct.stdout == ""


def test_a_local_port_leads_nowhere(server: Serving) -> None:
    """The client listens, but what comes through reaches nobody."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    tunnel = subprocess.Popen(
        server.ssh("-N", "-L", f"127.0.0.1:{port}:127.0.0.1:{server.web_port}"),
        stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        line = wait_until(lambda: _connected(port), "the client's port")
        with line:
            line.settimeout(PATIENCE)
            try:
                line.sendall(b"GET / HTTP/1.0\r\n\r\n")
                assert line.recv(100) == b""
            except ConnectionError:
                pass
    finally:
        tunnel.kill()
        tunnel.wait()


def _connected(port: int) -> socket.socket | None:
    try:
        return socket.create_connection(("127.0.0.1", port), PATIENCE)
    except OSError:
        return None


def test_without_a_terminal_it_says_what_to_do(server: Serving) -> None:
    done = run(server.ssh("-T"))
    assert done.returncode == 2
    assert done.stderr.strip() == (
        "wavelock: this opens screens, which need a terminal; connect with: ssh -t"
    )


def test_the_host_key_stays_and_its_fingerprint_is_told(
    serve: Callable[..., Serving], planted: Planted
) -> None:
    """After a restart clients know the server again."""
    told = []
    for _ in range(2):
        server = serve(planted.path)
        told += re.findall(r"host key (SHA256:\S{43})", server.log)
        assert server.stop() == 0
    assert len(told) == 2
    assert len(set(told)) == 1
