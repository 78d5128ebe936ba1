"""`pushpit run`: a scenario beside a real backend, which is started, receives the time, is evaluated and ended."""

import contextlib
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from commands import gone
from program import BINARY, REPOSITORY, environment

HERE = Path(__file__).parent


@pytest.fixture
def played(fails, tmp_path):
    """Plays a file; what the backend said is its `said`."""

    def play(path: str, *flags: str):
        log = tmp_path / "backend.log"
        log.unlink(missing_ok=True)
        end = flags.index("--") if "--" in flags else len(flags)
        result = fails("run", path, *flags[:end], "--backend-log", str(log), *flags[end:])
        result.said = log.read_text().splitlines() if log.exists() else []
        return result

    return play


def test_the_backend_reports_ticks_and_pushes(story, played):
    result = played(story(expect="[{pushes: {}, all: {fate: Delivered to Device}}, {pushes: {}, count: 20..}]"))
    assert result.returncode == 0, result.stdout + result.stderr
    begins = float(next(line for line in result.said if line.startswith("begins")).split()[1])
    ticks = [float(line.split()[1]) for line in result.said if line.startswith("tick")]
    steps = [later - sooner for sooner, later in zip(ticks, ticks[1:])]
    assert begins <= ticks[0] < begins + 1 and ticks[-1] <= begins + 121
    assert len(ticks) >= 8 and all(0 < step <= 15 for step in steps)
    # Every app has told its token before the backend hears what time it is.
    assert len({line for line in result.said if line.startswith("report")}) == 5
    assert "PASS  a day (seed 1, 5 devices, 2m)" in result.stdout


def test_time_stops_at_each_moment_of_the_story(story, played):
    result = played(
        story(
            steps="[{at: 20s, do: goOffline, device: d0}, {at: 31s, do: goOnline, device: d0}]",
            more="step: 25s",
            expect="[{events: {device: d0}, ordered: [wentOffline, wentOnline]}]",
        )
    )
    ticks = [float(line.split()[1]) for line in result.said if line.startswith("tick")]
    since = [round(tick - ticks[0]) for tick in ticks]
    assert result.returncode == 0, result.stdout
    assert since[:5] == [0, 20, 31, 56, 81]


def test_a_failed_expectation_is_told_as_simulate_tells_it(story, played, fails, tmp_path):
    path = story(expect="[{name: few, pushes: {}, count: 3}]")
    result = played(path, "--junit", str(tmp_path / "r.xml"), "--json", str(tmp_path / "r.json"), "--seed", "4")
    assert result.returncode == 1
    assert "FAIL" in result.stdout and "wanted   3 pushes" in result.stdout
    assert f"rerun with: pushpit run {path} --seed 4" in result.stdout
    tape = re.search(r"^  replay with: pushpit replay (\S+)$", result.stdout, re.M)[1]
    assert fails("replay", tape).returncode == 0
    (told,) = json.loads((tmp_path / "r.json").read_text())["scenarios"]
    assert (told["tape"], told["replay"], told["again"]) == (
        tape,
        f"pushpit replay {tape}",
        f"pushpit run {path} --seed 4",
    )
    assert f"pushpit replay {tape}" in (tmp_path / "r.xml").read_text()
    assert json.loads((tmp_path / "r.json").read_text())["scenarios"][0]["passed"] is False
    assert ElementTree.parse(tmp_path / "r.xml").getroot()[0].get("failures") == "1"
    assert fails("simulate", path).returncode == 2  # no virtual time hurries a backend


