"""The pushes that APNs keeps for the power of a phone, seen from outside.

Documented: Apple, Viewing the status of push notifications using metrics and APNs: a push that expires before the phone
is connected and has removed its power restriction is discarded; a push whose token is no longer active is discarded."""

import json

import pytest

from program import APP

KINDS = {
    "update": ({"priority": "5"}, "low-priority"),
    "alert": ({"priority": "5"}, "low-priority"),
    "passive": ({"priority": "1"}, "low-priority"),
    "background": ({"priority": "5", "push_type": "background"}, "low-power-mode"),
}
STORED = "Received by APNs, Stored - Power Considerations"


@pytest.fixture
def server(pushpit):
    return pushpit("--fleet", "40", "--ideal", "--os", "26.1:1", "--clock", "manual")


@pytest.fixture(params=KINDS)
def kept(request, server):
    """Sends a push of that kind to a phone that has it kept: a function of its apns-expiration in seconds from now."""
    headers, cause = KINDS[request.param]
    if request.param == "update":
        token, _ = server.start_activity(attributes_type="MatchAttributes")
    else:
        token = server.token()
        if request.param == "background":
            server.act(token.device, "switch", what="lowPower", on=True)

    def push(expires: int | None = None) -> tuple[str, dict]:
        now = server.clock()["unixMilliseconds"] // 1000
        expiration = None if expires is None else "0" if expires == 0 else str(now + expires)
        body = {
            "update": {"timestamp": now + 1, "event": "update", "content-state": {"score": 7}},
            "background": {"content-available": 1},
        }.get(request.param, {"alert": "A"})
        answer = server.push(token, json.dumps({"aps": body}).encode(), expiration=expiration, **headers)
        assert answer.status == 200
        return token.device, server.recorded(answer) | {"cause": cause}

    return push


def fate(server, push: dict) -> str:
    return server.get(f"/v1/pushes/{push['apnsId']}")["fate"]


def test_its_story_names_the_cause_and_it_expires(server, kept):
    _, push = kept(4)
    assert push["fate"] == STORED
    assert [line.get("cause") for line in push["story"] if line["event"] == "stored"] == [push["cause"]]
    server.advance("4s")
    assert fate(server, push) == STORED + ", Discarded - Expired"


def test_with_expiration_0_it_is_not_stored(server, kept):
    _, push = kept(0)
    assert push["fate"] == "Received by APNs, Discarded - Not Stored"


def test_it_waits_for_the_connection(server, kept):
    device, push = kept()
    server.act(device, "goOffline")
    if push["cause"] == "low-power-mode":
        server.act(device, "switch", what="lowPower", on=False)
    server.advance("1h")
    assert fate(server, push) == STORED
    if {"name": "apns-priority", "value": "1"} in push["request"]["headers"]:
        server.act(device, "lightScreen")
    server.act(device, "goOnline")
    assert fate(server, push) == STORED + ", Delivered to Device (From Storage)"


def test_it_is_discarded_with_the_token_of_a_deleted_app(server, kept):
    device, push = kept()
    server.act(device, "uninstall", app=APP)
    assert fate(server, push) == STORED + ", Discarded - Token Unregistered (From Storage)"
