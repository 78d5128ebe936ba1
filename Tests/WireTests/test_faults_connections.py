"""Faults of connections as a client meets them: frames, codes and order, and what happens when they are deleted."""

import select
import socket
import ssl

import pytest
from hyperframe.frame import DataFrame, GoAwayFrame, SettingsFrame, WindowUpdateFrame

from faulting import assert_silent, fault, take_back, troubles
from program import ALERT, padded
from wire import REFUSED_STREAM

NO_ERROR, PROTOCOL_ERROR, ENHANCE_YOUR_CALM = 0, 1, 11


@pytest.fixture
def server(pushpit):
    return pushpit("--fleet", "40", "--ideal")


@pytest.fixture
def still(pushpit):
    """A server whose clock only tests move."""
    return pushpit("--fleet", "300", "--ideal", "--clock", "manual")


def goaways(wire) -> list[GoAwayFrame]:
    return [f for f in wire.frames if isinstance(f, GoAwayFrame)]


# GOAWAY


def test_a_goaway_below_the_push_with_its_code_and_reason(server):
    fault(server, {"goAway": "ENHANCE_YOUR_CALM", "debug": "slower", "before": 1}, when={"skip": 1})
    with server.wire() as wire:
        assert server.push(server.token(), wire=wire).status == 200
        stream = wire.begin(server.headers(server.token()))
        wire.until(lambda: wire.goaway is not None)
        assert (wire.goaway.error_code, wire.goaway.additional_data) == (ENHANCE_YOUR_CALM, b"slower")
        assert wire.goaway.last_stream_id == stream - 2
        wire.until_closed()
        assert wire.answers[stream].status is None, "what lies above the last stream is not answered"


def test_a_goaway_that_leaves_the_connection_open_and_streams_after_it_are_counted(server):
    fault(server, {"goAway": "NO_ERROR", "debug": "Shutdown", "closes": False}, limit=1)
    with server.wire() as wire:
        assert server.push(server.token(), wire=wire).status == 200
        wire.until(lambda: wire.goaway is not None)
        late = [wire.begin(server.headers(server.token())) for _ in range(3)]
        wire.ping()
        assert not wire.closed and all(wire.answers[s].status is None for s in late)
        named = troubles(server, "streamAfterGoAway")
        assert [f"stream {s} " in t["sentence"] for s, t in zip(reversed(late), named)] == [True] * 3
        assert 'pushpit_troubles_total{kind="streamAfterGoAway"} 3' in server.admin.get("/metrics").text


def test_goaway_twice_the_second_a_second_later(still):
    fault(still, {"goAway": "NO_ERROR", "twice": True, "closes": False}, limit=1)
    with still.wire() as wire:
        assert still.push(still.token(), wire=wire).status == 200
        wire.until(lambda: wire.goaway is not None)
        wire.ping()
        assert len(goaways(wire)) == 1
        still.advance("1s")
        wire.until(lambda: len(goaways(wire)) == 2)
        wire.ping()
        assert {(f.error_code, f.last_stream_id) for f in goaways(wire)} == {(NO_ERROR, 1)}


@pytest.mark.parametrize("pings", [True, False])
def test_goaway_and_then_silence_until_it_is_taken_back(server, pings):
    fault(server, {"goAway": "PROTOCOL_ERROR", "last": True, "pings": pings}, limit=1)
    with server.wire() as wire:
        stream = wire.begin(server.headers(server.token()))
        wire.until(lambda: wire.goaway is not None)
        assert (wire.goaway.error_code, wire.goaway.last_stream_id) == (PROTOCOL_ERROR, stream)
        if pings:
            wire.ping()
        assert_silent(wire)
        assert wire.answers[stream].status is None, "it was promised to be served"
        take_back(server)
        wire.ping(b"thawed!!")


