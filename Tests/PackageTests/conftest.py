from __future__ import annotations

import os
from pathlib import Path

import pytest

from packages import BINARY, KINDS, MEASURED, make_all
from roots import make_root


def pytest_collection(session: pytest.Session) -> None:
    if os.geteuid() != 0:
        pytest.exit("The package tests make roots of Debian and network namespaces, for which they must be root.", 2)
    if not BINARY.is_file():
        pytest.exit(f"{BINARY} is not there; PUSHPIT_BINARY names the program to package.", 2)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if MEASURED:
        terminalreporter.section("measured")
        for line in MEASURED:
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root of Debian with apt, to be copied."""
    return make_root(tmp_path_factory.mktemp("debian") / "root", only_libc=False)


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By kind: deb, tarball, wheel. PUSHPIT_PACKAGES names a folder that has them already."""
    folder = os.environ.get("PUSHPIT_PACKAGES")
    if folder:
        return {kind: next(Path(folder).absolute().glob(pattern)) for kind, pattern in KINDS.items()}
    made = make_all(tmp_path_factory.mktemp("dist"), {kind: {} for kind in KINDS})
    MEASURED.extend(f"{kind}: {path.stat().st_size / 1e6:.1f} MB" for kind, path in made.items())
    return made
