"""`pushpit serve --resume TAPE`: a server that was killed comes back with its phones."""

import json
import socket
import threading

import pytest

from backend import Backend, Reply
from program import ALERT, APP, REPOSITORY, SMOOTH, live_activity
from tapes import OPENING, frame, frames
from wire import TIMEOUT, client_context

pytestmark = pytest.mark.tools

FLAGS = (*SMOOTH, "--fleet", "6", "--token-requests-per-second", "0", "--clock", "manual")
CRICKET = "com.sightscreen.app"


def phones(server) -> dict:
    """All that the admin API says of phones, and the ledger."""
    found = {"pushes": list(server.pages("/v1/pushes", "pushes"))}
    for device in server.pages("/v1/devices", "devices"):
        name = device["id"]
        found[name] = [
            server.device(name),
            server.get(f"/v1/devices/{name}/screen"),
            list(server.pages(f"/v1/devices/{name}/log", "lines")),
        ]
    return found


def test_a_killed_server_comes_back_with_its_phones(pushpit, recorded, fails, tmp_path):
    tape, state = tmp_path / "run.tape", tmp_path / "state"
    server = pushpit(*FLAGS, "--tape", str(tape), state=state)
    first, second, third, *_ = server.tokens()
    activity, _ = server.start_activity(device=third.device)
    server.act(second.device, "goOffline")
    server.act(first.device, "uninstall", app=APP)
    with server.wire() as wire:
        answers = [server.push(token, ALERT, wire=wire) for token in (first, second, third)]
        now = server.clock()["unixMilliseconds"] // 1000
        answers.append(server.push(activity, live_activity(timestamp=now), wire=wire))
        assert [answer.verdict for answer in answers] == [(200, None)] * 4
        server.advance("30m")
        before = phones(server)
        recorded(tape, 4, 3)
        server.kill()
    again = pushpit(*FLAGS, "--resume", str(tape), state=state)
    assert f"Resumed {tape}" in again.log and "the tape is truncated" in again.log
    assert phones(again) == before
    again.act(second.device, "goOnline")
    story = again.get(f"/v1/pushes/{answers[1].header('apns-id')}")
    assert story["fate"].endswith("Delivered to Device (From Storage)")
    now = again.clock()["unixMilliseconds"] // 1000
    more = again.push(activity, live_activity(timestamp=now + 1))
    assert more.verdict == (200, None)
    assert more.header("apns-id") not in {a.header("apns-id") for a in answers}
    after = phones(again)
    again.stop()
    result = fails("replay", str(tape))
    assert result.returncode == 0 and "5 pushes" in result.stdout, result.stdout
    # And once more, after an orderly end.
    third_life = pushpit(*FLAGS, "--resume", str(tape), state=state)
    assert phones(third_life) == after and "the tape is truncated" not in third_life.log
    third_life.stop()
    assert fails("replay", str(tape)).returncode == 0


@pytest.mark.parametrize("cut", [1, 5, 9])
def test_a_tape_cut_in_mid_record_goes_on_from_the_last_whole_one(pushpit, fails, tmp_path, cut):
    tape, state = tmp_path / "run.tape", tmp_path / "state"
    server = pushpit(*FLAGS, "--tape", str(tape), state=state)
    for token in server.tokens()[:3]:
        server.push(token, ALERT)
    server.stop()
    *_, last, end = frames(tape.read_bytes())
    tape.write_bytes(tape.read_bytes()[: -len(frame(end)) - cut])
    again = pushpit(*FLAGS, "--resume", str(tape), state=state)
    assert f"and {len(frame(last)) - cut} bytes of another" in again.log
    assert again.push(again.first_token(), ALERT).verdict == (200, None)
    again.stop()
    result = fails("replay", str(tape))
    assert result.returncode == 0 and "same: " in result.stdout, result.stdout


