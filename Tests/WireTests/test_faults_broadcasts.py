"""Faults, the rate limit and unknown ids of broadcasts and channels, as a provider meets them.

Documented: 429, 500 and 503 (Apple, Handling error responses from APNs), the larger budget of channels without message
storage (Sending channel management requests to APNs), `apns-unique-id` (Sending broadcast push notification requests to
APNs). Observed: 404 BadPath for deleting an unknown channel (a sandbox probe of September 2026)."""

import json

import pytest

from channels import create, headers, manage, news
from faulting import fault, take_back
from program import APP, serving
from wire import REFUSED_STREAM

FLAGS = ("--fleet", "6", "--for-tests", "--os", "26.1:1", "--clock", "manual")
STRANGE = "tvI2UK0vEfEAAA6GFnjo2Q=="
"""Well-formed, and never made."""


@pytest.fixture
def server(pushpit):
    return pushpit(*FLAGS)


def start(server, channel: str, device: str = "d0") -> None:
    server.act(device, "startActivity", contentState={"score": 0}, attributes={}, channel=channel)


def score(server, device: str = "d0"):
    cards = server.get(f"/v1/devices/{device}/screen")["lockScreen"]
    return cards[0]["contentState"]["score"] if cards else None


def last(server) -> dict:
    return server.get("/v1/broadcasts", limit=1)["requests"][0]


def test_any_reason_of_apple_and_its_retry_after_can_answer_a_broadcast(server):
    channel = create(server)
    start(server, channel)
    with server.wire() as wire:
        for reason, status in [("TooManyRequests", 429), ("InternalServerError", 500), ("ServiceUnavailable", 503)]:
            fault(server, {"answer": reason, "retryAfter": 7}, limit=1)
            answer = wire.request(headers(server, channel), news(server, 1))
            assert answer.verdict == (status, reason) and answer.header("retry-after") == "7"
            assert answer.header("apns-request-id") and answer.header("apns-unique-id") is None
            assert score(server) == 0 and last(server) | {"fault": "f", "sent": str(status)} == last(server)
        answer = wire.request(headers(server, channel), news(server, 1))
        assert answer.status == 200 and answer.header("apns-unique-id") and score(server) == 1
        assert last(server)["fault"] is None


def test_a_broadcast_is_lost_or_silenced_or_reset_and_no_phone_has_it(server):
    channel = create(server)
    start(server, channel)
    with server.wire() as wire:
        fault(server, {"lose": True}, limit=1)
        assert wire.request(headers(server, channel), news(server, 1)).status == 200
        fault(server, {"reset": "REFUSED_STREAM"}, limit=1)
        assert wire.request(headers(server, channel), news(server, 1)).reset == REFUSED_STREAM
        fault(server, {"silence": True}, limit=1)
        silent = wire.begin(headers(server, channel), news(server, 1))
        wire.ping()
        assert wire.answers[silent].frames == [] and last(server)["sent"] == "nothing (silence)"
        assert score(server) == 0
        assert wire.request(headers(server, channel), news(server, 1)).status == 200
        assert score(server) == 1


def test_a_broadcast_is_answered_late_or_never_or_malformed_and_the_phones_have_it(server):
    channel = create(server)
    start(server, channel)
    with server.wire() as wire:
        fault(server, {"delay": "30s"}, limit=1)
        late = wire.begin(headers(server, channel), news(server, 1))
        wire.ping()
        assert wire.answers[late].status is None and score(server) == 1
        server.advance("30s")
        assert wire.answer(late).status == 200
        fault(server, {"loseAnswer": "CANCEL"}, limit=1)
        assert wire.request(headers(server, channel), news(server, 2)).reset == 8 and score(server) == 2
        fault(server, {"malformed": '{"reas', "status": 503}, limit=1)
        answer = wire.request(headers(server, channel), news(server, 3))
        assert (answer.status, answer.body) == (503, b'{"reas') and score(server) == 2


def test_a_connection_fault_strikes_at_a_broadcast(server):
    channel = create(server)
    with server.wire() as wire:
        fault(server, {"answerAll": "InternalServerError"}, limit=1)
        for _ in range(2):
            assert wire.request(headers(server, channel), news(server, 1)).reason == "InternalServerError"
        take_back(server)
        assert wire.request(headers(server, channel), news(server, 1)).status == 200
        fault(server, {"abort": True}, limit=1)
        wire.begin(headers(server, channel), news(server, 1))
        wire.until_closed()


