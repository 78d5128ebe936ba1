"""A Pushpit: started here, or connected to."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

from ..address import running_servers
from ..errors import ConflictError, NoFreePhoneError, NoServerError, PushpitError, RefusedError
from ..files import has_content, put_files
from ..http import JSON, part
from ..models import Push
from ..program import Server, check_protocol, serve_words
from ..types import Environment, FaultWords, PushFilters, ServeFlags
from .admin import Admin, list_pushes
from .clock import Clock
from .fault import Fault
from .io import opening, run, wait_for
from .phone import Phone
from .session import Session

if TYPE_CHECKING:
    from typing_extensions import Unpack

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""

EVERYWHERE = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}
"""A server that listens on all addresses is reached at the address of its admin API, or at this one."""
SESSION_LIFE = "1h"
"""The time for which a session stays open if its test dies on a server that others use, too."""


class Pushpit:
    """Use `start` or `connect`. As a context manager it stops the server that it has started."""

    def __init__(self, admin: Admin, ready: Mapping[str, Any], app: str, tape: Path | None = None) -> None:
        self.admin = admin
        self.ready = ready
        """The ready line: listeners, certificate authority, keys, fleet."""
        self.app = app
        """Bundle id of the fleet's first app, which tests use unless they name another."""
        self.clock = Clock(admin)
        self.tape = tape

    @classmethod
    @opening
    async def start(
        cls,
        *old: NoReturn,
        program: str | os.PathLike[str] | None = None,
        state: str | os.PathLike[str] | None = None,
        tape: str | os.PathLike[str] | None = None,
        timeout: float = 30.0,
        settings: Mapping[str, object] | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        **flags: Unpack[ServeFlags],
    ) -> Pushpit:
        """Starts `pushpit serve` on free ports with `--for-tests`; further flags are that command's, such as `fleet=2`
        and `clock="manual"`, and `settings` is for the rest: `settings={"fleet.mix.offline": "5%"}`. Its keys and
        certificates are new and are deleted with it, unless `state` names a folder. `env` is added to its environment,
        which otherwise is that of this process without PUSHPIT_ variables; `cwd` is its working directory, to which
        relative paths refer."""
        if old:
            raise TypeError(f'Flags are keyword arguments, fleet=2 for "--fleet", "2": {", ".join(map(repr, old))}')
        server = await run(Server, program, serve_words(flags, settings, tape), state, timeout, env, cwd)
        admin = Admin(server.ready["admin"], server)
        return cls(admin, server.ready, await _first_app(admin), None if tape is None else Path(cwd or "", tape))

    @classmethod
    @opening
    async def connect(cls, url: str | None = None, timeout: float = 30.0) -> Pushpit:
        """Uses a server that is already running; `url` is that of its admin API. Without it, the server is that of
        PUSHPIT_ADMIN, PUSHPIT_STATE, the default state folder, or port 2190: the first of them that is there. If the
        server runs in a container or on another machine, its certificate authority and keys are downloaded."""
        *others, last = running_servers() if url is None else [(url, None)]
        for address, authority in others:
            with contextlib.suppress(NoServerError):
                return await cls._connect(address, authority, timeout)
        return await cls._connect(*last, timeout)

    @classmethod
    async def _connect(cls, url: str, authority: str | None, timeout: float) -> Pushpit:
        admin = Admin(url, timeout=timeout)
        try:
            version = await admin.get("/version")
        except RefusedError as refused:
            raise NoServerError(
                f"{admin.url} is not Pushpit: it answered GET /version with {refused.status}."
            ) from None
        if version.get("name") != "pushpit":
            raise NoServerError(f"{admin.url} is not Pushpit: its answer to GET /version does not name Pushpit.")
        check_protocol(version, f"The server at {admin.url}")
        ready = await admin.get("/v1/ready")
        if authority is not None and ready["ca"] != authority:
            raise NoServerError(
                f"{admin.url} is another server than that of {Path(authority).parent}, which has ended."
            )
        certificate = await admin.text("/v1/ca.pem")
        if not has_content(ready["ca"], certificate):
            ready = put_files(ready, certificate, (await admin.get("/v1/keys"))["keys"])
        return cls(admin, ready, await _first_app(admin))

    @property
    def url(self) -> str:
        """The admin API."""
        return self.admin.url

    @property
    def server(self) -> Server | None:
        """The process, if it was started here."""
        return self.admin.server

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

    def apns(self, environment: Environment = "sandbox") -> str:
        """URL of the gateway, in place of https://api.sandbox.push.apple.com."""
        host, _, port = str(self.ready["listeners"][environment]).rpartition(":")
        if host in EVERYWHERE:
            host = f"[{self.admin.host}]" if ":" in self.admin.host else self.admin.host
            host = EVERYWHERE.get(host, host)
        return f"https://{host}:{port}"

    def environment(self) -> dict[str, str]:
        """Environment variables for a backend in its own process: the same ones that `pushpit run` sets."""
        ready_file = {"PUSHPIT_READY": str(self.server.ready_file)} if self.server else {}
        return ready_file | {"PUSHPIT_ADMIN": self.url}

    def phone(self, device: str, app: str | None = None) -> Phone:
        """A phone by its id, such as d0, to inspect it. For tests, open a session."""
        return Phone(self, device, app)

    @opening
    async def session(
        self,
        phones: int = 1,
        *,
        app: str | None = None,
        os: str | None = None,
        expires: str | None = SESSION_LIFE,
        expect: Sequence[JSON] = (),
        everything: bool = False,
        **order: Any,
    ) -> Session:
        """Opens a session on phones that no other session has. `app` and `os` say what they must have; `devices`,
        `keys` or `topics` select its pushes by other criteria, and `everything=True` selects all pushes. It is closed
        after `expires` at the latest; None means never."""
        body = {**order, "expect": list(expect)} | ({} if expires is None else {"expires": expires})
        claims = not everything and not {"devices", "keys", "topics"} & set(order)
        if claims:
            if phones < 1:
                sentence = "A session takes one phone or more, or else devices, keys, topics, or everything=True."
                raise PushpitError(sentence)
            wanted = (("count", phones), ("app", app), ("os", os))
            body["claim"] = {name: value for name, value in wanted if value is not None}
        elif os is not None:
            sentence = (
                "os selects phones for the session to claim; leave it out beside devices, keys, topics or everything."
            )
            raise PushpitError(sentence)
        try:
            opened = await self.admin.post("/v1/sessions", body)
        except ConflictError as conflict:
            if conflict.field != "claim":
                raise
            raise NoFreePhoneError(conflict.sentence) from None
        session = Session(self, opened, app)
        try:
            for phone in session.phones if claims else []:
                await phone.clear()
        except BaseException:
            # Nobody else could close it.
            with contextlib.suppress(PushpitError):
                await session.forget()
            raise
        return session

    @opening
    async def fault(self, name: str | None = None, **words: Unpack[FaultWords]) -> Fault:
        """Sets a fault for all pushes, connections and phones. For one test, use `session.fault`."""
        return await Fault.set(self.admin, None, name, words)

    async def faults(self) -> list[JSON]:
        """The faults that are set, at most 1000."""
        return list((await self.admin.get("/v1/faults", limit=1000))["faults"])

    async def delete_faults(self) -> int:
        """Deletes all faults, those of sessions too; returns how many there were."""
        return len((await self.admin.post("/v1/reset"))["deleted"])

    async def pushes(self, limit: int = 100, **filters: Unpack[PushFilters]) -> list[Push]:
        """The pushes that the server has received, newest first."""
        return await list_pushes(self.admin, limit, filters)

    async def metrics(self) -> dict[str, float]:
        """The server's numbers for Prometheus, by name and labels, such as pushpit_connections_opened_total."""
        lines = [line for line in (await self.admin.text("/metrics")).splitlines() if line and line[0] != "#"]
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}

    async def push(self, apns_id: str) -> Push:
        """The push with an apns-id, with everything that happened to it."""
        return Push.of(await self.admin.get(f"/v1/pushes/{part(apns_id)}"))

    wait_for = staticmethod(wait_for)

    async def stop(self) -> None:
        """Ends the server, if it was started here."""
        if self.server is not None:
            await run(self.server.stop)

    async def __aenter__(self) -> Pushpit:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()


async def _first_app(admin: Admin) -> str:
    return str((await admin.get("/v1/apps"))["apps"][0]["bundleId"])
