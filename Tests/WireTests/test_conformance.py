"""Conformance to HTTP/2 and HPACK, case by case as h2spec 2.6 lists them.

A test's name carries the section of h2spec's case and its number there: `test_http2_5_1_case_8` is "http2/5.1/8".
h2spec itself is a client written in Go; this is what it sends and what it accepts, held more strictly: where it takes
a connection that just ends for a connection error, a GOAWAY with the right code has to come first, and TLS has to be
closed properly (h2spec fails where a server resets the connection).

Frames travel in two ways where that could matter: `together` in one write, so that the server reads them in one go,
and `apart`, each after a PING has come back, so that the server has answered and forgotten what was before. h2spec
sends each frame by itself and meets either, as chance will have it.
"""

import contextlib
import struct

import pytest
from hyperframe.frame import DataFrame, Frame, HeadersFrame, PingFrame, RstStreamFrame, SettingsFrame

from wire import PREFACE, Answer, Wire

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


# The client


class Client(Wire):
    """A connection after the handshake h2spec makes before each case: both SETTINGS sent and both acknowledged."""

    def __init__(self, server, apart: bool = False, shake_hands: bool = True):
        super().__init__(server.address(), server.ca, start=False)
        self.apart = apart
        host, port = server.address()
        self.authority = f"{host}:{port}"
        self.pings = 0
        self.owed = 1
        """Acknowledgements of SETTINGS that are to have come so far."""
        self.answers = {stream: Answer(stream) for stream in range(1, 10, 2)}
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
        # The server may have closed already; reading tells.
        with contextlib.suppress(OSError):
            self.send(sent)

    def wait_for_server(self) -> bool:
        """Waits for the server to handle all that was sent, and returns true if the connection is still open."""
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
        """The frames that came since the handshake."""
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

    def expect_answer(self, stream: int = 1, status: int = 404, body: bytes = BODY) -> None:
        """An answer, whole, and nothing on another stream."""
        self.expect_end(stream)
        assert (self.answers[stream].status, self.answers[stream].body) == (status, body)
        assert {f.stream_id for f in self.of(HeadersFrame)} == {stream}

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
        self.owed += 1
        self.wait(lambda: self.acknowledged >= self.owed)
        assert self.acknowledged == self.owed, self.frames


@pytest.fixture
def client(server):
    with Client(server) as own:
        yield own


@pytest.fixture(params=["together", "apart"])
def paced(server, request):
    """A client whose frames travel in both ways, one after the other."""
    with Client(server, apart=request.param == "apart") as own:
        yield own


# generic/1: Starting HTTP/2


def test_generic_1_case_1_settings_are_the_servers_first_frame(server):
    with Client(server, shake_hands=False) as client:
        client.send(PREFACE, settings((INITIAL_WINDOW_SIZE, 65_535)))
        client.wait(lambda: client.frames)
        first = client.frames[0]
        assert isinstance(first, SettingsFrame) and "ACK" not in first.flags


# generic/2: Streams and Multiplexing


def test_generic_2_case_1_priority_on_an_idle_stream(paced):
    paced.say(priority(1), ping())
    paced.expect_pong()


def test_generic_2_case_2_window_update_on_a_half_closed_stream(paced):
    paced.say(settings((INITIAL_WINDOW_SIZE, 0)), headers(1, paced.block()), window(1, 1))
    paced.expect_data(1)


def test_generic_2_case_3_priority_on_a_half_closed_stream(paced):
    paced.say(settings((INITIAL_WINDOW_SIZE, 0)), headers(1, paced.block()), priority(1), window(1, 1))
    paced.expect_data(1)


def test_generic_2_case_4_reset_of_a_half_closed_stream(paced):
    paced.say(headers(1, paced.block()), reset(1), ping())
    paced.expect_pong()


def test_generic_2_case_5_priority_on_a_closed_stream(client):
    client.say(headers(1, client.block()))
    client.expect_end()
    client.say(priority(1), ping())
    client.expect_pong()


# generic/3: Frame Definitions


def test_generic_3_1_case_1_one_data_frame(paced):
    paced.say(headers(1, paced.block("POST"), end=False), data(1))
    paced.expect_answer()


def test_generic_3_1_case_2_two_data_frames(paced):
    paced.say(headers(1, paced.block("POST"), end=False), data(1, end=False), data(1))
    paced.expect_answer()


def test_generic_3_1_case_3_padded_data(paced):
    padded = frame(DATA, END_STREAM | PADDED, 1, b"\x06test" + bytes(6))
    paced.say(headers(1, paced.block("POST"), end=False), padded)
    paced.expect_answer()


def test_generic_3_2_case_1_headers(client):
    client.say(headers(1, client.block()))
    client.expect_answer()


def test_generic_3_2_case_2_padded_headers(client):
    client.say(headers(1, b"\x08" + client.block() + bytes(8), flags=PADDED))
    client.expect_answer()


def test_generic_3_2_case_3_headers_with_priority(client):
    client.say(headers(1, dependency() + client.block(), flags=WITH_PRIORITY))
    client.expect_answer()


