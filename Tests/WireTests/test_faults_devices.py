"""Faults of devices, of the people behind them and of their apps, and how they are deleted."""

from functools import partial

import pytest

from backend import Backend, Reply
from faulting import fault, take_back
from program import APP, SMOOTH, live_activity
from stream import after_events

CRICKET = "com.sightscreen.app"


@pytest.fixture
def backend():
    started = Backend(lambda request: Reply())
    yield started
    started.close()


@pytest.fixture
def still(pushpit):
    """A server whose clock only tests move."""
    return pushpit("--fleet", "40", "--ideal", "--clock", "manual")


def ids(server, **query) -> set[str]:
    return {d["id"] for d in server.pages("/v1/devices", "devices", **query)}


def test_a_wave_of_offline_phones_is_taken_back_from_those_it_took(still):
    still.act("d0", "goOffline")
    still.act("d1", "goOffline")
    wave = fault(still, {"devices": {"do": "goOffline"}}, name="wave", when={"share": "50%"})
    offline = ids(still, online="false")
    assert 8 <= len(offline) <= 32 and 0 <= len(offline) - wave["devices"] <= 2
    take_back(still, "wave")
    assert ids(still, online="false") == {"d0", "d1"}, "they were offline before"
    assert still.admin.request("DELETE", "/v1/faults/wave").status_code == 404


def test_low_power_for_a_time(still):
    fault(
        still, {"devices": {"do": "switch", "what": "lowPower", "on": True}}, when={"devices": ["d3"]}, **{"for": "10m"}
    )
    assert still.device("d3")["lowPower"] is True and still.device("d4")["lowPower"] is False
    still.advance("10m")
    assert still.device("d3")["lowPower"] is False


def test_apps_are_swiped_away_and_opened_again(still):
    fault(still, {"devices": {"do": "forceQuit"}, "heal": {"do": "open"}}, when={"devices": ["d3"], "app": APP})
    assert still.install("d3")["state"] == "forceQuit"
    take_back(still)
    assert still.install("d3")["state"] == "foreground"


def test_apps_are_deleted_and_come_back_with_other_tokens(still):
    before = {t.device: str(t) for t in still.tokens()}
    fault(still, {"devices": {"do": "uninstall", "app": APP}}, when={"share": "20%"})
    gone = set(before) - {t.device for t in still.tokens()}
    assert 2 <= len(gone) <= 18
    take_back(still)
    after = {t.device: str(t) for t in still.tokens()}
    assert {d for d in before if before[d] != after[d]} == gone


def mentions(token: str, requests) -> bool:
    return token.encode() in b"".join(r.body for r in requests)


@pytest.mark.parametrize("silent", [False, True])
def test_start_tokens_are_replaced_and_the_app_is_told_or_not(pushpit, backend, silent):
    server = pushpit(
        *SMOOTH, "--fleet", "2", "--set", "reports.opensWithin=0s", "--profile", "sightscreen", "--backend", backend.url
    )
    line = "POST /devices/push-to-start-token"
    backend.wait_for(line, 2)
    old = {t.device: t for t in server.tokens("pushToStart", CRICKET)}
    rotation = {"do": "rotate", "app": CRICKET, "kind": "pushToStart"}
    fault(server, {"devices": rotation | {"silent": silent}}, when={"devices": ["d0"]})
    # What the other phone tells afterwards marks the end of what this one has to tell.
    server.act("d1", "rotate", app=CRICKET, kind="pushToStart")
    new = {t.device: t for t in server.tokens("pushToStart", CRICKET)}
    assert all(str(new[d]) != str(old[d]) for d in ("d0", "d1"))
    # Calls of two phones arrive in any order.
    for device in ["d1"] if silent else ["d0", "d1"]:
        told = backend.wait(partial(mentions, str(new[device])), f"{device} told nothing")
    assert mentions(str(new["d0"]), told) == (not silent)
    # The old one is answered 200, and starts nothing.
    answer = server.push(old["d0"], live_activity("start"))
    assert answer.status == 200 and server.install("d0", CRICKET)["activities"] == []


