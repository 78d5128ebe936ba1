"""Steps of `pushpit run` that stop, kill and start the backend, and that revoke and add its keys and certificates."""

import json
import re
import time
from pathlib import Path

import pytest

from backend import Backend, Reply
from commands import gone

ALL_PUSHED = "[{name: pushed, pushes: {}, count: 20..}, {pushes: {}, all: {status: 200}}]"
LATE_KEY = "keys: [{keyId: LATEKEY123, generate: true}]"


@pytest.fixture
def played(fails, tmp_path):
    """Plays a file; what the backend said is its `said`."""

    def play(path: str, *flags: str):
        log = tmp_path / "backend.log"
        log.unlink(missing_ok=True)
        result = fails("run", path, *flags, "--backend-log", str(log))
        result.said = log.read_text().splitlines() if log.exists() else []
        return result

    return play


def ticks(said: list[str]) -> list[int]:
    """Seconds since the first tick."""
    times = [float(line.split()[1]) for line in said if line.startswith("tick")]
    return [round(time - times[0]) for time in times]


def begins(said: list[str]) -> list[tuple[float, int]]:
    """The time that each start of the backend was told, and its process."""
    found = [re.match(r"begins (\S+) .*pid (\d+)", line) for line in said]
    return [(float(match[1]), int(match[2])) for match in found if match]


@pytest.mark.parametrize("end, words", [("stop", ""), ("kill", ""), ("stop", "stubborn")])
def test_a_backend_that_is_ended_and_started_keeps_its_port_its_data_and_the_time(story, played, tmp_path, end, words):
    steps = f"[{{at: 20s, backend: {end}}}, {{at: 40s, backend: start}}]"
    more = "persists: true\n  stop: 300ms"
    result = played(story(f"pushes keeps={tmp_path / 'tokens'} {words}", more, steps, ALL_PUSHED))
    assert result.returncode == 0, result.stdout
    assert "may have lost its data" not in result.stdout
    (first, pid), (second, other) = begins(result.said)
    assert round(second - first) == 40 and pid != other
    # The time goes on without it, and nothing is said to it before it is back.
    assert ticks(result.said)[:4] == [0, 15, 40, 55] and ticks(result.said)[-1] == 115
    # The apps reported at the beginning only, so what is pushed later is pushed to tokens that were kept.
    assert len([line for line in result.said if line.startswith("report")]) == 5
    later = result.said[max(i for i, line in enumerate(result.said) if line.startswith("begins")) :]
    assert len([line for line in later if line.startswith("pushed 200")]) >= 5


def test_a_backend_that_keeps_nothing_is_noted(story, played):
    steps = "[{at: 20s, backend: kill}, {at: 40s, backend: start}]"
    result = played(story("pushes", "starts: 20s", steps, "[{pushes: {}, count: 5..}]"))
    assert result.returncode == 0, result.stdout
    assert re.search(r"at 40s: the backend was started again, and may have lost its data", result.stdout)
    later = result.said[max(i for i, line in enumerate(result.said) if line.startswith("begins")) :]
    assert not [line for line in later if line.startswith("pushed")]


def test_a_story_may_end_while_the_backend_is_stopped(story, played):
    result = played(story("pushes", steps="[{at: 1m, backend: stop}]", expect="[{pushes: {}, count: 5..}]"))
    assert result.returncode == 0, result.stdout
    assert ticks(result.said)[-1] == 45


def test_calls_of_apps_fail_while_the_backend_is_stopped(story, played):
    steps = "[{backend: stop}, {at: 1m, backend: start}]"
    result = played(story(steps=steps, expect="[{calls: {failure: cannotConnect}, count: 1..}]"))
    assert result.returncode == 0, result.stdout


def test_a_backend_that_does_not_come_back_ends_the_run(story, played, tmp_path):
    steps = "[{at: 20s, backend: kill}, {at: 40s, backend: start}]"
    result = played(story(f"dies-again keeps={tmp_path / 'tokens'}", steps=steps))
    assert result.returncode == 3, result.stdout
    assert "ended with exit code 5, before it was ready again, at 40s" in result.stdout


def test_without_a_tick_time_waits_for_the_start(story, played, fails):
    path = story("pushes", "persists: true", "[{at: 1s, backend: kill}, {at: 2s, backend: start}]")
    with open(path) as file:
        text = file.read().replace("tick: /tick", "").replace("for: 2m", "for: 3s")
    with open(path, "w") as file:
        file.write(text)
    result = played(path)
    assert result.returncode == 0, result.stdout
    assert len([line for line in result.said if line.startswith("begins")]) == 2


