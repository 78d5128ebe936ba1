"""Tests of the command line, as a person uses it: commands, flags, variables, files and outputs."""

import json
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from program import APP, BINARY, environment, live_activity

STORY = """
settings: {fleet: {devices: 3, ideal: true}}
steps:
  - {name: hello, push: {payload: {aps: {alert: Hello}}}}
expect:
  - {pushes: {step: hello}, count: 3}
"""


@pytest.fixture
def story(tmp_path):
    path = tmp_path / "story.yaml"
    path.write_text(STORY)
    return str(path)


# Words


@pytest.mark.parametrize(
    "words, says",
    [
        (["sned", "--to", "d0"], "there is no command sned; did you mean send?"),
        (["qqqqqq"], "there is no command qqqqqq; the commands are serve, run,"),
        (["settings", "zzz"], "no setting begins with zzz"),
        (["profile", "nope"], "there is no shipped profile nope"),
        (
            ["send", "--to", "d0", "--production", "--server", "https://localhost:1"],
            "--production and --server cannot be combined",
        ),
        (["serve", "--seed", "-1"], "--seed: fleet.seed must be"),
        (["simulate", "--seed", "-1", "x.yaml"], "'-1' is invalid for '--seed"),
        (["serve", "--config", "nowhere.yaml"], "nowhere.yaml: the configuration cannot be read: no such file"),
        (["simulate", "nowhere.yaml"], "nowhere.yaml: the scenario cannot be read: no such file"),
        (["run", "x.yaml", "--exec", "sh -c 'oops"], "--exec: a single quote is not closed"),
        (["run", "x.yaml", "--speed", "1e-300"], "--speed must be from 0.001 to 100000, such as 60."),
        (["run", "x.yaml", "--backend-log", "-"], "--backend-log must be a file"),
        (["simulate", "x.yaml", "--json", "-", "--junit", "-"], "Only one of --junit, --json and --shrink can be -"),
    ],
)
def test_a_wrong_word_is_exit_code_2_and_said(fails, words, says):
    result = fails(*words)
    assert result.returncode == 2 and says in result.stderr, result.stderr


def test_a_variable_that_is_nearly_one_of_ours_is_warned_of(fails):
    ours = {"PUSHPIT_PORT": "5", "PUSHPIT_BINARY": "x"}
    result = fails("settings", "clock", PUSHPIT_PROT="5", PUSHPIT_BACKEND_OF_MINE="x", **ours)
    assert result.returncode == 0
    assert (
        result.stderr
        == "Warning: PUSHPIT_PROT is not a variable of Pushpit and is ignored; did you mean PUSHPIT_PORT?\n"
    )


@pytest.mark.parametrize(
    "command, flag, first", [("serve", "--help-all", "listen:"), ("lint", "--help", "attributesTypes:")]
)
def test_the_yaml_that_help_shows_can_be_copied(fails, command, flag, first):
    """No line of it is wrapped."""
    lines = fails(command, flag).stdout.splitlines()
    begin = next(n for n, line in enumerate(lines) if line.strip().startswith(first))
    block = lines[begin : begin + lines[begin:].index("")]
    shown = yaml.safe_load("\n".join(block).replace("string?", "string"))  # PyYAML is of YAML 1.1
    assert first[:-1] in shown
    if command == "serve":
        assert shown["fleet"]["apps"][0]["bundleId"] == APP and shown["keys"][0]["p8"].endswith(".p8")


# Outputs


@pytest.mark.parametrize("flag", ["--json", "--junit", "--shrink", "--tape"])
def test_an_output_that_cannot_be_written_is_said_before_anything_is_played(fails, story, tmp_path, flag):
    for path in (tmp_path, tmp_path / "no" / "such" / "folder"):
        result = fails("simulate", story, flag, str(path))
        assert result.returncode == 2 and f"{flag}: {path} cannot be written" in result.stderr, result.stderr
        assert result.stdout == ""


def test_looking_whether_an_output_can_be_written_changes_nothing(fails, story, tmp_path):
    kept = tmp_path / "kept.json"
    kept.write_text("precious")
    result = fails(
        "simulate", story, "--json", str(kept), "--junit", str(tmp_path / "new.xml"), "--shrink", str(tmp_path)
    )
    assert result.returncode == 2
    assert kept.read_text() == "precious" and not (tmp_path / "new.xml").exists()


