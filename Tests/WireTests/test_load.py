"""`pushpit load`: many pushes to a running server, counted, and its refusals."""

import json
import re
import signal
import socket
import subprocess
import threading

import pytest

from faulting import fault
from program import APP, BINARY, LIVE_ACTIVITY, environment, run

pytestmark = pytest.mark.tools

COUNT = 500


def load(server, *arguments: str, code: int = 0, stdin: str | None = None) -> dict:
    """Runs it against a server, and returns its JSON."""
    done = run(
        *("load", "--json", "--state", str(server.state), "--admin", server.admin_url, *arguments),
        home=server.home,
        stdin=stdin,
    )
    assert done.returncode == code, f"{done.returncode}: {done.stdout}{done.stderr}"
    return json.loads(done.stdout)


def counts(result: dict) -> dict:
    return {(answer["status"], answer["reason"]): answer["count"] for answer in result["answers"]}


@pytest.fixture
def busy(pushpit):
    return pushpit("--fleet", "50", "--ledger", "5000", "--ideal", "--loops", "2")


def test_every_push_is_answered_and_found_in_the_inbox_with_its_number(busy):
    result = load(busy, "--count", str(COUNT), "--connections", "3", "--threads", "2", "--streams", "20")
    assert counts(result) == {(200, None): COUNT}
    assert result["answered"] == COUNT and result["complete"] and result["tokens"] == 50
    assert result["unanswered"] == [] and result["sentAgain"] == 0 and result["trouble"] is None
    assert result["connections"] == {"opened": 3, "streams": 20, "lost": []}
    latency = result["latencyMilliseconds"]
    assert 0 < latency["least"] <= latency["p50"] <= latency["p99"] <= latency["p99.9"] <= latency["greatest"]
    pushes = list(busy.pages("/v1/pushes", "pushes"))
    ids = sorted(push["apnsId"].lower() for push in pushes)
    assert ids == [f"{result['idPrefix']}{number:012x}" for number in range(COUNT)]
    per_device = {push["device"] for push in pushes}
    assert len(per_device) == 50, "every device gets as many"
    assert {len([p for p in pushes if p["device"] == device]) for device in per_device} == {COUNT // 50}


def test_a_rate_sends_each_push_once(busy):
    result = load(busy, "--count", "300", "--rate", "2000", "--threads", "2")
    assert counts(result) == {(200, None): 300}
    # The last push was due after 299/2000 s, so the run cannot have been shorter.
    assert result["seconds"] >= 299 / 2000


def test_a_time_ends_a_run(busy):
    result = load(busy, "--for", "200ms", "--connections", "1")
    assert result["answered"] > 0 and result["complete"] and result["unanswered"] == []
    assert busy.get("/v1/pushes", limit=1)["pushes"][0]["answer"]["status"] == 200


def test_the_result_for_people(busy):
    done = run("load", "--count", "100", "--state", str(busy.state), home=busy.home)
    assert done.returncode == 0, done.stderr
    assert f"topic {APP}: as fast as possible, 100 pushes" in done.stderr
    assert re.search(r"^Answered: 100 pushes to 50 tokens in \d+\.\d\d s, [\d,]+ a second$", done.stdout, re.M)
    assert re.search(r"^ +100  200$", done.stdout, re.M)
    assert "Latency: 50 % " in done.stdout and "\nLimit: " in done.stdout


def test_background_pushes_and_live_activities(busy):
    assert counts(load(busy, "--count", "20", "--push-type", "background")) == {(200, None): 20}
    _, activity = busy.start_activity()
    update = '{"aps":{"timestamp":{{timestamp}},"event":"update","content-state":{"home":{{number}},"away":1}}}'
    result = load(busy, "--count", "5", "--push-type", "liveactivity", "--payload", "-", stdin=update)
    assert result["tokens"] == 1 and counts(result) == {(200, None): 5}
    headers = busy.get("/v1/pushes", limit=1)["pushes"][0]["request"]["headers"]
    sent = {header["name"]: header["value"] for header in headers}
    assert sent["apns-push-type"] == "liveactivity" and sent["apns-topic"] == APP + LIVE_ACTIVITY
    start = (
        '{"aps":{"timestamp":{{timestamp}},"event":"start","content-state":{"home":0,"away":0},'
        '"attributes-type":"MatchAttributes","attributes":{"match":"final"},"alert":{"title":"a","body":"b"}}}'
    )
    started = load(busy, "--count", "3", "--push-type", "liveactivity", "--payload", start)
    assert started["tokens"] == 3 and counts(started) == {(200, None): 3}


def test_tokens_of_a_file(busy, tmp_path):
    token = busy.token()
    path = tmp_path / "tokens"
    path.write_text(f"# one good, one not\n{token}\n{'0' * 64}\n")
    result = load(busy, "--count", "10", "--tokens", str(path), "--no-ids")
    assert counts(result) == {(200, None): 5, (400, "BadDeviceToken"): 5}
    assert result["complete"] and result["idPrefix"] is None
    path.write_text("no token\n")
    bad = run("load", "--tokens", str(path), "--state", str(busy.state), home=busy.home)
    assert bad.returncode == 2 and f"{path}, line 1: is not a token" in bad.stderr


def test_answers_of_429_are_the_limit_that_is_named(busy):
    fault(busy, then={"answer": "TooManyRequests"})
    result = load(busy, "--count", "200")
    assert counts(result) == {(429, "TooManyRequests"): 200} and result["complete"]
    assert result["limit"]["is"] == "throttling"
    assert result["limit"]["sentence"].startswith("100 % of the answers were 429")


def test_after_a_goaway_the_pushes_go_on_over_new_connections(busy):
    fault(busy, when={"every": 100}, then={"goAway": "NO_ERROR", "debug": '{"reason":"Shutdown"}'})
    result = load(busy, "--count", str(COUNT), "--connections", "2")
    assert counts(result) == {(200, None): COUNT} and result["unanswered"] == []
    lost = {row["how"]: row["count"] for row in result["connections"]["lost"]}
    assert list(lost) == ['GOAWAY NO_ERROR {"reason":"Shutdown"}']
    assert result["connections"]["opened"] > 2


def test_what_a_goaway_leaves_out_is_sent_again(busy):
    fault(busy, when={"skip": 50}, limit=1, then={"goAway": "NO_ERROR", "before": 3})
    result = load(busy, "--count", str(COUNT), "--connections", "1")
    assert counts(result) == {(200, None): COUNT}
    assert result["sentAgain"] >= 3


def test_a_dropped_connection_loses_pushes_and_the_run_goes_on(busy):
    fault(busy, when={"skip": 50}, limit=1, then={"abort": True})
    result = load(busy, "--count", str(COUNT), "--connections", "1", code=1)
    missing = sum(row["count"] for row in result["unanswered"])
    assert missing > 0 and result["answered"] + missing == COUNT
    assert not result["complete"] and result["trouble"] is None
    assert result["connections"]["opened"] == 2


def test_refused_streams_are_sent_again(busy):
    fault(busy, limit=7, then={"reset": "REFUSED_STREAM"})
    result = load(busy, "--count", "100")
    assert counts(result) == {(200, None): 100} and result["sentAgain"] == 7


def test_a_server_that_goes_away_ends_the_run(pushpit):
    own = pushpit("--fleet", "10")
    process = start(own, "--for", "1h", "--rate", "100", "--connections", "2")
    own.admin.get("/v1/pushes")
    await_pushes(own)
    own.stop()
    out, _ = process.communicate(timeout=60)
    result = json.loads(out)
    assert process.returncode == 1 and not result["complete"] and result["answered"] > 0
    assert result["trouble"].startswith("no connection could be opened for 5 s")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_with_what_there_is(busy, number):
    process = start(busy, "--for", "1h", "--rate", "200")
    await_pushes(busy)
    process.send_signal(number)
    out, _ = process.communicate(timeout=20)
    result = json.loads(out)
    assert process.returncode == 130 and result["complete"] and result["answered"] > 0


def start(server, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [str(BINARY), "load", "--json", "--state", str(server.state), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment(server.home),
    )


def await_pushes(server) -> None:
    expect = [{"pushes": {"status": 200}, "count": "20.."}]
    answer = server.admin.post("/v1/verify", json={"expect": expect, "within": "20s"}).json()
    assert answer["passed"], answer


@pytest.mark.parametrize("host", ["api.push.apple.com", "api.sandbox.push.apple.com", "17.188.143.34"])
@pytest.mark.parametrize("flag", ["--server", "--admin"])
def test_apples_servers_are_refused_always(busy, host, flag):
    url = f"https://{host}:443"
    done = run("load", flag, url, "--allow-host", host, "--state", str(busy.state), home=busy.home)
    assert done.returncode == 2 and "never sends there" in done.stderr, done.stderr


def test_another_host_must_be_named(busy):
    done = run("load", "--server", "https://192.0.2.1:2197", "--state", str(busy.state), home=busy.home)
    assert done.returncode == 2 and "--allow-host 192.0.2.1" in done.stderr


def test_a_server_that_cannot_be_loaded_is_a_sentence(busy, pushpit, home, tmp_path):
    nobody = run("load", "--server", "https://localhost:1", "--state", str(busy.state), home=home)
    assert nobody.returncode == 4 and "Nothing listens at https://localhost:1" in nobody.stderr
    other = pushpit("--fleet", "5")
    wrong = run("load", "--server", other.url(), "--state", str(busy.state), home=home)
    assert wrong.returncode == 1 and "another state folder" in wrong.stderr
    fresh = run("load", "--state", str(tmp_path / "fresh"), "--server", busy.url(), home=home)
    assert fresh.returncode == 4 and "No server runs on the state folder" in fresh.stderr
    none = run("load", "--push-type", "liveactivity", "--payload", "{}", "--state", str(other.state), home=home)
    assert none.returncode == 1 and "no device with a running Live Activity" in none.stderr
    app = run("load", "--app", "com.example.none", "--state", str(other.state), home=home)
    assert app.returncode == 1 and "com.example.none" in app.stderr


def test_a_program_that_is_no_pushpit_gets_nothing(busy, home):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        received = []

        def hang_up() -> None:
            client, _ = listener.accept()
            with client:
                received.append(client.recv(65536))

        thread = threading.Thread(target=hang_up, daemon=True)
        thread.start()
        url = f"https://127.0.0.1:{listener.getsockname()[1]}"
        done = run("load", "--server", url, "--admin", busy.admin_url, "--state", str(busy.state), home=home)
        thread.join(20)
    assert done.returncode == 1 and "does not speak TLS" in done.stderr
    assert received and b"bearer" not in received[0]


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--rate", "0"], "--rate must be from 0.001"),
        (["--rate=-3"], "--rate must be from 0.001"),
        (["--count", "0"], "--count must be a number of pushes from 1"),
        (["--count", "99999999999999999999"], "'99999999999999999999' is invalid for '--count"),
        (["--for", "soon"], "--for must be a duration such as"),
        (["--connections", "100000"], "--connections must be a number from 1 to 1000"),
        (["--push-type", "voip"], "--push-type must be alert, background or liveactivity"),
        (["--payload", '{"a":{{what}}}'], "has the placeholder {{what}}"),
        (["--payload", "{"], "is not JSON"),
    ],
)
def test_invalid_options_are_refused_before_anything_is_sent(busy, arguments, words):
    done = run("load", *arguments, "--state", str(busy.state), home=busy.home)
    assert done.returncode in (2, 64) and words in done.stderr, done.stderr
    assert busy.get("/v1/pushes", limit=1)["pushes"] == []
