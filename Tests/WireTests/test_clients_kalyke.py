"""kalyke-apns 1.5, unmodified: a subclass names the host, SSL_CERT_FILE the CA. It makes a new connection and a new
JWT for every push, and its `iat` is a string."""

import asyncio

import pytest
from kalyke import (
    ApnsClient,
    ApnsConfig,
    ApnsPriority,
    ApnsPushType,
    LiveActivityApnsConfig,
    LiveActivityClient,
    LiveActivityEvent,
    LiveActivityPayload,
    Payload,
    PayloadAlert,
    VoIPApnsConfig,
    VoIPClient,
    exceptions,
)

from program import APP, LIVE_ACTIVITY

LA_TOPIC = APP + LIVE_ACTIVITY


@pytest.fixture(autouse=True)
def trust(arena, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(arena.server.ca))


def client(arena, base=ApnsClient, **changes):
    class Local(base):
        _base_url = arena.server.url(host="localhost")

    key = arena.server.key
    options = {"use_sandbox": True, "team_id": key.team_id, "auth_key_id": key.key_id, "auth_key_filepath": key.p8}
    return Local(**options | changes)


def send(sender, token, payload, config) -> str:
    return asyncio.run(
        asyncio.wait_for(sender.send_message(device_token=str(token), payload=payload, apns_config=config), 30)
    )


ALERT = Payload(alert=PayloadAlert(title="Hello", body="World"), badge=1, sound="default")
UPDATE = LiveActivityPayload(event=LiveActivityEvent.UPDATE, content_state={"home": 1})


def test_an_alert_is_accepted_and_returns_its_apns_id(arena):
    apns_id = "6b29fc40-ca47-4067-b31d-00dd010662da"
    assert send(client(arena), arena.device(), ALERT, ApnsConfig(topic=APP, identifier=apns_id)) == apns_id


def test_a_background_push_is_accepted(arena):
    config = ApnsConfig(topic=APP, push_type=ApnsPushType.BACKGROUND, priority=ApnsPriority.BASED_ON_POWER)
    assert send(client(arena), arena.device(), Payload(content_available=True), config)


def test_a_voip_push_is_accepted(arena):
    assert send(client(arena, VoIPClient), arena.voip(), {"call": "x"}, VoIPApnsConfig(topic=APP + ".voip"))


def test_a_live_activity_update_is_accepted(arena):
    assert send(client(arena, LiveActivityClient), arena.activity(), UPDATE, LiveActivityApnsConfig(topic=LA_TOPIC))


def test_a_live_activity_start_is_accepted(arena):
    start = LiveActivityPayload(
        event=LiveActivityEvent.START,
        content_state={"home": 0},
        attributes_type="MatchAttributes",
        attributes={"match": "x"},
        alert=PayloadAlert(title="Kick-off", body="Now"),
    )
    token = arena.server.token("pushToStart")
    assert send(client(arena, LiveActivityClient), token, start, LiveActivityApnsConfig(topic=LA_TOPIC))


def test_400_is_bad_device_token(arena):
    with pytest.raises(exceptions.BadDeviceToken):
        send(client(arena), "0" * 64, ALERT, ApnsConfig(topic=APP))


def test_403_is_invalid_provider_token(arena):
    with pytest.raises(exceptions.InvalidProviderToken):
        send(client(arena, auth_key_id="UNKNOWNKEY"), arena.device(), ALERT, ApnsConfig(topic=APP))


def test_410_is_unregistered_with_its_timestamp(arena):
    with pytest.raises(exceptions.Unregistered) as gone:
        send(client(arena), arena.gone, ALERT, ApnsConfig(topic=APP))
    assert set(gone.value.error) == {"timestamp"}
    assert 0 < arena.server.clock()["unixMilliseconds"] - gone.value.error["timestamp"] < 48 * 3_600_000


def test_410_is_expired_token_for_an_activity(arena):
    with pytest.raises(exceptions.ExpiredToken) as gone:
        send(client(arena, LiveActivityClient), arena.expired, UPDATE, LiveActivityApnsConfig(topic=LA_TOPIC))
    assert set(gone.value.error) == {"timestamp"}


def test_429_is_too_many_requests(arena):
    with pytest.raises(exceptions.TooManyRequests):
        send(client(arena, LiveActivityClient), arena.busy, UPDATE, LiveActivityApnsConfig(topic=LA_TOPIC))


def test_a_new_token_for_every_push_causes_no_trouble_while_connections_are_new_too(arena):
    """S8 S16: each connection sees one token."""
    sender = client(arena)
    for _ in range(6):
        assert send(sender, arena.device(), ALERT, ApnsConfig(topic=APP))
