"""Finds the server that is meant where no address is given."""

from __future__ import annotations

import json
import os
from pathlib import Path

from .errors import NoServerError

USUAL = "http://127.0.0.1:2190"
"""The admin API of a server with the usual ports."""


def running_server() -> tuple[str, str | None]:
    """The admin API of the server that the commands of `pushpit` would use (docs/exit-codes.md), and its certificate
    authority if a state folder names it."""
    url = os.environ.get("PUSHPIT_ADMIN")
    if url:
        return url, None
    named = os.environ.get("PUSHPIT_STATE")
    folder = Path(named).expanduser() if named else default_state()
    try:
        line = json.loads(_ready_file(folder).read_text())
        return str(line["admin"]), str(line["ca"])
    except (OSError, ValueError, KeyError, TypeError):
        if not named:
            return USUAL, None
        raise NoServerError(f"PUSHPIT_STATE names {folder}, where no server runs.") from None


def _ready_file(folder: Path) -> Path:
    """The ready line of the newest server of a folder that lives: `ready.json` is that of a server even after it was
    killed."""
    files = [file for file in (folder / "ready").glob("[0-9]*.json") if _lives(file)]
    return max(files, key=lambda file: file.stat().st_mtime_ns, default=folder / "ready.json")


def _lives(file: Path) -> bool:
    """True if the process after which a ready line is named runs."""
    try:
        os.kill(int(file.stem.partition("-")[0]), 0)
    except PermissionError:
        return True
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    return True


def default_state() -> Path:
    """The state folder of a server to which none was given."""
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local/state") / "pushpit"