@pytest.mark.parametrize(
    ("stream", "fields"),
    [
        pytest.param(1, {"weight": 0}, id="case_1_weight_1"),
        pytest.param(1, {"weight": 255}, id="case_2_weight_256"),
        pytest.param(3, {"on": 1, "weight": 0}, id="case_3_dependency"),
        pytest.param(1, {"exclusive": True, "weight": 0}, id="case_4_exclusive"),
        pytest.param(3, {"weight": 255}, id="case_5_for_a_later_stream"),
    ],
)
def test_generic_3_3_priority(paced, stream, fields):
    paced.say(priority(stream, **fields), headers(1, paced.block()))
    paced.expect_answer()


def test_generic_3_4_case_1_reset(paced):
    paced.say(headers(1, paced.block(), end=False), reset(1), ping())
    paced.expect_pong()


def test_generic_3_5_case_1_settings(client):
    client.say(
        settings(
            (HEADER_TABLE_SIZE, 4096),
            (ENABLE_PUSH, 1),
            (MAX_CONCURRENT_STREAMS, 100),
            (INITIAL_WINDOW_SIZE, 65_535),
            (MAX_FRAME_SIZE, FRAME_SIZE),
            (MAX_HEADER_LIST_SIZE, 100),
        )
    )
    client.expect_acknowledgement()


def test_generic_3_7_case_1_ping(client):
    client.say(ping(b"h2spec\x00\x00"))
    client.expect_pong(b"h2spec\x00\x00")


def test_generic_3_8_case_1_goaway(client):
    """A PING after it is answered, or the connection ends: it has nothing left to do."""
    client.say(goaway(NO_ERROR, b"h2spec") + ping(b"h2spec\x00\x00"))
    client.wait(lambda: client.pong(b"h2spec\x00\x00"))
    if client.closed:
        client.expect_closing()


def test_generic_3_9_case_1_window_update_of_the_connection(paced):
    paced.say(window(0, 1), ping())
    paced.expect_pong()


def test_generic_3_9_case_2_window_update_of_a_stream(paced):
    paced.say(headers(1, paced.block()), window(1, 1))
    paced.expect_answer()
    paced.expect_life()


def test_generic_3_10_case_1_continuation(client):
    block = client.block()
    client.say(headers(1, block[:5], whole=False), continuation(1, block[5:]))
    client.expect_answer()


def test_generic_3_10_case_2_two_continuations(client):
    block = client.block()
    client.say(
        headers(1, block[:5], whole=False), continuation(1, block[5:10], whole=False), continuation(1, block[10:])
    )
    client.expect_answer()


# generic/4: HTTP Message Exchanges


def test_generic_4_case_1_get(client):
    client.say(headers(1, client.block()))
    client.expect_answer()


def test_generic_4_case_2_head(client):
    client.say(headers(1, client.block("HEAD")))
    client.expect_answer(body=b"")


def test_generic_4_case_3_post(paced):
    paced.say(headers(1, paced.block("POST"), end=False), data(1))
    paced.expect_answer()


def test_generic_4_case_4_post_with_trailers(paced):
    first = headers(1, paced.block("POST", ("trailer", "x-test")), end=False)
    paced.say(first, data(1, end=False), headers(1, paced.encode([("x-test", "ok")])))
    paced.expect_answer()


# generic/5: HPACK

AGENT, AGENT_HUFFMAN = b"\x0auser-agent", bytes.fromhex("87b505b161cc5a93")
TEST, TEST_HUFFMAN = b"\x06x-test", bytes.fromhex("85f2b24a84ff")
VALUE, VALUE_HUFFMAN = b"\x06h2spec", bytes.fromhex("849c48aca4")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"", b"\xba", id="case_1_indexed"),
        pytest.param(b"", b"\x40" + AGENT_HUFFMAN + VALUE_HUFFMAN, id="case_2_indexing_known_name_huffman"),
        pytest.param(b"", b"\x40" + AGENT + VALUE, id="case_3_indexing_known_name"),
        pytest.param(b"", b"\x40" + TEST + VALUE, id="case_4_indexing_new_name"),
        pytest.param(b"", b"\x40" + TEST_HUFFMAN + VALUE_HUFFMAN, id="case_5_indexing_new_name_huffman"),
        pytest.param(b"", b"\x00" + AGENT + VALUE, id="case_6_without_indexing_known_name"),
        pytest.param(b"", b"\x00" + AGENT_HUFFMAN + VALUE_HUFFMAN, id="case_7_without_indexing_known_name_huffman"),
        pytest.param(b"", b"\x00" + TEST + VALUE, id="case_8_without_indexing_new_name"),
        pytest.param(b"", b"\x00" + TEST_HUFFMAN + VALUE_HUFFMAN, id="case_9_without_indexing_new_name_huffman"),
        pytest.param(b"", b"\x10" + AGENT + VALUE, id="case_10_never_indexed_known_name"),
        pytest.param(b"", b"\x10" + AGENT_HUFFMAN + VALUE_HUFFMAN, id="case_11_never_indexed_known_name_huffman"),
        pytest.param(b"", b"\x10" + TEST + VALUE, id="case_12_never_indexed_new_name"),
        pytest.param(b"", b"\x10" + TEST_HUFFMAN + VALUE_HUFFMAN, id="case_13_never_indexed_new_name_huffman"),
        pytest.param(b"\x20", b"", id="case_14_table_size"),
        pytest.param(b"\x20\x3f\xe1\x1f", b"", id="case_15_table_size_twice"),
        pytest.param(b"", b"\x7a" + VALUE, id="and_a_name_by_its_index"),
    ],
)
def test_generic_5_hpack(client, before, after):
    client.say(headers(1, before + client.block() + after))
    client.expect_answer()


