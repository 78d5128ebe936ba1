"""An HTTP/2 client for tests that looks at frames: nothing is hidden, nothing is corrected.

Frames are hyperframe's, header blocks hpack's. It keeps flow control (a server's windows are obeyed), and by
default acknowledges SETTINGS and PING; each of those can be turned off.
"""

import contextlib
import json
import socket
import ssl
import time
from dataclasses import dataclass, field
from pathlib import Path

from hpack import Decoder, Encoder
from hyperframe.frame import (
    ContinuationFrame,
    DataFrame,
    Frame,
    GoAwayFrame,
    HeadersFrame,
    PingFrame,
    RstStreamFrame,
    SettingsFrame,
    WindowUpdateFrame,
)

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
APPLE_SETTINGS = bytes.fromhex("000018040000000000000100001000000300000001000500004000000600001f40")
TIMEOUT = 15.0
"""Seconds any single answer may take before a test gives up. It bounds a failure; it decides no test."""

REFUSED_STREAM = 7
CANCEL = 8


@dataclass
class Answer:
    """The answer on a stream."""

    stream: int
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""
    frames: list[Frame] = field(default_factory=list)
    reset: int | None = None
    ended: bool = False

    @property
    def status(self) -> int | None:
        value = self.header(":status")
        return int(value) if value is not None else None

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name), None)

    @property
    def json(self) -> dict:
        return json.loads(self.body)

    @property
    def reason(self) -> str | None:
        """The body's reason; None without a body; the body itself where it is no APNs error, so that a test shows
        it."""
        if not self.body:
            return None
        try:
            return self.json["reason"]
        except (ValueError, KeyError, TypeError):
            return repr(self.body)

    @property
    def verdict(self) -> tuple[int | None, str | None]:
        return self.status, self.reason


def client_context(
    ca: Path | str,
    alpn: list[str] | None = ("h2",),
    minimum: ssl.TLSVersion | None = None,
    maximum: ssl.TLSVersion | None = None,
    certificate: Path | None = None,
) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(ca))
    if alpn:
        context.set_alpn_protocols(list(alpn))
    if minimum:
        context.minimum_version = minimum
    if maximum:
        context.maximum_version = maximum
    if certificate:
        context.load_cert_chain(certificate)
    return context


