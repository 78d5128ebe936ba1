"""Virtual apps and a real backend: what reaches it, and what happens to calls that it does not accept."""

import json
import re
import socket
import threading

import pytest

from backend import Backend, Reply, Request
from program import SMOOTH, Pushpit
from stream import after_events

PHONES = 3
AT_ONCE = (*SMOOTH, "--fleet", str(PHONES), "--set", "reports.opensWithin=0s")
CRICKET = "com.sightscreen.app"


@pytest.fixture
def backends():
    """Starts backends of the test's own; all are closed at the end."""
    started: list[Backend] = []

    def start(answer=lambda request: Reply()) -> Backend:
        started.append(Backend(answer))
        return started[-1]

    yield start
    for backend in started:
        backend.close()


def calls(server: Pushpit, **query) -> list[dict]:
    return list(server.pages("/v1/calls", "calls", **query))


def ended(server: Pushpit, times: int, **query) -> list[dict]:
    """The calls, once as many have ended. They do on the wire's time."""

    def look() -> list[dict] | None:
        found = calls(server, **query)
        return found if len(found) >= times else None

    return after_events(server, look, f"the end of {times} calls", types="call")


def app_of(name: str) -> str:
    return {"sightscreen": CRICKET, "plain": "com.example.plain", "delivery": "com.example.delivery"}[name]


# Shipped profiles


def test_sightscreen_registers_every_phone(pushpit, backends):
    backend = backends()
    server = pushpit(*AT_ONCE, "--profile", "sightscreen", "--backend", backend.url)
    devices = backend.wait_for("POST /devices", PHONES)
    starts = backend.wait_for("POST /devices/push-to-start-token", PHONES)
    assert {r.json["pushToken"] for r in devices} == {str(t) for t in server.tokens("device", CRICKET)}
    assert {r.json["token"] for r in starts} == {str(t) for t in server.tokens("pushToStart", CRICKET)}
    assert {r.json["attributesType"] for r in starts} == {"MatchAttributes"}
    for request in devices + starts:
        assert request.headers["content-type"] == "application/json"
        assert re.fullmatch(r"Bearer [a-z0-9]+", request.headers["authorization"])
    assert len({r.headers["authorization"] for r in devices}) == PHONES
    assert len(backend.wait_for("GET /user/follows", PHONES)) == PHONES


def test_plain_registers_every_phone_with_a_form(pushpit, backends):
    backend = backends()
    server = pushpit(*AT_ONCE, "--profile", "plain", "--backend", backend.url)
    requests = backend.wait_for("POST /push/register", PHONES)
    assert all(r.headers["content-type"] == "application/x-www-form-urlencoded" for r in requests)
    sent = {dict(pair.split("=") for pair in r.body.decode().split("&"))["token"] for r in requests}
    assert sent == {str(t) for t in server.tokens("device", "com.example.plain")}


def test_delivery_registers_every_phone(pushpit, backends):
    backend = backends()
    server = pushpit(*AT_ONCE, "--profile", "delivery", "--backend", backend.url)

    def starts(requests: list[Request]) -> list[Request]:
        return [
            r
            for r in requests
            if re.fullmatch(r"PUT /devices/[0-9A-Fa-f-]{36}/start-tokens/DeliveryAttributes", r.line)
        ]

    requests = backend.wait(lambda all: len(starts(all)) == PHONES, "a start token of every phone")
    assert {r.json["token"] for r in starts(requests)} == {
        str(t) for t in server.tokens("pushToStart", "com.example.delivery")
    }
    assert all(r.headers["x-device"] in r.path for r in starts(requests))


