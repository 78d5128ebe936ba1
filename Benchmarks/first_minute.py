"""The first minute of a newcomer: how long a server takes to start in a fixture, how large the packages are, how many
lines a first test has in each language, and how long it takes from a wheel, or from the sources, to the first 200 and
the first green test.

    PUSHPIT_BINARY=FILE python3 Benchmarks/first_minute.py [--dist dist] [--starts 10] [--source]

It needs nothing but Python; the wheel is installed only if `--dist` has one, together with pytest from PyPI. With
`--source`, a clone of this repository is built, with Debian's packages installed already and what git needs of other
repositories in SwiftPM's cache. What apt-get needs in a new root is measured by `make package-test`, which must be root
for it.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
FIRST_TESTS = {
    "Python": ("docs/testing-with-python.md", "python test_goal.py"),
    "Swift": ("docs/testing-with-swift.md", "swift GoalTests.swift"),
    "Node": ("Clients/node/README.md", "js goal.test.mjs"),
    "Go": ("Clients/examples/go/pushpit_test.go", None),
    "Java": ("Clients/examples/java/PushpitTest.java", None),
}
"""The page and its code block, or the file, with the first test in each language."""


def start_milliseconds(starts: int) -> list[float]:
    """Time from the call of the library until the server is ready; each start uses the state folder of the one
    before."""
    sys.path.insert(0, str(REPOSITORY / "Clients/python/src"))
    from pushpit import Pushpit

    found = []
    for _ in range(starts + 1):
        began = time.monotonic()
        with Pushpit.start():
            found.append((time.monotonic() - began) * 1e3)
    return found[1:]


def lines_of(page: str, block: str | None) -> int:
    """Number of lines that are not empty in the first test of a block."""
    text = (REPOSITORY / page).read_text()
    if block is not None:
        [text, *_] = re.findall(rf"^```{re.escape(block)}\n(.*?)^```", text, re.M | re.S)
        text = re.split(r"^test\(", text, flags=re.M)
        text = "test(".join(text[:2])
    return sum(1 for line in text.splitlines() if line.strip())


class Newcomer:
    """A folder with the first test of the guide, and a clock."""

    def __init__(self, folder: Path) -> None:
        page = (REPOSITORY / "docs/testing-with-python.md").read_text()
        [test] = re.findall(r"^```python test_goal.py\n(.*?)^```", page, re.M | re.S)
        push = "from pushpit import Pushpit\nwith Pushpit.start() as server, server.session() as test:\n"
        push += "    assert test.phone.send('Goal!').status == 200\n"
        (folder / "test_goal.py").write_text(test)
        (folder / "push.py").write_text(push)
        self.folder = folder
        self.found: dict[str, float] = {}
        """By step: seconds after the beginning."""
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("PUSHPIT_")}
        self.began = time.monotonic()

    def run(self, step: str, *words: str) -> None:
        subprocess.run(
            words, cwd=self.folder, env=self.environment, check=True, timeout=3000, stdout=subprocess.DEVNULL
        )
        self.found[step] = time.monotonic() - self.began

    def install(self, package: str) -> None:
        """Installs in a new virtual environment; then measures the time to the first 200 and the first green test."""
        self.run("environment", sys.executable, "-m", "venv", ".venv")
        self.run("installed", ".venv/bin/pip", "install", "--quiet", package)
        self.run("first 200", ".venv/bin/python", "push.py")
        self.run("pytest installed", ".venv/bin/pip", "install", "--quiet", "pytest")
        self.run("first green test", ".venv/bin/pytest", "-q")


def wheel_seconds(wheel: Path) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as name:
        newcomer = Newcomer(Path(name))
        newcomer.install(str(wheel.absolute()))
        return newcomer.found


def source_seconds() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as name:
        newcomer = Newcomer(Path(name))
        newcomer.run("cloned", "git", "clone", "--quiet", str(REPOSITORY), "sources")
        newcomer.run("built", "make", "--directory", "sources", "build")
        newcomer.environment["PUSHPIT_BINARY"] = f"{name}/sources/.build/release/pushpit"
        newcomer.install("./sources/Clients/python")
        return newcomer.found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", type=Path, default=REPOSITORY / "dist", help="the folder with the packages")
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--source", action="store_true", help="build a clone, too, which takes minutes")
    chosen = parser.parse_args()
    starts = start_milliseconds(chosen.starts)
    print(f"start in a fixture: {statistics.median(starts):.0f} ms, {min(starts):.0f} to {max(starts):.0f}")
    for language, (page, block) in FIRST_TESTS.items():
        if (REPOSITORY / page).exists():
            print(f"first test in {language}: {lines_of(page, block)} lines")
    for package in sorted(chosen.dist.glob("pushpit*")) if chosen.dist.is_dir() else []:
        print(f"{package.name}: {package.stat().st_size / 1e6:.1f} MB")
    for wheel in sorted(chosen.dist.glob("*.whl")) if chosen.dist.is_dir() else []:
        for step, seconds in wheel_seconds(wheel).items():
            print(f"wheel, {step}: {seconds:.1f} s after the beginning")
    for step, seconds in source_seconds().items() if chosen.source else []:
        print(f"source, {step}: {seconds:.1f} s after the beginning")


if __name__ == "__main__":
    main()