def test_pushes_above_the_last_stream_are_lost_and_reach_the_phone_once_when_sent_again(still):
    fault(still, {"goAway": "NO_ERROR", "before": 3}, name="away", when={"skip": 9}, limit=1)
    fault(still, {"silence": True}, name="lost", when={"skip": 7}, limit=2)
    tokens = [still.token() for _ in range(10)]
    with still.wire() as wire:
        streams = [wire.begin(still.headers(t), ALERT) for t in tokens]
        wire.until(lambda: wire.goaway is not None)
        wire.until_closed()
        last = wire.goaway.last_stream_id
        assert last == streams[6]
        lost = [t for t, s in zip(tokens, streams) if s > last]
        assert [wire.answers[s].status for s in streams] == [200] * 7 + [None] * 3
    assert [still.push(t).status for t in lost] == [200] * 3
    for token in tokens:
        assert len(still.get(f"/v1/devices/{token.device}/screen")["notifications"]) == 1


def test_a_certificate_of_the_other_environment_is_told_as_the_connection_opens(server):
    debug = '{"reason":"BadCertificateEnvironment"}'
    fault(
        server,
        {"goAway": "NO_ERROR", "debug": debug, "before": -1},
        when={"opening": True, "environment": "production"},
    )
    with server.wire("production") as wire:
        wire.until_closed()
        assert [type(f) for f in wire.frames if "ACK" not in f.flags] == [SettingsFrame, GoAwayFrame]
        assert (wire.goaway.error_code, wire.goaway.last_stream_id) == (NO_ERROR, 0)
        # 46 bytes, as it was captured from Apple (docs/behavior/connections.md#a-certificate-of-the-other-environment).
        assert wire.goaway.additional_data == debug.encode() and wire.goaway.body_len == 46
    assert server.push(server.token()).status == 200, "the sandbox is well"
    assert server.get("/v1/faults/f")["struck"] == 1


# Streams and windows


def announced(wire, setting: int = SettingsFrame.MAX_CONCURRENT_STREAMS) -> list[int]:
    return [s[setting] for s in wire.server_settings() if setting in s]


def test_streams_are_lowered_and_raised_in_flight(server):
    fault(server, {"streams": 1, "back": 1000, "after": "100ms"}, limit=1)
    with server.wire() as wire:
        assert server.push(server.token(), wire=wire).status == 200
        wire.until(lambda: len(announced(wire)) >= 4)
        assert announced(wire) == [1, 1000, 1, 1000]


def test_streams_fall_to_one_after_a_rejection_and_rise_with_the_next_acceptance(pushpit):
    server = pushpit("--fleet", "10", "--ideal", "--set", "wire.streamsAfterRejection=one")
    with server.wire() as wire:
        for token, status, limits in [
            (server.token(), 200, [1, 1000]),
            ("00" * 32, 400, [1, 1000, 1]),
            ("00" * 32, 400, [1, 1000, 1]),
            (server.token(), 200, [1, 1000, 1, 1000]),
        ]:
            assert server.push(token, wire=wire).status == status
            wire.until(lambda limits=limits: len(announced(wire)) >= len(limits))
            assert announced(wire) == limits


def test_streams_from_1000_to_1_while_200_are_open(still):
    fault(still, {"streams": 1}, name="narrow", when={"skip": 200}, limit=1)
    fault(still, {"delay": "30s"}, name="held", when={"skip": 1})
    with still.wire() as wire:
        assert still.push(still.token(), wire=wire).status == 200
        tokens = still.tokens()[1:202]
        streams = [wire.begin(still.headers(t)) for t in tokens[:199]]
        unfinished = wire.open(still.headers(tokens[200]))
        wire.ping()
        assert all(wire.answers[s].frames == [] for s in streams)
        last = wire.begin(still.headers(tokens[199]))
        assert wire.answer(unfinished).reset == REFUSED_STREAM
        assert announced(wire) == [1, 1000, 1]
        assert wire.answer(last).status == 200
        # What the gateway has taken is delivered, so it is answered and not refused.
        still.advance("30s")
        assert [wire.answer(s).status for s in streams] == [200] * 199
        take_back(still, "narrow")
        wire.until(lambda: announced(wire) == [1, 1000, 1, 1000])


def shown(server, tokens) -> list[int]:
    return [len(server.get(f"/v1/devices/{t.device}/screen")["notifications"]) for t in tokens]


