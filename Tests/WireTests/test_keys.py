"""Keys and certificates of a running server: added, listed and revoked without a restart."""

import ssl
import time

import httpx
import jwt
import pytest

from program import ALERT, APP, SMOOTH, TEAM
from provider_tokens import ProviderKey
from wire import client_context

pytestmark = pytest.mark.tools

NEW = "NEWKEY0001"


@pytest.fixture
def server(pushpit, tmp_path):
    return pushpit(*SMOOTH, "--fleet", "20", "--token-requests-per-second", "0", state=tmp_path / "state")


@pytest.fixture
def backend(server):
    """A backend on httpx: one connection, and one provider token for each key."""
    opened = []

    def backend(key_id: str, p8: str, team_id: str = TEAM) -> httpx.Client:
        token = jwt.encode({"iss": team_id, "iat": int(time.time())}, p8, "ES256", {"kid": key_id})
        client = httpx.Client(
            http2=True,
            verify=ssl.create_default_context(cafile=str(server.ca)),
            base_url=server.url(host="localhost"),
            headers={"authorization": f"bearer {token}", "apns-topic": APP, "apns-push-type": "alert"},
            timeout=60,
            trust_env=False,
        )
        opened.append(client)
        return client

    yield backend
    for client in opened:
        client.close()


def verdict(client: httpx.Client, token) -> tuple[int, str | None]:
    response = client.post(f"/3/device/{token}", content=ALERT)
    return response.status_code, response.json()["reason"] if response.content else None


def first(server, backend) -> httpx.Client:
    return backend(server.key.key_id, server.key.p8.read_text(), server.key.team_id)


def key_ids(server) -> list[str]:
    return [key["keyId"] for key in server.get("/v1/keys")["keys"]]


def test_a_key_that_is_made_signs_the_next_token(server, backend):
    made = server.admin.post("/v1/keys", json={"keyId": NEW})
    assert made.status_code == 201, made.text
    assert made.headers["cache-control"] == "no-store" and made.json()["p8"].startswith("-----BEGIN PRIVATE KEY")
    assert verdict(backend(NEW, made.json()["p8"]), server.token()) == (200, None)
    assert key_ids(server)[-1] == NEW and server.get("/v1/ready")["keys"][-1]["keyId"] == NEW


@pytest.mark.parametrize(
    ("path", "body", "file"),
    [
        ("/v1/keys", {}, "keys.json"),
        ("/v1/keys/reload", {}, "keys.json"),
        ("/v1/certificates", {"topic": "com.example.app"}, "provider-certificates.json"),
        ("/v1/certificates", {"topic": "com.example.app"}, "providers"),
    ],
)
def test_a_state_folder_that_cannot_be_read_or_written_is_an_error_of_the_server(pushpit, path, body, file):
    server = pushpit("--fleet", "1")
    keys = server.get("/v1/keys")
    place = server.state / file
    place.unlink(missing_ok=True)
    # A file in the place of a folder, and a folder in the place of a file, stop root, too.
    if file == "providers":
        place.write_text("in the way")
    else:
        place.mkdir()
    refused = server.admin.post(path, json=body)
    assert refused.status_code == 500, refused.text
    assert str(place) in refused.json()["error"] and refused.json()["code"] == "error" and "field" not in refused.json()
    assert server.get("/v1/keys") == keys


def test_the_file_of_a_key_goes_with_the_key(server, fails, tmp_path):
    before = sorted(server.state.iterdir())
    for number in range(5):
        made = server.admin.post("/v1/keys", json={"keyId": f"{NEW}{number}"})
        assert made.status_code == 201, made.text
    public = ProviderKey.make(tmp_path / "own.p8", NEW, TEAM).public_pem.decode()
    assert server.admin.post("/v1/keys", json={"keyId": NEW, "pem": public}).status_code == 201
    assert len(list(server.state.iterdir())) == len(before) + 6
    for key_id in [NEW, *(f"{NEW}{number}" for number in range(4))]:
        assert server.admin.delete(f"/v1/keys/{key_id}").status_code == 200
    assert fails("keys", "remove", f"{NEW}4", "--state", str(server.state)).returncode == 0
    assert sorted(server.state.iterdir()) == before


def test_an_existing_key_is_registered_by_its_public_half(server, backend, tmp_path):
    key = ProviderKey.make(tmp_path / "own.p8", NEW, TEAM)
    client = backend(NEW, key.p8.read_text())
    assert verdict(client, server.token()) == (403, "InvalidProviderToken")
    added = server.admin.post("/v1/keys", json={"keyId": NEW, "pem": key.public_pem.decode()})
    assert added.status_code == 201 and added.json()["p8"] is None, added.text
    assert verdict(client, server.token()) == (200, None)
    again = server.admin.post("/v1/keys", json={"keyId": NEW, "pem": key.public_pem.decode()})
    assert (again.status_code, again.json()["field"]) == (409, "keyId")


def test_a_revoked_key_is_refused_on_the_connection_where_it_was_accepted(server, backend):
    client, token = first(server, backend), server.token()
    later = first(server, backend)
    for _ in range(3):
        assert verdict(client, token) == (200, None)
    revoked = server.admin.delete(f"/v1/keys/{server.key.key_id}")
    assert (revoked.status_code, revoked.json()) == (200, {"deleted": [server.key.key_id]})
    for _ in range(2):
        assert verdict(client, token) == (403, "InvalidProviderToken")
    assert verdict(later, token) == (403, "InvalidProviderToken")
    assert key_ids(server) == []
    assert server.admin.delete("/v1/keys/NOBODY0001").status_code == 404


