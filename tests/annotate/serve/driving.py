"""A headless Chromium, of which every request, page and frame is kept."""

from __future__ import annotations

import base64
import json
import shutil
import time
from typing import Any
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.annotate.serve.serving import PATIENCE, shown, wait_until

PROGRAMS = ("chromium", "chromedriver")
# Of a machine without a graphics card, and of a terminal that loses the focus when all is over.
NOISE = ("fallback to software WebGL", "WebSocket is already in CLOSING or CLOSED state")


def missing() -> str | None:
    """Return which program is missing."""
    return next((name for name in PROGRAMS if shutil.which(name) is None), None)


class Chromium:
    """One browser with one tab in front."""

    def __init__(self, width: int = 1000, height: int = 700) -> None:
        browser, driver = (shutil.which(name) for name in PROGRAMS)
        options = webdriver.ChromeOptions()
        options.binary_location = str(browser)
        for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
                     f"--window-size={width},{height}"):  # fmt: skip
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options, webdriver.ChromeService(str(driver)))
        self._events: list[dict[str, Any]] = []
        self._pages: list[str] = []
        self._from = 0

    def visit(self, url: str) -> None:
        """Open a page."""
        self.driver.get(url)
        self._pages.append(self.driver.page_source)

    def start(self) -> None:
        """Go from the first page to the screen, with Enter alone."""
        self._from = len(self._frames("Received"))
        self.press_enter()
        self.shows("Your access code")
        self._pages.append(self.driver.page_source)

    def enter(self, code: str) -> None:
        """Type an access code."""
        self.type(code)
        self.press_enter()

    def type(self, keys: str) -> None:
        """Press keys on whatever has the focus."""
        ActionChains(self.driver).send_keys(keys).perform()

    def answer(self, keys: str, text: str) -> None:
        """Answer an item until it is taken: keys that come before it is drawn do not count."""
        ends = time.monotonic() + PATIENCE
        while text not in self.painted():
            assert time.monotonic() < ends, f"{text!r} never came"
            self.type(keys)
            again = time.monotonic() + 3
            while text not in self.painted() and time.monotonic() < again:
                time.sleep(0.05)

    def press_enter(self) -> None:
        """Press Enter."""
        self._from = len(self._frames("Received"))
        self.type(Keys.ENTER)

    def shows(self, text: str) -> None:
        """Wait until a text was painted since the last Enter."""
        wait_until(lambda: text in self.painted(), f"{text!r}")

    def painted(self) -> str:
        """Return what was painted since the last Enter, as text."""
        return shown(b"".join(self._frames("Received")[self._from :]))

    def ended(self) -> None:
        """Wait until the page says that it is over."""
        wait_until(
            lambda: self.driver.find_element(By.ID, "closed").is_displayed(), "the end of the visit"
        )

    def close_tab(self) -> None:
        """Close the tab, and go on in another one."""
        self._events += self._log()
        (old,) = self.driver.window_handles
        self.driver.switch_to.new_window("tab")
        new = self.driver.current_window_handle
        self.driver.switch_to.window(old)
        self.driver.close()
        self.driver.switch_to.window(new)

    def resize(self, width: int, height: int) -> None:
        """Change the size of the window."""
        self.driver.set_window_size(width, height)

    @property
    def title(self) -> str:
        """What stands in the tab."""
        return self.driver.title

    def text(self, selector: str) -> str:
        """Return the text of a part of the page."""
        return self.driver.find_element(By.CSS_SELECTOR, selector).text

    def sent(self) -> list[str]:
        """Return what the page has sent."""
        return [frame.decode() for frame in self._frames("Sent")]

    def sizes(self) -> list[tuple[int, int]]:
        """Return the sizes that the page has told, the first one last but not least."""
        said = [json.loads(frame) for frame in self.sent()]
        return [(each[1]["width"], each[1]["height"]) for each in said if each[0] == "resize"]

    def hosts(self) -> set[str]:
        """Return every host that anything was asked of."""
        asked = (
            each["params"].get("url") or each["params"].get("request", {}).get("url", "")
            for each in self._all()
            if each["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated")
        )
        return {urlsplit(url).netloc for url in asked if url and not url.startswith("data:")}

    def complaints(self) -> list[str]:
        """Return what the console complains about."""
        said = (entry for entry in self.driver.get_log("browser") if entry["level"] != "INFO")
        return [e["message"] for e in said if not any(noise in e["message"] for noise in NOISE)]

    def everything(self) -> str:
        """Return every page, address and frame, raw and as text."""
        received = b"".join(self._frames("Received"))
        return "\n".join(
            [*self._pages, json.dumps(self._all()), received.decode("utf-8", "replace"),
             shown(received)]
        )  # fmt: skip

    def _frames(self, way: str) -> list[bytes]:
        found = []
        for event in self._all():
            if event["method"] == f"Network.webSocketFrame{way}":
                frame = event["params"]["response"]
                data = frame["payloadData"]
                binary = frame["opcode"] == 2
                found.append(base64.b64decode(data) if binary else data.encode())
        return found

    def _all(self) -> list[dict[str, Any]]:
        self._events += self._log()
        return self._events

    def _log(self) -> list[dict[str, Any]]:
        return [
            json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")
        ]

    def close(self) -> None:
        """End the browser."""
        self.driver.quit()
