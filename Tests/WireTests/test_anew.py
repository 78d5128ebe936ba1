"""A server that begins with new phones, tokens in one answer, and addresses and names of its own."""

import json
import socket
import subprocess

import httpx
import pytest

from answers import assert_error
from program import APP, BINARY, environment
from stream import watching

LINES = {"accept": "application/x-ndjson"}


def test_a_reset_of_everything_begins_with_the_phones_of_the_start(pushpit):
    server = pushpit("--fleet", "20", "--ideal", "--clock", "manual")
    token = server.token()
    server.act(token.device, "rotate", kind="device", app=APP)
    server.admin.post("/v1/faults", json={"name": "f", "then": {"answer": "InternalServerError"}})
    server.advance("2d")
    with server.wire() as wire:
        assert server.push(token, wire=wire).status != 200
        answer = server.admin.post("/v1/reset", json={"everything": True})
        assert answer.status_code == 200 and answer.json()["deleted"] == ["f"], answer.text
        wire.until_closed()
        assert wire.goaway is not None
    assert server.get("/v1/pushes")["pushes"] == []
    assert server.push(token).verdict == (200, None), "the token of the start is valid again"
    assert [push["sequence"] for push in server.pushes()] == [2]


def test_a_server_can_begin_anew_many_times_while_backends_send(pushpit):
    server = pushpit("--fleet", "20", "--ideal", "--token-requests-per-second", "0")
    token = server.token()
    for _ in range(10):
        for _ in range(5):
            assert server.push(token).verdict == (200, None)
        assert server.admin.post("/v1/reset", json={"everything": True}).status_code == 200
    assert server.get("/v1/connections")["connections"] == []
    server.assert_serving()


@pytest.mark.parametrize("clock", ["wall", "manual"])
@pytest.mark.parametrize("ahead", [None, "1d"])
def test_a_tape_goes_on_through_a_reset_of_everything(pushpit, tmp_path, clock, ahead):
    """The new world begins when the first did, however far that has come."""
    tape = tmp_path / "day.tape"
    server = pushpit("--fleet", "20", "--ideal", "--clock", clock, "--tape", str(tape))
    token = server.token()
    assert server.push(token).verdict == (200, None)
    if ahead:
        server.advance(ahead)
    assert server.admin.post("/v1/reset", json={"everything": True}).status_code == 200
    assert server.push(token).verdict == (200, None)
    server.stop()
    played = subprocess.run(
        [str(BINARY), "replay", str(tape)], capture_output=True, text=True, timeout=60, env=environment(server.home)
    )
    assert played.returncode == 0, played.stdout + played.stderr
    assert "2 pushes" in played.stdout + played.stderr


def test_a_hundred_thousand_tokens_come_in_one_answer(pushpit):
    server = pushpit("--fleet", "50000")
    with server.admin.stream("GET", "/v1/tokens", params={"kind": "device"}, headers=LINES, timeout=60) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/x-ndjson"
        assert "content-length" not in answer.headers
        tokens = [json.loads(line)["token"] for line in answer.iter_lines()]
    assert len(tokens) == len(set(tokens)) == 100_000
    first = [row["token"] for row in server.get("/v1/tokens", kind="device", limit=1000)["tokens"]]
    assert tokens[:1000] == first
    server.assert_serving()


def test_tokens_in_one_answer_have_the_filters_of_the_pages(server):
    lines = server.admin.get("/v1/tokens", params={"kind": "update", "live": "false"}, headers=LINES)
    assert lines.status_code == 200
    paged = list(server.pages("/v1/tokens", "tokens", kind="update", live="false"))
    assert [json.loads(line) for line in lines.text.splitlines()] == paged
    assert_error(server.admin.get("/v1/tokens", params={"kind": "devise"}, headers=LINES), 400, field="kind")
    assert_error(server.admin.get("/v1/tokens", params={"limit": "5"}, headers=LINES), 400, field="limit")


def test_a_client_that_stops_reading_tokens_disturbs_nobody(pushpit):
    server = pushpit("--fleet", "50000")
    host, port = server.admin_url.removeprefix("http://").rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=10) as reader:
        reader.sendall(b"GET /v1/tokens HTTP/1.1\r\nhost: localhost\r\naccept: application/x-ndjson\r\n\r\n")
        assert reader.recv(100).startswith(b"HTTP/1.1 200")
        server.assert_serving()
    server.assert_serving()
    with server.admin.stream("GET", "/v1/tokens", headers=LINES) as answer:
        assert next(answer.iter_lines())
    server.assert_serving()


