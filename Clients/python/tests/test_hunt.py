"""The mark pushpit_hunt, by running pytest with it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pushpit.hunting import mark as mark_of

BACKENDS = Path(__file__).parent / "backends"
ATTEMPTS = 5

CONFTEST = """
import json
import os
import subprocess
import sys
import urllib.request

import pytest


class Backend:
    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}"

    def post(self, path, **body):
        order = urllib.request.Request(self.url + path, json.dumps(body).encode(), {"content-type": "application/json"})
        urllib.request.urlopen(order).close()


@pytest.fixture(scope="session")
def backend(pushpit):
    environment = {**os.environ, **pushpit.environment()}
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment) as process:
        yield Backend(int(process.stdout.readline()))
        process.kill()
"""

CARD = """
    pushpit_phone.do("startActivity")
    backend.post("/followers", token=pushpit_phone.token("update"))
    backend.post("/goals")
    backend.post("/goals")
    pushpit_phone.expect(card={"contentState": {"home": 2}}, within=WITHIN)
"""
ALERTS = """
    backend.post("/followers", token=pushpit_phone.token())
    backend.post("/goals", text="1 : 0")
    backend.post("/goals", text="2 : 0")
    pushpit_phone.expect(notifications=2, within=WITHIN)
"""
ALERTS_ONCE = """
    backend.post("/followers", token=pushpit_phone.token())
    backend.post("/goals", text="1 : 0")
    backend.post("/goals", text="2 : 0")
    screen = pushpit_phone.expect(notification={"body": "2 : 0"}, within=WITHIN)
    assert sorted(notification.body for notification in screen.notifications) == ["1 : 0", "2 : 0"]
"""
BACKEND = {
    "flask": (("with_flask.py", CARD), "never_again"),
    "aiohttp": (("with_aiohttp.py", ALERTS), "throws_away"),
    "node": (("with_node.js", ALERTS_ONCE), "new_id"),
}

INSIDE = """
import pytest
from pushpit import SendError

# In place of a backend.
def push(phone, text="Goal!"):
    for _ in range(9):
        try:
            if phone.send(text, collapse_id="goal").sent.get("status") == 200:
                return
        except SendError:
            pass

def push_once(phone, text="Goal!"):
    try:
        phone.send(text, collapse_id="goal")
    except SendError:
        pass

hunt = pytest.mark.pushpit_hunt
"""


def suite(run: pytest.Pytester, backend: tuple[str, str], marks: str, within: float = 3, times: int = 1) -> None:
    """Makes a suite with a test of a backend."""
    file, body = backend
    interpreter = "node" if file.endswith(".js") else sys.executable
    run.makeconftest(CONFTEST.replace("COMMAND", repr([interpreter, str(BACKENDS / file)])))
    repeated = f'@pytest.mark.parametrize("time", range({times}))\n' if times > 1 else ""
    arguments = "pushpit_phone, backend" + (", time" if times > 1 else "")
    text = body.replace("WITHIN", str(within))
    run.makepyfile(test_goals=f"import pytest\n\n{repeated}{marks}\ndef test_goals({arguments}):{text}")


def inside(run: pytest.Pytester, text: str, *flags: str) -> pytest.RunResult:
    """Runs a suite whose tests push by themselves."""
    run.makepyfile(INSIDE + text)
    return run.runpytest_subprocess(*flags)


def pasted(result: pytest.RunResult) -> list[str]:
    return [line.strip() for line in result.outlines if line.startswith("    @pytest.mark.pushpit_fault(")]


def kept(run: pytest.Pytester) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted((run.path / ".pushpit/hunts").glob("*.json"))]


# Unchanged backends


@pytest.mark.parametrize("backend, bug", BACKEND.values(), ids=BACKEND)
def test_nothing_is_found_with_a_right_backend(run: pytest.Pytester, backend: tuple[str, str], bug: str) -> None:
    suite(run, backend, "@pytest.mark.pushpit_hunt(seconds=70, seed=1, variants=30)")
    result = run.runpytest_subprocess()
    result.assert_outcomes(passed=1)
    found = re.search(
        r"test_goals: (\d+) variants in \d+ s, nothing found; it survived .*answer.* seed=1", result.stdout.str()
    )
    assert found and int(found[1]) == 34
    assert not kept(run)


@pytest.mark.parametrize("backend, bug", BACKEND.values(), ids=BACKEND)
def test_the_bug_of_a_wrong_backend_is_found(
    run: pytest.Pytester, backend: tuple[str, str], bug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUG", bug)
    suite(run, backend, "@pytest.mark.pushpit_hunt(seconds=60, seed=1, variants=12)", within=2)
    result = run.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["Pushpit hunted for * s: * variants, *. The smallest that fails, * of 5 times:"])
    marks = pasted(result)[:3]
    assert 1 <= len(marks) <= 3
    assert kept(run)[0]["test"] == "test_goals.py::test_goals"
    smallest = "\n".join(marks[: len(kept(run)[0]["examples"][0]["perturbations"])])
    suite(run, backend, smallest, within=2, times=ATTEMPTS)
    assert run.runpytest_subprocess().parseoutcomes()["failed"] >= ATTEMPTS - 1
    monkeypatch.delenv("BUG")
    run.runpytest_subprocess().assert_outcomes(passed=ATTEMPTS)


# What is found


def test_each_kind_of_failure_is_told_once_with_its_own_marks(run: pytest.Pytester) -> None:
    result = inside(
        run,
        """
