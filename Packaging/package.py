"""Makes a package of Pushpit from a release build: package.py deb|tarball|wheel --binary FILE.

The same sources and the same binary make the same bytes: files are sorted, belong to root, and have the time of
SOURCE_DATE_EPOCH, which is that of the last commit unless it is set.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from common import REPOSITORY, PackagingError, Source, run
from make_deb import make_deb
from make_tarball import make_tarball
from make_wheel import make_wheel

MAKERS = {"deb": make_deb, "tarball": make_tarball, "wheel": make_wheel}


def commit_time() -> int:
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is not None:
        if not given.isdigit():
            raise PackagingError(f"SOURCE_DATE_EPOCH is {given!r}; it must be a whole number of seconds since 1970.")
        return int(given)
    try:
        return int(run("git", "-C", REPOSITORY, "log", "-1", "--format=%ct"))
    except (OSError, subprocess.CalledProcessError):
        raise PackagingError(
            f"{REPOSITORY} is not a git repository; set SOURCE_DATE_EPOCH to the time of the sources, in seconds."
        ) from None


def examine(binary: Path) -> str:
    """The version of a binary that can be packaged."""
    if not binary.is_file() or not os.access(binary, os.X_OK):
        raise PackagingError(f"{binary} is not a program; `make static-build` makes one, or set PUSHPIT_BINARY.")
    linked = run("ldd", binary)
    dynamic = sorted({name for name in linked.split() if name.startswith(("libswift", "libFoundation"))})
    if dynamic:
        raise PackagingError(
            f"{binary} needs a Swift toolchain to run ({', '.join(dynamic[:3])}, ...). "
            "Link it with --static-swift-stdlib, as `make static-build` does."
        )
    return run(binary, "--version").strip()


def main() -> int:
    parser = argparse.ArgumentParser(description="Makes a package of Pushpit.")
    parser.add_argument("kind", choices=sorted(MAKERS))
    parser.add_argument("--binary", type=Path, required=True, help="the release build of pushpit")
    parser.add_argument("--output", type=Path, default=REPOSITORY / "dist", help="folder for the package")
    words = parser.parse_args()
    # What is made must not depend on who makes it, or where.
    os.umask(0o022)
    os.environ |= {"LC_ALL": "C.UTF-8", "TZ": "UTC"}
    work = REPOSITORY / ".build-package" / words.kind
    try:
        binary = words.binary.absolute()
        os.environ["SOURCE_DATE_EPOCH"] = str(commit_time())
        source = Source(binary, examine(binary), int(os.environ["SOURCE_DATE_EPOCH"]))
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        words.output.mkdir(parents=True, exist_ok=True)
        made = MAKERS[words.kind](source, work, words.output.absolute())
    except PackagingError as problem:
        print(f"package.py: {problem}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as problem:
        said = "\n".join(filter(None, [problem.stdout, problem.stderr]))
        print(f"package.py: {problem.cmd[0]} failed:\n{said}", file=sys.stderr)
        return 1
    shutil.rmtree(work)
    print(f"{made} ({made.stat().st_size / 1e6:.1f} MB)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
