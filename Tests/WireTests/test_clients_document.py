"""docs/clients.md: the snippets that have a name are taken from the page and run, with only the ports changed."""

import re
import shutil
import subprocess
import sys

import pytest

from program import APP, BINARY, REPOSITORY, environment, serving

PAGE = (REPOSITORY / "docs/clients.md").read_text()
NAMED = re.findall(r"^```(\w+) (\w+)\n(.*?)^```", PAGE, re.S | re.M)
SETUP = next(code for _, name, code in NAMED if name == "setup")
SNIPPETS = [(language, name, code) for language, name, code in NAMED if name != "setup"]
INTERPRETERS = {"sh": ["bash", "-eu"], "python": [sys.executable], "js": ["node"]}


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """A server whose state is where the page says it is, and the program in the path."""
    home = tmp_path_factory.mktemp("clients")
    (home / "bin").mkdir()
    (home / "bin/pushpit").symlink_to(BINARY)
    with serving(
        "--ideal", "--fleet", "3", "--token-requests-per-second", "0", state=home / ".local/state/pushpit", home=home
    ) as server:
        yield server


@pytest.mark.parametrize(("language", "name", "code"), SNIPPETS, ids=[name for _, name, _ in SNIPPETS])
def test_a_snippet_of_the_page_pushes(local, language, name, code):
    if shutil.which(INTERPRETERS[language][0]) is None:
        pytest.skip(f"no {INTERPRETERS[language][0]} on this machine")
    script = local.home / f"{name}.{language}"
    script.write_text(code)
    setup = SETUP.replace("APNS_PORT=2197", f"APNS_PORT={local.address()[1]}")
    known = {push["apnsId"] for push in local.pushes()}
    done = subprocess.run(
        [
            "bash",
            "-c",
            f'set -eu\nPATH=$HOME/bin:$PATH\n{setup}\nexec "$@"',
            "bash",
            *INTERPRETERS[language],
            str(script),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(local.home),
        cwd=local.home,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (push,) = [push for push in local.pushes() if push["apnsId"] not in known]
    assert (push["answer"]["decision"], push["app"], push["device"]) == ("accepted", APP, "d0")
    assert f"Hello from {name}" in local.get(f"/v1/pushes/{push['apnsId']}")["request"]["body"]


def test_the_page_has_every_client_that_can_be_had_here():
    assert [name for _, name, _ in SNIPPETS] == ["curl", "aioapns", "httpx", "kalyke", "pyapns_client", "node"]


def test_what_is_not_run_is_said_to_be():
    """Snippets without a name stand in the part that says so, those with one before it."""
    run, _, rest = PAGE.partition("\n## Untested clients\n")
    assert "untested" in rest
    for client in ["apns2", "node-apn", "Pushy", "APNSwift", "a2", "apnotic", "pushok"]:
        assert re.search(rf"^### .*{client}", rest, re.M), client
    assert not re.findall(r"^```\w+ \w+$", rest, re.M)
    assert all(" " in line for line in re.findall(r"^```\w.*$", run, re.M))