@hunt(seconds=60, seed=1, variants=40)
def test_two_ways(pushpit_phone, pushpit_session):
    push_once(pushpit_phone)
    reasons = [push.reason for push in pushpit_session.pushes()]
    assert "TooManyRequests" not in reasons
    pushpit_phone.expect(notifications=1, within=1)
""",
    )
    result.assert_outcomes(failed=1)
    told = [line for line in result.outlines if line.startswith(("It fails with:", "Another failure,"))]
    assert len(told) == 2
    assert any("assert 'TooManyRequests' not in" in line for line in told)
    assert any("does not show it within 1 s" in line for line in told)
    assert '@pytest.mark.pushpit_fault(answer="TooManyRequests", limit=1)' in pasted(result)
    assert len(kept(run)[0]["examples"]) == len(set(pasted(result))) >= 2
    result.stdout.fnmatch_lines(["Kept in .pushpit/hunts/*.json, and played first the next time."])


def test_what_was_found_is_played_first_and_dropped_once_it_passes(run: pytest.Pytester) -> None:
    wrong = "@hunt(seconds=60, seed=1, variants=12)\ndef test_it(pushpit_phone):\n    push_once(pushpit_phone)\n"
    wrong += "    assert pushpit_phone.screen().notifications\n"
    inside(run, wrong).assert_outcomes(failed=1)
    examples = kept(run)[0]["examples"]
    result = inside(run, wrong.replace("variants=12", "variants=2"))
    result.assert_outcomes(failed=1)
    assert kept(run)[0]["examples"] == examples
    inside(run, wrong.replace("push_once", "push")).assert_outcomes(passed=1)
    assert not kept(run)


def test_the_same_seed_draws_the_same_variants(run: pytest.Pytester) -> None:
    body = """
@hunt(seconds=60, seed=7, variants=COUNT)
def test_it(pushpit_phone, pushpit_session):
    faults = pushpit_session.pushpit.admin.get("/v1/faults", session=pushpit_session.name)["faults"]
    push(pushpit_phone)
    with open("faults.txt", "a") as file:
        print([(fault["when"], fault["then"], fault["limit"]) for fault in faults], file=file)
