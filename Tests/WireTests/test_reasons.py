"""Answers of APNs that are disputed or a setting, and explanations of a mistake in every place that has one.

The mistakes of public reports themselves are in test_public_reports.py."""

import base64
import json
import time
from pathlib import Path

import httpx
import pytest

import program
from channels import create, news
from channels import headers as broadcast_headers
from program import ALERT, APP, BACKGROUND, LIVE_ACTIVITY, SMOOTH
from provider_tokens import ABSENT, ProviderKey
from stream import watching
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


def test_a_key_whose_team_has_no_app_is_named_at_the_start_and_with_its_first_push(server, token):
    assert "No app is of team NOAPPTEAM1" in server.log
    answer = server.push(token, jwt=other_key(server).token())
    assert answer.verdict == (400, "TopicDisallowed")
    troubles = [t["sentence"] for t in server.get("/v1/troubles")["troubles"] if "NOAPPTEAM1" in t["sentence"]]
    for text in (why(server, answer), *troubles):
        assert "is of team PUSHPIT001" in text and "of team NOAPPTEAM1. No app of the fleet is of that team" in text
    assert troubles and "--app BUNDLE:sandbox::NOAPPTEAM1" in server.log


def test_an_app_of_the_command_line_may_be_of_another_team(pushpit, tmp_path):
    """A backend with a key of its own: pushpit keys add, and serve with the app that it pushes to."""
    own = ProviderKey.make(tmp_path / "AuthKey_LH4T9V5U4R.p8", "LH4T9V5U4R", "5U8LBRXG3A")
    server = pushpit(
        *SMOOTH, "--app", "me.fin.bark:sandbox::5U8LBRXG3A", "--key", f"LH4T9V5U4R:5U8LBRXG3A:both:{own.p8}"
    )
    assert "No app is of team 5U8LBRXG3A" not in server.log
    assert server.push(server.token(app="me.fin.bark"), jwt=own.token()).verdict == (200, None)


def test_a_revoked_key_is_named_as_revoked(pushpit):
    server = pushpit(*SMOOTH, "--fleet", "5")
    assert server.push(server.token()).verdict == (200, None)
    assert server.admin.delete(f"/v1/keys/{server.key.key_id}").is_success
    answer = server.push(server.token())
    assert answer.verdict == (403, "InvalidProviderToken")
    assert f"The key {server.key.key_id}, which is the kid, was revoked." in why(server, answer)


# Where else a mistake is explained


def test_the_event_of_a_rejected_push_has_the_explanation_of_the_push(server, token):
    with watching(server, types="push") as reader:
        reader.until("begin")
        answer = server.push(token, path="/3/device/" + base64.b64encode(bytes.fromhex(str(token))).decode())
        event = reader.until("push")["data"]
        assert event["reason"] == "BadDeviceToken" and event["sentence"] == why(server, answer)
        assert "stands for the device token" in event["sentence"]
        server.push(token)
        assert reader.until("push")["data"]["sentence"] is None


def test_a_broadcast_is_explained_like_a_push(server):
    channel = create(server, stores=1)

    def publish(jwt: str | None = None, **changes) -> tuple[tuple, str]:
        fields = dict(broadcast_headers(server, channel)) | changes
        if jwt:
            fields["authorization"] = f"bearer {jwt}"
        with server.wire() as wire:
            answer = wire.request(list(fields.items()), news(server, 1))
        return answer.verdict, server.get("/v1/broadcasts", limit=1)["requests"][0]["sentence"]

    verdict, sentence = publish(server.key.token(header={"kid": ABSENT}))
    assert verdict == (403, "InvalidProviderToken") and "The header of the provider token has no kid" in sentence
    verdict, sentence = publish(other_key(server).token())
    assert verdict == (403, "TopicMismatch") and "of team NOAPPTEAM1. No app of the fleet is of that team" in sentence
    verdict, sentence = publish(**{"apns-expiration": "1795780000.475"})
    assert verdict == (400, "BadExpirationDate") and "not a whole number" in sentence
    for expiration, words in (("3600", "is in 1970"), ("1795780000000", "looks like milliseconds")):
        verdict, sentence = publish(**{"apns-expiration": expiration})
        assert verdict == (200, None) and words in sentence
    assert publish() == ((200, None), None)


# Headers


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
