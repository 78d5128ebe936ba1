"""Tapes: what `serve` and `simulate` record, `replay` plays again, wherever the tape is cut."""

import json
import re
import shutil
import subprocess
import threading
from pathlib import Path

import httpx
import pytest

import program
from backend import Backend
from program import ALERT, BINARY, REPOSITORY, SMOOTH
from tapes import OPENING, frame, frames
from wire import TIMEOUT

CRICKET = "com.sightscreen.app"
STORIES = sorted((REPOSITORY / "Scenarios").glob("*.yaml"))


@pytest.fixture
def backend():
    backend = Backend()
    yield backend
    backend.close()


@pytest.fixture
def replay(fails, tmp_path):
    """Replays a tape; gives what `replay` printed, and the events as lines where there are any."""

    def replay(tape: Path, code: int = 0) -> tuple[str, list[str]]:
        events = tmp_path / f"{tape.name}.events"
        events.unlink(missing_ok=True)
        result = fails("replay", str(tape), "--events", str(events))
        assert result.returncode == code, f"{result.returncode}: {result.stdout}{result.stderr}"
        return result.stdout + result.stderr, events.read_text().splitlines()

    return replay


def live_through(server, backend: Backend, sent: int = 20) -> list[tuple[int, str]]:
    """Much of what a run can hold: two real clients, a wrong token, orders, faults, calls to a backend, channels and
    the clock. Gives status and id of each answered push."""
    answers = []

    def note(answer) -> None:
        answers.append((answer.status, answer.header("apns-id")))

    backend.wait_for("POST /devices", 3)
    tokens = [str(t) for t in server.tokens("device", CRICKET)]
    with server.wire() as wire:
        for number in range(sent):
            note(server.push(tokens[number % 5], ALERT, wire=wire, topic=CRICKET))
        note(server.push("ab" * 32, ALERT, wire=wire, topic=CRICKET))
        note(server.push(tokens[0], ALERT, wire=wire, topic=CRICKET, authorization="bearer nonsense"))
        server.act("d1", "use", action="follow", arguments={"matchId": "m1"})
        server.act("d2", "uninstall")
        fault = {"name": "storm", "odds": "50%", "then": {"answer": "TooManyRequests", "retryAfter": 5}}
        assert server.admin.post("/v1/faults", json=fault).status_code in (200, 201)
        for number in range(sent):
            note(server.push(tokens[number % 5], ALERT, wire=wire, topic=CRICKET))
        assert server.admin.post("/v1/reset").status_code in (200, 204)
    with httpx.Client(http2=True, verify=httpx_context(server), timeout=TIMEOUT) as client:
        headers = {"authorization": f"bearer {server.jwt}", "apns-topic": CRICKET, "apns-push-type": "alert"}
        for token in tokens:
            response = client.post(f"{server.url(host='localhost')}/3/device/{token}", headers=headers, content=ALERT)
            answers.append((response.status_code, response.headers["apns-id"]))
    server.advance("30m")
    assert server.admin.post("/v1/actions", json={"do": "reboot", "where": {"share": 0.6}}).status_code == 200
    server.advance("2d")
    note(server.push(tokens[2], ALERT, topic=CRICKET))
    return answers


def httpx_context(server):
    import ssl

    context = ssl.create_default_context(cafile=str(server.ca))
    return context


def pushes(lines: list[str]) -> list[tuple[int, str]]:
    found = (json.loads(line) for line in lines)
    return [(e["status"], e["apnsId"]) for e in found if e["event"] == "push"]


def test_a_served_run_comes_about_again_without_any_of_its_files(pushpit, backend, replay, tmp_path):
    tape, profile = tmp_path / "run.tape", tmp_path / "mine.yaml"
    tape.write_bytes(b"pushpit tape 1\nolder")
    tape.chmod(0o644)
    text = subprocess.run([str(BINARY), "profile", "sightscreen"], capture_output=True, text=True, check=True).stdout
    profile.write_text(text)
    server = pushpit(
        *SMOOTH,
        "--profile",
        str(profile),
        "--backend",
        backend.url,
        "--set",
        "reports.opensWithin=0s",
        "--tape",
        str(tape),
        config="fleet: {devices: 8, seed: 11}\n",
        env={"PUSHPIT_SET": "fleet.mix.offline=20%"},
    )
    answers = live_through(server, backend)
    ledger = {p["apnsId"]: p for p in server.pages("/v1/pushes", "pushes")}
    acted = server.act("d1", "lock" if not server.device("d1")["locked"] else "unlock")
    server.stop()
    assert tape.stat().st_mode & 0o777 == 0o600
    profile.unlink()
    shutil.rmtree(server.home)
    shutil.rmtree(server.state)
    said, lines = replay(tape)
    assert "same: all results are identical" in said and f"{len(answers)} pushes" in said
    assert pushes(lines) == answers
    for event in (json.loads(line) for line in lines):
        if event["event"] == "push":
            assert ledger[event["apnsId"]]["request"]["path"] and ledger[event["apnsId"]]["receivedAt"] == event["at"]
            assert (ledger[event["apnsId"]]["reason"], ledger[event["apnsId"]]["device"]) == (
                event["reason"],
                event["device"],
            )
    names = {json.loads(line)["event"] for line in lines}
    assert names >= {
        "connectionOpened",
        "connectionClosed",
        "push",
        "trouble",
        "faultStruck",
        "wire",
        "call",
        "callEnded",
        "rebooted",
    }
    # What the admin API told of an order is on it letter by letter, and in that order.
    order = [json.dumps(e, separators=(",", ":"), ensure_ascii=False) for e in acted["events"]]
    assert order and order == lines[-len(order) :] or order == [line for line in lines if line in order]
    assert replay(tape)[1] == lines
    assert len(frames(tape.read_bytes())) > 10