"""
    inside(run, body.replace("COUNT", "20")).assert_outcomes(passed=1)
    first = (run.path / "faults.txt").read_text().splitlines()
    (run.path / "faults.txt").unlink()
    inside(run, body.replace("COUNT", "25")).assert_outcomes(passed=1)
    second = (run.path / "faults.txt").read_text().splitlines()
    assert len(first) == 24 and first == second[:24] and len(set(first)) > 15


def test_accepted_kinds_are_not_played(run: pytest.Pytester) -> None:
    accepted = '["TooManyRequests", "TooManyProviderTokenUpdates", "Unregistered", "delay"]'
    body = f"""
@hunt(seconds=60, seed=1, accept={accepted}, variants=25)
def test_it(pushpit_phone, pushpit_session):
    push(pushpit_phone)
    reasons = [push.reason for push in pushpit_session.pushes()]
    assert "TooManyRequests" not in reasons and "Unregistered" not in reasons
"""
    inside(run, body).assert_outcomes(passed=1)
    inside(run, body.replace(', accept=["TooManyRequests"', ', accept=["TooManyRequest"')).stdout.fnmatch_lines(
        ["*did you mean TooManyRequests?"]
    )


@pytest.mark.parametrize("message", ['"x" * 5000', '"e\\u0301" * 5000', '"no \\ud800"', '"\\n"'])
def test_a_failure_of_any_text_is_found(run: pytest.Pytester, message: str) -> None:
    result = inside(
        run,
        f"""
@hunt(seconds=60, seed=1, variants=8)
@pytest.mark.parametrize("name", [1], ids=["y" * 1200])
def test_it(pushpit_phone, name):
    push_once(pushpit_phone)
    if not pushpit_phone.screen().notifications:
        raise AssertionError({message})
""",
    )
    result.assert_outcomes(failed=1)
    assert pasted(result)


def test_fixtures_that_fail_with_faults_only_are_found_and_nothing_is_told_to_survive(run: pytest.Pytester) -> None:
    result = inside(
        run,
        """
@pytest.fixture
def before(pushpit_phone):
    push_once(pushpit_phone)
    assert pushpit_phone.screen().notifications, "before"

@pytest.fixture
def after(pushpit_phone):
    yield
    assert pushpit_phone.screen().notifications, "after"

@hunt(seconds=60, seed=1, variants=8)
def test_setup(before): pass

@hunt(seconds=60, seed=1, variants=8)
def test_teardown(pushpit_phone, after):
    push_once(pushpit_phone)

@hunt(seconds=60, seed=1, variants=20, accept=["delay"])
def test_skips_itself(pushpit_phone):
    push_once(pushpit_phone)
    if not pushpit_phone.screen().notifications:
        pytest.skip("no push")
""",
    )
    result.assert_outcomes(failed=2, passed=1)
    result.stdout.fnmatch_lines(["It fails with: *before*", "It fails with: *after*"])
    result.stdout.fnmatch_lines(["*test_skips_itself: *variants could not be played*it was skipped*no push*"])
    result.stdout.no_re_match_line(r".*it survived .*\banswer\b.*")


def test_what_comes_late_is_no_find(run: pytest.Pytester) -> None:
    result = inside(
        run,
        """
import threading
import time

def patiently(phone):
    push_once(phone)
    if not phone.screen().notifications:
        time.sleep(2)
        push(phone)

@hunt(seconds=60, seed=1, variants=8)
def test_it(pushpit_phone):
    backend = threading.Thread(target=patiently, args=[pushpit_phone])
    backend.start()
    try:
        pushpit_phone.expect(notifications=1, within=1)
    finally:
        backend.join()
