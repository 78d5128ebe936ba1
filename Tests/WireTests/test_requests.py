"""Requests with one mistake, then two: every reason a request can be refused with, and the order of refusal."""

import time

import pytest

from program import ALERT, APP, BACKGROUND, LIVE_ACTIVITY, live_activity, padded

LA_TOPIC = APP + LIVE_ACTIVITY


@pytest.fixture(scope="module")
def wire(server):
    with server.wire() as wire:
        assert server.push(server.first_token(), wire=wire).verdict == (200, None)
        yield wire


@pytest.fixture(scope="module")
def device(server):
    return server.token("device")


@pytest.fixture(scope="module")
def voip(server):
    return server.token("voip")


@pytest.fixture(scope="module")
def activity(server):
    return server.start_activity()[0]


@pytest.fixture
def refused(server, wire):
    """Pushes and returns (status, reason); the ledger must tell the same story, with a rule and its evidence."""

    def push(token, body=ALERT, **changes):
        answer = server.push(token, body, wire=wire, **changes)
        entry = server.recorded(answer)
        assert entry["answer"]["status"] == answer.status
        assert entry["reason"] == answer.reason
        assert entry["answer"]["decision"] == ("accepted" if answer.status == 200 else "refused")
        if answer.status != 200:
            assert answer.body == b'{"reason":"%s"}' % answer.reason.encode()
            assert entry["why"]["rule"] and entry["why"]["sentence"] and entry["why"]["source"]
            assert entry["why"]["evidence"] in ("documented", "observed", "assumed", "disputed")
        return answer.verdict

    return push


# Method and path


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
def test_only_post_is_allowed(refused, device, method):
    assert refused(device, method=method) == (405, "MethodNotAllowed")


@pytest.mark.parametrize(
    "path",
    ["/", "/3/devices/00", "/3/live-activity/00", "/2/device/00", "/3", "/device/00", "/3/Device/00", "/v1/devices"],
)
def test_an_unknown_path_is_404_bad_path(refused, device, path):
    """S21: 404 is for the path only."""
    assert refused(device, path=path) == (404, "BadPath")


def test_a_path_without_token_is_missing_device_token(refused, device):
    assert refused(device, path="/3/device/") == (400, "MissingDeviceToken")


# Device tokens


@pytest.mark.parametrize(
    "token",
    ["0" * 64, "f" * 64, "aaaa", "a", "abc", "xyz" * 20, "g" * 64, "0" * 63, "0" * 160, "80" + "0" * 158, "0" * 400],
    ids=[
        "zeros",
        "effs",
        "short",
        "one digit",
        "odd",
        "not hex",
        "not hex of 64",
        "63 digits",
        "160 zeros",
        "like an activity's",
        "long",
    ],
)
def test_a_token_that_was_never_issued_is_bad(refused, token):
    assert refused(token) == (400, "BadDeviceToken")


def test_a_truncated_token_is_bad(refused, device):
    assert refused(str(device)[:-2]) == (400, "BadDeviceToken")
    assert refused(str(device) + "00") == (400, "BadDeviceToken")


def test_a_token_with_one_digit_changed_is_bad(refused, device):
    text = str(device)
    for index in (0, 31, 63):
        changed = "0" if text[index] != "0" else "1"
        assert refused(text[:index] + changed + text[index + 1 :]) == (400, "BadDeviceToken")


def test_an_uppercase_token_is_the_same_token(refused, device):
    assert refused(str(device).upper()) == (200, None)


def test_unknown_tokens_can_answer_404_instead(pushpit):
    """S21: a knob for backends written after documents that say 404."""
    server = pushpit("--fleet", "5", "--set", "rules.unknownTokenStatus=404")
    assert server.push("0" * 64).verdict == (404, "BadPath")
    assert server.push(server.first_token()).verdict == (200, None)


# Topics


def test_a_topic_is_needed(refused, device):
    assert refused(device, apns_topic=None) == (400, "MissingTopic")


def test_a_topic_that_cannot_be_one_is_bad(refused, device):
    assert refused(device, apns_topic="com.example app!") == (400, "BadTopic")