# http2/3.5: HTTP/2 Connection Preface


def test_http2_3_5_case_1_the_clients_preface(server):
    with Client(server, shake_hands=False) as client:
        client.send(PREFACE, settings((INITIAL_WINDOW_SIZE, 65_535)))
        client.wait(lambda: client.acknowledged == 1)
        assert [("ACK" in f.flags) for f in client.frames if isinstance(f, SettingsFrame)] == [False, True]


def test_http2_3_5_case_2_an_invalid_preface(server):
    with Client(server, shake_hands=False) as client:
        client.send(b"INVALID CONNECTION PREFACE\r\n\r\n")
        client.expect_connection_error(PROTOCOL_ERROR)


# http2/4: HTTP Frames


def test_http2_4_1_case_1_a_frame_of_unknown_type(paced):
    paced.say(frame(0x16, 0, 0, ZEROES), ping())
    paced.expect_pong()


def test_http2_4_1_case_2_an_undefined_flag(client):
    client.say(ping(flags=0x16))
    client.expect_pong()


def test_http2_4_1_case_3_a_reserved_bit(client):
    client.say(ping(flags=0x16, stream=0x8000_0000))
    client.expect_pong()


def test_http2_4_2_case_1_a_data_frame_of_16384_octets(paced):
    paced.say(headers(1, paced.block("POST"), end=False), data(1, b"x" * FRAME_SIZE))
    paced.expect_end()


def test_http2_4_2_case_2_a_data_frame_too_large(paced):
    paced.say(headers(1, paced.block("POST"), end=False), data(1, b"x" * (FRAME_SIZE + 1)))
    paced.expect_stream_error(FRAME_SIZE_ERROR)


def test_http2_4_2_case_3_a_headers_frame_too_large(client):
    block = client.block() + client.dummies(5)
    assert len(block) > FRAME_SIZE
    client.say(headers(1, block))
    client.expect_connection_error(FRAME_SIZE_ERROR)


def test_http2_4_3_case_1_an_invalid_header_block(client):
    client.say(headers(1, b"\x40"))
    client.expect_connection_error(COMPRESSION_ERROR)


def test_http2_4_3_case_2_priority_within_a_header_block(client):
    client.say(headers(1, client.block(), end=False, whole=False), priority(1), continuation(1, client.dummies(1)))
    client.expect_connection_error(PROTOCOL_ERROR)


def test_http2_4_3_case_3_headers_of_another_stream_within_a_header_block(client):
    first = headers(1, client.block(), end=False, whole=False)
    client.say(first, headers(3, client.block()), continuation(1, client.dummies(1)))
    client.expect_connection_error(PROTOCOL_ERROR)


# http2/5.1: Stream States


def test_http2_5_1_case_1_data_on_an_idle_stream(client):
    client.say(data(1))
    client.expect_connection_error(PROTOCOL_ERROR)


def test_http2_5_1_case_2_reset_of_an_idle_stream(client):
    client.say(reset(1))
    client.expect_connection_error(PROTOCOL_ERROR)


def test_http2_5_1_case_3_window_update_on_an_idle_stream(client):
    client.say(window(1, 100))
    client.expect_connection_error(PROTOCOL_ERROR)


def test_http2_5_1_case_4_continuation_on_an_idle_stream(client):
    client.say(continuation(1, client.block()))
    client.expect_connection_error(PROTOCOL_ERROR)


def test_http2_5_1_case_5_data_on_a_half_closed_stream(paced):
    paced.say(headers(1, paced.block()), data(1))
    paced.expect_stream_error(STREAM_CLOSED)


def test_http2_5_1_case_6_headers_on_a_half_closed_stream(paced):
    paced.say(headers(1, paced.block()), headers(1, paced.block()))
    paced.expect_stream_error(STREAM_CLOSED)


def test_http2_5_1_case_7_continuation_on_a_half_closed_stream(paced):
    paced.say(headers(1, paced.block()), continuation(1, paced.block()))
    paced.expect_stream_error(STREAM_CLOSED, PROTOCOL_ERROR)


def test_http2_5_1_case_8_data_after_reset(paced):
    paced.say(headers(1, paced.block(), end=False), reset(1), data(1))
    paced.expect_stream_error(STREAM_CLOSED)


def test_http2_5_1_case_9_headers_after_reset(paced):
    paced.say(headers(1, paced.block(), end=False), reset(1), headers(1, paced.block()))
    paced.expect_stream_error(STREAM_CLOSED)


