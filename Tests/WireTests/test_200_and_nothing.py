"""docs/200-and-nothing.md: its commands are run, and what it shows of their output is in their output."""

import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import failures
from guides import missing
from program import BINARY, REPOSITORY, environment, serving

pytestmark = pytest.mark.tools

NOT_RUN = re.compile(r"^<!-- not run: .*? -->\n```sh\n.*?^```\n", re.S | re.M)
PAGE = NOT_RUN.sub("", (REPOSITORY / "docs/200-and-nothing.md").read_text())
PAIRS = re.findall(r"^```sh\n(.*?)^```\n\n```\n(.*?)^```", PAGE, re.S | re.M)
"""Commands, and what the page shows of what they say."""
SERVED, *PLAYED = PAIRS
AT_ONCE = 2
WITHIN = 110.0


def commands(block: str) -> list[str]:
    return [line.split("   #")[0].strip() for line in block.splitlines()]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The output of every `pushpit run` of the page, by its command."""
    home = tmp_path_factory.mktemp("nothing")
    # The backend's command is python3, which is to be the one that runs this.
    variables = environment(home, PATH=f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}")

    def play(command: str) -> subprocess.CompletedProcess:
        words = [str(BINARY), *shlex.split(command)[1:]]
        return subprocess.run(words, capture_output=True, text=True, timeout=WITHIN, env=variables, cwd=REPOSITORY)

    every = [command for block, _ in PLAYED for command in commands(block)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield dict(zip(every, pool.map(play, every)))


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("block", "shown"), PLAYED, ids=[commands(block)[0].split()[-1] for block, _ in PLAYED])
def test_a_cause_is_told_as_the_page_shows(played, block, shown):
    runs = [played[command] for command in commands(block)]
    assert [run.returncode for run in runs] == [1] * len(runs), [run.stdout + run.stderr for run in runs]
    said = "\n".join(run.stdout for run in runs)
    assert missing(shown, said) == [], said


@pytest.mark.timeout(120)
def test_one_push_is_asked_about_as_the_page_shows(tmp_path):
    block, shown = SERVED
    serve, *rest = commands(block)
    words = shlex.split(serve)
    assert words[:2] == ["pushpit", "serve"]
    with serving(*words[2:], "--fleet", "3", state=tmp_path / "state", home=tmp_path) as server:
        said = ""
        for command in rest:
            words = [word.replace("http://127.0.0.1:2190", server.admin_url) for word in shlex.split(command)]
            if words[0] == "pushpit":
                words = [str(BINARY), *words[1:], "--state", str(server.state)]
            else:
                words += ["-sS", "-f"]
            done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=environment(tmp_path))
            assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
            said += done.stdout + done.stderr
    assert missing(shown, said) == [], said


def test_every_cause_of_today_has_its_command():
    """Scenarios from 26 on, each with all of its bugs; but what 35 and 36 are about gets no 200."""
    shown = {command for block, _ in PLAYED for command in commands(block)}
    for case in failures.ALL:
        if int(case.file.name[:2]) >= 26 and not case.file.name.startswith(("35-", "36-")):
            assert f"pushpit run Scenarios/failures/{case.file.name} -- --bug {case.bug}" in shown


def test_every_command_shows_what_it_says():
    assert len(PAIRS) == PAGE.count("```sh\n") and len(PLAYED) >= 10


def test_every_symptom_leads_to_a_section_of_the_page():
    headings = re.findall(r"^#+ (.+)$", PAGE, re.M)
    anchors = {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    links = re.findall(r"\]\(#([a-z0-9-]+)\)", PAGE)
    assert len(links) >= 10 and set(links) <= anchors


def test_the_page_can_be_found():
    for name in ("README.md", "Scenarios/failures/README.md"):
        assert "200-and-nothing.md)" in (REPOSITORY / name).read_text()
