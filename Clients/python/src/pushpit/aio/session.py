"""A session: one test's pushes, phones, faults and verdict."""

from __future__ import annotations

import contextlib
import time
from types import TracebackType
from typing import TYPE_CHECKING

from ..errors import ExpectationError, NoServerError, PushpitError, SessionOverError, WaitTimeoutError
from ..http import JSON, part
from ..models import End, Push, Verdict
from ..rows import Call, Finding
from ..types import CallFilters, FaultWords, PushFilters
from ..waiting import DEFAULT_WITHIN
from .admin import list_pushes
from .fault import Fault
from .io import opening, wait_for
from .phone import Phone

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .pushpit import Pushpit

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""


class Session:
    """As a context manager it is closed at the end, and its expectations must be true then."""

    def __init__(self, pushpit: Pushpit, opened: JSON, app: str | None = None, end: End | None = None) -> None:
        self.pushpit = pushpit
        self.opened = opened
        self.name = str(opened["name"])
        self.phones = [Phone(pushpit, device, app, self) for device in opened["devices"] or []]
        self.end = end or End()
        self._app = app
        self._admin = pushpit.admin
        self._path = f"/v1/sessions/{part(self.name)}"

    def __repr__(self) -> str:
        return f"<session {self.name}>"

    @property
    def phone(self) -> Phone:
        """The first phone of the session."""
        if not self.phones:
            raise PushpitError(f"The session {self.name} was opened without phones.")
        return self.phones[0]

    @property
    def verdict(self) -> Verdict | None:
        """Set when it is closed."""
        return self.end.verdict

    async def state(self) -> JSON:
        """The session with its counts, as the admin API has it."""
        return await self._admin.get(self._path)

    async def pushes(self, limit: int = 100, **filters: Unpack[PushFilters]) -> list[Push]:
        """The session's pushes, newest first."""
        return await list_pushes(self._admin, limit, filters, self.name)

    async def calls(self, limit: int = 100, **filters: Unpack[CallFilters]) -> list[Call]:
        """The calls of its phones' apps to their backend, newest first."""
        page = await self._admin.get("/v1/calls", session=self.name, limit=limit, **filters)
        return [Call.of(row) for row in page["calls"]]

    async def findings(self) -> list[Finding]:
        """The backend's mistakes in it."""
        page = await self._admin.get("/v1/findings", session=self.name)
        return [Finding.of(row) for row in page["findings"]]

    async def stories(self, last: int = 5) -> str:
        """Stories of its last pushes, the latest last."""
        return "\n".join(push.story for push in reversed(await self.pushes(last))) or "Nothing was pushed."

    @opening
    async def fault(self, name: str | None = None, **words: Unpack[FaultWords]) -> Fault:
        """Sets a fault for its pushes and phones: `fault(answer="TooManyRequests", limit=2)`."""
        return await Fault.set(self._admin, self.name, name, words)

    async def delete_faults(self) -> int:
        """Deletes all its faults; returns how many there were."""
        return len((await self._admin.post("/v1/reset", {"session": self.name}))["deleted"])

    async def expect(self, count: int, within: float = DEFAULT_WITHIN, **filters: Unpack[PushFilters]) -> list[Push]:
        """Waits until it has that number of pushes that match the filters, and returns them; more are an error."""
        if not isinstance(count, int) or count < 0:
            raise PushpitError(f"count is a number of pushes, such as 2, and not {count!r}.")
        seen: list[Push] = []
        query = {**filters, "session": self.name, "limit": min(count, 999) + 1}

        async def look() -> bool:
            seen.clear()
            async for row in self._admin.pages("/v1/pushes", "pushes", **query):
                seen.append(Push.of(row))
                if len(seen) > count:
                    break
            return len(seen) >= count

        with contextlib.suppress(WaitTimeoutError):
            await wait_for(look, within)
        if len(seen) == count:
            return seen
        many = f"{len(seen)}{' or more' if len(seen) > count else ''}"
        which = "".join(f" {name}={value}" for name, value in filters.items())
        raise ExpectationError(
            f"{count} pushes{which} were expected within {within:g} s, and there were {many}.\n{await self.stories()}"
        )

    async def close(self) -> Verdict:
        """Closes it: its faults are deleted, and its expectations are evaluated. Closing it again changes nothing."""
        if self.end.verdict is None:
            state = await self.state()
            if not state["open"]:
                raise self._over(state)
            self.end.verdict = Verdict.of(await self._admin.post(f"{self._path}/close"))
        return self.end.verdict

    def _over(self, state: JSON) -> SessionOverError:
        """The error for a session that was closed before its test was over: a verdict would cover only a part of it."""
        expiry = str(state["expiresAt"] or "never")  # in UTC; later than now if its life was not over
        expired = expiry[:19] <= time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
        why = f"it expired at {expiry}" if expired else "somebody else has closed it"
        return SessionOverError(
            f"The session {self.name} is closed, and not by its test: {why}. Its phones may be in another session now.",
            409, "conflict", "session",
        )  # fmt: skip

    async def forget(self) -> None:
        """Closes it and deletes it from the server."""
        await self._admin.delete(self._path)
        self.end.forgotten = True

    async def __aenter__(self) -> Session:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.end.forgotten:
            return
        try:
            verdict = await self.close()
        except (NoServerError, SessionOverError):
            if error is None:
                raise
            return
        if error is None:
            verdict.check()
