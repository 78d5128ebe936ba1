"""An HTTP/2 connection to APNs, with what aioapns 4.0 leaves undone: aioapns sends before the gateway has announced how
many streams it takes, does not notice the reset of a stream, takes every GOAWAY for the end of what is in flight, and
gives the gateway no window back."""

import asyncio
import json
from collections import deque
from dataclasses import dataclass

from aioapns.common import NotificationResult
from aioapns.connection import APNsTLSClientProtocol
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    RemoteSettingsChanged,
    ResponseReceived,
    StreamEnded,
    StreamReset,
)
from h2.settings import SettingCodes

from cricket.bugs import Bugs

ALL_AT_ONCE = 1_000_000


class Unserved(Exception):
    """The gateway has not looked at this push (RFC 9113, 8.7): it may go out again at once, and nobody gets it
    twice."""


class Unanswered(Exception):
    """Nobody knows what became of it."""


class Answer(NotificationResult):
    __slots__ = ("retry_after", "channel")

    def __init__(
        self,
        push: str,
        status: int,
        reason: str | None,
        timestamp: int | None,
        retry_after: float | None,
        channel: str | None = None,
    ):
        super().__init__(push, str(status), reason, timestamp)
        self.retry_after, self.channel = retry_after, channel


@dataclass(frozen=True)
class ChannelRequest:
    """A request about a broadcast channel, which aioapns does not know."""

    path: str
    fields: list[tuple[str, str]]
    payload: dict
    notification_id: str


class Streams:
    """The open streams, as many as the gateway has announced; the others wait, in order. aioapns has a
    semaphore here, which lets everybody through once the limit falls below what is open."""

    def __init__(self, bound: int):
        self._bound, self.open, self._last = bound, 0, -1
        self._waiting: deque[asyncio.Future] = deque()
        self._closed: Exception | None = None

    @property
    def bound(self) -> int:
        return self._bound

    @bound.setter
    def bound(self, value: int) -> None:
        self._bound = value
        self._wake()

    @property
    def is_busy(self) -> bool:
        return self.open >= self._bound

    async def acquire(self) -> int:
        while self._closed is None and self.is_busy:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        if self._closed is not None:
            raise self._closed
        self.open, self._last = self.open + 1, self._last + 2
        return self._last

    def release(self) -> None:
        self.open -= 1
        self._wake()

    def destroy(self, why: Exception) -> None:
        self._closed = why
        self._wake()

    def _wake(self) -> None:
        turns = len(self._waiting) if self._closed else self._bound - self.open
        while self._waiting and turns > 0:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                turns -= 1


class Wire(H2Connection):
    """h2 takes nothing more after a GOAWAY; the streams up to the last one that it names still get their answers."""

    def __init__(self, bugs: Bugs):
        super().__init__()
        self.is_deaf = bool({"bursts-at-first", "ignores-stream-limit"} & bugs)
        self.only_rises, self.highest = "keeps-first-stream-limit" in bugs, 0

    def _receive_goaway_frame(self, frame):
        event = ConnectionTerminated()
        event.error_code, event.last_stream_id = frame.error_code, frame.last_stream_id
        event.additional_data = frame.additional_data or None
        return [], [event]

    def _receive_settings_frame(self, frame):
        if self.is_deaf and SettingCodes.MAX_CONCURRENT_STREAMS in frame.settings:
            frame.settings[SettingCodes.MAX_CONCURRENT_STREAMS] = ALL_AT_ONCE
        if self.only_rises and SettingCodes.MAX_CONCURRENT_STREAMS in frame.settings:
            self.highest = max(self.highest, frame.settings[SettingCodes.MAX_CONCURRENT_STREAMS])
            frame.settings[SettingCodes.MAX_CONCURRENT_STREAMS] = self.highest
        return super()._receive_settings_frame(frame)