def test_what_a_person_does_reaches_the_backend_and_its_answer_the_phone(pushpit, backends):
    state = {
        "matchDisplayState": "live",
        "compactLeading": {"teamAbbr": "MI", "score": "0/0"},
        "compactTrailing": {"overs": "0.0", "runRate": "0"},
    }

    def answer(request: Request) -> Reply:
        live = {"live": True, "title": "MI v CSK", "state": state} if request.path.endswith("/follow") else {}
        return Reply(body=json.dumps(live).encode())

    backend = backends(answer)
    server = pushpit(*AT_ONCE, "--fleet", "1", "--profile", "sightscreen", "--backend", backend.url)
    backend.wait_for("POST /devices/push-to-start-token")
    server.act("d0", "use", action="follow", app=CRICKET, arguments={"matchId": "m 1/2"})
    token = backend.wait_for("POST /matches/m%201%2F2/activity-token")[0]
    screen = server.get("/v1/devices/d0/screen")
    assert [card["contentState"] for card in screen["lockScreen"]] == [state]
    assert screen["bells"] == [{"app": CRICKET, "key": "m 1/2", "bell": "filled"}]
    assert token.json["token"] in {str(t) for t in server.tokens("update", CRICKET)}


# A backend in trouble


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def assert_recorded(server: Pushpit, failure: str, times: int = PHONES) -> list[dict]:
    """The calls have failed so, in the list and in each phone's log, and the fleet goes on."""
    failed = [c for c in ended(server, times, failed="true") if c["failure"] == failure]
    assert len(failed) >= times, [c["sentence"] for c in calls(server)]
    for call in failed:
        assert call["status"] is None and "127.0.0.1" in call["sentence"], call
    device = failed[0]["device"]
    lines = server.get(f"/v1/devices/{device}/log", limit=1000)
    assert any(failure in json.dumps(line) for line in lines["lines"]), lines
    server.assert_serving()
    return failed


BESIDE = ("--app", "com.example.app")


def test_a_backend_that_is_down(pushpit):
    server = pushpit(*AT_ONCE, *BESIDE, "--profile", "sightscreen", "--backend", f"http://127.0.0.1:{free_port()}")
    assert_recorded(server, "cannotConnect", 4 * PHONES)


def test_a_backend_that_is_slow(pushpit, backends):
    until = threading.Event()
    backend = backends(lambda request: Reply(until=until))
    profile = (
        'bundleId: com.example.small\nreports:\n  timeout: 300ms\n  on:\n    launch: [{url: "{{backend}}/slow"}]\n'
    )
    server = pushpit(*AT_ONCE, config=with_profile(profile, backend.url))
    try:
        assert_recorded(server, "timedOut")
        assert len(backend.wait_for("GET /slow", PHONES)) == PHONES, "nothing is tried again"
    finally:
        until.set()


def with_profile(profile: str, backend: str) -> str:
    """Settings of a fleet with the default app and one by this profile."""
    lines = profile.strip().split("\n")
    app = "\n".join(["    - " + lines[0], *("      " + line for line in lines[1:])])
    return f'fleet:\n  apps:\n    - bundleId: com.example.app\n{app}\nreports: {{backend: "{backend}"}}\n'


@pytest.mark.parametrize(
    ("raw", "failure"),
    [
        (b"what do you want?\r\n\r\n", "notHTTP"),
        (b"", "closed"),
        (b'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"follows": ["m', "closed"),
        (b"HTTP/1.1 200 OK\r\ncontent-le", "closed"),
    ],
    ids=["garbage", "nothing", "half a body", "half a header"],
)
def test_a_backend_that_speaks_no_http_or_half_of_it(pushpit, backends, raw, failure):
    backend = backends(lambda request: Reply(raw=raw))
    server = pushpit(*AT_ONCE, *BESIDE, "--profile", "sightscreen", "--backend", backend.url)
    assert_recorded(server, failure, 4 * PHONES)


@pytest.mark.parametrize(
    "body",
    [b"<html>sorry</html>", b"{", b"\xff\xfe\x00", b"null", b"[" * 5000],
    ids=["html", "half", "bytes", "null", "deep"],
)
def test_a_backend_with_an_answer_that_is_not_json(pushpit, backends, body):
    """The status counts, and nothing is made of the body."""
    backend = backends(lambda request: Reply(body=body))
    server = pushpit(*AT_ONCE, *BESIDE, "--profile", "sightscreen", "--backend", backend.url)
    found = ended(server, 4 * PHONES)
    assert {(c["status"], c["failure"], c["answer"]) for c in found} == {(200, None, None)}
    assert server.get("/v1/devices/d0/screen")["bells"] == []
    server.assert_serving()


