"""The page in Debian's chromium, driven by selenium, and the server that it shows."""

import subprocess
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.ui import WebDriverWait

from program import APP, Pushpit

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
            buttons: {cheer: "Cheer {attributes.match}"}
        - name: RideAttributes
      categories: {GOAL: {buttons: {mute: Mute}, reply: Comment}}
"""
"""`RideAttributes` has no template of its card."""


class Page:
    """A tab of the browser."""

    def __init__(self, driver: webdriver.Chrome):
        self.driver = driver

    def open(self, server: Pushpit, view: str = "") -> "Page":
        self.driver.get(f"{server.admin_url}/#/{view}")
        # The same address with another fragment would not load the page anew.
        self.driver.refresh()
        return self.wait("return document.querySelector('#state').className === 'there'")

    def wait(self, script: str, *arguments, seconds: float = 60) -> "Page":
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


def make_driver() -> webdriver.Chrome:
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    # No sandbox, because it cannot be made by root, which CI is; the only pages are our own.
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def start(base: Path, *flags: str) -> Pushpit:
    at_once = ("--set", "timing.immediate=true", "--set", "budgets.rendering.from18=0s..0s")
    flags = ("--fleet", "200", "--audit", "--ideal", "--token-requests-per-second", "0", *at_once, *flags)
    return Pushpit(*flags, state=base / "state", home=base / "home", config=CONFIG)


def load(server: Pushpit, folder: Path, count: int, rate: int) -> None:
    """Sends `count` pushes, by nghttp2's h2load, at no more than `rate` a second."""
    host, port = server.address()
    uris = folder / "uris"
    uris.write_text("".join(f"https://{host}:{port}/3/device/{token}\n" for token in server.tokens()))
    (folder / "body").write_bytes(b'{"aps":{"alert":{"title":"Hello","body":"World"}}}')
    headers = [f"authorization: bearer {server.jwt}", f"apns-topic: {APP}", "apns-push-type: alert"]
    words = [word for header in headers for word in ("-H", header)]
    clients = 5
    pace = ["--rps", str(rate // clients), "-n", str(count), "-c", str(clients), "-m", "100"]
    done = subprocess.run(
        ["h2load", *pace, *words, "-d", str(folder / "body"), "-i", str(uris)],
        capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert f"status codes: {count} 2xx, 0 3xx, 0 4xx, 0 5xx" in done.stdout, done.stdout + done.stderr
