"""The C libraries of this Debian, put beside a program that shall run where they are not installed."""

from __future__ import annotations

import contextlib
import functools
import subprocess
from pathlib import Path

from common import PackagingError, put, run, tool, write

# What every Linux with glibc has, and what must be its own: the loader and its libraries are of one build.
OF_GLIBC = {"linux-vdso", "ld-linux-x86-64", "libc", "libm", "libdl", "libpthread", "librt", "libresolv", "libutil"}


def needed(binary: Path) -> dict[str, Path]:
    """All shared libraries that a program loads, but those of glibc, by their names."""
    found = {}
    for line in run("ldd", binary).splitlines():
        name, _, rest = line.strip().partition(" => ")
        name = name.split()[0].rpartition("/")[2]
        if name.split(".")[0] in OF_GLIBC:
            continue
        if not rest.startswith("/"):
            raise PackagingError(f"{binary} needs {name}, which is not installed here.")
        found[name] = Path(rest.split()[0])
    return found


def bundle(program: Path, folder: Path, run_path: str) -> list[Path]:
    """Copies the libraries into the folder, where the program finds them by its run path. The files copied."""
    libraries = needed(program)
    for name, path in libraries.items():
        put(path.resolve(), folder / name)
        run(tool("patchelf"), "--set-rpath", "$ORIGIN", folder / name)
    run(tool("patchelf"), "--set-rpath", run_path, program)
    return sorted(libraries.values())


def put_licenses(libraries: list[Path], folder: Path) -> None:
    """The copyright file of each Debian package that a library is from, and a list of what is from where."""
    lines = []
    for package, version in sorted({owner(library) for library in libraries}):
        put(Path("/usr/share/doc") / package / "copyright", folder / "libraries" / package)
        names = ", ".join(sorted(library.name for library in libraries if owner(library)[0] == package))
        source = run("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}", package)
        lines.append(f"{names}: package {package} {version}, source {source}\n")
    if lines:
        head = (
            "The libraries beside the program are Debian's, unchanged but for the path on which they find each other.\n"
            "Their licenses are in libraries/. Debian has their sources: https://snapshot.debian.org\n\n"
        )
        write(head + "".join(lines), folder / "LIBRARIES.txt")
    for common in sorted(Path("/usr/share/common-licenses").iterdir()):
        # The copyright files refer to these instead of repeating them.
        if lines and common.is_file() and not common.is_symlink():
            put(common, folder / "common-licenses" / common.name)


@functools.cache
def owner(library: Path) -> tuple[str, str]:
    """Debian package and version of an installed file."""
    # ldd names /lib, which is /usr/lib; dpkg knows a file by the one or the other.
    for path in (library, library.resolve(), Path("/usr", *library.parts[1:]), Path("/", *library.parts[2:])):
        with contextlib.suppress(subprocess.CalledProcessError):
            name = run("dpkg-query", "-S", path).split(":")[0]
            return name, run("dpkg-query", "-W", "-f", "${Version}", name)
    raise PackagingError(f"{library} is of no Debian package, so its license is not known.")
