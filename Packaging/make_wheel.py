"""A wheel with the program and its C libraries inside: `pip install` is the whole installation."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from common import REPOSITORY, PackagingError, Source, put, run, set_times, tool
from libraries import bundle
from make_tarball import put_all_licenses
from tree import put_program

PLATFORM = "manylinux_2_36_x86_64"
COMMAND = '[project.scripts]\npushpit = "pushpit.__main__:main"\n'


def make_wheel(source: Source, work: Path, output: Path) -> Path:
    sources = work / "sources"
    shutil.copytree(
        REPOSITORY / "Clients/python",
        sources,
        ignore=shutil.ignore_patterns("*.egg-info", "build", "tests", "bin", "__pycache__", ".*_cache"),
    )
    put(REPOSITORY / "Packaging/wheel/setup.py", sources / "setup.py")
    package = sources / "src/pushpit"
    put_program(source, package / "bin/pushpit")
    libraries = bundle(package / "bin/pushpit", package / "lib", "$ORIGIN/../lib")
    put_all_licenses(libraries, sources / "LICENSES")
    project = sources / "pyproject.toml"
    text = project.read_text()
    project.write_text(changed(text))
    set_times(sources, source.time)
    run(
        sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index",
        "--wheel-dir", work, sources,
    )  # fmt: skip
    [wheel] = work.glob("*.whl")
    check(wheel, source.version)
    made = output / wheel.name
    put(wheel, made)
    return made


def changed(project: str) -> str:
    """pyproject.toml of a package with the program: more files, their licenses, and `pushpit` on the PATH."""
    for old, new in (
        ('"bin/pushpit"]', '"bin/pushpit", "lib/*"]'),
        ('license = "Apache-2.0"\n', 'license = "Apache-2.0"\nlicense-files = ["LICENSES/**/*"]\n'),
        ("[tool.setuptools.dynamic]", f"{COMMAND}\n[tool.setuptools.dynamic]"),
    ):
        if project.count(old) != 1:
            raise PackagingError(f"Clients/python/pyproject.toml has {old!r} {project.count(old)} times, not once.")
        project = project.replace(old, new)
    return project


def check(wheel: Path, version: str) -> None:
    """auditwheel knows which symbols of glibc each manylinux platform has, and what else may be linked."""
    expected = f"pushpit-{version}-py3-none-{PLATFORM}.whl"
    if wheel.name != expected:
        raise PackagingError(f"The wheel is {wheel.name} and not {expected}; client and program have one version.")
    said = run(tool("auditwheel"), "show", wheel)
    words = " ".join(said.split())
    if "consistent with the following platform tag" not in words or not fits(words):
        raise PackagingError(f"The wheel does not fit {PLATFORM}:\n{said}")


def fits(said: str) -> bool:
    tag = said.partition('platform tag: "')[2].partition('"')[0]
    parts = tag.removeprefix("manylinux_").removesuffix("_x86_64").split("_")
    return tag.startswith("manylinux_") and [int(part) for part in parts] <= [2, 36]
