"""The other commands: send, keys, certs, doctor, and the help texts."""

import json
import re
import stat
import subprocess
from pathlib import Path

import pytest

from program import ALERT, APP, LIVE_ACTIVITY, TEAM, live_activity
from provider_tokens import ProviderKey

COMMANDS = [
    "serve", "send", "channels", "lint", "export", "cells", "settings", "profile", "keys", "certs", "doctor",
]  # fmt: skip


# Help and usage


def test_help_names_every_command(fails):
    result = fails("--help")
    assert result.returncode == 0
    assert result.stderr == ""
    for command in COMMANDS:
        assert re.search(rf"^ +(?:[a-z]+ +)?{command} ", result.stdout, re.M), command


@pytest.mark.parametrize("command", [*COMMANDS, "cells env", "keys list", "keys make", "keys add"])
def test_every_command_has_help(fails, command):
    result = fails(*command.split(), "--help")
    assert result.returncode == 0, result.stderr
    assert "USAGE" in result.stdout
    assert f"pushpit {command}" in result.stdout


def test_help_of_serve_teaches(fails):
    """Defaults, environment variables and what 0 means are where people look for them."""
    text = fails("serve", "--help-all").stdout
    for word in (
        "2195",
        "2196",
        "2197",
        "2198",
        "2190",
        "PUSHPIT_CONFIG",
        "PUSHPIT_STATE",
        "PUSHPIT_HOST",
        "PUSHPIT_PORT",
        "PUSHPIT_PRODUCTION_PORT",
        "PUSHPIT_CHANNELS_PORT",
        "PUSHPIT_PRODUCTION_CHANNELS_PORT",
        "PUSHPIT_ADMIN_PORT",
        "PUSHPIT_FLEET",
        "PUSHPIT_SEED",
    ):
        assert word in text, word


def test_version_is_one_line(fails, server):
    result = fails("--version")
    assert result.returncode == 0
    assert server.ready["version"] in result.stdout
    assert len(result.stdout.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["fly"],
        ["--nonsense"],
        ["serve", "--nonsense"],
        ["serve", "--port", "many"],
        ["serve", "--port", "70000"],
        ["serve", "--port", "-1"],
        ["serve", "--clock", "sundial"],
        ["serve", "--seed", "x"],
        ["serve", "--ledger", "-1"],
        ["serve", "--set", "wire.idleTimeout=soon"],
        ["serve", "--token-update-scope", "galaxy"],
        ["serve", "--set", "rules.unknownTokenStatus=200"],
        ["serve", "--loops", "-1"],
        ["serve", "surplus"],
        ["serve", "--set", "rules.suffixMismatch=NoSuchReason"],
        ["serve", "--set", "lives.deadActivityAnswer=perhaps"],
        ["send"],
        ["send", "--token"],
        ["send", "--token", "00", "--to", "d0"],
        ["keys", "make", "--nonsense"],
        ["keys", "make", "--environment", "moon"],
        ["keys", "make", "--key-id", "../x"],
        ["keys", "make", "--team-id", ""],
        ["keys", "add", "--key-id", "a b", "/dev/null"],
        ["keys", "fly"],
        ["certs", "--nonsense"],
        ["doctor", "--nonsense"],
    ],
    ids=" ".join,
)
def test_wrong_flags_are_exit_code_2(fails, arguments):
    result = fails(*arguments, timeout=600)  # only so that one that serves ends the test
    assert result.returncode == 2, f"{result.returncode}: {result.stderr}"
    assert result.stdout == ""
    assert "Error" in result.stderr or "error" in result.stderr
    assert not re.search(r"Fatal error|stack dump", result.stderr)


# send


def send(server, fails, *arguments: str, **options):
    """`send` against the running server, whose ports are not the standard ones."""
    return fails(
        "send",
        "--state",
        str(server.state),
        "--server",
        server.url(),
        "--admin",
        server.admin_url,
        *arguments,
        **options,
    )


