"""Files that one process writes are not taken by another: the first one's file is whole in the end."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from program import BINARY, environment

PORTS = ("--ports", "0", "--fleet", "5")

STORY = "steps: [{at: 1s, push: {payload: {aps: {alert: Hi}}}}]\nexpect: [{pushes: {}, count: 1..}]\n"


@pytest.fixture
def second(fails, tmp_path):
    """A second server, which is expected not to start."""

    def start(*flags: str, code: int = 2):
        result = fails("serve", "--state", str(tmp_path / "second"), *PORTS, *flags)
        assert result.returncode == code and result.stdout == "", result.stderr
        return result.stderr

    return start


def names_holder(said: str, path: Path, server) -> bool:
    """The process is known where the file system's numbers are those of its files."""
    return f"{path} is in use by process {server.process.pid} (pushpit)." in said or (
        f"{path} is in use by another program." in said
    )


def replays(fails, tape: Path, pushes: int) -> None:
    replay = fails("replay", str(tape))
    assert replay.returncode == 0, replay.stdout + replay.stderr
    assert len(exported(fails, tape)) == pushes


def exported(fails, tape: Path) -> list[dict]:
    rows = fails("export", str(tape), "--jsonl", "-")
    assert rows.returncode == 0, rows.stderr
    return [row for row in map(json.loads, rows.stdout.splitlines()) if row["table"] == "pushes"]


def test_the_tape_of_a_running_server_is_not_taken_by_a_second_one(pushpit, fails, second, tmp_path):
    tape = tmp_path / "run.tape"
    server = pushpit(*PORTS, "--tape", str(tape))
    assert server.push(server.token()).verdict == (200, None)
    said = second("--tape", str(tape))
    assert names_holder(said, tape, server), said
    assert server.push(server.token()).verdict == (200, None)
    server.stop()
    replays(fails, tape, pushes=2)
    # It is free again.
    pushpit(*PORTS, "--tape", str(tape)).stop()
    replays(fails, tape, pushes=0)


def test_a_tape_replaces_nothing_but_a_tape(pushpit, fails, second, tmp_path):
    file = tmp_path / "file"
    no_tapes = ["-----BEGIN PRIVATE KEY-----\n", "pushpit report", "x", "pushpit tape 30", "pushpit tape 5 of 6\n"]
    for text in [
        *no_tapes,
        "pushpit tape 5\r\nHello",
        "pushpit tape \n",
        "pushpit tape 31 and more than thirty bytes\n",
    ]:
        file.write_bytes(text.encode())
        file.chmod(0o644)
        assert f"{file} is a file and no tape, so no tape replaces it." in second("--tape", str(file))
        assert file.read_bytes() == text.encode() and file.stat().st_mode & 0o777 == 0o644
    for number in ["6", "30"]:
        file.write_text(f"pushpit tape {number}\nrecords")
        said = second("--tape", str(file))
        assert f"{file} is a tape of format {number}, which a newer Pushpit wrote, so no tape replaces it." in said
        assert file.read_text() == f"pushpit tape {number}\nrecords"
    # The first ones are left by a process that was killed as it began.
    for text in ["", "pushpit ta", "pushpit tape 5", "pushpit tape 5\n", "pushpit tape 4\nrecords"]:
        file.write_text(text)
        pushpit(*PORTS, "--tape", str(file)).stop()
        replays(fails, file, pushes=0)


def test_a_tape_takes_no_file_that_its_state_folder_needs(second, fails, tmp_path):
    state = tmp_path / "second"
    state.mkdir(mode=0o700)
    link = tmp_path / "link.tape"
    link.symlink_to(state / ".lock")
    for path in [state / ".lock", state / ".." / "second" / "provider-certificates.json", link]:
        (state / ".lock").write_bytes(b"")
        assert f"--tape: {path} is a file of the state folder, which Pushpit uses itself" in second("--tape", str(path))
        assert (state / ".lock").read_bytes() == b"" and not (state / "provider-certificates.json").exists()


def test_the_files_of_a_killed_server_are_free(pushpit, fails, tmp_path):
    """The claim ends with the process, however that ends."""
    tape, report = tmp_path / "run.tape", tmp_path / "report.json"
    flags = ("--tape", str(tape), "--report", str(report))
    pushpit(*PORTS, *flags).kill()
    pushpit(*PORTS, *flags).stop()
    replays(fails, tape, pushes=0)
    assert "pushes" in json.loads(report.read_text())


