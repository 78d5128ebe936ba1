"""Starting and stopping the program."""

import json
import os
import re
import signal
import socket
import stat
import subprocess
from pathlib import Path

import pytest

from program import APP, BINARY, STORE, TEAM, environment
from provider_tokens import ProviderKey
from wire import TIMEOUT

LOOPBACK_PORT = re.compile(r"^127\.0\.0\.1:([1-9][0-9]*)$")


def one_sentence(text: str) -> None:
    """An error for people: something is said, in few lines, and no stack trace."""
    lines = [line for line in text.splitlines() if line.strip()]
    assert 1 <= len(lines) <= 4, f"not one sentence: {text!r}"
    assert not re.search(r"Fatal error|stack dump|\bat 0x|Thread \d|Swift\.\w+Error|Illegal instruction", text), text


def test_stdout_gets_exactly_one_line_of_the_documented_shape(pushpit):
    server = pushpit("--fleet", "7", "--seed", "11")
    ready = json.loads(server.line)
    assert set(ready) == {"protocol", "listeners", "admin", "ca", "secondCa", "chain", "keys", "fleet", "version"}
    assert ready["chain"] == "sound"
    assert set(ready["listeners"]) == {"sandbox", "production", "channels", "productionChannels"}
    for listener in ready["listeners"].values():
        assert LOOPBACK_PORT.match(listener)
    assert re.match(r"^http://127\.0\.0\.1:[1-9][0-9]*$", ready["admin"])
    assert ready["fleet"] == {"devices": 7, "seed": 11}
    assert re.match(r"^\d+\.\d+\.\d+$", ready["version"])
    assert len(ready["keys"]) == 1
    key = ready["keys"][0]
    assert set(key) == {"keyId", "teamId", "environment", "p8"}
    assert re.match(r"^[A-Z0-9]{10}$", key["keyId"])
    assert key["teamId"] == TEAM
    assert key["environment"] == "both"
    assert Path(key["p8"]).is_file() and Path(ready["ca"]).is_file()
    assert server.line.endswith("}\n") and server.line.count("\n") == 1
    server.stop()


def test_ports_of_0_are_four_different_free_ports(pushpit):
    one, two = pushpit("--fleet", "1"), pushpit("--fleet", "1")
    ports = [s.address(e)[1] for s in (one, two) for e in ("sandbox", "production")]
    ports += [int(s.admin_url.rsplit(":", 1)[1]) for s in (one, two)]
    assert len(set(ports)) == 6


def test_people_are_told_on_stderr_where_to_connect(server):
    for address in server.ready["listeners"].values():
        assert address.rsplit(":", 1)[1] in server.log
    assert server.admin_url.rsplit(":", 1)[1] in server.log


def printed_curl(log: str) -> str:
    """The runnable curl command in the text, with its continuation lines."""
    lines = log.splitlines()
    for index, line in enumerate(lines):
        if re.match(r"^\s*(\$ )?curl\s", line):
            command = re.sub(r"^\s*(\$ )?", "", line)
            while command.rstrip().endswith("\\") and index + 1 < len(lines):
                index += 1
                command = command.rstrip()[:-1] + " " + lines[index].strip()
            return command
    raise AssertionError(f"no curl line in:\n{log}")


def test_the_printed_curl_line_answers_200_as_it_stands(pushpit, tmp_path):
    server = pushpit("--fleet", "5")
    assert server.pushes() == []
    env = environment(tmp_path) | {"PATH": f"{BINARY.parent}:{os.environ['PATH']}"}
    result = subprocess.run(
        ["bash", "-c", printed_curl(server.log)], capture_output=True, text=True, timeout=60, env=env, cwd=tmp_path
    )
    assert result.returncode == 0, result.stderr
    pushes = server.pushes()
    assert [p["answer"]["status"] for p in pushes] == [200], pushes