def test_a_killed_server_leaves_all_but_its_last_moment(pushpit, replay, tmp_path):
    tape = tmp_path / "run.tape"
    server = pushpit(*SMOOTH, "--fleet", "5", "--tape", str(tape))
    token, answers = server.token(), []
    stop = threading.Event()

    def push() -> None:
        with server.wire() as wire:
            while not stop.is_set():
                try:
                    answer = server.push(token, ALERT, wire=wire)
                except Exception:
                    return  # the server is gone
                if answer.status is None:
                    return
                answers.append((answer.status, answer.header("apns-id")))

    client = threading.Thread(target=push)
    client.start()
    for _ in range(int(TIMEOUT / 0.05)):
        if len(answers) > 200 and tape.stat().st_size > 4000:
            break
        threading.Event().wait(0.05)
    server.kill()
    stop.set()
    client.join(TIMEOUT)
    said, lines = replay(tape, 3)
    assert "same as far as it goes, but the tape is truncated: it ends after" in said
    found = pushes(lines)
    # Of what was answered, only the end may be missing; one more may be there whose answer nobody saw.
    assert len(found) > 50 and answers[: len(found)] == found[: len(answers)]


def test_a_tape_cut_or_damaged_anywhere_is_told_from_a_whole_one(fails, replay, tmp_path):
    tape, cut = tmp_path / "whole.tape", tmp_path / "cut.tape"
    assert fails("simulate", str(REPOSITORY / "Scenarios/offline-and-back.yaml"), "--tape", str(tape)).returncode == 0
    whole = tape.read_bytes()
    lines = replay(tape)[1]
    header = len(OPENING) + 8 + len(frames(whole)[0])
    for count in sorted(
        {
            0,
            3,
            len(OPENING) - 1,
            len(OPENING),
            len(OPENING) + 2,
            header - 1,
            header,
            *range(header, len(whole), 211),
            len(whole) - 1,
        }
    ):
        cut.write_bytes(whole[:count])
        said, found = replay(cut, 3 if count >= len(OPENING) else 2)
        assert found == lines[: len(found)]
        assert ("is truncated" if count >= len(OPENING) else "is not a Pushpit tape") in said
    for place in range(len(OPENING), len(whole), 97):
        cut.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        said, found = replay(cut, 3)
        assert "the tape is damaged" in said and found == lines[: len(found)]
    cut.write_bytes(whole + b"more")
    assert "cut" in replay(cut, 3)[0] or "damaged" in replay(cut, 3)[0]


def test_a_file_that_is_not_a_tape_is_code_2(fails, tmp_path):
    other = tmp_path / "other"
    for text, said in (
        ("pushpit tape 3\n....", "a tape of format 3, but this program"),
        ("pushpit tape 7\n....", "a tape of format 7, but this program"),
        ("name: story\n", "is not a Pushpit tape"),
        ("", "is empty"),
    ):
        other.write_text(text)
        result = fails("replay", str(other))
        assert result.returncode == 2 and said in result.stderr
    assert fails("replay", str(tmp_path / "nowhere")).returncode == 2
    assert fails("replay", str(tmp_path)).returncode == 2
    assert "knows only format 5" in fails("replay", str(write(other, b"pushpit tape 7\n"))).stderr
    help_text = " ".join(fails("replay", "--help").stdout.split())
    assert "Exit codes" in help_text and "3 the results are the same" in help_text


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_another_world_is_told_with_the_first_call_that_differs(fails, replay, tmp_path):
    tape, other = tmp_path / "story.tape", tmp_path / "other.tape"
    story = REPOSITORY / "Scenarios/offline-and-back.yaml"
    assert fails("simulate", str(story), "--seed", "5", "--tape", str(tape)).returncode == 0
    header, *rest = frames(tape.read_bytes())
    values = json.loads(header[1:])
    assert header[0] == 1 and values["sources"]["scenario"]["seed"] == "5" and values["sources"]["keys"] == "any"
    assert values["sources"]["scenario"]["text"] == story.read_text()
    values["sources"]["scenario"]["seed"] = "6"
    values["program"] = "0.0.9"
    other.write_bytes(OPENING + b"".join(frame(p) for p in [header[:1] + json.dumps(values).encode(), *rest]))
    said, _ = replay(other, 1)
    assert "written by Pushpit 0.0.9" in said
    older = fails("replay", str(write(tmp_path / "older", b"pushpit tape 4\n" + other.read_bytes()[len(OPENING) :])))
    assert older.returncode == 2 and "is a tape of format 4, but this program" in older.stderr
    assert "replay it with Pushpit 0.0.9, which wrote it." in older.stderr
    assert "The first difference is at call " in said and " in the world: " in said
    assert "On the tape: " in said or "both have" in said
    values["sources"]["scenario"]["text"] = "stepz: []"
    other.write_bytes(OPENING + b"".join(frame(p) for p in [header[:1] + json.dumps(values).encode(), *rest]))
    result = fails("replay", str(other))
    assert result.returncode == 2 and "stepz" in result.stderr and "written by Pushpit 0.0.9" in result.stderr


