"""aioapns 4.0 offers no ALPN, sends `host` without :authority, waits for its apns-id in the same letters, and bursts
before it has read SETTINGS."""

import pytest
from aioapns import PushType

from aioapns_client import request, send
from program import APP, LIVE_ACTIVITY

LA_TOPIC = APP + LIVE_ACTIVITY
ACTIVITY_UPDATE = {"aps": {"timestamp": 1_700_000_000, "event": "update", "content-state": {"home": 1}}}


def verdicts(results) -> list[tuple[str, str | None]]:
    return [(r.status, r.description) for r in results]


@pytest.mark.parametrize(
    ("push_type", "topic", "priority", "message"),
    [
        (PushType.ALERT, APP, 10, {"aps": {"alert": "Hello"}}),
        (PushType.BACKGROUND, APP, 5, {"aps": {"content-available": 1}}),
        (PushType.VOIP, APP + ".voip", 10, {"call": "x" * 4500}),
        (None, APP, None, {"aps": {"alert": "Hello"}}),
    ],
    ids=["alert", "background", "voip", "no type"],
)
def test_pushes_of_every_kind_are_accepted(arena, push_type, topic, priority, message):
    token = arena.voip() if push_type is PushType.VOIP else arena.device()
    [result] = send(arena.server, request(token, message, push_type=push_type, apns_topic=topic, priority=priority))
    assert (result.status, result.is_successful) == ("200", True)


def test_a_live_activity_update_is_accepted(arena):
    token = arena.activity()
    [result] = send(
        arena.server, request(token, ACTIVITY_UPDATE, push_type=PushType.LIVEACTIVITY, apns_topic=LA_TOPIC, priority=5)
    )
    assert result.status == "200"


def test_errors_surface_with_their_reason(arena):
    """S16 S17: 400, 410 with timestamp in milliseconds, 429; five at once on one connection."""
    live = {"push_type": PushType.LIVEACTIVITY, "apns_topic": LA_TOPIC}
    results = send(
        arena.server,
        request("0" * 64),
        request(arena.gone),
        request(arena.expired, ACTIVITY_UPDATE, **live),
        request(arena.busy, ACTIVITY_UPDATE, **live),
        request(arena.device(), priority=7),
        request(arena.device()),
    )
    assert verdicts(results) == [
        ("400", "BadDeviceToken"),
        ("410", "Unregistered"),
        ("410", "ExpiredToken"),
        ("429", "TooManyRequests"),
        ("400", "BadPriority"),
        ("200", None),
    ]
    for gone in results[1:3]:
        assert type(gone.timestamp) is int
        assert 0 < arena.server.clock()["unixMilliseconds"] - gone.timestamp < 48 * 3_600_000


def test_mistakes_of_public_reports_surface_with_their_reason(arena):
    flag = {"aps": {"content-available": 1}}
    results = send(
        arena.server,
        request(arena.voip(), push_type=PushType.ALERT, apns_topic=APP + ".voip"),
        request(arena.voip(), push_type=PushType.VOIP, apns_topic=APP + ".voip.voip"),
        request(arena.device(), push_type=PushType.VOIP, apns_topic=APP + ".voip"),
        request(arena.device(), time_to_live=0.5),
        request(arena.device(), flag, push_type=PushType.BACKGROUND),
    )
    assert verdicts(results) == [
        ("400", "InvalidPushType"),
        ("400", "TopicDisallowed"),
        ("400", "DeviceTokenNotForTopic"),
        ("400", "BadExpirationDate"),
        ("200", None),
    ]


def test_ids_of_key_and_team_that_are_exchanged_are_403(arena):
    key = arena.server.key
    results = send(arena.server, request(arena.device()), key_id=key.team_id, team_id=key.key_id)
    assert verdicts(results) == [("403", "InvalidProviderToken")]


def test_a_wrong_team_is_403(arena):
    assert verdicts(send(arena.server, request(arena.device()), team_id="NOSUCHTEAM")) == [
        ("403", "InvalidProviderToken")
    ]


def test_a_burst_of_60_loses_none(arena):
    """S16: one connection, all sent before its SETTINGS have been read."""
    tokens = arena.server.tokens("device")[-60:]  # from the far end: nothing else here has pushed to them
    assert len(tokens) == 60
    results = send(arena.server, *(request(t) for t in tokens), max_connections=1)
    assert {r.status for r in results} == {"200"}


def test_no_push_is_lost_when_one_stream_is_left_after_a_rejection(pushpit):
    server = pushpit("--fleet", "10", "--ideal", "--set", "wire.streamsAfterRejection=one")
    tokens = [str(token) for token in server.tokens()]
    results = send(server, request(tokens[0]), request("0" * 64), *map(request, tokens[1:]))
    assert sorted(verdicts(results)) == [("200", None)] * 10 + [("400", "BadDeviceToken")]