""",
    )
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*nothing found*A failure is no find, *4 times as long*does not show it within 1 s*"])
    assert not kept(run)


def test_a_hunt_tells_how_far_it_is(run: pytest.Pytester) -> None:
    run.makeconftest("from pushpit import hunting\n\nhunting.INTERVAL = 0.0\n")
    wrong = "@hunt(seconds=60, seed=1, variants=12)\ndef test_it(pushpit_phone):\n    push_once(pushpit_phone)\n"
    result = inside(run, wrong + "    assert pushpit_phone.screen().notifications\n")
    result.stdout.fnmatch_lines(
        [
            "*::test_it hunts: 1 variant in * of 60 s, nothing found yet",
            "*::test_it hunts: 3 variants in * of 60 s, nothing found yet",
            "*::test_it makes a failure smaller: * variants in * of at most 90 s",
            "*::test_it hunts: * variants in * of 60 s, 1 kind of failure",
        ]
    )
    for argument in "-q", "-n1":
        run.runpytest_subprocess(argument).stdout.no_fnmatch_line("*::test_it hunts:*")


def test_a_line_that_tells_how_far_a_hunt_is_has_no_controls(run: pytest.Pytester) -> None:
    run.makeini("[pytest]\ndisable_test_id_escaping_and_forfeit_all_rights_to_community_support = true")
    run.makeconftest("from pushpit import hunting\n\nhunting.INTERVAL = 0.0\n")
    result = inside(
        run,
        """
@hunt(seconds=60, seed=1, variants=2)
@pytest.mark.parametrize("name", [1], ids=["red\\x1b[31m\\n\\u202etest"])
def test_it(pushpit_phone, name):
    push(pushpit_phone)
""",
    )
    result.stdout.fnmatch_lines(
        ["*test_it[[]red [[]31m test] hunts: 1 variant in *", "*test_it[[]red [[]31m test]: 6 variants in *"]
    )


def test_a_hunt_goes_on_if_nobody_reads_how_far_it_is(run: pytest.Pytester) -> None:
    run.makeconftest(
        """
from _pytest.terminal import TerminalReporter
from pushpit import hunting

hunting.INTERVAL = 0.0
write_line = TerminalReporter.write_line

def write(self, line, **markup):
    if "test_it hunts: " in str(line):
        raise BrokenPipeError
    write_line(self, line, **markup)

TerminalReporter.write_line = write
"""
    )
    inside(
        run, "@hunt(seconds=60, seed=1, variants=2)\ndef test_it(pushpit_phone):\n    push(pushpit_phone)\n"
    ).assert_outcomes(passed=1)


# Tests of all kinds


def test_tests_of_all_kinds_are_hunted_also_in_parallel(run: pytest.Pytester) -> None:
    run.makeini("[pytest]\npushpit_start = fleet = 40\nasyncio_default_fixture_loop_scope = function")
    run.makepyfile(
        INSIDE
        + """
import contextlib
import unittest
opened = []

@pytest.fixture(scope="module")
def module():
    opened.append(1)
    yield
    opened.append(-1)

@hunt(seconds=60, seed=1, variants=8)
def test_with_fixtures(pushpit_phone, module, tmp_path):
    assert not list(tmp_path.iterdir())
    (tmp_path / "seen").touch()
    assert opened == [1]
    push(pushpit_phone)

def test_after_it(module):
    assert opened == [1]

@hunt(seconds=60, seed=1, variants=8)
@pytest.mark.pushpit_expect({"pushes": {"status": 200}, "count": "1.."})
def test_with_marks(pushpit_phone):
    push(pushpit_phone)

@hunt(seconds=60, seed=1, variants=8)
def test_without_fixtures(pushpit):
    session = pushpit.admin.get("/v1/sessions", open=True)["sessions"][0]
    push(pushpit.phone(session["devices"][0]))

@hunt(seconds=60, seed=1, variants=8)
@pytest.mark.asyncio
async def test_of_asyncio(pushpit_aio_phone):
    for _ in range(9):
        with contextlib.suppress(SendError):
            if (await pushpit_aio_phone.send("Goal!", collapse_id="goal")).sent.get("status") == 200:
                return

@hunt(seconds=60, seed=1, variants=8)
@pytest.mark.parametrize("number", [1, 2])
def test_of_parameters(pushpit_phone, number):
    push(pushpit_phone)

class TestWithState:
    def setup_method(self):
        self.plays = getattr(self, "plays", 0) + 1

    @hunt(seconds=60, seed=1, variants=8)
    def test_it(self, pushpit_phone):
        assert self.plays == 1
        push(pushpit_phone)

