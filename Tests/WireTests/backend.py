"""A backend under test: a small HTTP server on loopback that keeps what apps tell it and answers as a test says."""

import contextlib
import json
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from wire import TIMEOUT


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def line(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def json(self) -> dict:
        return json.loads(self.body)


@dataclass
class Reply:
    """An answer of the backend. `raw` goes out instead of HTTP, and then the connection is closed."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    until: threading.Event | None = None
    """Held back until this is set."""


class Backend:
    def __init__(self, answer: Callable[[Request], Reply] = lambda request: Reply()):
        self.answer = answer
        self.requests: list[Request] = []
        self._news = threading.Condition()
        backend = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = TIMEOUT

            def handle_any(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                request = Request(
                    self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, self.rfile.read(length)
                )
                backend._note(request)
                reply = backend.answer(request)
                if reply.until is not None:
                    reply.until.wait(TIMEOUT)
                if reply.raw is not None:
                    self.close_connection = True
                    self.connection.sendall(reply.raw)
                    self.connection.shutdown(socket.SHUT_WR)
                    return
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

            def handle(self) -> None:
                # The app may have gone.
                with contextlib.suppress(ConnectionError, TimeoutError):
                    super().handle()

            def log_message(self, *_) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def _note(self, request: Request) -> None:
        with self._news:
            self.requests.append(request)
            self._news.notify_all()

    def wait(self, enough: Callable[[list[Request]], bool], what: str) -> list[Request]:
        """Until what has come is enough."""
        with self._news:
            assert self._news.wait_for(lambda: enough(self.requests), TIMEOUT), (
                f"{what}; there came {[r.line for r in self.requests]}"
            )
            return list(self.requests)

    def wait_for(self, line: str, times: int = 1) -> list[Request]:
        found = self.wait(lambda all: sum(r.line == line for r in all) >= times, f"{line} did not come {times} times")
        return [r for r in found if r.line == line]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(TIMEOUT)