@pytest.mark.parametrize("flag, reads", [("--json", json.loads), ("--junit", lambda text: text.index("<testsuites"))])
def test_a_dash_is_standard_output_with_nothing_else_on_it(fails, story, tmp_path, flag, reads):
    result = fails("simulate", story, flag, "-")
    assert result.returncode == 0 and "PASS" in result.stderr
    reads(result.stdout)
    assert not (tmp_path / "-").exists()


def test_several_files_end_with_a_total(fails, story, tmp_path):
    false = tmp_path / "false.yaml"
    false.write_text(STORY.replace("count: 3", "count: 4"))
    assert "scenarios" not in fails("simulate", story).stdout
    assert fails("simulate", story, story).stdout.splitlines()[-1] == "PASS  2 scenarios: 2 passed, 0 failed"
    assert fails("simulate", story, str(false)).stdout.splitlines()[-1] == "FAIL  2 scenarios: 1 passed, 1 failed"


def test_check_lists_everything_in_the_order_of_time(fails, tmp_path):
    path = tmp_path / "order.yaml"
    path.write_text(
        "for: 5m\nsettings: {fleet: {devices: 1, ideal: true}}\n"
        "faults: [{name: storm, from: 1m, for: 30s, then: {answer: TooManyRequests}}]\n"
        "steps: [{at: 2m, push: {payload: {aps: {alert: A}}}}]\n"
        "expect: [{at: 1m, pushes: {}, count: 0}, {pushes: {}, count: 1}]\n"
    )
    shown = fails("check", str(path)).stdout
    times = re.findall(r"^  (\S+) {2,}", shown, re.M)
    assert times == ["0s", "1m", "2m", "5m"], shown
    assert "0s        the fault storm is set, in force from 1m to 1m30s later" in shown, shown


# Runs that take time


def test_a_run_says_how_long_it_takes_and_what_is_faster(fails, story):
    text = STORY.replace(
        "settings: {", "settings: {listen: {sandbox: 0, production: 0, channels: 0, productionChannels: 0, admin: 0}, "
    )
    Path(story).write_text(text)
    result = fails("run", story, "--speed", "100")
    assert result.returncode == 0, result.stdout + result.stderr
    faster = "it has no backend, so `pushpit simulate` plays it in virtual time"
    assert result.stderr.splitlines()[0] == f"playing story: it takes 600ms of real time; {faster}"


def test_progress_is_lines_where_no_terminal_is(fails, story):
    assert "pushes" not in fails("simulate", story).stderr
    assert re.search(r"^story, seed 1: \S+ of 1m, \d pushes$", fails("simulate", "--progress", story).stderr, re.M)


def test_exec_takes_words_as_a_shell_does(fails, story, tmp_path):
    log = tmp_path / "said"
    script = tmp_path / "two words.py"
    script.write_text("import sys; print(sys.argv[1:]); sys.exit(3)")
    result = fails("run", story, "--exec", f"{sys.executable} '{script}' \"one two\" three", "--backend-log", str(log))
    assert result.returncode == 3, result.stderr
    assert log.read_text() == "['one two', 'three']\n"
    again = re.search(r"rerun with: (pushpit run .*)", result.stdout)[1]
    said = subprocess.run(
        ["sh", "-c", again.replace("pushpit", str(BINARY), 1) + f" --backend-log '{tmp_path / 'again'}'"],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(tmp_path),
        cwd=tmp_path,
    )
    assert said.returncode == 3 and (tmp_path / "again").read_text() == log.read_text(), said.stderr


# The server


@pytest.mark.parametrize(
    "url, allowed, host",
    [
        ("http://staging.invalid:8080", None, "staging.invalid"),
        ("http://192.0.2.7:8080", "other.invalid", "192.0.2.7"),
    ],
)
def test_a_backend_that_may_not_be_called_is_refused_at_start(fails, url, allowed, host):
    words = ["--set", f"reports.allowHosts={allowed}"] if allowed else []
    result = fails("serve", "--fleet", "1", "--profile", "sightscreen", "--backend", url, *words)
    assert result.returncode == 2
    assert f"{url} is on {host}; --set reports.allowHosts={host} allows it" in result.stderr, result.stderr
    assert f"reports: {{allowHosts: {host}}} in a settings file or the settings of a scenario" in result.stderr