def test_a_tape_damaged_in_the_middle_keeps_what_follows(pushpit, fails, tmp_path):
    tape, copy, state = tmp_path / "run.tape", tmp_path / "copy.tape", tmp_path / "state"
    server = pushpit(*FLAGS, "--tape", str(tape), state=state)
    for token in server.tokens()[:3]:
        server.push(token, ALERT)
    server.stop()
    whole = bytearray(tape.read_bytes())
    whole[-len(frame(frames(whole)[-1])) - 1] ^= 4
    tape.write_bytes(whole)
    refused = fails("serve", *FLAGS, "--ports", "0", "--resume", str(tape), "--state", str(state))
    assert refused.returncode == 2 and "name another file with --tape" in refused.stderr, refused.stderr
    assert tape.read_bytes() == whole
    again = pushpit(*FLAGS, "--resume", str(tape), "--tape", str(copy), state=state)
    assert "a checksum is wrong" in again.log
    again.stop()
    assert tape.read_bytes() == whole and fails("replay", str(copy)).returncode == 0


def test_faults_of_sessions_go_with_their_sessions(pushpit, fails, tmp_path):
    tape, state = tmp_path / "run.tape", tmp_path / "state"
    server = pushpit(*FLAGS, "--tape", str(tape), state=state)
    busy, offline = {"answer": "TooManyRequests"}, {"devices": {"do": "goOffline"}}
    for name, device in (("one", "d1"), ("two", "d2")):
        assert server.admin.post("/v1/sessions", json={"name": name, "devices": [device]}).status_code == 201
        for label, then in (("busy", busy), ("away", offline)):
            made = server.admin.post("/v1/faults", json={"name": label, "session": name, "then": then})
            assert made.status_code == 200, made.text
    kept = {"name": "busy", "when": {"device": "d3"}, "then": busy}
    assert server.admin.post("/v1/faults", json=kept).status_code == 200
    assert server.device("d1")["online"] is False
    server.stop()
    for _ in range(2):
        again = pushpit(*FLAGS, "--resume", str(tape), state=state)
        assert again.get("/v1/sessions")["sessions"] == []
        faults = again.get("/v1/faults")["faults"]
        assert [(fault["name"], fault["session"]) for fault in faults] == [("busy", None)]
        assert [again.device(name)["online"] for name in ("d1", "d2")] == [True, True]
        tokens = {token.device: token for token in again.tokens()}
        assert again.push(tokens["d1"], ALERT).verdict == (200, None)
        assert again.push(tokens["d3"], ALERT).verdict == (429, "TooManyRequests")
        again.stop()
        result = fails("replay", str(tape))
        assert result.returncode == 0 and "same: " in result.stdout, result.stdout


def test_troubles_of_the_wire_are_on_no_tape_and_those_of_the_world_are(pushpit, fails, tmp_path):
    """A client that cannot connect changes nothing: the tape of its server replays and resumes without it."""
    tape, events, state = tmp_path / "run.tape", tmp_path / "run.events", tmp_path / "state"
    server = pushpit(*FLAGS, "--tape", str(tape), state=state)

    def speak_http1(server) -> None:
        with socket.create_connection(server.address(), timeout=TIMEOUT) as plain:
            with client_context(server.ca, alpn=["http/1.1"]).wrap_socket(plain, server_hostname="localhost") as tls:
                tls.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                while tls.recv(4096):
                    pass

    def kinds(server) -> list[str]:
        return [trouble["kind"] for trouble in server.get("/v1/troubles")["troubles"]]

    speak_http1(server)
    server.push(server.first_token(), authorization=None)
    speak_http1(server)
    server.push(server.first_token(), ALERT)
    assert kinds(server) == ["http1", "providerToken"], "newest first; the same again is one row"
    server.stop()
    assert fails("replay", str(tape), "--events", str(events)).returncode == 0
    found = [json.loads(line) for line in events.read_text().splitlines()]
    assert [event["kind"] for event in found if event["event"] == "trouble"] == ["providerToken"]
    again = pushpit(*FLAGS, "--resume", str(tape), state=state)
    assert kinds(again) == ["providerToken"]
    speak_http1(again)
    assert again.push(again.tokens()[1], ALERT).verdict == (200, None)
    assert kinds(again) == ["http1", "providerToken"]
    again.stop()
    result = fails("replay", str(tape))
    assert result.returncode == 0 and "3 pushes" in result.stdout, result.stdout


