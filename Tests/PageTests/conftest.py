"""Fixtures: the browser, and the server whose page it shows."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver

from browser import OUT, Page, make_driver, start
from program import BINARY, Pushpit


def pytest_sessionstart(session: pytest.Session) -> None:
    if not session.config.option.collectonly and not os.access(BINARY, os.X_OK):
        pytest.exit(f"{BINARY} is not there: build it first, or set PUSHPIT_BINARY", returncode=2)
    OUT.mkdir(exist_ok=True)


@pytest.fixture(scope="session")
def driver() -> Iterator[webdriver.Chrome]:
    driver = make_driver()
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


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Pushpit]:
    server = start(tmp_path)
    yield server
    server.stop()
