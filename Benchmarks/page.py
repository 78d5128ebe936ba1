#!/usr/bin/env python3
"""The page in chromium: bytes, requests, first paint; and, while 5,000 pushes a second arrive, the rows of its list and
the processor time of the longest task of its main thread.

Wants .venv-page (Tests/PageTests/setup.sh), Debian's chromium, chromium-driver and nghttp2-client.
"""

import argparse
import json
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import websocket
from selenium import webdriver

sys.path.extend(
    str(Path(__file__).resolve().parents[1] / folder)
    for folder in ("Tests/PageTests", "Tests/WireTests", "Clients/python/src")
)

from browser import Page, load, make_driver, start

LIMIT = 100.0
"""Milliseconds of processor time."""


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


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--rounds", type=int, default=3)
    parse.add_argument("--seconds", type=int, default=5, help="of load in each round (default 5)")
    arguments = parse.parse_args()
    driver = make_driver()
    try:
        worst = max(measure(driver, arguments.seconds) for _ in range(arguments.rounds))
    finally:
        driver.quit()
    print(f"longest task of all rounds: {worst:.0f} ms, limit {LIMIT:.0f}")
    sys.exit(worst > LIMIT)


def measure(driver: webdriver.Chrome, seconds: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        server = start(Path(folder))
        try:
            page = Page(driver)
            page.size(1280, 900)
            page.open(server)
            print(first_load(page), end="; ")
            tasks, began = Tasks(driver), time.monotonic()
            load(server, Path(folder), count=5000 * seconds, rate=5000)
            rate = 5000 * seconds / (time.monotonic() - began)
            page.wait("return document.querySelectorAll('.rows li').length >= 100")
            longest = tasks.longest()
            rows = page.run("return document.querySelectorAll('.rows li').length")
            print(f"at {rate:.0f} pushes a second {rows} rows, longest task {longest:.0f} ms of processor time")
            driver.get("about:blank")
            return longest
        finally:
            server.stop()


def first_load(page: Page) -> str:
    entries = page.run(
        """return performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
             .map((e) => [e.name, e.decodedBodySize])"""
    )
    files = [size for name, size in entries if "/v1/" not in name]
    paint = page.run("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
    return f"{sum(files)} bytes in {len(files)} requests, first paint after {paint:.0f} ms"


if __name__ == "__main__":
    main()
