"""A package in Swift that depends on Pushpit by its path, as docs/testing-with-swift.md says, and its first test."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from packages import MEASURED, REPOSITORY, measured, run

FOLDER = REPOSITORY / ".build-package/swift"
"""Kept, because its first build compiles Pushpit for minutes: paths that change would compile it each time."""
GUIDE = (REPOSITORY / "docs/testing-with-swift.md").read_text()


def block(name: str) -> str:
    """The first of this kind on the page."""
    return re.findall(rf"^```{re.escape(name)}\n(.*?)^```", GUIDE, re.M | re.S)[0]


@pytest.fixture(scope="module")
def backend() -> Path:
    backend = FOLDER / "backend"
    tests = backend / "Tests/BackendTests"
    tests.mkdir(parents=True, exist_ok=True)
    beside = FOLDER / "pushpit"
    beside.unlink(missing_ok=True)
    beside.symlink_to(REPOSITORY)
    members = 'name: "backend",\n' + block("swift")
    (backend / "Package.swift").write_text(
        f"// swift-tools-version: 6.2\nimport PackageDescription\n\nlet package = Package(\n{members})\n"
    )
    (tests / "GoalTests.swift").write_text(block("swift GoalTests.swift"))
    return backend


def swift_test(backend: Path, *, check: bool = True):
    # The compiler and its caches of this machine, but no settings of Pushpit.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PUSHPIT_")}
    command = block("sh").replace("swift ", f"{os.environ.get('SWIFT', 'swift')} ").split()
    return run(*command, cwd=backend, env=environment, check=check, timeout=850)


def test_the_first_test_of_the_guide_passes_in_a_package_of_its_own(backend):
    kind = "from what an earlier run has built" if (backend / ".build").exists() else "from nothing"
    note = measured(f"Swift package, {kind}")
    done = swift_test(backend)
    note("first green test")
    assert "Test run with 1 test in 1 suite passed" in done.stdout + done.stderr
    lines = [line for line in (backend / "Tests/BackendTests/GoalTests.swift").read_text().splitlines() if line.strip()]
    assert len(lines) <= 10
    MEASURED.append(f"first test in Swift: {len(lines)} lines")


def test_a_failing_test_of_such_a_package_says_what_became_of_its_push(backend):
    tests = backend / "Tests/BackendTests/GoalTests.swift"
    text = tests.read_text()
    try:
        tests.write_text(text.replace('body == "Goal!"', 'body == "Own goal!"'))
        done = swift_test(backend, check=False)
    finally:
        tests.write_text(text)
    assert done.returncode != 0
    assert "Last pushes of session" in done.stdout and "200 to d" in done.stdout, done.stdout