def test_refused_streams_are_not_delivered_and_can_be_sent_again(server):
    """40 pushes in one write, the 5th of which brings the limit down to 1."""
    fault(server, {"streams": 1, "back": 1000, "after": "100ms"}, when={"skip": 5}, limit=1)
    tokens = server.tokens()[:40]
    with server.wire() as wire:
        assert server.push(server.tokens()[39], ALERT, wire=wire).status == 200
        frames, streams = [], []
        for token in tokens:
            stream = wire.take_stream()
            streams.append(stream)
            frames += wire.header_frames(stream, wire.encode(server.headers(token)))
            frames.append(DataFrame(stream, data=ALERT, flags=["END_STREAM"]))
        wire.send(*frames)
        answers = [wire.answer(s) for s in streams]
        assert {(a.status, a.reset) for a in answers} == {(200, None), (None, REFUSED_STREAM)}
        delivered = [a.status == 200 for a in answers]
        assert shown(server, tokens) == [*map(int, delivered[:39]), delivered[39] + 1]
        assert len(server.pushes(limit=1000)) == 1 + sum(delivered)
        assert "REFUSED_STREAM" in troubles(server, "streamRefused")[0]["sentence"]
        wire.until(lambda: announced(wire)[-1] == 1000)
        again = [t for t, done in zip(tokens, delivered) if not done]
        assert [server.push(t, ALERT, wire=wire).status for t in again] == [200] * len(again)
    assert shown(server, tokens) == [1] * 39 + [2]


def test_a_lower_number_that_is_only_announced_loses_nothing(server):
    fault(server, {"streams": 1, "open": "finish"}, when={"skip": 5}, limit=1)
    tokens = server.tokens()[:40]
    with server.wire() as wire:
        assert server.push(server.tokens()[39], ALERT, wire=wire).status == 200
        streams = [wire.begin(server.headers(t), ALERT) for t in tokens]
        assert [wire.answer(s).status for s in streams] == [200] * 40
        assert announced(wire) == [1, 1000, 1]
        wire.ping()
        # The client knows the number now and exceeds it.
        one = wire.open(server.headers(tokens[0]))
        two = wire.begin(server.headers(tokens[1]), ALERT)
        assert wire.answer(two).reset == REFUSED_STREAM
        wire.body(one, ALERT)
        assert wire.answer(one).status == 200
    assert shown(server, tokens) == [2] + [1] * 38 + [2]


def test_a_client_with_too_many_streams_is_thrown_off(still):
    fault(still, {"streams": 10, "surplus": "REFUSED_STREAM", "debug": "maximum active streams"}, name="ten", limit=1)
    fault(still, {"delay": "30s"}, name="held")
    with still.wire() as wire:
        assert still.push(still.token(), wire=wire).status == 200
        wire.until(lambda: announced(wire) == [1, 1000, 10])
        streams = [wire.begin(still.headers(still.token())) for _ in range(10)]
        wire.ping()
        assert wire.goaway is None
        surplus = wire.begin(still.headers(still.token()))
        wire.until(lambda: wire.goaway is not None)
        assert (wire.goaway.error_code, wire.goaway.last_stream_id) == (REFUSED_STREAM, streams[-1])
        assert wire.goaway.additional_data == b"maximum active streams"
        assert wire.answers[surplus].frames == []
        still.advance("30s")
        assert [wire.answer(s).status for s in streams] == [200] * 10
        wire.until_closed()


def test_a_tiny_window_makes_a_push_take_many_turns_and_a_withheld_one_stops_it(server):
    for withheld in (False, True):
        fault(server, {"window": 16, "withheld": withheld}, limit=1)
        with server.wire() as wire:
            assert server.push(server.token(), wire=wire).status == 200
            wire.until(lambda: announced(wire, SettingsFrame.INITIAL_WINDOW_SIZE) == [16])
            stream = wire.open(server.headers(server.token()))
            body = padded(400)
            if withheld:
                wire.body(stream, body[:16], end=False)
                assert_silent(wire)
                take_back(server)
                wire.until(lambda: announced(wire, SettingsFrame.INITIAL_WINDOW_SIZE) == [16, 65_535])
                wire.body(stream, body[16:])
            else:
                wire.body(stream, body, piece=16)
                grown = [f for f in wire.frames if isinstance(f, WindowUpdateFrame) and f.stream_id == stream]
                assert len(grown) >= 20
            assert wire.answer(stream).status == 200


