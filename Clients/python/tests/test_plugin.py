"""The pytest plugin, by running pytest with it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pushpit import Pushpit


def test_a_phone_of_its_own_for_each_test(run: pytest.Pytester) -> None:
    run.makepyfile("""
        import pytest
        seen = []

        @pytest.mark.parametrize("goals", [1, 2, 3])
        def test_goals(pushpit_phone, pushpit_session, goals):
            assert pushpit_phone.device not in seen
            seen.append(pushpit_phone.device)
            for goal in range(goals):
                assert pushpit_phone.send(f"{goal + 1} : 0").status == 200
            pushpit_phone.expect(notifications=goals)
            assert len(pushpit_session.pushes()) == goals
    """)
    run.runpytest_subprocess().assert_outcomes(passed=3)


def test_expect_and_fault(run: pytest.Pytester) -> None:
    run.makepyfile("""
        import pytest
        pytestmark = pytest.mark.pushpit_expect({"pushes": {"status": 403}, "count": 0})

        @pytest.mark.pushpit_fault(answer="TooManyRequests", limit=1)
        @pytest.mark.pushpit_expect({"pushes": {"reason": "TooManyRequests"}, "count": 1})
        @pytest.mark.pushpit_expect({"screens": {}, "show": {"notifications": 1}})
        def test_is_met(pushpit_phone):
            assert [pushpit_phone.send("Goal!").status for _ in range(2)] == [429, 200]

        @pytest.mark.pushpit_expect({"pushes": {}, "count": 1})
        def test_is_not_met(pushpit_phone):
            pass

        @pytest.mark.pushpit_fault(answer="TooManyRequest")
        def test_no_such_reason(pushpit_phone):
            pass
    """)
    result = run.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=1, errors=1)
    result.stdout.fnmatch_lines(["*wanted * 1 push", "*found * 0", "*Nothing was pushed."])
    result.stdout.fnmatch_lines(["*did you mean TooManyRequests?"])
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")
    result.stdout.no_fnmatch_line("During handling*")


def test_marks_of_a_test_that_asks_for_no_session_are_checked(run: pytest.Pytester) -> None:
    run.makepyfile("""
        import asyncio
        import unittest
        import pytest

        one = pytest.mark.pushpit_expect({"pushes": {}, "count": 1})

        @one
        def test_without_fixtures(): pass

        @one
        def test_with_the_server(pushpit): pass

        @pytest.mark.parametrize("number", [pytest.param(1, marks=one), 2])
        def test_of_one_parameter(number): pass

        class TestOfUnittest(unittest.TestCase):
            @one
            def test_it(self): pass

        @pytest.mark.pushpit_fault(answer="TooManyRequest")
        def test_fault(): pass

        @pytest.mark.skip
        @one
        def test_that_is_skipped(): pass

        @one
        def test_of_asyncio(pushpit, pushpit_aio_session):
            assert len(pushpit.admin.get("/v1/sessions", open=True)["sessions"]) == 1
            assert asyncio.run(pushpit_aio_session.phone.send("Goal!")).status == 200
    """)
    result = run.runpytest_subprocess()
    result.assert_outcomes(passed=2, failed=4, errors=1, skipped=1)
    result.stdout.fnmatch_lines(["*did you mean TooManyRequests?"])


def test_a_mark_of_another_form_is_told(run: pytest.Pytester) -> None:
    run.makepyfile("""
        import pytest

        none = {"pushes": {}, "count": 0}
        expect, fault = pytest.mark.pushpit_expect, pytest.mark.pushpit_fault
        wrong = [expect, expect(none, none), expect([none]), expect(**none), expect(none, count=5), expect(None)]

        @pytest.mark.parametrize("number", [pytest.param(number, marks=mark) for number, mark in enumerate(wrong)])
        def test_expect(number, pushpit_phone): pass

        wrong = [fault({"answer": "TooManyRequests"}), fault("a", "b")]

        @pytest.mark.parametrize("number", [pytest.param(number, marks=mark) for number, mark in enumerate(wrong)])
        def test_fault(number, pushpit_phone): pass
    """)
    result = run.runpytest_subprocess()
    result.assert_outcomes(errors=8)
    told = [line for line in result.outlines if line.startswith("The mark pushpit_")]
    assert [line.split(":")[0] for line in told] == (
        6 * ["The mark pushpit_expect takes one dictionary"] + 2 * ["The mark pushpit_fault takes keyword arguments"]
    )
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_the_outer_mark_comes_first(run: pytest.Pytester) -> None:
    run.makepyfile("""
        import pytest
        pytestmark = pytest.mark.pushpit_fault("outer", answer="TooManyRequests", limit=1)

        @pytest.mark.pushpit_fault("inner", answer="ServiceUnavailable", limit=1)
        def test_it(pushpit_phone):
            assert [pushpit_phone.send("Goal!").status for _ in range(3)] == [429, 503, 200]
    """)
    run.runpytest_subprocess().assert_outcomes(passed=1)


def test_phones_have_the_app_of_the_suite(run: pytest.Pytester) -> None:
    run.makeini("[pytest]\npushpit_app = com.example.b\npushpit_start =\n  app = com.example.a\n  app = com.example.b")
    run.makepyfile("""
        import asyncio

        def test_it(pushpit_phone):
            assert pushpit_phone.app == "com.example.b"
            assert pushpit_phone.send("Goal!").headers["apns-topic"] == "com.example.b"

        def test_of_asyncio(pushpit_aio_phone):
            assert asyncio.run(pushpit_aio_phone.send("Goal!")).headers["apns-topic"] == "com.example.b"
    """)
    run.runpytest_subprocess().assert_outcomes(passed=2)


def test_a_failing_test_tells_stories_and_keeps_the_tape(run: pytest.Pytester, program: Path) -> None:
    run.makepyfile("""
        def test_fails(pushpit_phone):
            pushpit_phone.send("Goal!")
            assert pushpit_phone.screen().notifications[0].body == "Own goal!"
    """)
    result = run.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*Pushpit: last pushes of session*", "push *: 200 to d0", "  SpringBoard: *banner*"])
    output = result.stdout.str()
    found = re.search(r"play it again: pushpit replay (\S+)", output)
    assert found is not None, output
    played = subprocess.run([str(program), "replay", found[1]], capture_output=True, text=True, timeout=60)
    assert played.returncode == 0, played.stdout + played.stderr


def test_an_error_points_at_the_line_of_the_test(run: pytest.Pytester) -> None:
    run.makepyfile("""
        import pytest

        def test_expect(pushpit_phone):
            pushpit_phone.expect(notifications=1, within=0.1)

        def test_count(pushpit_session):
            pushpit_session.expect(1, within=0.1)

        def test_wait(pushpit):
            pushpit.wait_for(lambda: False, within=0.1)

        def test_verdict(pushpit):
            with pushpit.session(expect=[{"pushes": {}, "count": 1}]):
                pass

        def test_token(pushpit_phone):
            pushpit_phone.token("update")

        @pytest.mark.asyncio
        async def test_expect_of_asyncio(pushpit_aio_phone):
            await pushpit_aio_phone.expect(notifications=1, within=0.1)

        def test_do(pushpit_phone):
            pushpit_phone.do("flyAway")

        def test_fault(pushpit_session):
            pushpit_session.fault(answer="TooManyRequest")

        def test_filter(pushpit):
            pushpit.pushes(colour="red")
    """)
    result = run.runpytest_subprocess("--tb=short")
    result.assert_outcomes(failed=9)
    frames = re.findall(r"^(\S+\.py):\d+: in (test_\w+)$", result.stdout.str(), re.M)
    assert len(frames) == 9, result.stdout.str()
    assert "src/pushpit" not in result.stdout.str()


def test_a_wrong_shape_of_a_screen_is_refused_with_the_nearest_word(run: pytest.Pytester) -> None:
    run.makepyfile("""
        import pytest
        from pushpit import InvalidRequestError

        def test_word(pushpit_phone):
            with pytest.raises(InvalidRequestError, match="did you mean notifications"):
                pushpit_phone.expect(notificatoins=1)

        def test_no_word(pushpit_phone):
            with pytest.raises(InvalidRequestError, match="at least one of cards"):
                pushpit_phone.expect()

        def test_token(pushpit_phone):
            with pytest.raises(InvalidRequestError, match="kind cannot be"):
                pushpit_phone.token("pigeon")
    """)
    run.runpytest_subprocess().assert_outcomes(passed=3)


def test_a_push_says_what_became_of_it(run: pytest.Pytester) -> None:
    run.makepyfile("""
        def test_sent(pushpit_phone):
            push = pushpit_phone.send({"aps": {"content-available": 1}}, push_type="background", collapse_id="a")
            assert (push.status, push.outcome, push.headers["apns-collapse-id"]) == (200, "woken", "a")
            assert pushpit_phone.send(raw="{", push_type="alert").outcome == "dropped"
            assert pushpit_phone.send("Goal!", headers={"apns-topic": "x"}).reason == "TopicDisallowed"
    """)
    run.runpytest_subprocess().assert_outcomes(passed=1)


OLD = """
    import pytest

    def test_fixture(phone): pass

    @pytest.mark.expect({"pushes": {}, "count": 1})
    def test_expect(pushpit_phone): pass

    @pytest.mark.fault(answer="TooManyRequests")
    def test_fault(pushpit_phone): assert pushpit_phone.send("Goal!").status == 200

    @pytest.mark.expect({"pushes": {}, "count": 1})
    def test_without_a_session(pushpit): pass
