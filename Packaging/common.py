"""Functions that the makers of all packages share."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]


class PackagingError(Exception):
    """A sentence for whoever makes the package."""


@dataclass(frozen=True)
class Source:
    """The inputs of a package."""

    binary: Path
    version: str
    time: int
    """Seconds since 1970, for everything in the package."""


def tool(name: str) -> Path:
    """A program of the environment that Packaging/setup.sh makes."""
    return Path(sys.executable).with_name(name)


def run(*words: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run([str(word) for word in words], cwd=cwd, check=True, capture_output=True, text=True)
    return done.stdout


def put(source: Path, place: Path, executable: bool = False) -> None:
    """Copies a file, with the mode that it shall have whatever it had."""
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, place)
    place.chmod(0o755 if executable else 0o644)


def write(text: str, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    place.chmod(0o644)


def put_folder(source: Path, place: Path) -> None:
    for path in sorted(source.rglob("*")):
        if path.is_file() and not any(part.startswith((".", "__")) for part in path.relative_to(source).parts):
            put(path, place / path.relative_to(source))


def set_times(folder: Path, time: int) -> None:
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (time, time), follow_symlinks=False)
