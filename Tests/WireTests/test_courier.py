"""Examples/courier, the second example backend: its story passes with every seed and shows none of its bugs, and a
hand-written trouble makes each bug fail, which a right backend survives."""

import re
import shutil
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from courier import FINDING, FOLDER, Run
from program import environment

NODE = shutil.which("node")
pytestmark = [
    pytest.mark.tools,
    pytest.mark.timeout(300),
    pytest.mark.skipif(NODE is None, reason="no node on this machine"),
]
AT_ONCE = 3
SEEDS = range(1, 21)
BUGS = re.findall(r"^  '([a-z0-9-]+)': '", (FOLDER / "bugs.js").read_text(), re.M)

HEALTHY = [Run(None, seed) for seed in SEEDS]
HIDDEN = [Run(None, 1, bug) for bug in BUGS]
RIGHT = [Run(trouble, 2) for trouble in FINDING.values()]
WRONG = [Run(trouble, 2, bug) for bug, trouble in FINDING.items()]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Plays all runs of this module, some at a time; a test waits for its own."""
    home = tmp_path_factory.mktemp("courier")
    variables = environment(home)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        runs: dict[int, Future] = {
            id(run): pool.submit(run.play, home, variables) for run in [*HEALTHY, *HIDDEN, *RIGHT, *WRONG]
        }
        yield lambda run: runs[id(run)].result()


def name(run: Run) -> str:
    return f"{run.bug or 'right'}-{run.seed}"


@pytest.mark.parametrize("run", HEALTHY, ids=name)
def test_the_story_passes_with_every_seed(played, run):
    done = played(run)
    assert done.returncode == 0 and done.stdout.startswith("PASS"), done.stdout + done.stderr


@pytest.mark.parametrize("run", HIDDEN, ids=name)
def test_no_bug_shows_without_a_trouble(played, run):
    done = played(run)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("run", RIGHT, ids=FINDING)
def test_a_right_backend_survives_each_trouble(played, run):
    done = played(run)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "never struck" not in done.stdout + done.stderr


@pytest.mark.parametrize("run", WRONG, ids=name)
def test_a_trouble_shows_each_bug(played, run):
    done = played(run)
    assert done.returncode == 1 and "  FAIL  " in done.stdout, done.stdout + done.stderr


def test_there_are_ten_bugs_and_the_page_has_each_with_its_report():
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| [^|]+ \| (\[.+\]) \|$", Path(FOLDER / "README.md").read_text(), re.M)
    assert len(BUGS) == 10 and [bug for bug, _ in rows] == BUGS == list(FINDING)
