"""What a test suite on another file system needs of a server: its addresses, its authority and its keys."""

import ssl
import time

import pytest

from faulting import fault
from wire import client_context


def test_ready_answers_the_ready_line(pushpit):
    server = pushpit("--fleet", "1")
    assert server.get("/v1/ready") == server.get("/v1/server") == server.ready


def test_the_authority_can_be_downloaded_and_trusted(pushpit, tmp_path):
    server = pushpit("--fleet", "1")
    response = server.admin.get("/v1/ca.pem")
    assert response.headers["content-type"] == "application/x-pem-file"
    assert response.text == server.ca.read_text()
    downloaded = tmp_path / "ca.pem"
    downloaded.write_text(response.text)
    assert isinstance(client_context(downloaded), ssl.SSLContext)


def test_a_key_that_pushpit_made_can_be_downloaded_and_is_not_cached(pushpit):
    server = pushpit("--fleet", "1")
    response = server.admin.get("/v1/keys")
    assert response.headers["cache-control"] == "no-store"
    (key,) = response.json()["keys"]
    (ready,) = server.ready["keys"]
    assert key["keyId"] == ready["keyId"] and key["teamId"] == ready["teamId"] and key["withheld"] is None
    with open(ready["p8"]) as file:
        assert key["p8"] == file.read()


def test_a_key_that_somebody_else_made_is_withheld(pushpit, fails, tmp_path):
    other, state = tmp_path / "other", tmp_path / "state"
    assert fails("keys", "make", "--key-id", "THEIRS0001", "--state", str(other)).returncode == 0
    file = other / "AuthKey_THEIRS0001.p8"
    added = fails("keys", "add", str(file), "--key-id", "THEIRS0001", "--state", str(state))
    assert added.returncode == 0, added.stderr
    (key,) = pushpit("--fleet", "1", state=state).get("/v1/keys")["keys"]
    assert key["keyId"] == "THEIRS0001" and key["p8"] is None
    assert "did not make this key" in key["withheld"]


@pytest.mark.parametrize("allowed", [False, True])
def test_keys_are_withheld_where_others_can_reach_the_admin_api(pushpit, allowed):
    flags = ["--allow-key-download"] if allowed else []
    server = pushpit("--fleet", "1", "--host", "0.0.0.0", *flags)
    (key,) = server.get("/v1/keys")["keys"]
    assert (key["p8"] is not None) == allowed
    if not allowed:
        assert "--allow-key-download" in key["withheld"]


def test_a_session_whose_test_died_is_closed_when_it_expires_without_a_request_to_the_admin_api(pushpit):
    server = pushpit("--fleet", "1", "--ideal")
    order = {"name": "t", "claim": {}, "expires": "1s"}
    assert server.admin.post("/v1/sessions", json=order).json()["devices"] == ["d0"]
    fault(server, {"answer": "TooManyRequests"}, session="t")
    token = server.token()
    assert server.push(token).status == 429
    deadline = time.monotonic() + 30
    while server.push(token).status == 429:  # its fault ends with it
        assert time.monotonic() < deadline, "the session is still open"
    assert server.get("/v1/sessions/t")["open"] is False
