"""A virtual iPhone."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import (
    ConflictError,
    ExpectationError,
    InvalidRequestError,
    NotFoundError,
    NoTokenError,
    PushpitError,
    RefusedError,
    SendError,
)
from ..http import JSON, camel, part
from ..models import Push, Screen
from ..rows import LogLine
from ..types import Action, ActionDetails, Process, PushFilters, PushOptions, Shown, TokenKind
from ..waiting import DEFAULT_WITHIN, time_in
from .io import pause

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .pushpit import Pushpit
    from .session import Session

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""

UNANSWERED = ("incomplete", "malformed", "nothing", "reset")
"""Kinds of `sent` that leave a client without an answer of APNs."""


class Phone:
    """A phone of the fleet; `app` is the app that tests use unless they name another."""

    def __init__(self, pushpit: Pushpit, device: str, app: str | None = None, session: Session | None = None) -> None:
        self.pushpit = pushpit
        self.device = device
        self.app = app or pushpit.app
        self.session = session
        self._admin = pushpit.admin
        self._path = f"/v1/devices/{part(device)}"

    def __repr__(self) -> str:
        return f"<phone {self.device}>"

    async def state(self) -> JSON:
        """The device with its apps, tokens and activities, as the admin API shows it."""
        return await self._admin.get(self._path)

    async def token(
        self, kind: TokenKind = "device", *, app: str | None = None, attributes_type: str | None = None
    ) -> str:
        """The phone's current token: `device`, `pushToStart`, `update`, or that of a service such as `voip`."""
        bundle = app or self.app
        page = await self._admin.get("/v1/tokens", device=self.device, kind=kind, app=bundle, live=True)
        found = [row["token"] for row in page["tokens"] if attributes_type in (None, row.get("attributesType"))]
        if not found:
            raise NoTokenError(f"{self.device} has no {kind} token of {bundle} now.")
        if kind == "update" and len(found) > 1:
            raise NoTokenError(f"{self.device} has {len(found)} update tokens of {bundle}: take one from state().")
        return str(found[0])

    async def screen(self) -> Screen:
        """The screen as a person would see it now."""
        return Screen.of(await self._admin.get(f"{self._path}/screen"))

    async def log(self, process: Process | None = None, limit: int = 100) -> list[LogLine]:
        """The phone's log, newest first."""
        page = await self._admin.get(f"{self._path}/log", process=process, limit=limit)
        return [LogLine.of(row) for row in page["lines"]]

    async def pushes(self, limit: int = 100, **filters: Unpack[PushFilters]) -> list[Push]:
        """Pushes to it, newest first; only those of its session, if it has one."""
        if "device" in filters:
            raise PushpitError(f"All pushes of a phone are to that phone, {self.device}; leave device out.")
        filters["device"] = self.device
        return await (self.session or self.pushpit).pushes(limit, **filters)

    async def do(self, action: Action, /, **details: Unpack[ActionDetails]) -> list[JSON]:
        """Performs an action of its owner or of the system: uninstall, goOffline, startActivity, swipe, … Returns the
        events that it caused."""
        done = await self._admin.post(f"{self._path}/actions", {"do": action, **_named(details)})
        return list(done["events"])

    async def send(self, payload: str | JSON | None = None, **options: Unpack[PushOptions]) -> Push:
        """Sends a push to it, in place of your backend: a payload, or an alert's text. The server signs it, and chooses
        the token and the headers that are not given."""
        order: JSON = {"app": self.app, **_named(options)}
        if payload is None and "raw" not in order:
            payload = "Hello"
        if payload is not None:
            order["payload"] = {"aps": {"alert": payload}} if isinstance(payload, str) else payload
        try:
            push = Push.of(await self._admin.post(f"{self._path}/pushes", order))
        except (ConflictError, NotFoundError) as refused:
            raise SendError(refused.sentence) from None
        if push.sent["as"] in UNANSWERED:
            raise SendError(f"The push was not answered: {push.why}")
        return push

    async def expect(self, within: float = DEFAULT_WITHIN, **shape: Unpack[Shown]) -> Screen:
        """Waits until the screen shows what is given: `notifications=1`, `notification={"title": "Goal!"}`, `cards`,
        `card`, `badge`, as `show` of scenario files has them."""
        wanted = {"screens": {"device": self.device}, "show": _named(shape)}
        found = await self._verified(wanted, within)
        if not found["passed"]:
            nearest = str(found["expectations"][0]["nearest"]).removeprefix(f"{self.device}: ")
            raise ExpectationError(f"{self.device} does not show it within {within:g} s: {nearest}.")
        return await self.screen()

    async def _verified(self, wanted: JSON, within: float) -> JSON:
        """The result as soon as it passes. Only so many clients may wait at the server; the others ask again."""
        until = time_in(within)
        while True:
            left = max(0.0, until - time.monotonic())
            asked = {"expect": [wanted], "within": left}
            try:
                return await self._admin.post("/v1/verify", asked, timeout=left + self._admin.timeout)
            except RefusedError as refused:
                if refused.code != "too_many_waiting":
                    raise
            await pause(0.25)

    async def clear(self) -> None:
        """Removes what an earlier test has left on the screen."""
        screen = await self.screen()
        for card in screen.cards:
            await self._try("swipe", app=card.app, activity=card.activity)
        for app in {notification.app for notification in screen.notifications}:
            await self._try("clearNotifications", app=app)

    async def _try(self, action: Action, /, **details: Unpack[ActionDetails]) -> None:
        try:
            await self.do(action, **details)
        except InvalidRequestError as refused:
            if refused.status != 422:  # 422: it has gone meanwhile
                raise


def _named(words: Mapping[str, Any]) -> JSON:
    """Keyword arguments with the names of the admin API."""
    return {camel(name): value for name, value in words.items() if value is not None}