def test_a_backend_whose_answer_is_too_large(pushpit, backends):
    backend = backends(lambda request: Reply(body=b"x" * (8 << 20)))
    server = pushpit(*AT_ONCE, *BESIDE, "--profile", "sightscreen", "--backend", backend.url)
    assert_recorded(server, "tooLarge")


@pytest.mark.parametrize("status", [301, 307, 308])
def test_a_redirect_is_recorded_and_not_followed(pushpit, backends, status):
    elsewhere = backends()
    backend = backends(lambda request: Reply(status=status, headers={"location": elsewhere.url + "/trap"}))
    server = pushpit(*AT_ONCE, *BESIDE, "--profile", "sightscreen", "--backend", backend.url)
    found = ended(server, 4 * PHONES, failed="true")
    assert {c["status"] for c in found} == {status} and {c["failure"] for c in found} == {None}
    assert elsewhere.requests == []
    server.assert_serving()


# Where a template may lead


@pytest.mark.parametrize(
    "url",
    [
        "http://backend.invalid/x",
        "http://192.0.2.1/x",
        "http://127.0.0.1@backend.invalid/x",
        "http://[2001:db8::1]/x",
        "http://{{arg.host}}/x",
        "http://0x7f000001.backend.invalid/x",
    ],
)
def test_no_template_reaches_a_host_that_is_not_allowed(pushpit, backends, url):
    backend = backends()
    profile = f'bundleId: com.example.small\nreports:\n  on:\n    action.go: [{{url: "{url}"}}]'
    server = pushpit(*AT_ONCE, config=with_profile(profile, backend.url))
    server.act("d0", "use", action="go", app="com.example.small", arguments={"host": "backend.invalid"})
    (call,) = ended(server, 1)
    assert call["failure"] == "hostNotAllowed", call
    assert "reports.allowHosts" in call["sentence"], "who wants it is told how"
    server.assert_serving()


def test_a_value_of_the_backend_cannot_lead_elsewhere(pushpit, backends):
    """Checks that a push's text is a value like any other, within the path as within the host."""
    backend = backends()
    profile = """
bundleId: com.example.small
attributesTypes: [MatchAttributes]
reports:
  on:
    activityStarted.push: [{url: "http://{{attributes.match}}/x"}, {url: "{{backend}}/{{attributes.match}}"}]
"""
    server = pushpit(*AT_ONCE, "--fleet", "1", config=with_profile(profile, backend.url))
    token = server.token("pushToStart", "com.example.small")
    body = {
        "aps": {
            "timestamp": 1_900_000_000,
            "event": "start",
            "attributes-type": "MatchAttributes",
            "attributes": {"match": "backend.invalid/../y?z"},
            "content-state": {},
            "alert": {"title": "a", "body": "b"},
        }
    }
    assert server.push(token, json.dumps(body).encode()).verdict == (200, None)
    failed, reached = sorted(ended(server, 2), key=lambda c: c["number"])
    assert failed["failure"] in ("hostNotAllowed", "other") and failed["status"] is None, failed
    assert reached["status"] == 200
    assert [r.line for r in backend.requests] == ["GET /backend.invalid%2F..%2Fy%3Fz"]


def test_the_fleet_outlives_a_backend_that_stalls(pushpit, backends):
    """Pushes are answered while every app waits, and SIGTERM does not wait for them."""
    until = threading.Event()
    backend = backends(lambda request: Reply(until=until))
    server = pushpit(*AT_ONCE, *BESIDE, "--profile", "sightscreen", "--backend", backend.url)
    backend.wait_for("GET /user/follows", PHONES)
    server.assert_serving()
    server.stop()
    until.set()
