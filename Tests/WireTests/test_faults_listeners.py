"""Faults of listeners, as curl and Python's TLS meet them."""

import socket
import ssl
import subprocess
import time
from pathlib import Path

import pytest

from faulting import fault
from wire import TIMEOUT, client_context


@pytest.fixture
def server(pushpit):
    return pushpit("--fleet", "4", "--ideal")


def curl(server, environment: str = "sandbox", ca=None) -> int:
    url = server.url(environment, host="localhost") + "/3/device/00"
    command = ["curl", "-sS", "--max-time", "5", "--cacert", str(ca or server.ca), url]
    return subprocess.run(command, capture_output=True).returncode


def until(server, is_so, environment: str = "sandbox") -> int:
    """Listeners are told by their own threads: asked again until they do as they were told."""
    deadline = time.monotonic() + TIMEOUT
    while not is_so(found := curl(server, environment)) and time.monotonic() < deadline:
        pass
    return found


@pytest.mark.parametrize(
    "trouble,code",
    [("refuse", 7), ("failHandshake", 35), ("expired", 60), ("wrongName", 60), ("untrusted", 60), ("secondRoot", 60)],
)
def test_listeners_that_turn_clients_away_as_curl_says_it(server, trouble, code):
    assert curl(server) == 0
    fault(server, {"listener": trouble}, when={"environment": "sandbox"})
    assert until(server, lambda found: found != 0) == code
    assert curl(server, "production") == 0
    server.admin.request("POST", "/v1/reset")
    assert until(server, lambda found: found == 0) == 0


@pytest.mark.parametrize("chain", ["expired", "wrongName", "untrusted", "secondRoot"])
def test_a_server_presents_the_chain_of_its_setting(pushpit, chain):
    server = pushpit("--fleet", "1", "--chain", chain)
    assert server.ready["chain"] == chain
    assert curl(server) == curl(server, "production") == 60
    assert curl(server, ca=server.ready["secondCa"]) == (0 if chain == "secondRoot" else 60)
    assert f"chain       {chain}: clients that check certificates must" in server.log


def test_a_client_that_trusts_both_roots_does_not_notice_a_change(server, tmp_path):
    both = tmp_path / "both.pem"
    both.write_text(server.ca.read_text() + Path(server.ready["secondCa"]).read_text())
    assert curl(server) == curl(server, ca=both) == 0
    fault(server, {"listener": "secondRoot"}, name="new root")
    assert until(server, lambda found: found == 60) == 60
    assert curl(server, ca=both) == curl(server, ca=server.ready["secondCa"]) == 0
    assert server.admin.request("DELETE", "/v1/faults/new root").status_code == 200
    assert until(server, lambda found: found == 0) == 0
    assert curl(server, ca=both) == 0


def test_a_root_changes_for_a_time_of_the_worlds_clock(pushpit):
    server = pushpit("--fleet", "1", "--clock", "manual")
    fault(server, {"listener": "secondRoot"}, **{"for": "10m"})
    assert until(server, lambda found: found == 60) == 60
    assert server.admin.request("POST", "/v1/clock", json={"advance": "11m"}).status_code == 200
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
