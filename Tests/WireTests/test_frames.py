"""The bytes on the wire, frame by frame."""

import os
import re
import signal
import ssl

import pytest
from hyperframe.frame import (
    ContinuationFrame,
    DataFrame,
    GoAwayFrame,
    HeadersFrame,
    PingFrame,
    PushPromiseFrame,
    SettingsFrame,
    WindowUpdateFrame,
)

from program import ALERT, APP, padded
from wire import APPLE_SETTINGS, PREFACE, REFUSED_STREAM, TIMEOUT, Wire, client_context

MAX_STREAMS = SettingsFrame.MAX_CONCURRENT_STREAMS
SERVER_ID = re.compile(r"^[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}$")
BURST = 60


# Reading


@pytest.mark.parametrize("total", [252_000, 256_000, 262_100])
def test_a_burst_as_large_as_the_read_buffer_is_answered_to_its_end(pushpit, total):
    """The rest of the last record that does not fit into one read must not stay in OpenSSL, where nothing calls
    for it. The server is stopped while the burst is sent, so that it finds all of it at once."""
    server = pushpit("--fleet", "3", "--initial-streams", "1000", "--loops", "1")
    token = server.first_token()
    with server.wire() as wire:
        wire.encoder.header_table_size = 0  # each request is as long as the first
        assert server.push(token, wire=wire).verdict == (200, None)
        headers = server.headers(token)

        def request(stream: int) -> bytes:
            return b"".join(f.serialize() for f in Wire.header_frames(stream, wire.encode(headers), end=True))

        streams = [wire.take_stream() for _ in range(total // len(request(1)))]
        burst = b"".join(map(request, streams))
        filler = total - len(burst) - 9
        burst += bytes([0, filler >> 8, filler & 255, 0xEE, 0, 0, 0, 0, 0]) + bytes(filler) if filler >= 0 else b""
        os.kill(server.process.pid, signal.SIGSTOP)
        try:
            wire.socket.sendall(burst)
        finally:
            os.kill(server.process.pid, signal.SIGCONT)
        assert {wire.answer(stream).status for stream in streams} == {400}


# SETTINGS


def first_bytes(wire: Wire, count: int) -> bytes:
    received = b""
    while len(received) < count:
        data = wire.socket.recv(count - len(received))
        assert data, f"closed after {received.hex()}"
        received += data
    return received


@pytest.mark.parametrize("environment", ["sandbox", "production"])
def test_the_first_frame_is_apples_captured_settings(server, environment):
    with server.wire(environment) as wire:
        assert first_bytes(wire, len(APPLE_SETTINGS)) == APPLE_SETTINGS


@pytest.mark.parametrize("alpn", [["h2"], ["http/1.1", "h2"], None], ids=["h2", "both", "none"])
def test_h2_is_chosen_when_offered_and_spoken_at_once_without_alpn(server, alpn):
    context = client_context(server.ca, alpn=alpn)
    with server.wire(context=context, start=False) as wire:
        assert wire.socket.selected_alpn_protocol() == ("h2" if alpn else None)
        wire.send(PREFACE, SettingsFrame(0))
        assert first_bytes(wire, len(APPLE_SETTINGS)) == APPLE_SETTINGS


def test_no_sni_is_needed(server):
    context = client_context(server.ca)
    context.check_hostname = False
    with server.wire(context=context, server_name=None) as wire:
        assert server.push(server.first_token(), wire=wire).verdict == (200, None)


def test_the_first_good_token_raises_the_stream_limit_before_its_answer(server):
    with server.wire() as wire:
        answer = server.push(server.first_token(), wire=wire)
        assert answer.verdict == (200, None)
        order = [f for f in wire.frames if isinstance(f, (SettingsFrame, HeadersFrame)) and "ACK" not in f.flags]
        assert [type(f) for f in order] == [SettingsFrame, SettingsFrame, HeadersFrame]
        assert order[1].settings == {MAX_STREAMS: 1000}


def test_the_stream_limit_is_raised_once(server):
    with server.wire() as wire:
        for _ in range(3):
            assert server.push(server.first_token(), wire=wire).verdict == (200, None)
        assert [s.get(MAX_STREAMS) for s in wire.server_settings()] == [1, 1000]


def test_a_bad_token_leaves_the_stream_limit_at_1(server):
    with server.wire() as wire:
        answer = server.push(server.first_token(), wire=wire, authorization="bearer nonsense")
        assert answer.verdict == (403, "InvalidProviderToken")
        wire.ping()
        assert [s.get(MAX_STREAMS) for s in wire.server_settings()] == [1]


def test_a_refused_request_with_a_good_token_raises_the_stream_limit_too(server):
    with server.wire() as wire:
        assert server.push("00" * 32, wire=wire).verdict == (400, "BadDeviceToken")
        assert [s.get(MAX_STREAMS) for s in wire.server_settings()] == [1, 1000]


def test_another_number_can_be_announced_from_the_start(pushpit):
    server = pushpit("--fleet", "5", "--initial-streams", "500", "--set", "wire.authorisedStreams=700")
    with server.wire() as wire:
        assert server.push(server.first_token(), wire=wire).verdict == (200, None)
        assert [s.get(MAX_STREAMS) for s in wire.server_settings()] == [500, 700]


# Bursts


def burst(server, wire, count: int = BURST) -> list[int]:
    """`count` whole requests in one write, before anything from the server has been read."""
    token = server.first_token()
    pieces, streams = [], []
    for _ in range(count):
        stream = wire.take_stream()
        data = DataFrame(stream, data=b"{}", flags=["END_STREAM"])
        pieces += [*Wire.header_frames(stream, wire.encode(server.headers(token))), data]
        streams.append(stream)
    wire.send(*pieces)
    return streams


def test_a_burst_of_60_before_the_first_settings_is_acknowledged_loses_none(server):
    with server.wire() as wire:
        streams = burst(server, wire)
        assert [wire.answer(s).verdict for s in streams] == [(200, None)] * BURST


def test_a_burst_is_served_even_when_settings_are_never_acknowledged(server):
    with server.wire(acknowledge_settings=False) as wire:
        streams = burst(server, wire)
        assert [wire.answer(s).verdict for s in streams] == [(200, None)] * BURST


def test_a_burst_of_open_requests_is_served(server):
    """All 60 are open at the same time: none ends before the last has begun."""
    with server.wire() as wire:
        token = server.first_token()
        streams = [wire.open(server.headers(token)) for _ in range(BURST)]
        wire.ping()
        for stream in streams:
            wire.body(stream, ALERT)
        assert [wire.answer(s).verdict for s in streams] == [(200, None)] * BURST


def test_strict_streams_refuses_59_of_60(pushpit):
    server = pushpit("--fleet", "5", "--strict-streams")
    with server.wire() as wire:
        token = server.first_token()
        streams = [wire.open(server.headers(token)) for _ in range(BURST)]
        wire.until(lambda: all(wire.answers[s].reset is not None for s in streams[1:]))
        assert [wire.answers[s].reset for s in streams] == [None] + [REFUSED_STREAM] * (BURST - 1)
        wire.body(streams[0], ALERT)
        assert wire.answer(streams[0]).verdict == (200, None)
        assert server.push(token, wire=wire).verdict == (200, None), "the connection lives on"


# Answers


@pytest.mark.parametrize(
    "apns_id",
    [
        "6b29fc40-ca47-1067-b31d-00dd010662da",
        "6B29FC40-CA47-1067-B31D-00DD010662DA",
        "6b29FC40-Ca47-1067-B31d-00dd010662DA",
    ],
    ids=["lower", "upper", "mixed"],
)
def test_the_apns_id_comes_back_in_the_same_letters(server, apns_id):
    with server.wire() as wire:
        good = server.push(server.first_token(), wire=wire, apns_id=apns_id)
        bad = server.push("00" * 32, wire=wire, apns_id=apns_id)
        forbidden = server.push(server.first_token(), wire=wire, apns_id=apns_id, authorization=None)
    assert [a.status for a in (good, bad, forbidden)] == [200, 400, 403]
    assert [a.header("apns-id") for a in (good, bad, forbidden)] == [apns_id] * 3


def test_a_server_made_apns_id_is_uppercase_and_never_the_same(server):
    with server.wire() as wire:
        answers = [server.push(t, wire=wire) for t in [server.first_token(), "00" * 32] * 10]
    ids = [a.header("apns-id") for a in answers]
    assert all(SERVER_ID.match(i) for i in ids), ids
    assert len(set(ids)) == 20


def test_an_error_body_is_one_data_frame_that_ends_the_stream(server):
    """S17: Pushy loses the reason of a body that comes in two pieces."""
    with server.wire() as wire:
        answer = server.push("00" * 32, wire=wire)
        wire.ping()
    headers, data = answer.frames
    assert isinstance(headers, HeadersFrame) and "END_STREAM" not in headers.flags
    assert isinstance(data, DataFrame) and "END_STREAM" in data.flags
    assert data.data == b'{"reason":"BadDeviceToken"}'
    assert dict(answer.headers).keys() == {":status", "apns-id", "content-type"}
    assert answer.header("content-type") == "application/json"


@pytest.mark.parametrize(("environment", "app"), [("sandbox", APP), ("production", "com.example.store")])
def test_success_has_no_body_and_a_unique_id_in_the_sandbox_only(server, environment, app):
    token = server.token("device", app, environment)
    with server.wire(environment) as wire:
        answer = server.push(token, wire=wire)
        wire.ping()
    [headers] = answer.frames
    assert answer.verdict == (200, None)
    assert isinstance(headers, HeadersFrame) and "END_STREAM" in headers.flags
    expected = {":status", "apns-id"} | ({"apns-unique-id"} if environment == "sandbox" else set())
    assert dict(answer.headers).keys() == expected
    if environment == "sandbox":
        assert re.match(r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$", answer.header("apns-unique-id"))
        assert answer.header("apns-unique-id") != answer.header("apns-id")
        assert server.recorded(answer)["apnsUniqueId"] == answer.header("apns-unique-id")


def test_no_push_promise_even_where_push_is_left_enabled(server):
    with server.wire(settings={SettingsFrame.ENABLE_PUSH: 1}) as wire:
        assert server.push(server.first_token(), wire=wire).verdict == (200, None)
        wire.ping()
        assert not [f for f in wire.frames if isinstance(f, PushPromiseFrame)]


# Requests in every shape


def test_host_stands_in_for_authority(server):
    """S16: aioapns sends `host` and no :authority."""
    token = server.first_token()
    with server.wire() as wire:
        headers = server.headers(token, authority=None)
        index = next(i for i, (name, _) in enumerate(headers) if not name.startswith(":"))
        headers.insert(index, ("host", "api.development.push.apple.com"))
        assert wire.request(headers).verdict == (200, None)


@pytest.mark.parametrize(
    "authority", ["localhost", "api.push.apple.com", "api.sandbox.push.apple.com:443", "anything.example:1"]
)
def test_any_authority_is_served(server, authority):
    assert server.push(server.first_token(), authority=authority).verdict == (200, None)


@pytest.mark.parametrize("padding", [1, 100, 255])
def test_padding_is_ignored(server, padding):
    with server.wire() as wire:
        stream = wire.open(server.headers(server.first_token()), padding=padding)
        wire.body(stream, ALERT, padding=padding)
        answer = wire.answer(stream)
    assert answer.verdict == (200, None)
    assert server.recorded(answer)["request"]["body"] == ALERT.decode()


def test_headers_may_come_in_continuation_frames(server):
    with server.wire() as wire:
        stream = wire.take_stream()
        block = wire.encode(server.headers(server.first_token()))
        frames = Wire.header_frames(stream, block, piece=len(block) // 4)
        assert sum(isinstance(f, ContinuationFrame) for f in frames) in (3, 4)
        for frame in frames:
            wire.send(frame)
        wire.body(stream, ALERT)
        assert wire.answer(stream).verdict == (200, None)


@pytest.mark.parametrize("piece", [1, 7, 599])
def test_a_body_may_be_cut_anywhere(server, piece):
    body = padded(600)
    with server.wire() as wire:
        stream = wire.open(server.headers(server.first_token()))
        wire.body(stream, body, piece=piece)
        answer = wire.answer(stream)
    assert answer.verdict == (200, None)
    assert server.recorded(answer)["request"]["body"] == body.decode()


def test_the_end_may_be_an_empty_data_frame(server):
    with server.wire() as wire:
        stream = wire.open(server.headers(server.first_token()))
        wire.body(stream, ALERT, end=False)
        wire.body(stream, b"")
        assert wire.answer(stream).verdict == (200, None)


def test_one_byte_of_tls_at_a_time_is_enough(server):
    with server.wire() as wire:
        stream = wire.take_stream()
        frames = Wire.header_frames(stream, wire.encode(server.headers(server.first_token())))
        whole = (
            b"".join(f.serialize() for f in frames) + DataFrame(stream, data=ALERT, flags=["END_STREAM"]).serialize()
        )
        for index in range(len(whole)):
            wire.send(whole[index : index + 1])
        assert wire.answer(stream).verdict == (200, None)


@pytest.mark.parametrize(
    "extra",
    [
        [("content-length", str(len(ALERT)))],
        [("content-type", "text/plain")],
        [("te", "trailers")],
        [("user-agent", "x")],
        [("x-unknown", "y")],
        [("cookie", "a=b")],
    ],
    ids=lambda e: e[0][0],
)
def test_headers_that_do_not_matter_do_not_matter(server, extra):
    with server.wire() as wire:
        assert wire.request(server.headers(server.first_token()) + extra, ALERT).verdict == (200, None)


def test_header_order_does_not_matter(server):
    headers = server.headers(server.first_token(), priority="10", expiration="0")
    pseudo, rest = headers[:4], headers[4:]
    with server.wire() as wire:
        for order in (rest, rest[::-1], rest[2:] + rest[:2]):
            assert wire.request(pseudo[::-1] + order, ALERT).verdict == (200, None)


def test_hpack_may_be_used_without_its_table_and_without_huffman(server):
    with server.wire() as wire:
        stream = wire.take_stream()
        block = b"".join(
            b"\x10" + _literal(name.encode()) + _literal(value.encode())
            for name, value in server.headers(server.first_token())
        )
        wire.send(*Wire.header_frames(stream, block))
        wire.body(stream, ALERT)
        assert wire.answer(stream).verdict == (200, None)


def _literal(text: bytes) -> bytes:
    """An HPACK string without Huffman coding, its length in the 7-bit prefix form."""
    if len(text) < 127:
        return bytes([len(text)]) + text
    rest, out = len(text) - 127, bytearray([127])
    while rest >= 128:
        out.append(rest % 128 + 128)
        rest //= 128
    return bytes(out) + bytes([rest]) + text


def test_a_header_list_over_8000_bytes_is_refused(server):
    with server.wire() as wire:
        stream = wire.begin(server.headers(server.first_token()) + [("x-long", "y" * 9000)], ALERT)
        answer = wire.answer(stream)
        assert answer.status == 431 or answer.reset is not None, answer
    server.assert_serving()


def test_a_header_list_just_under_8000_bytes_passes(server):
    headers = server.headers(server.first_token())
    used = sum(len(n) + len(v) + 32 for n, v in headers)
    filler = [("x-long", "y" * (7_900 - used - 38))]
    with server.wire() as wire:
        assert wire.request(headers + filler, ALERT).verdict == (200, None)


# Flow control and connection frames


def test_a_ping_is_answered_with_its_own_bytes(server):
    with server.wire() as wire:
        wire.ping(b"\x00\x01\x02\x03\xfc\xfd\xfe\xff")
        pongs = [f for f in wire.frames if isinstance(f, PingFrame)]
        assert [(p.opaque_data, "ACK" in p.flags) for p in pongs] == [(b"\x00\x01\x02\x03\xfc\xfd\xfe\xff", True)]


def test_the_servers_windows_are_kept_small_and_refilled(server):
    """65,535 bytes and no more until WINDOW_UPDATE comes, and it comes: 64 bodies of 4096 go through."""
    with server.wire() as wire:
        for _ in range(64):
            assert server.push(server.first_token(), padded(4096), wire=wire).verdict == (200, None)
        assert [f for f in wire.frames if isinstance(f, WindowUpdateFrame) and f.stream_id == 0]


def test_the_clients_window_is_obeyed(server):
    """With a stream window of 0 the answer's head comes, its body waits for WINDOW_UPDATE."""
    with server.wire(settings={SettingsFrame.INITIAL_WINDOW_SIZE: 0}) as wire:
        stream = wire.begin(server.headers("00" * 32), ALERT)
        answer = wire.answers[stream]
        wire.until(lambda: answer.headers)
        wire.ping()
        assert (answer.status, answer.body, answer.ended) == (400, b"", False)
        wire.send(WindowUpdateFrame(stream, window_increment=1000))
        assert wire.answer(stream).verdict == (400, "BadDeviceToken")


def test_a_cancelled_stream_costs_nothing(server):
    token = server.token()
    before = len(server.pushes(device=token.device))
    with server.wire() as wire:
        for _ in range(20):
            stream = wire.open(server.headers(token))
            wire.cancel(stream)
        assert server.push(token, wire=wire).verdict == (200, None)
    assert len(server.pushes(device=token.device)) == before + 1, "only the finished one is a push"


def test_requests_are_told_apart_on_one_connection(server):
    tokens = server.tokens()[:5]
    ids = [f"00000000-0000-0000-0000-{i:012d}" for i in range(5)]
    with server.wire() as wire:
        assert server.push(tokens[0], wire=wire).verdict == (200, None)
        streams = [wire.open(server.headers(t, apns_id=i)) for t, i in zip(tokens, ids)]
        for stream in reversed(streams):
            wire.body(stream, ALERT)
        assert [wire.answer(s).header("apns-id") for s in streams] == ids
    assert [server.get(f"/v1/pushes/{i}")["device"] for i in ids] == [t.device for t in tokens]


# Client certificates


def test_a_client_certificate_of_a_stranger_ends_the_handshake(server, tmp_path):
    """A self-made one: a sound provider token does not help."""
    import subprocess

    pem = tmp_path / "client.pem"
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=Apple Push Services: com.example.app/UID=com.example.app",
            "-keyout",
            pem,
            "-out",
            tmp_path / "crt",
        ],
        check=True,
        capture_output=True,
    )
    pem.write_bytes(pem.read_bytes() + (tmp_path / "crt").read_bytes())
    context = client_context(server.ca, certificate=pem)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with pytest.raises(ssl.SSLError, match="(?i)unknown.ca"):
        server.wire(context=context)


# Ending


def test_sigterm_says_goaway_with_shutdown_and_finishes_what_is_in_flight(pushpit):
    server = pushpit("--fleet", "5", "--drain-time", "20s")
    with server.wire() as wire:
        token = server.first_token()
        assert server.push(token, wire=wire).verdict == (200, None)
        stream = wire.open(server.headers(token))
        wire.ping()
        server.terminate()
        wire.until(lambda: wire.goaway is not None)
        assert wire.goaway.error_code == 0
        assert wire.goaway.additional_data == b'{"reason":"Shutdown"}'
        assert wire.goaway.last_stream_id >= stream
        wire.body(stream, ALERT)
        assert wire.answer(stream).verdict == (200, None)
        wire.until_closed()
    assert server.wait() == 0


def test_an_idle_connection_is_told_too(pushpit):
    server = pushpit("--fleet", "5")
    with server.wire() as wire:
        wire.ping()
        server.terminate()
        wire.until_closed()
        assert isinstance(wire.goaway, GoAwayFrame)
        assert wire.goaway.additional_data == b'{"reason":"Shutdown"}'
    assert server.wait() == 0


def test_the_drain_time_bounds_a_stalled_stream(pushpit):
    server = pushpit("--fleet", "5", "--drain-time", "1s")
    with server.wire() as wire:
        wire.open(server.headers(server.first_token()))
        wire.ping()
        server.terminate()
        assert server.wait(TIMEOUT) == 0


def test_a_second_sigterm_ends_at_once(pushpit):
    server = pushpit("--fleet", "5", "--drain-time", "10m")
    with server.wire() as wire:
        wire.open(server.headers(server.first_token()))
        wire.ping()
        server.terminate()
        wire.until(lambda: wire.goaway is not None)
        assert server.process.poll() is None, "still draining"
        server.terminate()
        server.wait(TIMEOUT)
