"""Faults: what goes wrong until they are deleted."""

from __future__ import annotations

import contextlib
import itertools
import os
from types import TracebackType
from typing import Any

from .admin import JSON, Admin, part
from .errors import NoServerError, NotFoundError, SessionOverError

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""

_numbers = itertools.count(1)

BESIDE = ("when", "odds", "limit", "from_", "until", "for_")


def order(name: str | None, words: dict[str, Any]) -> JSON:
    """The fault as the admin API takes it; words other than those of BESIDE go into `then`."""
    made: JSON = {"name": name or f"fault {os.getpid()}.{next(_numbers)}"}
    then = dict(words.pop("then", None) or {})
    for word, value in words.items():
        if word in BESIDE:
            made[word.rstrip("_")] = value
        else:
            then[word] = value
    made["then"] = then
    return made


class Fault:
    """A fault that is set. As a context manager it is deleted at the end."""

    def __init__(self, admin: Admin, name: str, session: str | None) -> None:
        self._admin = admin
        self.name = name
        self.session = session

    @classmethod
    def set(cls, admin: Admin, made: JSON, session: str | None) -> Fault:
        admin.post("/v1/faults", made if session is None else made | {"session": session})
        return cls(admin, made["name"], session)

    def state(self) -> JSON:
        """As the admin API shows it: `state`, `seen`, `struck` and its settings."""
        return self._admin.get(f"/v1/faults/{part(self.name)}", session=self.session)

    def struck(self) -> int:
        """The number of times that the fault has struck."""
        return int(self.state()["struck"])

    def delete(self) -> None:
        """Deletes it. It may be gone already, by its time or its session's end."""
        with contextlib.suppress(NotFoundError, SessionOverError):
            self._admin.delete(f"/v1/faults/{part(self.name)}", session=self.session)

    def __enter__(self) -> Fault:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.delete()
        except NoServerError:
            if error is None:
                raise
