"""An attempt to push, through aioapns: one provider token, few connections, never more in flight than they carry."""

import asyncio
import ssl
import time
import uuid
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from weakref import WeakSet

import jwt
from aioapns import NotificationRequest, PushType
from aioapns.connection import APNsKeyConnectionPool, AuthorizationHeaderProvider
from aioapns.exceptions import ConnectionError as NoConnection
from h2.exceptions import ProtocolError

from cricket.bugs import Bugs
from cricket.connection import Answer, ChannelRequest, Connection, Unanswered, Unserved
from cricket.store import Card

CONNECTIONS = 2
IN_FLIGHT = 60
"""Of all connections together. aioapns writes a whole burst before it reads a WINDOW_UPDATE; sixty payloads of under
1 kB fit the 65,535 bytes that HTTP/2 begins with."""
ANSWER_WITHIN = 10.0
TRIES = 3
"""Of a push that the gateway has not looked at, on one connection after another."""
SICK_AFTER = 3
"""Answers of 500 in a row after which a connection is replaced: some hosts never get well."""
IDLE = 3600.0
"""Seconds. aioapns closes after 10 s without a push; Apple asks to keep connections open."""
LOOK_AGAIN = 0.01
"""Seconds, while all connections are busy."""
RENEW_AFTER = 45 * 60.0
"""Apple: no more often than every 20 minutes, no later than every 60."""
RENEW_FLOOR = 20 * 60.0


@dataclass(frozen=True)
class Gateway:
    """The address of APNs, and our identity there."""

    host: str
    port: int
    key: str
    key_id: str
    team_id: str
    bundle_id: str
    ca: Path | None = None
    channels_port: int = 2195
    """Of channel management, on the same host."""


@dataclass
class Push:
    token: str
    what: str
    """start, update, end, silent or alert."""
    payload: dict
    priority: int
    session: str
    match_id: str
    device_id: str = ""
    expires: float | None = None
    collapse: str | None = None
    apns_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    """An id for all attempts, so that whoever receives the push twice can notice."""
    attempts: int = 0
    expired: int = 0
    """Attempts whose provider token was called expired."""
    is_broadcast: bool = False
    """To a channel, whose id stands in place of the token."""

    @property
    def card(self) -> Card:
        return Card(self.session, self.match_id, self.device_id)

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
    retry_after: float | None = None
    """Seconds, as the gateway wishes."""
    is_unknown: bool = False
    """Nobody can say whether the phone has it."""

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

    @property
    def is_young(self) -> bool:
        """APNs takes no other so soon, and it cannot have expired."""
        return self.made_at is not None and self.clock() - self.made_at < RENEW_FLOOR

    def refused(self) -> None:
        """403 ExpiredProviderToken: another, unless this one is so young that it cannot be the reason."""
        if "renews-at-every-403" in self.bugs or (not self.is_young and "never-renews-jwt" not in self.bugs):
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
            gateway.key,
            gateway.key_id,
            gateway.team_id,
            gateway.bundle_id,
            max_connections=100_000 if "connection-per-push" in bugs else CONNECTIONS,
            ssl_context=ssl.create_default_context(cafile=str(gateway.ca) if gateway.ca else None),
        )
        self.provider, self.bugs = provider, bugs
        self.opened: WeakSet[Connection] = WeakSet()
        """Also those that are being given up, and are in use no longer."""
        self.protocol_class = type(
            "Protocol", (Connection,), {"APNS_SERVER": gateway.host, "APNS_PORT": gateway.port, "INACTIVITY_TIME": IDLE}
        )

    async def acquire(self) -> Connection:
        """aioapns waits for a busy connection even when all are lost, and opens no other then."""
        while True:
            if free := next((c for c in self.connections if not c.is_busy), None):
                return free
            async with self._lock:
                if len(self.connections) < self.max_connections and all(c.is_busy for c in self.connections):
                    try:
                        self.connections.append(await self.create_connection())
                    except Exception as why:
                        raise NoConnection from why
                    return self.connections[-1]
            await asyncio.sleep(LOOK_AGAIN)

    async def create_connection(self) -> Connection:
        connection = await self._create_connection(
            partial(self.protocol_class, self.apns_topic, self.loop, self.discard_connection, self.provider, self.bugs)
        )
        self.opened.add(connection)
        return connection

    def discard_connection(self, connection: Connection) -> None:
        if connection in self.connections:
            self.connections.remove(connection)


@dataclass(frozen=True)
class Mistake:
    """A deployment with a wrong gateway or key, put right later; times are seconds since the start."""

    gateway: Gateway
    begins: float
    ends: float

    def reigns(self, now: float) -> bool:
        return self.begins <= now < self.ends