def test_what_apps_report_and_what_both_sides_believe_is_judged(story, played):
    result = played(
        story(
            expect="""
  - {calls: {event: deviceToken}, all: {status: 204}}
  - {calls: {event: deviceToken, body: {device: d3}}, count: 1}
  - {connections: {environment: sandbox}, count: 1}
  - {delay: {from: {calls: {event: deviceToken}}, to: {pushes: {}}}, all: 0s..1m}
  - {findings: {}, none: true}
  - {converged: {}}"""
        )
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_an_unreported_token_is_not_convergence(story, played):
    result = played(
        story(
            steps="[{at: 20s, do: terminate, device: d1}, {at: 30s, do: rotate, kind: device, device: d1}]",
            expect="[{converged: {}}, {converged: {devices: [d0, d2]}}]",
        )
    )
    assert result.returncode == 1
    assert re.search(
        r"nearest  d1, device token of com.example.app: the phone has \w+…, but the backend last accepted",
        result.stdout,
    ), result.stdout
    assert "found    4 of 5" in result.stdout


def test_the_guides_example_runs(fails, tmp_path):
    guide = (REPOSITORY / "Scenarios/README.md").read_text()
    (example,) = re.findall(r"^```yaml run\n(.*?)^```", guide, re.S | re.M)
    path = tmp_path / "guide.yaml"
    path.write_text(example.replace("../Tests/WireTests", str(HERE)).replace("python3", sys.executable))
    result = fails("run", str(path))
    assert result.returncode == 0, result.stdout + result.stderr


def test_words_after_the_dashes_go_to_the_backend(story, played):
    result = played(story(expect="[{pushes: {}, count: 0}]", words="quiet"), "--", "pushes", "more")
    assert result.returncode == 1
    assert any(re.search(r"words quiet pushes more pid", line) for line in result.said)
    assert re.search(r"rerun with: pushpit run \S+ --seed 1 -- pushes more$", result.stdout, re.M)


def test_only_tapes_of_runs_that_failed_are_kept_and_only_the_latest(story, played, tmp_path):
    failed = played(story(expect="[{pushes: {}, count: 3}]", words="quiet"))
    tape = Path(re.search(r"^  replay with: pushpit replay (\S+)$", failed.stdout, re.M)[1])
    assert failed.returncode == 1 and [*tape.parent.iterdir()] == [tape] and tape.stat().st_mode & 0o777 == 0o600
    assert played(story(expect="[{pushes: {}, count: 0}]", words="quiet")).returncode == 0
    assert [*tape.parent.iterdir()] == [tape]
    for number in range(30):
        (tape.parent / f"old-{number:02}.tape").write_bytes(tape.read_bytes())
        os.utime(tape.parent / f"old-{number:02}.tape", (number, number))
    latest = played(story(expect="[{pushes: {}, count: 3}]", words="quiet"))
    kept = sorted(path.name for path in tape.parent.iterdir())
    assert Path(re.search(r"replay with: pushpit replay (\S+)$", latest.stdout, re.M)[1]).name in kept
    assert len(kept) == 20 and kept[-18:] == [f"old-{number:02}.tape" for number in range(12, 30)]


def test_a_tape_of_ones_own_is_the_one_that_is_named(story, played, tmp_path):
    failed = played(story(expect="[{pushes: {}, count: 3}]", words="quiet"), "--tape", str(tmp_path / "my.tape"))
    assert f"  replay with: pushpit replay {tmp_path}/my.tape\n" in failed.stdout


@pytest.mark.parametrize(
    "words, more, says",
    [
        ("dies", "stop: 1s", r"ended with exit code 7, at 0s\. Its last output:\n(.*\n)*.*a last word"),
        ("fails", "stop: 1s", r"at the tick for 0s, answered with 500\."),
        ("hangs", "answers: 1s", r"at the tick for 0s, did not answer: .* within 1s"),
        ("never-ready", "starts: 5s", r"was not ready within 5s: /health answered with 503"),
    ],
)
def test_a_backend_that_breaks_off_is_named(story, played, words, more, says):
    result = played(story(words, more, expect="[{name: never judged, pushes: {}, count: 5}]"))
    assert result.returncode == 3, result.stdout
    assert re.search(says, result.stdout), result.stdout
    assert "  FAIL  1 expectation was not evaluated, because the run ended at 0s.\n" in result.stdout
    assert "never judged" not in result.stdout


def test_a_run_that_never_began_counts_what_was_not_evaluated_in_one_line(story, played, tmp_path):
    three = "[{pushes: {}, count: 5}, {pushes: {}, count: 6}, {findings: {}, none: true}]"
    faults = "\nfaults: [{name: storm, then: {answer: TooManyRequests}}]"
    path = story("never-ready", "starts: 1s", expect=three + faults)
    result = played(path, "--json", str(tmp_path / "run.json"), "--report", str(tmp_path / "run.html"))
    fails = [line for line in result.stdout.splitlines() if line.startswith("  FAIL")]
    assert len(fails) == 2 and "was not ready within 1s" in fails[0], result.stdout
    assert fails[1] == "  FAIL  3 expectations were not evaluated, because the run ended at 0s."
    assert "never struck" not in result.stdout
    page = (tmp_path / "run.html").read_text()
    assert "3 expectations were not evaluated" in page and "before it could be" not in page
    (scenario,) = json.loads((tmp_path / "run.json").read_text())["scenarios"]
    assert len(scenario["expectations"]) == 3


@pytest.mark.parametrize("flags", [[], ["--speed", "60"]], ids=["told the time", "faster"])
def test_a_report_measures_by_the_simulated_clock_where_that_is_another(story, played, fails, tmp_path, flags):
    path = story()
    if flags:
        Path(path).write_text(re.sub(r"^ *(tick|step|tokens): .*\n", "", Path(path).read_text(), flags=re.M))
    reports = [tmp_path / "run.json", tmp_path / "tape.json"]
    result = played(path, "--report", str(reports[0]), "--tape", str(tmp_path / "run.tape"), *flags)
    assert result.returncode == 0, result.stdout + result.stderr
    assert fails("report", str(tmp_path / "run.tape"), "--json", str(reports[1])).returncode == 0
    for report in reports:
        found = json.loads(report.read_text())
        if not flags:
            assert found["run"]["seconds"] > 60 > found["run"]["machineSeconds"], found["run"]
        assert found["run"]["simulatedClock"] is True and found["limit"]["name"] == "not judged"
        assert found["curve"]["processorsUsed"] is None


@pytest.mark.parametrize(
    "command, says",
    [
        ("there-is-no-such-program x", "there is no program there-is-no-such-program in PATH"),
        ("true", "ended with exit code 0, before it was ready"),
    ],
)
def test_a_command_that_cannot_start(story, fails, command, says):
    result = fails("run", story(), "--exec", command)
    assert result.returncode == 3 and says in result.stdout, result.stdout


def test_only_a_backend_that_somebody_else_has_started_needs_the_usual_ports(server, fails, tmp_path):
    story = tmp_path / "story.yaml"
    text = "steps:\n  - push: {payload: {aps: {alert: Hello}}}\nexpect:\n  - pushes: {}\n    count: 1\n"
    settings = "settings: {fleet: {devices: 1}"
    story.write_text(f"{settings}}}\n{text}")
    played = fails("run", str(story), "--speed", "100")
    assert played.returncode == 0, played.stderr
    port = server.ready["listeners"]["sandbox"].rpartition(":")[2]
    story.write_text(f"{settings}, listen: {{sandbox: {port}}}}}\n{text}")
    busy = fails("run", str(story), "--speed", "100")
    assert busy.returncode == 3 and f"port {port} of 127.0.0.1 is in use" in busy.stderr, busy.stderr


def test_a_backend_that_is_not_ready_is_not_asked_without_a_pause(fails, tmp_path):
    asked = 0

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            nonlocal asked
            asked += 1
            self.send_response(503)
            self.end_headers()

        def log_message(self, *words):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as backend:
        Thread(target=backend.serve_forever, daemon=True).start()
        path = tmp_path / "story.yaml"
        path.write_text(
            f"backend: {{url: 'http://127.0.0.1:{backend.server_port}', ready: /health, starts: 2s}}\n"
            "steps: [{at: 1s, do: lock, device: d0}]\nexpect: [{screens: {}, show: {cards: 0}}]\n"
        )
        result = fails("run", str(path))
        backend.shutdown()
    assert result.returncode == 3 and "answered with 503" in result.stdout, result.stdout
    # Every 20 ms; a process that has no rest asks thousands of times.
    assert 2 <= asked <= 101


def test_a_backend_may_take_its_time_to_start(story, played):
    assert played(story("pushes late")).returncode == 0


@pytest.mark.parametrize("words", ["pushes", "pushes family", "pushes unruly", "pushes stubborn"])
def test_nothing_of_the_backend_is_left(story, played, words):
    result = played(story(words, "stop: 500ms"))
    assert result.returncode == 0, result.stdout
    pids = [int(pid) for line in result.said for pid in re.findall(r"(?:pid|child) (\d+)", line)]
    assert len(pids) == (1 if words in ("pushes", "pushes stubborn") else 2) and all(gone(pid) for pid in pids)


@pytest.fixture
def started(story, tmp_path):
    """Starts a run whose backend writes to a pipe, and reads the pipe until the backend has received the time. All of
    its processes hold the pipe open, so that its end is theirs."""
    running: list[subprocess.Popen] = []

    def start(words: str, more: str = "starts: 20s"):
        log = tmp_path / "log"
        os.mkfifo(log)
        reading = os.fdopen(os.open(log, os.O_RDONLY | os.O_NONBLOCK))
        os.set_blocking(reading.fileno(), True)
        temporary = tmp_path / "tmp"
        temporary.mkdir()
        # While this end is open for writing, reading waits for the backend.
        held = os.open(log, os.O_WRONLY)
        process = subprocess.Popen(
            [BINARY, "run", story(words, more), "--backend-log", log],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(tmp_path, TMPDIR=str(temporary)),
        )
        running.append(process)
        said = iter(reading.readline, "")
        before = list(itertools.takewhile(lambda line: not line.startswith("tick"), said))
        os.close(held)
        return process, reading, before, temporary

    yield start
    for process in running:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("words", ["hangs", "hangs unruly", "hangs stubborn family", "hangs stubborn unruly"])
def test_the_backend_ends_with_a_run_that_is_killed(started, words):
    process, reading, before, temporary = started(words, "stop: 500ms")
    process.kill()
    process.wait(30)
    # Each process of the backend has closed its end; only a test that fails waits for more than the grace period.
    ending = Thread(target=reading.read, daemon=True)
    ending.start()
    ending.join(30)
    assert not ending.is_alive()
    pids = [int(pid) for line in before for pid in re.findall(r"(?:pid|child) (\d+)", line)]
    assert len(pids) == 1 + ("family" in words) + ("unruly" in words) and all(gone(pid) for pid in pids)
    # The watcher is the last to go, with the folder of the run.
    assert await_none(temporary), list(temporary.iterdir())


def await_none(folder: Path) -> bool:
    return any(not list(folder.iterdir()) or time.sleep(0.02) for _ in range(500))


@pytest.mark.parametrize("words", ["dies unruly", "dies family"])
def test_children_of_a_backend_that_dies_end_too(story, played, words):
    result = played(story(words, "stop: 500ms"))
    assert result.returncode == 3 and "ended with exit code 7" in result.stdout, result.stdout
    pids = [int(pid) for line in result.said for pid in re.findall(r"child (\d+)", line)]
    assert len(pids) == 1 and gone(pids[0])


def test_a_signal_ends_the_run_with_a_report(story, tmp_path):
    log = tmp_path / "log"
    process = subprocess.Popen(
        [BINARY, "run", story("hangs"), "--backend-log", log],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(tmp_path),
    )
    while not (log.exists() and "tick" in log.read_text()):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    shown, _ = process.communicate(timeout=30)
    assert process.returncode == 130 and "the run was ended by a signal at 0s" in shown
    assert gone(int(re.search(r"pid (\d+)", log.read_text())[1]))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_at_the_very_beginning_ends_the_run_in_order_too(story, tmp_path, number):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [BINARY, "run", story("hangs")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(tmp_path) | {"TMPDIR": str(temporary)},
    )
    while not list(temporary.iterdir()):
        assert process.poll() is None
    process.send_signal(number)
    shown, _ = process.communicate(timeout=30)
    assert process.returncode == 130 and "the run was ended by a signal at 0s" in shown
    assert await_none(temporary), list(temporary.iterdir())


def test_a_signal_between_two_plays_ends_the_runs_with_a_report(story, tmp_path):
    """A play of a second takes no longer than what is between two, so one of these signals falls there."""
    path = Path(story("pushes", "reset: /reset", expect="[{events: {}, count: 0..}]"))
    path.write_text(path.read_text().replace("for: 2m", "for: 1s"))
    for number in range(4):
        log, home = tmp_path / f"log{number}", tmp_path / f"home{number}"
        home.mkdir()
        process = subprocess.Popen(
            [BINARY, "run", path, "--swarm", "1000", "--backend-log", log, "--json", home / "report.json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(home),
        )
        resets = 0
        while resets < 3 + number:
            assert process.poll() is None
            with contextlib.suppress(FileNotFoundError):
                resets = log.read_text().count("reset ")
        time.sleep(0.01 * number)
        process.send_signal(signal.SIGINT)
        shown, told = process.communicate(timeout=30)
        assert process.returncode == 130 and "the run was ended by a signal" in shown, (shown, told)
        assert json.loads((home / "report.json").read_text())["scenarios"]


@pytest.mark.parametrize("wait, pushes", [("40s", "10.."), ("10m", "1")])
def test_an_answer_held_back_by_a_fault_does_not_stop_the_story(story, played, wait, pushes):
    """Time stands while the backend works, but not while the backend itself waits for what only time brings."""
    result = played(
        story(
            steps=f"[{{at: 0s, fault: {{name: slow, limit: 1, then: {{delay: {wait}}}}}}}]",
            more="answers: 50s",
            expect=f"[{{pushes: {{}}, count: {pushes}}}]",
        )
    )
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("words, status", [("pushes world-tokens", 0), ("pushes world-tokens keeps-jwt", 1)])
def test_provider_tokens_may_live_by_the_world(story, played, words, status):
    """docs/behavior/failure-modes.md#mode-9: an hour and a minute pass in a second."""
    result = played(
        story(
            words,
            "tokens: world",
            steps="[{at: 1m, clock: 61m}]",
            expect="[{pushes: {}, none: {reason: ExpiredProviderToken}}, {pushes: {}, count: 10..}]",
        )
    )
    assert result.returncode == status, result.stdout


@pytest.mark.parametrize("own", ["", "state: STATE"])
def test_a_failed_run_keeps_its_tape_in_the_state_folder_of_the_environment(fails, home, tmp_path, own):
    state = tmp_path / "state"
    path = tmp_path / "plain.yaml"
    settings = f"settings: {{{own.replace('STATE', str(tmp_path / 'other'))}}}\n" if own else ""
    path.write_text(f"for: 2s\n{settings}expect: [{{pushes: {{}}, count: 7}}]\n")
    result = fails("run", str(path), "--speed", "1000", PUSHPIT_STATE=str(state))
    assert result.returncode == 1, result.stderr
    [tape] = (state / "tapes").iterdir()
    assert str(tape) in result.stdout
    assert (state / "ca.pem").exists() and not (home / ".local").exists() and not (tmp_path / "other").exists()


def test_without_a_tick_time_runs_beside_the_machines(fails, tmp_path):
    path = tmp_path / "plain.yaml"
    path.write_text(
        "for: 20s\nsettings: {fleet: {devices: 3, ideal: true}, listen: {sandbox: 0, production: 0, admin: 0, "
        "channels: 0,"
        " productionChannels: 0}}\nsteps: [{at: 10s, push: {payload: {aps: {alert: Hi}}}}]\n"
        "expect: [{pushes: {}, all: {fate: Delivered to Device}}]\n"
    )
    began = time.monotonic()
    result = fails("run", str(path), "--speed", "20")
    assert result.returncode == 0, result.stdout
    assert time.monotonic() - began > 0.9
    assert fails("run", str(path), "--speed", "0").returncode == 2
    refused = fails("run", str(path), "--backend", "ftp://x")
    assert refused.returncode == 2 and "--backend must be a URL such as http://127.0.0.1:8080" in refused.stderr


@pytest.mark.parametrize(
    "length, flags, faster", [("1s", (), " (--speed 60 hurries only the phones)"), ("20s", ("--speed", "20"), "")]
)
def test_a_run_without_a_tick_says_what_would_make_it_instant(fails, tmp_path, length, flags, faster):
    path = tmp_path / "plain.yaml"
    path.write_text(
        f"for: {length}\nbackend: {{command: sh -c 'env; exec sleep 60'}}\nexpect: [{{pushes: {{}}, count: 0}}]\n"
    )
    result = fails("run", str(path), *flags, "--backend-log", str(tmp_path / "log"))
    assert result.returncode == 0, result.stdout
    instant = "with a tick of the backend it takes seconds: docs/tick.md"
    assert result.stderr.splitlines()[0] == f"playing plain: it takes 1s of real time{faster}; {instant}"
    # A backend that sees it would wait for the first tick.
    said = (tmp_path / "log").read_text()
    assert "PUSHPIT_READY=" in said and "PUSHPIT_NOW=" not in said


@pytest.mark.parametrize(
    "backend, says",
    [
        ("{}", "backend needs a url, such as http://127.0.0.1:8080, or a command"),
        ("{url: ftp://x}", "url must be a URL such as http://127.0.0.1:8080"),
        ("{comand: x}", 'backend has no key "comand"; did you mean command?'),
        ("{command: x, tick: /tick}", "tick is a path, which needs url:"),
        ("{url: 'http://127.0.0.1:1', step: 5s}", "step needs tick"),
        ("{url: 'http://127.0.0.1:1', tick: /t, step: 30s}", "step must be more than 0s and at most 25s"),
        ("{url: 'http://127.0.0.1:1', starts: 0s}", "starts must be more than 0s"),
        ("{url: 'http://127.0.0.1:1', answers: 0s}", "answers must be more than 0s"),
        ("{url: 'http://127.0.0.1:1', directory: /}", "directory needs command"),
        ("{url: 'http://127.0.0.1:1', reset: /reset}", "reset needs command"),
        ("{url: 'http://127.0.0.1:1', tokens: moon}", 'tokens cannot be "moon"; valid values are machine and world'),
    ],
)
def test_an_invalid_backend_is_reported_by_line(fails, tmp_path, backend, says):
    path = tmp_path / "b.yaml"
    path.write_text(f"steps: [{{clock: 1s}}]\nbackend: {backend}\nexpect: [{{pushes: {{}}, count: 0}}]\n")
    result = fails("check", str(path))
    assert result.returncode == 2 and f"{path}:2:" in result.stderr and says in result.stderr, result.stderr
