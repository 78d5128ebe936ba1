"""curl as people use it: Apple's own command lines, and every way curl can speak TLS and HTTP."""

import json
import re
import ssl
import subprocess
from pathlib import Path

import pytest

from program import ALERT, APP, LIVE_ACTIVITY, environment
from wire import TIMEOUT, client_context

# The two commands of Apple's session and article, letter for letter; only the host is written @HOST@.
SEED_SIGHTSCREEN = r"""
curl \
  --header "apns-topic: com.yourapp.bundle.push-type.liveactivity" \
  --header "apns-push-type: liveactivity" \
  --header "apns-priority: 10" \
  --header "authorization: bearer $AUTHENTICATION_TOKEN" \
  --data '{
    "aps": {
      "timestamp": '$(date +%s)',
      "event": "update",
      "content-state": {
        "teamOneScore": 2,
        "teamTwoScore": 1
      }
    }
  }' \
  --http2 https://@HOST@/3/device/$ACTIVITY_PUSH_TOKEN
"""
SEED_EMOJI_RANGERS = r"""
curl \
--header "apns-topic: com.example.apple-samplecode.Emoji-Rangers.push-type.liveactivity" \
--header "apns-push-type: liveactivity" \
--header "apns-priority: 10" \
--header "authorization: bearer $AUTHENTICATION_TOKEN" \
--data '{
"aps": {
"timestamp": '$(date +%s)',
"event": "update",
"content-state": {
"currentHealthLevel": 0.941,
"eventDescription": "Power Panda found a sword!"
}
}
}' \
--http2 https://@HOST@/3/device/$ACTIVITY_PUSH_TOKEN
"""
# Apple's "Sending push notifications using command-line tools": the token is signed by openssl, so it is DER.
APPLE_RECIPE = r"""
set -e
JWT_ISSUE_TIME=$(date +%s)
JWT_HEADER=$(printf '{ "alg": "ES256", "kid": "%s" }' "${AUTH_KEY_ID}" | openssl base64 -e -A | tr -- '+/' '-_' | tr -d =)
JWT_CLAIMS=$(printf '{ "iss": "%s", "iat": %d }' "${TEAM_ID}" "${JWT_ISSUE_TIME}" | openssl base64 -e -A | tr -- '+/' '-_' | tr -d =)
JWT_HEADER_CLAIMS="${JWT_HEADER}.${JWT_CLAIMS}"
JWT_SIGNED_HEADER_CLAIMS=$(printf "${JWT_HEADER_CLAIMS}" | openssl dgst -binary -sha256 -sign "${TOKEN_KEY_FILE_NAME}" | openssl base64 -e -A | tr -- '+/' '-_' | tr -d =)
AUTHENTICATION_TOKEN="${JWT_HEADER}.${JWT_CLAIMS}.${JWT_SIGNED_HEADER_CLAIMS}"
curl -v --header "apns-topic: $TOPIC" --header "apns-push-type: alert" --header "authorization: bearer $AUTHENTICATION_TOKEN" --data '{"aps":{"alert":"test"}}' --http2 https://${APNS_HOST_NAME}/3/device/${DEVICE_TOKEN}
"""  # noqa: E501


def shell(script: str, home: Path, **env: str) -> subprocess.CompletedProcess:
    """Runs a script as it stands. The status goes to stdout through .curlrc, so that the command need not say so."""
    (home / ".curlrc").write_text('silent\nwrite-out = "%{http_code} %{http_version}"\n')
    return subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, timeout=60, env=environment(home, **env), cwd=home
    )


def curl(
    server, token, home: Path, *flags: str, url: str | None = None, headers: dict | None = None, body: bytes = ALERT
) -> subprocess.CompletedProcess:
    fields = {
        "authorization": f"bearer {server.jwt}",
        "apns-topic": APP,
        "apns-push-type": "alert",
        "apns-priority": "10",
    } | (headers or {})
    return subprocess.run(
        [
            "curl",
            "--disable",
            "-sS",
            "-w",
            "\n%{http_code} %{http_version}",
            "--cacert",
            str(server.ca),
            *(x for n, v in fields.items() for x in ("--header", f"{n}: {v}")),
            "--data-binary",
            body.decode(),
            *flags,
            url or f"{server.url()}/3/device/{token}",
        ],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(home),
    )