def test_people_answer_late_for_as_long_as_the_fault_stands(pushpit):
    server = pushpit(
        "--fleet", "10", "--ideal", "--clock", "manual", "--prompt", "firstPushStart", "--set", "timing.immediate=true"
    )

    def asked(device: str) -> str:
        token = next(t for t in server.tokens("pushToStart") if t.device == device)
        assert server.push(token, live_activity("start")).status == 200
        server.advance("1m")
        [activity] = server.install(device)["activities"]
        return activity["state"]

    fault(server, {"prompts": {"after": "30m"}}, when={"devices": ["d1", "d2"]})
    assert (asked("d0"), asked("d1")) == ("active", "prompting")
    server.advance("30m")
    assert server.install("d1")["activities"][0]["state"] == "active"
    take_back(server)
    assert asked("d2") == "active"
    fault(server, {"prompts": {"answer": "deny"}}, when={"devices": ["d3"]})
    token = next(t for t in server.tokens("pushToStart") if t.device == "d3")
    server.push(token, live_activity("start"))
    server.advance("1m")
    assert server.install("d3")["liveActivities"] is False


# Reports of apps


def reporting(pushpit, backend, *flags: str):
    server = pushpit(
        *SMOOTH,
        "--fleet",
        "6",
        "--set",
        "reports.opensWithin=0s",
        "--profile",
        "sightscreen",
        "--backend",
        backend.url,
        *flags,
    )
    backend.wait_for("POST /devices/push-to-start-token", 6)
    return server


def rotate(server, *devices: str) -> dict[str, str]:
    for device in devices:
        server.act(device, "rotate", app=CRICKET, kind="pushToStart")
    return {t.device: str(t) for t in server.tokens("pushToStart", CRICKET)}


def times(requests, token: str) -> int:
    return sum(token.encode() in r.body for r in requests if r.path == "/devices/push-to-start-token")


def failures(server, device: str) -> list[dict]:
    """The failed calls of a device, once there are any."""
    look = lambda: list(server.pages("/v1/calls", "calls", device=device, failed="true"))  # noqa: E731
    return after_events(server, look, "a failed call", types="call", device=device)


@pytest.mark.parametrize(
    ("what", "failure", "arrives"),
    [("lose", "lost", False), ("fail", "refusedByRule", False), ("loseAnswer", "answerLost", True)],
)
def test_tokens_do_not_reach_the_backend_or_the_app_does_not_learn_that_they_did(
    pushpit, backend, what, failure, arrives
):
    server = reporting(pushpit, backend)
    fault(server, {"calls": what}, when={"event": "pushToStartToken", "devices": ["d0"]}, limit=1)
    tokens = rotate(server, "d0", "d1")
    backend.wait(lambda all: times(all, tokens["d1"]) > 0, "the sound phone told nothing")
    if arrives:
        backend.wait(lambda all: times(all, tokens["d0"]) > 0, "it was to arrive")
    found = failures(server, "d0")
    assert [c["failure"] for c in found][-1] == failure and "the fault f struck" in found[-1]["sentence"]
    assert server.get("/v1/faults/f")["struck"] == 1


def test_tokens_are_told_twice(pushpit, backend):
    server = reporting(pushpit, backend)
    fault(server, {"calls": "double"}, when={"event": "pushToStartToken", "share": "100%"}, limit=1)
    tokens = rotate(server, "d0")
    backend.wait(lambda all: times(all, tokens["d0"]) == 2, "it was to come twice")


def test_tokens_are_late_or_overtaken(pushpit, backend):
    server = reporting(pushpit, backend, "--clock", "manual")
    fault(server, {"calls": {"delay": "10s"}}, name="late", when={"event": "pushToStartToken", "devices": ["d0"]})
    fault(server, {"calls": "overtake"}, name="overtaken", when={"event": "pushToStartToken", "devices": ["d1"]})
    tokens = rotate(server, "d0", "d1", "d2")
    backend.wait(lambda all: times(all, tokens["d2"]) > 0, "d2 told nothing")
    assert [times(backend.requests, tokens[d]) for d in ("d0", "d1")] == [0, 0]
    server.advance("1s")
    backend.wait(lambda all: times(all, tokens["d1"]) > 0, "the overtaken one comes after a second")
    server.advance("9s")
    backend.wait(lambda all: times(all, tokens["d0"]) > 0, "the late one comes after its time")