@pytest.mark.parametrize(
    ("then", "setting", "said"),
    [
        ({"window": 1000}, SettingsFrame.INITIAL_WINDOW_SIZE, [1000, 65_535]),
        ({"streams": 5}, SettingsFrame.MAX_CONCURRENT_STREAMS, [1, 1000, 5, 1000]),
        ({"streams": 5, "back": 50, "after": "1h"}, SettingsFrame.MAX_CONCURRENT_STREAMS, [1, 1000, 5, 1000]),
    ],
    ids=["window", "streams", "streams for a time"],
)
def test_a_fault_that_lasts_is_announced_once_and_taken_back_once(server, then, setting, said):
    with server.wire() as wire:
        assert server.push(server.token(), wire=wire).status == 200
        fault(server, then)
        for _ in range(20):
            assert server.push(server.token(), wire=wire).status == 200
        assert server.get("/v1/faults/f")["struck"] == 20
        take_back(server)
        wire.until(lambda: len(announced(wire, setting)) >= len(said))
        for _ in range(2):
            assert server.push(server.token(), wire=wire).status == 200
        assert announced(wire, setting) == said


# Sockets


@pytest.mark.parametrize("pings", [True, False])
def test_a_frozen_connection_says_nothing_and_goes_on_when_it_is_taken_back(server, pings):
    fault(server, {"freeze": True, "pings": pings}, limit=1)
    with server.wire() as wire:
        wire.begin(server.headers(server.token()))
        wire.until(lambda: announced(wire) == [1, 1000])
        if pings:
            wire.ping()
        stream = wire.begin(server.headers(server.token()))
        assert_silent(wire)
        take_back(server)
        assert wire.answer(stream).status == 200


def test_a_freeze_for_a_time_is_over_after_it(still):
    assert fault(still, {"freeze": True}, **{"for": "30s"})["until"] is not None
    with still.wire() as wire:
        wire.begin(still.headers(still.token()))
        wire.until(lambda: announced(wire) == [1, 1000])
        assert_silent(wire)
        still.advance("29s")
        assert_silent(wire)
        still.advance("1s")
        wire.ping()
        assert still.push(still.token(), wire=wire).status == 200


def test_an_idle_connection_is_forgotten_and_one_in_use_is_not(still):
    fault(still, {"freeze": True}, when={"idle": "60s"})
    with still.wire() as idle, still.wire() as busy:
        for _ in range(2):
            assert still.push(still.token(), wire=idle).status == 200
            assert still.push(still.token(), wire=busy).status == 200
            still.advance("50s")
        assert still.push(still.token(), wire=busy).status == 200
        idle.ping()
        still.advance("10s")
        idle.begin(still.headers(still.token()))
        assert_silent(idle)
        assert still.push(still.token(), wire=busy).status == 200
        assert still.get("/v1/faults/f")["struck"] == 1
        still.advance("60s")
        busy.begin(still.headers(still.token()))
        assert_silent(busy)
        still.admin.request("POST", "/v1/reset")
        idle.ping()
        busy.ping()


def test_a_connection_is_read_slowly_until_that_is_taken_back(server):
    fault(server, {"readSlowly": 10}, limit=1)
    with server.wire() as wire:
        assert server.push(server.token(), wire=wire).status == 200
        stream = wire.begin(server.headers(server.token()), padded(4000))
        assert_silent(wire)
        take_back(server)
        assert wire.answer(stream).status == 200


def test_a_connection_is_closed_in_order(server):
    fault(server, {"close": True}, limit=1)
    with server.wire() as wire:
        assert server.push(server.token(), wire=wire).status == 200
        wire.until_closed()
        assert wire.closed_cleanly and wire.goaway is None


