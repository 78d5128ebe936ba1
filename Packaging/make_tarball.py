"""A .tar.xz for any Linux with glibc 2.36 or later on x86-64: the deb's files, and all C libraries."""

from __future__ import annotations

import tarfile
from pathlib import Path

from common import REPOSITORY, Source, put, put_folder
from libraries import bundle, put_licenses
from tree import make_tree


def make_tarball(source: Source, work: Path, output: Path) -> Path:
    name = f"pushpit-{source.version}-linux-x86_64"
    folder = work / name
    make_tree(source, folder)
    libraries = bundle(folder / "bin/pushpit", folder / "lib/pushpit", "$ORIGIN/../lib/pushpit")
    put_all_licenses(libraries, folder / "LICENSES")
    made = output / f"{name}.tar.xz"
    pack(folder, made, source.time)
    return made


def put_all_licenses(libraries: list[Path], folder: Path) -> None:
    """Pushpit's own, of what is compiled into the program, and of the libraries beside it."""
    put(REPOSITORY / "LICENSE", folder / "pushpit.txt")
    put_folder(REPOSITORY / "Packaging/licenses", folder / "compiled-in")
    put_licenses(libraries, folder)


def pack(folder: Path, file: Path, time: int) -> None:
    def same(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = time
        return entry

    with tarfile.open(file, mode="w:xz", format=tarfile.GNU_FORMAT) as tar:
        # Within a folder, the order is that of the names.
        tar.add(folder, folder.name, filter=same)