@pytest.mark.parametrize(
    "mix",
    [[], ["--set", "fleet.mix.offline=60%", "--set", "fleet.mix.authorized=30%"]],
    ids=["as it comes", "mostly deaf"],
)
def test_the_printed_curl_line_pushes_to_a_phone_that_shows_it(pushpit, mix):
    """A person who tries the line sees it on the screen that is printed beside it."""
    for seed in ("1", "2", "3"):
        server = pushpit("--fleet", "200", "--seed", seed, *mix)
        subprocess.run(["bash", "-c", printed_curl(server.log)], check=True, capture_output=True, timeout=60)
        look = re.search(r"and see it: (curl \S+)", server.log).group(1)
        screen = json.loads(
            subprocess.run(["bash", "-c", look + " -sSf"], check=True, capture_output=True, timeout=60).stdout
        )
        assert [n["body"] for n in screen["notifications"]] == ["Hello"], (seed, screen)


def test_the_welcome_warns_when_the_push_will_not_be_seen(pushpit):
    server = pushpit("--fleet", "5", "--set", "fleet.mix.offline=100%")
    assert "Nobody will see it" in server.log and "--ideal" in server.log
    assert "and see it" not in server.log
    printed_curl(server.log)


def test_sigterm_ends_with_exit_code_0(pushpit):
    server = pushpit("--fleet", "1")
    server.terminate()
    assert server.wait() == 0


def test_sigint_ends_with_exit_code_0(pushpit):
    server = pushpit("--fleet", "1")
    server.process.send_signal(signal.SIGINT)
    assert server.wait() == 0


def all_tokens(server) -> set[tuple[str, str, str, str]]:
    return {
        (t.row["kind"], t.app, t.device, t.text)
        for kind in ("device", "pushToStart", "update")
        for t in server.tokens(kind, app=None, environment=None)
    }


def test_a_second_start_has_the_same_tokens_key_and_ca(pushpit, tmp_path):
    """S34: tokens follow from the seed and persist across launches."""
    state = tmp_path / "state"
    first = pushpit("--fleet", "20", "--running-activities", "1", state=state)
    tokens, key, ca = all_tokens(first), first.ready["keys"], first.ca.read_bytes()
    first.stop()
    second = pushpit("--fleet", "20", "--running-activities", "1", state=state)
    assert all_tokens(second) == tokens
    assert second.ready["keys"] == key
    assert second.ca.read_bytes() == ca
    assert {kind for kind, *_ in tokens} == {"device", "pushToStart", "update"}


def test_tokens_follow_the_seed_and_nothing_else(pushpit):
    """S34: another state directory changes nothing, another seed changes every token."""
    same, again, other = (pushpit("--fleet", "20", "--seed", seed) for seed in ("5", "5", "6"))
    assert all_tokens(same) == all_tokens(again)
    assert not {t for *_, t in all_tokens(same)} & {t for *_, t in all_tokens(other)}


def test_everything_private_is_readable_by_the_owner_alone(pushpit):
    server = pushpit("--fleet", "1")
    private = [path for path in server.state.rglob("*") if path.is_file() and b"PRIVATE KEY-----" in path.read_bytes()]
    assert Path(server.ready["keys"][0]["p8"]) in private
    assert len(private) >= 2, f"a leaf's key and a provider's key at least, but only {private}"
    assert {stat.S_IMODE(path.stat().st_mode) for path in private} == {0o600}


def test_the_ca_may_only_vouch_for_local_and_apple_names(server):
    text = subprocess.run(
        ["openssl", "x509", "-in", str(server.ca), "-noout", "-text"], capture_output=True, text=True, check=True
    ).stdout
    assert "CA:TRUE" in text
    assert "Name Constraints: critical" in text
    permitted = text.split("Name Constraints", 1)[1]
    for name in ("DNS:localhost", "push.apple.com", "email:invalid", "URI:invalid"):
        assert name in permitted, text
    assert "IP:" not in text, "clients on BoringSSL refuse constraints on addresses"


