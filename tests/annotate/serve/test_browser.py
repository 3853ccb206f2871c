"""A real browser: a whole seat by keys, a closed tab, and nothing that comes from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.annotate.serve.driving import Chromium, missing
from tests.annotate.serve.serving import Serving, wait_until
from tests.annotate.serve.test_ssh_client import answers
from tests.ui.studies import CANARIES, Planted

ITEMS = 4


@pytest.fixture
def chromium() -> Iterator[Chromium]:
    if what := missing():
        pytest.skip(f"{what} is missing; on Debian: apt-get install chromium chromium-driver")
    found = Chromium()
    yield found
    found.close()


def test_a_whole_seat_with_the_tab_closed_in_the_middle(
    chromium: Chromium, serve: Callable[..., Serving], planted: Planted
) -> None:
    """From the first page to the thanks by keys; a closed tab loses nothing and frees nothing."""
    server = serve(planted.path, "--title", "A study of everyday choices")
    chromium.visit(server.url)
    assert chromium.title == "A study of everyday choices"
    chromium.start()
    chromium.enter(planted.code())
    for number in (1, 2):
        chromium.shows(f"{number} of {ITEMS}")
        chromium.answer("b45", f"Saved {number} ✓")
    chromium.close_tab()
    wait_until(lambda: not server.applications(), "the end of the application")
    assert len(answers(planted.path)) == 2
    chromium.visit(server.url)
    chromium.start()
    chromium.enter(planted.code())
    for number in (3, 4):
        chromium.shows(f"{number} of {ITEMS}")
        chromium.answer("c12", f"Saved {number} ✓" if number < ITEMS else "Thank you.")
    chromium.type("q")
    chromium.ended()
    assert len(answers(planted.path)) == ITEMS
    assert chromium.hosts() == {urlsplit(server.url).netloc}
    assert not chromium.complaints()
    told = chromium.everything()
    assert "access code" in told
    assert not [word for word in (*CANARIES, str(planted.path.parent)) if word in told]


def test_the_window_changes_its_size(
    chromium: Chromium, serve: Callable[..., Serving], planted: Planted
) -> None:
    """The screen is drawn anew in the size of the window, and larger letters make fewer cells."""
    server = serve(planted.path)
    chromium.visit(server.url)
    chromium.start()
    chromium.enter(planted.code())
    chromium.shows("1 of 4")
    before = chromium.sizes()[-1]
    chromium.resize(600, 400)
    wait_until(lambda: chromium.sizes()[-1] < before, "a smaller screen")
    chromium.shows("q stop")
    chromium.visit(f"{server.url}screen?size=32")
    chromium.shows("Your access code")
    assert chromium.sizes()[-1][0] < 40


def test_an_ended_session_offers_the_way_back(
    chromium: Chromium, serve: Callable[..., Serving], planted: Planted
) -> None:
    """When the server stops, the page says that nothing is lost; Enter alone goes on later."""
    server = serve(planted.path)
    chromium.visit(server.url)
    chromium.start()
    chromium.shows("Your access code")
    server.stop()
    chromium.ended()
    assert "What was saved is kept" in chromium.text("#closed")
    again = serve(planted.path, "--web", str(server.web_port))
    chromium.press_enter()
    chromium.shows("Your access code")
    assert again.log.count(" opened") == 1


def test_a_hostile_title_and_welcome_are_text(
    chromium: Chromium, serve: Callable[..., Serving], planted: Planted, tmp_path: Path
) -> None:
    """What the researcher writes is shown as it is, and never run."""
    text = "<script>document.title='pwned'</script> & <b>bold</b>\n\nSecond {{ 7 * 7 }} part."
    (tmp_path / "welcome.txt").write_text(text)
    server = serve(
        planted.path, "--title", "<i>T</i> & co", "--welcome", str(tmp_path / "welcome.txt")
    )
    chromium.visit(server.url)
    assert chromium.title == "<i>T</i> & co"
    shown = chromium.text("main")
    assert "<script>document.title='pwned'</script> & <b>bold</b>" in shown
    assert "Second {{ 7 * 7 }} part." in shown


def test_everything_is_recorded(chromium: Chromium, serve: Any, planted: Planted) -> None:
    """The recording that the other tests rely on holds what was typed and what was shown."""
    server = serve(planted.path)
    chromium.visit(server.url)
    chromium.start()
    chromium.enter("ZZZZ-ZZZZZZZZ")
    chromium.shows("that access code is not known")
    sent = [json.loads(frame) for frame in chromium.sent()]
    assert "ZZZZ-ZZZZZZZZ\r" in "".join(each[1] for each in sent if each[0] == "stdin")
