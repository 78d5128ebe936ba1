"""The server of a run of pytest: started once, by the first test that asks, and shared with the workers of xdist."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
import threading
import time
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any

import pytest

from . import errors
from .blocking.pushpit import Pushpit
from .errors import NoServerError, PushpitError

WORKER_INPUT = "pushpit_broker"
ANSWER_TIMEOUT = 60.0
KEPT_TAPES = 5
TAPE_TIME = "%Y%m%d-%H%M%S"
OF_THE_RUN = ("program", "state", "tape", "timeout", "settings", "env", "cwd")
"""Arguments of Pushpit.start that are no flags, or that this module chooses."""


def _start(config: pytest.Config) -> dict[str, Any]:
    """Keyword arguments of Pushpit.start from the lines of `pushpit_start`, such as `fleet = 200`."""
    flags: dict[str, Any] = {}
    settings: dict[str, str] = {}
    for line in config.getini("pushpit_start"):
        name, is_pair, value = (word.strip() for word in line.partition("="))
        if not is_pair:
            raise PushpitError(f"A line of pushpit_start is `name = value`, such as `fleet = 200`, not `{line}`.")
        if name in OF_THE_RUN:
            raise PushpitError(f"pushpit_start cannot set {name}, which is the run's.")
        if "." in name:
            settings[name] = value
        else:
            flags.setdefault(name, []).append({"true": True, "false": False}.get(value, value))
    return {**flags, "settings": settings}


class Servers:
    """In a run without workers, and in the controller of one with workers, this starts the server. In a worker it asks
    the controller where the server is."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.failed = False
        self._worker_input: dict[str, Any] | None = getattr(config, "workerinput", None)
        self._lock = threading.Lock()
        self._started: Pushpit | None = None
        self._problem: PushpitError | None = None
        self._listener: Listener | None = None
        self._folder: Path | None = None
        self._tapes: Path | None = None
        self._key = secrets.token_bytes(16)
        broker = (self._worker_input or {}).get(WORKER_INPUT, {})
        self._began: str = broker.get("began") or time.strftime(TAPE_TIME)

    def pushpit(self) -> Pushpit:
        """The server; later calls return the same one, or raise the same error."""
        with self._lock:
            if self._problem is not None:
                raise self._problem
            if self._started is None:
                try:
                    self._started = self._make()
                except PushpitError as problem:
                    self._problem = problem
                    raise
            return self._started

    def _make(self) -> Pushpit:
        url = self.config.getoption("--pushpit-url")
        shared = self.config.getini("pushpit_servers") == "run"
        if url:
            pushpit = Pushpit.connect(url)
        elif self._worker_input is not None and shared:
            pushpit = self._ask(self._worker_input)
        else:
            pushpit = Pushpit.start(tape=self._tape(), **_start(self.config))
        return pushpit

    def _tape(self) -> Path:
        """Beside pytest's cache, so that it is still there after the run, or where that cannot be made, elsewhere."""
        name = f"{time.strftime(TAPE_TIME)}-{os.getpid()}.tape"
        cache = getattr(self.config, "cache", None)
        if cache is not None:
            with contextlib.suppress(OSError):
                return Path(cache.mkdir("pushpit")) / name
        self._tapes = Path(tempfile.mkdtemp(prefix="pushpit-tape-"))
        return self._tapes / name

    def close(self) -> None:
        """Stops what was started here. Its tape is kept if a test has failed."""
        if self._listener is not None:
            self._listener.close()
        started = self._started
        if started is not None:
            started.stop()
            if started.server is not None and started.tape is not None:
                self._prune(started.tape)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _prune(self, tape: Path) -> None:
        """Deletes the tape of a green run, or else the oldest, but none of this run: other workers may write theirs."""
        tapes = sorted(tape.parent.glob("*.tape"))
        old = [tape for tape in tapes[:-KEPT_TAPES] if tape.name < self._began] if self.failed else [tape]
        for tape in old:
            tape.unlink(missing_ok=True)
        if self._tapes is not None and not self.failed:
            self._tapes.rmdir()

    # Between the controller and its workers

    def listen(self) -> dict[str, str]:
        """The socket at which workers ask for the server, the password for it, and the time at which the run began."""
        if self._listener is None:
            self._folder = Path(tempfile.mkdtemp(prefix="pushpit-run-"))
            self._listener = Listener(str(self._folder / "socket"), family="AF_UNIX", backlog=64, authkey=self._key)
            threading.Thread(target=self._serve, args=(self._listener,), daemon=True).start()
        return {"address": str(self._listener.address), "key": self._key.hex(), "began": self._began}

    def _serve(self, listener: Listener) -> None:
        while True:
            try:
                connection = listener.accept()
            except OSError:
                return  # closed: the run is over
            except Exception:
                continue  # not one of ours
            self._answer(connection)

    def _answer(self, connection: Connection[Any, Any]) -> None:
        answer: dict[str, str | None] = {}
        try:
            pushpit = self.pushpit()
            answer = {"url": pushpit.url, "tape": str(pushpit.tape) if pushpit.tape else None}
        except PushpitError as problem:
            answer = {"problem": problem.sentence, "kind": type(problem).__name__}
        except Exception as problem:
            sentence = f"The run's Pushpit cannot be started: {type(problem).__name__}: {problem}"
            answer = {"problem": sentence, "kind": "StartError"}
        with connection, contextlib.suppress(OSError):  # a worker that has gone wants no answer
            connection.send(answer)

    def _ask(self, worker_input: dict[str, Any]) -> Pushpit:
        broker = worker_input[WORKER_INPUT]
        try:
            with Client(broker["address"], family="AF_UNIX", authkey=bytes.fromhex(broker["key"])) as connection:
                if not connection.poll(ANSWER_TIMEOUT):
                    raise NoServerError(f"The run's Pushpit was not started within {ANSWER_TIMEOUT:g} s.")
                answer = connection.recv()
        except (OSError, EOFError) as problem:
            raise NoServerError(f"The controller of this run does not say where Pushpit is ({problem}).") from None
        if "problem" in answer:
            raise getattr(errors, answer["kind"])(answer["problem"])
        pushpit = Pushpit.connect(answer["url"])
        pushpit.tape = Path(answer["tape"]) if answer["tape"] else None
        return pushpit