def test_a_backend_that_is_allowed_by_name_starts(pushpit):
    pushpit(
        "--fleet",
        "1",
        "--profile",
        "sightscreen",
        "--backend",
        "http://staging.invalid:8080",
        "--set",
        "reports.allowHosts=staging.invalid",
    ).stop()


@pytest.mark.skipif(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN, reason="under nohup it is to live on")
def test_a_terminal_that_goes_away_ends_it_in_order(pushpit):
    server = pushpit("--fleet", "1")
    server.process.send_signal(signal.SIGHUP)
    assert server.wait() == 0


def test_what_clients_did_wrong_is_said_with_its_time(pushpit):
    server = pushpit("--fleet", "1")
    with socket.create_connection(server.address()) as plain:
        plain.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        plain.shutdown(socket.SHUT_WR)
        while plain.recv(4096):
            pass
    server.stop()
    [line] = [line for line in server.log.splitlines(keepends=True) if "plain" in line.lower() or "HTTP/1.1" in line]
    assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z 127\.0\.0\.1:\d+: ", line), line


def test_a_broken_list_of_keys_names_its_line(pushpit, fails, tmp_path):
    state = tmp_path / "state"
    pushpit("--fleet", "1", state=state).stop()
    path = state / "keys.json"
    path.write_text('{"keys": [\n  {"keyId": "ABCDE12345",\n   "teamId: 5}\n]}')
    result = fails("keys", "--state", str(state))
    assert result.returncode == 2
    assert re.search(rf"{re.escape(str(path))}:\d: invalid JSON", result.stderr), result.stderr
    assert "to start with a new key" in result.stderr


def test_a_key_that_is_not_registered_is_said_with_those_that_are(fails, tmp_path):
    state = ("--state", str(tmp_path / "state"))
    assert fails("keys", "remove", "NOPE", *state).stderr == "Error: there is no key NOPE; registered keys: none.\n"
    assert fails("keys", "make", "--key-id", "FIRST", *state).returncode == 0
    assert "registered keys: FIRST." in fails("keys", "remove", "NOPE", *state).stderr


@pytest.mark.parametrize(
    "words", [("cells", "env", "--of", "300"), ("settings", "nosuch"), ("profile", "nosuch"), ("export", "a.tape")]
)
def test_an_invalid_value_is_one_sentence_without_the_usage_of_other_commands(fails, words):
    result = fails(*words)
    assert result.returncode == 2
    assert result.stderr.startswith("Error: ") and "pushpit <subcommand>" not in result.stderr, result.stderr


# Where the server is


def test_the_commands_find_the_server_that_runs_from_the_state_folder(pushpit, fails):
    server = pushpit("--fleet", "3", "--ideal")
    state = ("--state", str(server.state))
    assert json.loads((server.state / "ready.json").read_text()) == server.ready
    sent = fails("send", "--to", "d0", *state)
    assert sent.returncode == 0 and re.fullmatch(r"200 \S+\n", sent.stdout), sent.stdout + sent.stderr
    assert fails("doctor", *state).returncode == 0
    server.stop()
    assert not (server.state / "ready.json").exists()
    gone = fails("send", "--to", "d0", *state)
    assert gone.returncode == 4 and f"No server runs on the state folder {server.state}" in gone.stderr


def test_the_admin_api_says_what_the_ready_line_said(server):
    assert server.get("/v1/ready") == server.ready


# doctor


def traces(server) -> tuple:
    """All that a visit could leave: what is counted, the ledger, troubles, connections."""
    numbers = [
        line
        for line in server.admin.get("/metrics").text.splitlines()
        if not line.startswith("#")
        and not re.match(r"(process_|pushpit_(process|uptime|world|clock|start|lock_))", line)
    ]
    return numbers, server.pushes(), server.get("/v1/troubles"), server.get("/v1/connections"), server.get("/v1/faults")


