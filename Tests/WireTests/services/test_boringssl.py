"""Clients on BoringSSL, Google's OpenSSL: they know no name constraints for IP addresses, and refuse a CA that has one.

curl_cffi is curl on BoringSSL. Tests/BoringSSLClient is a push client with the TLS and HTTP/2 of APNSwift
(swift-nio-ssl, swift-nio-http2); its first build takes minutes, for it compiles BoringSSL."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from curl_cffi import requests
from curl_cffi.const import CurlHttpVersion
from curl_cffi.requests.exceptions import CertificateVerifyError

from program import ALERT, REPOSITORY

PACKAGE = REPOSITORY / "Tests/BoringSSLClient"
BUILD_TIMEOUT = 3000.0
RUN_TIMEOUT = 60.0


def ask(server, host: str, ca: Path | None = None) -> requests.Response:
    port = server.address()[1]
    token = server.token()
    headers = {name: value for name, value in server.headers(token) if not name.startswith(":")}
    return requests.post(
        f"https://{host}:{port}/3/device/{token}",
        data=ALERT,
        headers=headers,
        verify=str(ca or server.ca),
        http_version=CurlHttpVersion.V2TLS,
        timeout=RUN_TIMEOUT,
    )


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_curl_on_boringssl_verifies_the_server_and_its_push_is_delivered(server, host):
    response = ask(server, host)
    assert response.status_code == 200, response.text
    assert response.http_version == CurlHttpVersion.V2_0
    assert server.get("/v1/pushes/" + response.headers["apns-id"])["answer"]["status"] == 200


def test_curl_on_boringssl_refuses_the_server_when_it_trusts_another_ca(server, fails, tmp_path):
    assert fails("certs", "--state", str(tmp_path / "other")).returncode == 0
    with pytest.raises(CertificateVerifyError):
        ask(server, "localhost", tmp_path / "other/ca.pem")


@pytest.fixture(scope="session")
def nio_client() -> Path:
    """The client's binary. It is built here; only a machine without its packages may go without, and never CI."""
    result = subprocess.run([PACKAGE / "build.sh"], capture_output=True, text=True, timeout=BUILD_TIMEOUT)
    output = result.stdout + result.stderr
    absent = any(
        word in output for word in ("failed to clone", "Couldn’t fetch", "Failed to clone", "unable to access")
    )
    if result.returncode != 0 and absent and "CI" not in os.environ:
        pytest.skip(f"the packages of {PACKAGE} cannot be had: {output[-500:]}")
    assert result.returncode == 0, output[-5000:]
    return Path(result.stdout.strip())


def nio_push(client: Path, server, host: str, ca: Path | None = None) -> tuple[int, dict]:
    token = server.token()
    fields = [f"{name}:{value}" for name, value in server.headers(token) if not name.startswith(":")]
    result = subprocess.run(
        [str(client), str(ca or server.ca), host, str(server.address()[1]), f"/3/device/{token}", *fields],
        input=ALERT,
        capture_output=True,
        timeout=RUN_TIMEOUT,
    )
    return result.returncode, json.loads(result.stdout)


@pytest.mark.timeout(BUILD_TIMEOUT + 60)
@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_apnswifts_tls_verifies_the_server_and_its_push_is_delivered(nio_client, server, host):
    code, answer = nio_push(nio_client, server, host)
    assert (code, answer.get("status"), answer.get("alpn")) == (0, "200", "h2"), answer
    assert server.get("/v1/pushes/" + answer["id"])["answer"]["status"] == 200


@pytest.mark.timeout(BUILD_TIMEOUT + 60)
def test_apnswifts_tls_refuses_the_server_when_it_trusts_another_ca(nio_client, server, fails, tmp_path):
    assert fails("certs", "--state", str(tmp_path / "other")).returncode == 0
    code, answer = nio_push(nio_client, server, "localhost", tmp_path / "other/ca.pem")
    assert code == 1 and "CERTIFICATE_VERIFY_FAILED" in answer["error"], answer