def test_http2_5_1_case_10_continuation_after_reset(paced):
    paced.say(headers(1, paced.block(), end=False), reset(1), continuation(1, paced.dummies(1)))
    paced.expect_stream_error(STREAM_CLOSED, PROTOCOL_ERROR)


def test_http2_5_1_case_11_data_on_a_closed_stream(client):
    client.say(headers(1, client.block()))
    client.expect_end()
    client.say(data(1))
    client.expect_connection_error(STREAM_CLOSED)


def test_http2_5_1_case_12_headers_on_a_closed_stream(client):
    client.say(headers(1, client.block()))
    client.expect_end()
    client.say(headers(1, client.block()))
    client.expect_connection_error(STREAM_CLOSED)


def test_http2_5_1_case_13_continuation_on_a_closed_stream(client):
    client.say(headers(1, client.block()))
    client.expect_end()
    client.say(continuation(1, client.dummies(1)))
    client.expect_connection_error(STREAM_CLOSED, PROTOCOL_ERROR)


# http2/5.1.1: Stream Identifiers


def test_http2_5_1_1_case_1_an_even_stream(client):
    client.say(headers(2, client.block()))
    client.expect_connection_error(PROTOCOL_ERROR)


def test_http2_5_1_1_case_2_a_smaller_stream(paced):
    paced.say(headers(5, paced.block()), headers(3, paced.block()))
    paced.expect_connection_error(PROTOCOL_ERROR)


def test_http2_5_1_1_case_3_headers_on_a_half_closed_stream(paced):
    paced.say(headers(5, paced.block()), headers(5, paced.block()))
    paced.expect_stream_error(STREAM_CLOSED, stream=5)


# http2/5.1.2: Stream Concurrency


def test_http2_5_1_2_case_1_more_streams_than_announced(paced):
    """1 is announced; a window of 0 keeps the first stream open."""
    assert paced.server_settings()[0][MAX_CONCURRENT_STREAMS] == 1
    paced.say(settings((INITIAL_WINDOW_SIZE, 0)), headers(1, paced.block()), headers(3, paced.block()))
    paced.expect_stream_error(REFUSED_STREAM, PROTOCOL_ERROR, stream=3)
    paced.say(window(1, 1000))
    paced.expect_data(len(BODY))


# http2/5.3.1: Stream Dependencies


def test_http2_5_3_1_case_1_headers_depending_on_themselves(client):
    client.say(headers(1, dependency(on=1) + client.block(), flags=WITH_PRIORITY))
    client.expect_stream_error(PROTOCOL_ERROR)


def test_http2_5_3_1_case_2_priority_depending_on_itself(client):
    client.say(priority(1, on=1))
    client.expect_stream_error(PROTOCOL_ERROR)


# http2/5.4.1: Connection Error Handling


def test_http2_5_4_1_case_1_the_connection_is_closed_after_an_error(client):
    client.say(ping(stream=3))
    client.expect_closing()


def test_http2_5_4_1_case_2_goaway_comes_first_with_the_last_stream(client):
    client.say(headers(1, client.block()))
    client.expect_end()
    client.say(ping(stream=3))
    client.expect_connection_error(PROTOCOL_ERROR)
    assert client.goaway.last_stream_id == 1


# http2/5.5: Extending HTTP/2


def test_http2_5_5_case_1_an_unknown_extension_frame(paced):
    paced.say(frame(0x16, 0, 0, ZEROES), ping())
    paced.expect_pong()


def test_http2_5_5_case_2_an_unknown_extension_frame_within_a_header_block(client):
    client.say(headers(1, client.block(), whole=False), frame(0x16, 0, 0, ZEROES))
    client.expect_connection_error(PROTOCOL_ERROR)


# http2/6.1: DATA


def test_http2_6_1_case_1_data_on_stream_0(client):
    client.say(data(0))
    client.expect_connection_error(PROTOCOL_ERROR)


def test_http2_6_1_case_2_data_after_the_end(paced):
    paced.say(headers(1, paced.block("POST")), data(1))
    paced.expect_stream_error(STREAM_CLOSED)


def test_http2_6_1_case_3_padding_longer_than_the_frame(paced):
    first = headers(1, paced.block("POST", ("content-length", "4")), end=False)
    paced.say(first, frame(DATA, END_STREAM | PADDED, 1, b"\x06Test"))
    paced.expect_connection_error(PROTOCOL_ERROR)


# http2/6.2: HEADERS


def test_http2_6_2_case_1_priority_after_headers_without_their_end(client):
    client.say(headers(1, client.block(), end=False, whole=False), priority(1), continuation(1, client.dummies(1)))
    client.expect_connection_error(PROTOCOL_ERROR)


def test_http2_6_2_case_2_headers_of_another_stream_after_headers_without_their_end(client):
    first = headers(1, client.block(), end=False, whole=False)
    client.say(first, headers(3, client.block()), continuation(1, client.dummies(1)))
    client.expect_connection_error(PROTOCOL_ERROR)


def test_http2_6_2_case_3_headers_on_stream_0(client):
    client.say(headers(0, client.block()))
    client.expect_connection_error(PROTOCOL_ERROR)


