"""Fixtures: the program under test, shared or special."""

import gc
import itertools
import os
import re
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from program import APP, BINARY, LIVE_ACTIVITY, SMOOTH, Pushpit, Token, live_activity, run
from wire import TIMEOUT

DEFAULTS = (*SMOOTH, "--fleet", "300", "--token-requests-per-second", "0")
"""The shared server: phones without whims, a fleet small enough to list, and no limit per device token, because many
tests use one token quickly. The limit has tests of its own."""


def pytest_sessionstart(session: pytest.Session) -> None:
    if session.config.option.collectonly:
        return
    if not os.access(BINARY, os.X_OK):
        pytest.exit(f"{BINARY} is not there: run `swift build` first, or set PUSHPIT_BINARY", returncode=2)


def pytest_collection_finish() -> None:
    """Freezes the collected tests, which stay to the end, so that the garbage collector skips them."""
    gc.collect()
    gc.freeze()
    # What tests leave in cycles is little; looking for it took a tenth of their processor time.
    gc.set_threshold(100_000, 50, 100)


def pytest_sessionfinish() -> None:
    gc.unfreeze()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory):
    """The shared server. Tests use devices of their own (`server.token()`), and leave its clock alone."""
    base = tmp_path_factory.mktemp("shared")
    server = Pushpit(*DEFAULTS, state=base / "state", home=base / "home")
    yield server
    server.stop()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.fixture
def pushpit(tmp_path: Path):
    """Starts a server of the test's own: `pushpit("--fleet", "10", config="...")`. All are stopped at the end,
    and each must then exit with 0. The limit per device token is off unless the test asks for `limited=True`."""
    started: list[Pushpit] = []
    numbers = itertools.count()

    def start(
        *flags: str,
        state: Path | None = None,
        config: str | None = None,
        env: dict[str, str] | None = None,
        ports: bool = True,
        limited: bool = False,
    ) -> Pushpit:
        base = tmp_path / f"server-{next(numbers)}"
        if not limited and "--token-requests-per-second" not in flags:
            flags += ("--token-requests-per-second", "0")
        own = Pushpit(*flags, state=state or base / "state", home=base / "home", config=config, env=env, ports=ports)
        started.append(own)
        return own

    yield start
    failures = []
    for own in started:
        try:
            if own.process.returncode is None:
                own.stop()
        except AssertionError as failure:
            failures.append(failure)
    if failures:
        raise failures[0]


@pytest.fixture
def fails(home: Path):
    """Runs the program to its end, expecting it not to serve."""

    def run_to_end(*arguments: str, **options):
        return run(*arguments, home=home, **options)

    return run_to_end


@dataclass
class Arena:
    """A server whose time stands still, with one token for every answer a client must be able to read."""

    server: Pushpit
    gone: Token
    """A token whose app was removed a day ago: 410 Unregistered."""
    expired: Token
    """An activity's token after its eight hours: 410 ExpiredToken."""
    busy: Token
    """An activity pushed to too often: 429 TooManyRequests."""
    started: list[Token] = field(default_factory=list)

    def device(self) -> Token:
        return self.server.token("device")

    def voip(self) -> Token:
        return self.server.token("voip")

    def activity(self) -> Token:
        return self.server.start_activity()[0]


@pytest.fixture(scope="session")
def arena(tmp_path_factory: pytest.TempPathFactory):
    base = tmp_path_factory.mktemp("arena")
    server = Pushpit(
        *SMOOTH,
        "--fleet",
        "300",
        "--clock",
        "manual",
        "--token-requests-per-second",
        "1",
        state=base / "state",
        home=base / "home",
    )
    try:
        gone = server.token("device")
        expired, _ = server.start_activity()
        server.act(gone.device, "uninstall", app=APP)
        assert server.push(gone).verdict == (200, None)
        server.advance("25h")
        assert server.push(gone).verdict == (410, "Unregistered")
        assert server.push(expired, live_activity()).verdict == (410, "ExpiredToken")
        busy, _ = server.start_activity()
        with server.wire() as wire:
            answers = [server.push(busy, live_activity(), wire=wire).verdict for _ in range(200)]
        assert answers[-1] == (429, "TooManyRequests")
        assert busy.topic == APP + LIVE_ACTIVITY
        yield Arena(server, gone, expired, busy)
    finally:
        server.stop()


STORY = """
name: a day
for: 2m
settings:
  fleet:
    devices: 5
    ideal: true
    apps:
      - bundleId: com.example.app
        environment: sandbox
        reports:
          on: {deviceToken: [{url: "{{backend}}/token", json: {device: "{{device.id}}", token: "{{token.hex}}"}}]}
backend:
  command: [PYTHON, run_backend.py, WORDS]
  directory: HERE
  url: "http://127.0.0.1:{{port}}"
  ready: /health
  tick: /tick
  MORE
STEPS
expect: EXPECT
"""


@pytest.fixture
def story(tmp_path):
    """Writes a scenario for `run_backend.py`."""

    def write(
        words: str = "pushes", more: str = "starts: 20s", steps: str = "", expect: str = "[{events: {}, count: 0..}]"
    ) -> str:
        blanks = {
            "PYTHON": sys.executable,
            "WORDS": ", ".join(words.split()),
            "HERE": str(Path(__file__).parent),
            "MORE": more,
            "STEPS": steps and f"steps: {steps}",
            "EXPECT": expect,
        }
        path = tmp_path / "day.yaml"
        path.write_text(re.sub("[A-Z]{4,}", lambda blank: blanks[blank[0]], STORY))
        return str(path)

    return write


@pytest.fixture
def recorded(fails):
    """Waits until a tape has so many pushes and orders."""

    def recorded(tape: Path, pushes: int, orders: int = 0) -> None:
        said = ""
        for _ in range(int(TIMEOUT / 0.1)):
            said = fails("replay", str(tape)).stdout
            found = re.search(r"(\d+) push(?:es)?, (\d+) orders?;", said)
            if found and (int(found[1]), int(found[2])) >= (pushes, orders) and int(found[2]) >= orders:
                return
            threading.Event().wait(0.1)
        raise AssertionError(f"the tape never had {pushes} pushes and {orders} orders: {said}")

    return recorded
