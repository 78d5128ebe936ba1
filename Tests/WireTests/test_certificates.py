"""Providers that authenticate by certificate: the program makes the certificates, and clients present them."""

import asyncio
import json
import logging
import re
import shutil
import socket
import ssl
import subprocess
import sys

import httpx
import pytest
from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsDevelopmentClientProtocol
from aioapns.exceptions import MaxAttemptsExceeded
from hyperframe.frame import DataFrame, GoAwayFrame, HeadersFrame

import program
from certificates import MDM, MDM_TOPIC, Made, Providers
from program import ALERT, APP, SMOOTH, STORE, live_activity
from wire import APPLE_SETTINGS, TIMEOUT, client_context

pytestmark = pytest.mark.tools

MAX_CONCURRENT_STREAMS = 3


@pytest.fixture(scope="module")
def providers(tmp_path_factory):
    base = tmp_path_factory.mktemp("certificates")
    server = program.Pushpit(
        *SMOOTH, "--fleet", "300", "--token-requests-per-second", "0", state=base / "state", home=base / "home"
    )
    yield Providers(server, base / "home")
    server.stop()


@pytest.fixture(scope="module")
def universal(providers) -> Made:
    return providers.make()


@pytest.fixture(scope="module")
def development(providers) -> Made:
    return providers.make("development")


# What a certificate lets in


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_certificate_stands_for_a_provider_token(providers, universal, version):
    token = providers.server.token()
    with providers.wire(universal, minimum=version, maximum=version) as wire:
        answer = providers.server.push(token, wire=wire, authorization=None)
    assert answer.verdict == (200, None)
    push = providers.server.recorded(answer)
    assert push["device"] == token.device and push["provider"] is None
    assert push["fate"].endswith("Delivered to Device")


def test_the_first_settings_frame_allows_many_streams_to_a_certificate_and_one_to_a_token_client(providers, universal):
    for context, streams in [(None, 1), (client_context(providers.server.ca, certificate=universal.pem), 1000)]:
        with providers.server.wire(context=context) as wire:
            wire.ping()
            assert wire.server_settings()[0][MAX_CONCURRENT_STREAMS] == streams