def test_the_other_keys_stay_accepted_on_their_connections(server, backend):
    made = server.admin.post("/v1/keys", json={"keyId": NEW}).json()
    client = first(server, backend)
    assert verdict(client, server.token()) == (200, None)
    server.admin.delete(f"/v1/keys/{NEW}")
    assert verdict(client, server.token()) == (200, None)
    assert verdict(backend(NEW, made["p8"]), server.token()) == (403, "InvalidProviderToken")


def test_the_commands_on_the_state_folder_reach_its_running_server(server, backend, fails):
    state = ("--state", str(server.state))
    made = fails("keys", "make", "--key-id", NEW, *state)
    assert made.returncode == 0 and "the running server has applied the change" in made.stderr, made.stderr
    with open(made.stdout.strip()) as file:
        client = backend(NEW, file.read())
    assert verdict(client, server.token()) == (200, None)
    removed = fails("keys", "remove", NEW, *state)
    assert removed.returncode == 0 and "the running server has applied the change" in removed.stderr, removed.stderr
    assert verdict(client, server.token()) == (403, "InvalidProviderToken")


def test_changed_keys_stand_on_the_tape_and_a_resumed_server_has_them(pushpit, backend, fails, tmp_path):
    tape, state = tmp_path / "run.tape", tmp_path / "keys"
    flags = (*SMOOTH, "--fleet", "6", "--token-requests-per-second", "0", "--clock", "manual")
    server = pushpit(*flags, "--tape", str(tape), state=state)
    token, old = server.token(), server.jwt
    with server.wire() as wire:
        assert server.push(token, wire=wire).verdict == (200, None)
        p8 = tmp_path / "new.p8"
        p8.write_text(server.admin.post("/v1/keys", json={"keyId": NEW}).json()["p8"])
        server.admin.delete(f"/v1/keys/{server.key.key_id}")
        assert server.push(token, wire=wire).verdict == (403, "InvalidProviderToken")
    new = ProviderKey(p8, NEW, TEAM).token()
    assert server.push(token, jwt=new).verdict == (200, None)
    server.stop()
    replayed = fails("replay", str(tape))
    assert replayed.returncode == 0 and "3 pushes, 2 orders" in replayed.stdout, replayed.stdout
    again = pushpit(*flags, "--resume", str(tape), state=state)
    assert again.push(token, jwt=new).verdict == (200, None)
    assert again.push(token, jwt=old).verdict == (403, "InvalidProviderToken")


def test_a_restarted_server_has_the_keys_that_were_added_and_not_those_that_were_revoked(pushpit, server):
    server.admin.post("/v1/keys", json={"keyId": NEW})
    server.admin.delete(f"/v1/keys/{server.key.key_id}")
    server.stop()
    again = pushpit(*SMOOTH, "--fleet", "1", state=server.state)
    assert [key["keyId"] for key in again.ready["keys"]] == [NEW]


def test_a_certificate_that_is_made_is_accepted_and_once_revoked_ends_its_connections(server):
    made = server.admin.post("/v1/certificates", json={"topic": APP})
    assert made.status_code == 201, made.text
    fingerprint, token = made.json()["fingerprint"], server.token()
    context = client_context(server.ca, certificate=made.json()["file"])
    with server.wire(context=context) as wire:
        changes = {"wire": wire, "authorization": None}
        assert server.push(token, **changes).verdict == (200, None)
        assert server.admin.delete(f"/v1/certificates/{fingerprint[:12]}").json() == {"deleted": [fingerprint]}
        assert server.push(token, **changes).verdict == (403, "BadCertificate")
        wire.until_closed()
    (listed,) = server.get("/v1/certificates")["certificates"]
    assert (listed["fingerprint"], listed["state"]) == (fingerprint, "revoked")
    assert any("was revoked" in trouble["sentence"] for trouble in server.get("/v1/troubles")["troubles"])


def test_a_certificate_of_somebody_else_is_registered_from_its_text(server, tmp_path, fails):
    other = tmp_path / "other"
    made = fails("certs", "provider", "--topic", APP, "--state", str(other))
    pem = made.stdout.splitlines()[0]
    token, context = server.token(), client_context(server.ca, certificate=pem)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with pytest.raises(ssl.SSLError, match="(?i)unknown.ca"):
        server.wire(context=context)
    with open(pem) as file:
        added = server.admin.post("/v1/certificates", json={"pem": file.read()})
    assert added.status_code == 201, added.text
    with open(added.json()["file"]) as file:
        assert "PRIVATE KEY" not in file.read()
    with server.wire(context=context) as wire:
        assert server.push(token, wire=wire, authorization=None).verdict == (200, None)


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("keys", {"pem": "x"}, "keyId"),
        ("keys", {"keyId": NEW, "pem": "x"}, "pem"),
        ("keys", {"keyId": "a b"}, "keyId"),
        ("keys", {"environment": "moon"}, "environment"),
        ("certificates", {}, "topic"),
        ("certificates", {"pem": "x"}, "pem"),
        ("certificates", {"topic": APP + ".voip"}, "topic"),
    ],
)
def test_what_cannot_be_a_key_or_a_certificate_is_refused_with_a_sentence(server, path, body, field):
    before = key_ids(server)
    response = server.admin.post(f"/v1/{path}", json=body)
    assert response.status_code == 422 and response.json()["field"] == field, response.text
    assert key_ids(server) == before and server.get("/v1/certificates")["certificates"] == []