"""


def test_a_former_name_is_told_with_the_present_one(run: pytest.Pytester) -> None:
    run.makepyfile(OLD)
    run.makeini("[pytest]")
    result = run.runpytest_subprocess()
    result.assert_outcomes(errors=4)
    result.stdout.fnmatch_lines_random(
        [
            "The fixture phone is now pushpit_phone; *",
            "The mark expect is now pushpit_expect; *",
            "The mark expect is now pushpit_expect; *",
            "The mark fault is now pushpit_fault; *",
        ]
    )


def test_plain_names_work_where_the_suite_asks_for_them(run: pytest.Pytester) -> None:
    run.makepyfile(OLD)
    run.makeini("[pytest]\npushpit_plain_names = true\naddopts = --strict-markers")
    result = run.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(["*wanted * 1 push", "*assert 429 == 200"])


def test_marks_of_another_plugin_are_left_alone(run: pytest.Pytester) -> None:
    run.makepyfile("""
        import pytest

        @pytest.mark.fault("of a table")
        @pytest.mark.expect
        def test_it(pushpit_phone): pass

        @pytest.mark.expect
        def test_without_pushpit(): pass
    """)
    run.runpytest_subprocess("-k", "without", "-o", "addopts=").assert_outcomes(passed=1, deselected=1)
    run.makeini("[pytest]\nmarkers =\n    expect: of another plugin\n    fault(text): of another plugin")
    run.runpytest_subprocess().assert_outcomes(passed=2)


def test_former_flags_of_the_suite_are_refused_with_the_present_form(run: pytest.Pytester) -> None:
    run.makeini("[pytest]\npushpit_flags = --fleet 40")
    result = run.runpytest_subprocess()
    result.stderr.fnmatch_lines(["*pushpit_flags is now pushpit_start: `fleet = 200` for*"])


def test_a_suite_starts_its_server_with_flags_and_settings(run: pytest.Pytester) -> None:
    run.makepyfile("""
        def test_it(pushpit):
            rows = {row["key"]: row["value"] for row in pushpit.admin.get("/v1/settings")["settings"]}
            assert pushpit.clock.state()["mode"] == "manual"
            assert [rows[key] for key in ("fleet.devices", "fleet.mix.offline", "audit")] == ["7", "5%", "true"], rows
            apps = [row["bundleId"] for row in pushpit.admin.get("/v1/apps")["apps"]]
            assert apps == ["com.example.a", "com.example.b"]
    """)
    apps = ["app = com.example.a", "app = com.example.b"]
    lines = [*apps, "fleet = 7", "clock=manual", "fleet.mix.offline = 5%", "audit = true", "for-tests = false"]
    run.makeini("\n  ".join(["[pytest]\npushpit_start =", *lines]))
    run.runpytest_subprocess().assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("fleeet = 7", "*Did you mean '--fleet'?"),
        ("--fleet 7", "*`name = value`, such as*"),
        ("tape = a", "*pushpit_start cannot set tape*"),
        ("ready-file = a", "*ready_file is no argument of Pushpit.start; use *"),
    ],
)
def test_a_wrong_line_of_pushpit_start_is_told(run: pytest.Pytester, line: str, said: str) -> None:
    run.makepyfile("def test_it(pushpit): pass")
    run.makeini(f"[pytest]\npushpit_start =\n  {line}")
    result = run.runpytest_subprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([said])


def test_a_green_run_keeps_no_tape(run: pytest.Pytester) -> None:
    run.makepyfile("def test_passes(pushpit_phone): assert pushpit_phone.send('Goal!').status == 200")
    run.runpytest_subprocess().assert_outcomes(passed=1)
    assert list(run.path.rglob("*.tape")) == []


def test_a_green_run_without_a_cache_leaves_nothing(run: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(run.mkdir("tmp")))
    run.makepyfile("def test_passes(pushpit_phone): assert pushpit_phone.send('Goal!').status == 200")
    run.runpytest_subprocess("-p", "no:cacheprovider", f"--basetemp={run.path}/base").assert_outcomes(passed=1)
    assert list((run.path / "tmp").iterdir()) == []


def old_tapes(run: pytest.Pytester) -> Path:
    """The folder of tapes, with those of six runs that have failed."""
    folder = run.mkdir(".pytest_cache") / "d/pushpit"
    folder.mkdir(parents=True)
    for second in range(6):
        (folder / f"20260101-00000{second}-1.tape").touch()
    return folder


def test_the_tapes_of_the_last_five_failed_runs_are_kept(run: pytest.Pytester) -> None:
    folder = old_tapes(run)
    run.makepyfile("def test_it(pushpit_phone): assert pushpit_phone.send('Goal!').status == 429")
    run.runpytest_subprocess().assert_outcomes(failed=1)
    kept = sorted(path.name for path in folder.iterdir())
    assert kept[:4] == [f"20260101-00000{second}-1.tape" for second in range(2, 6)]
    assert len(kept) == 5


def test_a_worker_keeps_the_tapes_of_the_others(run: pytest.Pytester) -> None:
    folder = old_tapes(run)
    run.makeini("[pytest]\npushpit_start = fleet = 40\npushpit_servers = worker")
    run.makepyfile("""
        import os, time

        def test_it(request):
            time.sleep(0.3 * int(os.environ["PYTEST_XDIST_WORKER"][2:]))
            assert request.getfixturevalue("pushpit_phone").send("Goal!").status == 429
    """)
    run.runpytest_subprocess("-n6", "--dist=each").assert_outcomes(failed=6)
    kept = [path.name for path in folder.iterdir()]
    assert len(kept) == 6
    assert min(kept) > "20260102"


def test_trouble_of_connections_is_told_where_nothing_was_pushed(run: pytest.Pytester) -> None:
    run.makepyfile("""
        import ssl, socket

        def test_wrong_authority(pushpit_phone, pushpit):
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
    def test_in_parallel(pushpit, pushpit_phone, number, tmp_path_factory):
        together = tmp_path_factory.getbasetemp().parent
        seen = together / f"seen-{os.environ['PYTEST_XDIST_WORKER']}-{number}"
        seen.write_text(f"{pushpit.url} {pushpit_phone.device}")
        assert pushpit_phone.send(f"Goal {number}").status == 200
        assert [n.body for n in pushpit_phone.screen().notifications] == [f"Goal {number}"]
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
    run.makeini("[pytest]\npushpit_start = fleet = 40\npushpit_servers = worker")
    run.makepyfile(FOUR_TESTS)
    run.runpytest_subprocess("-n2", "--dist=each", f"--basetemp={run.path}/base").assert_outcomes(passed=16)
    assert len(seen(run)[0]) == 2


