"""`scripts/sentences`, which `make lint` runs: in a small repository that breaks each rule."""

import subprocess
import sys
from pathlib import Path

import pytest

from program import REPOSITORY

pytestmark = pytest.mark.tools

SWIFT = """\
/// Whether the door is open.
/// What follows the first line is free.
let isOpen = true
/// True if it is open, where `Whether` is a word like others.
func a(_ x: [Int: (Int, Int)], _ y: (Int) -> Int, z: Int) {}
func b(_ x: Int, _ y: @Sendable (Int, Int) -> Int, z: Int, _ w: inout Int) {}
"""
TESTS = """\
@Test("S1, S2: is open")
@Test("names its door")
@Test("a door is open.")
@Test(
  "of a closed door is 404")
@Test("S1: a door is open")
@Test("names of doors are listed")
@Test("of two doors the first is open")
@Test("without a key, the door stays closed")
"""
PYTHON = '''\
def f():
    """How doors open."""
'''
SCRIPT = "/**\n * Its doors.\n */\n/** One door. */\n/* What is no doc comment. */\n"


def run(folder: Path) -> tuple[int, list[str]]:
    command = [sys.executable, str(REPOSITORY / "scripts/sentences"), "--top", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stderr.splitlines()


@pytest.fixture
def top(tmp_path: Path) -> Path:
    files = {
        "Sources/Doors/Door.swift": SWIFT,
        "Tests/Doors.swift": TESTS,
        "doors.py": PYTHON,
        "doors.js": SCRIPT,
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    return tmp_path


def test_each_broken_rule_is_reported_with_its_line(top):
    code, sentences = run(top)
    assert code == 1
    assert [sentence.split(" ")[:2] for sentence in sentences] == [
        ["Sources/Doors/Door.swift:1:", "doc:"],
        ["Sources/Doors/Door.swift:6:", "labels:"],
        *[[f"Tests/Doors.swift:{line}:", "title:"] for line in (1, 2, 3, 4)],
        ["doors.js:1:", "doc:"],
        ["doors.js:4:", "doc:"],
        ["doors.py:2:", "doc:"],
    ]
    assert "doors.py:2: doc: begin with a noun phrase or a verb of what is declared" in sentences[-1]


def test_files_without_a_broken_rule_pass(top):
    for path in ("Sources/Doors/Door.swift", "Tests/Doors.swift", "doors.js", "doors.py"):
        (top / path).unlink()
    (top / "doors.js").write_text("/** A door. */\n")
    assert run(top) == (0, [])
