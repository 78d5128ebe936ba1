"""A Pushpit: started here, or connected to."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from .address import running_servers
from .admin import JSON, Admin, part
from .clock import Clock
from .errors import ConflictError, NoFreePhoneError, NoServerError, PushpitError, RefusedError
from .fault import Fault, order
from .files import with_local_files
from .models import Answer, Push
from .phone import Phone
from .program import Server, check_protocol, find_program
from .sending import Payload, send
from .session import Session
from .waiting import DEFAULT_WITHIN, wait_for

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""

T = TypeVar("T")

START_TIMEOUT = 30.0
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}
"""A server that listens on all addresses is reached at the address of its admin API, or at this one."""
SESSION_LIFE = "1h"
"""The time for which a session stays open if its test dies on a server that others use, too."""


class Pushpit:
    """Use `start` or `connect`. As a context manager it stops the server that it has started."""

    def __init__(self, admin: Admin, ready: Mapping[str, Any], server: Server | None, program: str | None) -> None:
        self.admin = admin
        self.ready = ready
        """The ready line: listeners, certificate authority, keys, fleet."""
        self.clock = Clock(admin)
        self.tape: Path | None = None
        self._server = server
        self._program = program

    @classmethod
    def start(
        cls,
        *flags: str,
        program: str | os.PathLike[str] | None = None,
        state: str | os.PathLike[str] | None = None,
        tape: str | os.PathLike[str] | None = None,
        timeout: float = START_TIMEOUT,
    ) -> Pushpit:
        """Starts `pushpit serve` on free ports with `--for-tests`; further flags are that command's. Its keys and
        certificates are new and are deleted with it, unless `state` names a folder."""
        words = ["--ports", "0", "--for-tests"]
        if not any(flag.split("=")[0] == "--drain-time" for flag in flags):
            words += ["--drain-time", "1s"]
        if tape is not None:
            words += ["--tape", str(tape)]
        found = find_program(program)
        server = Server(found, [*words, *flags], Path(state) if state is not None else None, timeout)
        admin = Admin(server.ready["admin"])
        admin.why_gone = server.why_gone
        pushpit = cls(admin, server.ready, server, str(found))
        pushpit.tape = Path(tape) if tape is not None else None
        return pushpit

    @classmethod
    def connect(
        cls, url: str | None = None, program: str | os.PathLike[str] | None = None, timeout: float = 30.0
    ) -> Pushpit:
        """Uses a server that is already running; `url` is that of its admin API. Without it, the server is that of
        PUSHPIT_ADMIN, PUSHPIT_STATE, the default state folder, or port 2190: the first of them that is there. `program`
        is only for `send`. If the server runs in a container or on another machine, its certificate authority and keys
        are downloaded."""
        *others, last = running_servers() if url is None else [(url, None)]
        for server in others:
            with contextlib.suppress(NoServerError):
                return cls._connect(*server, program, timeout)
        return cls._connect(*last, program, timeout)

    @classmethod
    def _connect(
        cls, url: str, authority: str | None, program: str | os.PathLike[str] | None, timeout: float
    ) -> Pushpit:
        admin = Admin(url, timeout)
        try:
            version = admin.get("/version")
        except RefusedError as refused:
            raise NoServerError(
                f"{admin.url} is not Pushpit: it answered GET /version with {refused.status}."
            ) from None
        if version.get("name") != "pushpit":
            raise NoServerError(f"{admin.url} is not Pushpit: its answer to GET /version does not name Pushpit.")
        check_protocol(version, f"The server at {admin.url}")
        ready = admin.get("/v1/ready")
        if authority is not None and ready["ca"] != authority:
            raise NoServerError(
                f"{admin.url} is another server than that of {Path(authority).parent}, which has ended."
            )
        ready = with_local_files(admin, ready)
        return cls(admin, ready, None, None if program is None else str(program))

    @property
    def owned(self) -> bool:
        """True if the server was started here."""
        return self._server is not None

    @property
    def url(self) -> str:
        """The admin API."""
        return self.admin.url

    @property
    def ca(self) -> str:
        """PEM file of the certificate authority that the backend must trust."""
        return str(self.ready["ca"])

    @property
    def key(self) -> JSON:
        """A provider key: keyId, teamId, and the file p8."""
        key = dict(self.ready["keys"][0])
        if key.get("withheld"):
            raise PushpitError(f"The server at {self.url} does not return key {key['keyId']}: {key['withheld']}")
        return key

    def apns(self, environment: str = "sandbox") -> str:
        """URL of the gateway, in place of https://api.sandbox.push.apple.com."""
        host, _, port = str(self.ready["listeners"][environment]).rpartition(":")
        if host in EVERYWHERE:
            host = f"[{self.admin.host}]" if ":" in self.admin.host else self.admin.host
            host = EVERYWHERE.get(host, host)
        return f"https://{host}:{port}"

    def environment(self) -> dict[str, str]:
        """Environment variables for a backend in its own process: the same ones that `pushpit run` sets."""
        ready_file = {} if self._server is None else {"PUSHPIT_READY": str(self._server.ready_file)}
        return ready_file | {"PUSHPIT_ADMIN": self.url}

    def phone(self, device: str, app: str | None = None) -> Phone:
        """A phone by its id, such as d0, to inspect it. For tests, open a session."""
        return Phone(self, device, app)

    def session(
        self,
        phones: int = 1,
        *,
        app: str | None = None,
        os: str | None = None,
        expires: str | None = SESSION_LIFE,
        expect: Sequence[JSON] = (),
        **order: Any,
    ) -> Session:
        """Opens a session on phones that no other session has. `app` and `os` say what they must have; `devices`,
        `keys` or `topics` select its pushes by other criteria, and `everything=True` selects all pushes. It is closed
        after `expires` at the latest; None means never."""
        everything = order.pop("everything", False)
        body = {**order, "expect": list(expect)} | ({} if expires is None else {"expires": expires})
        if everything or any(word in order for word in ("devices", "keys", "topics")):
            opened = self.admin.post("/v1/sessions", body)
            return Session(self, opened, app)
        if phones < 1:
            raise PushpitError("A session takes one phone or more, or else devices, keys, topics, or everything=True.")
        claim = {name: value for name, value in (("count", phones), ("app", app), ("os", os)) if value is not None}
        try:
            opened = self.admin.post("/v1/sessions", body | {"claim": claim})
        except ConflictError as conflict:
            if conflict.field != "claim":
                raise
            raise NoFreePhoneError(conflict.sentence) from None
        session = Session(self, opened, app)
        for phone in session.phones:
            phone.clear()
        return session

    def fault(self, name: str | None = None, **words: Any) -> Fault:
        """Sets a fault for all pushes, connections and phones. For one test, use `session.fault`."""
        return Fault.set(self.admin, order(name, words), None)

    def faults(self) -> list[JSON]:
        """All faults that are set."""
        return list(self.admin.pages("/v1/faults", "faults"))

    def delete_faults(self) -> int:
        """Deletes all faults, those of sessions too; returns how many there were."""
        return len(self.admin.post("/v1/reset")["deleted"])

    def pushes(self, limit: int = 100, **filters: Any) -> list[Push]:
        """The ledger, newest first. Filters are those of `GET /v1/pushes`."""
        return [Push.of(row) for row in self.admin.get("/v1/pushes", limit=limit, **filters)["pushes"]]

    def push(self, apns_id: str) -> Push:
        """The push with an apns-id, with everything that happened to it."""
        return Push.of(self.admin.get(f"/v1/pushes/{part(apns_id)}"))

    def send(self, payload: Payload | None = None, **options: Any) -> Answer:
        """Sends a push by `pushpit send`, with a provider token made for it. Options are flags of that command, such as
        `to="d0"`, `token=…`, `push_type="liveactivity"`, and `timeout` in seconds."""
        program = find_program(self._program)
        keys = [key for key in self.ready["keys"] if key.get("p8")]
        return send(program, self.url, self.ca, keys, options | {"payload": payload})

    @staticmethod
    def wait_for(look: Callable[[], T], within: float = DEFAULT_WITHIN, what: str | None = None) -> T:
        """Calls `look` until it returns something true, and returns that."""
        return wait_for(look, within, what)

    def stop(self) -> None:
        """Ends the server, if it was started here."""
        if self._server is not None:
            self._server.stop()

    def __enter__(self) -> Pushpit:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