def test_send_pushes_with_a_token_made_for_you(server, fails):
    token = server.token("device")
    result = send(server, fails, "--token", str(token), "--topic", APP)
    assert result.returncode == 0, result.stderr
    assert "200" in result.stdout
    push = server.pushes(device=token.device)[0]
    assert push["answer"]["status"] == 200
    assert push["provider"] == {"keyId": server.key.key_id, "teamId": TEAM}
    assert push["apnsId"].lower() in result.stdout.lower()


@pytest.mark.parametrize("way", ["argument", "file", "standard input"])
def test_send_takes_its_payload_from_anywhere(server, fails, tmp_path, way):
    token = server.token("device")
    path = tmp_path / "payload.json"
    path.write_bytes(ALERT)
    payload = {"argument": ALERT.decode(), "file": str(path), "standard input": "-"}[way]
    result = send(
        server,
        fails,
        "--token",
        str(token),
        "--topic",
        APP,
        "--payload",
        payload,
        stdin=ALERT.decode() if way == "standard input" else None,
    )
    assert result.returncode == 0, result.stderr
    [push] = server.pushes(device=token.device)
    assert json.loads(push["request"]["body"]) == json.loads(ALERT)


def test_send_speaks_every_header(server, fails):
    token, _ = server.start_activity()
    result = send(
        server,
        fails,
        "--token",
        str(token),
        "--topic",
        APP + LIVE_ACTIVITY,
        "--push-type",
        "liveactivity",
        "--priority",
        "5",
        "--payload",
        live_activity().decode(),
    )
    assert result.returncode == 0, result.stderr
    push = server.pushes(device=token.device)[0]
    headers = {h["name"]: h["value"] for h in push["request"]["headers"]}
    assert (headers["apns-topic"], headers["apns-push-type"], headers["apns-priority"]) == (
        APP + LIVE_ACTIVITY,
        "liveactivity",
        "5",
    )


def test_send_says_the_reason_of_a_refusal(server, fails):
    result = send(server, fails, "--token", "00" * 32, "--topic", APP)
    assert result.returncode == 1
    assert "400" in result.stdout + result.stderr
    assert "BadDeviceToken" in result.stdout + result.stderr


def test_send_without_a_server_is_one_sentence(fails, tmp_path, server):
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    result = fails(
        "send", "--state", str(server.state), "--server", f"https://127.0.0.1:{port}", "--token", "00", "--topic", APP
    )
    assert result.returncode == 4
    assert str(port) in result.stderr
    assert len(result.stderr.strip().splitlines()) <= 3


def test_send_with_a_payload_that_is_not_there_is_one_sentence(server, fails):
    result = send(server, fails, "--token", "00" * 32, "--payload", "/nowhere/payload.json")
    assert result.returncode in (1, 2)
    assert "/nowhere/payload.json" in result.stderr


# keys


def test_keys_are_listed(server, fails):
    result = fails("keys", "list", "--state", str(server.state))
    assert result.returncode == 0, result.stderr
    assert server.key.key_id in result.stdout
    assert TEAM in result.stdout


def test_a_made_key_works_at_the_next_start(pushpit, fails, tmp_path):
    state = tmp_path / "state"
    pushpit("--fleet", "3", state=state).stop()
    made = fails(
        "keys", "make", "--state", str(state), "--key-id", "MADEKEY001", "--team-id", TEAM, "--environment", "sandbox"
    )
    assert made.returncode == 0, made.stderr
    assert "MADEKEY001" in made.stdout + made.stderr
    server = pushpit("--fleet", "3", state=state)
    row = next(k for k in server.ready["keys"] if k["keyId"] == "MADEKEY001")
    assert (row["teamId"], row["environment"]) == (TEAM, "sandbox")
    p8 = Path(row["p8"])
    assert stat.S_IMODE(p8.stat().st_mode) == 0o600
    assert p8.read_text().startswith("-----BEGIN PRIVATE KEY-----")
    key = ProviderKey(p8, "MADEKEY001", TEAM)
    assert server.push(server.first_token(), jwt=key.token()).verdict == (200, None)
    production = server.token("device", "com.example.store", "production")
    assert server.push(production, environment="production", jwt=key.token()).verdict == (
        403,
        "BadEnvironmentKeyInToken",
    )


