"""`make release`: in a clone of this repository, with `true` in place of `make`, so that nothing is built."""

import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from program import REPOSITORY

pytestmark = pytest.mark.skipif(not (REPOSITORY / ".git").exists(), reason="these sources are no clone")
AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Tester"), ("EMAIL", "tester@example.com"))
}
CHANGED = [
    "CHANGELOG.md",
    "Clients/node/package.json",
    "Clients/python/src/pushpit/_version.py",
    "Sources/Pushpit/Version.swift",
]


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, env=os.environ | AUTHOR, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def release(folder: Path, version: str, make: str = "true") -> subprocess.CompletedProcess:
    environment = os.environ | AUTHOR | {"MAKE": make}
    return subprocess.run(["scripts/release", version], cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The sources as they are, committed."""
    folder = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--local", str(REPOSITORY), str(folder))
    for path in ["scripts/release", *CHANGED]:
        shutil.copy(REPOSITORY / path, folder / path)
    changes = folder / "CHANGELOG.md"
    changes.write_text(re.sub(r"## Unreleased\n", "## Unreleased\n\n### Added\n- Something.\n", changes.read_text()))
    git(folder, "add", "--all")
    git(folder, "commit", "-qm", "what is to be released")
    return folder


def test_a_release_is_a_commit_a_tag_and_the_sources_of_that_version(clone):
    before = git(clone, "rev-parse", "HEAD")
    done = release(clone, "99.0.1")
    assert done.returncode == 0, done.stderr
    assert "Nothing was pushed" in done.stdout
    assert git(clone, "status", "--porcelain") == ""
    assert git(clone, "rev-parse", "v99.0.1^{commit}") == git(clone, "rev-parse", "HEAD")
    assert git(clone, "rev-parse", "HEAD~1") == before
    assert sorted(git(clone, "show", "--name-only", "--format=", "HEAD").split()) == CHANGED
    with tarfile.open(clone / "dist/pushpit-99.0.1.tar.gz") as sources:
        version = sources.extractfile("pushpit-99.0.1/Sources/Pushpit/Version.swift").read()
        changes = sources.extractfile("pushpit-99.0.1/CHANGELOG.md").read().decode()
    assert b'"99.0.1"' in version
    assert re.search(r"## Unreleased\n\n## 99\.0\.1 - \d{4}-\d\d-\d\d\n\n### Added\n- Something\.", changes)
    summed = subprocess.run(["sha256sum", "-c", "pushpit-99.0.1.tar.gz.sha256"], cwd=clone / "dist", text=True)
    assert summed.returncode == 0


def test_an_invalid_or_old_version_is_refused(clone):
    for version in ["", "1", "v9.9.9", "99.0", "99.0.0-rc1", "0.0.1", "01.2.3"]:
        done = release(clone, version)
        assert done.returncode == 1 and done.stderr.startswith("release: "), version
    assert git(clone, "status", "--porcelain") == "" and git(clone, "tag") == ""


def test_a_tree_that_is_not_clean_is_refused(clone):
    (clone / "stray.txt").write_text("not committed")
    done = release(clone, "99.0.1")
    assert done.returncode == 1 and "not clean" in done.stderr
    assert git(clone, "tag") == ""


def test_failing_tests_leave_everything_as_it_was(clone):
    before = git(clone, "rev-parse", "HEAD")
    done = release(clone, "99.0.1", make="false")
    assert done.returncode == 1 and "nothing is committed" in done.stderr
    assert git(clone, "status", "--porcelain") == "" and git(clone, "rev-parse", "HEAD") == before
    assert git(clone, "tag") == "" and not (clone / "dist").exists()


def test_a_release_without_a_change_is_refused(clone):
    assert release(clone, "99.0.1").returncode == 0
    done = release(clone, "99.0.2")
    assert done.returncode == 1 and "nothing under Unreleased" in done.stderr
