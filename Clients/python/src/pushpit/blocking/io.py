"""The differences for code that does not await from `aio/io.py`."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ..waiting import DEFAULT_WITHIN, Wait

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""

P = ParamSpec("P")
T = TypeVar("T")


def opening(make: Callable[P, T]) -> Callable[P, T]:
    """The function itself: what it returns can be entered with `with`."""
    return make


def run(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls what takes long."""
    return function(*args, **kwargs)


def pause(seconds: float) -> None:
    time.sleep(seconds)


def exchange(host: str, port: int, request: bytes, timeout: float) -> bytes:
    """Everything that is answered until the connection is closed."""
    with socket.create_connection((host, port), timeout) as connection:
        connection.sendall(request)
        with connection.makefile("rb") as answer:
            return answer.read()


def wait_for(look: Callable[[], T], within: float = DEFAULT_WITHIN, what: str | None = None) -> T:
    """Calls `look` until it returns something true, and returns that."""
    wait = Wait(within, what)
    while True:
        wait.looks()
        seen = look()
        if seen:
            return seen
        pause(wait.pause(seen))