def test_two_runs_at_the_same_time_on_one_server(run: pytest.Pytester, program: Path) -> None:
    run.makepyfile(FOUR_TESTS)
    with Pushpit.start(fleet=40, program=program) as shared, shared.session(name="another suite") as other:
        result = run.runpytest_subprocess("-n2", f"--pushpit-url={shared.url}", f"--basetemp={run.path}/base")
        result.assert_outcomes(passed=8)
        urls, devices = seen(run)
        assert urls == {shared.url}
        assert other.phone.device not in devices
        assert shared.clock.state()["mode"] == "wall", "a server that the run has not started is not stopped"


def test_a_suite_that_takes_every_push_stops_the_other_with_a_sentence(run: pytest.Pytester, program: Path) -> None:
    run.makepyfile("def test_it(pushpit_phone): pass")
    with Pushpit.start(fleet=40, program=program) as shared, shared.session(everything=True, name="greedy"):
        result = run.runpytest_subprocess(f"--pushpit-url={shared.url}")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["ConflictError: *the open session greedy;*"])


@pytest.mark.parametrize("workers", [[], ["-n2"]])
def test_no_program(run: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: list[str]) -> None:
    monkeypatch.setenv("PUSHPIT_BINARY", "/nowhere/pushpit")
    run.makepyfile("""
        def test_one(pushpit_phone): pass
        def test_two(pushpit_phone): pass
        def test_without(): pass
    """)
    result = run.runpytest_subprocess(*workers)
    result.assert_outcomes(errors=2, passed=1)
    result.stdout.fnmatch_lines(["ProgramNotFoundError: PUSHPIT_BINARY names /nowhere/pushpit, which is not*"])


