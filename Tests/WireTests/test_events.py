"""The event stream: read with curl and with a plain HTTP client, by one viewer and by many."""

import json
import socket
import subprocess
import time
from contextlib import ExitStack

import pytest

from answers import assert_error
from faulting import fault
from program import APP
from stream import watching

pytestmark = pytest.mark.tools

MOST_VIEWERS = 16


def test_a_push_appears_after_its_answer(server):
    token = server.token()
    with watching(server, device=token.device, types="push") as reader:
        assert reader.until("begin")["data"]["run"]
        answer = server.push(token)
        push = reader.until("push")
    assert push["data"]["apnsId"].lower() == answer.header("apns-id").lower()
    assert push["data"]["status"] == 200 and push["data"]["heading"] == "Hello — World"
    assert push["data"]["device"] == token.device and push["data"]["app"] == APP
    assert int(push["id"]) == push["data"]["sequence"]


def test_an_answer_that_a_fault_has_delayed_is_an_event_when_it_is_sent(pushpit):
    server = pushpit("--fleet", "10", "--ideal")
    fault(server, {"delay": "1s"})
    token = server.token()
    with watching(server, device=token.device, app=APP, types="push,answer") as reader:
        reader.until("begin")
        answer = server.push(token)
        push, later = reader.until("push"), reader.until("answer")
    assert answer.status == 200 and push["data"]["sent"] == "pending"
    assert later["data"]["push"] == push["data"]["push"] and later["data"]["device"] == token.device
    assert later["data"]["sent"] == "answer" and later["data"]["answer"] == "200"
    assert int(later["id"]) > int(push["id"])


@pytest.mark.parametrize("by", ["header", "parameter"])
def test_a_viewer_that_comes_back_gets_what_it_missed(server, by):
    token = server.token()
    with watching(server, device=token.device, types="push") as reader:
        reader.until("begin")
        server.push(token)
        last = reader.until("push")["id"]
    missed = [server.push(token).header("apns-id").lower() for _ in range(3)]
    headers, query = ({"last-event-id": last}, {}) if by == "header" else ({}, {"after": last})
    with watching(server, headers, device=token.device, types="push", **query) as reader:
        assert [reader.until("push")["data"]["apnsId"].lower() for _ in missed] == missed


