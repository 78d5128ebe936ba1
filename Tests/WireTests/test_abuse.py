"""Input nobody should send: the server stays up, its memory bounded, other connections served."""

import contextlib
import ctypes
import ctypes.util
import os
import socket
import ssl
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hyperframe.frame import (
    ContinuationFrame,
    Frame,
    HeadersFrame,
    PingFrame,
    RstStreamFrame,
    SettingsFrame,
    WindowUpdateFrame,
)

from program import ALERT
from wire import PREFACE, TIMEOUT, Wire, client_context

MEGABYTE = 1 << 20
ALLOWED_GROWTH = 64 * MEGABYTE
"""Resident memory one misbehaving client may cost. Each attack below would cost more if it were kept."""


@pytest.fixture(scope="module")
def victim(tmp_path_factory):
    from program import Pushpit

    base = tmp_path_factory.mktemp("victim")
    server = Pushpit(
        "--fleet", "20", "--ledger", "100", "--token-requests-per-second", "0", state=base / "state", home=base / "home"
    )
    server.assert_serving()
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def survives(request, victim):
    """Around every test here: others are served during and after, and memory stays bounded."""
    before = victim.resident_bytes()
    with victim.wire() as bystander:
        assert victim.push(victim.first_token(), wire=bystander).verdict == (200, None)
        yield
        assert victim.push(victim.first_token(), wire=bystander).verdict == (200, None), "an older connection"
    victim.assert_serving()
    grown = victim.resident_bytes() - before
    assert grown < ALLOWED_GROWTH, f"{grown / MEGABYTE:.0f} MB more than before"


def send_until_refused(wire: Wire, pieces) -> bool:
    """Sends until the server ends the connection (True) or everything is sent (False)."""
    try:
        for piece in pieces:
            wire.socket.sendall(piece)
    except (OSError, ssl.SSLError):
        return True
    return False


def drain(wire: Wire) -> None:
    """Reads to the end of the connection, or to the answer of a PING: either way the attack has been digested."""
    with contextlib.suppress(AssertionError, OSError, ssl.SSLError):
        wire.ping()


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00" * 1000,
        os.urandom(4096),
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\xff\xff" + b"\x00" * 100,
        b"SSH-2.0-OpenSSH_9\r\n",
    ],
    ids=["zeros", "noise", "plain HTTP", "absurd record", "ssh"],
)
def test_garbage_on_the_tls_port_is_turned_away(victim, garbage):
    with socket.create_connection(victim.address(), timeout=TIMEOUT) as plain:
        plain.sendall(garbage)
        plain.shutdown(socket.SHUT_WR)
        try:
            while plain.recv(4096):
                pass
        except ConnectionResetError:
            pass


def test_garbage_after_the_handshake_is_turned_away(victim):
    with victim.wire(start=False) as wire:
        send_until_refused(wire, [os.urandom(4096)])
        wire.until_closed()


def test_garbage_is_recorded_as_a_sentence(victim):
    with socket.create_connection(victim.address(), timeout=TIMEOUT) as plain:
        plain.sendall(b"hello, is this the push service?\r\n\r\n")
        plain.shutdown(socket.SHUT_WR)
        try:
            while plain.recv(4096):
                pass
        except ConnectionResetError:
            pass
        peer = plain.getsockname()
    peers = [t["peer"] for t in victim.get("/v1/troubles")["troubles"]]
    assert any(str(peer[1]) in p for p in peers), peers