@pytest.mark.parametrize("name", ["report.html", "report.json"])
@pytest.mark.parametrize("existing", ["", "of yesterday"])
def test_the_report_of_a_running_server_is_not_taken_by_a_second_one(pushpit, second, tmp_path, name, existing):
    report = tmp_path / name
    if existing:
        report.write_text(existing)
    server = pushpit(*PORTS, "--report", str(report))
    assert server.push(server.token()).verdict == (200, None)
    said = second("--report", str(report))
    assert names_holder(said, report, server) and "--report" in said, said
    assert report.read_text() == existing
    server.stop()
    text = report.read_text()
    assert json.loads(text)["pushes"] if name.endswith("json") else text.startswith("<!doctype html>"), text[:200]


def test_the_ready_file_of_a_running_server_is_not_taken_by_a_second_one(pushpit, second, tmp_path):
    ready = tmp_path / "ready.json"
    server = pushpit(*PORTS, "--ready-file", str(ready))
    said = second("--ready-file", str(ready))
    assert names_holder(said, ready, server), said
    assert ready.read_text() == server.line
    server.stop()
    assert not ready.exists()


def test_the_ready_file_of_a_killed_server_is_replaced(pushpit, tmp_path):
    ready = tmp_path / "ready.json"
    first = pushpit(*PORTS, "--ready-file", str(ready))
    first.kill()
    assert ready.read_text() == first.line
    second = pushpit(*PORTS, "--ready-file", str(ready))
    assert ready.read_text() == second.line
    second.stop()
    assert not ready.exists()


@pytest.fixture
def recorded(pushpit, tmp_path) -> Path:
    tape = tmp_path / "recorded.tape"
    server = pushpit(*PORTS, "--tape", str(tape))
    assert server.push(server.token()).verdict == (200, None)
    server.stop()
    return tape


@pytest.fixture
def story(tmp_path) -> Path:
    path = tmp_path / "story.yaml"
    path.write_text(STORY)
    return path


COMMANDS = [
    "simulate STORY --tape FILE",
    "simulate STORY --report FILE",
    "simulate STORY --json FILE",
    "simulate STORY --junit FILE",
    "simulate STORY --shrink FILE",
    "run STORY --speed 100000 --tape FILE",
    "run STORY --speed 100000 --report FILE",
    "export TAPE --jsonl FILE",
    "export TAPE --sqlite FILE",
    "replay TAPE --events FILE",
    "report TAPE --html FILE",
    "report TAPE --json FILE",
]


def words(command: str, **files: Path) -> list[str]:
    return [str(files.get(word, word)) for word in command.split()]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_takes_the_tape_of_a_running_server(pushpit, fails, recorded, story, tmp_path, command):
    tape = tmp_path / "run.tape"
    server = pushpit(*PORTS, "--tape", str(tape))
    result = fails(*words(command, STORY=story, TAPE=recorded, FILE=tape))
    assert result.returncode == 2 and names_holder(result.stderr, tape, server), result.stderr
    assert server.push(server.token()).verdict == (200, None)
    server.stop()
    replays(fails, tape, pushes=1)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_writes_to_the_file_that_it_reads(fails, recorded, story, command):
    file = recorded if "TAPE" in command else story
    before = file.read_bytes()
    result = fails(*words(command, STORY=story, TAPE=recorded, FILE=file))
    assert result.returncode == 2 and f"{file} is a file that this command reads" in result.stderr, result.stderr
    assert file.read_bytes() == before


def test_two_outputs_of_a_command_are_two_files(fails, story, tmp_path):
    file = tmp_path / "both"
    for flags in (("--json", "--junit"), ("--tape", "--json"), ("--tape", "--report")):
        result = fails("simulate", str(story), *(word for flag in flags for word in (flag, str(file))))
        assert result.returncode == 2 and f"{file} is " in result.stderr and "in use by" in result.stderr, result.stderr
        assert not file.exists()


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_standard_stream_is_not_replaced_by_a_file(fails, story, tmp_path, closed):
    tape, report, suite = (tmp_path / name for name in ("a.tape", "a.json", "a.xml"))
    words = ["simulate", story, "--tape", tape, "--json", report, "--junit", suite]
    command = f"{shlex.join(map(str, [BINARY, *words]))} {closed}"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60, env=environment(tmp_path))
    assert result.returncode == 0, result.stdout + result.stderr
    assert json.loads(report.read_text())["passed"] and suite.read_text().startswith("<?xml")
    replays(fails, tape, pushes=1000)


def test_special_files_may_be_shared(pushpit):
    for _ in range(2):
        pushpit(*PORTS, "--tape", "/dev/null", "--report", "/dev/null")
