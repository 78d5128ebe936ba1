"""The 32 of docs/behavior/failure-modes.md: a right backend passes each, and the matching bug makes it fail."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

import example  # noqa: F401, for the path to Examples
from failures import ALL, FILES, FOLDER, failing
from program import BINARY, environment
from test_scenarios import Loader

from cricket.bugs import BUGS  # isort: skip

MODES = 32
AT_ONCE = 2
"""Runs beside each other: each has a Pushpit and a backend of its own, and this machine may have two cores."""
WITHIN = 110.0
"""Seconds for one run, which takes two or three."""


def played(cases: list, file: Callable[[Any], Path], name: Callable[[Any], str]) -> list:
    """The cases as parameters. The modes above 25 take turns with the tools: see `tools` in pytest.ini."""
    return [
        pytest.param(case, id=name(case), marks=[pytest.mark.tools] if int(file(case).name[:2]) > 25 else [])
        for case in cases
    ]


class Runs:
    """All runs of this module, two at a time; a test waits for its own."""

    def __init__(self, home: Path):
        # The backend's command is python3, which is to be the one that runs this.
        self.environment = environment(home, PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        self.pool = ThreadPoolExecutor(AT_ONCE)
        self.runs: dict[tuple[str, ...], Future] = {}

    def begin(self, file: Path, *bugs: str) -> None:
        words = [str(BINARY), "run", str(file), *(["--"] if bugs else []), *(x for bug in bugs for x in ("--bug", bug))]
        self.runs[file.name, *bugs] = self.pool.submit(
            subprocess.run, words, capture_output=True, text=True, timeout=WITHIN, env=self.environment
        )

    def ended(self, file: Path, *bugs: str) -> subprocess.CompletedProcess:
        if (file.name, *bugs) not in self.runs:
            self.begin(file, *bugs)
        return self.runs[file.name, *bugs].result()


@pytest.fixture(scope="module")
def runs(request, tmp_path_factory):
    runs = Runs(tmp_path_factory.mktemp("failures"))
    for item in request.session.items:  # what is judged later runs meanwhile
        case = item.callspec.params.get("case") if item.path == request.path and hasattr(item, "callspec") else None
        if case is not None:
            runs.begin(*([case] if isinstance(case, Path) else [case.file, case.bug]))
    yield runs
    runs.pool.shutdown(cancel_futures=True)


def told(done: subprocess.CompletedProcess) -> str:
    return done.stdout + done.stderr


@pytest.mark.timeout(300)
@pytest.mark.parametrize("case", played(FILES, lambda file: file, lambda file: file.stem))
def test_a_right_backend_passes(runs, case):
    done = runs.ended(case)
    assert done.returncode == 0 and done.stdout.startswith("PASS"), told(done)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("case", played(ALL, lambda case: case.file, lambda case: f"{case.file.stem}-{case.bug}"))
def test_the_matching_bug_makes_it_fail(runs, case):
    done = runs.ended(case.file, case.bug)
    failed = re.findall(r"^  FAIL  .*?: (.+)$", done.stdout, re.M)
    assert done.returncode == 1 and case.expectation in failed, told(done)
    assert f"rerun with: pushpit run {case.file} --seed 1 -- --bug {case.bug}" in done.stdout


@pytest.mark.timeout(300)
def test_a_failed_run_is_replayed_by_its_tape(runs):
    """What a backend does beside the machine's clock is another thing each time; the tape is the run."""
    case = next(case for case in ALL if case.bug == "timestamp-stands-still")
    done = runs.ended(case.file, case.bug)
    tape = re.search(r"^  replay with: pushpit replay (\S+)$", done.stdout, re.M)[1]
    pushes = re.search(r" (\d+) pushes, (\d+) events$", done.stdout.splitlines()[0])
    replayed = subprocess.run(
        [BINARY, "replay", tape], capture_output=True, text=True, timeout=WITHIN, env=runs.environment
    )
    assert replayed.returncode == 0, told(replayed)
    assert f" {pushes[1]} pushes," in replayed.stdout, told(replayed)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_schema_accepts_it(file):
    schema = json.loads((FOLDER.parent / "scenario.schema.json").read_text())
    jsonschema_rs.validator_for(schema).validate(yaml.load(file.read_text(), Loader))


def test_every_failure_mode_has_its_scenario():
    assert [int(file.name[:2]) for file in FILES] == list(range(1, MODES + 1))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_scenario_names_a_bug_that_there_is(file):
    cases = failing(file)
    assert cases and {case.bug for case in cases} <= set(BUGS)


def test_the_table_has_every_scenario_and_its_bugs():
    rows = re.findall(r"^\| (\d+) \| \[[^]]+\]\(([^)]+)\) \|.*\| ([^|]+) \|$", (FOLDER / "README.md").read_text(), re.M)
    table = {name: re.findall(r"`([a-z0-9-]+)`", bugs) for _, name, bugs in rows}
    assert table == {file.name: [case.bug for case in failing(file)] for file in FILES}
    assert [int(number) for number, _, _ in rows] == [int(file.name[:2]) for file in FILES]
