"""Limits of the admin API's clients: they cannot wait for ever, be too many, or stop its loop with a lock."""

import fcntl
import json
import select
import socket
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from program import Pushpit, address
from wire import TIMEOUT

MOST = 128
"""Connections at a time."""
MOST_WAITING = 64

NEVER = {"expect": [{"pushes": {"devices": ["d0"]}, "count": 1}], "within": "5m"}
"""An expectation that is not met while nothing is pushed."""


def connect(server: Pushpit) -> socket.socket:
    return socket.create_connection(address(server.admin_url.removeprefix("http://")), timeout=TIMEOUT)


def request(method: str, path: str, body: dict | None = None, **headers: str) -> bytes:
    text = b"" if body is None else json.dumps(body).encode()
    fields = {"host": "localhost", "content-length": str(len(text))} | headers
    if body is not None:
        fields["content-type"] = "application/json"
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return head.encode() + b"\r\n" + text


def answer(client: socket.socket) -> tuple[int, dict]:
    """Reads until the server closes."""
    text = b"".join(iter(lambda: client.recv(65_536), b""))
    head, _, body = text.partition(b"\r\n\r\n")
    return int(head.split(b" ")[1]), json.loads(body)


def read_to_end(client: socket.socket) -> bytes:
    text = b""
    try:
        while part := client.recv(65_536):
            text += part
    except ConnectionResetError:
        pass  # closed with unread bytes
    return text


def descriptors(server: Pushpit) -> int:
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))


def until(condition, why: str) -> None:
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < deadline, why
        time.sleep(0.01)


@contextmanager
def waiting(server: Pushpit):
    """As many clients as may wait, for what does not happen."""
    with ExitStack() as stack:
        clients = [stack.enter_context(connect(server)) for _ in range(MOST_WAITING)]
        for client in clients:
            client.sendall(request("POST", "/v1/verify", NEVER))

        def is_full() -> bool:
            # The one who asks takes a seat for a moment, too: whoever was refused therefore asks again.
            for client in select.select(clients, [], [], 0)[0]:
                assert read_answer(client)[0] == 503
                client.sendall(request("POST", "/v1/verify", NEVER))
            return server.admin.post("/v1/verify", json=NEVER | {"within": 0.001}).status_code == 503

        until(is_full, "not all of them wait")
        yield clients


def test_clients_that_go_away_while_they_wait_leave_nothing_behind(pushpit):
    server = pushpit("--fleet", "1")
    server.admin.get("/health")  # this connection stays open
    before = descriptors(server)
    for _ in range(4):
        with waiting(server):
            assert descriptors(server) >= before + MOST_WAITING
            assert server.get("/health") == {"status": "ok"}
        # The seats are free as well: the next round needs all of them.
        until(lambda: descriptors(server) <= before, "their descriptors are still open")
        until(
            lambda: server.admin.post("/v1/verify", json=NEVER | {"within": 0.001}).status_code == 200,
            "their seats are still taken",
        )
    assert server.get("/v1/troubles")["troubles"] == []


def test_more_clients_than_may_wait_are_answered_503_and_the_others_go_on(pushpit):
    server = pushpit("--fleet", "1")
    with waiting(server) as clients:
        refused = server.admin.post("/v1/verify", json=NEVER)
        assert refused.status_code == 503 and refused.json()["code"] == "too_many_waiting", refused.text
        assert str(MOST_WAITING) in refused.json()["error"]
        now = server.admin.post("/v1/verify", json={"expect": NEVER["expect"]})
        assert now.status_code == 200 and now.json()["passed"] is False
        assert server.push(server.first_token()).verdict == (200, None)
        for client in clients:
            status, verdict = read_answer(client)
            assert status == 200 and verdict["passed"] is True
        assert server.admin.post("/v1/verify", json=NEVER).status_code == 200


def read_answer(client: socket.socket) -> tuple[int, dict]:
    """Reads one answer of a connection that stays open."""
    with client.makefile("rb") as lines:
        status = int(lines.readline().split(b" ")[1])
        fields = dict(line.decode().strip().lower().split(": ", 1) for line in iter(lines.readline, b"\r\n"))
        return status, json.loads(lines.read(int(fields["content-length"])))


def test_a_client_that_closes_its_side_no_longer_waits(pushpit):
    server = pushpit("--fleet", "1")
    server.admin.get("/health")  # this connection stays open
    before = descriptors(server)
    for order in (request("POST", "/v1/verify", NEVER), request("GET", "/v1/events")):
        with connect(server) as client:
            client.sendall(order + b"GET /never HTTP/1.1\r\n" * 1000)
            client.shutdown(socket.SHUT_WR)
            assert not read_to_end(client).startswith(b"HTTP/1.1 4")
            until(lambda: descriptors(server) <= before, "its connection is still open")


