"""The server's certificate authority and keys as files of this machine."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .http import JSON


def has_content(path: str, content: str) -> bool:
    try:
        return Path(path).read_text() == content
    except (OSError, UnicodeDecodeError):
        return False


def put_files(ready: JSON, certificate: str, keys: Sequence[JSON]) -> JSON:
    """The ready line of a server in a container or on another machine, with copies of its files that can be read here.
    They are deleted with this process."""
    folder = Path(tempfile.mkdtemp(prefix="pushpit-files-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    ca = folder / "ca.pem"
    ca.write_text(certificate)
    return {**ready, "ca": str(ca), "keys": [_put(key, folder) for key in keys]}


def _put(key: JSON, folder: Path) -> JSON:
    """The key with its private half in a file; `p8` stays None if the server withholds it."""
    if key["p8"] is None:
        return key
    path = folder / f"AuthKey_{key['keyId']}.p8"
    path.touch(0o600)
    path.write_text(key["p8"])
    return {**key, "p8": str(path)}
