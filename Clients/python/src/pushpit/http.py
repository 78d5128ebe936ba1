"""Requests to the admin API and their answers as bytes, without a connection."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.client import HTTPResponse
from typing import Any, cast
from urllib.parse import quote, urlencode, urlsplit

from .errors import (
    ConflictError,
    InvalidRequestError,
    NotFoundError,
    PushpitError,
    RefusedError,
    SessionOverError,
)

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""

JSON = dict[str, Any]


def address(url: str) -> tuple[str, int]:
    """Host and port of an admin API."""
    try:
        parts = urlsplit(url if "//" in url else f"//{url}")
        host, port = parts.hostname, 2190 if parts.port is None else parts.port
    except ValueError:
        host = None
    if not host or port == 0 or parts.scheme not in ("", "http"):
        raise PushpitError(f"{url} is not the address of an admin API, such as http://127.0.0.1:2190.")
    return host, port


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: JSON | None = None

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    def encoded(self, host: str) -> bytes:
        asked = {camel(name): _text(value) for name, value in self.query.items() if value is not None}
        target = self.path + ("?" + urlencode(asked, quote_via=quote) if asked else "")
        named = f"[{host}]" if ":" in host else host
        lines = [f"{self.method} {target} HTTP/1.1", f"host: {named}", "accept: application/json", "connection: close"]
        body = b""
        if self.body is not None:
            body = self._written().encode()
            lines += ["content-type: application/json", f"content-length: {len(body)}"]
        return "\r\n".join([*lines, "", ""]).encode() + body

    def _written(self) -> str:
        try:
            return json.dumps(self.body, allow_nan=False)
        except (TypeError, ValueError):
            for name, value in _values("", self.body):
                try:
                    json.dumps(value, allow_nan=False)
                except (TypeError, ValueError):
                    raise PushpitError(f"{name} cannot be {value!r}, because JSON has no such value.") from None
            raise  # a key that is no text, or a value that contains itself

    def json(self, content: bytes) -> JSON | None:
        try:
            found = json.loads(content)
        except ValueError:
            return None
        return found if isinstance(found, dict) else None


class _Received:
    """A connection that has received everything."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def makefile(self, mode: str) -> io.BytesIO:
        return io.BytesIO(self.content)


def answer(content: bytes) -> tuple[int, bytes]:
    """Status and body."""
    response = HTTPResponse(cast(Any, _Received(content)))
    response.begin()
    return response.status, response.read()


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
    over = field == "session" and (status == 404 or (status == 409 and " is closed" in sentence))
    return (SessionOverError if over or status == 410 else kind)(sentence, status, code, field, path)


def part(text: str) -> str:
    """A name as one part of a path."""
    return quote(text, safe="")


def camel(name: str) -> str:
    """A keyword argument as the admin API names it: content_state is contentState, from_ is from."""
    return re.sub("_([a-z])", lambda match: match[1].upper(), name.rstrip("_"))


def _values(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The values in an object that are neither objects nor lists, with their paths."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _values(f"{path}.{name}" if path else str(name), inner)
    elif isinstance(value, (list, tuple)):
        for index, inner in enumerate(value):
            yield from _values(f"{path}[{index}]", inner)
    else:
        yield path, value


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
