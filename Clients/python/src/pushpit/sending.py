"""Pushes sent by the tests themselves, with `pushpit send`: for a first try, and for tests without a backend."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path
from typing import Any

from .errors import SendError
from .models import Answer
from .program import clean_environment

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""

_registering = threading.Lock()

Payload = str | bytes | dict[str, Any]
"""The text of an alert, a body as it is, or a body as JSON."""


def send(program: Path, admin: str, ca: str, keys: list[dict[str, Any]], options: dict[str, Any]) -> Answer:
    """`options` are flags of `pushpit send` with underscores, `payload`, and `timeout` in seconds."""
    timeout = float(options.pop("timeout", 30.0))
    state = Path(ca).parent
    with _registering:
        if not (state / "keys.json").exists():
            _register(program, state, keys)
    arguments = [str(program), "send", "--admin", admin, "--state", str(state)]
    payload = options.pop("payload", None)
    if payload is not None:
        arguments += ["--payload", "-"]
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            arguments.append(flag)
        elif value is not None and value is not False:
            arguments += [flag, str(value)]
    try:
        done = subprocess.run(
            arguments, input=_body(payload), capture_output=True, timeout=timeout, env=clean_environment()
        )
    except subprocess.TimeoutExpired:
        raise SendError(f"The push was not answered within {timeout:g} s.") from None
    except OSError as problem:
        raise SendError(f"{program} cannot be started: {problem.strerror}.") from None
    status, _, rest = done.stdout.decode(errors="replace").strip().partition(" ")
    if not status.isdigit():
        raise SendError(
            _sentence(done.stderr.decode(errors="replace"))
            or f"pushpit send ended with {done.returncode}, and said nothing."
        )
    apns_id, _, answer = rest.partition(" ")
    return Answer(int(status), apns_id, _reason(answer))


def _register(program: Path, state: Path, keys: list[dict[str, Any]]) -> None:
    """Tells the program of keys that were downloaded."""
    for key in keys:
        words = ["keys", "add", key["p8"], "--key-id", key["keyId"], "--team-id", key["teamId"], "--state", str(state)]
        done = subprocess.run([str(program), *words], capture_output=True, env=clean_environment(), timeout=30)
        if done.returncode:
            raise SendError(_sentence(done.stderr.decode(errors="replace")))


def _body(payload: Payload | None) -> bytes:
    if isinstance(payload, str):
        payload = {"aps": {"alert": payload}}
    if isinstance(payload, dict):
        return json.dumps(payload).encode()
    return payload or b""


def _sentence(stderr: str) -> str:
    lines = [line for line in stderr.splitlines() if line.startswith("Error: ")] or stderr.splitlines()[-1:]
    return lines[0].removeprefix("Error: ") if lines else ""


def _reason(answer: str) -> str | None:
    try:
        found = json.loads(answer)
    except ValueError:
        return None
    reason = found.get("reason") if isinstance(found, dict) else None
    return str(reason) if reason is not None else None
