"""Answers of a server that has been used; the client checks them against the document. Generated requests do not reach
these states."""

import httpx
import jsonschema_rs
import pytest

import answers
from program import APP, LIVE_ACTIVITY, live_activity


@pytest.fixture
def described(pushpit):
    server = pushpit("--fleet", "40", "--clock", "manual")
    server.admin.post("/v1/actions", json={"do": "goOnline", "where": {"online": False}})

    def check(method: str, path: str, **request) -> dict:
        response = server.admin.request(method, path, **request)
        assert response.status_code < 300, f"{method} {path}: {response.text}"
        return response.json()

    return server, check


def test_an_answer_that_is_not_as_described_is_found(described):
    server, _ = described
    assert answers.check_response in server.admin.event_hooks["response"]
    assert isinstance(server.library.admin, answers.CheckedAdmin)
    wrong = httpx.Response(200, json={"status": "bad"}, request=httpx.Request("GET", "http://localhost/health"))
    with pytest.raises(jsonschema_rs.ValidationError):
        answers.check_response(wrong)


def look(check, device: str) -> None:
    check("GET", f"/v1/devices/{device}")
    check("GET", f"/v1/devices/{device}/screen")
    check("GET", f"/v1/devices/{device}/log?limit=1000")
    check("GET", f"/v1/pushes?limit=1000&device={device}")
    check("GET", "/v1/tokens?live=false")


def test_everything_a_phone_lives_through_is_described(described):
    server, check = described
    device = server.welcoming()

    def act(do: str, **members) -> dict:
        return check("POST", f"/v1/devices/{device}/actions", json={"do": do} | members)

    def seconds() -> int:
        return server.clock()["unixMilliseconds"] // 1000

    act("permit", notifications="ephemeral")
    act("permit", notifications="authorized")
    starter = server.install(device)["pushToStart"][0]["token"]
    topic = {"topic": APP + LIVE_ACTIVITY, "push_type": "liveactivity"}
    server.push(starter, live_activity("start", timestamp=seconds()), **topic)
    look(check, device)
    if server.get(f"/v1/devices/{device}/screen")["prompt"]:
        act("allow")
    server.advance("30s")
    look(check, device)
    [activity] = server.install(device)["activities"]
    update = activity["updateToken"]
    for number, fields in enumerate(
        [
            {},
            {"alert": {"title": "Goal", "body": "1 : 0", "sound": "default"}},
            {"content-state": 7},
            {"stale-date": seconds() + 5},
            {"attributes": {}},
        ]
    ):
        server.push(update, live_activity(**({"timestamp": seconds() + number} | fields)), **topic)
        look(check, device)
        server.advance("2s")
    server.push(update, live_activity(timestamp=seconds() + 20), priority="5", **topic)
    look(check, device)
    server.advance("15m")
    for body in (
        b'{"aps":{"alert":{"title":"T","body":"B"},"badge":2,"sound":"default"}}',
        b'{"aps":{"badge":"x"}}',
        b'{"aps":{"content-available":1}}',
        b"{",
    ):
        server.push(server.install(device)["deviceToken"], body, push_type=None)
        look(check, device)
    server.push(server.install(device)["services"][0]["token"], b'{"call":1}', topic=APP + ".voip")
    look(check, device)
    act("tapNotification")
    for what in ("lowPower", "charging", "focus"):
        act("switch", what=what, on=not server.device(device)[what])
    look(check, device)
    act("goOffline")
    server.push(server.install(device)["deviceToken"])
    server.push(update, live_activity("end", timestamp=seconds() + 30), **topic)
    look(check, device)
    act("goOnline")
    look(check, device)
    act("startActivity", attributes={"a": 1}, contentState={"b": [1, None, {"c": 1.5}]}, relevanceScore=3)
    act("startActivity", error="persistenceFailure")
    act("updateActivity", contentState={"b": 2})
    look(check, device)
    act("switch", what="frequentUpdates", on=not server.install(device)["frequentUpdates"])
    act("updateApp")
    act("forceQuit")
    act("reboot")
    act("updateSystem", os="27.0")
    act("open")
    look(check, device)
    act("restore")
    look(check, device)
    act("uninstall")
    act("reinstall", open=False)
    look(check, device)
    order = {"do": "goOffline", "where": {"share": 0.5, "name": "x"}}
    for _ in range(2):
        check("POST", "/v1/actions", json=order)
