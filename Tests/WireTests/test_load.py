"""`pushpit load`: many pushes to a running server, counted, and its refusals."""

import contextlib
import json
import re
import signal
import socket
import ssl
import subprocess
import threading

import h2.config
import h2.connection
import h2.events
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
    assert 0 < latency["min"] <= latency["p50"] <= latency["p99"] <= latency["p99.9"] <= latency["max"]
    pushes = list(busy.pages("/v1/pushes", "pushes"))
    ids = sorted(push["apnsId"].lower() for push in pushes)
    assert ids == [f"{result['idPrefix']}{number:012x}" for number in range(COUNT)]
    per_device = {push["device"] for push in pushes}
    assert len(per_device) == 50, "every device gets as many"
    assert len({push["request"]["body"] for push in pushes}) == COUNT, "equal payloads would be duplicates"
    assert {len([p for p in pushes if p["device"] == device]) for device in per_device} == {COUNT // 50}


def test_a_rate_sends_each_push_once(busy):
    result = load(busy, "--count", "300", "--rate", "2000", "--threads", "2")
    assert counts(result) == {(200, None): 300}
    # The last push was due after 299/2000 s, so the run cannot have been shorter.
    assert result["seconds"] >= 299 / 2000


def test_a_ramp_sends_more_and_more(busy):
    result = load(busy, "--for", "2s", "--rate", "0..400")
    # Half of the mean rate of 200 a second for 2 s is due after the first 1.41 s.
    assert 380 <= result["answered"] <= 410 and result["asked"]["rate"] == "0..400"
    windows = result["series"]["windows"]
    assert sum(round(w["perSecond"] * 0.25) for w in windows[:4]) < 150, windows
    shorter = load(busy, "--count", "100", "--rate", "50..150")
    assert shorter["answered"] == 100 and shorter["seconds"] >= 0.9


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


def test_the_results_over_time(busy):
    fault(busy, limit=3, then={"answer": "TooManyRequests"})
    result = load(busy, "--for", "1s", "--rate", "300")
    series = result["series"]
    assert series["windowSeconds"] == 0.25 and 3 <= len(series["windows"]) <= 6
    assert [window["at"] for window in series["windows"]] == [0.25 * n for n in range(len(series["windows"]))]
    for window in series["windows"][:3]:
        assert 0 < window["p50"] <= window["p99"] and window["perSecond"] > 0
    assert sum(window["rejected"] for window in series["windows"]) == 3 == result["rejected"]
    done = run("load", "--for", "1s", "--rate", "300", "--state", str(busy.state), home=busy.home)
    assert re.search(r"^Over time, 0\.25 s a column:\n +a second  \S+  [\d,]+ to [\d,]+$", done.stdout, re.M), (
        done.stdout
    )
    assert re.search(r"^ +p99  \S+  .* ms to .* ms$", done.stdout, re.M)
    assert "rejected" not in done.stdout


def test_thresholds_that_hold_and_that_are_broken(busy):
    held = load(busy, "--count", "50", "--fail-if", "p99>60s", "--fail-if", "rejected>0", "--fail-if", "rate<0.01")
    assert [row["broken"] for row in held["thresholds"]] == [False] * 3
    fault(busy, limit=10, then={"answer": "InternalServerError"})
    done = run(
        *("load", "--json", "--count", "100", "--rate", "1000", "--state", str(busy.state)),
        *("--fail-if", "rejected > 5%", "--fail-if", "p50>0.0001ms", "--fail-if", "max>60s"),
        home=busy.home,
    )
    assert done.returncode == 1
    failed = [line for line in done.stderr.splitlines() if line.startswith("Failed: ")]
    assert len(failed) == 2, done.stderr
    assert failed[0] == "Failed: rejected>5%: wanted at most 5.0 %, found 10 of 100, 10 %"
    assert failed[1].startswith("Failed: p50>0.0001ms: wanted at most 0.00 ms, found ")
    result = json.loads(done.stdout)
    assert [row["broken"] for row in result["thresholds"]] == [True, True, False]
    assert result["faults"][0]["answer"] == "InternalServerError" and result["faults"][0]["struck"] == 10


def test_a_threshold_may_allow_pushes_without_an_answer(busy):
    fault(busy, limit=3, then={"reset": "INTERNAL_ERROR"})
    result = load(busy, "--count", "100", "--fail-if", "unanswered>5%")
    assert sum(row["count"] for row in result["unanswered"]) == 3 and not result["complete"]
    fault(busy, limit=3, then={"reset": "INTERNAL_ERROR"})
    load(busy, "--count", "100", "--fail-if", "unanswered>2%", code=1)


def test_two_runs_are_compared(busy, tmp_path):
    for name, rate in (("a.json", "400"), ("b.json", "100")):
        (tmp_path / name).write_text(json.dumps(load(busy, "--count", "100", "--rate", rate)))
    done = run("report", str(tmp_path / "a.json"), str(tmp_path / "b.json"), "--json", "-", home=busy.home)
    assert done.returncode == 0, done.stderr
    assert "different rate (400 and 100)" in done.stderr and re.search(
        r"Worse by more than 10 %: .*answers a second", done.stderr
    )
    numbers = {row["name"]: row for row in json.loads(done.stdout)["numbers"]}
    assert numbers["answers a second"]["change"] == "worse" and numbers["answers a second"]["ratio"] < 0.5
    assert {"p50", "p99", "max", "rejected", "unanswered"} <= set(numbers)
    (tmp_path / "c.json").write_text((tmp_path / "b.json").read_text().replace('"notification"', '"broadcast"'))
    mixed = run("report", str(tmp_path / "a.json"), str(tmp_path / "c.json"), home=busy.home)
    assert mixed.returncode == 2 and "only runs of one kind can be compared" in mixed.stderr


def test_background_pushes_and_starts(busy):
    assert counts(load(busy, "--count", "20", "--kind", "background")) == {(200, None): 20}
    start = (
        '{"aps":{"timestamp":{{timestamp}},"event":"start","content-state":{"home":0,"away":0},'
        '"attributes-type":"MatchAttributes","attributes":{"match":"final"},"alert":{"title":"a","body":"b"}}}'
    )
    started = load(busy, "--count", "3", "--kind", "live-activity", "--payload", start)
    assert started["tokens"] == 3 and counts(started) == {(200, None): 3}


def test_live_activities_that_run_are_updated(busy):
    _, activity = busy.start_activity()
    update = '{"aps":{"timestamp":{{timestamp}},"event":"update","content-state":{"home":{{number}},"away":1}}}'
    result = load(busy, "--count", "5", "--kind", "live-activity", "--payload", "-", stdin=update)
    assert result["tokens"] == 1 and counts(result) == {(200, None): 5}
    headers = busy.get("/v1/pushes", limit=1)["pushes"][0]["request"]["headers"]
    sent = {header["name"]: header["value"] for header in headers}
    assert sent["apns-push-type"] == "liveactivity" and sent["apns-topic"] == APP + LIVE_ACTIVITY


def test_live_activities_are_started_if_none_runs(busy):
    result = load(busy, "--count", "40", "--devices", "20", "--kind", "live-activity")
    # Not every phone gives its app a token.
    assert 10 <= result["tokens"] <= 20 and result["answered"] == 40 and result["kind"] == "live-activity"
    again = load(busy, "--count", "40", "--kind", "live-activity")
    assert again["tokens"] == result["tokens"], "those that run are used again"


def test_a_clock_that_stands_still_gives_no_tokens_to_new_activities(pushpit):
    stopped = pushpit("--fleet", "5", "--clock", "manual")
    done = run("load", "--kind", "live-activity", "--state", str(stopped.state), home=stopped.home)
    assert done.returncode == 1 and "does its clock stand still" in done.stderr, done.stderr


def test_a_limit_of_apns_is_named_and_a_fault_is_not(pushpit):
    limited = pushpit("--fleet", "5", "--ledger", "5000", "--token-requests-per-second", "1")
    result = load(limited, "--count", "300", "--devices", "1", "--kind", "live-activity")
    assert counts(result)[429, "TooManyRequests"] > 200 and result["faults"] == []
    assert result["limit"]["is"] == "throttling" and "Faults" not in result["limit"]["sentence"]
    fault(limited, name="storm", then={"answer": "TooManyRequests"})
    struck = load(limited, "--count", "200", "--rate", "2000")
    assert counts(struck) == {(429, "TooManyRequests"): 200} and struck["complete"]
    assert struck["limit"]["is"] != "throttling"
    assert struck["limit"]["sentence"].endswith("were the cause of 200 of 200 answers of 429.")
    assert struck["faults"] == [{"name": "storm", "session": None, "answer": "TooManyRequests", "struck": 200}]


def test_broadcasts_make_a_channel_and_reach_its_phones(busy):
    result = load(busy, "--count", "4", "--devices", "30", "--kind", "broadcast")
    assert result["answered"] == 4 and counts(result) == {(200, None): 4} and result["tokens"] == 1
    # Phones before iOS 18 know no channels.
    count = result["lastBroadcast"]["subscribers"]
    assert 20 <= count <= 30 and 0 <= result["lastBroadcast"]["lastPhoneSeconds"] < 10
    channels = busy.get("/v1/channels")["channels"]
    assert [channel["subscribers"] for channel in channels] == [count]
    requests = busy.get("/v1/broadcasts")["requests"]
    ids = {row["requestId"].lower() for row in requests if row["operation"] == "publish"}
    assert ids == {f"{result['idPrefix']}{number:012x}" for number in range(4)}
    done = run("load", "--count", "2", "--kind", "broadcast", "--state", str(busy.state), home=busy.home)
    assert done.returncode == 0, done.stderr
    channel = channels[0]["channel"]
    assert f"Sending to the channel {channel} at " in done.stderr, "the channel is used again"
    assert re.search(
        rf"^The last broadcast reached {count} Live Activities, the last of them after .* ms\.$", done.stdout, re.M
    )
    named = load(busy, "--count", "1", "--kind", "broadcast", "--channel", channel)
    assert named["lastBroadcast"]["subscribers"] == count
    nowhere = load(busy, "--count", "1", "--kind", "broadcast", "--channel", "bm9uZQ==")
    assert nowhere["rejected"] == 1 and nowhere["lastBroadcast"] is None


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
    none = run("load", "--kind", "live-activity", "--app", "com.example.none", "--state", str(other.state), home=home)
    assert none.returncode == 1 and "com.example.none" in none.stderr
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


def answer_403(listener: socket.socket, state, requests: list) -> None:
    """A server with HTTP/2 and Pushpit's own certificate that is no Pushpit."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(state / "tls.pem", state / "tls-key.pem")
    context.set_alpn_protocols(["h2"])
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        with contextlib.suppress(OSError), context.wrap_socket(client, server_side=True) as stream:
            connection = h2.connection.H2Connection(
                h2.config.H2Configuration(client_side=False, header_encoding="utf-8")
            )
            connection.initiate_connection()
            stream.sendall(connection.data_to_send())
            while data := stream.recv(65536):
                for event in connection.receive_data(data):
                    if isinstance(event, h2.events.RequestReceived):
                        requests.append(dict(event.headers))
                        headers = [(":status", "403"), ("apns-id", requests[-1]["apns-id"])]
                        connection.send_headers(event.stream_id, headers, end_stream=True)
                stream.sendall(connection.data_to_send())


def test_a_server_with_a_trusted_certificate_that_is_no_pushpit_gets_no_provider_token(busy, home):
    requests: list[dict] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer_403, args=(listener, busy.state, requests), daemon=True)
        thread.start()
        url = f"https://localhost:{listener.getsockname()[1]}"
        done = run("load", "--server", url, "--admin", busy.admin_url, "--state", str(busy.state), home=home)
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(20)
    assert done.returncode == 1, done.stderr
    assert "which answered 403, is neither Pushpit nor a proxy in front of" in done.stderr, done.stderr
    assert len(requests) == 1 and "authorization" not in requests[0]
    assert busy.get("/v1/pushes", limit=1)["pushes"] == []


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--rate", "0"], "--rate must be pushes a second from 0.001"),
        (["--rate=-3"], "--rate must be pushes a second from 0.001"),
        (["--rate", "100.."], "or a ramp such as 100..5000"),
        (["--fail-if", "p98>5ms"], 'there is no number "p98"; did you mean p9'),
        (["--fail-if", "p99"], "it needs quotes, and the forms are 'p99>50ms'"),
        (["--fail-if", "p99>50"], "needs a time with its unit such as 50ms"),
        (["--fail-if", "rejected>0.01"], "needs a share such as 1%, or a number of pushes such as 0"),
        (["--channel", "x"], "--channel is for broadcasts only"),
        (["--count", "0"], "--count must be a number of pushes from 1"),
        (["--count", "99999999999999999999"], "'99999999999999999999' is invalid for '--count"),
        (["--for", "soon"], "--for must be a duration such as"),
        (["--connections", "100000"], "--connections must be a number from 1 to 1000"),
        (["--kind", "liveactivity"], 'not "liveactivity"; did you mean live-activity?'),
        (["--payload", '{"a":{{what}}}'], "has the placeholder {{what}}"),
        (["--payload", "{"], "is not JSON"),
    ],
)
def test_invalid_options_are_refused_before_anything_is_sent(busy, arguments, words):
    done = run("load", *arguments, "--state", str(busy.state), home=busy.home)
    assert done.returncode in (2, 64) and words in done.stderr, done.stderr
    assert busy.get("/v1/pushes", limit=1)["pushes"] == []
