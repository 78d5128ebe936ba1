"""The page in a real browser: Debian's chromium, driven by selenium."""

import json
import os
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import websocket
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.ui import WebDriverWait

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "WireTests"))

from program import BINARY, Pushpit

OUT = Path(__file__).parent / "out"
"""Pictures of the views, for people to look at."""

CONFIG = """
fleet:
  apps:
    - bundleId: com.example.app
      attributesTypes:
        - name: MatchAttributes
          card:
            tint: "#0a7d3b"
            lockScreen:
              title: "{attributes.match}"
              big: "{state.home} : {state.away}"
              line: "Minute {state.minute}"
              progress: state.minute/90
            compact: {leading: "{state.home}", trailing: "{state.away}"}
            minimal: "{state.home}:{state.away}"
"""


def pytest_sessionstart(session: pytest.Session) -> None:
    if not session.config.option.collectonly and not os.access(BINARY, os.X_OK):
        pytest.exit(f"{BINARY} is not there: build it first, or set PUSHPIT_BINARY", returncode=2)
    OUT.mkdir(exist_ok=True)


class Page:
    """One tab."""

    def __init__(self, driver: webdriver.Chrome):
        self.driver = driver

    def open(self, server: Pushpit, view: str = "") -> "Page":
        self.driver.get(f"{server.admin_url}/#/{view}")
        # The same address with another fragment would not load the page anew.
        self.driver.refresh()
        return self.wait("return document.querySelector('#state').className === 'there'")

    def wait(self, script: str, *arguments, seconds: float = 10) -> "Page":
        """Until a script returns something true."""
        WebDriverWait(self.driver, seconds, poll_frequency=0.02).until(
            lambda driver: driver.execute_script(script, *arguments), f"not within {seconds} s: {script}"
        )
        return self

    def run(self, script: str, *arguments):
        return self.driver.execute_script(script, *arguments)

    def text(self, selector: str) -> list[str]:
        return self.run("return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector)

    def click(self, selector: str, text: str | None = None) -> None:
        """Clicks what is there, as soon as it is."""
        self.wait(
            """const found = [...document.querySelectorAll(arguments[0])]
                 .find((e) => arguments[1] === null || e.textContent === arguments[1]);
               found?.click(); return Boolean(found)""",
            selector,
            text,
        )

    def type(self, keys: str) -> None:
        """To whatever has the focus, as a keyboard does."""
        ActionChains(self.driver).send_keys(keys).perform()

    def size(self, width: int, height: int, dark: bool = False) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})

    def picture(self, name: str, width: int, height: int, dark: bool) -> None:
        """The whole view, not only what fits the window."""
        full = min(2400, self.run("return document.documentElement.scrollHeight"))
        self.size(width, max(full, height), dark)
        self.wait("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
        self.driver.save_screenshot(str(OUT / f"{name}-{width}-{'dark' if dark else 'light'}.png"))
        self.size(width, height, dark)

    def console(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]


@pytest.fixture(scope="session")
def driver() -> Iterator[webdriver.Chrome]:
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    # No sandbox, because it cannot be made by root, which CI is; the only pages are our own.
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    yield driver
    driver.quit()


@pytest.fixture
def page(driver: webdriver.Chrome) -> Iterator[Page]:
    page = Page(driver)
    page.size(1280, 900)
    page.console()
    yield page
    # The stream of the last page must not be missed by the next server.
    driver.get("about:blank")


def start(base: Path, *flags: str) -> Pushpit:
    smooth = (
        "--ideal",
        "--set",
        "timing.immediate=true",
        "--set",
        "budgets.rendering.from18=0s..0s",
        "--token-requests-per-second",
        "0",
    )
    flags = ("--fleet", "200", "--audit", *smooth, *flags)
    return Pushpit(*flags, state=base / "state", home=base / "home", config=CONFIG)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Pushpit]:
    server = start(tmp_path)
    yield server
    server.stop()


class Tasks:
    """The tasks of the page's main thread, in chromium's own trace. Its pipe to selenium cannot trace."""

    def __init__(self, driver: webdriver.Chrome):
        address = driver.capabilities["goog:chromeOptions"]["debuggerAddress"]
        with urllib.request.urlopen(f"http://{address}/json/version", timeout=10) as answer:
            url = json.load(answer)["webSocketDebuggerUrl"]
        self.socket = websocket.create_connection(url, suppress_origin=True, timeout=60)
        categories = {"includedCategories": ["toplevel"], "excludedCategories": ["*"]}
        self.order("Tracing.start", traceConfig=categories, transferMode="ReportEvents")

    def order(self, method: str, **parameters) -> None:
        self.socket.send(json.dumps({"id": 1, "method": method, "params": parameters}))

    def longest(self) -> float:
        """Milliseconds of processor time of the longest one; ends the trace."""
        self.order("Tracing.end")
        events = []
        while (message := json.loads(self.socket.recv())).get("method") != "Tracing.tracingComplete":
            if message.get("method") == "Tracing.dataCollected":
                events += message["params"]["value"]
        self.socket.close()
        named = [event for event in events if event["name"] == "thread_name"]
        pages = {(each["pid"], each["tid"]) for each in named if each["args"]["name"] == "CrRendererMain"}
        tasks = [each for each in events if each["name"].endswith("RunTask") and (each["pid"], each["tid"]) in pages]
        assert len(tasks) > 100, "the trace has no tasks of the page"
        return max(each["tdur"] for each in tasks if "tdur" in each) / 1000
