"""The world's clock. It is one for all tests of a server."""

from __future__ import annotations

from .admin import JSON, Admin

ADVANCE_TIMEOUT = 600.0


class Clock:
    """Phones, activities and lifetimes follow it; provider tokens do not."""

    def __init__(self, admin: Admin) -> None:
        self._admin = admin

    def state(self) -> JSON:
        """`mode` (wall or manual), `now`, `unixMilliseconds`, `offsetMilliseconds`."""
        return self._admin.get("/v1/clock")

    def now(self) -> float:
        """Seconds since 1970."""
        return float(self.state()["unixMilliseconds"]) / 1000

    def advance(self, by: str | float, timeout: float = ADVANCE_TIMEOUT) -> JSON:
        """Moves on by a duration such as `8h` or by seconds; all that falls due on the way has happened after it."""
        return self._admin.post("/v1/clock", {"advance": by}, timeout)

    def stop(self) -> JSON:
        """The clock stands from now on, and moves by `advance` only."""
        return self._admin.post("/v1/clock", {"mode": "manual"})

    def run(self) -> JSON:
        """The clock runs on from where it is."""
        return self._admin.post("/v1/clock", {"mode": "wall"})
