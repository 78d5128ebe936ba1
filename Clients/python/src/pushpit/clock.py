"""The world's clock. All tests of a server share it."""

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
        """Advances by a duration such as `8h`, or by seconds. It returns after everything due until then has
        happened."""
        return self._admin.post("/v1/clock", {"advance": by}, timeout)

    def stop(self) -> JSON:
        """Stops the clock: from now on, only `advance` moves it."""
        return self._admin.post("/v1/clock", {"mode": "manual"})

    def run(self) -> JSON:
        """Lets the clock run from its present time."""
        return self._admin.post("/v1/clock", {"mode": "wall"})