def test_the_tape_of_a_run_with_a_killed_backend_is_replayed(story, played, fails, tmp_path):
    steps = "[{at: 20s, backend: kill}, {at: 40s, backend: start}, {at: 50s, keys: {revoke: all}}]"
    path = story(f"pushes keeps={tmp_path / 'tokens'}", "persists: true", steps, "[{name: no, pushes: {}, count: 0}]")
    result = played(path, "--junit", str(tmp_path / "r.xml"), "--json", str(tmp_path / "r.json"))
    assert result.returncode == 1, result.stdout
    assert 'name="no"' in (tmp_path / "r.xml").read_text() and '"no"' in (tmp_path / "r.json").read_text()
    replayed = fails("replay", re.search(r"replay with: pushpit replay (\S+)$", result.stdout, re.M)[1])
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr


def test_a_key_is_valid_from_its_step_on_and_until_it_is_revoked(story, played):
    steps = "[{at: 40s, keys: {add: LATEKEY123}}, {at: 80s, keys: {revoke: LATEKEY123}}]"
    expect = "[{pushes: {reason: InvalidProviderToken}, count: 10..}, {pushes: {status: 200}, count: 10..20}]"
    path = story("pushes last-key", steps=steps, expect=expect)
    with open(path) as file:
        text = file.read().replace("settings:\n", f"settings:\n  {LATE_KEY}\n")
    with open(path, "w") as file:
        file.write(text)
    result = played(path)
    assert result.returncode == 0, result.stdout
    answers = [line.split()[1] for line in result.said if line.startswith("pushed")]
    assert re.fullmatch("(403 )+(200 )+(403 )+", " ".join(answers) + " "), answers


@pytest.fixture
def certificate(fails) -> Path:
    """The certificate of a provider, in the state folder of the runs."""
    made = fails("certs", "provider", "--topic", "com.example.app")
    assert made.returncode == 0, made.stderr
    return Path(made.stdout.splitlines()[0])


@pytest.mark.parametrize("isNamed", [False, True])
def test_a_certificate_is_rejected_from_its_step_on_and_valid_again_later(story, played, fails, certificate, isNamed):
    before = fails("certs", "list").stdout
    name = before.split("\t")[0] if isNamed else "all"
    steps = f"[{{at: 40s, certificates: {{revoke: '{name}'}}}}, {{at: 80s, certificates: {{add: '{name}'}}}}]"
    # A failed expectation keeps the tape.
    expect = "[{pushes: {reason: BadCertificate}, count: 1..}, {name: no, pushes: {status: 200}, count: 0}]"
    result = played(story(f"pushes certificate={certificate}", steps=steps, expect=expect))
    assert result.returncode == 1 and "ok    1.. pushes (reason BadCertificate)" in result.stdout, result.stdout
    pushed = [line.split(maxsplit=2) for line in result.said if line.startswith("pushed")]
    # On the open connection a push gets 403, and then every handshake fails.
    assert re.fullmatch("(200 )+(403 )+(failed )+(200 )+", " ".join(words[1] for words in pushed) + " "), pushed
    told = [words[2].lower().replace("_", " ") for words in pushed if words[1] == "failed"]
    assert any("certificate revoked" in text for text in told), told
    assert fails("certs", "list").stdout == before
    replayed = fails("replay", re.search(r"replay with: pushpit replay (\S+)$", result.stdout, re.M)[1])
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr


def test_a_certificate_that_the_state_folder_does_not_have_is_rejected_before_any_run(story, played, certificate):
    first = Path(story()).rename(Path(story()).with_name("first.yaml"))
    result = played(str(first), story(steps="[{certificates: {revoke: '00000000'}}]"))
    assert result.returncode == 2 and not result.said, result.stdout
    assert "the state folder has no certificate 00000000; `pushpit certs list`" in result.stderr
    assert not result.stdout and not (certificate.parents[1] / "tapes").exists()


@pytest.mark.parametrize("flaw", ["revoked", "expired"])
def test_a_certificate_that_is_not_valid_in_the_state_folder_cannot_be_changed(story, played, fails, flaw):
    made = fails("certs", "provider", "--topic", "com.example.app", "--flaw", flaw)
    assert made.returncode == 0, made.stderr
    name = fails("certs", "list").stdout[:8]
    result = played(story(steps=f"[{{certificates: {{revoke: '{name}'}}}}]"))
    assert result.returncode == 2 and f"the certificate {name} " in result.stderr and flaw in result.stderr


