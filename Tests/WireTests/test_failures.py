"""The failure modes of docs/behavior/failure-modes.md: a right backend passes each; the matching bug makes it fail."""

import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from behavior import ROWS, missing_in_report, rows
from cricket.__main__ import arguments, fixture
from cricket.bugs import BUGS
from cricket.content import DISMISS_AFTER
from failures import ALL, FILES, FOLDER, failing
from program import BINARY, environment
from yaml12 import Loader

MODES = [*range(1, 39)]
SEEDS = range(1, 6)
AT_ONCE = 3
"""Runs beside each other: each has a Pushpit and a backend of its own, this machine may have two cores, and some of the
bugs wait for an answer that never comes."""
WITHIN = 110.0
"""Seconds for one run, which takes one or two."""


@dataclass(frozen=True)
class Run:
    """A run of a scenario with a seed, and a right backend or one with a bug."""

    file: Path
    seed: int
    bug: str | None = None
    failing: str = ""
    """The expectation that the bug breaks."""

    @property
    def words(self) -> list[str]:
        return [str(self.file), "--seed", str(self.seed), *(["--", "--bug", self.bug] if self.bug else [])]


TOLD = {
    (row.fields["failure"], row.fields["bug"]): row.appears
    for row in rows(ROWS / "failure-modes.yaml")
    if "failure" in row.fields
}
"""The expected contents of the report of a run, by the scenario and the bug."""

RIGHT = [Run(file, seed) for file in FILES for seed in SEEDS]
WRONG = [
    Run(case.file, seed, case.bug, case.expectation)
    for number, case in enumerate(ALL)
    # The first seed, and one of the others in turn.
    for seed in (SEEDS[0], SEEDS[1 + number % (len(SEEDS) - 1)])
]


def played(runs: list[Run]) -> list:
    """The runs as parameters. The modes above 25 take turns with the tools: see `tools` in pytest.ini."""
    return [
        pytest.param(
            run,
            id="-".join([run.file.stem, *([run.bug] if run.bug else []), str(run.seed)]),
            marks=[pytest.mark.tools] if int(run.file.name[:2]) > 25 else [],
        )
        for run in runs
    ]


class Runs:
    """All runs of this module, some at a time; a test waits for its own."""

    def __init__(self, home: Path):
        # The backend's command is python3, which is to be the one that runs this.
        self.environment = environment(home, PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        self.home = home
        self.pool = ThreadPoolExecutor(AT_ONCE)
        self.runs: dict[Run, Future] = {}

    def report(self, run: Run) -> Path:
        """The JSON report of a run with a bug."""
        return self.home / f"{run.file.stem}-{run.seed}-{run.bug}.json"

    def begin(self, run: Run) -> None:
        words = [str(BINARY), "run", *(["--report", str(self.report(run))] if run.bug else []), *run.words]
        self.runs[run] = self.pool.submit(
            subprocess.run, words, capture_output=True, text=True, timeout=WITHIN, env=self.environment
        )

    def ended(self, run: Run) -> subprocess.CompletedProcess:
        if run not in self.runs:
            self.begin(run)
        return self.runs[run].result()


@pytest.fixture(scope="module")
def runs(request, tmp_path_factory):
    runs = Runs(tmp_path_factory.mktemp("failures"))
    for item in request.session.items:  # what is judged later runs meanwhile
        run = item.callspec.params.get("run") if item.path == request.path and hasattr(item, "callspec") else None
        if run is not None:
            runs.begin(run)
    yield runs
    runs.pool.shutdown(cancel_futures=True)


def told(done: subprocess.CompletedProcess) -> str:
    return done.stdout + done.stderr


@pytest.mark.timeout(300)
@pytest.mark.parametrize("run", played(RIGHT))
def test_a_right_backend_passes_with_every_seed(runs, run):
    done = runs.ended(run)
    assert done.returncode == 0 and done.stdout.startswith("PASS"), told(done)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("run", played(WRONG))
def test_the_matching_bug_makes_it_fail(runs, run):
    done = runs.ended(run)
    failed = re.findall(r"^  FAIL  .*?: (.+)$", done.stdout, re.M)
    assert done.returncode == 1 and run.failing in failed, told(done)
    assert f"rerun with: pushpit run {' '.join(run.words)}" in done.stdout
    # What docs/behavior/failure-modes.md promises, in the report that explains the run.
    report = json.loads(runs.report(run).read_text())
    assert missing_in_report(report, TOLD[run.file.stem, run.bug]) == []


def test_every_bug_has_its_row_of_the_page():
    assert set(TOLD) == {(case.file.stem, case.bug) for case in ALL}


@pytest.mark.timeout(300)
def test_a_failed_run_is_replayed_by_its_tape(tmp_path):
    """Replays a tape, because a backend acts otherwise each time beside the machine's clock."""
    runs = Runs(tmp_path)  # a home of its own: of the other runs only the latest tapes are kept
    done = runs.ended(next(run for run in WRONG if run.bug == "timestamp-stands-still"))
    tape = re.search(r"^  replay with: pushpit replay (\S+)$", done.stdout, re.M)[1]
    pushes = re.search(r" (\d+) pushes, (\d+) events$", done.stdout.splitlines()[0])
    replayed = subprocess.run(
        [BINARY, "replay", tape], capture_output=True, text=True, timeout=WITHIN, env=runs.environment
    )
    assert replayed.returncode == 0, told(replayed)
    assert f" {pushes[1]} pushes," in replayed.stdout, told(replayed)


def seconds(duration: str) -> int:
    return sum(int(n) * {"h": 3600, "m": 60, "s": 1}[unit] for n, unit in re.findall(r"(\d+)([hms])", duration))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_match_of_every_seed_ends_within_its_scenario_and_the_cards_are_still_there(file):
    """The feed draws the match from the seed: innings of one over take two minutes and a half to six."""
    scenario = yaml.load(file.read_text(), Loader)
    words = shlex.split(scenario["backend"]["command"])
    assert words[:4] == ["python3", "-m", "cricket", "--child"]
    options, step = arguments(words[3:]), seconds(scenario["backend"]["step"])
    for seed in range(1, 501):
        ends = fixture(options, 0.0, seed).matches["m1"].ends_at
        assert ends + 2 * step < seconds(scenario["for"]) < ends + DISMISS_AFTER, f"seed {seed} ends at {ends:.0f} s"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_schema_accepts_it(file):
    schema = json.loads((FOLDER.parent / "scenario.schema.json").read_text())
    jsonschema_rs.validator_for(schema).validate(yaml.load(file.read_text(), Loader))


def test_every_failure_mode_has_its_scenario():
    assert [int(file.name[:2]) for file in FILES] == MODES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_scenario_names_a_bug_that_there_is(file):
    cases = failing(file)
    assert cases and {case.bug for case in cases} <= set(BUGS)


def test_the_table_has_every_scenario_and_its_bugs():
    rows = re.findall(r"^\| (\d+) \| \[[^]]+\]\(([^)]+)\) \|.*\| ([^|]+) \|$", (FOLDER / "README.md").read_text(), re.M)
    table = {name: re.findall(r"`([a-z0-9-]+)`", bugs) for _, name, bugs in rows}
    assert table == {file.name: [case.bug for case in failing(file)] for file in FILES}
    assert [int(number) for number, _, _ in rows] == [int(file.name[:2]) for file in FILES]
