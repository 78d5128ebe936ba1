"""The differences for asyncio from `blocking/io.py`."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Generator
from types import TracebackType
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, overload

from ..waiting import DEFAULT_WITHIN, Wait

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""

P = ParamSpec("P")
T = TypeVar("T")


class Closing(Protocol):
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


C = TypeVar("C", bound=Closing)


class Opening(Generic[C]):
    """An object that can be awaited, or entered with `async with`."""

    def __init__(self, making: Coroutine[Any, Any, C]) -> None:
        self._making = making
        self._made: C | None = None

    def __await__(self) -> Generator[Any, Any, C]:
        return self._making.__await__()

    async def __aenter__(self) -> C:
        self._made = await self._making
        return self._made

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._made is not None
        await self._made.__aexit__(kind, error, trace)


def opening(make: Callable[P, Coroutine[Any, Any, C]]) -> Callable[P, Opening[C]]:
    """A function whose result can also be entered with `async with`."""

    @functools.wraps(make)
    def opened(*args: P.args, **kwargs: P.kwargs) -> Opening[C]:
        return Opening(make(*args, **kwargs))

    return opened


async def run(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls what takes long: in a thread."""
    return await asyncio.to_thread(function, *args, **kwargs)


async def pause(seconds: float) -> None:
    await asyncio.sleep(seconds)


async def exchange(host: str, port: int, request: bytes, timeout: float) -> bytes:
    """Everything that is answered until the connection is closed."""

    async def exchanged() -> bytes:
        reader, writer = await asyncio.open_connection(host, port)
        try:
            writer.write(request)
            return await reader.read()
        finally:
            writer.close()

    try:
        return await asyncio.wait_for(exchanged(), timeout)
    except asyncio.TimeoutError:  # noqa: UP041  another one before Python 3.11
        raise TimeoutError from None


@overload
async def wait_for(look: Callable[[], Awaitable[T]], within: float = ..., what: str | None = ...) -> T: ...
@overload
async def wait_for(look: Callable[[], T], within: float = ..., what: str | None = ...) -> T: ...
async def wait_for(look: Callable[[], Any], within: float = DEFAULT_WITHIN, what: str | None = None) -> Any:
    """Calls `look`, which may be a coroutine function, until it returns something true, and returns that."""
    wait = Wait(within, what)
    while True:
        wait.looks()
        seen = look()
        if inspect.isawaitable(seen):
            seen = await seen
        if seen:
            return seen
        await pause(wait.pause(seen))