@pytest.mark.parametrize("pipelined", [1, 20])
def test_nothing_of_a_connection_beyond_the_limit_is_carried_out(pushpit, pipelined):
    server = pushpit("--fleet", "1")
    server.admin.get("/health")  # this connection stays open, for asking
    order = request("POST", "/v1/faults", {"then": {"answer": "TooManyRequests"}})
    with ExitStack() as stack:
        seated = [stack.enter_context(connect(server)) for _ in range(MOST - 1)]
        for client in seated[:10]:
            client.sendall(request("POST", "/v1/verify", NEVER))  # those that wait hold a seat, too
        seated[-1].sendall(request("GET", "/health"))
        assert read_answer(seated[-1])[0] == 200
        beyond = [stack.enter_context(connect(server)) for _ in range(60)]
        for client in beyond:
            client.sendall(order * pipelined)
        for client in beyond:
            status, problem = answer(client)
            assert status == 503 and problem["code"] == "unavailable" and str(MOST) in problem["error"], problem
        assert server.admin.get("/v1/faults").json()["faults"] == []
        troubles = server.admin.get("/v1/troubles").json()["troubles"]
        assert {trouble["kind"] for trouble in troubles} == {"tooManyAdminConnections"}
        assert select.select(seated[:10], [], [], 0)[0] == [], "those that wait still do"
    until(lambda: server.client().get("/health").status_code == 200, "no seat is free again")


@contextmanager
def locked(server: Pushpit):
    """Another program holds the lock of the state folder."""
    with (server.state / ".lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


CHANGES = [
    ("POST", "/v1/keys", {}),
    ("POST", "/v1/certificates", {"topic": "com.example.app"}),
    ("DELETE", "/v1/keys/{key}", None),
    ("POST", "/v1/certificates", {"pem": "{certificate}"}),
]


@pytest.mark.parametrize(("method", "path", "body"), CHANGES, ids=["make-key", "make-cert", "revoke", "add-cert"])
def test_a_folder_that_another_program_has_locked_stops_nobody_else(pushpit, method, path, body):
    server = pushpit("--fleet", "1")
    token = server.first_token()
    path = path.format(key=server.ready["keys"][0]["keyId"])
    if body and "pem" in body:
        made = server.admin.post("/v1/certificates", json={"topic": "com.example.app"}).json()
        text = Path(made["file"]).read_text()
        body = {"pem": text[text.index("-----BEGIN CERTIFICATE") :]}
    keys = server.get("/v1/keys")
    answers: list[httpx.Response] = []
    with locked(server):
        asking = [
            threading.Thread(target=lambda: answers.append(server.client().request(method, path, json=body)))
            for _ in range(5)
        ]
        for thread in asking:
            thread.start()
        while any(thread.is_alive() for thread in asking):
            # Each of these would wait for the lock too, if a loop did.
            assert server.get("/health") == {"status": "ok"}
            assert server.push(token).verdict == (200, None)
        for refused in answers:
            assert refused.status_code == 503 and refused.json()["code"] == "unavailable", refused.text
            assert str(server.state) in refused.json()["error"] and "field" not in refused.json()
    assert len(answers) == 5
    assert server.get("/v1/keys") == keys, "nothing was changed"
    assert server.client().request(method, path, json=body).status_code in (200, 201)


def test_a_server_whose_folder_is_locked_stops_when_asked(pushpit):
    server = pushpit("--fleet", "1")
    with locked(server), connect(server) as client:
        client.sendall(request("POST", "/v1/keys", {}))
        assert server.get("/health") == {"status": "ok"}
        server.stop()


def status_of(text: bytes) -> int | None:
    """Returns the status of the first answer, or None without an answer."""
    return int(text.split(b" ")[1]) if text else None


def test_orders_that_wait_for_a_locked_folder_are_answered_when_the_server_stops(pushpit):
    server = pushpit("--fleet", "1")
    keys = (server.state / "keys.json").read_bytes()
    with locked(server), ExitStack() as stack:
        clients = [stack.enter_context(connect(server)) for _ in range(3)]
        for client in clients:
            client.sendall(request("POST", "/v1/keys", {}))
        for _ in range(3):
            assert server.get("/health") == {"status": "ok"}
        server.stop()
        answers = [read_to_end(client) for client in clients]
    assert [status_of(text) for text in answers] == [503] * 3
    assert all(b'"code":"unavailable"' in text for text in answers), answers
    assert (server.state / "keys.json").read_bytes() == keys
    assert "[warn]" not in server.log


def test_a_server_that_stops_answers_each_order_for_a_certificate_and_makes_those_that_it_says_it_made(pushpit):
    server = pushpit("--fleet", "1")
    with ExitStack() as stack:
        clients = [stack.enter_context(connect(server)) for _ in range(6)]
        for client in clients:
            client.sendall(request("POST", "/v1/certificates", {"topic": "com.example.app"}))
        for _ in range(3):
            assert server.get("/health") == {"status": "ok"}
        server.stop()
        answers = [read_to_end(client) for client in clients]
    assert {status_of(text) for text in answers} <= {201, 503}
    made = [json.loads(text.partition(b"\r\n\r\n")[2])["fingerprint"] for text in answers if status_of(text) == 201]
    path = server.state / "provider-certificates.json"
    listed = json.loads(path.read_text())["certificates"] if path.exists() else []
    assert sorted(made) == sorted(entry["fingerprint"] for entry in listed)
    assert "[warn]" not in server.log


def test_an_order_of_a_client_that_went_away_before_its_turn_is_not_carried_out(pushpit):
    server = pushpit("--fleet", "1")
    keys = server.get("/v1/keys")
    with locked(server):
        with connect(server) as client:
            client.sendall(request("POST", "/v1/keys", {"keyId": "GONE000001"}))
            client.sendall(request("GET", "/health"))
        # A later request for the folder is answered after that one.
        assert server.admin.post("/v1/keys", json={}).status_code == 503
    assert server.get("/v1/keys") == keys
