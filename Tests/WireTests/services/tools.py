"""Programs of other packages that these tests run."""

import os
import shutil

import pytest


def need(tool: str, package: str) -> str:
    """The path of a program. Without it the test is skipped, but not in CI."""
    found = shutil.which(tool)
    if found is None:
        assert "CI" not in os.environ, f"{tool} of Debian's {package} is missing"
        pytest.skip(f"{tool} of Debian's package {package} is not installed")
    return found
