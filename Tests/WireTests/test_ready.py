"""The needs of a test suite on another file system: a server's addresses, its authority and its keys."""

import json
import os
import ssl
import subprocess
import time
from pathlib import Path

import pytest

from faulting import fault
from wire import client_context


def test_ready_answers_the_ready_line(pushpit):
    server = pushpit("--fleet", "1")
    assert server.get("/v1/ready") == server.ready


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


NOBODY = 65534


def asked(server, method: str, path: str, user: int, address: str | None = None) -> dict:
    """Another program of that user asks."""
    url = server.admin_url if address is None else f"http://{address}:{server.admin_url.rsplit(':', 1)[1]}"
    body = ["--json", "{}"] if method == "POST" else []
    command = ["curl", "--silent", "--show-error", "--noproxy", "*", "--max-time", "30", "--request", method, *body]
    done = subprocess.run([*command, url + path], capture_output=True, text=True, user=user, group=user, cwd="/")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(
    ("host", "addresses"),
    [("127.0.0.1", ["127.0.0.1", "[::ffff:127.0.0.1]"]), ("::1", ["[::1]"]), ("::", ["127.0.0.1", "[::1]"])],
)
def test_private_keys_are_only_for_the_user_who_owns_the_server(pushpit, shared, host, addresses):
    server = pushpit("--fleet", "1", "--host", host, *(["--share-keys"] if shared else []))
    for address in addresses:
        for method, path in (("GET", "/v1/keys"), ("POST", "/v1/keys")):
            mine, others = (asked(server, method, path, user, address) for user in (0, NOBODY))
            if method == "GET":
                mine, others = mine["keys"][0], others["keys"][0]
            assert mine["p8"].startswith("-----BEGIN PRIVATE KEY-----"), (address, mine)
            assert (others["p8"] is not None) == shared, (address, others)
            assert shared or "--share-keys" in others["withheld"], (address, others)


def test_what_was_put_in_the_place_of_a_key_is_not_given_away(pushpit, tmp_path):
    server = pushpit("--fleet", "1")
    (ready,) = server.ready["keys"]
    file = Path(ready["p8"])
    kept = file.read_text()
    (tmp_path / "link.p8").write_text(kept)
    (tmp_path / "secret").write_text("what only root may read")
    for put in (
        lambda: file.symlink_to(tmp_path / "secret"),
        lambda: file.symlink_to(tmp_path / "link.p8"),
        lambda: file.write_text("what only root may read"),
        lambda: file.write_text(kept.replace("PRIVATE KEY", "EC PRIVATE KEY")),
        lambda: os.mkfifo(file),
    ):
        file.unlink()
        put()
        (key,) = server.get("/v1/keys")["keys"]
        assert key["p8"] is None and "cannot be read" in key["withheld"], key
    file.unlink()
    file.write_text("what only root may read\n" + kept + "more of it\n")
    (key,) = server.get("/v1/keys")["keys"]
    assert key["p8"] is None or key["p8"] == kept


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