def test_http2_6_2_case_4_padding_longer_than_the_frame(client):
    block = client.block()
    client.say(headers(1, bytes([len(block) + 2]) + block, flags=PADDED))
    client.expect_stream_error(PROTOCOL_ERROR)


# http2/6.3: PRIORITY


def test_http2_6_3_case_1_priority_on_stream_0(client):
    client.say(priority(0))
    client.expect_connection_error(PROTOCOL_ERROR)


def test_http2_6_3_case_2_priority_of_4_octets(paced):
    paced.say(headers(1, paced.block()), frame(PRIORITY, 0, 1, b"\x80\x00\x00\x01"))
    paced.expect_stream_error(FRAME_SIZE_ERROR)


# http2/6.4: RST_STREAM


def test_http2_6_4_case_1_reset_of_stream_0(client):
    client.say(reset(0))
    client.expect_connection_error(PROTOCOL_ERROR)


def test_http2_6_4_case_2_reset_of_an_idle_stream(client):
    client.say(reset(1))
    client.expect_connection_error(PROTOCOL_ERROR)


def test_http2_6_4_case_3_reset_of_3_octets(paced):
    paced.say(headers(1, paced.block()), frame(RST_STREAM, 0, 1, bytes(3)))
    paced.expect_connection_error(FRAME_SIZE_ERROR)


# http2/6.5: SETTINGS


def test_http2_6_5_case_1_acknowledgement_with_a_payload(client):
    client.say(frame(SETTINGS, ACK, 0, b"\x00"))
    client.expect_connection_error(FRAME_SIZE_ERROR)


def test_http2_6_5_case_2_settings_on_a_stream(client):
    client.say(frame(SETTINGS, 0, 1, b"\x00\x03\x00\x00\x00\x64"))
    client.expect_connection_error(PROTOCOL_ERROR)


@pytest.mark.parametrize("length", [3, 9])
def test_http2_6_5_case_3_settings_of_a_wrong_length(client, length):
    """Of the 9 announced octets h2spec sends 8: the header alone has to be enough."""
    client.say(frame(SETTINGS, 0, 0, b"\x00\x03\x00\x00\x00\x64\x00\x02"[:length], length=length))
    client.expect_connection_error(FRAME_SIZE_ERROR)


@pytest.mark.parametrize(
    ("setting", "value", "code"),
    [
        pytest.param(ENABLE_PUSH, 2, PROTOCOL_ERROR, id="case_1_enable_push"),
        pytest.param(INITIAL_WINDOW_SIZE, MAX_WINDOW + 1, FLOW_CONTROL_ERROR, id="case_2_initial_window_size"),
        pytest.param(MAX_FRAME_SIZE, 16_383, PROTOCOL_ERROR, id="case_3_max_frame_size_too_small"),
        pytest.param(MAX_FRAME_SIZE, 16_777_216, PROTOCOL_ERROR, id="case_4_max_frame_size_too_large"),
    ],
)
def test_http2_6_5_2_settings_out_of_range(client, setting, value, code):
    client.say(settings((setting, value)))
    client.expect_connection_error(code)


def test_http2_6_5_2_case_5_an_unknown_setting(paced):
    paced.say(settings((0xFF, 1)), ping())
    paced.expect_pong()


def test_http2_6_5_3_case_1_of_two_values_the_last_one_counts(client):
    client.say(settings((INITIAL_WINDOW_SIZE, 100), (INITIAL_WINDOW_SIZE, 1)))
    client.expect_acknowledgement()
    client.say(headers(1, client.block()))
    client.expect_data(1)


def test_http2_6_5_3_case_2_settings_are_acknowledged(client):
    client.say(settings((ENABLE_PUSH, 0)))
    client.expect_acknowledgement()


# http2/6.7: PING


def test_http2_6_7_case_1_ping(client):
    client.say(ping(b"h2spec\x00\x00"))
    client.expect_pong(b"h2spec\x00\x00")


def test_http2_6_7_case_2_an_acknowledged_ping_is_not_answered(paced):
    paced.say(ping(b"invalid\x00", flags=ACK), ping(b"h2spec\x00\x00"))
    paced.expect_pong(b"h2spec\x00\x00")
    assert not paced.pong(b"invalid\x00")


def test_http2_6_7_case_3_ping_on_a_stream(client):
    client.say(ping(stream=1))
    client.expect_connection_error(PROTOCOL_ERROR)


def test_http2_6_7_case_4_ping_of_6_octets(client):
    client.say(ping(bytes(6)))
    client.expect_connection_error(FRAME_SIZE_ERROR)


# http2/6.8: GOAWAY


def test_http2_6_8_case_1_goaway_on_a_stream(client):
    client.say(frame(GOAWAY, 0, 1, ZEROES))
    client.expect_connection_error(PROTOCOL_ERROR)


# http2/6.9: WINDOW_UPDATE


def test_http2_6_9_case_1_no_increment(client):
    client.say(window(0, 0))
    client.expect_connection_error(PROTOCOL_ERROR)


def test_http2_6_9_case_2_no_increment_of_a_stream(paced):
    paced.say(headers(1, paced.block(), end=False), window(1, 0))
    paced.expect_stream_error(PROTOCOL_ERROR)


