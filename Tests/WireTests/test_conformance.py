"""Conformance to HTTP/2 and HPACK, case by case as h2spec 2.6 lists them.

A test's name carries the section of h2spec's case and its number there: `test_http2_5_1_case_8` is "http2/5.1/8".
h2spec itself is a client written in Go; this is what it sends and what it accepts, held more strictly: where it takes
a connection that just ends for a connection error, a GOAWAY with the right code has to come first, and TLS has to be
closed properly (h2spec fails where a server resets the connection).

Frames travel in two ways where that could matter: `together` in one write, so that the server reads them in one go,
and `apart`, each after a PING has come back, so that the server has answered and forgotten what was before. h2spec
sends each frame by itself and meets either, as chance will have it.
"""

import struct

import pytest
from hyperframe.frame import DataFrame, Frame, GoAwayFrame, HeadersFrame, PingFrame, RstStreamFrame, SettingsFrame

from wire import PREFACE, Wire

TIMEOUT = 5.0
"""Seconds until a missing answer is a failure. It decides no test that passes."""

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, END_HEADERS, PADDED, WITH_PRIORITY, ACK = 0x1, 0x4, 0x8, 0x20, 0x1

NO_ERROR, PROTOCOL_ERROR, FLOW_CONTROL_ERROR, STREAM_CLOSED = 0, 1, 3, 5
FRAME_SIZE_ERROR, REFUSED_STREAM, CANCEL, COMPRESSION_ERROR = 6, 7, 8, 9
UNKNOWN_ERROR = 0xFF

HEADER_TABLE_SIZE, ENABLE_PUSH, MAX_CONCURRENT_STREAMS = 1, 2, 3
INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE, MAX_HEADER_LIST_SIZE = 4, 5, 6

MAX_WINDOW = 2**31 - 1
FRAME_SIZE = 16_384
ZEROES = bytes(8)
BODY = b'{"reason":"BadPath"}'


# Frames, as wrong as a case wants them


