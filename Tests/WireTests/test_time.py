"""Time: long steps of the clock, delays, an idle server, and stopping."""

import contextlib
import signal
import threading
from pathlib import Path

import httpx
import pytest

from program import SMOOTH, run

ROTATING = (*SMOOTH, "--fleet", "300", "--clock", "manual", "--set", "startTokens.rotation=10m")


def launch(server) -> None:
    """With a new process each app has a start token of its own, which rotates from then on."""
    for order in ("forceQuit", "open"):
        done = server.admin.post("/v1/actions", json={"where": {}, "do": order, "app": "com.example.app"})
        assert done.status_code == 200 and done.json()["done"] == 300, done.text


def test_a_long_step_of_the_clock_is_made_beside_the_service(pushpit, home, tmp_path):
    """300 phones that have their push-to-start token replaced each ten minutes, for three days."""
    tape = tmp_path / "run.tape"
    server = pushpit(*ROTATING, "--tape", str(tape))
    launch(server)
    token = server.token()
    began = server.clock()
    answers: list[httpx.Response] = []
    other = server.client()
    order = threading.Thread(
        target=lambda: answers.append(other.post("/v1/clock", json={"advance": "3d"}, timeout=300))
    )
    order.start()
    seen, refused, pushed = [], None, []
    while order.is_alive():
        clock = server.clock()
        if "target" not in clock:
            continue
        seen.append(clock["unixMilliseconds"])
        pushed.append(server.push(token).verdict)
        # Nothing, should the first be done by now.
        second = server.admin.post("/v1/clock", json={"advance": "0s"})
        refused = refused or (second if second.status_code == 409 else None)
    order.join()
    assert len(seen) > 1, "the step was over before it could be looked at"
    assert seen == sorted(seen) and seen[-1] > began["unixMilliseconds"]
    assert set(pushed) == {(200, None)}
    assert refused is not None and "is advancing to" in refused.json()["error"]
    assert answers[0].status_code == 200 and "target" not in answers[0].json()
    assert answers[0].json()["unixMilliseconds"] - began["unixMilliseconds"] == 3 * 86_400_000
    server.stop()
    replayed = run("replay", str(tape), home=home)
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr


def test_a_client_may_leave_during_its_step(pushpit):
    server = pushpit(*ROTATING)
    launch(server)
    for _ in range(3):
        with contextlib.suppress(httpx.TimeoutException):
            server.client().post("/v1/clock", json={"advance": "6h"}, timeout=0.05)
    while "target" in server.clock():
        pass
    assert server.push(server.token()).verdict == (200, None)


WISHES = [wish for wish in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT) if signal.getsignal(wish) != signal.SIG_IGN]
"""Signals that end a server. Under nohup, SIGHUP does not."""


@pytest.mark.parametrize("wish", WISHES)
def test_a_signal_stops_the_server_though_a_step_is_being_made(pushpit, wish):
    server = pushpit(*ROTATING)
    launch(server)
    with pytest.raises(httpx.TimeoutException):
        server.client().post("/v1/clock", json={"advance": "100d"}, timeout=0.5)
    server.process.send_signal(wish)
    assert server.wait() == 0


def test_sigterm_right_behind_the_ready_line_finishes_the_tape(pushpit, home, tmp_path):
    state = tmp_path / "state"
    for number in range(30):
        tape = tmp_path / f"{number}.tape"
        server = pushpit("--fleet", "3", "--tape", str(tape), state=state)
        server.terminate()
        assert server.wait() == 0, server.log
        assert run("replay", str(tape), home=home).returncode == 0


def wakeups(process) -> int:
    """The number of times that the threads of a process have gone to sleep."""
    tasks = Path(f"/proc/{process.pid}/task").glob("*/status")
    return sum(
        int(line.split()[1])
        for task in tasks
        for line in task.read_text().splitlines()
        if line.startswith("voluntary_ctxt")
    )


def test_an_idle_server_sleeps(pushpit):
    server = pushpit("--fleet", "10")
    assert server.push(server.token()).verdict == (200, None)
    # What is left of the push ends soon; then a heartbeat would show, however long one looks.
    counts = []
    for _ in range(20):
        threading.Event().wait(0.5)
        counts.append(wakeups(server.process))
        if len(counts) > 1 and counts[-1] == counts[-2]:
            return
    raise AssertionError(f"the server does not sleep: {counts}")


def test_a_server_that_nohup_started_outlives_its_terminal(pushpit):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        server = pushpit("--fleet", "3")
    finally:
        signal.signal(signal.SIGHUP, before)
    server.process.send_signal(signal.SIGHUP)
    assert server.push(server.token()).verdict == (200, None)