class Wire:
    """A TLS connection speaking HTTP/2 frames."""

    def __init__(
        self,
        address: tuple[str, int],
        ca: Path | str,
        *,
        context: ssl.SSLContext | None = None,
        server_name: str | None = "localhost",
        settings: dict[int, int] | None = None,
        start: bool = True,
        acknowledge_settings: bool = True,
        answer_pings: bool = True,
        receive_buffer: int | None = None,
    ):
        self.acknowledge_settings = acknowledge_settings
        self.pings = 0
        self.answer_pings = answer_pings
        context = context or client_context(ca)
        plain = socket.socket(socket.AF_INET6 if ":" in address[0] else socket.AF_INET)
        if receive_buffer:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        plain.settimeout(TIMEOUT)
        plain.connect(address)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = context.wrap_socket(plain, server_hostname=server_name, suppress_ragged_eofs=False)
        self.encoder = Encoder()
        self.decoder = Decoder()
        self.received = bytearray()
        self.frames: list[Frame] = []
        """Every frame from the server, in order."""
        self.answers: dict[int, Answer] = {}
        self.goaway: GoAwayFrame | None = None
        self.closed = False
        self.closed_cleanly = False
        """True if the server said goodbye in TLS before it closed, and did not reset the connection."""
        self.next_stream = 1
        self.connection_window = 65_535
        self.initial_window = 65_535
        self.stream_windows: dict[int, int] = {}
        self._block: tuple[int, bytearray, Frame] | None = None
        if start:
            self.send(PREFACE, SettingsFrame(0, settings=settings or {}))

    # Sending

    def send(self, *pieces: Frame | bytes) -> None:
        self.socket.sendall(b"".join(p if isinstance(p, (bytes, bytearray)) else p.serialize() for p in pieces))

    def encode(self, headers: list[tuple[str, str | bytes]]) -> bytes:
        return self.encoder.encode([(name, value) for name, value in headers])

    def open(self, headers: list[tuple[str, str | bytes]], end: bool = False, padding: int = 0) -> int:
        """Sends HEADERS (with CONTINUATION when long) for a new stream and returns its number."""
        stream = self.take_stream()
        self.send(*self.header_frames(stream, self.encode(headers), end=end, padding=padding))
        return stream

    def take_stream(self) -> int:
        stream = self.next_stream
        self.next_stream += 2
        self.stream_windows[stream] = self.initial_window
        self.answers[stream] = Answer(stream)
        return stream

    @staticmethod
    def header_frames(
        stream: int, block: bytes, end: bool = False, padding: int = 0, piece: int = 16_000
    ) -> list[Frame]:
        pieces = [block[i : i + piece] for i in range(0, len(block), piece)] or [b""]
        first = HeadersFrame(stream, data=pieces[0])
        if padding:
            first.flags.add("PADDED")
            first.pad_length = padding
        if end:
            first.flags.add("END_STREAM")
        frames: list[Frame] = [first, *(ContinuationFrame(stream, data=p) for p in pieces[1:])]
        frames[-1].flags.add("END_HEADERS")
        return frames

    def body(self, stream: int, data: bytes, end: bool = True, piece: int = 16_384, padding: int = 0) -> None:
        """Sends DATA frames, waiting for the server's windows where they are used up."""
        pieces = [data[i : i + piece] for i in range(0, len(data), piece)] or [b""]
        for index, chunk in enumerate(pieces):
            cost = len(chunk) + (padding + 1 if padding else 0)
            while cost and (self.connection_window < cost or self.stream_windows.get(stream, 0) < cost):
                if self.read() is None or self.answers[stream].ended or self.answers[stream].reset is not None:
                    return  # answered or cut off before the body was whole
            self.connection_window -= cost
            self.stream_windows[stream] = self.stream_windows.get(stream, 0) - cost
            frame = DataFrame(stream, data=chunk)
            if padding:
                frame.flags.add("PADDED")
                frame.pad_length = padding
            if end and index == len(pieces) - 1:
                frame.flags.add("END_STREAM")
            self.send(frame)

    def begin(self, headers: list[tuple[str, str | bytes]], body: bytes | None = b"{}") -> int:
        """Sends a whole request without waiting for its answer. A body of None ends the stream with HEADERS."""
        stream = self.open(headers, end=body is None)
        if body is not None:
            self.body(stream, body)
        return stream

    def request(self, headers: list[tuple[str, str | bytes]], body: bytes | None = b"{}") -> Answer:
        return self.answer(self.begin(headers, body))

    def cancel(self, stream: int, code: int = CANCEL) -> None:
        self.send(RstStreamFrame(stream, error_code=code))

    def ping(self, payload: bytes | None = None) -> None:
        """Sends a PING and waits for its answer: everything the server owed before it has then arrived."""
        if payload is None:
            # Each has bytes of its own, or the answer to one before would do.
            self.pings += 1
            payload = self.pings.to_bytes(8, "big")
        self.send(PingFrame(0, opaque_data=payload))
        self.until(
            lambda: any(isinstance(f, PingFrame) and "ACK" in f.flags and f.opaque_data == payload for f in self.frames)
        )

    # Receiving

    def read(self, timeout: float = TIMEOUT) -> Frame | None:
        """The next frame, or None when the server has closed the connection."""
        self.socket.settimeout(timeout)
        while True:
            if len(self.received) >= 9:
                frame, length = Frame.parse_frame_header(memoryview(bytes(self.received[:9])))
                if len(self.received) >= 9 + length:
                    frame.parse_body(memoryview(bytes(self.received[9 : 9 + length])))
                    del self.received[: 9 + length]
                    self.frames.append(frame)
                    self._notice(frame)
                    return frame
            try:
                data = self.socket.recv(65_536)
                self.closed_cleanly = not data
            except (ssl.SSLEOFError, ConnectionResetError, BrokenPipeError):
                data = b""
            if not data:
                self.closed = True
                return None
            self.received += data

    def _reply(self, frame: Frame) -> None:
        """Answers a frame; a server that has closed meanwhile is found out by the next read."""
        with contextlib.suppress(OSError, ssl.SSLError):
            self.send(frame)

    def _notice(self, frame: Frame) -> None:
        answer = self.answers.get(frame.stream_id)
        if isinstance(frame, SettingsFrame) and "ACK" not in frame.flags:
            initial = frame.settings.get(SettingsFrame.INITIAL_WINDOW_SIZE)
            if initial is not None:
                for stream in self.stream_windows:
                    self.stream_windows[stream] += initial - self.initial_window
                self.initial_window = initial
            if self.acknowledge_settings:
                self._reply(SettingsFrame(0, flags=["ACK"]))
        elif isinstance(frame, PingFrame) and "ACK" not in frame.flags and self.answer_pings:
            self._reply(PingFrame(0, opaque_data=frame.opaque_data, flags=["ACK"]))
        elif isinstance(frame, WindowUpdateFrame):
            if frame.stream_id == 0:
                self.connection_window += frame.window_increment
            else:
                self.stream_windows[frame.stream_id] = (
                    self.stream_windows.get(frame.stream_id, 0) + frame.window_increment
                )
        elif isinstance(frame, GoAwayFrame):
            self.goaway = frame
        elif isinstance(frame, (HeadersFrame, ContinuationFrame)):
            if isinstance(frame, HeadersFrame):
                self._block = (frame.stream_id, bytearray(), frame)
            assert self._block is not None
            self._block[1].extend(frame.data)
            if "END_HEADERS" in frame.flags:
                headers = self.decoder.decode(bytes(self._block[1]))
                if answer is not None:
                    answer.headers.extend(
                        (n.decode() if isinstance(n, bytes) else n, v.decode() if isinstance(v, bytes) else v)
                        for n, v in headers
                    )
                    answer.ended = answer.ended or "END_STREAM" in self._block[2].flags
        elif isinstance(frame, DataFrame) and answer is not None:
            answer.body += frame.data
            answer.ended = answer.ended or "END_STREAM" in frame.flags
        elif isinstance(frame, RstStreamFrame) and answer is not None:
            answer.reset = frame.error_code
        if answer is not None:
            answer.frames.append(frame)

    def until(self, condition, timeout: float = TIMEOUT) -> None:
        """Reads frames until `condition()` holds; fails when the server closes or falls silent first."""
        deadline = time.monotonic() + timeout
        while not condition():
            left = deadline - time.monotonic()
            assert left > 0, f"nothing came for {timeout} s; frames so far: {self.frames[-10:]}"
            if self.read(left) is None:
                assert condition(), f"the server closed the connection first; frames so far: {self.frames[-10:]}"
                return

    def answer(self, stream: int) -> Answer:
        answer = self.answers[stream]
        self.until(lambda: answer.ended or answer.reset is not None)
        return answer

    def until_closed(self, timeout: float = TIMEOUT) -> None:
        deadline = time.monotonic() + timeout
        while not self.closed:
            left = deadline - time.monotonic()
            assert left > 0, f"the server did not close the connection within {timeout} s"
            self.read(left)

    def server_settings(self) -> list[dict[int, int]]:
        return [f.settings for f in self.frames if isinstance(f, SettingsFrame) and "ACK" not in f.flags]

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_) -> None:
        self.close()