@pytest.mark.parametrize("goodbye", [True, False])
def test_a_connection_is_shut_in_one_direction(server, goodbye):
    fault(server, {"halfClose": True, "goodbye": goodbye}, limit=1)
    with server.wire() as wire:
        assert server.push(server.token(), wire=wire).status == 200
        wire.until_closed()
        assert wire.closed_cleanly == goodbye
        # The other direction stays open: what is sent is taken, and the connection is not reset. One that closes does
        # so after a second.
        with socket.socket(fileno=wire.socket.detach()) as plain:
            ends = select.poll()
            ends.register(plain, 0)
            for _ in range(15):
                plain.sendall(b"x" * 1000)
                assert ends.poll(100) == []


def test_a_connection_is_broken_off(server):
    fault(server, {"abort": True}, limit=1)
    with server.wire() as wire:
        wire.begin(server.headers(server.token()))
        wire.until_closed()
        assert not wire.closed_cleanly
    assert server.push(server.token()).status == 200


@pytest.mark.parametrize(
    ("then", "ends"),
    [
        ({"abort": True}, "reset"),
        ({"close": True}, "goodbye"),
        ({"halfClose": True}, "goodbye"),
        ({"freeze": True}, None),
    ],
)
def test_a_connection_is_lost_as_it_opens_and_the_next_is_not(server, then, ends):
    fault(server, then, when={"opening": True}, limit=1)
    try:
        with server.wire() as wire:
            if ends:
                wire.until_closed()
                assert wire.closed_cleanly == (ends == "goodbye")
            else:
                wire.until(lambda: announced(wire) == [1])
                wire.begin(server.headers(server.token()))
                assert_silent(wire)
    except (OSError, ssl.SSLError):
        assert ends == "reset", "so early that the client had not written its first bytes"
    assert server.push(server.token()).status == 200
    assert len(server.pushes()) == 1 and server.get("/v1/faults/f")["struck"] == 1


# What stays with a connection


def test_one_sick_connection_beside_a_sound_one(server):
    fault(server, {"answerAll": "InternalServerError"}, name="sick", limit=1)
    with server.wire() as sick, server.wire() as sound:
        assert server.push(server.token(), wire=sick).status == 500
        assert server.push(server.token(), wire=sound).status == 200
        answer = server.push(server.token(), wire=sick)
        assert answer.status == 500 and server.recorded(answer)["fault"] == "sick"
        take_back(server, "sick")
        assert server.push(server.token(), wire=sick).status == 200


@pytest.mark.parametrize(
    ("skew", "verdict"), [("90m", (403, "ExpiredProviderToken")), ("-90m", (403, "InvalidProviderToken"))]
)
def test_the_clock_is_off_for_some_connections_only(server, skew, verdict):
    fault(server, {"skew": skew}, when={"opening": True, "every": 2})
    with server.wire() as wrong, server.wire() as right:
        wrong.ping()
        right.ping()
        assert sorted([server.push(server.token(), wire=w).verdict for w in (wrong, right)], key=str) == sorted(
            [(200, None), verdict], key=str
        )
        take_back(server)
        assert [server.push(server.token(), wire=w).status for w in (wrong, right)] == [200, 200]


def test_a_fault_set_anew_lasts_as_long_as_it_says_now(still):
    fault(still, {"answer": "ServiceUnavailable"}, **{"for": "30s"})
    fault(still, {"devices": {"do": "goOffline"}}, name="wave", **{"for": "30s"})
    still.advance("20s")
    fault(still, {"answer": "InternalServerError"}, **{"for": "60s"})
    fault(still, {"devices": {"do": "goOffline"}}, name="wave", **{"for": "60s"})
    still.advance("20s")
    assert still.push(still.first_token()).status == 500
    assert list(still.pages("/v1/devices", "devices", online="true")) == []
    still.advance("40s")
    assert still.push(still.first_token()).status == 200
    assert list(still.pages("/v1/devices", "devices", online="false")) == []
