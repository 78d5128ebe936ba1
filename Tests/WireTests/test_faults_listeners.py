"""Faults of listeners, as curl and Python's TLS meet them."""

import socket
import ssl
import subprocess
import time

import pytest

from faulting import fault
from wire import TIMEOUT, client_context


@pytest.fixture
def server(pushpit):
    return pushpit("--fleet", "4", "--ideal")


def curl(server, environment: str = "sandbox") -> int:
    url = server.url(environment, host="localhost") + "/3/device/00"
    command = ["curl", "-sS", "--max-time", "5", "--cacert", str(server.ca), url]
    return subprocess.run(command, capture_output=True).returncode


def until(server, is_so, environment: str = "sandbox") -> int:
    """Listeners are told by their own threads: asked again until they do as they were told."""
    deadline = time.monotonic() + TIMEOUT
    while not is_so(found := curl(server, environment)) and time.monotonic() < deadline:
        pass
    return found


@pytest.mark.parametrize(
    "trouble,code",
    [("refuse", 7), ("failHandshake", 35), ("expired", 60), ("wrongName", 60), ("unknownAuthority", 60)],
)
def test_listeners_that_turn_clients_away_as_curl_says_it(server, trouble, code):
    assert curl(server) == 0
    fault(server, {"listener": trouble}, when={"environment": "sandbox"})
    assert until(server, lambda found: found != 0) == code
    assert curl(server, "production") == 0
    server.admin.request("POST", "/v1/reset")
    assert until(server, lambda found: found == 0) == 0


def greeted(server, timeout: float) -> float:
    """Seconds that a handshake took."""
    began = time.monotonic()
    with socket.create_connection(server.address(), timeout=timeout) as plain:
        with client_context(server.ca).wrap_socket(plain, server_hostname="localhost"):
            return time.monotonic() - began


def test_a_handshake_takes_its_time(server):
    fault(server, {"listener": "slowHandshake", "after": "700ms"})
    deadline = time.monotonic() + TIMEOUT
    while (took := greeted(server, TIMEOUT)) < 0.7 and time.monotonic() < deadline:
        pass
    assert took >= 0.7
    assert server.push(server.token()).status == 200


def test_a_listener_hangs_and_those_who_came_meanwhile_are_never_greeted(server):
    fault(server, {"listener": "hang"}, name="hung")
    deadline = time.monotonic() + TIMEOUT
    hung = None
    while hung is None and time.monotonic() < deadline:
        plain = socket.create_connection(server.address(), timeout=1)
        try:
            client_context(server.ca).wrap_socket(plain, server_hostname="localhost").close()
        except (TimeoutError, ssl.SSLError):
            hung = plain
    assert hung is not None, "every handshake went well"
    assert server.admin.request("DELETE", "/v1/faults/hung").status_code == 200
    assert until(server, lambda found: found == 0) == 0


def test_one_listener_fault_over_another_leaves_that_other_behind(server):
    fault(server, {"listener": "expired"}, name="old certificate")
    fault(server, {"listener": "refuse"}, name="down")
    assert until(server, lambda found: found == 7) == 7
    server.admin.request("DELETE", "/v1/faults/down")
    assert until(server, lambda found: found == 60) == 60
    server.admin.request("DELETE", "/v1/faults/old certificate")
    assert until(server, lambda found: found == 0) == 0