@pytest.mark.parametrize(
    "topic", ["com.unknown.app", "com.example", "com.example.app.pushnotification.liveactivity", "com.example.app2"]
)
def test_a_topic_the_team_does_not_own_is_disallowed(refused, device, topic):
    """S7 S11: including a suffix Apple does not have."""
    assert refused(device, apns_topic=topic) == (400, "TopicDisallowed")


def test_a_token_of_another_topic_of_the_team_is_not_for_topic(refused, device, activity):
    """S11 S27: an activity's token under the bare bundle id, and a device token under the activity topic."""
    assert refused(activity, apns_topic=APP, push_type="alert") == (400, "DeviceTokenNotForTopic")
    assert refused(activity, apns_topic=APP, push_type=None) == (400, "DeviceTokenNotForTopic")
    assert refused(device, apns_topic=LA_TOPIC, push_type="liveactivity") == (400, "DeviceTokenNotForTopic")


def test_a_token_of_another_app_of_the_team_is_not_for_topic(refused, device):
    assert refused(device, apns_topic="com.example.store") == (400, "DeviceTokenNotForTopic")


@pytest.mark.parametrize(
    ("push_type", "kind"),
    [
        ("liveactivity", "device"),
        ("voip", "device"),
        ("location", "device"),
        ("fileprovider", "device"),
        ("alert", "activity"),
        ("background", "activity"),
        ("alert", "voip"),
        ("background", "voip"),
        ("complication", "voip"),
        ("pushtotalk", "voip"),
        ("liveactivity", "voip"),
    ],
)
def test_a_push_type_whose_suffix_disagrees_with_token_and_topic_is_invalid(
    refused, device, activity, voip, push_type, kind
):
    """S10 S11: type and topic must agree. For VoIP observed: apnotic 87, PyAPNs2 87, apns2 149, a2 94."""
    token = {"device": device, "activity": activity, "voip": voip}[kind]
    answer = refused(token, push_type=push_type, apns_topic=token.topic, priority="5")
    assert answer == (400, "InvalidPushType")


@pytest.mark.parametrize(
    ("push_type", "topic"),
    [("alert", APP + ".voip"), ("alert", LA_TOPIC), ("controls", APP + ".push-type.widgets")],
)
def test_a_token_that_does_not_match_the_topic_comes_before_the_push_type(refused, device, push_type, topic):
    """Observed: react-native-voip-push-notification 90, a topic of VoIP with the type alert."""
    assert refused(device, push_type=push_type, apns_topic=topic) == (400, "DeviceTokenNotForTopic")


def test_the_reason_of_a_suffix_mismatch_is_a_knob(pushpit):
    """S11: Apple's exact reason is not documented."""
    server = pushpit("--fleet", "5", "--set", "rules.suffixMismatch=TopicDisallowed")
    answer = server.push(server.first_token(), push_type="liveactivity")
    assert answer.verdict == (400, "TopicDisallowed")


# Push types


@pytest.mark.parametrize("push_type", ["push-to-start", "update", "live-activity", "alerts", "x"])
def test_an_unknown_push_type_is_invalid(refused, device, push_type):
    """S10 S166: `push-to-start` names an idea, on the wire both are liveactivity."""
    assert refused(device, push_type=push_type) == (400, "InvalidPushType")


def test_no_push_type_is_accepted(refused, device):
    """S16: a request without apns-push-type gets 200."""
    assert refused(device, push_type=None) == (200, None)


@pytest.mark.parametrize(
    ("push_type", "suffix", "priority", "body"),
    [
        ("alert", "", "10", ALERT),
        ("alert", "", "5", ALERT),
        ("alert", "", "1", ALERT),
        ("background", "", "5", BACKGROUND),
        ("voip", ".voip", "10", ALERT),
    ],
)
def test_a_push_type_passes_on_its_own_topic_with_its_own_token(
    refused, device, voip, push_type, suffix, priority, body
):
    token = voip if push_type == "voip" else device
    assert refused(token, body, push_type=push_type, apns_topic=APP + suffix, priority=priority) == (200, None)


