"""The server's certificate authority and keys as files of this machine."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

from .admin import JSON, Admin


def with_local_files(admin: Admin, ready: JSON) -> JSON:
    """The ready line with files that can be read here: the server's own, or copies that were downloaded, if it runs in
    a container or on another machine. They are deleted with this process."""
    authority = admin.text("/v1/ca.pem")
    if _content(str(ready["ca"])) == authority:
        return ready
    folder = Path(tempfile.mkdtemp(prefix="pushpit-files-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    ca = folder / "ca.pem"
    ca.write_text(authority)
    keys = [_copied(key, folder) for key in admin.get("/v1/keys")["keys"]]
    return {**ready, "ca": str(ca), "keys": keys}


def _copied(key: JSON, folder: Path) -> JSON:
    """The key with its private half in a file; `p8` stays None if the server withholds it."""
    if key["p8"] is None:
        return key
    path = folder / f"AuthKey_{key['keyId']}.p8"
    path.touch(0o600)
    path.write_text(key["p8"])
    return {**key, "p8": str(path)}


def _content(path: str) -> str | None:
    try:
        return Path(path).read_text()
    except (OSError, UnicodeDecodeError):
        return None
