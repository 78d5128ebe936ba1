"""A server for all tests of a worker, and the program itself."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from pushpit import Pushpit

pytest_plugins = ["pytester"]

CLIENTS = Path(__file__).resolve().parents[2]
TABLE: dict[str, Any] = json.loads((CLIENTS / "behavior.json").read_text())


def keywords(flags: list[str]) -> Any:
    """Flags of the table, each with a value, as keyword arguments."""
    return {name[2:].replace("-", "_"): value for name, value in zip(flags[::2], flags[1::2])}


@pytest.fixture(scope="session")
def program() -> Path:
    named = os.environ.get("PUSHPIT_BINARY")
    if not named:
        pytest.fail("Set PUSHPIT_BINARY to the program that is to be tested; `make client-test` does.", pytrace=False)
    return Path(named).absolute()


@pytest.fixture
def run(pytester: pytest.Pytester, program: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A suite of its own, with the plugin."""
    monkeypatch.setenv("PUSHPIT_BINARY", str(program))
    for name in ("PUSHPIT_ADMIN", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)
    pytester.makeini("[pytest]\npushpit_start = fleet = 40\naddopts = --strict-markers")
    return pytester


@pytest.fixture(scope="session")
def server(program: Path) -> Iterator[Pushpit]:
    with Pushpit.start(program=program, **keywords(TABLE["server"])) as running:
        yield running


@pytest.fixture(scope="session")
def elsewhere() -> Iterator[str]:
    """The address of an HTTP server that is not Pushpit."""
    with answering(b"hi") as url:
        yield url


@pytest.fixture(scope="session")
def another_version() -> Iterator[str]:
    """The address of one that says it is a Pushpit of another version."""
    with answering(b'{"name":"pushpit","version":"9.9.9"}') as url:
        yield url


@contextmanager
def answering(body: bytes) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_address[1]}"
        http.shutdown()
