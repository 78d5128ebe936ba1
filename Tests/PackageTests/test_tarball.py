"""The tarball, in roots that have nothing but the C library: Debian's oldest that is supported, and the next one."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest

from packages import first_push, guide, measured, run, serving
from roots import inside, make_root


@pytest.fixture(scope="module", params=["bookworm", "trixie"])
def root(request, packages, tmp_path_factory) -> Path:
    root = make_root(tmp_path_factory.mktemp("tarball") / "root", only_libc=True, release=request.param)
    with tarfile.open(packages["tarball"]) as tar:
        tar.extractall(root / "opt", filter="tar")
    return root


def place(root: Path) -> Path:
    [folder] = (root / "opt").iterdir()
    return folder


def test_a_root_with_the_c_library_alone_serves_and_a_push_is_on_the_screen(root):
    own = ("libssl", "libcurl", "libevent", "libnghttp2", "libsimdjson", "libsqlite3", "libstdc++", "libswift")
    for library in own:
        assert not [path for path in root.rglob(f"{library}*") if place(root) not in path.parents]
    pushpit = f"/opt/{place(root).name}/bin/pushpit"
    with serving(inside(root, pushpit)) as served:
        first_push(inside(root, pushpit), served)


def test_unpacked_as_the_guide_says_it_serves_with_the_libraries_that_are_in_it(packages, tmp_path):
    (tmp_path / packages["tarball"].name).symlink_to(packages["tarball"])
    note = measured("tarball, from the file to the first 200")
    run("bash", "-euc", guide("tarball"), cwd=tmp_path)
    note("unpacked")
    pushpit = tmp_path / "pushpit/bin/pushpit"
    state = ("--state", str(tmp_path / "state"))
    with serving([pushpit], *state) as served:
        first_push([pushpit], served, *state)
        note("first 200 on a phone's screen")
        # Debian's glibc, and otherwise only what came with it, although this machine may have the same libraries.
        of_glibc = {"ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6", "libresolv.so.2"}
        strange = {path for path in served.libraries() if Path(path).name not in of_glibc}
        assert strange and all(path.startswith(f"{tmp_path}/pushpit/lib/pushpit/") for path in strange), strange


def test_the_licenses_of_all_that_is_in_it_are_in_it(packages, tmp_path):
    run("tar", "-xf", packages["tarball"], "--strip-components=1", "-C", tmp_path)
    licenses = tmp_path / "LICENSES"
    listed = (licenses / "LIBRARIES.txt").read_text()
    for library in (tmp_path / "lib/pushpit").iterdir():
        assert f"{library.name}: " in listed or f"{library.name}, " in listed
    for line in listed.splitlines():
        if ": package " in line:
            package = line.split(": package ")[1].split()[0]
            assert (licenses / "libraries" / package).stat().st_size > 500
    for referred in ("GPL-3", "LGPL-2.1"):
        assert (licenses / "common-licenses" / referred).is_file()
    assert "Apache License" in (licenses / "pushpit.txt").read_text()


def test_files_belong_to_root_and_anybody_may_read_them(packages):
    with tarfile.open(packages["tarball"]) as tar:
        entries = tar.getmembers()
    assert {(entry.uid, entry.gid) for entry in entries} == {(0, 0)}
    assert {entry.mode for entry in entries if entry.isfile()} == {0o644, 0o755}
    names = [os.path.basename(entry.name) for entry in entries if entry.isfile() and entry.mode == 0o755]
    assert names == ["pushpit"]
