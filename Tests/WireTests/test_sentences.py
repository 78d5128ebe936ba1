"""`scripts/sentences`, which `make lint` runs: in a small repository with exceptions of each rule."""

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
LIST = """\
doc 1 Sources/Doors/Door.swift
doc 2 doors.js
doc 1 doors.py
labels 1 Sources/Doors/Door.swift
title 4 Tests/Doors.swift
"""


def run(folder: Path, *arguments: str) -> tuple[int, list[str]]:
    command = [sys.executable, str(REPOSITORY / "scripts/sentences"), "--top", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stderr.splitlines()


@pytest.fixture
def top(tmp_path: Path) -> Path:
    files = {
        "Sources/Doors/Door.swift": SWIFT,
        "Tests/Doors.swift": TESTS,
        "doors.py": PYTHON,
        "doors.js": SCRIPT,
        "scripts/sentences.list": LIST,
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    return tmp_path


def test_listed_exceptions_pass_and_each_is_found_at_its_line(top):
    assert run(top) == (0, [])
    code, sentences = run(top, "--all")
    assert code == 1
    assert [sentence.split(" ")[:2] for sentence in sentences] == [
        ["Sources/Doors/Door.swift:1:", "doc:"],
        ["doors.js:1:", "doc:"],
        ["doors.js:4:", "doc:"],
        ["doors.py:2:", "doc:"],
        ["Sources/Doors/Door.swift:6:", "labels:"],
        *[[f"Tests/Doors.swift:{line}:", "title:"] for line in (1, 2, 3, 4)],
    ]


def test_a_new_exception_fails_and_shrinking_does_not_list_it(top):
    (top / "more.py").write_text('"""Such a module."""\n')
    code, sentences = run(top, "--shrink")
    assert code == 1 and len(sentences) == 1
    assert sentences[0].startswith("more.py:1: doc: begin with a noun phrase or a verb of what is declared")
    assert (top / "scripts/sentences.list").read_text() == LIST


def test_an_exception_that_is_gone_fails_until_the_list_is_shrunk(top):
    (top / "doors.py").unlink()
    (top / "doors.js").write_text("/** One door. */\n")
    code, sentences = run(top)
    assert code == 1
    assert sentences == [
        "scripts/sentences.list: doc doors.js: write 1 in place of 2 (scripts/sentences --shrink does)",
        "scripts/sentences.list: doc doors.py: remove it from the list (scripts/sentences --shrink does)",
    ]
    assert run(top, "--shrink") == (0, [])
    assert "doc 1 doors.js" in (top / "scripts/sentences.list").read_text()


def test_a_moved_file_keeps_its_exceptions(top):
    (top / "Sources/Doors/Door.swift").rename(top / "Sources/Door.swift")
    assert run(top)[0] == 1
    assert run(top, "--shrink") == (0, [])
