"""One attempt to push, through aioapns: one provider token, few connections, never more in flight than they carry."""

import asyncio
import ssl
import time
import uuid
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import jwt
from aioapns import NotificationRequest, PushType
from aioapns.connection import APNsKeyConnectionPool, APNsTLSClientProtocol, AuthorizationHeaderProvider
from aioapns.exceptions import MaxAttemptsExceeded

from cricket.bugs import Bugs

CONNECTIONS = 2
IN_FLIGHT = 60
"""Of all connections together. aioapns writes a whole burst before it reads a WINDOW_UPDATE; sixty payloads of under
1 kB fit the 65,535 bytes that HTTP/2 begins with."""
ANSWER_WITHIN = 10.0
IDLE = 3600.0
"""Seconds. aioapns closes after 10 s without a push; Apple asks to keep connections open."""
RENEW_AFTER = 45 * 60.0
"""Apple: no more often than every 20 minutes, no later than every 60."""
RENEW_FLOOR = 20 * 60.0


@dataclass(frozen=True)
class Gateway:
    """Where APNs is, and who we are to it."""

    host: str
    port: int
    key: str
    key_id: str
    team_id: str
    bundle_id: str
    ca: Path | None = None


@dataclass
class Push:
    token: str
    what: str
    """start, update, end, silent or alert."""
    payload: dict
    priority: int
    session: str
    match_id: str
    expires: float | None = None
    apns_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    """One for all attempts: whoever received it twice can know."""
    attempts: int = 0

    @property
    def live_activity(self) -> bool:
        return self.what in ("start", "update", "end")


@dataclass(frozen=True)
class Outcome:
    status: int
    """0: no answer."""
    reason: str | None = None
    timestamp: float | None = None
    """Seconds since 1970: since when APNs has known the token to be dead."""

    @property
    def ok(self) -> bool:
        return self.status == 200


class ProviderToken(AuthorizationHeaderProvider):
    """aioapns has one for each connection; this one is everybody's. APNs judges `iat` by real time, whatever clock a
    match is played by, so `clock` is a real one outside of tests."""

    def __init__(self, gateway: Gateway, clock=time.time, bugs: Bugs = Bugs()):
        self.key, self.key_id, self.team_id = gateway.key, gateway.key_id, gateway.team_id
        self.clock, self.bugs = clock, bugs
        self.made_at: float | None = None
        self.made = 0
        self._header = ""

    def get_header(self) -> str:
        if self.made_at is None or self._due():
            self._make()
        return self._header

    def refused(self) -> None:
        """403 ExpiredProviderToken: another, unless this one is so young that it cannot be the reason."""
        if self.made_at is not None and self.clock() - self.made_at >= RENEW_FLOOR and "never-renews-jwt" not in self.bugs:
            self._make()

    def _due(self) -> bool:
        if "new-jwt-per-push" in self.bugs:
            return True
        return "never-renews-jwt" not in self.bugs and self.clock() - self.made_at >= RENEW_AFTER

    def _make(self) -> None:
        self.made_at, self.made = self.clock(), self.made + 1
        claims = {"iss": self.team_id, "iat": int(self.made_at)}
        self._header = "bearer " + jwt.encode(claims, self.key, "ES256", headers={"kid": self.key_id})


class Pool(APNsKeyConnectionPool):
    def __init__(self, gateway: Gateway, provider: ProviderToken, bugs: Bugs):
        super().__init__(
            gateway.key, gateway.key_id, gateway.team_id, gateway.bundle_id,
            max_connections=100_000 if "connection-per-push" in bugs else CONNECTIONS,
            ssl_context=ssl.create_default_context(cafile=str(gateway.ca) if gateway.ca else None),
        )
        self.provider = provider
        self.protocol_class = type("Protocol", (APNsTLSClientProtocol,), {
            "APNS_SERVER": gateway.host, "APNS_PORT": gateway.port, "INACTIVITY_TIME": IDLE})

    async def create_connection(self):
        return await self._create_connection(
            partial(self.protocol_class, self.apns_topic, self.loop, self.discard_connection, self.provider))


class Pusher:
    def __init__(self, gateway: Gateway, bugs: Bugs = Bugs(), jwt_clock=time.time):
        self.gateway, self.bugs = gateway, bugs
        self.provider = ProviderToken(gateway, jwt_clock, bugs)
        self.pool = Pool(gateway, self.provider, bugs)
        self.in_flight = asyncio.Semaphore(IN_FLIGHT)

    def close(self) -> None:
        for connection in list(self.pool.connections):
            connection.close()

    async def send(self, push: Push) -> Outcome:
        """One attempt. aioapns itself repeats a push whose connection broke before the answer, under the same id."""
        if push.attempts and "resends-with-new-id" in self.bugs:
            push.apns_id = str(uuid.uuid4())
        push.attempts += 1
        async with self.in_flight:
            if "connection-per-push" in self.bugs:
                return await self._send_alone(self._request(push))
            return await self._send(self._request(push))

    def _request(self, push: Push) -> NotificationRequest:
        kinds = {"silent": PushType.BACKGROUND, "alert": PushType.ALERT}
        topic = self.gateway.bundle_id + (".push-type.liveactivity" if push.live_activity else "")
        return NotificationRequest(
            push.token, push.payload, push.apns_id, priority=push.priority, apns_topic=topic,
            push_type=kinds.get(push.what, PushType.LIVEACTIVITY),
            time_to_live=None if push.expires is None else int(push.expires - time.time()),  # aioapns adds that again
        )

    async def _send(self, request: NotificationRequest) -> Outcome:
        sending = asyncio.ensure_future(self.pool.send_notification(request))
        for _ in range(2):
            done, _ = await asyncio.wait({sending}, timeout=ANSWER_WITHIN)
            if done:
                break
            # Silence for so long is a dead connection that looks alive. Without it aioapns tries again on another.
            for connection in list(self.pool.connections):
                connection.transport.abort()
        else:
            sending.cancel()
            return Outcome(0, "no answer")
        try:
            result = sending.result()
        except (MaxAttemptsExceeded, OSError) as failure:
            return Outcome(0, type(failure).__name__)
        timestamp = result.timestamp / 1000 if result.timestamp is not None else None
        return Outcome(int(result.status), result.description, timestamp)

    async def _send_alone(self, request: NotificationRequest) -> Outcome:
        connection = await self.pool.create_connection()
        self.pool.connections.append(connection)
        result = await connection.send_notification(request)
        connection.close()
        return Outcome(int(result.status), result.description, result.timestamp / 1000 if result.timestamp else None)
