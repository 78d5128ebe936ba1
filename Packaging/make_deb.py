"""A Debian package, by debhelper: it finds the dependencies, and strips, compresses and packs by Debian's policy."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from common import REPOSITORY, Source, put, put_folder, run, set_times, write
from tree import make_tree

MAINTAINER = "Pushpit <pushpit@localhost>"


def make_deb(source: Source, work: Path, output: Path) -> Path:
    folder = work / "pushpit"
    make_tree(source, folder / "tree/usr")
    put_folder(REPOSITORY / "Packaging/debian", folder / "debian")
    (folder / "debian/rules").chmod(0o755)
    write(changelog(source), folder / "debian/changelog")
    set_times(folder, source.time)
    run("dpkg-buildpackage", "--build=binary", "--unsigned-source", "--unsigned-changes", cwd=folder)
    [deb] = work.glob("*.deb")
    put(deb, output / deb.name)
    return output / deb.name


def changelog(source: Source) -> str:
    date = datetime.fromtimestamp(source.time, UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")
    return (
        f"pushpit ({source.version}-1) bookworm; urgency=medium\n\n"
        "  * See changelog.gz beside this file.\n\n"
        f" -- {MAINTAINER}  {date}\n"
    )
