"""The server's process: it ends with the tests, however they end."""

from __future__ import annotations

import errno
import json
import os
import re
import select
import socket
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

import pytest

from generate import GIVEN
from pushpit import NoServerError, Pushpit, PushpitError, StartError
from pushpit.program import serve_words

OTHER = """
import os, sys
from pushpit import Pushpit
pushpit = Pushpit.start(fleet=1, program=sys.argv[1])
print(pushpit.server.process.pid, pushpit.server.folder, flush=True)
{end}
"""


def run_other(program: Path, end: str) -> tuple[subprocess.Popen[str], int, Path]:
    """Another process that has started a server: it, the server's pid, and its folder."""
    script = textwrap.dedent(OTHER.format(end=end))
    other = subprocess.Popen([sys.executable, "-c", script, str(program)], stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None
    pid, folder = other.stdout.readline().split(maxsplit=1)
    return other, int(pid), Path(folder.strip())


def await_end(pid: int, within: float) -> None:
    """Waits for the end of a process that is no child of this one."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        ended, _, _ = select.select([handle], [], [], within)
        assert ended, f"process {pid} is still there after {within} s"
    finally:
        os.close(handle)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="wants Linux")
@pytest.mark.parametrize(
    "end",
    [
        "os.kill(os.getpid(), 9)",
        "os._exit(1)",
        "raise SystemExit(3)",
        "raise RuntimeError('a test framework that crashed')",
        "os.kill(os.getpid(), 15)",
    ],
)
def test_the_server_ends_when_its_starter_dies(program: Path, end: str) -> None:
    other, pid, _ = run_other(program, end)
    other.wait(30)
    await_end(pid, within=20)


def test_a_working_directory_that_is_not_there_is_named(program: Path) -> None:
    with pytest.raises(StartError, match="pushpit cannot be started in /nowhere: No such file or directory.$"):
        Pushpit.start(program=program, cwd="/nowhere")


@pytest.mark.parametrize(
    "problem, why",
    [
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "Name or service not known"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed"), "Connection refused"),
        (UnicodeError("label too long"), "label too long"),
    ],
)
def test_the_reason_for_no_answer_is_in_words(monkeypatch: pytest.MonkeyPatch, problem: Exception, why: str) -> None:
    def exchange(*_: object) -> bytes:
        raise problem

    monkeypatch.setattr("pushpit.blocking.admin.exchange", exchange)
    with pytest.raises(NoServerError) as caught:
        Pushpit.connect("http://nohost.invalid")
    assert caught.value.sentence == f"No server answers at http://nohost.invalid:2190 ({why}); is it still running?"


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="wants Linux")
def test_a_forked_child_leaves_the_server_alone(program: Path) -> None:
    end = """
child = os.fork()
if child == 0:
    pushpit.stop()
    os._exit(0)
os.waitpid(child, 0)
print(pushpit.clock.state()["mode"], pushpit.server.ready_file.exists(), flush=True)
"""
    other, pid, folder = run_other(program, end)
    assert other.stdout is not None
    assert other.stdout.readline() == "wall True\n"
    other.wait(30)
    await_end(pid, within=20)
    assert not folder.exists()


def test_a_server_that_stops_leaves_nothing(program: Path) -> None:
    pushpit = Pushpit.start(fleet=1, program=program)
    environment = pushpit.environment()
    assert Path(environment["PUSHPIT_READY"]).is_file()
    assert environment["PUSHPIT_ADMIN"] == pushpit.url
    folder = Path(environment["PUSHPIT_READY"]).parent
    pushpit.stop()
    pushpit.stop()
    assert not folder.exists()


def test_a_state_folder_of_ones_own_is_kept(program: Path, tmp_path: Path) -> None:
    keys = []
    for _ in range(2):
        with Pushpit.start(fleet=1, program=program, state=tmp_path / "state") as pushpit:
            keys.append(pushpit.key["keyId"])
    assert keys[0] == keys[1]
    assert (tmp_path / "state/ca.pem").is_file()


def test_pushpit_variables_do_not_reach_the_server(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PUSHPIT_FLEET", "7")
    with Pushpit.start(program=program) as pushpit:
        assert pushpit.ready["fleet"]["devices"] == 1000
    with Pushpit.start(program=program, env={"PUSHPIT_FLEET": "8"}) as pushpit:
        assert pushpit.ready["fleet"]["devices"] == 8


def test_relative_paths_are_those_of_the_working_directory(program: Path, tmp_path: Path) -> None:
    (tmp_path / "app.yaml").write_text("fleet: {apps: [{bundleId: com.example.own}]}")
    own: Any = {"config": "app.yaml", "state": "state", "tape": "run.tape", "cwd": tmp_path}
    with Pushpit.start(fleet=1, program=program, **own) as pushpit:
        assert pushpit.app == "com.example.own"
    assert pushpit.tape == tmp_path / "run.tape" and pushpit.tape.is_file()
    assert pushpit.ca == str(tmp_path / "state/ca.pem")
    assert pushpit.server and pushpit.server.state == tmp_path / "state"
    assert json.loads(pushpit.server.line) == pushpit.ready


def test_a_server_that_cannot_be_started_leaves_nothing_behind(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(StartError, match=f"cannot be started in {tmp_path}/none: No such file or directory"):
        Pushpit.start(program=program, cwd=tmp_path / "none")
    number: Any = 8
    with pytest.raises(TypeError):
        Pushpit.start(program=program, env={"PUSHPIT_FLEET": number})
    assert list(tmp_path.iterdir()) == []


def test_former_flags_are_refused_with_the_present_form(program: Path) -> None:
    with pytest.raises(TypeError, match="fleet=2 for \"--fleet\", \"2\": '--fleet', '7'"):
        Pushpit.start("--fleet", "7", program=program)  # type: ignore[arg-type]


def test_flags_may_be_spelled_as_the_program_has_them() -> None:
    flags: Any = {"for-tests": False, "drain-time": "2s", "ports": 0}
    assert serve_words(flags, None, None) == ["--ports", "0", "--drain-time", "2s"]


@pytest.mark.parametrize("name", sorted(GIVEN - {"state", "tape"}))
def test_a_flag_that_the_run_chooses_is_refused_with_what_to_use_instead(program: Path, name: str) -> None:
    flags: Any = {name: "fleet.devices=2"}
    with pytest.raises(StartError, match=f"^{name.replace('-', '_')} is no argument of Pushpit.start; use .* instead"):
        Pushpit.start(program=program, **flags)


def test_settings_that_cannot_be_are_refused() -> None:
    settings: Any
    for settings in ("audit=true", ["audit=true"]):
        with pytest.raises(StartError, match="^settings of Pushpit.start is a dictionary"):
            serve_words({}, settings, None)
    with pytest.raises(StartError, match="but its argument state"):
        serve_words({}, {"state": "/tmp/a"}, None)


@pytest.mark.parametrize("url", ["http://127.0.0.1:abc", "127.0.0.1:65536", "http://[::1", "http://", "ftp://a"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(PushpitError, match=f"^{re.escape(url)} is not the address of an admin API"):
        Pushpit.connect(url)


def test_interrupting_the_terminal_is_for_the_tests(program: Path) -> None:
    """Ctrl-C goes to the foreground process group. The server is in none of its starter's."""
    with Pushpit.start(fleet=1, program=program) as pushpit:
        assert pushpit.server is not None
        assert os.getpgid(pushpit.server.process.pid) != os.getpgid(0)


def test_the_tape_is_whole_when_the_server_has_stopped(program: Path, tmp_path: Path) -> None:
    tape = tmp_path / "run.tape"
    with Pushpit.start(fleet=2, program=program, tape=tape) as pushpit, pushpit.session() as session:
        session.phone.send("Goal!")
    played = subprocess.run([str(program), "replay", str(tape)], capture_output=True, text=True, timeout=60)
    assert played.returncode == 0, played.stdout + played.stderr


def test_versions_are_one(program: Path) -> None:
    from pushpit import __version__

    shown = subprocess.run([str(program), "--version"], capture_output=True, text=True, timeout=30).stdout.strip()
    assert __version__ == shown
