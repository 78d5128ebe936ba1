"""The failure scenarios, and which bug makes which of them fail."""

import re
from dataclasses import dataclass
from pathlib import Path

from program import REPOSITORY

FOLDER = REPOSITORY / "Scenarios" / "failures"
FILES = sorted(FOLDER.glob("*.yaml"))
LINE = re.compile(r"^# bug ([a-z0-9-]+): (.+)$", re.M)


@dataclass(frozen=True)
class Failing:
    file: Path
    bug: str
    expectation: str
    """The name of what is not true then."""


def failing(file: Path) -> list[Failing]:
    """The comments at the top say it: `# bug NAME: EXPECTATION`."""
    return [Failing(file, bug, expectation) for bug, expectation in LINE.findall(file.read_text())]


ALL = [case for file in FILES for case in failing(file)]
