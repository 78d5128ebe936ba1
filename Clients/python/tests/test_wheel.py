"""The wheel: what is in it, and the program that may be."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

PACKAGE = Path(__file__).resolve().parents[1]

USE = """
from pushpit import Pushpit
with Pushpit.start(fleet=1) as pushpit:
    print(pushpit.server.program)
"""


def build(folder: Path, program: Path | None) -> Path:
    """A wheel of the sources as they stand, with the program inside or without it."""
    sources = folder / "sources"
    shutil.copytree(PACKAGE, sources, ignore=shutil.ignore_patterns("*.egg-info", "build", "tests"))
    if program is not None:
        shutil.copy(program, sources / "src/pushpit/bin/pushpit")
    words = ["wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", str(folder), str(sources)]
    subprocess.run([sys.executable, "-m", "pip", "-q", *words], check=True, timeout=100)
    [wheel] = folder.glob("*.whl")
    return wheel


@pytest.mark.parametrize("inside", [True, False], ids=["with the program", "without"])
def test_a_wheel(inside: bool, tmp_path: Path, program: Path) -> None:
    wheel = build(tmp_path, program if inside else None)
    names = ZipFile(wheel).namelist()
    assert ("pushpit/bin/pushpit" in names) == inside
    assert "pushpit/py.typed" in names
    assert not [name for name in names if not name.startswith(("pushpit/", "pushpit-"))]
    target = tmp_path / "installed"
    words = ["install", "--no-index", "--no-deps", "--target", str(target), str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "-q", *words], check=True, timeout=100)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PUSHPIT")}
    done = subprocess.run(
        [sys.executable, "-c", USE],
        env=environment | {"PYTHONPATH": str(target), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    if inside:
        assert done.stdout.strip() == str(target / "pushpit/bin/pushpit"), done.stderr
    else:
        assert "ProgramNotFoundError: The program pushpit was not found" in done.stderr