@pytest.mark.parametrize(
    ("push_type", "suffix"),
    [
        ("voip", ".voip"),
        ("location", ".location-query"),
        ("complication", ".complication"),
        ("fileprovider", ".pushkit.fileprovider"),
        ("pushtotalk", ".voip-ptt"),
        ("controls", ".push-type.controls"),
        ("widgets", ".push-type.widgets"),
    ],
)
@pytest.mark.parametrize("priority", ["10", "5"])
def test_every_service_has_its_own_topic_and_its_own_tokens(refused, device, push_type, suffix, priority):
    """The type, its topic and both priorities are fine; the app's device token is not one of that service."""
    assert refused(device, b"{}", push_type=push_type, apns_topic=APP + suffix, priority=priority) == (
        400,
        "DeviceTokenNotForTopic",
    )


def test_a_voip_token_serves_voip_alone(refused, voip):
    assert refused(voip) == (200, None)
    assert refused(voip, apns_topic=APP, push_type="alert") == (400, "DeviceTokenNotForTopic")


@pytest.mark.parametrize("priority", ["5", "10", None])
def test_a_live_activity_push_passes(refused, activity, priority):
    """S10 S11 S12 S13: type liveactivity, the suffixed topic, priority 5 or 10."""
    assert refused(activity, live_activity(), priority=priority) == (200, None)


# Priorities


@pytest.mark.parametrize("priority", ["0", "2", "6", "7", "9", "11", "100", "-5", "5.0", "high", "0x5"])
def test_priorities_between_and_beyond_are_bad(refused, device, activity, priority):
    """S12: 5 and 10, nothing between."""
    assert refused(device, priority=priority) == (400, "BadPriority")
    assert refused(activity, live_activity(), priority=priority) == (400, "BadPriority")


def test_priority_1_is_refused_for_live_activities_only(refused, device, activity):
    """S12: 1 refused for a Live Activity."""
    assert refused(activity, live_activity(), priority="1") == (400, "BadPriority")
    assert refused(device, priority="1") == (200, None)


@pytest.mark.parametrize("priority", ["10", "5", "1", None])
def test_a_background_push_may_have_any_priority(refused, device, priority):
    """Disputed: documented as an error, accepted in forum thread 745345 and node-apn 673; Bark sends it without."""
    assert refused(device, BACKGROUND, push_type="background", priority=priority) == (200, None)


# Ids, dates, collapse ids


@pytest.mark.parametrize(
    "apns_id",
    [
        "abc",
        "6b29fc40ca471067b31d00dd010662da",
        "6b29fc40-ca47-1067-b31d-00dd010662d",
        "6b29fc40-ca47-1067-b31d-00dd010662dag",
        "{6b29fc40-ca47-1067-b31d-00dd010662da}",
        "6b29fc40-ca47-1067-b31d_00dd010662da",
        "gb29fc40-ca47-1067-b31d-00dd010662da",
    ],
)
def test_an_apns_id_that_is_not_a_uuid_is_bad(server, wire, device, apns_id):
    answer = server.push(device, wire=wire, apns_id=apns_id)
    assert answer.verdict == (400, "BadMessageId")
    assert answer.header("apns-id"), "S17: an error has an apns-id too"


@pytest.mark.parametrize("expiration", ["soon", "-1", "1.5", "1e9", "0x10", "2026-01-01"])
def test_an_expiration_that_is_not_a_date_is_bad(refused, device, expiration):
    assert refused(device, expiration=expiration) == (400, "BadExpirationDate")


@pytest.mark.parametrize("when", ["0", "1", "1000000000", "soon", "month"])
def test_any_real_date_passes(refused, device, when):
    """0 is "once, now"; a date in the past is accepted too."""
    moments = {"soon": str(int(time.time()) + 60), "month": str(int(time.time()) + 30 * 86_400)}
    assert refused(device, expiration=moments.get(when, when)) == (200, None)


def test_a_collapse_id_has_at_most_64_bytes(refused, device):
    assert refused(device, collapse_id="x" * 64) == (200, None)
    assert refused(device, collapse_id="x" * 65) == (400, "BadCollapseId")


def test_a_collapse_id_is_measured_in_bytes_not_letters(refused, device):
    assert refused(device, collapse_id="é" * 32) == (200, None)
    assert refused(device, collapse_id="é" * 33) == (400, "BadCollapseId")


# Repeated headers