def test_production_can_have_an_address_of_its_own_and_the_same_port(pushpit):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    flags = ["--fleet", "20", "--ports", "0", "--port", port, "--production-port", port]
    server = pushpit(*flags, "--production-host", "127.0.0.2", ports=False)
    assert server.ready["listeners"]["sandbox"] == f"127.0.0.1:{port}"
    assert server.ready["listeners"]["production"] == f"127.0.0.2:{port}"
    token = server.token(app="com.example.store", environment="production")
    assert server.push(token, environment="production").verdict == (200, None)


def test_two_listeners_of_one_port_and_address_are_told_apart_in_the_error(home, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    flags = ["--ports", "0", "--port", port, "--production-port", port, "--state", str(tmp_path / "state")]
    ended = subprocess.run(
        [str(BINARY), "serve", *flags], capture_output=True, text=True, timeout=60, env=environment(home)
    )
    assert ended.returncode != 0
    assert "the sandbox (--port)" in ended.stderr and "--production-host" in ended.stderr, ended.stderr


@pytest.mark.parametrize("host", ["pushpit.internal", "pushpit.internal:2190", "172.17.0.2", "172.17.0.2:2190"])
def test_a_name_given_by_the_environment_and_any_address_reach_the_admin_api(pushpit, host):
    server = pushpit("--fleet", "5", env={"PUSHPIT_NAME": "pushpit.internal"})
    assert httpx.get(f"{server.admin_url}/health", headers={"host": host}).status_code == 200
    assert httpx.get(f"{server.admin_url}/health", headers={"host": "other.internal"}).status_code == 403
    assert server.push(server.token()).verdict == (200, None)


LISTS = (
    "/v1/pushes",
    "/v1/pushes?device=d0",
    "/v1/pushes?topic=none",
    "/v1/devices",
    "/v1/devices/d0",
    "/v1/devices/d0/log",
    "/v1/deliveries",
    "/v1/calls",
    "/v1/broadcasts",
    "/v1/findings",
    "/v1/fleet/summary",
    "/v1/sessions",
    "/v1/faults",
    "/v1/connections",
    "/v1/troubles",
    "/v1/clock",
    "/metrics",
)


@pytest.mark.parametrize("after", [("everything",), ("faults",), ("everything", "everything"), ("everything", "push")])
def test_viewers_lists_and_expectations_go_on_after_a_reset(pushpit, after):
    server = pushpit("--fleet", "20", "--ideal", "--audit", "--ledger", "5")
    token = server.token()

    def verdict(order: dict) -> dict:
        answer = server.admin.post("/v1/verify", json=order)
        assert answer.status_code == 200, answer.text
        return answer.json()

    for _ in range(3):
        assert server.push(token).verdict == (200, None)
        server.act(token.device, "unlock")
        server.act(token.device, "lock")
    with watching(server) as early, watching(server, after=0, types="phone") as late:
        assert early.message()["event"] == "begin" and late.message()["event"] == "begin"
        for step in after:
            if step == "push":
                assert server.push(token).verdict == (200, None)
            else:
                body = {"everything": True} if step == "everything" else None
                assert server.admin.post("/v1/reset", json=body).status_code == 200
            with watching(server) as now, watching(server, after=0) as again:
                assert now.message()["event"] == "begin" and again.message()["event"] == "begin"
            for path in LISTS:
                assert server.admin.get(path).status_code == 200, path
            verdict({"expect": [{"name": "any", "pushes": {}, "count": "0.."}]})
        kept = len(server.get("/v1/pushes")["pushes"])
        assert verdict({"expect": [{"pushes": {}, "count": kept}]})["passed"], kept
        assert server.push(token).verdict == (200, None)
        server.act(token.device, "reboot")
        assert early.until("push")["data"]["status"] == 200
        assert late.until("phone", "many")
        assert verdict({"expect": [{"pushes": {}, "sometimes": {"status": 200}}], "within": "5s"})["passed"]
    server.assert_serving()