def test_the_leaf_carries_apples_host_names(server):
    host, port = server.address()
    shown = subprocess.run(
        f"openssl s_client -connect {host}:{port} -CAfile '{server.ca}' </dev/null 2>/dev/null | openssl x509 -noout "
        f"-ext subjectAltName",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for name in (
        "DNS:localhost",
        "IP Address:127.0.0.1",
        "DNS:api.push.apple.com",
        "DNS:api.sandbox.push.apple.com",
        "DNS:api.development.push.apple.com",
    ):
        assert name in shown, shown


def test_the_server_asks_for_a_client_certificate_without_needing_one(server):
    host, port = server.address()
    shown = subprocess.run(
        ["openssl", "s_client", "-connect", f"{host}:{port}", "-CAfile", str(server.ca), "-tls1_2", "-alpn", "h2"],
        input="",
        capture_output=True,
        text=True,
        timeout=30,
    ).stdout
    assert "Verify return code: 0 (ok)" in shown
    assert "Client Certificate Types" in shown
    assert "ALPN protocol: h2" in shown


PORTS = ["--port", "--production-port", "--admin-port", "--channels-port", "--production-channels-port"]


@pytest.mark.parametrize("flag", PORTS)
def test_a_port_in_use_is_one_sentence_and_exit_code_1(fails, tmp_path, flag):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ports = dict.fromkeys(PORTS, "0") | {flag: port}
        result = fails("serve", "--state", str(tmp_path / "state"), *(a for pair in ports.items() for a in pair))
    assert result.returncode == 1, result.stderr
    assert result.stdout == ""
    one_sentence(result.stderr)
    assert port in result.stderr and f"({flag})" in result.stderr and "another program" in result.stderr


@pytest.mark.parametrize("other", PORTS[1:])
def test_a_port_given_twice_is_said_to_be_our_own(fails, tmp_path, other):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    ports = dict.fromkeys(PORTS, "0") | {"--port": port, other: port}
    result = fails("serve", "--state", str(tmp_path / "state"), *(a for pair in ports.items() for a in pair))
    assert result.returncode == 1, result.stderr
    one_sentence(result.stderr)
    assert port in result.stderr and "(--port)" in result.stderr and f"({other})" in result.stderr
    assert "another program" not in result.stderr


def test_servers_started_together_on_one_admin_port_serve_or_say_that_it_is_in_use(tmp_path):
    """Both may bind the port before either listens on it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    (tmp_path / "home").mkdir()
    started = [
        subprocess.Popen(
            [
                str(BINARY),
                "serve",
                "--fleet",
                "1",
                "--loops",
                "1",
                "--ports",
                "0",
                "--admin-port",
                port,
                "--state",
                str(tmp_path / "state"),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(tmp_path / "home"),
        )
        for _ in range(4)
    ]
    try:
        lines = [process.stdout.readline() for process in started]
        assert sum(bool(line) for line in lines) == 1, [process.stderr.read() for process in started]
        for process, line in zip(started, lines, strict=True):
            if line:
                process.terminate()
            error = process.communicate(timeout=60)[1]
            assert process.returncode == (0 if line else 1), error
            if not line:
                one_sentence(error)
                assert "(--admin-port)" in error and "in use" in error
    finally:
        for process in started:
            process.kill()
            process.wait()


def test_ports_0_takes_free_ports_for_all_but_those_that_are_given(pushpit, fails, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = pushpit("--fleet", "1", "--ports", "0", "--production-port", str(port), ports=False)
    ports = [int(a.rsplit(":", 1)[1]) for a in (*server.ready["listeners"].values(), server.admin_url)]
    assert server.address("production")[1] == port
    assert len(set(ports)) == 5 and not set(ports) & {2195, 2196, 2197, 2198, 2190}
    assert pushpit("--fleet", "1", ports=False, env={"PUSHPIT_PORTS": "0"}).address()[1] not in {0, 2197}
    refused = fails("serve", "--ports", "3000", "--state", str(tmp_path / "state"))
    assert refused.returncode == 2 and "listen.ports must be 0" in refused.stderr


def test_the_ready_file_is_there_while_the_server_is(pushpit, fails, tmp_path):
    file = tmp_path / "ready.json"
    server = pushpit("--fleet", "1", "--ready-file", str(file))
    assert file.read_text() == server.line
    assert (server.state / "ready.json").read_text() == server.line
    assert [p.name for p in tmp_path.iterdir() if "ready" in p.name] == ["ready.json"], "no draft is left"
    server.stop()
    assert not file.exists() and not (server.state / "ready.json").exists()
    nowhere = fails(
        "serve", "--ports", "0", "--state", str(tmp_path / "state"), "--ready-file", str(tmp_path / "no/such")
    )
    assert nowhere.returncode == 2 and str(tmp_path / "no/such") in nowhere.stderr and nowhere.stdout == ""


def test_the_ready_file_of_the_next_server_is_left_alone(pushpit, tmp_path):
    """A ready file is only taken if its owner removes it."""
    file, state = tmp_path / "ready.json", tmp_path / "state"
    first = pushpit("--fleet", "1", "--ready-file", str(file), state=state)
    file.unlink()
    second = pushpit("--fleet", "1", "--ready-file", str(file), state=state)
    first.stop()
    assert file.read_text() == second.line == (state / "ready.json").read_text()


def test_a_ready_file_replaces_no_other_file(fails, tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("my notes")
    refused = fails("serve", "--ports", "0", "--state", str(tmp_path / "state"), "--ready-file", str(notes))
    assert refused.returncode == 2 and f"{notes} is another file, which is not overwritten" in refused.stderr
    assert notes.read_text() == "my notes"


def test_health_finds_the_server_and_its_exit_code_says_whether_it_is_up(pushpit, fails, tmp_path):
    file = tmp_path / "ready.json"
    server = pushpit("--fleet", "1", "--ready-file", str(file))
    ways = [
        (["--admin", server.admin_url], {}),
        (["--admin", server.admin_url + "/"], {}),
        (["--ready-file", str(file)], {}),
        ([], {"PUSHPIT_ADMIN": server.admin_url}),
        (["--state", str(server.state)], {}),
        ([], {"PUSHPIT_STATE": str(server.state)}),
    ]
    kept = file.read_text()
    for arguments, env in ways:
        up = fails("health", *arguments, **env)
        assert (up.returncode, up.stdout) == (0, f"{server.admin_url} is up\n"), (arguments, up.stderr)
    server.stop()
    file.write_text(kept)
    for arguments, env in ways[:4]:
        down = fails("health", *arguments, **env)
        assert down.returncode == 1 and down.stdout == "" and "does not answer" in down.stderr, arguments
        one_sentence(down.stderr)
    for arguments, env in ways[4:]:
        down = fails("health", *arguments, **env)
        assert down.returncode == 1 and "No server runs on the state folder" in down.stderr, arguments
    assert fails("health", "--ready-file", str(tmp_path / "missing")).returncode == 1
    file.write_text("{}")
    assert "is not a ready file" in fails("health", "--ready-file", str(file)).stderr


def serve_with(fails, tmp_path, config: str, *flags: str):
    path = tmp_path / "pushpit.yaml"
    path.write_text(config)
    return fails("serve", "--state", str(tmp_path / "state"), "--ports", "0", "--config", str(path), *flags)


def test_broken_yaml_is_exit_code_2_naming_file_and_line(fails, tmp_path):
    result = serve_with(fails, tmp_path, "fleet:\n  devices: 5\n  apps: [unclosed\nledger: {}\n")
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    one_sentence(result.stderr)
    assert re.search(r"pushpit\.yaml:[2345]\b|pushpit\.yaml.*line [2345]\b", result.stderr), result.stderr


@pytest.mark.parametrize(
    ("config", "line", "key"),
    [
        ("fleet:\n  devices: many\n", 2, "devices"),
        ("fleet:\n  devices: 5\n  devcies: 6\n", 3, "devcies"),
        ("clock: sundial\n", 1, "clock"),
        ("listen:\n  sandbox: 70000\n", 2, "sandbox"),
        ("fleet:\n  devices: 0\n", 2, "devices"),
        ("fleet:\n  devices: -1\n", 2, "devices"),
        ("fleet:\n  devices: 1\n  apps:\n    - {bundleId: com.example.app, environment: moon}\n", 4, "environment"),
        ("keys:\n  - {teamId: PUSHPIT001, environment: both, p8: x.p8}\n", 2, "keyId"),
    ],
    ids=[
        "wrong type",
        "unknown key",
        "unknown clock",
        "no such port",
        "fleet of 0",
        "fleet of -1",
        "unknown environment",
        "no key id",
    ],
)
def test_a_configuration_error_names_file_line_and_key(fails, tmp_path, config, line, key):
    result = serve_with(fails, tmp_path, config)
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    one_sentence(result.stderr)
    assert key in result.stderr
    assert re.search(rf"pushpit\.yaml:{line}\b|pushpit\.yaml.*line {line}\b", result.stderr), result.stderr


@pytest.mark.parametrize("devices", ["0", "-1"])
def test_a_fleet_of_nothing_is_exit_code_2(fails, tmp_path, devices):
    result = fails("serve", "--state", str(tmp_path / "state"), f"--fleet={devices}")
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    one_sentence(result.stderr)
    assert "fleet" in result.stderr.lower()


@pytest.mark.parametrize("app", ["", "not a bundle id", "com.example.app:moon"], ids=["empty", "spaces", "environment"])
def test_an_app_that_cannot_be_is_exit_code_2(fails, tmp_path, app):
    result = fails("serve", "--state", str(tmp_path / "state"), "--app", app)
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    one_sentence(result.stderr)


def test_a_missing_configuration_file_is_exit_code_2(fails, tmp_path):
    result = fails("serve", "--config", str(tmp_path / "nowhere.yaml"))
    assert result.returncode == 2, result.stderr
    assert "nowhere.yaml" in result.stderr
    one_sentence(result.stderr)


@pytest.mark.parametrize("trouble", ["missing", "not a key", "wrong curve"])
def test_a_key_that_cannot_be_read_is_named(fails, tmp_path, trouble):
    from cryptography.hazmat.primitives.asymmetric import ec

    p8 = tmp_path / "AuthKey_TESTKEY001.p8"
    if trouble == "not a key":
        p8.write_text("-----BEGIN PRIVATE KEY-----\nnonsense\n-----END PRIVATE KEY-----\n")
    elif trouble == "wrong curve":
        ProviderKey.make(p8, "TESTKEY001", TEAM, ec.SECP384R1())
    result = serve_with(
        fails, tmp_path, f"keys:\n  - {{keyId: TESTKEY001, teamId: {TEAM}, environment: both, p8: {p8}}}\n"
    )
    assert result.returncode in (1, 2), result.stderr
    assert result.stdout == ""
    one_sentence(result.stderr)
    assert p8.name in result.stderr


def test_settings_come_from_the_environment_too(pushpit, tmp_path):
    server = pushpit(env={"PUSHPIT_FLEET": "3", "PUSHPIT_SEED": "9"})
    assert server.ready["fleet"] == {"devices": 3, "seed": 9}


def test_a_flag_beats_the_environment_and_both_beat_the_file(pushpit):
    config = "fleet:\n  devices: 4\n  seed: 4\nledger: {pushes: 4}\n"
    server = pushpit("--fleet", "2", config=config, env={"PUSHPIT_FLEET": "3", "PUSHPIT_SEED": "3"})
    assert server.ready["fleet"] == {"devices": 2, "seed": 3}


def test_the_file_alone_is_enough(pushpit):
    config = """\
listen: {host: 127.0.0.1, sandbox: 0, production: 0, channels: 0, productionChannels: 0, admin: 0}
fleet:
  devices: 6
  seed: 2
  apps:
    - bundleId: org.example.game
      teamId: GAMESTEAM1
      environment: mixed
      attributesTypes: [RaceAttributes]
      runningActivities: 0
clock: manual
ledger: {pushes: 100}
"""
    server = pushpit(config=config, ports=False)
    assert server.ready["fleet"] == {"devices": 6, "seed": 2}
    assert server.clock()["mode"] == "manual"
    assert {t.app for t in server.tokens("device", app=None, environment=None)} == {"org.example.game"}


def test_the_default_fleet_has_two_apps_on_every_device(server):
    devices = list(server.pages("/v1/devices", "devices"))
    assert len(devices) == 300
    for device in devices:
        assert {(a["bundleId"], a["teamId"], a["environment"]) for a in device["apps"]} == {
            (APP, TEAM, "sandbox"),
            (STORE, TEAM, "production"),
        }


def test_the_host_flag_moves_the_listeners(pushpit):
    server = pushpit("--fleet", "1", "--host", "127.0.0.2")
    assert server.address()[0] == "127.0.0.2"
    with socket.create_connection(server.address(), timeout=TIMEOUT):
        pass


def test_people_are_told_of_a_backend_that_no_app_calls(pushpit):
    lonely = pushpit("--fleet", "2", "--backend", "http://127.0.0.1:9")
    assert "Nothing calls the backend: no app has a profile with reports." in lonely.log
    called = pushpit("--fleet", "2", "--backend", "http://127.0.0.1:9", "--profile", "plain")
    assert "Nothing calls" not in called.log