def test_http2_6_9_case_3_window_update_of_3_octets(client):
    client.say(frame(WINDOW_UPDATE, 0, 0, b"\x00\x00\x01"))
    client.expect_connection_error(FRAME_SIZE_ERROR)


def test_http2_6_9_1_case_1_a_window_of_1(client):
    """The answer leaves byte by byte as its window opens, and its last byte ends the stream."""
    client.say(settings((INITIAL_WINDOW_SIZE, 1)))
    client.expect_acknowledgement()
    client.say(headers(1, client.block()))
    for index in range(len(BODY)):
        sent = client.expect_data(1, nth=index)
        assert ("END_STREAM" in sent.flags) == (index == len(BODY) - 1)
        client.expect_life()
        assert len(client.of(DataFrame)) == index + 1, "no more than the window"
        client.say(window(1, 1))
    client.expect_answer()


def test_http2_6_9_1_case_2_a_window_beyond_the_greatest(paced):
    paced.say(window(0, MAX_WINDOW), window(0, MAX_WINDOW))
    paced.expect_connection_error(FLOW_CONTROL_ERROR)


def test_http2_6_9_1_case_3_a_window_of_a_stream_beyond_the_greatest(paced):
    """h2spec takes nothing but RST_STREAM."""
    paced.say(headers(1, paced.block(), end=False), window(1, MAX_WINDOW), window(1, MAX_WINDOW))
    paced.wait(lambda: paced.of(RstStreamFrame))
    assert [(f.stream_id, f.error_code) for f in paced.of(RstStreamFrame)] == [(1, FLOW_CONTROL_ERROR)]


def test_http2_6_9_2_case_1_the_initial_window_grows_after_headers(paced):
    paced.say(settings((INITIAL_WINDOW_SIZE, 0)))
    paced.expect_acknowledgement()
    paced.say(headers(1, paced.block()), settings((INITIAL_WINDOW_SIZE, 1)))
    paced.expect_data(1)


def test_http2_6_9_2_case_2_a_negative_window(paced):
    paced.say(settings((INITIAL_WINDOW_SIZE, 3)))
    paced.expect_acknowledgement()
    paced.say(headers(1, paced.block()))
    paced.expect_data(3)
    paced.say(settings((INITIAL_WINDOW_SIZE, 2)))
    paced.expect_acknowledgement()
    paced.say(window(1, 2))
    paced.expect_data(1, nth=1)


def test_http2_6_9_2_case_3_an_initial_window_beyond_the_greatest(client):
    client.say(settings((INITIAL_WINDOW_SIZE, MAX_WINDOW + 1)))
    client.expect_connection_error(FLOW_CONTROL_ERROR)


# http2/6.10: CONTINUATION


def test_http2_6_10_case_1_two_continuations(client):
    """Two headers of 4000 bytes are more than is announced as the largest list: any answer will do."""
    end = continuation(1, client.dummies(1), whole=False), continuation(1, client.dummies(1))
    client.say(headers(1, client.block(), whole=False), *end)
    client.expect_answer(status=431, body=b"")


def test_http2_6_10_case_2_data_within_a_header_block(client):
    first = headers(1, client.block("POST"), end=False, whole=False)
    client.say(first, continuation(1, client.dummies(1), whole=False), data(1))
    client.expect_connection_error(PROTOCOL_ERROR)


def test_http2_6_10_case_3_continuation_on_stream_0(client):
    client.say(headers(1, client.block(), whole=False), continuation(0, client.dummies(1)))
    client.expect_connection_error(PROTOCOL_ERROR)


def test_http2_6_10_case_4_continuation_after_the_end_of_headers(paced):
    paced.say(headers(1, paced.block()), continuation(1, paced.dummies(1)))
    paced.expect_connection_error(PROTOCOL_ERROR)


def test_http2_6_10_case_5_continuation_after_the_last_continuation(paced):
    first = headers(1, paced.block(), whole=False)
    paced.say(first, continuation(1, paced.dummies(1)), continuation(1, paced.dummies(1)))
    paced.expect_connection_error(PROTOCOL_ERROR)


def test_http2_6_10_case_6_continuation_after_data(client):
    first = headers(1, client.block("POST"), end=False, whole=False)
    client.say(first, data(1), continuation(1, client.dummies(1), whole=False), continuation(0, client.dummies(1)))
    client.expect_connection_error(PROTOCOL_ERROR)


# http2/7: Error Codes


def test_http2_7_case_1_goaway_with_an_unknown_code(client):
    client.say(goaway(UNKNOWN_ERROR) + ping(b"h2spec\x00\x00"))
    client.wait(lambda: client.pong(b"h2spec\x00\x00"))
    if client.closed:
        client.expect_closing()


def test_http2_7_case_2_reset_with_an_unknown_code(paced):
    paced.say(headers(1, paced.block("POST"), end=False), reset(1, UNKNOWN_ERROR), ping())
    paced.expect_pong()


# http2/8.1: HTTP Request/Response Exchange


