"""The admin API over plain HTTP: one request, one answer or one error."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import AsyncIterator, Mapping
from http.client import HTTPException
from typing import Any

from ..errors import NoServerError
from ..http import JSON, Request, address, answer, refusal
from ..models import Push
from ..program import Server
from .io import exchange, pause, run

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""

BUSY_FOR = 5.0
"""Seconds for which a server is asked again that has as many connections as it can have."""


class Admin:
    """The admin API of a server. Each request has its own connection."""

    def __init__(self, url: str, server: Server | None = None, timeout: float = 30.0) -> None:
        self.host, self.port = address(url)
        self.server = server
        """The process, if it was started here."""
        self.timeout = timeout

    @property
    def url(self) -> str:
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"

    async def get(self, path: str, **query: Any) -> JSON:
        return await self.request(Request("GET", path, query))

    async def post(self, path: str, body: JSON | None = None, timeout: float | None = None) -> JSON:
        return await self.request(Request("POST", path, body=body or {}), timeout)

    async def delete(self, path: str, **query: Any) -> JSON:
        return await self.request(Request("DELETE", path, query))

    async def pages(self, path: str, field: str, **query: Any) -> AsyncIterator[JSON]:
        """Yields the rows of a list, page by page: `pages("/v1/tokens", "tokens", kind="update")`."""
        query = {"limit": 1000, **query}
        while True:
            page = await self.get(path, **query)
            for row in page[field]:
                yield row
            query["cursor"] = page["next"]
            if query["cursor"] is None:
                return

    async def request(self, request: Request, timeout: float | None = None) -> JSON:
        until = time.monotonic() + BUSY_FOR
        while True:
            status, content = await self.exchange(request, timeout)
            found = request.json(content)
            if status != 503 or not found or found.get("code") != "unavailable" or time.monotonic() > until:
                break
            await pause(0.05)
        if found is None:
            raise NoServerError(f"{self.url} is not Pushpit: it answered {request} with {status} and no JSON.")
        if status >= 400:
            raise refusal(status, found)
        return found

    async def text(self, path: str) -> str:
        """An answer that is not JSON."""
        status, content = await self.exchange(Request("GET", path))
        if status != 200:
            raise NoServerError(f"{self.url} answered GET {path} with {status}.")
        return content.decode(errors="replace")

    async def exchange(self, request: Request, timeout: float | None = None) -> tuple[int, bytes]:
        within = timeout or self.timeout
        try:
            return answer(await exchange(self.host, self.port, request.encoded(self.host), within))
        except TimeoutError:
            raise NoServerError(f"The server at {self.url} did not answer {request} in {within:g} s.") from None
        except (OSError, HTTPException, UnicodeError) as problem:
            raise NoServerError(await self._gone(problem)) from None

    async def _gone(self, problem: Exception) -> str:
        known = await run(self.server.why_gone) if self.server else None
        code = problem.errno if isinstance(problem, OSError) else None
        why = str(problem) or type(problem).__name__
        if isinstance(problem, socket.gaierror):
            why = str(problem.strerror)
        elif code:
            why = os.strerror(code)
        return known or f"No server answers at {self.url} ({why}); is it still running?"


async def list_pushes(admin: Admin, limit: int, filters: Mapping[str, Any], session: str | None = None) -> list[Push]:
    """Newest first."""
    page = await admin.get("/v1/pushes", session=session, limit=limit, **filters)
    return [Push.of(row) for row in page["pushes"]]
