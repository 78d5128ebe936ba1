"""Phones for sessions: each test gets one that no other test has."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from .admin import JSON, Admin
from .errors import ConflictError, NoFreePhoneError

PAGE = 50


class Pool:
    """Ids of the phones that meet some criteria, read page by page as they are needed."""

    def __init__(self, admin: Admin, criteria: dict[str, Any]) -> None:
        self._admin = admin
        self.criteria = criteria
        self.ids: list[str] = []
        self._cursor: str | None = None
        self._whole = False
        self.next = 0
        """Where the next claim begins: used phones are used again only after all others."""

    def at(self, index: int) -> str | None:
        while index >= len(self.ids) and not self._whole:
            page = self._admin.get("/v1/devices", state="online", limit=PAGE, cursor=self._cursor, **self.criteria)
            self.ids += [row["id"] for row in page["devices"]]
            self._cursor = page["next"]
            self._whole = self._cursor is None
        return self.ids[index] if index < len(self.ids) else None

    def round(self) -> Iterator[tuple[int, str]]:
        """Each phone once, beginning at `next`."""
        start = index = self.next
        while (device := self.at(index)) is not None:
            yield index, device
            index += 1
        yield from ((earlier, self.ids[earlier]) for earlier in range(min(start, len(self.ids))))


class Claims:
    """Opens sessions on free phones. Of several workers on one server each begins with phones of its own."""

    def __init__(self, admin: Admin, worker: int = 0, workers: int = 1) -> None:
        self._admin = admin
        self._worker, self._workers = worker, workers
        self._pools: dict[tuple[tuple[str, Any], ...], Pool] = {}
        self._lock = threading.Lock()

    def open(self, count: int, criteria: dict[str, Any], order: JSON) -> JSON:
        """A session on `count` phones that are in no open session."""
        with self._lock:
            return self._open(count, criteria, order)

    def _open(self, count: int, criteria: dict[str, Any], order: JSON) -> JSON:
        pool = self._pools.setdefault(tuple(sorted(criteria.items())), Pool(self._admin, criteria))
        own = (row for row in pool.round() if row[0] % self._workers == self._worker)
        others = (row for row in pool.round() if row[0] % self._workers != self._worker)
        taken: set[str] = set()
        chosen: list[tuple[int, str]] = []
        for rows in (own, others):
            for index, device in rows:
                if device in taken:
                    continue
                chosen.append((index, device))
                if len(chosen) < count:
                    continue
                try:
                    opened = self._admin.post("/v1/sessions", order | {"devices": [device for _, device in chosen]})
                except ConflictError as conflict:
                    taken |= self._taken(conflict)
                    # A session that was closed meanwhile is passed over as well: the next phone will do.
                    taken.add(chosen[-1][1])
                    chosen = [row for row in chosen if row[1] not in taken]
                    continue
                if rows is own:
                    pool.next = chosen[-1][0] + 1
                return opened
        raise self._none_free(pool, count)

    def _taken(self, conflict: ConflictError) -> set[str]:
        """Phones of open sessions. One that is told by something else may share pushes with every phone's."""
        if conflict.field != "session":
            raise conflict  # its name is taken
        taken: set[str] = set()
        for session in self._admin.pages("/v1/sessions", "sessions", open=True):
            if session["devices"] is None:
                raise conflict
            taken |= set(session["devices"])
        return taken

    def _none_free(self, pool: Pool, count: int) -> NoFreePhoneError:
        which = " and ".join(f"{name} {value}" for name, value in pool.criteria.items())
        many = len(pool.ids)
        phones = f"phone{'' if many == 1 else 's'}{f' with {which}' if which else ''}"
        if many < count:
            return NoFreePhoneError(f"{count} phones are wanted, and the fleet has {many} {phones} online.")
        names = [str(row["name"]) for row in self._admin.pages("/v1/sessions", "sessions", open=True)]
        shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        return NoFreePhoneError(
            f"No phone is free: of {many} {phones} online, not {'one' if count == 1 else count} is outside the open "
            f"sessions ({shown}). Close those that are over, or start with a larger fleet."
        )