def test_http2_8_1_case_1_a_second_headers_frame_without_the_end(paced):
    second = headers(1, paced.encode([("x-test", "ok")]), end=False)
    paced.say(headers(1, paced.block("POST"), end=False), data(1, end=False), second)
    paced.expect_stream_error(PROTOCOL_ERROR)


def without(client: Client, name: str) -> list[tuple[str, str]]:
    return [field for field in client.common() if field[0] != name]


def changed(client: Client, name: str, value: str) -> list[tuple[str, str]]:
    return [(key, value if key == name else old) for key, old in client.common()]


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param(lambda c: c.common("GET", ("X-TEST", "ok")), id="8_1_2_case_1_upper_case"),
        pytest.param(lambda c: c.common("GET", (":test", "ok")), id="8_1_2_1_case_1_unknown_pseudo_header"),
        pytest.param(lambda c: c.common("GET", (":status", "200")), id="8_1_2_1_case_2_pseudo_header_of_an_answer"),
        pytest.param(lambda c: [("x-test", "ok"), *c.common()], id="8_1_2_1_case_4_pseudo_header_after_another"),
        pytest.param(lambda c: c.common("GET", ("connection", "keep-alive")), id="8_1_2_2_case_1_connection"),
        pytest.param(
            lambda c: c.common("GET", ("trailers", "test"), ("te", "trailers, deflate")), id="8_1_2_2_case_2_te"
        ),
        pytest.param(lambda c: changed(c, ":path", ""), id="8_1_2_3_case_1_empty_path"),
        pytest.param(lambda c: without(c, ":method"), id="8_1_2_3_case_2_no_method"),
        pytest.param(lambda c: without(c, ":scheme"), id="8_1_2_3_case_3_no_scheme"),
        pytest.param(lambda c: without(c, ":path"), id="8_1_2_3_case_4_no_path"),
        pytest.param(lambda c: c.common("GET", (":method", "GET")), id="8_1_2_3_case_5_method_twice"),
        pytest.param(lambda c: c.common("GET", (":scheme", "https")), id="8_1_2_3_case_6_scheme_twice"),
        pytest.param(lambda c: c.common("GET", (":path", "/")), id="8_1_2_3_case_7_path_twice"),
        pytest.param(lambda c: c.common("GET", (":method", "/")), id="8_1_2_3_case_7_as_it_once_was"),
        pytest.param(lambda c: without(c, ":method")[1:], id="8_1_2_3_case_2_as_it_once_was"),
        pytest.param(lambda c: c.common("GET", (":authority", "localhost")), id="and_authority_twice"),
        pytest.param(lambda c: c.common("GET", ("proxy-connection", "keep-alive")), id="and_proxy_connection"),
        pytest.param(lambda c: c.common("GET", ("keep-alive", "5")), id="and_keep_alive"),
        pytest.param(lambda c: c.common("GET", ("transfer-encoding", "chunked")), id="and_transfer_encoding"),
        pytest.param(lambda c: c.common("GET", ("upgrade", "h2c")), id="and_upgrade"),
        pytest.param(lambda c: changed(c, ":path", "no/slash"), id="and_a_path_without_its_slash"),
        pytest.param(lambda c: c.common("CONNECT", (":protocol", "websocket")), id="and_protocol_unasked_for"),
        pytest.param(lambda c: c.common("GET", ("content-length", "3")), id="and_content_length_without_content"),
        pytest.param(lambda c: c.common("GET", ("content-length", "x")), id="and_content_length_not_a_number"),
        pytest.param(lambda c: c.common("GET", ("x test", "ok")), id="and_a_space_in_a_name"),
        pytest.param(lambda c: c.common("GET", ("x-test", "a\nb")), id="and_a_line_break_in_a_value"),
    ],
)
def test_http2_8_1_2_malformed_requests(client, fields):
    client.say(headers(1, client.encode(fields(client))))
    client.expect_stream_error(PROTOCOL_ERROR)


@pytest.mark.parametrize("end", [False, True])
def test_http2_8_1_2_1_case_3_pseudo_headers_in_trailers(paced, end):
    trailers = headers(1, paced.encode([(":method", "POST")]), end=end)
    paced.say(headers(1, paced.block("POST"), end=False), data(1, end=False), trailers)
    paced.expect_stream_error(PROTOCOL_ERROR)


def test_http2_8_1_2_6_case_1_content_length_is_not_the_datas(paced):
    paced.say(headers(1, paced.block("POST", ("content-length", "1")), end=False), data(1))
    paced.expect_stream_error(PROTOCOL_ERROR)


def test_http2_8_1_2_6_case_2_content_length_is_not_the_sum_of_the_datas(paced):
    first = headers(1, paced.block("POST", ("content-length", "1")), end=False)
    paced.say(first, data(1, end=False), data(1))
    paced.expect_stream_error(PROTOCOL_ERROR)


def test_http2_8_1_2_6_and_content_length_is_more_than_came(paced):
    paced.say(headers(1, paced.block("POST", ("content-length", "5")), end=False), data(1))
    paced.expect_stream_error(PROTOCOL_ERROR)


# http2/8.2: Server Push


