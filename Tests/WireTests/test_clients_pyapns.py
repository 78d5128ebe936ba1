"""pyapns_client 2.0, unmodified: its table of hosts is replaced. Its `iat` is a float, and it fails with a
KeyError when a 410 Unregistered has no timestamp."""

import pytest
from pyapns_client import (
    APNSClient,
    BadDeviceTokenException,
    InvalidProviderTokenException,
    IOSNotification,
    IOSPayload,
    IOSPayloadAlert,
    TooManyRequestsException,
    UnregisteredException,
)

from program import APP, LIVE_ACTIVITY

LA_TOPIC = APP + LIVE_ACTIVITY
ACTIVITY_UPDATE = {"aps": {"timestamp": 1_700_000_000, "event": "update", "content-state": {"home": 1}}}


@pytest.fixture
def make(arena, monkeypatch):
    monkeypatch.setattr(APNSClient, "BASE_URLS", {"dev": arena.server.url(host="localhost")})
    made = []

    def client(**changes) -> APNSClient:
        key = arena.server.key
        options = {
            "mode": "dev",
            "root_cert_path": str(arena.server.ca),
            "auth_key_path": str(key.p8),
            "auth_key_id": key.key_id,
            "team_id": key.team_id,
        }
        made.append(APNSClient(**options | changes))
        return made[-1]

    yield client
    for client in made:
        client.close()


def alert(topic: str = APP, **options) -> IOSNotification:
    payload = IOSPayload(alert=IOSPayloadAlert(title="Hello", body="World"))
    return IOSNotification(payload=payload, topic=topic, **options)


def activity_update() -> IOSNotification:
    return IOSNotification(
        payload=IOSPayload(custom=ACTIVITY_UPDATE), topic=LA_TOPIC, push_type="liveactivity", priority="5"
    )


def accepted(arena, token) -> None:
    [push] = arena.server.pushes(device=token.device, limit=1)
    assert push["answer"]["status"] == 200


@pytest.mark.parametrize(
    "notification",
    [
        lambda: alert(push_type=IOSNotification.PUSH_TYPE_ALERT, priority="10"),
        lambda: IOSNotification(
            payload=IOSPayload(content_available=True), topic=APP, push_type="background", priority="5"
        ),
        lambda: IOSNotification(payload=IOSPayload(custom={"call": 1}), topic=APP + ".voip", push_type="voip"),
        lambda: alert(),
    ],
    ids=["alert", "background", "voip", "no type"],
)
def test_pushes_of_every_kind_are_accepted(arena, make, notification):
    notification = notification()
    token = arena.voip() if notification.push_type == "voip" else arena.device()
    make().push(notification=notification, device_token=str(token))
    accepted(arena, token)


def test_a_live_activity_update_is_accepted(arena, make):
    token = arena.activity()
    make().push(notification=activity_update(), device_token=str(token))
    accepted(arena, token)


def test_400_is_bad_device_token(arena, make):
    with pytest.raises(BadDeviceTokenException) as refusal:
        make().push(notification=alert(), device_token="0" * 64)
    assert refusal.value.status_code == 400
    assert refusal.value.apns_id


def test_403_is_invalid_provider_token(arena, make):
    with pytest.raises(InvalidProviderTokenException) as refusal:
        make(team_id="NOSUCHTEAM").push(notification=alert(), device_token=str(arena.device()))
    assert refusal.value.status_code == 403


def test_410_is_unregistered_with_a_timestamp_it_can_read(arena, make):
    """S17 S22: milliseconds, or its date would be in the year 57000."""
    with pytest.raises(UnregisteredException) as gone:
        make().push(notification=alert(), device_token=str(arena.gone))
    assert gone.value.status_code == 410
    assert (
        abs(gone.value.timestamp_datetime.timestamp() * 1000 - arena.server.clock()["unixMilliseconds"])
        < 48 * 3_600_000
    )


def test_429_is_too_many_requests(arena, make):
    with pytest.raises(TooManyRequestsException) as refusal:
        make().push(notification=activity_update(), device_token=str(arena.busy))
    assert refusal.value.status_code == 429
