"""Runs the example as users do: a match in compressed time, and the backend by itself in real time."""

import os
import signal
import subprocess
import sys
import urllib.request
import xml.etree.ElementTree as xml

import pytest

from program import BINARY, REPOSITORY, STOP_TIMEOUT, Pushpit

EXAMPLES = REPOSITORY / "Examples"


def started(module: str, *arguments: str, **options) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=EXAMPLES,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PUSHPIT_BINARY": str(BINARY), "PYTHONPATH": str(REPOSITORY / "Clients/python/src")},
        **options,
    )


def ran(*arguments: str) -> tuple[int, str, str]:
    process = started("cricket.play", *arguments)
    out, err = process.communicate(timeout=100)
    return process.returncode, out, err


def test_a_match_is_played_told_and_drawn(tmp_path):
    picture = tmp_path / "new" / "match.svg"
    code, out, err = ran("--phones", "40", "--overs", "1", "--step", "25", "--picture", str(picture))
    assert (code, err) == (0, "")
    for heading in (
        "What the apps told the backend",
        "Pushes, as APNs answered",
        "What the phones did",
        "Tokens:",
        "Cards on screens",
        "Meanwhile",
    ):
        assert heading in out
    assert out.split("What Pushpit's records show of mistakes\n")[1].split()[0] == "none"
    texts = [t.text for t in xml.fromstring(picture.read_text()).iter("{http://www.w3.org/2000/svg}text")]
    assert {"rain", "1  early on", "3  after the end"} <= set(texts)


def test_flags_after_two_dashes_go_to_pushpit_and_a_bug_shows(tmp_path):
    code, out, _ = ran(
        "--phones",
        "10",
        "--overs",
        "1",
        "--step",
        "25",
        "--bug",
        "start-without-alert",
        "--picture",
        str(tmp_path / "x.svg"),
        "--",
        "--ideal",
    )
    assert code == 0 and "phones dropped" in out and "no-alert-configuration" in out
    assert "10 pushes: no-alert-configuration" in out


def test_pushpits_own_apps_tell_enough_to_show_a_rotation_ignored(tmp_path):
    """S146 S149 S150 S151 as the backend sees them."""
    code, out, _ = ran(
        "--phones",
        "100",
        "--overs",
        "2",
        "--step",
        "25",
        "--bug",
        "ignores-rotation",
        "--picture",
        str(tmp_path / "x.svg"),
        "--",
        "--ideal",
    )
    assert code == 0 and "ignores-rotation" in out.split("What Pushpit's records show of mistakes\n")[1]
    told = {line.split()[0] for line in out.split("What the apps told the backend\n")[1].split("\n\n")[0].splitlines()}
    assert told >= {
        "launch.cold",
        "deviceToken",
        "pushToStartToken",
        "frequentPushes",
        "action.follow",
        "activityToken",
        "activityToken.rotated",
        "activityState.dismissed",
    }


def test_an_unknown_bug_is_refused_by_its_nearest_name():
    assert ran("--bug", "new-jwt")[0] == 2
    assert (
        ran("--bug", "new-jwt-per-pusch")[2]
        == "There is no bug called new-jwt-per-pusch; did you mean new-jwt-per-push?\n"
    )


def test_the_bugs_are_listed():
    code, out, _ = ran("--list-bugs")
    assert code == 0 and len(out.splitlines()) == 52


def test_a_number_of_phones_or_overs_that_makes_no_match_is_refused():
    assert ran("--phones", "0")[0] == 2
    assert "--overs" in ran("--overs", "0")[2]
    assert "apps that were woken run for 30 s only" in ran("--step", "30")[2]


@pytest.fixture
def ready(pushpit, tmp_path):
    server: Pushpit = pushpit("--app", "com.sightscreen.app:sandbox:MatchAttributes", "--fleet", "5")
    path = tmp_path / "ready.json"
    path.write_text(server.line)
    return path


def test_the_backend_serves_by_itself_until_it_is_told_to_stop(ready):
    process = started("cricket", "--pushpit", str(ready), "--port", "0")
    # It connects to APNs before it listens, and its log says so in between.
    line = next(line for line in process.stderr if line.startswith("listening on "))
    assert line.startswith("listening on http://127.0.0.1:")
    request = urllib.request.Request(line.split()[-1] + "/user/follows", headers={"authorization": "Bearer u"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.read() == b'{"follows": []}'
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=STOP_TIMEOUT)
    assert process.returncode == 0


def test_the_backend_says_what_it_lacks():
    process = started("cricket")
    assert process.communicate(timeout=30)[1].startswith("--pushpit is missing") and process.returncode == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--wrong-gateway", "soon"), "'soon' must be two numbers of seconds, the smaller first, such as 120-240"),
        (("--wrong-gateway", "240-120"), "the smaller first"),
        (("--wrong-key", "ABCDE12345"), "must be the id of a key and seconds, such as ABCDE12345:120-240"),
        (("--wrong-key", ":120-240"), "must be the id of a key and seconds"),
        (("--wrong-key", "NOSUCHKEY1:120-240"), "--wrong-key: Pushpit has no key NOSUCHKEY1; it has "),
    ],
)
def test_a_wrong_gateway_or_key_that_makes_no_sense_is_refused(ready, words, sentence):
    process = started("cricket", "--pushpit", str(ready), "--port", "0", *words)
    said = process.communicate(timeout=30)[1]
    assert process.returncode == 2 and sentence in said and "Traceback" not in said, said