@pytest.mark.parametrize("workers", [[], ["-n2"]])
def test_a_run_whose_cache_cannot_be_made(run: pytest.Pytester, workers: list[str]) -> None:
    run.makeini("[pytest]\npushpit_start = fleet = 40\ncache_dir = a_file/cache")
    (run.path / "a_file").touch()
    run.makepyfile("def test_it(pushpit_phone): assert pushpit_phone.send('Goal!').status == 429")
    result = run.runpytest_subprocess(*workers, timeout=60)
    result.assert_outcomes(failed=1)
    found = re.search(r"play it again: pushpit replay (\S+/pushpit-tape-\S+)", result.stdout.str())
    assert found is not None
    shutil.rmtree(Path(found[1]).parent)


def test_workers_are_told_any_problem_of_the_controller(run: pytest.Pytester) -> None:
    run.makeconftest("""
        from pushpit import Pushpit

        def start(**arguments):
            raise OSError("no space")

        Pushpit.start = start
    """)
    run.makepyfile("def test_it(pushpit): pass")
    result = run.runpytest_subprocess("-n1", timeout=60)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["StartError: The run's Pushpit cannot be started: OSError: no space"])


def test_a_server_that_goes_away_in_the_middle_of_a_test(run: pytest.Pytester) -> None:
    run.makepyfile("""
        import os, signal

        def test_loses_it(pushpit_phone, pushpit):
            os.kill(pushpit.server.process.pid, signal.SIGKILL)
            pushpit_phone.screen()

        def test_after(pushpit_phone):
            pass
    """)
    result = run.runpytest_subprocess()
    result.assert_outcomes(failed=1, errors=1)
    result.stdout.fnmatch_lines(["E *NoServerError: The server at * has ended, with signal SIGKILL*"])


def test_a_session_that_expires_in_the_middle_of_a_test_is_told(run: pytest.Pytester) -> None:
    run.makeini("[pytest]\npushpit_start = fleet = 40\npushpit_expires = 1s")
    run.makepyfile("""
        import pytest

        @pytest.fixture
        def ended(pushpit_session, pushpit):
            pushpit.wait_for(lambda: not pushpit_session.state()["open"])

        def test_without_expectations(ended):
            pass

        @pytest.mark.pushpit_expect({"pushes": {}, "count": 0})
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