def test_an_existing_public_key_can_be_added(pushpit, fails, tmp_path):
    """The backend keeps its own .p8; Pushpit needs the public half alone."""
    state = tmp_path / "state"
    key = ProviderKey.make(tmp_path / "AuthKey.p8", "OWNKEY0001", TEAM)
    pem = tmp_path / "public.pem"
    pem.write_bytes(key.public_pem)
    pushpit("--fleet", "3", state=state).stop()
    added = fails("keys", "add", "--state", str(state), "--key-id", "OWNKEY0001", "--team-id", TEAM, str(pem))
    assert added.returncode == 0, added.stderr
    server = pushpit("--fleet", "3", state=state)
    assert server.push(server.first_token(), jwt=key.token()).verdict == (200, None)


@pytest.mark.parametrize("content", [None, "nonsense"], ids=["missing", "not a key"])
def test_adding_an_invalid_key_fails_with_one_sentence(fails, tmp_path, content):
    pem = tmp_path / "public.pem"
    if content is not None:
        pem.write_text(content)
    result = fails(
        "keys", "add", "--state", str(tmp_path / "state"), "--key-id", "OWNKEY0001", "--team-id", TEAM, str(pem)
    )
    assert result.returncode in (1, 2)
    assert "public.pem" in result.stderr
    assert len(result.stderr.strip().splitlines()) <= 4


# certs


def test_certs_shows_where_the_ca_is(server, fails):
    result = fails("certs", "--state", str(server.state))
    assert result.returncode == 0, result.stderr
    assert str(server.ca) in result.stdout


def test_certs_makes_a_leaf_for_names_the_user_adds(fails, pushpit, tmp_path):
    state = tmp_path / "state"
    result = fails("certs", "--state", str(state), "--name", "push.internal.test")
    assert result.returncode == 0, result.stderr
    server = pushpit("--fleet", "1", state=state)
    host, port = server.address()
    shown = subprocess.run(
        [
            "openssl",
            "s_client",
            "-connect",
            f"{host}:{port}",
            "-servername",
            "push.internal.test",
            "-CAfile",
            str(server.ca),
            "-verify_hostname",
            "push.internal.test",
            "-verify_return_error",
        ],
        input="",
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert "Verify return code: 0 (ok)" in shown.stdout, shown.stdout + shown.stderr


# doctor


def test_doctor_finds_nothing_wrong_with_a_good_server(server, fails):
    result = fails("doctor", "--state", str(server.state), "--server", server.url(), "--admin", server.admin_url)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.strip()


def test_doctor_reports_a_server_that_does_not_listen(fails, server):
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    result = fails(
        "doctor", "--state", str(server.state), "--server", f"https://127.0.0.1:{port}", "--admin", server.admin_url
    )
    assert result.returncode == 1
    assert str(port) in result.stdout + result.stderr


def test_doctor_shows_the_newest_troubles_first(pushpit, fails):
    import socket

    server = pushpit("--fleet", "1")
    for greeting in [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"] * 12 + [b"SSH-2.0-OpenSSH_9\r\n"]:
        with socket.create_connection(server.address()) as plain:
            plain.sendall(greeting)
            plain.shutdown(socket.SHUT_WR)
            try:
                while plain.recv(4096):
                    pass
            except ConnectionResetError:
                pass
    rows = server.get("/v1/troubles")["troubles"]
    assert [t["count"] for t in rows] == [1, 12]
    newest = [t["peer"] for t in rows]
    result = fails("doctor", "--state", str(server.state), "--server", server.url(), "--admin", server.admin_url)
    listed = result.stdout.split("problems of clients", 1)[1].splitlines()[1:]
    assert [peer for peer, line in zip(newest, listed) if peer in line] == newest
    assert len(listed) == 2 and "(12 times)" in listed[1]


def test_doctor_recognises_a_foreign_ca(pushpit, fails, server, tmp_path):
    """The client trusts the CA of another state folder: the commonest mistake after moving to another machine."""
    stranger = pushpit("--fleet", "1")
    result = fails("doctor", "--state", str(stranger.state), "--server", server.url(), "--admin", server.admin_url)
    assert result.returncode == 1
    assert re.search(r"\bCA\b|certificate", result.stdout + result.stderr)