class TestOfUnittest(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def phone(self, pushpit_phone):
        self.phone = pushpit_phone

    @hunt(seconds=60, seed=1, variants=8)
    def test_it(self):
        push(self.phone)

def test_last(): pass
"""
    )
    for arguments in (), ("-n", "2", "--dist", "loadfile"):
        result = run.runpytest_subprocess(*arguments)
        result.assert_outcomes(passed=10)
        hunted = [line for line in result.outlines if " variants in " in line]
        assert len(hunted) == 8
        for line in hunted:
            assert int(re.findall(r"(\d+) variants", line)[0]) >= 12, line


def test_skipped_and_erring_tests_are_told_as_always(run: pytest.Pytester) -> None:
    result = inside(
        run,
        """
@hunt(seconds=5)
@pytest.mark.skip
def test_skipped(pushpit_phone): pass

@hunt(seconds=5)
def test_skips_itself(pushpit_phone): pytest.skip("not today")

@hunt(seconds=5)
@pytest.mark.xfail
def test_fails_as_expected(pushpit_phone): assert False

@pytest.fixture
def broken(): raise RuntimeError("no such luck")

@hunt(seconds=5)
def test_with_a_broken_fixture(pushpit_phone, broken): pass

def test_as_usual(pushpit_phone):
    assert pushpit_phone.send("Goal!").status == 200
""",
    )
    result.assert_outcomes(skipped=2, xfailed=1, errors=1, passed=1)
    result.stdout.fnmatch_lines(["*no such luck*"])


# Bad input


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (
            "",
            "The mark pushpit_hunt takes seconds, and seed, accept and variants if you like: *(seconds=60).",
        ),
        ("60", "The mark pushpit_hunt takes seconds, *"),
        ("seconds=60, tries=5", "The mark pushpit_hunt takes seconds, *"),
        ("seconds=10**400", "seconds of the mark pushpit_hunt is how long to hunt, more than 0, and not 1*."),
        ("seconds=60, accept=7", "accept of the mark pushpit_hunt is a list of words, such as *, and not 7."),
        ("seconds=0", "seconds of the mark pushpit_hunt is how long to hunt, more than 0, and not 0."),
        ('seconds="60s"', "seconds of the mark pushpit_hunt is how long to hunt, more than 0, and not '60s'."),
        ("seconds=60, seed=-1", "seed of the mark pushpit_hunt is a whole number from 0 to 2147483647, and not -1."),
        (
            'seconds=60, accept="delay"',
            "accept of the mark pushpit_hunt is a list of words, such as *, and not 'delay'.",
        ),
    ],
)
def test_a_mark_of_another_form_is_told(run: pytest.Pytester, arguments: str, sentence: str) -> None:
    result = inside(run, f"@hunt({arguments})\ndef test_it(pushpit_phone): pass\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([sentence.replace("[", "[[]")])
    result.stdout.no_fnmatch_line("*hunting.py*")


def test_a_test_that_cannot_be_hunted_with_is_told_why(run: pytest.Pytester) -> None:
    result = inside(
        run,
        """
plays = {}

def count(name):
    plays[name] = plays.get(name, 0) + 1
    return plays[name]

@hunt(seconds=1e-9)
def test_fails_by_itself(pushpit_phone):
    push(pushpit_phone)
    assert 1 + 1 == 3

@hunt(seconds=5)
def test_flickers(pushpit_phone):
    push(pushpit_phone)
    assert count("flickers") != 3

@hunt(seconds=5)
def test_pushes_nothing(pushpit_phone):
    pass

@hunt(seconds=5)
def test_leaks(pushpit_phone, pushpit_session):
    assert "broken" not in plays
    push(pushpit_phone)
    if any(push.reason == "TooManyRequests" for push in pushpit_session.pushes()):
        count("broken")
        assert False
""",
    )
    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(
        [
            "Pushpit could not hunt: The test fails without any trouble: assert (1 + 1) == 3",
            ">       assert 1 + 1 == 3",
            "Pushpit could not hunt: The test does not always have the same result without any trouble: it passed*",
            "Pushpit could not hunt: The test passes, but its session got no push, so *",
            "Pushpit could not hunt: A variant, number * at the latest, has left something behind: since then, *",
            '    @pytest.mark.pushpit_fault(answer="TooManyRequests", *',
        ]
    )
    assert not kept(run)


def test_a_test_that_has_also_a_mark_of_a_fault_is_told_to_remove_one(run: pytest.Pytester) -> None:
    result = inside(
        run,
        """
@hunt(seconds=5)
@pytest.mark.pushpit_fault(answer="TooManyRequests", limit=1)
def test_it(pushpit_phone):
    push_once(pushpit_phone)
    assert pushpit_phone.screen().notifications
""",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "Pushpit could not hunt: The test fails without any trouble: *. Each play has the fault of the mark"
            " pushpit_fault: remove that mark, or pushpit_hunt."
        ]
    )


def test_a_test_that_expects_nothing_and_one_that_takes_long_are_told(run: pytest.Pytester) -> None:
    result = inside(
        run,
        """
import time

@hunt(seconds=60, variants=4)
def test_expects_nothing(pushpit_phone):
    push(pushpit_phone)

@hunt(seconds=1)
def test_takes_long(pushpit_phone):
    push(pushpit_phone)
    time.sleep(0.4)
    assert pushpit_phone.screen().notifications
""",
    )
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        [
            "*test_expects_nothing: *It passes even if no push reaches its phone*",
            "*test_takes_long: *Only 0 variants fit into 1 s, because a play of the test takes 0.* s*",
        ]
    )


def test_a_hunt_in_which_every_kind_of_trouble_is_accepted_says_so_and_nothing_of_its_time(
    run: pytest.Pytester,
) -> None:
    result = inside(
        run,
        """
kinds = "answer arrival lose loseAnswer delay abort malformed withoutId goAway halfClose reset close".split()

@hunt(seconds=30, accept=kinds)
def test_it(pushpit_phone):
    push(pushpit_phone)
    assert pushpit_phone.screen().notifications
""",
    )
    result.assert_outcomes(passed=1)
    result.stdout.re_match_lines(
        [
            r".*test_it: 4 variants in \d+ s, nothing found\. Every kind of trouble is accepted, so nothing but the"
            r" test itself was played\. seed=\d+"
        ]
    )


def test_a_file_that_no_hunt_has_kept_is_told(run: pytest.Pytester) -> None:
    wrong = "@hunt(seconds=60, seed=1, variants=12)\ndef test_it(pushpit_phone):\n    push_once(pushpit_phone)\n"
    wrong += "    assert pushpit_phone.screen().notifications\n"
    inside(run, wrong).assert_outcomes(failed=1)
    (path,) = (run.path / ".pushpit/hunts").iterdir()
    whole = json.loads(path.read_text())
    unsent = [[{"in": "faults", "kind": "abort", "entry": {"limit": limit}}] for limit in (float("nan"), "\ud800")]
    texts = [json.dumps({"test": "x", "examples": [{"perturbations": kept}]}) for kept in unsent]
    for text in "[]", "{", "[" * 100_000, json.dumps({"test": "x", "examples": [1]}), *texts:
        path.write_text(text)
        inside(run, wrong).stdout.fnmatch_lines([f"{path} is not what a hunt keeps; delete it."])
    path.unlink()
    path.mkdir()
    inside(run, wrong).stdout.fnmatch_lines([f"{path} cannot be read: *."])
    path.rmdir()
    whole["examples"][0]["perturbations"][0]["entry"]["then"] = {"answer": "TooManyRequest"}
    path.write_text(json.dumps(whole))
    inside(run, wrong).stdout.fnmatch_lines([f"*did you mean TooManyRequests?* (in {path}; delete it to begin anew)"])


def test_a_hunt_that_ends_while_its_test_is_in_doubt_does_not_pass(run: pytest.Pytester) -> None:
    result = inside(
        run,
        """
import time

plays = []

@hunt(seconds=6)
def test_it(pushpit_phone):
    push(pushpit_phone)
    plays.append(1)
    # The first plays have no trouble, and the one after a failure has none.
    if len(plays) == 7:
        time.sleep(9.5)
    assert len(plays) not in (6, 7)
""",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["Pushpit could not hunt: The test has failed without any trouble, and the hunt has ended before it was *"]
    )


def test_the_line_of_a_hunt_is_a_property_in_reports_for_programs(run: pytest.Pytester) -> None:
    result = inside(
        run,
        """
@hunt(seconds=5, variants=1)
def test_it(pushpit_phone):
    push(pushpit_phone)
    pushpit_phone.expect(notifications=1)
""",
        "--junitxml=report.xml",
    )
    result.assert_outcomes(passed=1)
    [line] = [line for line in result.outlines if "test_it: " in line]
    report = (run.path / "report.xml").read_text()
    assert report.count('<property name="pushpit_hunt" value="') == 1
    assert line.rpartition(" ")[2] in report


def test_a_time_limit_of_a_test_ends_its_hunt(run: pytest.Pytester) -> None:
    result = inside(
        run,
        """
import time

@hunt(seconds=40, seed=1)
def test_it(pushpit_phone, pushpit_session):
    push_once(pushpit_phone)
    if any(push.reason for push in pushpit_session.pushes()):
        time.sleep(60)
    pushpit_phone.expect(notifications=1, within=0)
""",
        "--timeout=4",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*Timeout (>4*s) from pytest-timeout: this limit is for the whole hunt, *"])
    assert result.duration < 40


def test_an_interrupted_hunt_tells_what_it_has_found(run: pytest.Pytester) -> None:
    run.makepyfile(
        INSIDE
        + """
from pathlib import Path

@hunt(seconds=60, seed=1)
def test_it(pushpit_phone):
    push_once(pushpit_phone)
    pushpit_phone.expect(notifications=1, within=1)
"""
    )
    with subprocess.Popen(
        [sys.executable, "-m", "pytest"], cwd=run.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        until = time.monotonic() + 60
        while not kept(run) and time.monotonic() < until:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=60)[0]
    assert process.returncode == 2, output
    assert "@pytest.mark.pushpit_fault(" in output and "The hunt was interrupted." in output
    assert kept(run)


def test_a_folder_that_cannot_be_written_is_told(run: pytest.Pytester) -> None:
    (run.path / ".pushpit").write_text("a file")
    wrong = "@hunt(seconds=60, seed=1, variants=12)\ndef test_it(pushpit_phone):\n    push_once(pushpit_phone)\n"
    result = inside(run, wrong + "    assert pushpit_phone.screen().notifications\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["What was found could not be kept in *: *."])
    result.stdout.no_fnmatch_line("Kept in *")


# Marks to paste


@pytest.mark.parametrize(
    "fault, line",
    [
        ({"then": {"abort": True}, "limit": 1}, "abort=True, limit=1"),
        (
            {"when": {"event": "update", "skip": 2}, "then": {"loseAnswer": "CANCEL"}, "odds": "20%"},
            'lose_answer="CANCEL", when={"event": "update", "skip": 2}, odds="20%"',
        ),
        ({"then": {"answer": "ServiceUnavailable", "retryAfter": 1}}, 'answer="ServiceUnavailable", retry_after=1'),
        ({"then": {"abort": True}, "from": "1s", "for": "2s"}, 'abort=True, from_="1s", for_="2s"'),
        ({"then": {"odd": None, "for": "2s"}}, 'then={"odd": None, "for": "2s"}'),
    ],
)
def test_a_mark_to_paste_is_a_call_with_keywords(fault: Mapping[str, Any], line: str) -> None:
    assert mark_of(fault) == f"@pytest.mark.pushpit_fault({line})"
