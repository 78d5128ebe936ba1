"""Waits for something that a backend does later, for a limited time."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator

from .errors import PushpitError, WaitTimeoutError

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""

DEFAULT_WITHIN = 10.0
MOST_LONGER = 300.0
"""Seconds to which a wait is made longer, the most for which the server lets a client wait."""

_patience = 1.0


@contextlib.contextmanager
def waiting_longer(factor: float) -> Iterator[None]:
    """Multiplies the time of all waits of this process: a hunt asks whether what did not come comes late."""
    global _patience
    before, _patience = _patience, factor
    try:
        yield
    finally:
        _patience = before


def time_in(within: float) -> float:
    """The moment in that many seconds. Nothing waits forever."""
    try:
        if math.isfinite(within):
            return time.monotonic() + max(within, min(within * _patience, MOST_LONGER))
    except TypeError:  # no number
        pass
    raise PushpitError(f"within is a number of seconds, such as 10, and not {within!r}.")


class Wait:
    """The time that is left, and the pauses between two looks."""

    def __init__(self, within: float, what: str | None) -> None:
        self._within = within
        self._what = what or "What was expected"
        self._until = time_in(within)
        self._pause = 0.01

    def looks(self) -> None:
        """Before a look, which may take longer than the time that is left: what it has seen may be old by then."""
        self._left = self._until - time.monotonic()

    def pause(self, seen: object) -> float:
        """Returns the seconds to wait before the next look. Raises an error if the time is up."""
        if self._left <= 0:
            raise WaitTimeoutError(f"{self._what} did not come within {self._within:g} s; at last it was {seen!r}.")
        self._pause = min(self._pause * 1.5, 0.25)
        return min(self._pause, self._left)
