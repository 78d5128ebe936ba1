"""Finds the program, starts `pushpit serve`, and makes sure that the server ends with this process."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _version
from .errors import ProgramNotFoundError, PushpitError, StartError, WrongVersionError

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""

STOP_TIMEOUT = 15.0

NO_ARGUMENTS = {
    "set": 'settings={"fleet.mix.offline": "5%"}',
    "ready_file": 'Pushpit.ready, or the file environment()["PUSHPIT_READY"]',
    "help": "`pushpit serve --help`",
    "help_all": "`pushpit serve --help-all`",
    "version": 'Pushpit.ready["version"]',
}
"""Flags of `serve` that are no arguments of Pushpit.start, and what to use instead."""

# Reads one line from this process. If this process dies, the line never comes: then the server is told to end, and its
# folder goes with it. The server's pid cannot be another program's by then, because nobody has waited for it.
WATCHER = """
if read -r _; then exit 0; fi
kill -TERM "$1" 2>/dev/null
n=0
while kill -0 "$1" 2>/dev/null && [ $n -lt 150 ]; do sleep 0.1; n=$((n + 1)); done
kill -KILL "$1" 2>/dev/null
[ -z "$2" ] || rm -rf -- "$2"
"""


def find_program(program: str | os.PathLike[str] | None = None) -> Path:
    """The program: the one that is named, that of PUSHPIT_BINARY, that in this package (from a wheel), or that on
    PATH."""
    for sentence, named in (
        ("{} is not a program that can be started.", program),
        ("PUSHPIT_BINARY names {}, which is not a program that can be started.", os.environ.get("PUSHPIT_BINARY")),
    ):
        if named:
            path = Path(named).absolute()
            if not path.is_file() or not os.access(path, os.X_OK):
                raise ProgramNotFoundError(sentence.format(named))
            return path
    inside = program_inside()
    if inside is not None:
        return inside
    found = shutil.which("pushpit")
    if found:
        return Path(found).absolute()
    raise ProgramNotFoundError(
        "The program pushpit was not found: this package brings none for this platform, and there is none on the PATH; "
        "install the wheel, the Debian package or the tarball (make wheel deb tarball), or build it (make build) "
        "and set PUSHPIT_BINARY to it."
    )


def program_inside() -> Path | None:
    """The program inside a wheel for one platform."""
    inside = Path(__file__).with_name("bin") / "pushpit"
    return inside if inside.is_file() and os.access(inside, os.X_OK) else None


def check_protocol(found: Mapping[str, Any], what: str) -> None:
    """`found` is a ready line, or the answer to GET /version."""
    if found.get("protocol") != _version.PROTOCOL:
        raise WrongVersionError(
            f"{what} is Pushpit {found.get('version')}, and this package (pushpit {_version.__version__}) is for "
            f"protocol {_version.PROTOCOL}; use the same version of both."
        )


def clean_environment() -> dict[str, str]:
    """The environment of this process without PUSHPIT_ variables: tests set everything by flags."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PUSHPIT_")}


def serve_words(
    flags: Mapping[str, object], settings: Mapping[str, object] | None, tape: str | os.PathLike[str] | None
) -> list[str]:
    """Keyword arguments as flags of `pushpit serve`, behind what tests want: `fleet=2` is `--fleet 2`, `audit=True` is
    `--audit`, and a list repeats its flag."""
    words: list[str] = []
    flags = {name.replace("-", "_"): value for name, value in flags.items()}
    for name, instead in NO_ARGUMENTS.items():
        if name in flags:
            raise StartError(f"{name} is no argument of Pushpit.start; use {instead} instead.")
    given: dict[str, object] = {"ports": 0, "for_tests": True, "drain_time": "1s", "tape": tape, **flags}
    if not isinstance(settings, Mapping | None):
        raise StartError('settings of Pushpit.start is a dictionary, such as {"fleet.mix.offline": "5%"}.')
    if settings and "state" in settings:
        raise StartError("The state folder is no setting of Pushpit.start, but its argument state.")
    given["set"] = [f"{key}={value}" for key, value in (settings or {}).items()]
    for name, values in given.items():
        flag = "--" + name.replace("_", "-")
        for value in values if isinstance(values, list | tuple) else [values]:
            if value is True:
                words.append(flag)
            elif value is not None and value is not False:
                words += [flag, str(value)]
    return words


