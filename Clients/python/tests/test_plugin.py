"""The pytest plugin, by running pytest with it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from pushpit import Pushpit


@pytest.fixture
def run(pytester: pytest.Pytester, program: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PUSHPIT_BINARY", str(program))
    for name in ("PUSHPIT_ADMIN", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)
    pytester.makeini("[pytest]\npushpit_flags = --fleet 40\naddopts = --strict-markers")
    return pytester


def test_a_phone_of_its_own_for_each_test(run: pytest.Pytester) -> None:
    run.makepyfile("""
        import pytest
        seen = []

        @pytest.mark.parametrize("goals", [1, 2, 3])
        def test_goals(phone, pushpit_session, goals):
            assert phone.device not in seen
            seen.append(phone.device)
            for goal in range(goals):
                assert phone.send(f"{goal + 1} : 0").status == 200
            phone.expect(notifications=goals)
            assert len(pushpit_session.pushes()) == goals
    """)
    run.runpytest_subprocess().assert_outcomes(passed=3)


def test_expect_and_fault(run: pytest.Pytester) -> None:
    run.makepyfile("""
        import pytest
        pytestmark = pytest.mark.expect({"pushes": {"status": 403}, "count": 0})

        @pytest.mark.fault(answer="TooManyRequests", limit=1)
        @pytest.mark.expect({"pushes": {"reason": "TooManyRequests"}, "count": 1})
        @pytest.mark.expect({"screens": {}, "show": {"notifications": 1}})
        def test_is_met(phone):
            assert [phone.send("Goal!").status for _ in range(2)] == [429, 200]

        @pytest.mark.expect({"pushes": {}, "count": 1})
        def test_is_not_met(phone):
            pass

        @pytest.mark.fault(answer="TooManyRequest")
        def test_no_such_reason(phone):
            pass
    """)
    result = run.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=1, errors=1)
    result.stdout.fnmatch_lines(["*wanted * 1 push", "*found * 0", "*Nothing was pushed."])
    result.stdout.fnmatch_lines(["*did you mean TooManyRequests?"])
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")
    result.stdout.no_fnmatch_line("During handling*")


def test_a_failing_test_tells_stories_and_keeps_the_tape(run: pytest.Pytester, program: Path) -> None:
    run.makepyfile("""
        def test_fails(phone):
            phone.send("Goal!")
            assert phone.screen().notifications[0].body == "Own goal!"
    """)
    result = run.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*Pushpit: last pushes of session*", "push *: 200 to d0", "  SpringBoard: *banner*"])
    output = result.stdout.str()
    found = re.search(r"play it again: pushpit replay (\S+)", output)
    assert found is not None, output
    played = subprocess.run([str(program), "replay", found[1]], capture_output=True, text=True, timeout=60)
    assert played.returncode == 0, played.stdout + played.stderr


def test_a_refusal_ends_at_the_line_of_the_test(run: pytest.Pytester) -> None:
    run.makepyfile("""
        def test_do(phone):
            phone.do("flyAway")

        def test_fault(pushpit_session):
            pushpit_session.fault(answer="TooManyRequest")

        def test_filter(pushpit):
            pushpit.pushes(colour="red")
    """)
    result = run.runpytest_subprocess("--tb=short")
    result.assert_outcomes(failed=3)
    frames = re.findall(r"^(\S+\.py):\d+: in ", result.stdout.str(), re.M)
    assert frames == ["test_a_refusal_ends_at_the_line_of_the_test.py"] * 3, result.stdout.str()


def test_a_green_run_keeps_no_tape(run: pytest.Pytester) -> None:
    run.makepyfile("def test_passes(phone): assert phone.send('Goal!').status == 200")
    run.runpytest_subprocess().assert_outcomes(passed=1)
    assert list(run.path.rglob("*.tape")) == []


def test_trouble_of_connections_is_told_where_nothing_was_pushed(run: pytest.Pytester) -> None:
    run.makepyfile("""
        import ssl, socket

        def test_wrong_authority(phone, pushpit):
            host, _, port = pushpit.apns().removeprefix("https://").rpartition(":")
            with socket.create_connection((host, int(port)), 10) as raw:
                ssl.create_default_context().wrap_socket(raw, server_hostname="localhost")
    """)
    result = run.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["Nothing was pushed.", "A connection had trouble at *"])


FOUR_TESTS = """
    import os
    import pytest

    @pytest.mark.parametrize("number", range(8))
    def test_in_parallel(pushpit, phone, number, tmp_path_factory):
        together = tmp_path_factory.getbasetemp().parent
        (together / f"seen-{os.environ['PYTEST_XDIST_WORKER']}-{number}").write_text(f"{pushpit.url} {phone.device}")
        assert phone.send(f"Goal {number}").status == 200
        assert [n.body for n in phone.screen().notifications] == [f"Goal {number}"]
