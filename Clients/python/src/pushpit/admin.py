"""The admin API over plain HTTP: one request, one answer or one error."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from .errors import (
    ConflictError,
    InvalidRequestError,
    NoServerError,
    NotFoundError,
    PushpitError,
    RefusedError,
    SessionOverError,
)

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""

JSON = dict[str, Any]


class Admin:
    """The admin API of a server. Safe to use from several threads: each request has its own connection."""

    def __init__(self, url: str, timeout: float = 30.0) -> None:
        parts = urlsplit(url if "//" in url else f"//{url}")
        try:
            port = parts.port
        except ValueError:
            port = None
        if parts.scheme not in ("", "http") or not parts.hostname:
            raise PushpitError(f"{url} is not the address of an admin API, such as http://127.0.0.1:2190.")
        self.host, self.port = parts.hostname, port or 2190
        self.timeout = timeout
        self.why_gone: Callable[[], str | None] = lambda: None
        """The reason why the server has ended, from the owner of its process."""

    @property
    def url(self) -> str:
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"

    def get(self, path: str, **query: Any) -> JSON:
        return self.request("GET", path, query=query)

    def post(self, path: str, body: JSON | None = None, timeout: float | None = None) -> JSON:
        return self.request("POST", path, body={} if body is None else body, timeout=timeout)

    def text(self, path: str) -> str:
        """An answer that is not JSON."""
        status, content = self._exchange("GET", path, None, self.timeout)
        if status != 200:
            raise NoServerError(f"{self.url} answered GET {path} with {status}.")
        return content.decode(errors="replace")

    def delete(self, path: str, **query: Any) -> JSON:
        return self.request("DELETE", path, query=query)

    def pages(self, path: str, rows: str, limit: int = 100, **query: Any) -> Iterator[JSON]:
        """All rows of a list, page by page."""
        cursor = None
        while True:
            page = self.get(path, limit=limit, cursor=cursor, **query)
            yield from page[rows]
            cursor = page["next"]
            if cursor is None:
                return

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: JSON | None = None,
        timeout: float | None = None,
    ) -> JSON:
        asked = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        target = path + ("?" + urlencode(asked, quote_via=quote) if asked else "")
        status, content = self._exchange(method, target, body, timeout or self.timeout)
        try:
            answer = json.loads(content)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise NoServerError(f"{self.url} is not Pushpit: it answered {method} {path} with {status} and no JSON.")
        if status >= 400:
            raise refusal(status, answer)
        return answer

    def _exchange(self, method: str, target: str, body: JSON | None, timeout: float) -> tuple[int, bytes]:
        path = target.partition("?")[0]
        connection = HTTPConnection(self.host, self.port, timeout=timeout)
        headers = {"accept": "application/json"}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["content-type"] = "application/json"
        try:
            connection.request(method, target, data, headers)
            response = connection.getresponse()
            return response.status, response.read()
        except TimeoutError:
            raise NoServerError(f"The server at {self.url} did not answer {method} {path} in {timeout:g} s.") from None
        except (OSError, HTTPException) as problem:
            raise NoServerError(self._gone(problem)) from None
        finally:
            connection.close()

    def _gone(self, problem: Exception) -> str:
        known = self.why_gone()
        if known:
            return known
        why = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
        return f"No server answers at {self.url} ({why or type(problem).__name__}); is it still running?"


def part(text: str) -> str:
    """A name as one part of a path."""
    return quote(text, safe="")


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def refusal(status: int, answer: JSON) -> RefusedError:
    """The error for an answer of 400 and more."""
    sentence, code = str(answer.get("error", f"The server answered {status}.")), str(answer.get("code", "error"))
    field, path = answer.get("field"), answer.get("path")
    kind: type[RefusedError] = RefusedError
    if status in (400, 413, 415, 422):
        kind = InvalidRequestError
    elif status == 404:
        kind = NotFoundError
    elif status == 409:
        kind = ConflictError
    over = field == "session" and (status in (404, 410) or (status == 409 and " is closed" in sentence))
    return (SessionOverError if over or status == 410 else kind)(sentence, status, code, field, path)