@pytest.mark.parametrize(
    "name",
    [
        "apns-topic",
        "apns-push-type",
        "apns-priority",
        "apns-id",
        "apns-expiration",
        "apns-collapse-id",
        "authorization",
    ],
)
def test_a_repeated_header_is_a_duplicate(server, wire, device, name):
    values = {
        "apns-id": "6b29fc40-ca47-1067-b31d-00dd010662da",
        "apns-expiration": "0",
        "apns-collapse-id": "x",
        "apns-priority": "10",
    }
    headers = server.headers(device)
    value = dict(headers).get(name) or values[name]
    extra = [(name, value)] * (1 if name in dict(headers) else 2)
    assert wire.request(headers + extra, ALERT).verdict == (400, "DuplicateHeaders")


def test_an_unknown_header_may_repeat(server, wire, device):
    headers = server.headers(device) + [("x-trace", "1"), ("x-trace", "2"), ("accept", "a"), ("accept", "b")]
    assert wire.request(headers, ALERT).verdict == (200, None)


# Bodies


def test_an_empty_body_is_payload_empty(refused, device):
    assert refused(device, None) == (400, "PayloadEmpty")
    assert refused(device, b"") == (400, "PayloadEmpty")


@pytest.mark.parametrize(
    ("push_type", "suffix", "limit", "priority"),
    [("alert", "", 4096, None), ("background", "", 4096, "5"), ("voip", ".voip", 5120, None)],
)
def test_the_payload_limit_is_exact(refused, device, voip, push_type, suffix, limit, priority):
    """S14: 4096 bytes pass, 4097 get 413 PayloadTooLarge; voip has 5120."""
    options = {"push_type": push_type, "apns_topic": APP + suffix, "priority": priority}
    token = voip if push_type == "voip" else device
    assert refused(token, padded(limit), **options) == (200, None)
    assert refused(token, padded(limit + 1), **options) == (413, "PayloadTooLarge")


def test_the_live_activity_payload_limit_is_4096(refused, activity):
    """S14: 4096 bytes pass, 4097 get 413 PayloadTooLarge."""
    body = live_activity(padding="")
    filler = 4096 - len(body)
    assert len(live_activity(padding="x" * filler)) == 4096
    assert refused(activity, live_activity(padding="x" * filler)) == (200, None)
    assert refused(activity, live_activity(padding="x" * (filler + 1))) == (413, "PayloadTooLarge")


@pytest.mark.parametrize(
    "body",
    [b"{}", b"not json", b"[]", b'{"aps":', b"\xff\xfe\x00", b'{"no":"aps"}', b"0", b"[" * 4000],
    ids=["empty object", "words", "array", "cut short", "not text", "no aps", "a number", "deep"],
)
def test_what_the_body_says_is_not_apns_business(refused, device, body):
    """S18: 200 means accepted, even when the device will drop it."""
    assert refused(device, body) == (200, None)


@pytest.mark.parametrize(
    "fields",
    [
        {"event": "dance"},
        {"timestamp": "yesterday"},
        {"timestamp": 1},
        {"content-state": 7},
        {"attributes-type": "Wrong"},
    ],
    ids=["event", "timestamp", "old", "state", "type"],
)
def test_a_wrong_live_activity_payload_is_accepted(refused, activity, fields):
    """S18 S10: no server-side validation of these is documented."""
    import json

    body = json.loads(live_activity())
    body["aps"] |= fields
    assert refused(activity, json.dumps(body).encode()) == (200, None)


# The order of refusal (docs/behavior/requests.md#order-of-refusal)

NO_AUTH = {"authorization": None}
BAD_AUTH = {"authorization": "bearer nonsense"}


@pytest.mark.parametrize(
    ("token", "body", "changes", "verdict"),
    [
        ("aaaa", b"{}", NO_AUTH | {"apns_topic": None, "push_type": None}, (403, "MissingProviderToken")),
        ("0" * 64, ALERT, {}, (400, "BadDeviceToken")),
        ("ACTIVITY", ALERT, {"apns_topic": "com.unknown.app", "push_type": None}, (400, "TopicDisallowed")),
        ("ACTIVITY", ALERT, {"apns_topic": APP, "push_type": None}, (400, "DeviceTokenNotForTopic")),
        ("", ALERT, {}, (400, "MissingDeviceToken")),
    ],
    ids=["E1", "E2", "E3", "E4", "E6"],
)
def test_what_was_observed_of_the_order_holds(refused, activity, token, body, changes, verdict):
    """S9 S11: the attested comparisons of section 5."""
    assert refused(activity if token == "ACTIVITY" else token, body, **changes) == verdict