@pytest.mark.parametrize(
    ("command", "app"),
    [(SEED_SIGHTSCREEN, "com.yourapp.bundle"), (SEED_EMOJI_RANGERS, "com.example.apple-samplecode.Emoji-Rangers")],
    ids=["sightscreen", "emoji rangers"],
)
def test_the_documented_curl_command_works_with_only_host_and_ca_changed(pushpit, home, command, app):
    """S15: HTTP/2, four headers, path /3/device/<hex>."""
    server = pushpit("--fleet", "5", "--running-activities", "1", "--app", f"{app}:sandbox:ScoreAttributes")
    token = server.token("update", app)
    host, port = server.address()
    result = shell(
        command.replace("@HOST@", f"{host}:{port}"),
        home,
        AUTHENTICATION_TOKEN=server.jwt,
        ACTIVITY_PUSH_TOKEN=str(token),
        CURL_CA_BUNDLE=str(server.ca),
    )
    assert (result.returncode, result.stdout) == (0, "200 2"), result.stderr
    [push] = server.pushes()
    assert push["device"] == token.device
    assert json.loads(push["request"]["body"])["aps"]["event"] == "update"


def test_apples_command_line_recipe_works(server, home):
    """S15 S16: the token of Apple's own recipe carries a DER signature and spaced JSON."""
    token = server.token()
    host, port = server.address()
    result = shell(
        APPLE_RECIPE,
        home,
        AUTH_KEY_ID=server.key.key_id,
        TEAM_ID=server.key.team_id,
        TOKEN_KEY_FILE_NAME=str(server.key.p8),
        TOPIC=APP,
        DEVICE_TOKEN=str(token),
        APNS_HOST_NAME=f"{host}:{port}",
        CURL_CA_BUNDLE=str(server.ca),
    )
    assert (result.returncode, result.stdout) == (0, "200 2"), result.stderr


@pytest.mark.parametrize(
    "flags",
    [
        ("--http2",),
        ("--no-alpn", "--http2-prior-knowledge"),
        ("--http2", "--tlsv1.2", "--tls-max", "1.2"),
        ("--http2", "--tlsv1.3"),
        ("--no-alpn", "--http2-prior-knowledge", "--tlsv1.2", "--tls-max", "1.2"),
    ],
    ids=["ALPN", "no ALPN", "TLS 1.2", "TLS 1.3", "TLS 1.2 without ALPN"],
)
def test_every_way_of_speaking_http_2_is_served(server, home, flags):
    """S2 S16: TLS 1.2 and 1.3, with ALPN and without it."""
    result = curl(server, server.first_token(), home, *flags)
    assert (result.returncode, result.stdout) == (0, "\n200 2"), result.stderr


@pytest.mark.parametrize("name", ["api.push.apple.com", "api.sandbox.push.apple.com", "localhost"])
def test_the_certificate_is_good_for_apples_names(server, home, name):
    """S3: a client that keeps Apple's host name and only connects elsewhere is served."""
    host, port = server.address()
    result = curl(
        server,
        server.first_token(),
        home,
        "--http2",
        "--connect-to",
        f"{name}:443:{host}:{port}",
        url=f"https://{name}/3/device/{server.first_token()}",
    )
    assert (result.returncode, result.stdout) == (0, "\n200 2"), result.stderr


def test_without_the_ca_curl_refuses_the_server(server, home):
    result = subprocess.run(
        ["curl", "--disable", "-sS", f"{server.url()}/"],
        capture_output=True,
        text=True,
        env=environment(home),
        timeout=60,
    )
    assert result.returncode == 60, result.stderr


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1], ids=["1.0", "1.1"])
def test_tls_below_1_2_is_refused_by_the_server(server, version):
    """S2: TLS 1.2 or later; anything lower fails in the handshake, with the server's alert."""
    import socket

    context = client_context(server.ca, minimum=version, maximum=version)
    context.set_ciphers("ALL:@SECLEVEL=0")
    with socket.create_connection(server.address(), timeout=TIMEOUT) as plain:
        with pytest.raises(ssl.SSLError) as refusal:
            context.wrap_socket(plain, server_hostname="localhost")
    assert refusal.value.reason == "TLSV1_ALERT_PROTOCOL_VERSION"


