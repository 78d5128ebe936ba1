"""The time, asked of one place, so that a match of four hours can be played in a minute."""

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pushpit.aio import Clock


class RealClock:
    def now(self) -> float:
        return time.time()


class HeldClock:
    """Stands until it is moved. Pushpit's manual clock is its twin: whoever plays a match moves both."""

    def __init__(self, now: float):
        self._now = now

    def now(self) -> float:
        return self._now

    def move_to(self, instant: float) -> None:
        if instant < self._now:
            raise ValueError(f"time does not go back: it is {self._now}, not {instant}")
        self._now = instant

    def advance(self, seconds: float) -> None:
        self.move_to(self._now + seconds)

    async def advance_with(self, twin: "Clock", seconds: float) -> None:
        """Moves Pushpit's clock, and then this one to the same time."""
        self.move_to((await twin.advance(f"{round(seconds * 1000)}ms"))["unixMilliseconds"] / 1000)