class Server:
    """A running `pushpit serve` that belongs to this process."""

    def __init__(
        self,
        program: str | os.PathLike[str] | None,
        flags: Sequence[str],
        state: str | os.PathLike[str] | None,
        timeout: float,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
    ) -> None:
        self.program = program = find_program(program)
        self.folder = Path(tempfile.mkdtemp(prefix="pushpit-"))
        # Absolute, because the server reads it in its own working directory.
        self.state = self.folder / "state" if state is None else Path(cwd or "", state).absolute()
        self.ready_file = self.folder / "ready.json"
        self.log = self.folder / "server.log"
        self._owner = os.getpid()
        self._stopped = False
        self._watcher: subprocess.Popen[bytes] | None = None
        arguments = ["serve", "--state", str(self.state), "--ready-file", str(self.ready_file), *flags]
        try:
            with self.log.open("wb") as log:
                # A session of its own: Ctrl-C is for the tests, which then end the server in order.
                self.process = subprocess.Popen(
                    [str(program), *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    env=clean_environment() | dict(env or {}),
                    cwd=cwd,
                    start_new_session=True,
                )
        except BaseException as problem:
            shutil.rmtree(self.folder, ignore_errors=True)
            if not isinstance(problem, OSError):
                raise
            where = "" if cwd is None else f" in {os.fspath(cwd)}"
            raise StartError(f"{program} cannot be started{where}: {problem.strerror}.") from None
        try:
            self._watch()
            atexit.register(self.stop)
            self.ready: dict[str, Any] = self._ready_line(timeout)
            check_protocol(self.ready, str(program))
        except BaseException:
            self.stop()
            raise

    def _watch(self) -> None:
        self._watcher = subprocess.Popen(
            ["/bin/sh", "-c", WATCHER, "pushpit-watcher", str(self.process.pid), str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _ready_line(self, timeout: float) -> dict[str, Any]:
        assert self.process.stdout is not None
        line, until = b"", time.monotonic() + timeout
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                if not selector.select(max(0.0, until - time.monotonic())):
                    raise StartError(f"{self.program} was not ready within {timeout:g} s.{self._last_words()}")
                piece = os.read(self.process.stdout.fileno(), 65536)
                if not piece:
                    raise self._start_error()
                line += piece
        self.line = line.decode(errors="replace")
        """The ready line, as it was printed."""
        try:
            ready = json.loads(line)
            return {"admin": str(ready["admin"]), "version": str(ready["version"]), **ready}
        except (ValueError, KeyError, TypeError):
            raise StartError(f"{self.program} is not Pushpit: it printed no ready line.") from None

    def _start_error(self) -> PushpitError:
        code = self.process.wait(STOP_TIMEOUT)
        words = self._last_words()
        try:
            shown = subprocess.run(
                [str(self.program), "--version"], capture_output=True, text=True, timeout=5, env=clean_environment()
            )
            version = shown.stdout.strip()
            if version[:1].isdigit() and version != _version.__version__:
                check_protocol({"version": version}, str(self.program))
        except WrongVersionError as problem:
            return problem
        except (OSError, subprocess.TimeoutExpired):
            pass
        return StartError(f"{self.program} ended with {_ending(code)} before it was ready.{words}")

    def _last_words(self) -> str:
        """The server's error, or the last line it wrote, as a sentence to put behind another."""
        lines = [line for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("Error: ")]
        chosen = (errors or lines)[-1:]
        return f" It said: {chosen[0].removeprefix('Error: ')}" if chosen else ""

    def why_gone(self) -> str | None:
        """A sentence if the process has ended."""
        if self._stopped:
            return f"The server at {self.ready['admin']} was stopped."
        try:
            code = self.process.wait(0.5)
        except subprocess.TimeoutExpired:
            return None
        self._release_watcher()  # its pid may be another program's from now on
        # Somebody else has ended it: its last line has nothing to do with that.
        words = "" if -code in (signal.SIGKILL, signal.SIGTERM) else self._last_words()
        return f"The server at {self.ready['admin']} has ended, with {_ending(code)}.{words}"

    def stop(self) -> None:
        """Ends the server, by its pid. Has no effect if the server is stopped already, or in a forked child."""
        if os.getpid() != self._owner:
            return
        atexit.unregister(self.stop)
        self._stopped = True
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(STOP_TIMEOUT)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self._release_watcher()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _release_watcher(self) -> None:
        if self._watcher is None or self._watcher.stdin is None:
            return
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self._watcher.stdin.write(b"done\n")
            self._watcher.stdin.close()
            self._watcher.wait(STOP_TIMEOUT)
        self._watcher = None


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