def test_an_http_1_1_request_gets_no_http_answer(server, home):
    """S1: HTTP/2 is mandatory; curl --http1.1 sees something that is not HTTP."""
    result = curl(server, server.first_token(), home, "--http1.1")
    assert result.returncode != 0
    assert result.stdout.splitlines()[-1].startswith("000 "), result.stdout


@pytest.mark.parametrize("alpn", [["http/1.1"], None], ids=["ALPN http/1.1", "no ALPN"])
def test_an_http_1_1_client_sees_the_settings_frame(server, alpn):
    """S1: what Apple sends such a client is its SETTINGS frame, beginning 00 00 18 04."""
    import socket

    context = client_context(server.ca, alpn=alpn)
    with socket.create_connection(server.address(), timeout=TIMEOUT) as plain:
        with context.wrap_socket(plain, server_hostname="localhost") as tls:
            tls.settimeout(TIMEOUT)
            tls.sendall(b"POST /3/device/00 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
            received = b""
            while len(received) < 4:
                data = tls.recv(4096)
                assert data, f"closed after {received!r}"
                received += data
    assert received[:4] == bytes.fromhex("00001804")


def test_http_1_1_is_recognised_and_said_in_a_sentence(server, home):
    """S1: and the user is told, on the server's side."""
    curl(server, server.first_token(), home, "--http1.1")
    sentences = [t["sentence"] for t in server.get("/v1/troubles")["troubles"]]
    assert any(re.search(r"HTTP/1", s) for s in sentences), sentences


def test_errors_come_back_as_a_reason(server, home):
    """S17: well-formed JSON with `reason`, and apns-id in the headers."""
    result = curl(server, "0" * 64, home, "--http2", "-D", "-")
    head, body, status = (
        result.stdout.replace("\r\n", "\n").rpartition("\n")[0].partition("\n\n")[0],
        result.stdout.replace("\r\n", "\n").partition("\n\n")[2].rpartition("\n")[0],
        result.stdout.rpartition("\n")[2],
    )
    assert status == "400 2"
    assert body == '{"reason":"BadDeviceToken"}'
    assert re.search(r"^apns-id: [0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$", head, re.M), head
    assert re.search(r"^content-type: application/json$", head, re.M), head


@pytest.mark.parametrize(
    ("headers", "answer"),
    [
        ({"apns-topic": APP + ".voip", "apns-push-type": "voip"}, '{"reason":"DeviceTokenNotForTopic"}\n400 2'),
        ({"apns-expiration": "1795780000.475"}, '{"reason":"BadExpirationDate"}\n400 2'),
        ({"authorization": "bearer a.b"}, '{"reason":"InvalidProviderToken"}\n403 2'),
        ({"apns-push-type": "background", "apns-priority": "10"}, "\n200 2"),
    ],
)
def test_mistakes_of_public_reports_come_back_as_a_reason(server, home, headers, answer):
    assert curl(server, server.first_token(), home, "--http2", headers=headers).stdout == answer


def test_a_form_content_type_is_ignored(server, home):
    """S16: curl's own application/x-www-form-urlencoded passes."""
    result = curl(
        server, server.first_token(), home, "--http2", headers={"content-type": "application/x-www-form-urlencoded"}
    )
    assert result.stdout == "\n200 2"


def test_the_live_activity_topic_needs_its_suffix(server, home):
    """S11: a Live Activity token under the plain bundle id is refused."""
    token, _ = server.start_activity()
    good = curl(
        server, token, home, "--http2", headers={"apns-topic": APP + LIVE_ACTIVITY, "apns-push-type": "liveactivity"}
    )
    plain = curl(server, token, home, "--http2")
    assert good.stdout == "\n200 2"
    assert plain.stdout == '{"reason":"DeviceTokenNotForTopic"}\n400 2'
