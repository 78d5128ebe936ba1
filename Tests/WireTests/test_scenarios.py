"""`pushpit simulate` and `pushpit check`: exit codes, reports, the schema for editors, and what the guide shows."""

import json
import os
import pty
import re
import shlex
import subprocess
import termios
import xml.etree.ElementTree as ElementTree

import jsonschema_rs
import pytest
import yaml

from program import BINARY, REPOSITORY, environment
from yaml12 import Loader

FOLDER = REPOSITORY / "Scenarios"
STORIES = sorted(FOLDER.glob("*.yaml"))

SOUND = """
settings: {fleet: {devices: 3, ideal: true}}
steps:
  - {name: hello, push: {payload: {aps: {alert: Hello}}}}
expect:
  - {name: all of them, pushes: {step: hello}, all: {status: 200}}
"""
FALSE = SOUND + "  - {name: one too many, pushes: {}, count: 4}\n"


def examples() -> list[str]:
    return re.findall(r"^```yaml[^\n]*\n(.*?)^```", (FOLDER / "README.md").read_text(), re.S | re.M)


@pytest.fixture
def write(tmp_path):
    def write(text: str, name: str = "story.yaml") -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


def test_exit_codes(fails, write):
    sound, false, broken = write(SOUND), write(FALSE, "false.yaml"), write("stepz: []", "broken.yaml")
    assert fails("simulate", sound).returncode == 0
    assert fails("simulate", sound, false).returncode == 1
    assert fails("check", sound, false).returncode == 0
    for command in ("simulate", "check"):
        result = fails(command, sound, broken)
        assert (
            result.returncode == 2
            and f'Error: {broken}:1:1: a scenario has no key "stepz"; did you mean steps?' in result.stderr
        )
        assert fails(command, str(FOLDER / "nowhere.yaml")).returncode == 2
        assert fails(command).returncode == 2
    assert fails("simulate", "--swarm", "0", sound).returncode == 2
    # A wrong file is found before anything is played.
    assert "PASS" not in fails("simulate", sound, broken).stdout
    assert all(word in fails("simulate", "--help").stdout for word in ("Exit codes", "--seed", "--swarm", "--junit"))


def test_a_failure_names_the_cause_and_replays(fails, write):
    story = write(FALSE)
    shown = fails("simulate", story, "--seed", "77").stdout
    assert "one too many" in shown and "wanted   4 pushes" in shown and "found    3" in shown
    command = re.search(r"rerun with: pushpit (.*)", shown)[1]
    assert shlex.split(command) == ["simulate", story, "--seed", "77"]
    assert fails(*shlex.split(command)).stdout == shown


