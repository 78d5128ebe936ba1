"""Makes the packages that are tested, and reads the ready line of a program that came out of one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("PUSHPIT_BINARY", REPOSITORY / ".build-static/release/pushpit")).absolute()
KINDS = {"deb": "*.deb", "tarball": "*.tar.xz", "wheel": "*.whl"}
MEASURED: list[str] = []
"""Lines for the end of the run."""


def guide(name: str) -> str:
    """The commands of docs/install.md for a package."""
    page = (REPOSITORY / "docs/install.md").read_text()
    [commands] = re.findall(rf"^```sh {name}\n(.*?)^```", page, re.M | re.S)
    return commands


def clean_environment() -> dict[str, str]:
    """Of somebody who has just come: no settings of Pushpit, no Python of this run."""
    kept = {name: os.environ[name] for name in ("LANG", "PIP_CERT", "TMPDIR", "TERM") if name in os.environ}
    return kept | {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/root"}


def run(*words: str | Path, timeout: float = 600, **more: Any) -> subprocess.CompletedProcess[str]:
    more = {"env": clean_environment(), "check": True, **more}
    try:
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=timeout, **more)
    except subprocess.CalledProcessError as problem:
        raise AssertionError(f"{words} ended with {problem.returncode}:\n{problem.stdout}\n{problem.stderr}") from None


def make(kind: str, folder: Path, binary: Path = BINARY, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, REPOSITORY / "Packaging/package.py", kind, "--binary", binary, "--output", folder],
        env=os.environ | environment, capture_output=True, text=True, timeout=800,
    )  # fmt: skip


def make_all(folder: Path, environments: dict[str, dict[str, str]]) -> dict[str, Path]:
    """All packages, each with an environment of its own."""
    with ThreadPoolExecutor() as makers:
        dones = {kind: makers.submit(make, kind, folder, **changes) for kind, changes in environments.items()}
    for done in dones.values():
        assert done.result().returncode == 0, done.result().stderr
    return {kind: next(folder.glob(KINDS[kind])) for kind in environments}


@dataclass(frozen=True)
class Served:
    pid: int
    ready: dict[str, Any]
    seconds: float
    """From the start of the command to the ready line."""

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.ready["admin"] + path, timeout=30) as answer:
            return json.load(answer)

    def libraries(self) -> set[str]:
        """Paths of the shared libraries that the program has loaded, as it sees them."""
        maps = Path(f"/proc/{self.pid}/maps").read_text()
        return {line.split()[-1] for line in maps.splitlines() if ".so" in line}


@contextmanager
def serving(command: Sequence[str | Path], *flags: str) -> Iterator[Served]:
    """`pushpit serve` until the block is left. The command replaces itself by the program: its pid is the server's."""
    started = time.monotonic()
    server = subprocess.Popen(
        [*map(str, command), "serve", "--ports", "0", "--for-tests", *flags],
        env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert server.stdout is not None
    try:
        line = server.stdout.readline()
        if not line:
            raise AssertionError(server.communicate(timeout=30)[1])
        yield Served(server.pid, json.loads(line), time.monotonic() - started)
    finally:
        server.terminate()
        server.communicate(timeout=30)
    assert server.returncode == 0


def first_push(command: Sequence[str | Path], served: Served, *flags: str) -> None:
    """Does what a newcomer tries: one push, and a look at the screen."""
    sent = run(*command, "send", "--to", "d0", "--payload", '{"aps":{"alert":{"title":"Goal!"}}}', *flags)
    assert "200" in sent.stdout, sent.stdout + sent.stderr
    notifications = served.get("/v1/devices/d0/screen")["notifications"]
    assert [each["title"] for each in notifications] == ["Goal!"]


def measured(what: str, clock: Callable[[], float] = time.monotonic) -> Callable[[str], None]:
    """Called at each milestone: notes the seconds since the beginning."""
    began = clock()

    def note(milestone: str) -> None:
        MEASURED.append(f"{what}: {milestone} after {clock() - began:.1f} s")

    return note
