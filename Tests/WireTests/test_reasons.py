"""What an answer says of a mistake: reasons of public reports, and explanations that name what the sender did."""

import base64
import json
import time
from pathlib import Path

import httpx
import pytest

import program
from program import ALERT, APP, BACKGROUND, LIVE_ACTIVITY, SMOOTH
from provider_tokens import ABSENT, ProviderKey
from wire import client_context

pytestmark = pytest.mark.tools

CONFIG = """\
fleet: {devices: 60, ideal: true, apps: [{bundleId: com.example.app, services: [voip]}]}
keys: [{keyId: LONELYKEY1, teamId: NOAPPTEAM1, environment: both, generate: true}]
audit: true
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    base = tmp_path_factory.mktemp("reasons")
    server = program.Pushpit(*SMOOTH, state=base / "state", home=base / "home", config=CONFIG)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def token(server):
    return server.token()


def why(server, answer) -> str:
    return server.recorded(answer)["why"]["sentence"]


def own_key(server):
    """The key of the team that has the apps."""
    row = next(row for row in server.ready["keys"] if row["teamId"] == program.TEAM)
    return ProviderKey(Path(row["p8"]), row["keyId"], row["teamId"])


def other_key(server):
    row = next(row for row in server.ready["keys"] if row["teamId"] == "NOAPPTEAM1")
    return ProviderKey(Path(row["p8"]), row["keyId"], row["teamId"])


# Provider tokens


def test_a2s_form_of_a_provider_token_pushes(pushpit):
    """Inferred: a2 writes it in every version, and reown's push server runs with it. Many, because DER's bytes vary."""
    server = pushpit(*SMOOTH, "--fleet", "20")
    context = client_context(server.ca)
    bearer = f"Bearer {server.key.a2_token()}"
    with httpx.Client(http2=True, verify=context, trust_env=False) as client:
        for device in server.tokens()[:3]:
            answer = client.post(
                f"{server.url(host='localhost')}/3/device/{device}",
                headers={
                    "authorization": bearer,
                    "apns-topic": APP,
                    "apns-push-type": "alert",
                },
                content=ALERT,
            )
            assert (answer.status_code, answer.text) == (200, "")
    for _ in range(8):
        assert server.push(server.token(), jwt=server.key.a2_token()).verdict == (200, None)


def test_as_a_setting_a2s_form_is_refused_and_named(pushpit):
    server = pushpit(*SMOOTH, "--fleet", "5", "--strict-jwt")
    answer = server.push(server.token(), jwt=server.key.a2_token())
    assert answer.verdict == (403, "InvalidProviderToken")
    assert "base64 with padding or with + and /" in why(server, answer)


@pytest.mark.parametrize(
    ("header", "claims", "words"),
    [
        ({"kid": ABSENT}, {}, "The header of the provider token has no kid"),
        ({"kid": ABSENT}, {"kid": "ABC"}, "it is among the claims"),
        ({"alg": "HS256"}, {}, 'must be ES256, not "HS256"'),
        ({}, {"iat": ABSENT}, "have no iat"),
        ({}, {"iss": ABSENT}, "have no iss"),
        ({}, {"iat": int(time.time() * 1000)}, "looks like milliseconds"),
        ({"kid": "PUSHPIT001"}, {"iss": "KEY"}, "ids of key and team are exchanged"),
        ({"kid": "NOSUCHKEY1"}, {}, 'No registered key has the id "NOSUCHKEY1"'),
    ],
)
def test_one_mistake_of_a_provider_token_is_named_by_itself(server, token, header, claims, words):
    """Case of AndrewBarba/apns2 4 and vapor/apns 47."""
    key = own_key(server)
    if claims.get("iss") == "KEY":
        claims = {"iss": key.key_id}
    jwt = key.token(header=header, claims=claims)
    answer = server.push(token, jwt=jwt)
    assert answer.verdict == (403, "InvalidProviderToken")
    assert words in why(server, answer)
    check = server.admin.post("/v1/provider-tokens/check", json={"token": jwt}).json()
    assert check["reason"] == "InvalidProviderToken" and words in check["sentence"]
    assert any(words in t["sentence"] for t in server.get("/v1/troubles")["troubles"])


def test_a_key_whose_team_has_no_app_is_named_at_the_start_and_with_its_first_push(server, token):
    assert "No app is of team NOAPPTEAM1" in server.log
    answer = server.push(token, jwt=other_key(server).token())
    assert answer.verdict == (400, "TopicDisallowed")
    troubles = [t["sentence"] for t in server.get("/v1/troubles")["troubles"] if "NOAPPTEAM1" in t["sentence"]]
    for text in (why(server, answer), *troubles):
        assert "is of team PUSHPIT001" in text and "of team NOAPPTEAM1. No app of the fleet is of that team" in text
    assert troubles


# Device tokens


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (
            lambda t: "{length=32,bytes=0x0100f178440e442f8001dbbeac64f962...c6350c6acc2a1b2c}",
            "description of the token",
        ),
        (lambda t: "<" + " ".join(t[i : i + 8] for i in range(0, 64, 8)) + ">", "It stands for the device token"),
        (lambda t: base64.b64encode(bytes.fromhex(t)).decode(), "It stands for the device token"),
        (lambda t: t.encode().hex(), "It stands for the device token"),
        (lambda t: "dGhpc19pc19ub3Q:APA91bHPRgkF3JUikC4ENAHEeMrd41Zxv3", "Firebase Cloud Messaging"),
    ],
    ids=["description", "old description", "base64", "hex of hex", "FCM"],
)
def test_text_that_is_no_device_token_is_named(server, token, write, words):
    """meteor-push 7, flutter-apns 8, node-apn 670: the reason is right; the reporters looked at certificates."""
    answer = server.push(token, path="/3/device/" + write(str(token)))
    assert answer.verdict == (400, "BadDeviceToken")
    assert words in why(server, answer) and "environment" not in why(server, answer)


# Topics


def test_a_voip_token_with_the_type_alert_is_an_invalid_push_type(server):
    """apnotic 87, with request and answer."""
    voip = server.token("voip")
    answer = server.push(voip, b'{"aps":{"alert":"call"}}', push_type="alert")
    assert answer.verdict == (400, "InvalidPushType")
    assert "com.example.app.voip is for the push type voip" in why(server, answer)
    for push_type in ("voip", None):
        assert server.push(voip, push_type=push_type).verdict == (200, None)


def test_an_ordinary_token_with_the_topic_of_voip_is_not_for_the_topic(server, token):
    """react-native-voip-push-notification 90."""
    answer = server.push(token, apns_topic=APP + ".voip", push_type="alert")
    assert answer.verdict == (400, "DeviceTokenNotForTopic")
    assert f"which needs the topic {APP}; the push has {APP}.voip" in why(server, answer)


@pytest.mark.parametrize(
    ("topic", "words"),
    [
        (APP + ".voip.voip", "two suffixes, .voip and .voip"),
        ("com.Example.app", "differs from com.example.app in capital letters"),
        ("PUSHPIT001.com.example.app", "begins with a team, PUSHPIT001"),
        ("pass.com.example.loyalty", "a pass type identifier"),
        ("web.com.example.site", "the id of a website"),
    ],
)
def test_a_topic_that_is_disallowed_is_named_for_what_it_is(server, token, topic, words):
    """dotAPNS 90 for the suffix; dotAPNS 99 and apns2 162 for Wallet and websites."""
    answer = server.push(token, apns_topic=topic, push_type=None)
    assert answer.verdict == (400, "TopicDisallowed")
    assert words in why(server, answer)


@pytest.mark.parametrize("app", ["pass.com.example.loyalty:production", "web.com.example.site"])
def test_wallet_and_websites_are_no_apps_of_a_phone(home, app):
    done = program.run("serve", "--app", app, "--state", str(home / "state"), home=home)
    assert done.returncode != 0 and "Pushpit has no" in done.stderr


# Headers


@pytest.mark.parametrize(
    ("expiration", "words"), [("3600", "is in 1970"), ("1795780000000", "looks like milliseconds")]
)
def test_an_expiration_in_another_unit_is_accepted_and_named(server, token, expiration, words):
    """rpush 420 and NWPusher 73; parse-server-push-adapter 14."""
    answer = server.push(token, expiration=expiration)
    assert answer.verdict == (200, None)
    assert words in why(server, answer)
    findings = server.get("/v1/findings", limit=1000)["findings"]
    assert [f["kind"] for f in findings if words in f["sentence"]] == ["expirationUnit"]


def test_an_expiration_with_a_fraction_is_bad_and_named(server, token):
    """parse-server 4558."""
    answer = server.push(token, expiration="1795780000.475")
    assert answer.verdict == (400, "BadExpirationDate")
    assert "not a whole number" in why(server, answer)


@pytest.mark.parametrize("priority", ["10", None])
def test_a_background_push_of_priority_10_is_accepted_with_a_finding(server, priority):
    """Forum thread 745345, node-apn 673; Bark sends it without the header."""
    device = server.token()
    answer = server.push(device, BACKGROUND, push_type="background", priority=priority)
    assert answer.verdict == (200, None)
    findings = server.get("/v1/findings", limit=1000)["findings"]
    assert [f["kind"] for f in findings if f["device"] == device.device] == ["backgroundPriority"]


def test_as_a_setting_a_background_push_of_priority_10_and_an_empty_collapse_id_are_refused(pushpit):
    server = pushpit(*SMOOTH, "--fleet", "9", "--set", "rules.strictHeaders=true")
    for priority in ("10", None):
        answer = server.push(server.token(), BACKGROUND, push_type="background", priority=priority)
        assert answer.verdict == (400, "BadPriority")
    assert server.push(server.token(), collapse_id="").verdict == (400, "BadCollapseId")


def test_an_empty_collapse_id_is_accepted_and_collapses_nothing(server):
    device = server.token()
    for text in ("one", "two"):
        body = json.dumps({"aps": {"alert": text}}).encode()
        assert server.push(device, body, collapse_id="").verdict == (200, None)
    assert len(server.get(f"/v1/devices/{device.device}/screen")["notifications"]) == 2


def test_as_a_setting_a_push_without_expiration_is_tried_once(pushpit):
    """micromdm 609, fleet 43812, air 1563."""
    server = pushpit(*SMOOTH, "--fleet", "9", "--set", "store.withoutExpiration=once")
    device = server.token()
    server.act(device.device, "goOffline")
    lost = server.recorded(server.push(device))
    assert lost["fate"].endswith("Discarded - Not Stored")
    kept = server.recorded(server.push(device, expiration=str(int(time.time()) + 3600)))
    assert kept["fate"].endswith("Stored - Device Offline")


def test_a_live_activity_topic_for_an_ordinary_push_is_named(server, token):
    answer = server.push(token, apns_topic=APP + LIVE_ACTIVITY, push_type="liveactivity")
    assert answer.verdict == (400, "DeviceTokenNotForTopic")
    assert f"needs the topic {APP}; the push has {APP}{LIVE_ACTIVITY}" in why(server, answer)