def test_http2_8_2_case_1_push_promise(client):
    client.say(frame(PUSH_PROMISE, END_HEADERS, 1, struct.pack(">I", 3) + client.block()))
    client.expect_connection_error(PROTOCOL_ERROR)


# hpack


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"", b"\xfe", id="2_3_3_case_1_invalid_index"),
        pytest.param(b"", b"\x21", id="4_2_case_1_table_size_at_the_end"),
        pytest.param(b"", b"\x00\x85\xf2\xb2\x4a\x84\xff\x84\x49\x50\x9f\xff", id="5_2_case_1_padding_of_8_bits"),
        pytest.param(b"", b"\x00\x85\xf2\xb2\x4a\x84\xff\x83\x49\x50\x90", id="5_2_case_2_padding_of_zeroes"),
        pytest.param(b"", b"\x00\x85\xf2\xb2\x4a\x84\xff\x87\xff\xff\xff\xfd\x25\x42\x7f", id="5_2_case_3_eos"),
        pytest.param(b"", b"\x80", id="6_1_case_1_index_0"),
        pytest.param(b"\x3f\xe2\x1f", b"", id="6_3_case_1_table_size_too_large"),
        pytest.param(b"", b"\x40\x85\xf2", id="and_a_string_cut_short"),
        pytest.param(b"", b"\xff\xff\xff\xff\xff\xff\x7f", id="and_an_integer_too_large"),
    ],
)
def test_hpack_decoding_errors(client, before, after):
    client.say(headers(1, before + client.block() + after))
    client.expect_connection_error(COMPRESSION_ERROR)


# What no suite asks for and clients rely on


def test_a_refused_streams_late_frames_are_ignored(paced):
    """The client cannot have known: the connection and the stream that was admitted go on."""
    first, second = (headers(stream, paced.block("POST"), end=False) for stream in (1, 3))
    paced.say(first, second, data(3, end=False), headers(3, paced.encode([("x-test", "ok")])), data(1))
    paced.wait(lambda: paced.answers[1].ended)
    assert [(f.stream_id, f.error_code) for f in paced.of(RstStreamFrame)] == [(3, REFUSED_STREAM)]
    assert paced.answers[1].body == BODY
    paced.expect_life()


def test_a_malformed_requests_late_frames_are_ignored(paced):
    """The server has reset the stream; what the client sent before it knew does no harm."""
    first = headers(1, paced.block("POST", ("connection", "close")), end=False)
    paced.say(first, data(1, end=False), data(1, end=False), headers(1, paced.encode([("x-test", "ok")])))
    paced.expect_stream_error(PROTOCOL_ERROR)
    paced.say(headers(3, paced.block()))
    paced.wait(lambda: paced.answers[3].ended)
    assert paced.answers[3].status == 404


@pytest.mark.parametrize(
    "late", [window(1, 100), reset(1), reset(1, NO_ERROR), priority(1)], ids=["window", "cancel", "reset", "priority"]
)
def test_frames_that_may_cross_the_answer_are_ignored(client, late):
    """Go, Netty and node update windows and reset streams that are over."""
    client.say(headers(1, client.block()))
    client.expect_end()
    client.say(late)
    client.expect_life()
    client.say(headers(3, client.block()))
    client.wait(lambda: client.answers[3].ended)
    assert client.answers[3].status == 404


def test_a_stream_error_after_a_reset_leaves_the_compression_intact(paced):
    """A header block that is not wanted still changes HPACK's table."""
    first, again = (headers(1, paced.block("GET", ("x-test", value)), end=False) for value in ("1", "2"))
    paced.say(first, reset(1), again)
    paced.expect_stream_error(STREAM_CLOSED)
    paced.say(headers(3, paced.block("GET", ("x-test", "2"), ("x-test", "1"))))
    paced.wait(lambda: paced.answers[3].ended)
    assert paced.answers[3].status == 404


@pytest.mark.parametrize("streams", [(101, 1001), (3, 7, 9), (MAX_WINDOW,)])
def test_streams_may_be_skipped(paced, streams):
    for stream in streams:
        paced.answers[stream] = Answer(stream)
        paced.say(headers(stream, paced.block()))
        paced.wait(lambda stream=stream: paced.answers[stream].ended)
        assert paced.answers[stream].status == 404
    paced.expect_life()


def test_data_on_a_skipped_stream(paced):
    paced.say(headers(5, paced.block()), data(3))
    paced.expect_connection_error(PROTOCOL_ERROR, STREAM_CLOSED)


def test_nothing_is_served_after_a_connection_error(paced):
    """A request behind the mistake, in the same write, is not begun: GOAWAY tells the client to send it again."""
    paced.say(headers(1, paced.block()))
    paced.expect_end()
    paced.hand_over(data(1) + headers(3, paced.block()))
    paced.expect_connection_error(STREAM_CLOSED)
    assert paced.goaway.last_stream_id == 1
    assert not paced.answers[3].frames


def test_only_one_reset_for_many_frames_after_a_reset(paced):
    paced.say(headers(1, paced.block("POST"), end=False), reset(1), *[data(1, end=False)] * 5)
    paced.expect_stream_error(STREAM_CLOSED)
    assert len(paced.of(RstStreamFrame)) == 1