class Connection(APNsTLSClientProtocol):
    def __init__(self, topic, loop, lost, provider, bugs: Bugs):
        super().__init__(topic, loop, lost, provider)
        self.bugs, self.is_corked = bugs, False
        self.conn, self.free_channels = Wire(bugs), Streams(ALL_AT_ONCE)
        self.announced = asyncio.Event()
        """The gateway has said how many streams it takes; or is gone."""
        self.answers: dict[int, tuple[dict[bytes, bytes], bytearray]] = {}
        """By stream: headers and body, so far."""
        self.is_leaving = False
        """Nothing new goes out on it; it closes with its last answer."""
        self.failures = 0
        """Answers in a row that speak against this connection."""

    async def send_notification(self, request) -> NotificationResult:
        await self.announced.wait()
        if not isinstance(request, ChannelRequest):
            return await super().send_notification(request)
        stream = await self.free_channels.acquire()
        fields = [(":method", "POST"), (":scheme", "https"), (":path", request.path), ("host", self.APNS_SERVER)]
        token = ("authorization", self.auth_provider.get_header())
        self.conn.send_headers(stream, [*fields, *request.fields, token])
        self.conn.send_data(stream, json.dumps(request.payload).encode(), end_stream=True)
        self.flush()
        self.requests[request.notification_id] = waiting = self.loop.create_future()
        self.request_streams[stream] = request.notification_id
        return await waiting

    def flush(self) -> None:
        if (self.conn.is_deaf or self.conn.only_rises) and not self.is_corked:
            # All that is sent in one turn of the loop leaves in one piece, as from clients that buffer.
            self.is_corked = True
            self.loop.call_soon(self._uncork)
        elif not self.is_corked:
            super().flush()

    def _uncork(self) -> None:
        self.is_corked = False
        super().flush()

    def leave(self) -> None:
        """A sick connection: another takes its place."""
        self.is_leaving = True
        self.on_connection_lost(self)
        self.free_channels.destroy(Unserved("the connection is being given up"))
        self._close_when_done()

    def abort(self) -> None:
        self.leave()
        self.transport.abort()

    # What the gateway sends

    def data_received(self, data: bytes) -> None:
        for event in self.conn.receive_data(data):
            match event:
                case ResponseReceived():
                    self.answers[event.stream_id] = dict(event.headers), bytearray()
                case DataReceived():
                    self.conn.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                    if event.stream_id in self.answers:
                        self.answers[event.stream_id][1].extend(event.data)
                case StreamEnded():
                    self._answered(event.stream_id)
                case StreamReset():
                    self._reset(event.stream_id, event.error_code)
                case RemoteSettingsChanged():
                    self.on_remote_settings_changed(event.changed_settings)
                    self.announced.set()
                case ConnectionTerminated():
                    self._goes_away(event)
        self.flush()

    def _taken(self, stream: int) -> asyncio.Future | None:
        """Whoever waits for the answer on a stream, and waits no longer."""
        push = self.request_streams.pop(stream, None)
        waiting = self.requests.pop(push, None)
        self.answers.pop(stream, None)
        if push is not None:
            self.free_channels.release()
        return waiting if waiting is not None and not waiting.done() else None

    def _answered(self, stream: int) -> None:
        push = self.request_streams.get(stream)
        headers, body = self.answers.get(stream, ({}, b""))
        waiting = self._taken(stream)
        if waiting is not None:
            wait = headers.get(b"retry-after", b"")
            waiting.set_result(
                Answer(
                    push,
                    int(headers.get(b":status", b"0")),
                    *read(bytes(body)),
                    float(wait) if wait.isdigit() else None,
                    headers[b"apns-channel-id"].decode() if b"apns-channel-id" in headers else None,
                )
            )
        self._close_when_done()

    def _reset(self, stream: int, code: int) -> None:
        waiting = self._taken(stream)
        if waiting is not None:
            gives_up = {"bursts-at-first", "keeps-first-stream-limit"} & self.bugs
            refused = code == ErrorCodes.REFUSED_STREAM and not gives_up
            waiting.set_exception((Unserved if refused else Unanswered)(f"RST_STREAM {int(code)}"))
        self._close_when_done()

    def _goes_away(self, event: ConnectionTerminated) -> None:
        if "opens-streams-after-goaway" in self.bugs:
            return
        if "hangs-after-goaway" in self.bugs:
            self.is_leaving = True
            return self.on_connection_lost(self)
        for stream in [s for s in self.request_streams if s > event.last_stream_id]:
            waiting = self._taken(stream)
            if waiting is None:
                continue
            if "drops-what-goaway-cut-off" in self.bugs:
                waiting.set_result(Answer("", 200, None, None, None))
            else:
                waiting.set_exception(Unserved(f"GOAWAY {int(event.error_code)} after stream {event.last_stream_id}"))
        self.leave()

    def _close_when_done(self) -> None:
        if self.is_leaving and not self.request_streams:
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.inactivity_timer:
            self.inactivity_timer.cancel()
        self.is_leaving = True
        self.on_connection_lost(self)
        self.announced.set()
        self.free_channels.destroy(Unserved("the connection is gone"))
        for stream in list(self.request_streams):
            waiting = self._taken(stream)
            if waiting is not None:
                waiting.set_exception(Unanswered(f"the connection was lost: {exc or 'closed'}"))


def read(body: bytes) -> tuple[str | None, int | None]:
    """Reason and timestamp of an error; a proxy on the way may answer with something else than JSON."""
    try:
        told = json.loads(body or b"{}")
        return told.get("reason"), told.get("timestamp")
    except (ValueError, AttributeError):
        return None, None
