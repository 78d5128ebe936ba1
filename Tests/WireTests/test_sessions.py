"""Sessions: tests that run at the same time against one server do not see each other."""

import asyncio
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from aioapns_client import client as aioapns_client
from aioapns_client import request
from program import APP, REPOSITORY, environment, run
from provider_tokens import ProviderKey

KEYS = ["AAAAAAAAAA", "BBBBBBBBBB", "CCCCCCCCCC"]


@pytest.fixture
def server(pushpit, tmp_path):
    """A server with three provider keys, made as a user makes them."""
    state, home = tmp_path / "state", tmp_path / "keys-home"
    home.mkdir()
    for key in KEYS:
        made = run("keys", "make", "--state", str(state), "--key-id", key, home=home)
        assert made.returncode == 0, made.stderr
    return pushpit("--fleet", "60", "--ideal", state=state)


def keys(server) -> dict[str, ProviderKey]:
    return {row["keyId"]: ProviderKey(Path(row["p8"]), row["keyId"], row["teamId"]) for row in server.ready["keys"]}


def open_session(server, **order) -> str:
    response = server.admin.post("/v1/sessions", json=order)
    assert response.status_code == 201, response.text
    return response.json()["name"]


def busy(server, session: str, reason: str) -> None:
    response = server.admin.post(
        "/v1/faults", json={"name": "busy", "session": session, "limit": 3, "then": {"answer": reason}}
    )
    assert response.status_code == 200, response.text


def close(server, session: str) -> dict:
    response = server.admin.post(f"/v1/sessions/{session}/close")
    assert response.status_code == 200, response.text
    return response.json()


def at_the_same_time(*tests):
    """Runs them in threads that all begin together."""
    together = threading.Barrier(len(tests), timeout=60)

    def one(test):
        together.wait()
        return test()

    with ThreadPoolExecutor(len(tests)) as pool:
        return [done.result(timeout=120) for done in [pool.submit(one, test) for test in tests]]


REASONS = ["TooManyRequests", "ServiceUnavailable", "InternalServerError"]


def test_parallel_tests_by_key_with_a_fault_of_the_same_name_each(server):
    """aioapns, twice over: same topic, same devices, and only the key differs."""
    tokens = server.tokens()[:20]

    def a_test(number: int):
        key = keys(server)[KEYS[number]]
        name = open_session(server, name=f"by key {number}", keys=[key.key_id])
        busy(server, name, REASONS[number])

        async def pushes():
            apns = aioapns_client(server, key=key.p8.read_text(), key_id=key.key_id, team_id=key.team_id)
            try:
                return [await asyncio.wait_for(apns.send_notification(request(token)), 60) for token in tokens]
            finally:
                apns.pool.close()

        results = asyncio.run(pushes())
        own = server.get("/v1/pushes", session=name, limit=100)["pushes"]
        return (
            name,
            [r.description for r in results if r.status != "200"],
            {p["apnsId"] for p in own},
            {r.notification_id for r in results},
        )

    for number, (name, refused, own, sent) in enumerate(at_the_same_time(*(lambda n=n: a_test(n) for n in range(3)))):
        assert refused == [REASONS[number]] * 3, name
        assert own == sent and len(own) == 20
        closed = close(server, name)
        assert (closed["counts"]["pushes"], closed["counts"]["refused"]) == (20, 3)
    assert server.get("/v1/faults")["faults"] == [], "the faults went with their sessions"
    assert len(server.pushes(limit=1000)) == 60


def test_parallel_tests_by_topic_and_by_devices_on_one_connection_each(server):
    """httpx: two topics, two sets of devices, one key."""
    alerts = server.tokens("device")
    halves = {"left": alerts[:10], "right": alerts[10:20]}
    jwt = server.jwt

    def a_test(name: str, order: dict, tokens: list, reason: str):
        open_session(server, name=name, **order)
        busy(server, name, reason)
        with httpx.Client(
            http2=True, verify=str(server.ca), base_url=server.url(), trust_env=False, timeout=60
        ) as http:
            answers = [
                http.post(
                    f"/3/device/{t}",
                    headers={"authorization": f"bearer {jwt}", "apns-topic": t.topic},
                    content=b'{"aps":{"alert":"Hi"}}',
                )
                for t in tokens
            ]
        own = server.get("/v1/pushes", session=name, limit=100)["pushes"]
        return (
            [a.json()["reason"] for a in answers if a.status_code != 200],
            {p["apnsId"] for p in own},
            {a.headers["apns-id"] for a in answers},
        )

    tests = [
        lambda side=side, reason=reason: a_test(
            side, {"topics": [APP], "devices": [t.device for t in halves[side]]}, halves[side], reason
        )
        for side, reason in zip(halves, REASONS)
    ]
    stores = server.tokens("device", app="com.example.store", environment=None)[:5]
    assert len(stores) == 5

    def the_store():
        open_session(server, name="store", topics=["com.example.store"])
        busy(server, "store", REASONS[2])
        with server.wire("production") as wire:
            answers = [server.push(t, wire=wire) for t in stores]
        own = server.get("/v1/pushes", session="store")["pushes"]
        return (
            [a.verdict[1] for a in answers if a.status != 200],
            {p["apnsId"] for p in own},
            {a.header("apns-id") for a in answers},
        )

    for number, (refused, own, sent) in enumerate(at_the_same_time(*tests, the_store)):
        assert refused == [REASONS[number]] * 3
        assert own == sent


