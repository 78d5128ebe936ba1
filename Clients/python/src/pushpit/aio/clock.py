"""The simulated clock. All tests of a server share it."""

from __future__ import annotations

from ..http import JSON
from .admin import Admin

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""

ADVANCE_TIMEOUT = 600.0


class Clock:
    """Phones, activities and lifetimes follow it; provider tokens do not."""

    def __init__(self, admin: Admin) -> None:
        self._admin = admin

    async def state(self) -> JSON:
        """`mode` (wall or manual), `now`, `unixMilliseconds`, `offsetMilliseconds`."""
        return await self._admin.get("/v1/clock")

    async def now(self) -> float:
        """Seconds since 1970."""
        return float((await self.state())["unixMilliseconds"]) / 1000

    async def advance(self, by: str | float, timeout: float = ADVANCE_TIMEOUT) -> JSON:
        """Advances by a duration such as `8h`, or by seconds. It returns after everything due until then has
        happened."""
        return await self._admin.post("/v1/clock", {"advance": by}, timeout)

    async def stop(self) -> JSON:
        """Stops the clock: from now on, only `advance` moves it."""
        return await self._admin.post("/v1/clock", {"mode": "manual"})

    async def run(self) -> JSON:
        """Lets the clock run from its present time."""
        return await self._admin.post("/v1/clock", {"mode": "wall"})
