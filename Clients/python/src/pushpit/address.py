"""Finds the servers that may be meant where no address is given."""

from __future__ import annotations

import json
import os
from pathlib import Path

from .errors import NoServerError

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""

USUAL = "http://127.0.0.1:2190"
"""The admin API of a server with the usual ports."""


def running_servers() -> list[tuple[str, str | None]]:
    """The admin APIs of the servers that may be meant, as for the commands of `pushpit` (docs/exit-codes.md), each with
    its certificate authority if a state folder names it. The first that answers is meant."""
    url = os.environ.get("PUSHPIT_ADMIN")
    if url:
        return [(url, None)]
    named = os.environ.get("PUSHPIT_STATE")
    folder = Path(named).expanduser() if named else default_state()
    # The newest server was killed, if another one answers.
    lines = [folder / "ready.json", *sorted(folder.glob("ready/[0-9]*.json"), key=_written, reverse=True)]
    found = list(dict.fromkeys(server for server in map(_server, lines) if server is not None))
    if named and not found:
        raise NoServerError(f"PUSHPIT_STATE names {folder}, where no server runs.")
    return found if named else [*found, (USUAL, None)]


def _written(file: Path) -> int:
    """The time of the last change; 0 if a server that ends has removed the file."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _server(file: Path) -> tuple[str, str | None] | None:
    """The server with that ready line; None without one."""
    try:
        line = json.loads(file.read_text()) if file.is_file() else {}
        return (line["admin"], str(line["ca"])) if line["admin"].startswith("http://") else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def default_state() -> Path:
    """The state folder of a server to which none was given."""
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local/state") / "pushpit"