def test_verdicts_come_with_the_closing_and_nothing_afterwards_changes_them(server):
    tokens = server.tokens()[:3]
    devices = [t.device for t in tokens]
    name = open_session(
        server,
        devices=devices,
        expect=[
            {"name": "all accepted", "pushes": {}, "all": {"status": 200}},
            {"pushes": {"device": devices[0]}, "count": "2.."},
            {"screens": {}, "show": {"notifications": 1}},
        ],
    )
    for token in tokens:
        assert server.push(token).status == 200
    assert server.get(f"/v1/sessions/{name}")["passed"] is None
    closed = close(server, name)
    assert closed["passed"] is False
    first, second, third = closed["expectations"]
    assert first["passed"] and third["passed"]
    assert not second["passed"] and second["found"] == "1" and second["place"] == "expect[1]" and second["pushes"]
    pushes = server.get("/v1/pushes", session=name)
    assert server.push(tokens[0]).status == 200
    server.act(devices[1], "goOffline")
    assert server.get(f"/v1/sessions/{name}") == closed == close(server, name)
    assert server.get("/v1/pushes", session=name) == pushes


def test_expectations_of_an_open_session_are_replaced_and_count_from_then_on(server):
    token = server.first_token()
    session = open_session(server, devices=[token.device], expect=[{"pushes": {}, "count": 7}])
    address = f"/v1/sessions/{session}/expectations"
    assert server.push(token).status == 200
    replaced = server.admin.put(address, json={"expect": [{"pushes": {}, "count": 1}]})
    assert replaced.status_code == 200 and replaced.json()["expected"] == 1, replaced.text
    assert server.push(token).status == 200
    for body, sentence in [
        ({"expect": [{"pushes": {}, "counts": 1}]}, "counts"),
        ({"expect": 1}, "expect must be a list"),
        ({}, "expect is missing"),
    ]:
        refused = server.admin.put(address, json=body)
        assert refused.status_code == 422 and sentence in refused.json()["error"], refused.text
    closed = close(server, session)
    assert closed["passed"] and len(closed["expectations"]) == 1 and closed["counts"]["pushes"] == 2, closed
    assert server.admin.put(address, json={"expect": []}).status_code == 409
    assert server.admin.put("/v1/sessions/nobody/expectations", json={"expect": []}).status_code == 404


@pytest.mark.parametrize(
    ("expectation", "sentence"),
    [
        ({"pushes": {"status": 200}}, "needs one of count, all, none or sometimes"),
        ({"pushes": {"stauts": 200}, "count": 1}, "did you mean status?"),
        ({"pushes": {"device": "d999"}, "count": 1}, 'There is no device "d999"'),
        ({"pushes": {}, "count": 1, "at": "5s"}, "evaluated when it is closed"),
        ({"pushes": {}, "count": 1, "within": "5s", "of": "x"}, "a session has no steps"),
        ({"pushes": {"step": "x"}, "count": 1}, "no step is called x; there are no steps."),
        ({"screens": {}, "show": {"cards": 1}, "within": "5s"}, "leave within out"),
        ("pushes", "an expectation must be an object with name, at"),
        ({"pushes": {"status": 'a: b\n- "c'}, "count": 1}, "status must be a whole number"),
    ],
)
def test_what_can_never_be_judged_is_refused_with_its_place(server, expectation, sentence):
    response = server.admin.post("/v1/sessions", json={"expect": [{"pushes": {}, "count": 0}, expectation]})
    assert response.status_code == 422 and response.json()["field"] == "expect", response.text
    assert response.json()["error"].startswith("expect[1]: ") and sentence in response.json()["error"], response.text
    assert server.get("/v1/sessions")["sessions"] == []


def test_a_bad_provider_token_is_in_the_session_that_its_key_id_names(server):
    own, other = (keys(server)[k] for k in KEYS[:2])
    name = open_session(server, keys=[own.key_id])
    forged = ProviderKey(other.p8, own.key_id, own.team_id).token()
    assert server.push(server.token(), jwt=forged).verdict == (403, "InvalidProviderToken")
    [push] = server.get("/v1/pushes", session=name)["pushes"]
    assert push["reason"] == "InvalidProviderToken"


GUIDE = (REPOSITORY / "docs/sessions.md").read_text()


def test_the_fixture_of_the_guide_runs(server, tmp_path):
    """Two tests of somebody's, at the same time in two processes, with the file that docs/sessions.md shows."""
    blocks = dict(re.findall(r"```python (\S+)\n(.*?)```", GUIDE, re.S))
    folder = tmp_path / "theirs"
    folder.mkdir()
    for name, text in blocks.items():
        (folder / name).write_text(text)
    assert {"conftest.py", "test_goal.py"} <= set(blocks)
    (tmp_path / "ready.json").write_text(server.line)
    # Without the plugins of this environment, which they do not have.
    settings = {"PUSHPIT_READY": str(tmp_path / "ready.json"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    # Twice: the second time on phones that have been used.
    for _ in range(2):
        runs = [
            subprocess.Popen(
                [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"test_goal.py::{test}"],
                cwd=folder,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=environment(server.home) | settings,
            )
            for test in ("test_a_goal_is_on_the_lock_screen", "test_a_busy_apns_is_tried_again")
        ]
        for process in runs:
            text, _ = process.communicate(timeout=120)
            assert process.returncode == 0 and re.search(r"\b1 passed", text), text
    sessions = server.get("/v1/sessions")["sessions"]
    assert len(sessions) == 4 and all(s["passed"] for s in sessions), sessions
