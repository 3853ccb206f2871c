"""A packet from end to end: out, rated, killed, taken up again, in, in again, closed, verified."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.annotate.packets import select
from tests.terminal.test_plain import hear, say
from tests.terminal.test_rate import ITEMS, TEXTS, expected
from tests.terminal.tmux import WAVELOCK, Terminal
from tests.ui.studies import CANARIES, Planted

ANSWERS = (
    "SELECT answers FROM ratings JOIN assignments ON assignments.id = ratings.assignment "
    "ORDER BY assignments.seat, position"
)


def wavelock(study: Planted, *words: object) -> str:
    command = [str(word) for word in (WAVELOCK, "--study", study.path, *words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("wavelock:")) == (0, 0), done.stderr
    return done.stdout


def handed_out(study: Planted, folder: Path) -> list[Path]:
    made = wavelock(study, "packet", "out", "CANARY-ROUND", "--all", "--to", folder, "--json")
    return [Path(row["file"]) for row in json.loads(made)["rows"]]


def by_pipe(packet: Path, *lines: str) -> str:
    """Rate in a packet line by line; there is no study anywhere near."""
    done = subprocess.run(
        [WAVELOCK, "rate", packet, "--plain"],
        input="".join(f"{line}\n" for line in lines), capture_output=True, text=True, check=False,
        cwd=packet.parent,
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stderr == f"your answers are in {packet}; send it back when you are done\n"
    return done.stdout


def answers(first: int = 1) -> list[str]:
    return [key for number in range(first, ITEMS + 1) for key in expected(number)]


def test_a_round_on_the_road(planted: Callable[..., Planted], tmp_path: Path) -> None:
    """Four packets, line by line, one of them killed half way; the round is whole and verifies."""
    study = planted(texts=TEXTS)
    packets = handed_out(study, tmp_path / "out")
    words = [str(WAVELOCK), "rate", str(packets[0]), "--plain"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        say(process, study.code(), *answers()[: 3 * (ITEMS // 2) + 1])
        for _ in range(ITEMS // 2):
            hear(process, "Saved.")
        process.send_signal(signal.SIGKILL)
    half = json.loads(wavelock(study, "packet", "in", packets[0], "--json"))["rows"][0]
    assert (half["ratings"], half["result"]) == (ITEMS // 2, "merged")
    told = by_pipe(packets[0], study.code(), *answers(ITEMS // 2 + 1))
    assert f"Item {ITEMS // 2 + 1} of {ITEMS}." in told
    for number, packet in enumerate(packets[1:], start=2):
        told += by_pipe(packet, study.code("rater", number), *answers())
    assert not any(canary in told for canary in CANARIES)
    merged = wavelock(study, "packet", "in", *packets)
    assert merged.count("merged") == 4
    assert wavelock(study, "packet", "in", *packets).count("nothing new") == 4
    rows = select(study.path, ANSWERS)
    assert len(rows) == 4 * ITEMS
    assert rows[:ITEMS] == select(packets[0], ANSWERS)
    seats = json.loads(wavelock(study, "round", "status", "CANARY-ROUND", "--json"))["rows"]
    assert [row["done"] for row in seats if row["role"] == "rater"] == [ITEMS] * 4
    wavelock(study, "round", "close", "CANARY-ROUND", "--incomplete")  # its auditors have not been
    wavelock(study, "ledger", "verify")


def test_on_the_screen(terminal: Terminal, planted: Callable[..., Planted], tmp_path: Path) -> None:
    """The same screens, killed and taken up again at the same item; no canary, and in it comes."""
    study = planted(texts=TEXTS)
    packet = handed_out(study, tmp_path / "out")[0]

    def start(place: int) -> None:
        terminal.start(WAVELOCK, "rate", packet)
        terminal.shows("Your access code")
        terminal.type(study.code())
        terminal.keys("Enter")
        terminal.shows(f"{place} of {ITEMS}", "Which would you do?")

    start(1)
    seen = []
    for number in range(1, 5):
        terminal.keys(*expected(number))
        seen.append(terminal.shows(f"Saved {number} ✓", f"{number + 1} of {ITEMS}"))
    terminal.kill()
    start(5)
    terminal.keys("u")
    terminal.keys(*expected(5))
    seen.append(terminal.shows("Saved 5 ✓"))
    terminal.keys("q")
    assert terminal.ended() == 0
    assert not [text for text in (*seen, *terminal.titles) if any(c in text for c in CANARIES)]
    assert json.loads(wavelock(study, "packet", "in", packet, "--json"))["rows"][0]["ratings"] == 5
    assert select(study.path, ANSWERS) == select(packet, ANSWERS)


def test_killed_at_any_moment(planted: Callable[..., Planted], tmp_path: Path) -> None:
    """Killed while it saves one answer after another: what was acknowledged is in the file, whole.

    A transaction that was cut is undone when the packet is opened again; until then it is not
    taken, and the researcher reads why.
    """
    study = planted(texts=TEXTS)
    packet = handed_out(study, tmp_path / "out")[0]
    words = [str(WAVELOCK), "rate", str(packet), "--plain"]
    kept = 0
    for _ in range(3):
        with subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            say(process, study.code(), *answers(kept + 1))
            hear(process, "Saved.")
            process.send_signal(signal.SIGKILL)
            assert process.stdout is not None
            acknowledged = kept + 1 + process.stdout.read().count("Saved.\n")
        by_pipe(packet, study.code())
        kept = len(select(packet, "SELECT * FROM packet_journal"))
        assert kept >= acknowledged
        assert len(select(packet, ANSWERS)) == kept
    wavelock(study, "packet", "in", packet)
    assert select(study.path, ANSWERS) == select(packet, ANSWERS)