def test_reports_for_programs(fails, write, tmp_path):
    story = write(FALSE)
    result = fails("simulate", story, "--junit", str(tmp_path / "r.xml"), "--json", str(tmp_path / "r.json"))
    assert result.returncode == 1
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["passed"] is False and report["scenarios"][0]["pushes"] == 3
    assert [e["passed"] for e in report["scenarios"][0]["expectations"]] == [True, False]
    (suite,) = ElementTree.parse(tmp_path / "r.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [case.find("failure") is not None for case in suite] == [False, True]
    blocked = fails("simulate", story, "--json", str(tmp_path))
    assert blocked.returncode == 2 and "cannot be written" in blocked.stderr


def test_two_processes_give_the_same_bytes(fails, tmp_path):
    """Dictionaries are seeded anew in every process; no report may show it."""
    written = []
    for number in range(2):
        path = tmp_path / f"{number}.json"
        shown = fails("simulate", *map(str, STORIES), "--seed", "5", "--json", str(path)).stdout
        written.append((shown, path.read_bytes()))
    assert written[0] == written[1] and len(written[0][1]) > 1000


def test_a_swarm_reports_the_failing_seeds(fails, write):
    luck = write(
        SOUND.replace("ideal: true", "ideal: true, mix: {offline: 30%}") + "  - {pushes: {}, all: {outcome: banner}}\n"
    )
    shown = fails("simulate", luck, "--swarm", "12")
    failing = re.search(r"FAIL  story: (\d+) of 12 seeds: ([\d, ]+)$", shown.stdout, re.M)
    assert shown.returncode == 1 and 0 < int(failing[1]) < 12
    seeds = [int(s) for s in failing[2].split(", ")]
    assert len(seeds) == int(failing[1])
    for seed in range(1, 13):
        assert fails("simulate", luck, "--seed", str(seed)).returncode == (1 if seed in seeds else 0)


def test_a_terminal_sees_how_far_it_has_come(write, tmp_path):
    match = (
        (FOLDER / "whole-match.yaml")
        .read_text()
        .replace("devices: 20", "devices: 200")
        .replace("count: 1800", "count: 18000")
    )
    ours, theirs = pty.openpty()
    columns = 40
    termios.tcsetwinsize(theirs, (20, columns))
    process = subprocess.Popen(
        [BINARY, "simulate", "--progress", write(match)],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=environment(tmp_path),
    )
    os.close(theirs)
    seen = b""
    try:
        while part := os.read(ours, 65536):
            seen += part
    except OSError:
        pass  # Linux: the other end of a terminal is gone.
    os.close(ours)
    assert process.wait(timeout=60) == 0
    assert re.search(rb"\r\x1b\[Ka whole match, seed 7: \S+ of 4h, ", seen), seen
    # A longer line would begin another one, and never be overwritten.
    assert max(len(line.decode()) for line in seen.split(b"\r\x1b[K")) <= columns


# The schema for editors


@pytest.fixture(scope="module")
def validator():
    return jsonschema_rs.validator_for(json.loads((FOLDER / "scenario.schema.json").read_text()))


def test_the_schema_is_the_one_the_program_prints(fails):
    assert fails("check", "--schema").stdout == (FOLDER / "scenario.schema.json").read_text()


@pytest.mark.parametrize(
    "text", [p.read_text() for p in STORIES] + examples(), ids=lambda text: text.strip().splitlines()[0][:40]
)
def test_the_schema_accepts_what_is_shipped(validator, text):
    validator.validate(yaml.load(text, Loader))


MISSPELT = [
    ("steps:", "stepz:"),
    ("settings:", "setings:"),
    ("fleet:", "flete:"),
    ("devices:", "device:"),
    ("name: hello", "nam: hello"),
    ("push:", "psuh:"),
    ("payload:", "paylod:"),
    ("pushes:", "pushs:"),
    ("status: 200", "stauts: 200"),
    ("all: {status", "al: {status"),
    ("all: {status: 200}", "all: {outcome: baner}"),
    ("all: {status: 200}", "all: {reason: BadTopik}"),
    ("step: hello", "to: deviceToken"),
    ("push: {payload", "do: lokc, push: {payload"),
]


@pytest.mark.parametrize(("right", "wrong"), MISSPELT)
def test_the_schema_and_the_program_refuse_what_is_misspelt(validator, fails, write, right, wrong):
    assert validator.is_valid(yaml.load(SOUND, Loader)) and right in SOUND
    text = SOUND.replace(right, wrong, 1)
    assert not validator.is_valid(yaml.load(text, Loader))
    assert fails("check", write(text)).returncode == 2


# The guide


def commands(kind: str = "sh") -> list[str]:
    blocks = re.findall(rf"^```{kind}\n(.*?)^```", (FOLDER / "README.md").read_text(), re.S | re.M)
    return [line.split("   ")[0].strip() for block in blocks for line in block.splitlines() if line]


@pytest.mark.parametrize("command", commands())
def test_commands_of_the_guide_succeed(command, tmp_path):
    words = shlex.split(command)
    done = subprocess.run(
        [BINARY, *words[1:]], cwd=REPOSITORY, capture_output=True, text=True, timeout=60, env=environment(tmp_path)
    )
    assert words[0] == "pushpit" and done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("command", commands("sh fails"))
def test_commands_that_show_a_failure_fail(command, tmp_path):
    words = [word.replace("/tmp/", f"{tmp_path}/") for word in shlex.split(command)]
    done = subprocess.run(
        [BINARY, *words[1:]], cwd=REPOSITORY, capture_output=True, text=True, timeout=60, env=environment(tmp_path)
    )
    assert words[0] == "pushpit" and done.returncode == 1 and "rerun with: pushpit simulate" in done.stdout, done.stderr


def test_there_are_commands_and_examples():
    assert len(commands()) >= 3 and len(examples()) >= 5 and len(STORIES) >= 8
