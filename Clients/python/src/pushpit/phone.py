"""A virtual iPhone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .admin import JSON, part
from .errors import ExpectationError, InvalidRequestError, NoTokenError, WaitTimeoutError
from .models import Answer, LogLine, Push, Screen
from .sending import Payload
from .waiting import DEFAULT_WITHIN, screen_differences, wait_for

if TYPE_CHECKING:
    from .client import Pushpit
    from .session import Session

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""


class Phone:
    """A phone of the fleet; `app` is the app that tests use unless they name another."""

    def __init__(self, pushpit: Pushpit, device: str, app: str | None = None, session: Session | None = None) -> None:
        self.pushpit = pushpit
        self.device = device
        self.session = session
        self._app = app

    def __repr__(self) -> str:
        return f"<phone {self.device}>"

    @property
    def _path(self) -> str:
        return f"/v1/devices/{part(self.device)}"

    @property
    def app(self) -> str:
        """Bundle id of the app that tests use by default."""
        if self._app is None:
            self._app = str(self.state()["apps"][0]["bundleId"])
        return self._app

    def state(self) -> JSON:
        """The device with its apps, tokens and activities, as the admin API shows it."""
        return self.pushpit.admin.get(self._path)

    def token(self, kind: str = "device", *, app: str | None = None, attributes_type: str | None = None) -> str:
        """The phone's current token: `device`, `pushToStart`, `update`, or that of a service such as `voip`."""
        bundle = app or self.app
        install = next((row for row in self.state()["apps"] if row["bundleId"] == bundle), None)
        if install is None:
            raise NoTokenError(f"{self.device} has no app {bundle}.")
        found = [token for type_, token in _tokens(install, kind) if attributes_type in (None, type_)]
        if not found:
            state = "" if install["installed"] else ": the app is not installed"
            raise NoTokenError(f"{self.device} has no {kind} token of {bundle} now{state}.")
        if kind == "update" and len(found) > 1:
            raise NoTokenError(f"{self.device} has {len(found)} update tokens of {bundle}: take one from state().")
        return found[0]

    def screen(self) -> Screen:
        """The screen as a person would see it now."""
        return Screen.of(self.pushpit.admin.get(f"{self._path}/screen"))

    def log(self, process: str | None = None, limit: int = 100) -> list[LogLine]:
        """The phone's log, newest first."""
        return [
            LogLine.of(row)
            for row in self.pushpit.admin.get(f"{self._path}/log", process=process, limit=limit)["lines"]
        ]

    def pushes(self, **filters: Any) -> list[Push]:
        """Pushes to it, newest first; only those of its session, if it has one. Filters are those of `GET
        /v1/pushes`."""
        return (self.session or self.pushpit).pushes(device=self.device, **filters)

    def do(self, action: str, **details: Any) -> list[JSON]:
        """Performs an action of its owner or of the system, by a name of the admin API: uninstall, goOffline,
        startActivity, swipe, … Returns the events that it caused."""
        events = self.pushpit.admin.post(f"{self._path}/actions", {"do": action, **details})["events"]
        return list(events)

    def send(self, payload: Payload | None = None, **options: Any) -> Answer:
        """Sends a push to it by `pushpit send`: a payload, or an alert's text. Options are that command's flags."""
        options.setdefault("app", self._app)
        return self.pushpit.send(payload, to=self.device, **options)

    def expect(self, within: float = DEFAULT_WITHIN, **shape: Any) -> Screen:
        """Waits until the screen shows what is given: `notifications=1`, `notification={"title": "Goal!"}`, `cards`,
        `card`, `badge`, as `show` of scenario files has them."""
        seen: list[Screen] = []

        def look() -> bool:
            seen[:] = [self.screen()]
            return not screen_differences(shape, seen[0])

        try:
            wait_for(look, within)
        except WaitTimeoutError:
            raise not_shown(self.device, shape, seen[0], within) from None
        return seen[0]

    def clear(self) -> None:
        """Removes what an earlier test has left on the screen."""
        screen = self.screen()
        for card in screen.cards:
            self._try("swipe", app=card.app, activity=card.activity)
        for app in {notification.app for notification in screen.notifications}:
            self._try("clearNotifications", app=app)

    def _try(self, action: str, **details: Any) -> None:
        try:
            self.do(action, **details)
        except InvalidRequestError as refused:
            if refused.status != 422:  # 422: it has gone meanwhile
                raise


def not_shown(device: str, shape: dict[str, Any], seen: Screen, within: float) -> ExpectationError:
    differing = "; ".join(screen_differences(shape, seen))
    return ExpectationError(f"{device} does not show it within {within:g} s: {differing}.")


def _tokens(install: JSON, kind: str) -> list[tuple[str | None, str]]:
    """Tokens of an app of that kind, each with its attributes type where it has one."""
    if kind == "device":
        rows = [(None, install["deviceToken"])]
    elif kind == "pushToStart":
        rows = [(row["attributesType"], row["token"]) for row in install["pushToStart"]]
    elif kind == "update":
        running = (row for row in install["activities"] if row["state"] not in ("ended", "dismissed"))
        rows = [(row["attributesType"], row["updateToken"]) for row in running]
    else:
        rows = [(None, row["token"]) for row in install["services"] if row["kind"] == kind]
    return [(type_, token) for type_, token in rows if token]