def test_conditions_choose_broadcasts_channels_and_requests_about_channels(server):
    one, two = create(server), create(server)
    busy = {"answer": "TooManyRequests"}
    with server.wire() as wire, server.wire("channels") as manager:
        # A condition about tokens or phones is not about broadcasts.
        for when in ({"tokenKind": "device"}, {"device": "d0"}, {"share": "50%"}, {"priority": 5}):
            fault(server, busy, when=when)
            assert wire.request(headers(server, one), news(server, 1)).status == 200, when
        for when in (
            {"app": APP},
            {"pushType": "liveactivity"},
            {"event": "update"},
            {"operation": "publish"},
            {"share": "100%"},
            {},
        ):
            fault(server, busy, when=when)
            assert wire.request(headers(server, one), news(server, 1)).status == 429, when
            assert manage(server, manager, "GET", channel=one).status == 200, "its operation is not named"
        fault(server, busy, when={"channel": two})
        assert wire.request(headers(server, one), news(server, 1)).status == 200
        assert wire.request(headers(server, two), news(server, 1)).status == 429
        fault(server, {"answer": "ServiceUnavailable"}, when={"operation": "delete"})
        assert manage(server, manager, "DELETE", channel=two).verdict == (503, "ServiceUnavailable")
        assert manage(server, manager, "GET", channel=two).status == 200, "it is still there"
        assert server.push(server.token()).status == 200, "a push is no request about channels"
        fault(server, {"loseAnswer": "CANCEL"}, when={"operation": "delete"})
        assert manage(server, manager, "DELETE", channel=two).reset == 8
        assert manage(server, manager, "GET", channel=two).reason == "ChannelNotRegistered", "it was carried out"
    for then in ({"lose": True}, {"withoutId": True}):
        response = server.admin.post("/v1/faults", json={"name": "x", "when": {"operation": "list"}, "then": then})
        assert response.status_code == 422 and "publish" in response.text


def test_a_channel_with_storage_has_the_smaller_budget(tmp_path):
    with serving(*FLAGS, "--set", "rules.broadcastRate=20,5", state=tmp_path / "state", home=tmp_path) as server:
        counts = []
        for stores in (0, 1):
            channel = create(server, stores)
            with server.wire() as wire:
                first = [wire.request(headers(server, channel), news(server, 1)).verdict for _ in range(12)]
                assert first == [(200, None)] * 10 + [(429, "TooManyRequests")] * 2
                assert last(server)["rule"] == "broadcastRate"
                server.advance("1s")
                again = [wire.request(headers(server, channel), news(server, 1)).status for _ in range(20)]
                counts.append(again.count(200))
        assert counts == [10, 5]


def test_deleting_an_unknown_channel_is_a_bad_path_and_an_id_that_is_none_is_a_bad_id(server):
    with server.wire("channels") as manager:
        assert manage(server, manager, "DELETE", channel=STRANGE).verdict == (404, "BadPath")
        channel = create(server)
        assert manage(server, manager, "DELETE", channel=channel).status == 204
        assert manage(server, manager, "DELETE", channel=channel).verdict == (404, "BadPath")
        assert manage(server, manager, "DELETE", channel="nonsense").verdict == (400, "BadChannelId")
        text = json.dumps({"message-storage-policy": "1", "push-type": "LiveActivity"}).encode()
        assert manage(server, manager, "POST", text).verdict == (400, "MissingChannelQueueSize")


def test_an_app_whose_start_names_an_unknown_channel_gets_an_error(server):
    """Documented: Apple, Starting and updating Live Activities with ActivityKit push notifications: "if the channel ID
    isn't a valid channel, the Live Activity fails to start"."""
    start(server, STRANGE)
    assert score(server) is None and server.install("d0")["activities"] == []
    log = server.get("/v1/devices/d0/log")["lines"]
    assert any("no channel with that id" in line["sentence"] for line in log), log


def test_the_story_of_a_start_by_push_says_that_its_channel_is_unknown(server):
    now = server.clock()["unixMilliseconds"] // 1000
    aps = {"timestamp": now, "event": "start", "attributes-type": "MatchAttributes", "attributes": {}}
    aps |= {"content-state": {"score": 0}, "alert": {"title": "Go", "body": "!"}}
    for channel, told in ((STRANGE, True), (create(server), False)):
        answer = server.push(
            server.token("pushToStart"), json.dumps({"aps": aps | {"input-push-channel": channel}}).encode()
        )
        push = server.recorded(answer)
        assert push["reaction"]["outcome"] == "started"
        assert ("channel-unknown" in json.dumps(push["reaction"])) == told
        assert ("no channel with the id" in push["why"]["sentence"]) == told, push["why"]
