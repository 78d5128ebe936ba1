"""Checks that the examples of README.md, docs/testing-with-python.md and docs/hunting.md run as they stand."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]
REPOSITORY = PACKAGE.parents[1]


def blocks(document: Path) -> list[tuple[str, str, str]]:
    """Language, file name and text of each block of code."""
    found = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", document.read_text(), re.MULTILINE | re.DOTALL)
    return [(language, name, text) for language, name, text in found]


README = {name: text for _, name, text in blocks(PACKAGE / "README.md")}


def environment(**changes: str) -> dict[str, str]:
    """Of this process, without what pytest and xdist put into it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PUSHPIT"))}
    return kept | changes


def test_the_readme_has_its_examples() -> None:
    assert set(README) == {"test_plugin.py", "test_aio.py", "pytest.ini", "example.py", "example_aio.py"}


@pytest.mark.parametrize(("name", "printed"), [("example.py", "none is free"), ("example_aio.py", "Goal!")])
def test_an_example_of_the_readme(name: str, printed: str, tmp_path: Path, program: Path) -> None:
    (tmp_path / name).write_text(README[name])
    done = subprocess.run(
        [sys.executable, name],
        cwd=tmp_path,
        env=environment(PUSHPIT_BINARY=str(program)),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout


def test_the_plugin_as_the_readme_shows_it(pytester: pytest.Pytester, program: Path) -> None:
    for name in ("test_plugin.py", "test_aio.py", "pytest.ini"):
        (pytester.path / name).write_text(README[name])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n2"],
        cwd=pytester.path,
        env=environment(PUSHPIT_BINARY=str(program)),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert re.search(r"\b3 passed\b", done.stdout), done.stdout
    assert not re.search(r"failed|error", done.stdout), done.stdout


# pip fetches packages, perhaps beside other suites.
@pytest.mark.timeout(300)
def test_the_guide(tmp_path: Path, program: Path) -> None:
    """Each of its commands, in a project beside the sources, in an environment that has none of it."""
    guide = blocks(REPOSITORY / "docs/testing-with-python.md")
    sources, project = tmp_path / "pushpit", tmp_path / "project"
    shutil.copytree(PACKAGE, sources / "Clients/python", ignore=shutil.ignore_patterns("*.egg-info", "build"))
    (sources / ".build/release").mkdir(parents=True)
    (sources / ".build/release/pushpit").symlink_to(program)
    project.mkdir()
    commands = [text for language, _, text in guide if language == "sh"]
    tests = {name: text for language, name, text in guide if language == "python"}
    assert len(commands) == 2 and set(tests) == {"test_goal.py", "test_backend.py"}
    (project / "test_goal.py").write_text(tests["test_goal.py"])
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(commands)],
        cwd=project,
        env=environment(PIP_DISABLE_PIP_VERSION_CHECK="1"),
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(re.findall(r"\b1 passed\b", done.stdout)) == 2, done.stdout
    (project / "test_backend.py").write_text(tests["test_backend.py"])
    played = subprocess.run(
        [sys.executable, "-m", "pytest", "-n2", "test_backend.py"],
        cwd=project,
        env=environment(PUSHPIT_BINARY=str(program)),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert re.search(r"\b2 passed\b", played.stdout), played.stdout


def test_a_hunt_prints_what_the_guide_shows(tmp_path: Path, program: Path) -> None:
    text = (REPOSITORY / "docs/hunting.md").read_text()
    (hunted,) = [text for _, name, text in blocks(REPOSITORY / "docs/hunting.md") if name == "test_goal.py"]
    (tmp_path / "test_goal.py").write_text(hunted)
    (shown,) = re.findall(r"pytest test_goal.py\n```\n\n```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    played = subprocess.run(
        [sys.executable, "-m", "pytest", "test_goal.py"],
        cwd=tmp_path,
        env=environment(PUSHPIT_BINARY=str(program)),
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert played.returncode == 1, played.stdout
    lines = played.stdout.splitlines()
    for line in shown.splitlines():
        pattern = re.compile(".*".join(re.escape(part) for part in line.split("…")))
        found = next((place for place, printed in enumerate(lines) if pattern.fullmatch(printed)), None)
        assert found is not None, f"{line}\nis not in\n{played.stdout}"
        lines = lines[found + 1 :]
