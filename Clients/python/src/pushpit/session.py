"""A session: one test's pushes, phones, faults and verdict."""

from __future__ import annotations

import contextlib
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .admin import JSON, part
from .errors import ExpectationError, NoServerError, PushpitError, SessionOverError, WaitTimeoutError
from .fault import Fault, order
from .models import Push, Verdict
from .phone import Phone
from .waiting import DEFAULT_WITHIN, wait_for

if TYPE_CHECKING:
    from .client import Pushpit

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""


class Session:
    """As a context manager it is closed at the end, and its expectations must be true then."""

    def __init__(self, pushpit: Pushpit, opened: JSON, app: str | None) -> None:
        self.pushpit = pushpit
        self.name = str(opened["name"])
        self.phones = [Phone(pushpit, device, app, self) for device in opened["devices"] or []]
        self._admin = pushpit.admin
        self.verdict: Verdict | None = None
        """Set when it is closed."""
        self.forgotten = False

    def __repr__(self) -> str:
        return f"<session {self.name}>"

    @property
    def _path(self) -> str:
        return f"/v1/sessions/{part(self.name)}"

    @property
    def phone(self) -> Phone:
        """The first phone of the session."""
        if not self.phones:
            raise PushpitError(f"The session {self.name} was opened without phones.")
        return self.phones[0]

    def state(self) -> JSON:
        """The session with its counts, as the admin API has it."""
        return self._admin.get(self._path)

    def pushes(self, limit: int = 100, **filters: Any) -> list[Push]:
        """The session's pushes, newest first. Filters are those of the admin API: status, reason, token, device, …"""
        rows = self._admin.get("/v1/pushes", session=self.name, limit=limit, **filters)["pushes"]
        return [Push.of(row) for row in rows]

    def calls(self, limit: int = 100, **filters: Any) -> list[JSON]:
        """The calls of its phones' apps to their backend, newest first."""
        return list(self._admin.get("/v1/calls", session=self.name, limit=limit, **filters)["calls"])

    def findings(self) -> list[JSON]:
        """The backend's mistakes in it."""
        return list(self._admin.get("/v1/findings", session=self.name)["findings"])

    def stories(self, last: int = 5) -> str:
        """Stories of its last pushes, the latest last."""
        return "\n".join(push.story for push in reversed(self.pushes(limit=last))) or "Nothing was pushed."

    def fault(self, name: str | None = None, **words: Any) -> Fault:
        """Sets a fault for its pushes and phones: `fault(answer="TooManyRequests", limit=2)`. The words are those of
        docs/faults.md, with `from_` and `for_` for from and for."""
        return Fault.set(self._admin, order(name, words), self.name)

    def delete_faults(self) -> int:
        """Deletes all its faults; returns how many there were."""
        return len(self._admin.post("/v1/reset", {"session": self.name})["deleted"])

    def expect(self, count: int, within: float = DEFAULT_WITHIN, **filters: Any) -> list[Push]:
        """Waits until it has that number of pushes that match the filters, and returns them; more are an error."""
        seen: list[Push] = []

        def look() -> bool:
            seen[:] = self.pushes(limit=min(count + 1, 1000), **filters)
            return len(seen) >= count

        with contextlib.suppress(WaitTimeoutError):
            wait_for(look, within)
        if len(seen) == count:
            return seen
        many = f"{len(seen)}{' or more' if len(seen) > count else ''}"
        which = "".join(f" {name}={value}" for name, value in filters.items())
        raise ExpectationError(
            f"{count} pushes{which} were expected within {within:g} s, and there were {many}.\n{self.stories()}"
        )

    def close(self) -> Verdict:
        """Closes it: its faults are deleted, and its expectations are evaluated. Closing it again changes nothing."""
        if self.verdict is None:
            state = self.state()
            if not state["open"]:
                raise self._over(state)
            self.verdict = Verdict.of(self._admin.post(f"{self._path}/close"))
        return self.verdict

    def _over(self, state: JSON) -> SessionOverError:
        """The error for a session that was closed before its test was over: a verdict would cover only a part of it."""
        expiry = str(state["expiresAt"] or "never")  # in UTC; later than now if its life was not over
        expired = expiry[:19] <= time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
        why = f"it expired at {expiry}" if expired else "somebody else has closed it"
        return SessionOverError(
            f"The session {self.name} is closed, and not by its test: {why}. Its phones may be in another session now.",
            409, "conflict", "session",
        )  # fmt: skip

    def forget(self) -> None:
        """Closes it and deletes it from the server."""
        self._admin.delete(self._path)
        self.forgotten = True

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            verdict = self.close()
        except (NoServerError, SessionOverError):
            if error is None:
                raise
            return
        if error is None:
            verdict.check()
