"""Plays that share the example backend, which POST /reset makes forget everything, are as if each had started it."""

import json
import sys

import pytest
import yaml

from program import REPOSITORY
from yaml12 import Loader

FLAGS = ("--swarm", "2", "--json", "-")
MATCH = yaml.load((REPOSITORY / "Examples/cricket/match.yaml").read_text(), Loader)
COMMAND = [sys.executable, *MATCH["backend"]["command"].split()[1:], "--answer-within", "1"]
TROUBLE = {
    "name": "trouble",
    "for": "6m",  # so that it ends with cards on screens, and with pushes that wait for another attempt
    "quiet": "1s",
    "faults": [
        {"name": "busy", "when": {"event": "update"}, "from": "4m", "then": {"answer": "TooManyRequests"}},
        {"name": "silent", "limit": 2, "then": {"silence": True}},
        {"name": "revoked", "when": {"event": "start"}, "limit": 3, "then": {"answer": "ExpiredProviderToken"}},
    ],
    "expect": [{"name": "it strikes", "pushes": {"status": 429}, "count": "1.."}],
}


@pytest.fixture
def played(fails, tmp_path):
    """Plays two seeds of each named match, `calm` or with `trouble`. Returns a report for each play and the log of the
    backend, which is started for each play if it is not shared."""

    def play(*names: str, shared: bool = True) -> tuple[list[dict], str]:
        story = dict(MATCH)
        backend = story.pop("backend") | {"command": COMMAND, "directory": str(REPOSITORY / "Examples")}
        if not shared:
            del backend["reset"]
        for name, trouble in (("calm", {}), ("trouble", TROUBLE)):
            # The backend stands last, so that its keys move no expectation.
            (tmp_path / name).write_text(json.dumps(story | trouble | {"backend": backend}))
        log = tmp_path / "backend.log"
        done = fails("run", *(str(tmp_path / name) for name in names), *FLAGS, "--backend-log", str(log))
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)["scenarios"], log.read_text()

    return play


def test_plays_that_share_the_backend_have_the_reports_of_plays_that_each_start_it(played):
    shared, log = played("calm", "trouble", "calm")
    starts = [line for line in log.splitlines() if line.startswith("listening on")]
    assert len(starts) == len(shared) == 6 and len(set(starts)) == 1 and "Traceback" not in log, log
    before, after = shared[:2], shared[4:]
    assert before == after and before[0]["pushes"] != before[1]["pushes"]
    alone, _ = played("calm", shared=False)
    assert before == alone