@pytest.mark.parametrize("story", STORIES, ids=lambda path: path.stem)
def test_every_shipped_story_comes_about_again(story, fails, replay, tmp_path):
    tape = tmp_path / "story.tape"
    plain = fails("simulate", str(story)).stdout
    assert fails("simulate", str(story), "--tape", str(tape)).stdout == plain
    _, lines = replay(tape)
    assert lines and replay(tape)[1] == lines


def test_a_run_beside_a_backend_comes_about_again_without_it(story, fails, replay, tmp_path):
    tape, day = tmp_path / "run.tape", story(expect="[{pushes: {}, count: 1..}]")
    result = fails("run", day, "--seed", "4", "--tape", str(tape))
    assert result.returncode == 0, result.stdout + result.stderr
    Path(day).unlink()
    said, lines = replay(tape)
    names = [json.loads(line)["event"] for line in lines]
    assert "same: " in said and names.count("call") == names.count("callEnded") == 5 and "push" in names


def test_a_tape_is_of_one_run(fails, tmp_path):
    one = str(STORIES[0])
    for arguments in ([one, one], [one, "--swarm", "2"]):
        result = fails("simulate", *arguments, "--tape", str(tmp_path / "t"))
        assert result.returncode == 2 and "A tape records one run" in result.stderr
    for code, result in (
        (1, fails("simulate", one, "--tape", "/dev/full")),
        (2, fails("simulate", one, "--tape", str(tmp_path / "no/such/t"))),
    ):
        assert result.returncode == code and "tape" in result.stderr


def test_a_full_disk_ends_the_tape_and_not_the_server(pushpit, replay, tmp_path, monkeypatch):
    tape, limited = tmp_path / "run.tape", tmp_path / "limited"
    # A limit on the size of files stands in for a disk: 16 blocks of 1,024 bytes.
    limited.write_text(f'#!/bin/bash\ntrap "" XFSZ\nulimit -f 16\nexec {BINARY} "$@"\n')
    limited.chmod(0o755)
    monkeypatch.setattr(program, "BINARY", limited)
    server = pushpit(*SMOOTH, "--fleet", "5", "--tape", str(tape))
    token = server.token()
    with server.wire() as wire:
        for number in range(60):
            body = json.dumps(
                {"aps": {"alert": "".join(chr(33 + (number * 7 + k * k) % 90) for k in range(900))}}
            ).encode()
            assert server.push(token, body, wire=wire).verdict == (200, None)
    for _ in range(int(TIMEOUT / 0.05)):
        if "The tape" in server.log:
            break
        threading.Event().wait(0.05)
    assert server.log.count(f"The tape {tape} ends here: File too large. The server continues without it.") == 1
    server.assert_serving()
    server.stop()
    assert tape.stat().st_size == 16 * 1024
    said, lines = replay(tape, 3)
    assert "is truncated" in said and lines


def test_a_tape_that_cannot_be_begun_stops_the_start(fails, tmp_path):
    result = fails("serve", "--state", str(tmp_path / "s"), "--port", "0", "--tape", "/dev/full")
    assert result.returncode == 2 and "tape" in result.stderr and "No space left on device" in result.stderr


def test_a_tape_without_its_last_calls_says_how_many_are_missing(fails, replay, tmp_path):
    tape, short = tmp_path / "story.tape", tmp_path / "short.tape"
    assert fails("simulate", str(REPOSITORY / "Scenarios/offline-and-back.yaml"), "--tape", str(tape)).returncode == 0
    *most, _, end = frames(tape.read_bytes())
    assert end[0] == 3 and most
    short.write_bytes(OPENING + b"".join(frame(payload) for payload in [*most, end]))
    said, lines = replay(short, 3)
    assert re.search(r"the tape is damaged after .*: it should have \d+ calls but has \d+", said), said
    assert lines == replay(tape)[1][: len(lines)]
