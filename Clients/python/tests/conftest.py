"""A server for all tests of a worker, and the program itself."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from pushpit import Pushpit

pytest_plugins = ["pytester"]

CLIENTS = Path(__file__).resolve().parents[2]
TABLE: dict[str, Any] = json.loads((CLIENTS / "behavior.json").read_text())


@pytest.fixture(scope="session")
def program() -> Path:
    named = os.environ.get("PUSHPIT_BINARY")
    if not named:
        pytest.fail("Set PUSHPIT_BINARY to the program that is to be tested; `make client-test` does.", pytrace=False)
    return Path(named).absolute()


@pytest.fixture(scope="session")
def server(program: Path) -> Iterator[Pushpit]:
    with Pushpit.start(*TABLE["server"], program=program) as running:
        yield running


@pytest.fixture(scope="session")
def elsewhere() -> Iterator[str]:
    """The address of an HTTP server that is not Pushpit."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"hi")

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_address[1]}"
        http.shutdown()