def test_another_tape_gets_a_copy_and_the_first_stays_as_it_was(pushpit, fails, tmp_path):
    tape, copy, state = tmp_path / "run.tape", tmp_path / "copy.tape", tmp_path / "state"
    server = pushpit(*FLAGS, "--tape", str(tape), state=state)
    server.push(server.first_token(), ALERT)
    server.stop()
    before = tape.read_bytes()
    again = pushpit(*FLAGS, "--resume", str(tape), "--tape", str(copy), state=state)
    again.push(again.tokens()[1], ALERT)
    again.stop()
    assert tape.read_bytes() == before
    assert "2 pushes" in fails("replay", str(copy)).stdout and fails("replay", str(copy)).returncode == 0
    assert copy.stat().st_mode & 0o777 == 0o600


def test_a_call_without_an_answer_fails_and_the_app_goes_on(pushpit, recorded, tmp_path):
    tape, state, held = tmp_path / "run.tape", tmp_path / "state", threading.Event()
    backend = Backend(lambda request: Reply(until=held))
    flags = (*SMOOTH, "--fleet", "2", "--profile", "sightscreen", "--backend", backend.url)
    flags += ("--set", "reports.opensWithin=0s", "--token-requests-per-second", "0")
    try:
        server = pushpit(*flags, "--tape", str(tape), state=state)
        backend.wait_for("GET /user/follows", 2)
        backend.wait_for("POST /devices/frequent-pushes", 2)
        recorded(tape, 0)
        server.kill()
        held.set()
        again = pushpit(*flags, "--resume", str(tape), state=state)
        backend.wait_for("POST /devices", 2)
        failures = [c["failure"] for c in again.pages("/v1/calls", "calls") if c["failure"]]
        # Those of the killed server; on a slow machine, calls of the new one may have timed out as well.
        assert failures.count("closed") >= 2 and set(failures) <= {"closed", "timedOut"}
        again.stop()
    finally:
        held.set()
        backend.close()


def test_a_tape_that_does_not_belong_to_the_server_is_refused(pushpit, fails, tmp_path):
    tape, state = tmp_path / "run.tape", tmp_path / "state"
    server = pushpit(*FLAGS, "--tape", str(tape), state=state)
    busy = fails("serve", "--state", str(tmp_path / "s"), "--ports", "0", *FLAGS, "--resume", str(tape))
    assert busy.returncode == 2, busy.stderr
    server.stop()
    story, other = tmp_path / "story.tape", tmp_path / "other.tape"
    scenario = REPOSITORY / "Scenarios/offline-and-back.yaml"
    assert fails("simulate", str(scenario), "--tape", str(story)).returncode == 0
    header, *rest = frames(tape.read_bytes())
    older = header.replace(b'"program":"', b'"program":"0.0.')
    other.write_bytes(OPENING + b"".join(map(frame, [older, *rest])))
    whole = tape.read_bytes()
    for resumed, more, said in (
        (tape, ("--seed", "8"), "fleet.seed was 1 then, and is 8 now"),
        (tape, ("--fleet", "7"), "fleet.devices was 6 then, and is 7 now"),
        (tape, ("--cell", "1/2"), "fleet.cell was whole then, and is 1/2 now"),
        (tape, ("--app", "com.other"), "its apps or their profiles are different"),
        (tape, ("--state", str(tmp_path / "elsewhere")), "it was recorded with the keys "),
        (story, (), "it is the recording of a scenario"),
        (other, (), "it was recorded by Pushpit 0.0."),
        (scenario, (), "is not a Pushpit tape"),
        (tmp_path / "nowhere", (), "No such file"),
    ):
        flags = ("--state", str(state), "--ports", "0", *FLAGS, *more, "--resume", str(resumed))
        result = fails("serve", *flags)
        assert result.returncode == 2 and said in result.stderr and "--resume: " in result.stderr, result.stderr
    assert tape.read_bytes() == whole
