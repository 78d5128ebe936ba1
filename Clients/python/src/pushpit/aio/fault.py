"""Faults: what goes wrong until they are deleted."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from ..errors import NoServerError, NotFoundError, SessionOverError
from ..http import JSON, camel, part
from .admin import Admin

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""

_numbers = itertools.count(1)

BESIDE = ("when", "odds", "limit", "from", "until", "for")
"""The words of a fault beside those of `then`."""


class Fault:
    """A fault that is set. As a context manager it is deleted at the end."""

    def __init__(self, admin: Admin, name: str, session: str | None) -> None:
        self._admin = admin
        self.name = name
        self.session = session

    @classmethod
    async def set(cls, admin: Admin, session: str | None, name: str | None, words: Mapping[str, Any]) -> Fault:
        name = name or f"fault {os.getpid()}.{next(_numbers)}"
        order: JSON = {"name": name, "then": dict(words.get("then") or {})}
        if session is not None:
            order["session"] = session
        for word, value in words.items():
            if word != "then":
                (order if camel(word) in BESIDE else order["then"])[camel(word)] = value
        await admin.post("/v1/faults", order)
        return cls(admin, name, session)

    async def state(self) -> JSON:
        """As the admin API shows it: `state`, `seen`, `struck` and its settings."""
        return await self._admin.get(f"/v1/faults/{part(self.name)}", session=self.session)

    async def struck(self) -> int:
        """The number of times that the fault has struck."""
        return int((await self.state())["struck"])

    async def delete(self) -> None:
        """Deletes it. It may be gone already, by its time or its session's end."""
        with contextlib.suppress(NotFoundError, SessionOverError):
            await self._admin.delete(f"/v1/faults/{part(self.name)}", session=self.session)

    async def __aenter__(self) -> Fault:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.delete()
        except NoServerError:
            if error is None:
                raise