def test_a_certificate_that_two_steps_name_by_different_digits_is_one(story, played, fails, certificate):
    whole = fails("certs", "list").stdout.split("\t")[0]
    steps = f"[{{certificates: {{revoke: '{whole[:12]}'}}}}, {{at: 5s, certificates: {{revoke: '{whole[:6]}'}}}}]"
    result = played(story(steps=steps))
    assert result.returncode == 2 and f"{whole[:6]} is revoked already at 5s" in result.stderr, result.stderr


def test_a_revocation_that_concerns_nobody_is_noted(story, played):
    result = played(story("pushes", steps="[{at: 20s, certificates: {revoke: all}}]"))
    assert result.returncode == 0 and "no connection presented a certificate" in result.stdout, result.stdout


def test_a_run_without_a_backend_has_no_certificates(fails, tmp_path):
    path = tmp_path / "alone.yaml"
    path.write_text("steps: [{certificates: {revoke: all}}]\nexpect: [{events: {}, count: 0..}]\n")
    for command in ("check", "simulate", "run"):
        result = fails(command, str(path))
        assert result.returncode == 2 and "nobody presents a certificate" in result.stderr, result.stdout


def test_plays_share_a_backend_that_can_be_reset(story, played):
    result = played(story("pushes", "reset: /reset", expect=ALL_PUSHED), "--swarm", "3")
    assert result.returncode == 0, result.stdout
    assert len(begins(result.said)) == 1 and gone(begins(result.said)[0][1])
    told = [json.loads(line.removeprefix("reset ")) for line in result.said if line.startswith("reset")]
    assert [(body["seed"], body["scenario"]) for body in told] == [("2", "a day"), ("3", "a day")]
    # The time of each play is the machine's when it begins, and what apps report begins anew.
    assert begins(result.said)[0][0] < told[0]["now"] < told[1]["now"] < time.time() + 1
    assert len([line for line in result.said if line.startswith("report")]) == 15


def test_a_reset_that_fails_ends_the_run(story, played):
    result = played(story("pushes no-reset", "reset: /reset", expect=ALL_PUSHED), "--swarm", "3")
    assert result.returncode == 3 and "at the reset, answered with 500" in result.stdout, result.stdout
    assert gone(begins(result.said)[0][1])


def test_a_backend_that_a_step_has_stopped_is_started_for_the_next_play(story, played):
    steps = "[{at: 20s, backend: stop}]"
    result = played(story("pushes", "reset: /reset", steps, "[{pushes: {}, count: 5..}]"), "--swarm", "2")
    assert result.returncode == 0, result.stdout
    assert len(begins(result.said)) == 2 and not [line for line in result.said if line.startswith("reset")]


def test_a_backend_that_keeps_its_data_is_reset_whenever_it_is_started(story, played, tmp_path):
    steps, more = "[{at: 20s, backend: stop}]", "reset: /reset\n  persists: true"
    path = story(f"pushes keeps={tmp_path / 'tokens'}", more, steps, "[{pushes: {}, count: 5..}]")
    result = played(path, "--swarm", "2")
    assert result.returncode == 0, result.stdout
    order = [line.split()[0] for line in result.said if line.split()[0] in ("begins", "reset", "report")]
    assert order == (["begins", "reset"] + ["report"] * 5) * 2


def test_a_key_is_named_only_where_the_backend_has_it(fails, tmp_path):
    path = tmp_path / "keys.yaml"
    steps = "steps: [{keys: {revoke: LATEKEY123}}, {push: {payload: {aps: {alert: A}}}}]"
    path.write_text(f"settings: {{{LATE_KEY}}}\n{steps}\nexpect: [{{pushes: {{}}, all: {{status: 403}}}}]\n")
    done = fails("simulate", str(path))
    assert done.returncode == 2 and f"{path}:2:" in done.stderr and "use all" in done.stderr, done.stderr
    path.write_text(path.read_text().replace("LATEKEY123}}", "all}}"))
    assert fails("simulate", str(path)).returncode == 0


def test_a_backend_that_is_killed_while_it_starts_is_gone(fails, tmp_path):
    """Something else answers at its URL, so it counts as ready before its process is there."""
    other = Backend(lambda request: Reply(body=b"{}"))
    path = tmp_path / "early.yaml"
    kills = "{backend: kill}, {backend: start}, " * 5
    path.write_text(
        f"backend: {{command: sleep 50, url: '{other.url}', stop: 300ms}}\nfor: 1s\n"
        f"steps: [{kills}{{push: {{payload: {{aps: {{alert: A}}}}}}}}]\nexpect: [{{pushes: {{}}, count: 1..}}]\n"
    )
    try:
        done = fails("run", str(path), "--speed", "100")
    finally:
        other.close()
    assert done.returncode == 0, done.stdout + done.stderr
