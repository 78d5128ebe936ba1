"""The API for asyncio: the names of `pushpit`, with `await`; no call blocks the loop.

async with Pushpit.start() as pushpit, pushpit.session() as session:
    await send(await session.phone.token(), "Goal!")            # your backend
    assert (await session.phone.screen()).notifications[0].body == "Goal!"
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar, overload

from . import client, clock, fault, phone, session
from .admin import JSON
from .errors import ExpectationError, WaitTimeoutError
from .models import Answer, LogLine, Push, Screen, Verdict
from .sending import Payload
from .waiting import DEFAULT_WITHIN, pauses, screen_differences, timed_out

T = TypeVar("T")

_thread = asyncio.to_thread


class _Closing(Protocol):
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


C = TypeVar("C", bound=_Closing)


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


@overload
async def wait_for(look: Callable[[], Awaitable[T]], within: float = ..., what: str | None = ...) -> T: ...
@overload
async def wait_for(look: Callable[[], T], within: float = ..., what: str | None = ...) -> T: ...
async def wait_for(look: Callable[[], Any], within: float = DEFAULT_WITHIN, what: str | None = None) -> Any:
    """Calls `look`, which may be a coroutine function, until it returns something true, and returns that."""
    until = time.monotonic() + within
    for pause in pauses():
        left = until - time.monotonic()
        seen = look()
        value = await seen if inspect.isawaitable(seen) else seen
        if value:
            return value
        if left <= 0:
            raise timed_out(what, within, value)
        await asyncio.sleep(min(pause, left))
    raise AssertionError("pauses never end")


class Fault:
    """A fault that is set; `async with` deletes it at the end."""

    def __init__(self, sync: fault.Fault) -> None:
        self.sync = sync
        self.name = sync.name

    async def state(self) -> JSON:
        return await _thread(self.sync.state)

    async def struck(self) -> int:
        return await _thread(self.sync.struck)

    async def delete(self) -> None:
        await _thread(self.sync.delete)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await _thread(self.sync.__exit__, kind, error, trace)


class Clock:
    """The world's clock."""

    def __init__(self, sync: clock.Clock) -> None:
        self.sync = sync

    async def state(self) -> JSON:
        return await _thread(self.sync.state)

    async def now(self) -> float:
        return await _thread(self.sync.now)

    async def advance(self, by: str | float, timeout: float = clock.ADVANCE_TIMEOUT) -> JSON:
        return await _thread(self.sync.advance, by, timeout)

    async def stop(self) -> JSON:
        return await _thread(self.sync.stop)

    async def run(self) -> JSON:
        return await _thread(self.sync.run)


class Phone:
    """A phone; `Phone(phone)` makes one of the pytest fixture's."""

    def __init__(self, sync: phone.Phone) -> None:
        self.sync = sync
        self.device = sync.device

    def __repr__(self) -> str:
        return repr(self.sync)

    async def state(self) -> JSON:
        return await _thread(self.sync.state)

    async def token(self, kind: str = "device", *, app: str | None = None, attributes_type: str | None = None) -> str:
        return await _thread(self.sync.token, kind, app=app, attributes_type=attributes_type)

    async def screen(self) -> Screen:
        return await _thread(self.sync.screen)

    async def log(self, process: str | None = None, limit: int = 100) -> list[LogLine]:
        return await _thread(self.sync.log, process, limit)

    async def pushes(self, **filters: Any) -> list[Push]:
        return await _thread(self.sync.pushes, **filters)

    async def do(self, action: str, **details: Any) -> list[JSON]:
        return await _thread(self.sync.do, action, **details)

    async def send(self, payload: Payload | None = None, **options: Any) -> Answer:
        return await _thread(self.sync.send, payload, **options)

    async def clear(self) -> None:
        await _thread(self.sync.clear)

    async def expect(self, within: float = DEFAULT_WITHIN, **shape: Any) -> Screen:
        seen: list[Screen] = []

        async def look() -> bool:
            seen[:] = [await self.screen()]
            return not screen_differences(shape, seen[0])

        try:
            await wait_for(look, within)
        except WaitTimeoutError:
            raise phone.not_shown(self.device, shape, seen[0], within) from None
        return seen[0]


