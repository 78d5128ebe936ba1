"""Fresh roots of Debian, made from its packages, and commands that run inside."""

from __future__ import annotations

from pathlib import Path

from packages import run

# For packages whose release is over; the dates of the lists do not matter here.
APT = ("--aptopt=Acquire::Check-Valid-Until false", "--quiet")


def make_root(folder: Path, *, only_libc: bool, release: str = "bookworm") -> Path:
    """A Debian with apt, or one that has nothing but the C library: no shell, no OpenSSL, no libstdc++."""
    kind = ["--variant=extract", "--include=libc6,base-files"] if only_libc else ["--variant=apt"]
    run("mmdebstrap", "--mode=root", *APT, *kind, release, folder)
    for place in ("proc", "root", "tmp"):
        (folder / place).mkdir(exist_ok=True)
    return folder


# Without /proc, Swift's runtime sees no arguments. The mount ends with the command, which replaces the shell.
ENTER = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'


def inside(root: Path, *words: str) -> list[str]:
    """The command that runs another with this root. It replaces itself, so its pid is the other's."""
    return ["unshare", "--mount", "sh", "-c", ENTER, str(root), *words]