def frame(kind: int, flags: int, stream: int, payload: bytes = b"", length: int | None = None) -> bytes:
    count = len(payload) if length is None else length
    return struct.pack(">I", count)[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def data(stream: int, body: bytes = b"test", end: bool = True) -> bytes:
    return frame(DATA, END_STREAM if end else 0, stream, body)


def headers(stream: int, block: bytes, end: bool = True, whole: bool = True, flags: int = 0) -> bytes:
    return frame(HEADERS, (END_STREAM if end else 0) | (END_HEADERS if whole else 0) | flags, stream, block)


def continuation(stream: int, block: bytes, whole: bool = True) -> bytes:
    return frame(CONTINUATION, END_HEADERS if whole else 0, stream, block)


def dependency(on: int = 0, exclusive: bool = False, weight: int = 255) -> bytes:
    return struct.pack(">IB", on | (exclusive << 31), weight)


def priority(stream: int, **fields) -> bytes:
    return frame(PRIORITY, 0, stream, dependency(**fields))


def reset(stream: int, code: int = CANCEL) -> bytes:
    return frame(RST_STREAM, 0, stream, struct.pack(">I", code))


def settings(*entries: tuple[int, int]) -> bytes:
    return frame(SETTINGS, 0, 0, b"".join(struct.pack(">HI", *entry) for entry in entries))


def ping(payload: bytes = ZEROES, flags: int = 0, stream: int = 0) -> bytes:
    return frame(PING, flags, stream, payload)


def goaway(code: int, debug: bytes = b"") -> bytes:
    return frame(GOAWAY, 0, 0, struct.pack(">II", 0, code) + debug)


def window(stream: int, increment: int) -> bytes:
    return frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", increment))


def pieces(sent: bytes) -> list[bytes]:
    """The frames in what is sent."""
    found = []
    while sent:
        count = 9 + int.from_bytes(sent[:3])
        found.append(sent[:count])
        sent = sent[count:]
    return found


# The client


class Client(Wire):
    """A connection after the handshake h2spec makes before each case: both SETTINGS sent and both acknowledged."""

    def __init__(self, server, apart: bool = False, shake_hands: bool = True):
        super().__init__(server.address(), server.ca, start=False)
        self.apart = apart
        host, port = server.address()
        self.authority = f"{host}:{port}"
        self.pings = 0
        if shake_hands:
            self.send(PREFACE, settings((INITIAL_WINDOW_SIZE, 65_535)))
            self.until(lambda: len(self.frames) >= 2 and self.acknowledged == 1)
            assert [type(f) for f in self.frames] == [SettingsFrame] * 2
        self.start = len(self.frames)

    # Sending

    def common(self, method: str = "GET", *more: tuple[str, str]) -> list[tuple[str, str]]:
        fields = [(":method", method), (":scheme", "https"), (":path", "/"), (":authority", self.authority)]
        return [*fields, *more]

    def block(self, method: str = "GET", *more: tuple[str, str]) -> bytes:
        return self.encode(self.common(method, *more))

    def dummies(self, count: int) -> bytes:
        return self.encode([(f"x-dummy{index}", "x" * 4000) for index in range(count)])

    def say(self, *frames: bytes) -> None:
        """Sends frames. Apart, the server has dealt with one before it gets the next, unless that would part a header
        block."""
        if not self.apart:
            return self.hand_over(b"".join(frames))
        in_block = False
        for index, piece in enumerate(frames):
            if index and not in_block and not self.wait_for_server():
                return
            self.hand_over(piece)
            kind, flags = piece[3], piece[4]
            if kind in (HEADERS, CONTINUATION, PUSH_PROMISE):
                in_block = not flags & END_HEADERS

    def hand_over(self, sent: bytes) -> None:
        try:
            self.send(sent)
        except OSError:
            pass  # the server has closed already; reading tells

    def wait_for_server(self) -> bool:
        """Whether the connection still lives once the server has dealt with all that was sent."""
        self.pings += 1
        payload = b"apart" + self.pings.to_bytes(3)
        self.hand_over(ping(payload))
        self.wait(lambda: self.pong(payload) or self.goaway is not None)
        return self.goaway is None and not self.closed

    # What came

    @property
    def acknowledged(self) -> int:
        return sum(isinstance(f, SettingsFrame) and "ACK" in f.flags for f in self.frames)

    @property
    def news(self) -> list[Frame]:
        """What came since the handshake."""
        return self.frames[self.start :]

    def of(self, kind: type[Frame], stream: int | None = None) -> list[Frame]:
        return [f for f in self.news if isinstance(f, kind) and stream in (None, f.stream_id)]

    def pong(self, payload: bytes) -> bool:
        return any("ACK" in f.flags and f.opaque_data == payload for f in self.of(PingFrame))

    def wait(self, condition) -> None:
        """Reads until `condition()` holds or the server has closed."""
        self.until(lambda: self.closed or condition(), TIMEOUT)

    # What has to come

    def expect_connection_error(self, *codes: int) -> None:
        self.expect_closing()
        assert self.goaway is not None, f"closed without GOAWAY after {self.news}"
        assert self.goaway.error_code in codes, self.goaway

    def expect_stream_error(self, *codes: int, stream: int = 1) -> None:
        """RST_STREAM, or GOAWAY, with one of the codes."""
        self.wait(lambda: self.of(RstStreamFrame) or self.goaway is not None)
        if self.goaway is not None or self.closed:
            return self.expect_connection_error(*codes)
        [sent] = self.of(RstStreamFrame)
        assert (sent.stream_id, sent.error_code in codes) == (stream, True), sent
        self.expect_life()

    def expect_closing(self) -> None:
        self.until_closed(TIMEOUT)
        assert self.closed_cleanly, "the connection was reset, or TLS not closed"

    def expect_life(self) -> None:
        """The connection is unharmed."""
        assert self.wait_for_server(), f"the connection has ended: {self.news}"

    def expect_pong(self, payload: bytes = ZEROES) -> None:
        self.wait(lambda: self.pong(payload))
        assert self.pong(payload), self.news
        assert self.goaway is None, self.goaway

    def expect_headers(self, stream: int = 1, status: int | None = 404) -> None:
        """The head of an answer, and its body, whole."""
        self.expect_end(stream)
        first = self.of(HeadersFrame)[0]
        assert first.stream_id == stream
        assert status in (None, self.status(first)), first

    def status(self, head: HeadersFrame) -> int:
        return int(dict(self.decoder_of_status.setdefault(id(head), self.fields[id(head)]))[":status"])

    def expect_end(self, stream: int = 1) -> None:
        def ended() -> bool:
            return any("END_STREAM" in f.flags for f in self.of(HeadersFrame, stream) + self.of(DataFrame, stream))

        self.wait(ended)
        assert ended(), f"no answer on stream {stream}: {self.news}"
        assert not self.of(RstStreamFrame) and self.goaway is None, self.news

    def expect_data(self, count: int, nth: int = 0, stream: int = 1) -> DataFrame:
        self.wait(lambda: len(self.of(DataFrame, stream)) > nth)
        sent = self.of(DataFrame, stream)[nth]
        assert len(sent.data) == count, sent
        return sent

    def expect_acknowledgement(self) -> None:
        before = self.expected = getattr(self, "expected", 1) + 1
        self.wait(lambda: self.acknowledged >= before)
        assert self.acknowledged == before, self.frames