def test_curl_reads_the_stream(server):
    token = server.token()
    curl = subprocess.Popen(
        ["curl", "-sN", "--max-time", "10", f"{server.admin_url}/v1/events?device={token.device}&types=push"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        lines = iter(curl.stdout.readline, "")
        assert next(line for line in lines if line.startswith("event:")) == "event: begin\n"
        server.push(token)
        assert next(line for line in lines if line.startswith("event: push"))
        assert next(lines).startswith("id: ")
        assert json.loads(next(lines).removeprefix("data: "))["device"] == token.device
    finally:
        curl.terminate()
        curl.wait(10)


def test_a_ledger_that_has_moved_on_says_which_events_are_missing(pushpit):
    server = pushpit("--fleet", "10", "--ideal", "--ledger", "20")
    token = server.token()
    with server.wire() as wire:
        for _ in range(60):
            server.push(token, wire=wire)
    with watching(server, after=1) as reader:
        gap = reader.until("gap")["data"]
        assert gap["from"] == 2 and gap["to"] > 2 and gap["restarted"] is False


def test_hundreds_of_pushes_at_once_are_counted_in_few_messages(pushpit):
    server = pushpit("--fleet", "300", "--ideal")
    tokens = server.tokens()
    with watching(server, types="push") as reader:
        reader.until("begin")
        with server.wire() as wire:
            for token in tokens:
                server.push(token, wire=wire)
        seen, messages = 0, 0
        while seen < len(tokens):
            message = reader.until("push", "many")
            messages += 1
            if message["event"] == "many":
                data = message["data"]
                assert len(data["last"]) == min(20, data["count"]) and data["pushes"] == data["count"]
                seen += data["count"]
            else:
                seen += 1
    assert seen == len(tokens) and messages < len(tokens)


def test_sixteen_viewers_watch_and_the_next_is_told_so(pushpit):
    server = pushpit("--fleet", "10")
    with ExitStack() as stack:
        clients = [server.client() for _ in range(MOST_VIEWERS)]
        for client in clients:
            response = stack.enter_context(client.stream("GET", "/v1/events"))
            assert response.status_code == 200
        refused = server.admin.get("/v1/events")
        assert_error(refused, 503)
        assert refused.json()["code"] == "too_many_viewers"
        assert server.admin.get("/health").status_code == 200
    deadline = time.monotonic() + 10
    while server.client().stream("GET", "/v1/events").__enter__().status_code != 200:
        assert time.monotonic() < deadline, "the seats of viewers that left are not free"


def test_viewers_are_beside_the_limit_of_admin_connections(pushpit):
    server = pushpit("--fleet", "10")
    host, port = server.admin_url.removeprefix("http://").rsplit(":", 1)
    with ExitStack() as stack:
        for _ in range(MOST_VIEWERS):
            response = stack.enter_context(server.client().stream("GET", "/v1/events"))
            assert response.status_code == 200
        idle = [stack.enter_context(socket.create_connection((host, int(port)))) for _ in range(120)]
        assert len(idle) == 120
        assert server.client().get("/health").status_code == 200


def test_a_viewer_that_does_not_read_costs_nothing_more(pushpit):
    server = pushpit("--fleet", "300", "--ideal")
    host, port = server.admin_url.removeprefix("http://").rsplit(":", 1)
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect((host, int(port)))
        deaf.sendall(b"GET /v1/events HTTP/1.1\r\nhost: localhost\r\n\r\n")
        tokens = server.tokens()
        with server.wire() as wire:
            for _ in range(10):
                for token in tokens:
                    assert server.push(token, wire=wire).status == 200
        assert server.admin.get("/health").status_code == 200


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"types": "pushes"}, "types"),
        ({"types": ""}, "types"),
        ({"device": "phone"}, "device"),
        ({"app": "com.nobody"}, "app"),
        ({"fate": "Deliverd to Device"}, "fate"),
        ({"after": "-1"}, "after"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_an_unknown_filter_is_refused(server, query, field):
    response = server.admin.get("/v1/events", params=query)
    assert_error(response, 400, 422, field=field)


def test_a_session_that_does_not_exist_is_refused(server):
    assert_error(server.admin.get("/v1/events", params={"session": "nobody's"}), 404, field="session")


def test_a_session_sees_its_own_pushes(server):
    own, other = server.token(), server.token()
    server.admin.post("/v1/sessions", json={"name": "watched", "devices": [own.device]})
    with watching(server, session="watched", types="push") as reader:
        reader.until("begin")
        server.push(other)
        server.push(own)
        push = reader.until("push")["data"]
        assert (push["device"], push["session"]) == (own.device, "watched")
    server.admin.delete("/v1/sessions/watched")
    assert_error(server.admin.get("/v1/events", params={"session": "watched"}), 404, 410)


def test_head_has_no_stream(server):
    response = server.admin.head("/v1/events")
    assert response.status_code == 200 and response.content == b""


def test_the_fleet_is_counted(pushpit):
    server = pushpit("--fleet", "5000", "--ideal")
    token = server.token()
    before = server.get("/v1/fleet/summary")
    assert before["devices"] == before["lookedAt"] == 5000
    assert before["online"] + before["offline"] == 5000
    assert sum(row["devices"] for row in before["versions"]) == 5000
    tiles = before["tiles"]
    assert len(tiles["devices"]) == 4096 and sum(tiles["devices"]) == 5000
    assert all(len(column) == 4096 for column in tiles.values())
    server.push(token)
    server.admin.post(f"/v1/devices/{token.device}/actions", json={"do": "goOffline"})
    after = server.get("/v1/fleet/summary")
    assert after["offline"] == before["offline"] + 1
    tile = int(token.device[1:]) * 4096 // 5000
    assert after["tiles"]["offline"][tile] == 1
    assert after["fates"][after["tiles"]["fate"][tile]] == "Delivered to Device"
