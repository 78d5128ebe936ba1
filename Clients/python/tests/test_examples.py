"""Checks that the examples for Go and Java run as they stand, with the standard libraries of Debian's Go and Java, and
that they fail where the server answers otherwise."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LINES = 120
"""More are not read before they are copied."""
COMMANDS = {
    "go/pushpit_test.go": ("go", "golang-go", ["go", "test", "-count=1"]),
    "java/PushpitTest.java": ("javac", "openjdk-17-jdk-headless", ["java"]),
}
"""By file: the tool that must be there, its package, and the command that plays the file."""
CARD = '"contentState": {"score": 2}'
"""The server's last expectation in both files."""


def play(name: str, file: Path, program: Path) -> subprocess.CompletedProcess[str]:
    """Runs the example as its first lines say, without a network for modules."""
    tool, package, command = COMMANDS[name]
    if shutil.which(tool) is None:
        assert "CI" not in os.environ, f"{tool} of Debian's {package} is missing"
        pytest.skip(f"{tool} of Debian's package {package} is not installed, so {name} is not played")
    kept = {word: value for word, value in os.environ.items() if not word.startswith(("PUSHPIT", "GO"))}
    running = subprocess.Popen(
        [*command, file.name],
        cwd=file.parent,
        env=kept | {"PUSHPIT_BINARY": str(program), "GOFLAGS": "-mod=mod", "GOPROXY": "off"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        said, _ = running.communicate(timeout=100)
    finally:
        if running.poll() is None:  # with its shell and its server
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()
    return subprocess.CompletedProcess(command, running.returncode, said, "")


@pytest.mark.parametrize("name", COMMANDS)
def test_an_example_passes(name: str, program: Path) -> None:
    played = play(name, EXAMPLES / name, program)
    assert played.returncode == 0, played.stdout
    assert len((EXAMPLES / name).read_text().splitlines()) <= LINES


@pytest.mark.parametrize("name", COMMANDS)
def test_an_example_fails_if_its_expectation_does(name: str, tmp_path: Path, program: Path) -> None:
    text = (EXAMPLES / name).read_text()
    assert text.count(CARD) == 1
    file = tmp_path / Path(name).name
    file.write_text(text.replace(CARD, CARD.replace("2", "3")))
    played = play(name, file, program)
    assert played.returncode != 0
    assert "card.contentState.score is 2, not 3" in played.stdout, played.stdout


def test_an_example_says_that_there_is_no_program() -> None:
    """The line of the shell that starts the server is the same in both."""
    name = "go/pushpit_test.go"
    played = play(name, EXAMPLES / name, Path("/nowhere/pushpit"))
    assert played.returncode != 0 and "/nowhere/pushpit: not found" in played.stdout