class Pusher:
    def __init__(
        self,
        gateway: Gateway,
        bugs: Bugs = Bugs(),
        jwt_clock=time.time,
        answer_within: float = ANSWER_WITHIN,
        provider: ProviderToken | None = None,
    ):
        self.gateway, self.bugs, self.answer_within = gateway, bugs, answer_within
        self.provider = provider or ProviderToken(gateway, jwt_clock, bugs)
        self.pool = Pool(gateway, self.provider, bugs)
        self.in_flight = asyncio.Semaphore(IN_FLIGHT)

    async def connect(self) -> None:
        """Opens a connection before there is anything to push, so that the first fan-out finds one."""
        if "connection-per-push" in self.bugs:
            return
        try:
            async with asyncio.timeout(self.answer_within):
                await (await self.pool.acquire()).announced.wait()
        except (NoConnection, TimeoutError):
            pass  # the first push will say so

    def close(self) -> None:
        for connection in list(self.pool.opened):
            connection.close()

    async def create_channel(self) -> str:
        """A channel that keeps the most recent message for phones that are offline. Its id is good for one match."""
        gateway = replace(self.gateway, port=self.gateway.channels_port)
        connection = await Pool(gateway, self.provider, self.bugs).create_connection()
        body = {"message-storage-policy": 1, "push-type": "LiveActivity"}
        request = ChannelRequest(f"/1/apps/{gateway.bundle_id}/channels", [], body, str(uuid.uuid4()))
        try:
            answer = await self._answer(connection, request)
        finally:
            connection.close()
        if answer.channel is None:
            raise RuntimeError(f"no channel was created: {answer.status} {answer.description}")
        return answer.channel

    async def send(self, push: Push) -> Outcome:
        """Makes an attempt; what the gateway has not looked at does not count as one."""
        if push.attempts and "resends-with-new-id" in self.bugs:
            push.apns_id = str(uuid.uuid4())
        push.attempts += 1
        async with self.in_flight:
            for _ in range(TRIES):
                try:
                    connection = await self._connection()
                except NoConnection:
                    return Outcome(0, "no connection")
                try:
                    return self._judged(connection, await self._answer(connection, self._request(push)))
                except Unserved as why:
                    if "resends-the-batch" in self.bugs:
                        return Outcome(0, str(why))
                except Unanswered as why:
                    return Outcome(0, str(why), is_unknown=True)
            return Outcome(0, "not served")

    async def _connection(self) -> Connection:
        if "connection-per-push" not in self.bugs:
            return await self.pool.acquire()
        connection = await self.pool.create_connection()
        self.pool.connections.append(connection)
        return connection

    async def _answer(self, connection: Connection, request: NotificationRequest | ChannelRequest) -> Answer:
        within = None if "hangs-after-goaway" in self.bugs else self.answer_within
        try:
            async with asyncio.timeout(within):
                result = await connection.send_notification(request)
        except TimeoutError:
            # Silence for so long is a dead connection that looks alive.
            if "keeps-dead-connection" not in self.bugs:
                connection.abort()
            raise Unanswered("no answer") from None
        except ProtocolError as why:
            if "keeps-dead-connection" in self.bugs:
                raise Unanswered("no room in the window") from None
            connection.leave()
            raise Unserved(f"{type(why).__name__}: {why}") from None
        if "connection-per-push" in self.bugs:
            connection.close()
        return result

    def _broadcast(self, push: Push) -> ChannelRequest:
        fields = {
            "apns-channel-id": push.token,
            "apns-push-type": "liveactivity",
            "apns-priority": str(push.priority),
            "apns-expiration": str(int(push.expires or 0)),
            "apns-request-id": push.apns_id,
        }
        path = f"/4/broadcasts/apps/{self.gateway.bundle_id}"
        return ChannelRequest(path, list(fields.items()), push.payload, push.apns_id)

    def _request(self, push: Push) -> NotificationRequest | ChannelRequest:
        if push.is_broadcast:
            return self._broadcast(push)
        kinds = {"silent": PushType.BACKGROUND, "alert": PushType.ALERT}
        suffix = ".push-type.liveactivity" if push.live_activity and "topic-without-suffix" not in self.bugs else ""
        kind, priority = kinds.get(push.what, PushType.LIVEACTIVITY), push.priority
        if "alerts-as-background" in self.bugs and kind is PushType.ALERT:
            kind, priority = PushType.BACKGROUND, 5
        return NotificationRequest(
            push.token,
            push.payload,
            push.apns_id,
            priority=priority,
            apns_topic=self.gateway.bundle_id + suffix,
            push_type=kind,
            collapse_key=push.collapse,
            time_to_live=None
            if push.expires is None or "no-expiration" in self.bugs
            else int(push.expires - time.time()),  # aioapns adds that again
        )

    def _judged(self, connection: Connection, answer: Answer) -> Outcome:
        status, reason = int(answer.status), answer.description
        timestamp = answer.timestamp / 1000 if answer.timestamp is not None else None
        # A provider token that others take cannot be too old on one host: that host's clock is wrong.
        wrong_clock = (
            reason in ("ExpiredProviderToken", "InvalidProviderToken")
            and self.provider.is_young
            and "renews-at-every-403" not in self.bugs
        )
        connection.failures = connection.failures + 1 if status == 500 or wrong_clock else 0
        if connection.failures >= (1 if wrong_clock else SICK_AFTER) and "keeps-sick-connection" not in self.bugs:
            connection.leave()
        return Outcome(status, reason, timestamp, answer.retry_after)