PAIRS = [
    ("BadPath before authorization", {"path": "/nowhere"} | NO_AUTH, (404, "BadPath")),
    ("method before authorization", {"method": "GET"} | NO_AUTH, (405, "MethodNotAllowed")),
    ("missing token before topic", NO_AUTH | {"apns_topic": None}, (403, "MissingProviderToken")),
    ("invalid token before topic", BAD_AUTH | {"apns_topic": None}, (403, "InvalidProviderToken")),
    ("invalid token before device token", BAD_AUTH | {"path": "/3/device/00"}, (403, "InvalidProviderToken")),
    ("topic missing before id", {"apns_topic": None, "apns_id": "x"}, (400, "MissingTopic")),
    ("topic disallowed before id", {"apns_topic": "com.unknown.app", "apns_id": "x"}, (400, "TopicDisallowed")),
    ("id before push type", {"apns_id": "x", "push_type": "x"}, (400, "BadMessageId")),
    ("push type before priority", {"push_type": "x", "priority": "7"}, (400, "InvalidPushType")),
    ("priority before suffix", {"push_type": "voip", "priority": "7"}, (400, "BadPriority")),
    ("suffix last", {"push_type": "voip"}, (400, "InvalidPushType")),
    ("priority before expiration", {"priority": "7", "expiration": "x"}, (400, "BadPriority")),
    ("expiration before collapse id", {"expiration": "x", "collapse_id": "x" * 65}, (400, "BadExpirationDate")),
    ("collapse id before device token", {"collapse_id": "x" * 65, "path": "/3/device/"}, (400, "BadCollapseId")),
    ("no device token before empty payload", {"path": "/3/device/", "body": b""}, (400, "MissingDeviceToken")),
    ("empty payload before bad device token", {"path": "/3/device/00", "body": b""}, (400, "PayloadEmpty")),
    ("large payload before bad device token", {"path": "/3/device/00", "body": padded(4097)}, (413, "PayloadTooLarge")),
    ("bad priority before large payload", {"priority": "7", "body": padded(4097)}, (400, "BadPriority")),
]


@pytest.mark.parametrize(("changes", "verdict"), [p[1:] for p in PAIRS], ids=[p[0] for p in PAIRS])
def test_of_two_things_wrong_the_first_in_the_order_is_said(refused, device, changes, verdict):
    changes = dict(changes)
    assert refused(device, changes.pop("body", ALERT), **changes) == verdict


def test_duplicate_headers_come_before_authorization(server, wire, device):
    headers = server.headers(device, authorization=None) + [("apns-topic", APP)]
    assert wire.request(headers, ALERT).verdict == (400, "DuplicateHeaders")


def test_the_order_is_published(server):
    """The list the server follows, each row with its evidence and source, in the order of docs/behavior."""
    rules = server.get("/v1/rules")["rules"]
    assert all(
        r["sentence"] and r["source"] and r["evidence"] in ("documented", "observed", "assumed", "disputed")
        for r in rules
    )
    reasons = [r["reason"] for r in rules]
    order = [
        "DuplicateHeaders",
        "BadPath",
        "MissingProviderToken",
        "TooManyProviderTokenUpdates",
        "ExpiredProviderToken",
        "BadEnvironmentKeyInToken",
        "UnrelatedKeyIdInToken",
        "MissingTopic",
        "TopicDisallowed",
        "BadMessageId",
        "InvalidPushType",
        "BadPriority",
        "BadExpirationDate",
        "BadCollapseId",
        "MissingDeviceToken",
        "PayloadEmpty",
        "PayloadTooLarge",
        "BadDeviceToken",
        "ExpiredToken",
        "Unregistered",
        "DeviceTokenNotForTopic",
        "TooManyRequests",
    ]
    assert [r for r in order if r not in reasons] == []
    first = [reasons.index(r) for r in order if r not in ("ExpiredToken", "Unregistered")]
    assert first == sorted(first)