"""


def seen(run: pytest.Pytester) -> tuple[set[str], list[str]]:
    rows = [path.read_text().split() for path in run.path.rglob("seen-*")]
    return {url for url, _ in rows}, [device for _, device in rows]


def test_one_server_for_all_workers_of_xdist(run: pytest.Pytester) -> None:
    run.makepyfile(FOUR_TESTS)
    run.runpytest_subprocess("-n3", f"--basetemp={run.path}/base").assert_outcomes(passed=8)
    urls, devices = seen(run)
    assert len(urls) == 1
    assert len(devices) == len(set(devices)) == 8


def test_a_server_for_each_worker_where_the_suite_asks_for_it(run: pytest.Pytester) -> None:
    run.makeini("[pytest]\npushpit_flags = --fleet 40\npushpit_servers = worker")
    run.makepyfile(FOUR_TESTS)
    run.runpytest_subprocess("-n2", "--dist=each", f"--basetemp={run.path}/base").assert_outcomes(passed=16)
    assert len(seen(run)[0]) == 2


def test_two_runs_at_the_same_time_on_one_server(run: pytest.Pytester, program: Path) -> None:
    run.makepyfile(FOUR_TESTS)
    with Pushpit.start("--fleet", "40", program=program) as shared, shared.session(name="another suite") as other:
        result = run.runpytest_subprocess("-n2", f"--pushpit-url={shared.url}", f"--basetemp={run.path}/base")
        result.assert_outcomes(passed=8)
        urls, devices = seen(run)
        assert urls == {shared.url}
        assert other.phone.device not in devices
        assert shared.clock.state()["mode"] == "wall", "a server that the run has not started is not stopped"


def test_a_suite_that_takes_every_push_stops_the_other_with_a_sentence(run: pytest.Pytester, program: Path) -> None:
    run.makepyfile("def test_it(phone): pass")
    with Pushpit.start("--fleet", "40", program=program) as shared, shared.session(everything=True, name="greedy"):
        result = run.runpytest_subprocess(f"--pushpit-url={shared.url}")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["ConflictError: *the open session greedy;*"])


@pytest.mark.parametrize("workers", [[], ["-n2"]])
def test_no_program(run: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: list[str]) -> None:
    monkeypatch.setenv("PUSHPIT_BINARY", "/nowhere/pushpit")
    run.makepyfile("""
        def test_one(phone): pass
        def test_two(phone): pass
        def test_without(): pass
    """)
    result = run.runpytest_subprocess(*workers)
    result.assert_outcomes(errors=2, passed=1)
    result.stdout.fnmatch_lines(["ProgramNotFoundError: PUSHPIT_BINARY names /nowhere/pushpit, which is not*"])


def test_a_server_that_goes_away_in_the_middle_of_a_test(run: pytest.Pytester) -> None:
    run.makepyfile("""
        import os, signal

        def test_loses_it(phone, pushpit):
            os.kill(pushpit._server.process.pid, signal.SIGKILL)
            phone.screen()

        def test_after(phone):
            pass
    """)
    result = run.runpytest_subprocess()
    result.assert_outcomes(failed=1, errors=1)
    result.stdout.fnmatch_lines(["E *NoServerError: The server at * has ended, with signal SIGKILL*"])


def test_a_session_that_expires_in_the_middle_of_a_test_is_told(run: pytest.Pytester) -> None:
    run.makeini("[pytest]\npushpit_flags = --fleet 40\npushpit_expires = 1s")
    run.makepyfile("""
        import pytest

        @pytest.fixture
        def ended(pushpit_session, pushpit):
            pushpit.wait_for(lambda: not pushpit_session.state()["open"])

        def test_without_expectations(ended):
            pass

        @pytest.mark.expect({"pushes": {}, "count": 0})
        def test_with_one(ended):
            pass

        def test_that_fails_itself(ended):
            assert 1 == 2

        def test_that_has_its_session_forgotten(pushpit_session):
            pushpit_session.forget()
    """)
    result = run.runpytest_subprocess()
    result.assert_outcomes(passed=2, failed=2, errors=1)
    result.stdout.fnmatch_lines(["SessionOverError: The session s* is closed, and not by its test: it expired at *"])


def test_a_run_that_does_not_use_it_starts_nothing(run: pytest.Pytester) -> None:
    run.makepyfile("""
        import subprocess, os

        def test_nothing(pytestconfig):
            assert not [key for key in os.listdir("/proc") if key.isdigit() and is_child(key)]

        def is_child(pid):
            try:
                fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
            except OSError:
                return False
            return int(fields[1]) == os.getpid()
    """)
    run.runpytest_subprocess().assert_outcomes(passed=1)


def test_a_wrong_setting_is_refused(run: pytest.Pytester) -> None:
    run.makeini("[pytest]\npushpit_servers = each")
    run.makepyfile("def test_it(): pass")
    result = run.runpytest_subprocess()
    result.stderr.fnmatch_lines(["*pushpit_servers is run or worker, not each.*"])


def test_asyncio(run: pytest.Pytester) -> None:
    run.makepyfile("""
        import asyncio
        from pushpit import aio

        def test_the_loop_is_not_blocked(phone):
            async def play():
                own = aio.Phone(phone)
                goal = asyncio.create_task(own.expect(notification={"body": "Goal!"}))
                await asyncio.sleep(0)
                assert (await own.send("Goal!")).status == 200
                return await goal
            assert len(asyncio.run(play()).notifications) == 1

        def test_a_wait_lets_other_tasks_run():
            async def play():
                ticks = []
                async def tick():
                    while True:
                        ticks.append(None)
                        await asyncio.sleep(0)
                ticking = asyncio.create_task(tick())
                await aio.wait_for(lambda: len(ticks) > 5, within=5)
                ticking.cancel()
            asyncio.run(play())
    """)
    run.runpytest_subprocess().assert_outcomes(passed=2)
