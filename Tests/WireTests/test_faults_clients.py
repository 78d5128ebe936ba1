"""Reactions of unmodified clients to faults: curl, nghttp, httpx, aioapns, and python-hyper's h2."""

import socket
import subprocess

import h2.config
import h2.connection
import h2.events
import httpx
import pytest
from aioapns.exceptions import MaxAttemptsExceeded

from aioapns_client import request as notification
from aioapns_client import send
from faulting import fault
from program import ALERT
from wire import TIMEOUT, client_context


@pytest.fixture
def server(pushpit):
    return pushpit("--fleet", "10", "--ideal")


def test_the_refused_push_after_which_a_connection_ends_is_answered_in_full(pushpit):
    """h2 refuses DATA after a GOAWAY, so the whole answer has to come first."""
    server = pushpit("--fleet", "10", "--set", "rules.errorsPerConnection=1")
    headers = {name: value for name, value in server.headers("00" * 32) if not name.startswith(":")}
    with httpx.Client(http2=True, verify=client_context(server.ca, alpn=None), trust_env=False) as client:
        response = client.post(f"{server.url(host='localhost')}/3/device/{'00' * 32}", content=ALERT, headers=headers)
    assert (response.status_code, response.json()) == (400, {"reason": "BadDeviceToken"})
    [result] = send(server, notification("00" * 32), max_connection_attempts=1)
    assert (result.status, result.description) == ("400", "BadDeviceToken")
    assert "tooManyErrors" in {t["kind"] for t in server.get("/v1/troubles")["troubles"]}


def curl(server) -> str:
    token = server.token()
    headers = [f"-H{name}: {value}" for name, value in server.headers(token) if not name.startswith(":")]
    command = [
        "curl",
        "-sS",
        "--max-time",
        "5",
        "--cacert",
        str(server.ca),
        *headers,
        "--data-binary",
        ALERT.decode(),
        "-w",
        "%{http_code}",
        f"{server.url(host='localhost')}/3/device/{token}",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else f"curl {done.returncode}"


def nghttp(server, tmp_path) -> str:
    token = server.token()
    data = tmp_path / "body"
    data.write_bytes(ALERT)
    headers = [f"-H{name}: {value}" for name, value in server.headers(token) if not name.startswith(":")]
    command = [
        "nghttp",
        "-v",
        "-t",
        "2",
        "--no-verify-peer",
        "--no-dep",
        "-d",
        str(data),
        *headers,
        f"{server.url()}/3/device/{token}",
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT).stdout


def httpx_push(server) -> str:
    token = server.token()
    headers = {name: value for name, value in server.headers(token) if not name.startswith(":")}
    with httpx.Client(http2=True, verify=client_context(server.ca, alpn=None), trust_env=False, timeout=3) as client:
        try:
            response = client.post(f"{server.url(host='localhost')}/3/device/{token}", content=ALERT, headers=headers)
        except httpx.HTTPError as error:
            return type(error).__name__
        return f"{response.status_code} {response.text}"


def h2_push(server) -> list[h2.events.Event]:
    """The events of one push on a connection of h2's own, which refuses what breaks a rule of HTTP/2."""
    headers = server.headers(server.token())
    connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
    seen: list[h2.events.Event] = []
    ends = (h2.events.StreamEnded, h2.events.StreamReset, h2.events.ConnectionTerminated)
    with socket.create_connection(server.address(), timeout=3) as plain:
        with client_context(server.ca).wrap_socket(plain, server_hostname="localhost") as wire:
            connection.initiate_connection()
            connection.send_headers(1, headers)
            connection.send_data(1, ALERT, end_stream=True)
            while not any(isinstance(event, ends) for event in seen):
                try:
                    wire.sendall(connection.data_to_send())
                    data = wire.recv(65_536)
                except OSError:
                    break
                if not data:
                    break
                seen += connection.receive_data(data)
    return seen


def has(seen: list, kind: type, **fields) -> bool:
    return any(isinstance(e, kind) and all(getattr(e, k) == v for k, v in fields.items()) for e in seen)


def test_a_refusal(server, tmp_path):
    fault(server, {"answer": "TooManyRequests", "retryAfter": 9})
    body = '{"reason":"TooManyRequests"}'
    assert curl(server) == body + "429"
    assert httpx_push(server) == f"429 {body}"
    assert "retry-after: 9" in nghttp(server, tmp_path) and body in nghttp(server, tmp_path)
    [result] = send(server, notification(server.token()), max_connection_attempts=1)
    assert (result.status, result.description) == ("429", "TooManyRequests")
    seen = h2_push(server)
    assert has(seen, h2.events.DataReceived, data=body.encode()) and has(seen, h2.events.StreamEnded)


def test_a_split_error_body_is_put_together_again(server, tmp_path):
    fault(server, {"answer": "BadTopic", "split": [5, 3], "pause": "1ms", "ends": "apart"})
    body = '{"reason":"BadTopic"}'
    assert curl(server) == body + "400"
    assert httpx_push(server) == f"400 {body}"
    # aioapns 4.0 reads each DATA frame as if it were the whole body: what a mock that never splits would hide.
    with pytest.raises(MaxAttemptsExceeded):
        send(server, notification(server.token()), max_connection_attempts=1)
    pieces = [e.data for e in h2_push(server) if isinstance(e, h2.events.DataReceived)]
    assert pieces == [b'{"rea', b"son", b'":"BadTopic"}', b""]
    assert nghttp(server, tmp_path).count("recv DATA frame") == 4


def test_a_reset_stream(server, tmp_path):
    fault(server, {"reset": "REFUSED_STREAM"})
    assert curl(server).startswith("curl ")
    assert httpx_push(server) == "RemoteProtocolError"
    assert "REFUSED_STREAM" in nghttp(server, tmp_path)
    assert has(h2_push(server), h2.events.StreamReset, error_code=7)


def test_a_goaway_that_serves_nothing(server, tmp_path):
    fault(server, {"goAway": "ENHANCE_YOUR_CALM", "debug": "slower", "before": -1})
    assert curl(server).startswith("curl ")
    assert httpx_push(server) in ("RemoteProtocolError", "ConnectionNotAvailable")
    output = nghttp(server, tmp_path)
    assert "recv GOAWAY frame" in output and "ENHANCE_YOUR_CALM" in output and "slower" in output
    seen = h2_push(server)
    assert has(seen, h2.events.ConnectionTerminated, error_code=11, last_stream_id=0, additional_data=b"slower")


def test_a_wrong_certificate_as_the_connection_opens(server, tmp_path):
    fault(
        server,
        {"goAway": "NO_ERROR", "debug": '{"reason":"BadCertificateEnvironment"}', "before": -1},
        when={"opening": True},
    )
    output = nghttp(server, tmp_path)
    assert "last_stream_id=0, error_code=NO_ERROR" in output and "BadCertificateEnvironment" in output
    assert has(h2_push(server), h2.events.ConnectionTerminated, error_code=0, last_stream_id=0)
    assert httpx_push(server) in ("RemoteProtocolError", "ConnectionNotAvailable")


def test_a_broken_connection(server):
    fault(server, {"abort": True})
    assert curl(server).startswith("curl ")
    assert httpx_push(server) in ("ReadError", "WriteError", "RemoteProtocolError")
    assert not has(h2_push(server), h2.events.ResponseReceived)


def test_silence(server):
    fault(server, {"freeze": True})
    assert curl(server) == "curl 28", "curl's time is up"
    assert httpx_push(server) == "ReadTimeout"
    assert not has(h2_push(server), h2.events.ResponseReceived)