def test_half_a_handshake_is_given_up(pushpit):
    server = pushpit("--fleet", "5", "--set", "wire.handshakeTimeout=1s")
    outgoing = ssl.MemoryBIO()
    tls = client_context(server.ca).wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost")
    with pytest.raises(ssl.SSLWantReadError):
        tls.do_handshake()
    hello = outgoing.read()
    with socket.create_connection(server.address(), timeout=TIMEOUT) as plain:
        plain.sendall(hello[: len(hello) // 2])
        server.assert_serving()
        try:
            while plain.recv(4096):  # an alert may come before the end
                pass
        except ConnectionResetError:
            pass
    server.assert_serving()


def test_200_half_handshakes_do_not_keep_others_out(victim):
    sockets = [socket.create_connection(victim.address(), timeout=TIMEOUT) for _ in range(200)]
    try:
        for plain in sockets:
            plain.sendall(b"\x16\x03\x01")
        victim.assert_serving()
    finally:
        for plain in sockets:
            plain.close()


def test_an_idle_connection_is_closed_after_its_time(pushpit):
    server = pushpit("--fleet", "5", "--set", "wire.idleTimeout=1s")
    with server.wire() as wire:
        assert server.push(server.first_token(), wire=wire).verdict == (200, None)
        wire.until_closed(TIMEOUT)
        assert wire.goaway.additional_data == b'{"reason":"IdleTimeout"}'
    server.assert_serving()


def test_connections_are_capped(pushpit):
    server = pushpit("--fleet", "5", "--set", "wire.maxConnections=2")
    token = server.first_token()
    with server.wire() as first, server.wire() as second:
        assert server.push(token, wire=first).verdict == (200, None)
        assert server.push(token, wire=second).verdict == (200, None)
        with pytest.raises((OSError, ssl.SSLError, AssertionError)), server.wire() as third:
            server.push(token, wire=third)
        assert server.push(token, wire=first).verdict == (200, None)
        assert server.push(token, wire=second).verdict == (200, None)


def test_a_header_of_10_megabytes_is_refused(victim):
    with victim.wire() as wire:
        stream = wire.take_stream()
        piece = (b"\x00\x05x-big" + bytes([100]) + b"a" * 100) * 148  # literal fields of 100 bytes
        pieces = [HeadersFrame(stream, data=wire.encode(victim.headers(victim.first_token()))).serialize()]
        pieces += [ContinuationFrame(stream, data=piece).serialize()] * (10 * MEGABYTE // len(piece))
        pieces += [ContinuationFrame(stream, data=b"", flags=["END_HEADERS"]).serialize()]
        send_until_refused(wire, pieces)
        drain(wire)
        assert wire.answers[stream].status != 200


def test_one_huge_header_field_is_refused(victim):
    with victim.wire() as wire:
        headers = victim.headers(victim.first_token()) + [("x-big", "a" * 100_000)]
        stream = wire.take_stream()
        send_until_refused(wire, [f.serialize() for f in Wire.header_frames(stream, wire.encode(headers))])
        drain(wire)
        assert wire.answers[stream].status != 200


def test_a_body_of_10_megabytes_is_never_kept(victim):
    """Sent within the server's windows: it must go on granting them, or end the stream, and keep nothing."""
    with victim.wire() as wire:
        stream = wire.open(victim.headers(victim.first_token()))
        answer = wire.answers[stream]
        sent = 0
        try:
            while sent < 10 * MEGABYTE and not answer.ended and answer.reset is None and not wire.closed:
                wire.body(stream, b"x" * 16_384, end=False)
                sent += 16_384
            if not answer.ended and answer.reset is None:
                wire.body(stream, b"x")
            wire.until(lambda: answer.ended or answer.reset is not None)
        except (OSError, ssl.SSLError):
            pass
        if answer.status is not None:
            assert answer.verdict == (413, "PayloadTooLarge")
    assert len(victim.pushes(limit=1)[0]["request"]["body"]) < MEGABYTE


def test_100000_settings_are_survived(victim):
    with victim.wire() as wire:
        frame = SettingsFrame(0, settings={SettingsFrame.INITIAL_WINDOW_SIZE: 65_535}).serialize()
        send_until_refused(wire, [frame * 1000] * 100)
        drain(wire)


def test_100000_pings_are_survived(victim):
    with victim.wire(answer_pings=False) as wire:
        frame = PingFrame(0, opaque_data=b"floodpng").serialize()
        send_until_refused(wire, [frame * 1000] * 100)
        drain(wire)


def flood(victim, wire: Wire, last: Callable[[int], Frame], rounds: int, end: bool = False) -> Iterator[bytes]:
    """A hundred requests in each round, each with a last frame of its stream."""
    headers = victim.headers(victim.first_token())
    for _ in range(rounds):
        piece = b""
        for _ in range(100):
            stream = wire.take_stream()
            piece += b"".join(f.serialize() for f in Wire.header_frames(stream, wire.encode(headers), end=end))
            piece += last(stream).serialize()
        yield piece


def test_a_rapid_reset_flood_is_survived(victim):
    with victim.wire() as wire:
        assert victim.push(victim.first_token(), wire=wire).verdict == (200, None)
        send_until_refused(wire, flood(victim, wire, lambda stream: RstStreamFrame(stream, error_code=8), 200))
        drain(wire)


def test_streams_that_a_client_makes_fail_are_limited_like_those_it_resets(victim):
    """A window that overflows makes the server reset the stream ("MadeYouReset")."""
    with victim.wire() as wire:
        assert victim.push(victim.first_token(), wire=wire).verdict == (200, None)
        peer = "{}:{}".format(*wire.socket.getsockname())

        def overflow(stream: int) -> Frame:
            return WindowUpdateFrame(stream, window_increment=2**31 - 1)

        send_until_refused(wire, flood(victim, wire, overflow, 100, end=True))
        drain(wire)
    assert "flooded" in {t["kind"] for t in victim.get("/v1/troubles")["troubles"] if t["peer"] == peer}


def test_half_a_preface_is_given_up_like_half_a_handshake(pushpit):
    server = pushpit("--fleet", "5", "--set", "wire.handshakeTimeout=2s")
    with server.wire(start=False, acknowledge_settings=False) as wire:
        wire.send(PREFACE[:12])
        wire.until_closed()
        peer = "{}:{}".format(*wire.socket.getsockname())
    [trouble] = [t for t in server.get("/v1/troubles")["troubles"] if t["peer"] == peer]
    assert trouble["kind"] == "handshake" and "preface" in trouble["sentence"]


class KeyUpdates:
    """A connection of TLS 1.3 that sends KeyUpdates, which Python's ssl cannot, and reads nothing."""

    UPDATE_REQUESTED = 1

    def __init__(self, address: tuple[str, int]):
        self.tls = tls = ctypes.CDLL(ctypes.util.find_library("ssl"))
        for name in ("TLS_client_method", "SSL_CTX_new", "SSL_new"):
            getattr(tls, name).restype = ctypes.c_void_p
        self.plain = socket.create_connection(address)
        # OpenSSL waits for the socket itself, but not for ever.
        for direction in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
            self.plain.setsockopt(socket.SOL_SOCKET, direction, struct.pack("ll", int(TIMEOUT), 0))
        self.context = ctypes.c_void_p(tls.SSL_CTX_new(ctypes.c_void_p(tls.TLS_client_method())))
        self.ssl = ctypes.c_void_p(tls.SSL_new(self.context))
        tls.SSL_set_fd(self.ssl, self.plain.fileno())
        assert tls.SSL_connect(self.ssl) == 1

    def send(self, data: bytes) -> bool:
        return self.tls.SSL_write(self.ssl, data, len(data)) == len(data)

    def update(self) -> bool:
        self.tls.SSL_key_update(self.ssl, self.UPDATE_REQUESTED)
        return self.tls.SSL_do_handshake(self.ssl) == 1

    def close(self) -> None:
        self.plain.close()
        self.tls.SSL_free(self.ssl)
        self.tls.SSL_CTX_free(self.context)


def test_a_flood_of_key_updates_ends_the_client_and_keeps_nobody_out(victim):
    clients = [KeyUpdates(victim.address()) for _ in range(6)]
    peers = {"{}:{}".format(*client.plain.getsockname()) for client in clients}

    def flood(client: KeyUpdates) -> int:
        client.send(PREFACE + SettingsFrame(0).serialize())
        # Far more than fit into the buffers of both sockets. It stops when the server ends it, or takes no more.
        return next((sent for sent in range(1_000_000) if not client.update()), 1_000_000)

    with ThreadPoolExecutor(len(clients)) as pool:
        sent = [pool.submit(flood, client) for client in clients]
        assert victim.push(victim.first_token()).verdict == (200, None), "another client, meanwhile"
        assert max(future.result() for future in sent) < 1_000_000
    for client in clients:
        client.close()
    # Troubles of a kind are listed once with their number.
    assert peers & {t["peer"] for t in victim.get("/v1/troubles")["troubles"] if t["kind"] == "flooded"}


@pytest.mark.slow
def test_a_client_that_never_reads_costs_no_memory(victim):
    """Sends requests whose answers the client never takes, until the server stops reading from it, too."""
    with victim.wire(receive_buffer=4096) as wire:
        headers = victim.headers("00" * 32)
        # Window enough for any number of answers: only the socket holds them back.
        wire.send(WindowUpdateFrame(0, window_increment=2**31 - 1 - 65_535))
        wire.socket.settimeout(2)
        wire.open(headers, end=True)
        # All of the headers are in the table now: from here on, requests differ only in their streams.
        block = wire.encode(headers)
        assert block == wire.encode(headers)
        frame = HeadersFrame(1, data=block, flags=["END_STREAM", "END_HEADERS"]).serialize()

        def request(stream: int) -> bytes:
            return frame[:5] + stream.to_bytes(4, "big") + frame[9:]

        sent = 1
        try:
            while sent < 200_000:
                wire.socket.sendall(b"".join(request(wire.take_stream()) for _ in range(100)))
                sent += 100
        except (TimeoutError, OSError, ssl.SSLError):
            pass  # the kernel's buffers are full as well
        # What the server does not read stands in the kernel's buffers; it has stopped taking requests long before.
        assert requests_taken(victim) < sent


def requests_taken(victim) -> int:
    """The number of answers on the busiest open connection, once that number stands still."""
    seen: list[int] = []
    while len(seen) < 10 or len(set(seen[-10:])) > 1:
        seen.append(max(c["pushes"] for c in victim.get("/v1/connections")["connections"]))
        assert len(seen) < 10_000
    return seen[-1]


def test_frames_on_streams_that_cannot_be_end_the_connection_only(victim):
    for frame in (
        HeadersFrame(2, data=b"\x82", flags=["END_HEADERS"]).serialize(),
        b"\x00\x00\x04\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00",
        b"\x00\x40\x01\x00\x00\x00\x00\x00\x01" + b"x" * 16_385,
        b"\x00\x00\x05\x04\x00\x00\x00\x00\x00" + b"x" * 5,
    ):
        with victim.wire() as wire:
            send_until_refused(wire, [frame])
            wire.until_closed()


def test_a_connection_cut_in_the_middle_of_a_request_is_forgotten(victim):
    for _ in range(50):
        wire = victim.wire()
        wire.open(victim.headers(victim.first_token()))
        wire.close()
    assert victim.push(victim.first_token(), ALERT).verdict == (200, None)