class Session:
    """The session of a test; `Session(pushpit_session)` makes one of the pytest fixture's."""

    def __init__(self, sync: session.Session) -> None:
        self.sync = sync
        self.name = sync.name
        self.phones = [Phone(each) for each in sync.phones]

    @property
    def phone(self) -> Phone:
        return Phone(self.sync.phone)

    @property
    def verdict(self) -> Verdict | None:
        return self.sync.verdict

    async def state(self) -> JSON:
        return await _thread(self.sync.state)

    async def pushes(self, limit: int = 100, **filters: Any) -> list[Push]:
        return await _thread(self.sync.pushes, limit, **filters)

    async def calls(self, limit: int = 100, **filters: Any) -> list[JSON]:
        return await _thread(self.sync.calls, limit, **filters)

    async def findings(self) -> list[JSON]:
        return await _thread(self.sync.findings)

    async def stories(self, last: int = 5) -> str:
        return await _thread(self.sync.stories, last)

    def fault(self, name: str | None = None, **words: Any) -> Opening[Fault]:
        async def set_() -> Fault:
            return Fault(await _thread(self.sync.fault, name, **words))

        return Opening(set_())

    async def delete_faults(self) -> int:
        return await _thread(self.sync.delete_faults)

    async def expect(self, count: int, within: float = DEFAULT_WITHIN, **filters: Any) -> list[Push]:
        async def look() -> bool:
            return len(await self.pushes(min(count + 1, 1000), **filters)) >= count

        with contextlib.suppress(WaitTimeoutError):
            await wait_for(look, within)
        try:
            return await _thread(self.sync.expect, count, 0, **filters)
        except ExpectationError as broken:
            raise ExpectationError(broken.sentence.replace("within 0 s", f"within {within:g} s")) from None

    async def close(self) -> Verdict:
        return await _thread(self.sync.close)

    async def forget(self) -> None:
        await _thread(self.sync.forget)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await _thread(self.sync.__exit__, kind, error, trace)


class Pushpit:
    """A Pushpit; `Pushpit(pushpit)` makes one of the pytest fixture's."""

    def __init__(self, sync: client.Pushpit) -> None:
        self.sync = sync
        self.clock = Clock(sync.clock)

    @classmethod
    def start(cls, *flags: str, **options: Any) -> Opening[Pushpit]:
        """As `pushpit.Pushpit.start`."""

        async def starting() -> Pushpit:
            return cls(await _thread(client.Pushpit.start, *flags, **options))

        return Opening(starting())

    @classmethod
    def connect(cls, url: str | None = None, **options: Any) -> Opening[Pushpit]:
        """As `pushpit.Pushpit.connect`."""

        async def connecting() -> Pushpit:
            return cls(await _thread(client.Pushpit.connect, url, **options))

        return Opening(connecting())

    @property
    def url(self) -> str:
        return self.sync.url

    @property
    def ready(self) -> Mapping[str, Any]:
        return self.sync.ready

    @property
    def ca(self) -> str:
        return self.sync.ca

    @property
    def key(self) -> JSON:
        return self.sync.key

    def apns(self, environment: str = "sandbox") -> str:
        return self.sync.apns(environment)

    def environment(self) -> dict[str, str]:
        return self.sync.environment()

    def phone(self, device: str, app: str | None = None) -> Phone:
        return Phone(self.sync.phone(device, app))

    def session(self, phones: int = 1, **options: Any) -> Opening[Session]:
        async def opening() -> Session:
            return Session(await _thread(self.sync.session, phones, **options))

        return Opening(opening())

    def fault(self, name: str | None = None, **words: Any) -> Opening[Fault]:
        async def set_() -> Fault:
            return Fault(await _thread(self.sync.fault, name, **words))

        return Opening(set_())

    async def faults(self) -> list[JSON]:
        return await _thread(self.sync.faults)

    async def delete_faults(self) -> int:
        return await _thread(self.sync.delete_faults)

    async def pushes(self, limit: int = 100, **filters: Any) -> list[Push]:
        return await _thread(self.sync.pushes, limit, **filters)

    async def push(self, apns_id: str) -> Push:
        return await _thread(self.sync.push, apns_id)

    async def send(self, payload: Payload | None = None, **options: Any) -> Answer:
        return await _thread(self.sync.send, payload, **options)

    wait_for = staticmethod(wait_for)

    async def stop(self) -> None:
        await _thread(self.sync.stop)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()
