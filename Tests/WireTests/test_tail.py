"""`pushpit tail` and POST /v1/verify."""

import json
import subprocess
import threading
import time

import pytest

from answers import assert_error
from program import BINARY, SMOOTH, environment, run, serving
from stream import watching

pytestmark = pytest.mark.tools


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server of this file's own: others may push to any phone of the shared one, and here pushes are counted."""
    base = tmp_path_factory.mktemp("tail")
    flags = (*SMOOTH, "--fleet", "50", "--token-requests-per-second", "0")
    with serving(*flags, state=base / "state", home=base / "home") as started:
        yield started


def tail(server, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [str(BINARY), "tail", "--state", str(server.state), "--admin", server.admin_url, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(server.home),
    )


def test_tail_prints_a_line_for_each_push(server):
    token = server.token()
    server.push(token)
    server.push(token, b'{"aps":{"alert":"\\u001b[31mred"}}')
    process = tail(server, "--device", token.device, "--types", "push", "--after", "0", "--count", "2")
    out, _ = process.communicate(timeout=20)
    first, second = out.splitlines()
    assert process.returncode == 0
    assert token.device in first and "alert, priority 10: 200, banner  Hello — World" in first
    assert "\x1b" not in second and "red" in second


def test_tail_prints_json(server):
    token = server.token()
    answer = server.push(token)
    process = tail(server, "--device", token.device, "--types", "push", "--after", "0", "--count", "1", "--json")
    out, _ = process.communicate(timeout=20)
    event = json.loads(out)
    assert event["type"] == "push" and event["apnsId"].lower() == answer.header("apns-id").lower()


def test_tail_connects_again_and_goes_on_after_a_restart(pushpit, tmp_path):
    first = pushpit("--fleet", "10", "--ideal", state=tmp_path / "state")
    port = first.admin_url.rsplit(":", 1)[1]
    process = tail(first, "--types", "push", "--after", "0", "--count", "2")
    try:
        first.push(first.token())
        assert "200" in process.stdout.readline()
        first.stop()
        assert "went away" in process.stderr.readline()
        second = pushpit("--fleet", "10", "--ideal", "--admin-port", port, state=tmp_path / "state")
        second.push(second.token(), b'{"aps":{"alert":"after the restart"}}')
        assert "after the restart" in process.stdout.readline()
        assert process.wait(20) == 0
    finally:
        process.kill()


def test_tail_does_not_go_over_to_another_server(pushpit, tmp_path):
    first = pushpit("--fleet", "10", state=tmp_path / "state")
    process = tail(first, "--types", "push", "--after", "0")
    try:
        first.push(first.token())
        assert "200" in process.stdout.readline()
        first.stop()
        assert "went away" in process.stderr.readline()
        other = pushpit("--fleet", "10", "--admin-port", first.admin_url.rsplit(":", 1)[1], state=tmp_path / "other")
        assert process.wait(20) == 4 and "another certificate authority" in process.stderr.read()
        other.push(other.token())
        assert process.stdout.read() == ""
    finally:
        process.kill()


def test_tail_says_what_is_wrong(server, home):
    refused = run("tail", "--admin", server.admin_url, "--types", "pushs", home=home)
    assert refused.returncode == 2 and '"pushs"' in refused.stderr, refused.stderr
    assert "did you mean push?" in refused.stderr.lower(), refused.stderr
    nobody = run("tail", "--admin", "http://127.0.0.1:1", home=home)
    assert nobody.returncode == 4 and "did not answer" in nobody.stderr


def test_verify_evaluates_what_the_ledger_has(server):
    token = server.token()
    expect = [{"name": "one alert", "pushes": {"devices": [token.device]}, "count": 1}]
    assert server.admin.post("/v1/verify", json={"expect": expect}).json()["passed"] is False
    server.push(token)
    answer = server.admin.post("/v1/verify", json={"expect": expect}).json()
    assert answer["passed"] is True
    assert [(row["name"], row["passed"]) for row in answer["expectations"]] == [("one alert", True)]


def test_verify_waits_until_all_pass(server):
    token = server.token()
    expect = [{"pushes": {"devices": [token.device], "status": 200}, "count": 1}]
    sender = threading.Timer(0.5, server.push, [token])
    sender.start()
    began = time.monotonic()
    answer = server.client().post("/v1/verify", json={"expect": expect, "within": "25s"}).json()
    sender.join()
    assert answer["passed"] is True and time.monotonic() - began < 20


def test_verify_answers_when_the_time_is_over(server):
    token = server.token()
    expect = [{"pushes": {"devices": [token.device]}, "count": 1}]
    began = time.monotonic()
    answer = server.admin.post("/v1/verify", json={"expect": expect, "within": "300ms"}).json()
    assert answer["passed"] is False and 0.3 <= time.monotonic() - began < 20
    assert answer["expectations"][0]["passed"] is False


def test_verify_looks_at_screens(server):
    token = server.token()
    expect = [{"screens": {"devices": [token.device]}, "show": {"notification": {"body": "World"}}}]
    answer = server.admin.post("/v1/verify", json={"expect": expect}).json()
    assert answer["passed"] is False and answer["expectations"][0]["found"] == "0 of 1"
    server.push(token)
    assert server.admin.post("/v1/verify", json={"expect": expect}).json()["passed"] is True
    server.act(token.device, "clearNotifications")
    assert server.admin.post("/v1/verify", json={"expect": expect}).json()["passed"] is False


def test_verify_looks_only_at_events_after_a_number(server):
    token = server.token()
    for _ in range(2):
        server.push(token)
    with watching(server, device=token.device, types="push", after=0) as reader:
        first, second = (int(reader.until("push")["id"]) for _ in range(2))

    def counts(after: int) -> str:
        expect = [{"pushes": {"devices": [token.device]}, "count": 9}]
        answer = server.admin.post("/v1/verify", json={"expect": expect, "after": after}).json()
        return answer["expectations"][0]["found"]

    found = [counts(after) for after in (first - 1, first, second - 1, second)]
    assert [int(words.split()[0]) for words in found] == [2, 1, 1, 0], found


def test_verify_refuses_what_the_ledger_cannot_tell(server):
    def ask(**body):
        return server.admin.post("/v1/verify", json=body)

    pushes = {"pushes": {}, "count": 1}
    assert_error(ask(), 400, 422)
    assert_error(ask(expect=[]), 422, field="expect")
    assert_error(ask(expect=[pushes | {"of": "kick-off"}]), 422, field="expect")
    assert_error(ask(expect=[pushes | {"within": "5s"}]), 422, field="expect")
    assert_error(ask(expect=[{"findings": "duplicate", "count": 0}]), 422, field="expect")
    assert_error(ask(expect=[{"broadcasts": {}, "count": 1}]), 422, field="expect")
    assert_error(ask(expect=[{"arrivals": {}, "count": 1}]), 422, field="expect")
    assert_error(ask(expect=[pushes], within="1h"), 422, field="within")
    assert_error(ask(expect=[pushes], until="1h"), 422, field="until")
