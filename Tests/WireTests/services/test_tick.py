"""docs/tick.md and Examples/tick: backends that receive the time from `pushpit run`, so that a story of hours takes
seconds."""

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

import guides
from program import BINARY, REPOSITORY, environment
from tools import need

PAGE = "docs/tick.md"
EXAMPLES = REPOSITORY / "Examples/tick"
STORY = yaml.safe_load((EXAMPLES / "parking.yaml").read_text())
COMMANDS = [shlex.join(STORY["backend"]["command"]), *re.findall(r'--exec "(.*)"$', guides.read(PAGE), re.M)]
"""The commands by which the page starts each backend."""


def check_framework(command: str) -> None:
    """Skips the test without the framework, but not in CI."""
    program, *_, file = shlex.split(command)
    framework = Path(file).stem.removeprefix("with_")
    if program == "python3":
        if importlib.util.find_spec(framework) is None:
            assert "CI" not in os.environ, f"{framework} is missing"
            pytest.skip(f"{framework} is not installed")
    elif program == "go":
        need("go", "golang-go")
    else:
        need("node", "nodejs")
        if not Path("/usr/share/nodejs", framework).exists():
            assert "CI" not in os.environ, f"Debian's node-{framework} is missing"
            pytest.skip(f"Debian's node-{framework} is not installed")


@pytest.fixture(params=COMMANDS)
def play(request, tmp_path):
    """Plays the story with one of the backends, in a copy of the folder that a test may change."""
    check_framework(request.param)
    folder = tmp_path / "tick"
    shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns("__pycache__"))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    # Debian's packages for Node lie where only Debian's node looks.
    variables = environment(tmp_path, PATH=path, NODE_PATH="/usr/share/nodejs")

    def play(*flags: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [BINARY, "run", "parking.yaml", "--exec", request.param, *flags],
            cwd=folder,
            env=variables,
            capture_output=True,
            text=True,
            timeout=110,
        )

    play.folder, play.file = folder, folder / shlex.split(request.param)[-1]
    return play


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_hours_pass_in_seconds(play):
    began = time.monotonic()
    result = play()
    assert result.returncode == 0, result.stdout + result.stderr
    assert "PASS  four hours of parking (seed 1, 20 devices, 4h): 20 pushes" in result.stdout
    assert "real time" not in result.stderr
    assert time.monotonic() - began < 100


def test_a_reminder_that_comes_two_minutes_late_fails(play):
    if play.file.suffix == ".go":
        change(play.file, "225 * time.Minute", "227 * time.Minute")
    else:
        change(play.file, "3.75 * 3600", "3.75 * 3600 + 120")
    result = play()
    assert result.returncode == 1, result.stdout + result.stderr
    failed = re.findall(r"^  FAIL  parking.yaml:\d+:\d+ at 4h: (.*)$", result.stdout, re.M)
    assert failed == ["a reminder a quarter of an hour before the end"], result.stdout
    assert re.search(r"3h4[67]m", result.stdout), result.stdout


def test_without_a_tick_the_backend_goes_by_its_own_clock(play):
    change(play.folder / "parking.yaml", "  tick: /tick\n", "")
    result = play("--speed", "7200")
    assert result.returncode == 1 and "0 pushes" in result.stdout, result.stdout + result.stderr
    first = result.stderr.splitlines()[0]
    assert first.startswith("playing four hours of parking: it takes 2s of real time; with a tick"), first


def test_the_page_shows_what_the_examples_contain():
    files = [EXAMPLES / shlex.split(command)[-1] for command in COMMANDS]
    shown = {}
    for section in re.split(r"^## ", guides.read(PAGE), flags=re.M):
        if (name := re.search(r"\(\.\./Examples/tick/(with_\w+\.\w+)\)", section)) is not None:
            shown[EXAMPLES / name[1]] = re.findall(r"^```\w+\n(.*?)^```$", section, re.S | re.M)
    assert list(shown) == files
    for file, texts in shown.items():
        assert texts and all(text in file.read_text() for text in texts), file
    (part,) = guides.blocks(PAGE, "yaml")
    assert yaml.safe_load(part.text)["backend"] == STORY["backend"]