@pytest.mark.parametrize("words, code", [([], 0), (["wrong authority"], 1)])
def test_doctor_leaves_no_trace_in_the_server(pushpit, fails, words, code):
    server = pushpit("--fleet", "2", "--ideal")
    assert server.push(server.token("device")).verdict == (200, None)
    response = server.admin.post(
        "/v1/faults", json={"name": "o", "when": {"opening": True}, "limit": 1, "then": {"close": True}}
    )
    assert response.status_code == 200, response.text
    state = pushpit("--fleet", "1").state if words else server.state
    deadline = time.monotonic() + 30
    while server.get("/v1/connections")["connections"]:
        assert time.monotonic() < deadline, "the connection of the push is still open"
        time.sleep(0.01)  # Connections are no events of the stream.
    before = traces(server)
    for _ in range(2):
        result = fails("doctor", "--state", str(state), "--server", server.url(), "--admin", server.admin_url)
        assert result.returncode == code, result.stdout
        assert "problems of clients" not in result.stdout
    assert traces(server) == before
    server.admin.delete("/v1/faults/o")
    server.assert_serving()


def test_doctor_knows_a_provider_token_that_the_server_would_refuse(pushpit, fails):
    server = pushpit("--fleet", "1")
    listed = {file: file.read_bytes() for file in (server.state / "keys.json", server.key.p8)}
    assert server.admin.delete(f"/v1/keys/{server.key.key_id}").status_code == 200
    for file, contents in listed.items():
        file.write_bytes(contents)
    result = fails("doctor", "--state", str(server.state))
    assert result.returncode == 1
    assert "would be rejected: InvalidProviderToken. `pushpit keys list` shows" in result.stdout, result.stdout


def test_doctor_recognises_another_program_at_the_port(pushpit, fails, server):
    """TLS with the right certificate, and not Pushpit: a proxy of somebody's."""
    import ssl
    import threading

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server.state / "tls.pem", server.state / "tls-key.pem")
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            try:
                with context.wrap_socket(listener.accept()[0], server_side=True) as client:
                    client.recv(1)
            except OSError:
                pass

        thread = threading.Thread(target=serve)
        thread.start()
        result = fails(
            "doctor",
            "--state",
            str(server.state),
            "--server",
            f"https://127.0.0.1:{listener.getsockname()[1]}",
            "--admin",
            server.admin_url,
        )
        thread.join(30)
    assert result.returncode == 1 and "is not this Pushpit" in result.stdout, result.stdout


# What the admin API says


@pytest.mark.parametrize(
    "answer, says",
    [
        (
            429,
            "answer must be a reason such as TooManyRequests, not a status; status 429 is TooManyProviderTokenUpdates"
            " or TooManyRequests.",
        ),
        ("410", "status 410 is ExpiredToken or Unregistered."),
        (418, "APNs has no reason with that status."),
        ("TooManyRequest", 'answer cannot be "TooManyRequest"; did you mean TooManyRequests?'),
    ],
)
def test_a_fault_with_an_invalid_answer_gets_a_suggestion(server, answer, says):
    response = server.admin.post("/v1/faults", json={"name": "x", "then": {"answer": answer}})
    assert response.status_code == 422 and response.json()["error"].endswith(says), response.text


@pytest.mark.parametrize(
    "member, says",
    [
        ("silense", 'then has no key "silense"; did you mean silence?'),
        ("qqqqqqqqqqqq", 'then has no key "qqqqqqqqqqqq"; valid keys are answer, '),
    ],
)
def test_an_unknown_member_gets_a_suggestion_before_any_list(server, member, says):
    response = server.admin.post("/v1/faults", json={"name": "x", "then": {member: True}})
    assert response.status_code == 422 and response.json()["error"].startswith(says), response.text


def test_an_update_that_is_held_says_why(pushpit):
    server = pushpit(
        "--fleet",
        "5",
        "--ideal",
        "--prompt",
        "never",
        "--clock",
        "manual",
        "--set",
        "budgets.update.standardCapacity=0",
        "--set",
        "budgets.update.frequentCapacity=0",
    )
    token, _ = server.start_activity()
    answer = server.push(token, live_activity())
    assert answer.verdict == (200, None)
    sentence = server.recorded(answer)["why"]["sentence"]
    assert f"Delivered to {token.device}: the budget for updates was spent, so it is deferred for" in sentence, sentence


def test_the_log_of_a_phone_has_its_articles_right(server):
    token, _ = server.start_activity()
    said = [line["sentence"] for line in server.pages(f"/v1/devices/{token.device}/log", "lines")]
    assert any("APNs issued an update token" in line for line in said), said