def test_a_client_without_a_certificate_notices_nothing(providers):
    """The request for a certificate names no authority, may be answered with none, and the frames are Apple's."""
    host, port = providers.server.address()
    for version in ("-tls1_2", "-tls1_3"):
        result = subprocess.run(
            ["openssl", "s_client", "-connect", f"{host}:{port}", "-CAfile", str(providers.server.ca), version, "-alpn"]
            + ["h2", "-servername", "localhost"],
            input="",
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
        assert "No client certificate CA names sent" in result.stdout
        assert "Verify return code: 0 (ok)" in result.stdout
    with socket.create_connection((host, port), timeout=TIMEOUT) as plain:
        context = client_context(providers.server.ca)
        with context.wrap_socket(plain, server_hostname="localhost") as tls:
            tls.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\x04" + bytes(5))
            received = b""
            while len(received) < len(APPLE_SETTINGS):
                received += tls.recv(65_536)
    assert received.startswith(APPLE_SETTINGS)
    assert providers.server.push(providers.server.token()).verdict == (200, None)


@pytest.mark.parametrize(
    ("kind", "environment", "verdict"),
    [
        ("universal", "sandbox", (200, None)),
        ("development", "sandbox", (200, None)),
        ("development", "production", (403, "BadCertificateEnvironment")),
        ("production", "sandbox", (403, "BadCertificateEnvironment")),
        # The token of a sandbox build is known to the sandbox only; the certificate is let in.
        ("production", "production", (400, "BadDeviceToken")),
        ("universal", "production", (400, "BadDeviceToken")),
    ],
)
def test_each_kind_is_good_for_its_environments(providers, kind, environment, verdict):
    made = providers.make(kind)
    assert providers.push(made, providers.server.token(), environment=environment).verdict == verdict


def test_a_certificate_of_one_topic_needs_no_topic_header(providers, development):
    token = providers.server.token()
    headers = providers.server.headers(token, authorization=None)
    with providers.wire(development) as wire:
        bare = [(name, value) for name, value in headers if name != "apns-topic"]
        assert wire.request(bare, ALERT).verdict == (200, None)
        other = [(n, STORE if n == "apns-topic" else v) for n, v in headers]
        assert wire.request(other, ALERT).verdict == (400, "TopicDisallowed")


def test_a_certificate_of_several_topics_needs_the_topic_header(providers, universal):
    headers = providers.server.headers(providers.server.token(), authorization=None)
    with providers.wire(universal) as wire:
        bare = [(name, value) for name, value in headers if name != "apns-topic"]
        assert wire.request(bare, ALERT).verdict == (400, "MissingTopic")
        assert wire.request(headers, ALERT).verdict == (200, None)


def test_a_voip_certificate_rings_and_sends_no_alerts(providers):
    made = providers.make("voip")
    token = providers.server.token("voip")
    with providers.wire(made) as wire:
        bare = [(n, v) for n, v in providers.server.headers(token, authorization=None) if n != "apns-topic"]
        answer = wire.request(bare, b"{}")
        assert answer.verdict == (200, None)
        assert providers.server.recorded(answer)["reaction"]["outcome"] == "call-reported"
        alert = providers.server.headers(providers.server.token(), authorization=None)
        assert wire.request(alert, ALERT).verdict == (400, "TopicDisallowed")


def test_only_the_certificate_counts_where_a_provider_token_comes_with_it(providers, development):
    """As a trace shows it: a certificate that is not for the topic is refused though the token is."""
    server = providers.server
    with providers.wire(development) as wire:
        assert server.push(server.token(), wire=wire).verdict == (200, None)
        assert server.push(server.token(), wire=wire, authorization="bearer nonsense").verdict == (200, None)
        assert server.push(server.token(), wire=wire, topic=STORE).verdict == (400, "TopicDisallowed")
    # The provider token alone is good for that topic; the device token is not.
    assert server.push(server.token(), topic=STORE).verdict == (400, "DeviceTokenNotForTopic")


def test_channels_are_managed_by_certificate(providers, development):
    context = client_context(providers.server.ca, certificate=development.pem)
    server = providers.server
    with server.wire("channels", context=context) as wire:
        for app, verdict in [(APP, (200, None)), (STORE, (403, "TopicMismatch"))]:
            headers = [(":method", "GET"), (":scheme", "https"), (":authority", "localhost")]
            answer = wire.request([*headers, (":path", f"/1/apps/{app}/all-channels")], None)
            assert (answer.status, None if answer.status == 200 else answer.reason) == verdict


# Live Activities


@pytest.mark.parametrize("authorization", [True, False], ids=["and a token", "alone"])
def test_a_live_activity_by_certificate_is_topic_disallowed(providers, universal, authorization):
    """S4: and nothing is on the screen."""
    server = providers.server
    start = server.token("pushToStart")
    changes = {} if authorization else {"authorization": None}
    with providers.wire(universal) as wire:
        answer = server.push(start, live_activity("start"), wire=wire, **changes)
        assert answer.verdict == (400, "TopicDisallowed")
        update, _ = server.start_activity()
        assert server.push(update, live_activity(), wire=wire, **changes).verdict == (400, "TopicDisallowed")
        bare = server.push(update, live_activity(), wire=wire, topic=APP, push_type="liveactivity", **changes)
        assert bare.verdict == (400, "DeviceTokenNotForTopic")
        typeless = server.push(update, live_activity(), wire=wire, topic=APP, push_type=None, **changes)
        assert typeless.verdict == (400, "DeviceTokenNotForTopic")
    assert server.install(start.device)["activities"] == []
    assert server.get(f"/v1/devices/{start.device}/screen")["lockScreen"] == []


def test_a_live_activity_by_certificate_can_be_made_to_fail_without_a_sign(pushpit, home):
    """S5: 200, and neither the phone's log nor its screen has anything of it."""
    server = pushpit(*SMOOTH, "--fleet", "20", "--set", "rules.certificateLiveActivities=drop")
    providers = Providers(server, home)
    made = providers.make()
    start = server.token("pushToStart")
    log = server.get(f"/v1/devices/{start.device}/log")["lines"]
    answer = providers.push(made, start, live_activity("start"))
    assert answer.verdict == (200, None)
    push = server.recorded(answer)
    assert push["fate"] == "Received by APNs, Discarded - Certificate"
    assert server.get(f"/v1/devices/{start.device}/screen")["lockScreen"] == []
    phone = [line for line in server.get(f"/v1/devices/{start.device}/log")["lines"] if line not in log]
    assert [line for line in phone if line["process"]] == []
    assert server.push(start, live_activity("start")).verdict == (200, None)
    assert len(server.install(start.device)["activities"]) == 1, "by provider token it starts"


# Certificates that are refused


FLAWS = [
    ("expired", "it expired on 20"),
    ("revoked", "it was revoked"),
    ("unknownAuthority", "neither `pushpit certs provider` made it"),
    ("noExtension", "none of Apple's push extensions"),
]
ALERTS = {"revoked": 44, "expired": 45, "unknownAuthority": 48}


@pytest.fixture(scope="module")
def answering(tmp_path_factory):
    """A server that answers every rejected certificate 403."""
    base = tmp_path_factory.mktemp("answering")
    flags = (*SMOOTH, "--fleet", "300", "--set", "rules.refusedCertificate=answer")
    server = program.Pushpit(*flags, state=base / "state", home=base / "home")
    yield Providers(server, base / "home")
    server.stop()


@pytest.mark.parametrize(("flaw", "words"), FLAWS)
def test_as_a_setting_a_flawed_certificate_is_bad_certificate_and_then_goaway(answering, flaw, words):
    made = answering.make("universal", "--flaw", flaw)
    refused_with(answering, made, "BadCertificate", words)


def test_a_certificate_without_apples_extensions_is_bad_certificate_and_then_goaway(providers):
    made = providers.make("universal", "--flaw", "noExtension")
    refused_with(providers, made, "BadCertificate", "none of Apple's push extensions")


def in_handshake(providers, made: Made, environment: str = "sandbox") -> str:
    """The alert that ends the client's own handshake, which TLS 1.2 waits for."""
    with pytest.raises(ssl.SSLError) as why:
        providers.wire(made, environment, maximum=ssl.TLSVersion.TLSv1_2)
    return str(why.value).lower()


@pytest.mark.parametrize("version", ["-tls1_2", "-tls1_3"])
@pytest.mark.parametrize(("flaw", "words"), FLAWS[:3])
def test_an_expired_revoked_or_unknown_certificate_ends_the_handshake_with_its_alert(providers, flaw, words, version):
    """Observed: pushy 609 and 1078 (certificate_expired); reown's push server tells unknown_ca apart."""
    made = providers.make("universal", "--flaw", flaw)
    host, port = providers.server.address()
    done = subprocess.run(
        ["openssl", "s_client", "-connect", f"{host}:{port}", "-CAfile", str(providers.server.ca), version, "-alpn"]
        + ["h2", "-servername", "localhost", "-cert", str(made.pem), "-key", str(made.pem), "-ign_eof"],
        input="",
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    assert f"SSL alert number {ALERTS[flaw]}\n" in done.stderr
    troubles = providers.server.get("/v1/troubles")["troubles"]
    # Each certificate that is made has its own dates, so there may be more than one entry.
    assert {t["kind"] for t in troubles if words in t["sentence"]} == {"certificate"}


def test_httpx_and_curl_report_the_alert_and_their_pushes_reach_nobody(providers):
    made = providers.make("universal", "--flaw", "expired")
    server = providers.server
    known = len(server.pushes())
    context = client_context(server.ca, certificate=made.pem)
    with (
        httpx.Client(http2=True, verify=context, trust_env=False) as client,
        pytest.raises(httpx.TransportError) as why,
    ):
        client.post(f"{server.url(host='localhost')}/3/device/{server.token()}", content=ALERT)
    assert "certificate expired" in str(why.value).lower().replace("_", " ")
    done = subprocess.run(
        ["curl", "-sS", "--http2", "--cacert", str(server.ca), "--cert", str(made.pem), "-d", ALERT.decode()]
        + [f"{server.url(host='localhost')}/3/device/{server.token()}"],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    assert done.returncode == 56 and "certificate expired" in done.stderr
    assert "certificate expired" in in_handshake(providers, made)
    assert len(server.pushes()) == known


def refused_with(providers, made: Made, reason: str, words: str, environment: str = "sandbox") -> None:
    server = providers.server
    with providers.wire(made, environment) as wire:
        wire.ping()
        assert wire.goaway is None, "nothing before the first request"
        answer = server.push(server.token(), wire=wire)
        assert answer.verdict == (403, reason)
        wire.until_closed()
        assert wire.closed_cleanly
        assert [type(f) for f in wire.frames if f.stream_id or f is wire.goaway] == [
            HeadersFrame,
            DataFrame,
            GoAwayFrame,
        ]
        goaway = wire.goaway
        assert (goaway.error_code, goaway.last_stream_id) == (0, answer.stream)
        assert json.loads(goaway.additional_data) == {"reason": reason}
        peer = "{}:{}".format(*wire.socket.getsockname())
    push = server.recorded(answer)
    assert push["fate"] == "Refused by APNs" and push["why"]["rule"].startswith("certificate")
    troubles = [t for t in server.get("/v1/troubles")["troubles"] if t["peer"] == peer]
    assert [t["kind"] for t in troubles] == ["certificate"]
    assert words in troubles[0]["sentence"] and reason in troubles[0]["sentence"]


def test_a_certificate_of_the_other_environment_is_refused_and_then_goaway(providers, development):
    refused_with(
        providers, development, "BadCertificateEnvironment", "for sandbox, and this is production", "production"
    )


def test_the_servers_own_certificate_is_no_push_certificate(answering, tmp_path):
    state = answering.server.state
    both = tmp_path / "tls.pem"
    both.write_text((state / "tls.pem").read_text() + (state / "tls-key.pem").read_text())
    refused_with(answering, Made(both, both), "BadCertificate", "neither `pushpit certs provider` made it")


def test_requests_that_came_together_are_all_answered_before_a_refused_client_is_sent_away(providers):
    made = providers.make("universal", "--flaw", "noExtension")
    with providers.wire(made) as wire:
        headers = providers.server.headers(providers.server.token())
        streams, frames = [wire.take_stream() for _ in range(3)], []
        for stream in streams:
            frames += wire.header_frames(stream, wire.encode(headers))
            frames.append(DataFrame(stream, data=ALERT, flags=["END_STREAM"]))
        wire.send(*frames)  # in one TLS record, so that the server reads them at once
        assert [wire.answer(stream).verdict for stream in streams] == [(403, "BadCertificate")] * 3
        wire.until_closed()
        assert wire.goaway.last_stream_id == streams[-1]


def test_as_a_setting_a_refused_client_is_sent_away_as_it_connects(pushpit, home):
    server = pushpit("--fleet", "5", "--set", "rules.refusedCertificate=goAway")
    providers = Providers(server, home)
    for made, environment, reason in [
        (providers.make("development"), "production", "BadCertificateEnvironment"),
        (providers.make("universal", "--flaw", "expired"), "sandbox", "BadCertificate"),
    ]:
        with providers.wire(made, environment) as wire:
            wire.until_closed()
            assert wire.goaway.serialize()[9 + 8 :] == json.dumps({"reason": reason}, separators=(",", ":")).encode()
            assert (wire.goaway.error_code, wire.goaway.last_stream_id) == (0, 0)
    assert providers.push(providers.make("development"), server.token()).verdict == (200, None)


def test_revoking_counts_for_open_connections_too_and_ends_them(providers):
    made = providers.make("production")
    token = providers.server.token()
    with providers.wire(made, "production") as wire:
        changes = {"authorization": None, "wire": wire}
        assert providers.server.push(token, **changes).verdict == (400, "BadDeviceToken")
        told = providers.certs("revoke", str(made.p12)).stderr
        assert "the running server has applied the change" in told, told
        assert providers.server.push(token, **changes).verdict == (403, "BadCertificate")
        wire.until_closed()
    assert "alert certificate revoked" in in_handshake(providers, made, "production")
    listed = [line.split("\t") for line in providers.certs("list").stdout.splitlines()]
    assert [row[3] for row in listed if row[4] == str(made.pem)] == ["revoked"]


def test_as_a_setting_a_revocation_ends_an_open_connection_after_its_last_stream(pushpit, home):
    server = pushpit("--fleet", "5", "--set", "rules.refusedCertificate=goAway")
    providers = Providers(server, home)
    made = providers.make()
    with providers.wire(made) as wire:
        answers = [server.push(server.token(), wire=wire, authorization=None) for _ in range(2)]
        assert [answer.verdict for answer in answers] == [(200, None)] * 2
        providers.certs("revoke", str(made.p12))
        wire.until_closed()
        # A lower stream would tell the client to send again what was delivered.
        assert (wire.goaway.error_code, wire.goaway.last_stream_id) == (0, answers[-1].stream)
        assert json.loads(wire.goaway.additional_data) == {"reason": "BadCertificate"}


def test_a_folder_whose_server_has_ended_has_certificates_added_and_revoked_without_it(providers, tmp_path, fails):
    made, state = providers.make(), tmp_path / "state"
    state.mkdir()
    # As a killed server leaves it: nothing listens there.
    (state / "ready.json").write_text(json.dumps({"admin": "http://127.0.0.1:1"}))
    for command, done in (("add", "Registered"), ("revoke", "Revoked")):
        result = fails("certs", command, str(made.pem), "--state", str(state))
        assert result.returncode == 0 and done in result.stderr, result.stderr
        assert "running server" not in result.stderr


def test_connections_tell_what_their_certificates_are_for(providers, development):
    with providers.wire(development) as wire:
        wire.ping()
        shown = [c["certificate"] for c in providers.server.get("/v1/connections")["connections"]]
        [mine] = [c for c in shown if c and "Development" in c["subject"]]
        assert mine["topics"] == [APP] and mine["environments"] == ["sandbox"] and mine["refused"] is None
        assert "UID=com.example.app" in mine["subject"]


# Device management


def test_device_management_works_from_the_certificate_to_the_phone(pushpit, home):
    server = pushpit("--fleet", "10", "--app", f"{MDM_TOPIC}:production", "--app", APP)
    providers = Providers(server, home)
    made = providers.make("mdm", topic=MDM_TOPIC)
    token = server.token("device", MDM_TOPIC, "production")
    assert token.topic == MDM_TOPIC

    def push(**changes):
        return providers.push(made, token, MDM, "production", push_type="mdm", **changes)

    for changes in ({}, {"push_type": None}):
        with providers.wire(made, "production") as wire:
            headers = server.headers(token, **{"push_type": "mdm", "authorization": None} | changes)
            answer = wire.request([(n, v) for n, v in headers if n != "apns-topic"], MDM)
            assert answer.verdict == (200, None)
    answer = push()
    assert answer.verdict == (200, None)
    assert server.recorded(answer)["reaction"]["outcome"] == "accepted-no-ui"
    assert server.get(f"/v1/devices/{token.device}/screen")["notifications"] == []
    with providers.wire(made, "production") as wire:
        silent = server.push(token, b"{}", wire=wire, push_type="mdm", authorization=None)
    assert server.recorded(silent)["reaction"]["outcome"] == "no-push-magic"
    # A provider token does not reach it, and the type is for no other topic.
    assert server.push(token, MDM, environment="production", push_type="mdm").verdict == (400, "TopicDisallowed")
    own = providers.make("development")
    assert providers.push(own, server.token(), MDM, push_type="mdm").verdict == (400, "InvalidPushType")


def test_a_management_certificate_that_was_replaced_has_another_topic(pushpit, home):
    """docs/behavior/other-pushes.md#a-replaced-push-certificate: pushy 509; fleet 52469 and 53252 report a 200."""
    server = pushpit("--fleet", "10", "--app", f"{MDM_TOPIC}:production", "--app", APP)
    providers = Providers(server, home)
    other = f"{MDM_TOPIC}.replaced"
    replaced = providers.make("mdm", topic=other)
    token = server.token("device", MDM_TOPIC, "production")
    for topic, words in ((other, f"the push has {other}"), (None, "the certificate is for another")):
        answer = providers.push(replaced, token, MDM, "production", push_type="mdm", apns_topic=topic)
        assert answer.verdict == (400, "DeviceTokenNotForTopic")
        why = server.recorded(answer)["why"]["sentence"]
        assert f"needs the topic {MDM_TOPIC}; {words}." in why


# Clients of others


def curl(server, token, *flags: str) -> tuple[int, str]:
    result = subprocess.run(
        ["curl", "-sS", "--http2", "--cacert", str(server.ca), "-w", "\n%{http_code}", "-H", f"apns-topic: {APP}"]
        + ["-H", "apns-push-type: alert", "-d", ALERT.decode(), *flags]
        + [f"{server.url(host='localhost')}/3/device/{token}"],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    assert result.returncode == 0, result.stderr
    body, _, status = result.stdout.rpartition("\n")
    return int(status), body


def test_curl_pushes_with_pem_and_with_p12(providers, universal):
    token = providers.server.token()
    for flags in (
        ["--cert", str(universal.pem)],
        ["--cert-type", "P12", "--cert", f"{universal.p12}:pushpit"],
    ):
        assert curl(providers.server, token, *flags) == (200, "")
        assert curl(providers.server, token, *flags, "--tls-max", "1.2") == (200, "")


def test_openssl_s_client_presents_the_certificate(providers, universal):
    host, port = providers.server.address()
    result = subprocess.run(
        [
            "openssl",
            "s_client",
            "-connect",
            f"{host}:{port}",
            "-CAfile",
            str(providers.server.ca),
            "-quiet",
            "-alpn",
            "h2",
        ]
        + [
            "-cert",
            str(universal.pem),
            "-key",
            str(universal.pem),
            "-servername",
            "localhost",
            "-alpn",
            "h2",
            "-ign_eof",
        ],
        # The preface, SETTINGS, and a GOAWAY of the client's own: the server then closes.
        input=b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\x04" + bytes(5) + b"\x00\x00\x08\x07" + bytes(13),
        capture_output=True,
        timeout=TIMEOUT,
    )
    # MAX_CONCURRENT_STREAMS of the first SETTINGS frame is 1,000: who presents a certificate is known at once.
    assert result.stdout[:27] == APPLE_SETTINGS[:17] + (1000).to_bytes(4, "big") + APPLE_SETTINGS[21:27]


def httpx_push(providers, made: Made) -> httpx.Response:
    context = client_context(providers.server.ca, certificate=made.pem)
    with httpx.Client(http2=True, verify=context, trust_env=False) as client:
        return client.post(
            f"{providers.server.url(host='localhost')}/3/device/{providers.server.token()}",
            content=ALERT,
            headers={"apns-topic": APP, "apns-push-type": "alert"},
        )


def test_httpx_pushes_with_a_certificate(providers, universal):
    response = httpx_push(providers, universal)
    assert (response.http_version, response.status_code) == ("HTTP/2", 200)


@pytest.fixture(scope="module")
def flawed(providers) -> Made:
    return providers.make("universal", "--flaw", "noExtension")


def test_httpx_reads_why_its_certificate_is_refused(providers, flawed):
    """h2 refuses DATA after a GOAWAY, so the whole answer has to come first."""
    response = httpx_push(providers, flawed)
    assert (response.status_code, response.json()) == (403, {"reason": "BadCertificate"})


def aioapns(server, made: Made, *requests: NotificationRequest) -> list[tuple[str, str | None]]:
    host, port = server.address()

    class Protocol(APNsDevelopmentClientProtocol):
        APNS_SERVER = host
        APNS_PORT = port

    async def send():
        context = ssl.create_default_context(cafile=str(server.ca))
        apns = APNs(client_cert=str(made.pem), use_sandbox=True, ssl_context=context, max_connection_attempts=1)
        apns.pool.protocol_class = Protocol
        try:
            results = [await asyncio.wait_for(apns.send_notification(request), 60) for request in requests]
        finally:
            apns.pool.close()
        return [(r.status, r.description) for r in results]

    return asyncio.run(send())


def test_aioapns_pushes_with_a_certificate_and_takes_the_topic_from_its_uid(providers, universal, development):
    token = str(providers.server.token())
    request = NotificationRequest(device_token=token, message={"aps": {"alert": "Hello"}}, push_type=PushType.ALERT)
    for made in (universal, development):
        assert aioapns(providers.server, made, request) == [("200", None)]


def test_aioapns_reads_why_its_certificate_is_refused(providers, flawed):
    request = NotificationRequest(
        device_token=str(providers.server.token()), message={"aps": {"alert": "Hello"}}, push_type=PushType.ALERT
    )
    assert aioapns(providers.server, flawed, request) == [("403", "BadCertificate")]


def test_aioapns_reports_the_alert_and_its_push_reaches_nobody(providers, caplog):
    """In TLS 1.3 its handshake is over when the alert comes, so it is the push that fails."""
    expired = providers.make("universal", "--flaw", "expired")
    known = len(providers.server.pushes())
    request = NotificationRequest(device_token=str(providers.server.token()), message={"aps": {"alert": "Hello"}})
    with caplog.at_level(logging.DEBUG, "aioapns"), pytest.raises(MaxAttemptsExceeded):
        aioapns(providers.server, expired, request)
    assert "certificate expired" in caplog.text.lower().replace("_", " ")
    assert len(providers.server.pushes()) == known


NODE = """
const http2 = require('http2'), fs = require('fs');
const {url, ca, tls, token, topic} = JSON.parse(fs.readFileSync(0));
if (tls.pfx) tls.pfx = fs.readFileSync(tls.pfx);
if (tls.cert) { tls.cert = fs.readFileSync(tls.cert); tls.key = tls.cert; }
const session = http2.connect(url, {ca: fs.readFileSync(ca), ...tls});
const request = session.request({
  ':method': 'POST', ':path': '/3/device/' + token, 'apns-topic': topic, 'apns-push-type': 'alert'});
request.on('response', headers => { console.log(headers[':status']); session.close(); });
request.resume();
request.end('{"aps":{"alert":"x"}}');
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="no node on this machine")
@pytest.mark.parametrize("form", ["pfx", "cert"])
def test_node_pushes_with_pfx_and_with_pem(providers, universal, form):
    tls = {"pfx": str(universal.p12), "passphrase": "pushpit"} if form == "pfx" else {"cert": str(universal.pem)}
    server = providers.server
    order = {"url": server.url(host="localhost"), "ca": str(server.ca), "tls": tls, "topic": APP}
    run = subprocess.run(
        ["node", "-e", NODE],
        input=json.dumps(order | {"token": str(server.token())}),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (run.returncode, run.stdout) == (0, "200\n"), run.stderr


JAVA = """
import java.io.FileInputStream;
import java.net.URI;
import java.net.http.*;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.*;

public class Provider {
  public static void main(String[] a) throws Exception {
    KeyStore own = KeyStore.getInstance("PKCS12");
    own.load(new FileInputStream(a[1]), a[2].toCharArray());
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(own, a[2].toCharArray());
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("ca",
        CertificateFactory.getInstance("X.509").generateCertificate(new FileInputStream(a[3])));
    TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    HttpRequest push = HttpRequest.newBuilder(URI.create(a[0])).header("apns-topic", a[4])
        .header("apns-push-type", "alert").POST(HttpRequest.BodyPublishers.ofString(a[5])).build();
    HttpResponse<String> answer = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).sslContext(tls).build()
        .send(push, HttpResponse.BodyHandlers.ofString());
    System.out.println(answer.version() + " " + answer.statusCode());
  }
}
"""


@pytest.mark.skipif(shutil.which("javac") is None, reason="no JDK on this machine")
def test_java_pushes_with_the_p12_as_its_key_store(providers, universal, tmp_path):
    """Pushy reads its .p12 file through the same key store."""
    source = tmp_path / "Provider.java"
    source.write_text(JAVA)
    server = providers.server
    arguments = [f"{server.url(host='localhost')}/3/device/{server.token()}", str(universal.p12), "pushpit"]
    run = subprocess.run(
        ["java", str(source), *arguments, str(server.ca), APP, ALERT.decode()],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (run.returncode, run.stdout) == (0, "HTTP_2 200\n"), run.stderr


PAGE = (program.REPOSITORY / "docs/certificates.md").read_text()
SNIPPETS = {
    name: (language, code) for language, name, code in re.findall(r"^```(\w+) (\w+)\n(.*?)^```", PAGE, re.S | re.M)
}
INTERPRETERS = {"sh": ["bash", "-eu"], "python": [sys.executable], "js": ["node"]}


@pytest.fixture(scope="module")
def documented(tmp_path_factory):
    """A server whose state is where the page says it is, and the program in the path."""
    home = tmp_path_factory.mktemp("page")
    (home / "bin").mkdir()
    (home / "bin/pushpit").symlink_to(program.BINARY)
    flags = ("--ideal", "--fleet", "3", "--token-requests-per-second", "0")
    with program.serving(*flags, state=home / ".local/state/pushpit", home=home) as server:
        yield server


@pytest.mark.parametrize("name", [name for name in SNIPPETS if name != "setup"])
def test_a_snippet_of_the_guide_pushes(documented, name):
    language, code = SNIPPETS[name]
    if shutil.which(INTERPRETERS[language][0]) is None:
        pytest.skip(f"no {INTERPRETERS[language][0]} on this machine")
    home = documented.home
    script = home / f"{name}.{language}"
    script.write_text(code)
    setup = SNIPPETS["setup"][1].replace("APNS_PORT=2197", f"APNS_PORT={documented.address()[1]}")
    known = {push["apnsId"] for push in documented.pushes()}
    done = subprocess.run(
        ["bash", "-c", f'set -eu\nPATH=$HOME/bin:$PATH\n{setup}\nexec "$@"', "bash"]
        + [*INTERPRETERS[language], str(script)],
        capture_output=True,
        text=True,
        timeout=60,
        env=program.environment(home),
        cwd=home,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (push,) = [push for push in documented.pushes() if push["apnsId"] not in known]
    assert (push["answer"]["decision"], push["app"], push["provider"]) == ("accepted", APP, None)
    assert f"Hello from {name}" in documented.get(f"/v1/pushes/{push['apnsId']}")["request"]["body"]


def test_the_guide_has_these_snippets():
    assert list(SNIPPETS) == ["setup", "curl", "p12", "node", "aioapns"]


# The command


def test_a_file_that_openssl_wrote_is_registered_from_pem_and_p12(providers, tmp_path):
    """A certificate as Apple makes it, of an authority that Pushpit does not know."""
    pem, p12 = tmp_path / "apple.pem", tmp_path / "apple.p12"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "9", "-keyout", str(tmp_path / "key.pem")]
        + ["-out", str(tmp_path / "certificate.pem"), "-subj", f"/UID={APP}/CN=Apple Push Services: {APP}"]
        + ["-addext", "1.2.840.113635.100.6.3.1=DER:0500", "-addext", "basicConstraints=critical,CA:FALSE"],
        check=True,
        capture_output=True,
    )
    pem.write_text((tmp_path / "certificate.pem").read_text() + (tmp_path / "key.pem").read_text())
    subprocess.run(
        ["openssl", "pkcs12", "-export", "-in", str(pem), "-out", str(p12), "-passout", "pass:secret"],
        check=True,
    )
    made = Made(pem, p12)
    token = providers.server.token()
    assert "alert unknown ca" in in_handshake(providers, made)
    wrong = providers.certs("add", str(p12), "--password", "wrong", code=2)
    assert "does not open with this password" in wrong.stderr
    added = providers.certs("add", str(p12), "--password", "secret")
    assert "the running server has applied the change" in added.stderr
    fingerprint = added.stdout.strip()
    assert providers.push(made, token).verdict == (200, None)
    assert providers.certs("add", str(pem)).stdout.strip() == fingerprint
    providers.certs("revoke", fingerprint[:12])
    assert "alert certificate revoked" in in_handshake(providers, made)


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        (["ca", "own", "key"], "wrong order: Pushpit provider CA comes first"),
        (["own", "p8"], "a key that does not belong to its certificate"),
        (["tls"], "none of Apple's extensions"),
        (["p8"], "holds no certificate"),
        (["nonsense"], "neither PEM nor PKCS#12"),
    ],
)
def test_a_bad_file_is_named_in_one_sentence(providers, universal, tmp_path, parts, sentence):
    state = providers.server.state
    texts = {
        "own": universal.pem.read_text().partition("-----BEGIN PRIVATE")[0],
        "key": "-----BEGIN PRIVATE" + universal.pem.read_text().partition("-----BEGIN PRIVATE")[2],
        "ca": (state / "provider-ca.pem").read_text(),
        "tls": (state / "tls.pem").read_text(),
        "p8": next(state.glob("AuthKey_*.p8")).read_text(),
        "nonsense": "nonsense",
    }
    file = tmp_path / "bad.pem"
    file.write_text("".join(texts[part] for part in parts))
    result = providers.certs("add", str(file), code=2)
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1 and sentence in result.stderr


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--kind", "apple", "--topic", APP], "--kind"),
        (["--topic", APP + ".voip"], "without a suffix"),
        ([], "say for which app"),
        (["--kind", "mdm", "--topic", APP], "begins with com.apple.mgmt."),
        (["--topic", APP, "--flaw", "stolen"], "--flaw"),
    ],
)
def test_an_order_that_makes_no_sense_is_refused(providers, flags, sentence):
    result = providers.certs("provider", *flags, code=2)
    assert sentence in result.stderr and result.stdout == ""


def test_the_files_are_for_their_owner_alone(providers, universal):
    state = providers.server.state
    for file in (universal.pem, universal.p12, state / "provider-ca-key.pem"):
        assert file.stat().st_mode & 0o777 == 0o600, file


def test_a_tape_has_the_certificates_and_replays_without_the_state_folder(pushpit, home, fails, tmp_path):
    tape = tmp_path / "run.tape"
    server = pushpit(*SMOOTH, "--fleet", "20", "--tape", str(tape))
    providers = Providers(server, home)
    token = server.token()
    flawed = providers.make("universal", "--flaw", "noExtension")
    verdicts = [
        providers.push(made, token).verdict for made in (providers.make(), providers.make("production"), flawed)
    ]
    assert verdicts == [(200, None), (403, "BadCertificateEnvironment"), (403, "BadCertificate")]
    server.stop()
    shutil.rmtree(server.state)
    events = tmp_path / "events"
    result = fails("replay", str(tape), "--events", str(events))
    assert result.returncode == 0, result.stdout + result.stderr
    replayed = [json.loads(line) for line in events.read_text().splitlines()]
    assert [e["sentence"].partition(" (")[0] for e in replayed if e.get("kind") == "certificate"] == [
        "The client's certificate"
    ] * 2
