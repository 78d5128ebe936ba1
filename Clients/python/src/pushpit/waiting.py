"""Waits for something that a backend does later, for a limited time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from .errors import ExpectationError, WaitTimeoutError
from .models import Screen

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""

T = TypeVar("T")

DEFAULT_WITHIN = 10.0


def pauses() -> Iterator[float]:
    """Seconds between two checks."""
    pause = 0.01
    while True:
        yield pause
        pause = min(pause * 1.5, 0.25)


def timed_out(what: str | None, within: float, last: object) -> WaitTimeoutError:
    return WaitTimeoutError(f"{what or 'What was expected'} did not come within {within:g} s; at last it was {last!r}.")


def wait_for(look: Callable[[], T], within: float = DEFAULT_WITHIN, what: str | None = None) -> T:
    """Calls `look` until it returns something true, and returns that."""
    until = time.monotonic() + within
    for pause in pauses():
        # Before the look, which may take longer than the time that is left: what it has seen may be old by then.
        left = until - time.monotonic()
        seen = look()
        if seen:
            return seen
        if left <= 0:
            raise timed_out(what, within, seen)
        time.sleep(min(pause, left))
    raise AssertionError("pauses never end")


def differences(wanted: Any, found: Any, place: str = "") -> list[str]:
    """The differences of `found` from `wanted`. Objects may have additional members; lists and values must be equal."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        each = [
            differences(value, found[key], f"{place}.{key}" if place else key)
            if key in found
            else [f"{f'{place}.{key}' if place else key} is missing"]
            for key, value in wanted.items()
        ]
        return [line for lines in each for line in lines]
    return [] if wanted == found else [f"{place or 'it'} is {found!r}, not {wanted!r}"]


SHAPE = ("cards", "card", "notifications", "notification", "badge")


def screen_differences(shape: dict[str, Any], screen: Screen) -> list[str]:
    """The differences between a screen and what is wanted, in the words of `show` in scenario files."""
    unknown = [word for word in shape if word not in SHAPE]
    if unknown or not shape:
        named = f"{unknown[0]!r} is none of them" if unknown else "none was given"
        raise ExpectationError(f"A screen is described by {', '.join(SHAPE)}; {named}.")
    cards = [dict(card.raw) for card in screen.cards]
    notifications = [dict(notification.raw) for notification in screen.notifications]
    found: list[str] = []
    for word, rows in (("cards", cards), ("notifications", notifications)):
        if word in shape and len(rows) != shape[word]:
            found.append(f"{word} are {len(rows)}, not {shape[word]}")
    for word, rows in (("card", cards), ("notification", notifications)):
        if word in shape:
            found += _nearest(word, shape[word], rows)
    if "badge" in shape:
        badge = sum(screen.badges.values())
        if badge != shape["badge"]:
            found.append(f"badge is {badge}, not {shape['badge']}")
    return found


def _nearest(word: str, wanted: dict[str, Any], rows: list[Any]) -> list[str]:
    candidates = [differences(wanted, row, word) for row in rows]
    return min(candidates, key=len, default=[f"there is no {word}"])
