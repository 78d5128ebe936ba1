"""Backends with Apple's host built in, as docs/apples-host.md has it, in a network and with a hosts file of their own.

django-push-notifications comes from PyPI and is not changed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from packages import BINARY, REPOSITORY, clean_environment, run, serving

GUIDE = (REPOSITORY / "docs/apples-host.md").read_text()
EXAMPLE = REPOSITORY / "Examples/compose"
COMPOSE: dict[str, Any] = yaml.safe_load((EXAMPLE / "compose.yaml").read_text())
ENTER = 'ip link set lo up && mount --bind "$0" /etc/hosts && exec "$@"'


def block(name: str) -> str:
    [text] = re.findall(rf"^```{name}\n(.*?)^```", GUIDE, re.M | re.S)
    return text


@pytest.fixture(scope="module")
def python(tmp_path_factory) -> Path:
    """An environment with the backend's packages."""
    venv = tmp_path_factory.mktemp("backend") / ".venv"
    run(sys.executable, "-m", "venv", venv)
    run(venv / "bin/pip", "install", "--quiet", "--requirement", EXAMPLE / "backend/requirements.txt")
    return venv / "bin/python"


@dataclass(frozen=True)
class Machine:
    """A machine on which Apple's names lead to Pushpit."""

    pid: int
    ready: dict[str, Any]
    environment: dict[str, str]
    python: Path

    def do(self, *words: str | Path, check: bool = True, **changes: str | None) -> subprocess.CompletedProcess[str]:
        changed = {name: text for name, text in (self.environment | changes).items() if text is not None}
        place = ["nsenter", "--target", str(self.pid), "--net", "--mount"]
        return run(*place, *words, env=clean_environment() | changed, check=check)

    def get(self, path: str) -> Any:
        return json.loads(self.do("curl", "--silent", "--fail", self.ready["admin"] + path).stdout)

    def order(self, path: str, body: dict[str, Any]) -> None:
        self.do("curl", "--silent", "--fail", "--json", json.dumps(body), self.ready["admin"] + path)

    def tokens(self, count: int) -> list[str]:
        found = self.get(f"/v1/tokens?kind=device&app={self.environment['APNS_TOPIC']}&limit={count}")
        return [each["token"] for each in found["tokens"]]

    def push(self, *words: str, **changes: str | None) -> subprocess.CompletedProcess[str]:
        return self.do(self.python, EXAMPLE / "backend/push.py", *words, **changes)


@contextmanager
def machine(
    folder: Path,
    hosts: str,
    flags: list[str],
    python: Path,
    environment: dict[str, str],
    of_server: dict[str, str] | None = None,
) -> Iterator[Machine]:
    (folder / "hosts").write_text(f"127.0.0.1 localhost\n{hosts}")
    variables = [f"{name}={text}" for name, text in (of_server or {}).items()]
    command = ["env", *variables, "unshare", "--net", "--mount", "sh", "-c", ENTER, folder / "hosts", BINARY]
    with serving(command, *flags, "--state", str(folder / "state")) as served:
        yield Machine(served.pid, served.ready, environment, python)


@pytest.fixture
def guide(python, tmp_path) -> Iterator[Machine]:
    """The machine of the guide, with another state folder."""
    [command] = block("sh serve").splitlines()
    flags = command.removeprefix("pushpit serve ").split()
    text = block("sh environment").replace("~/.local/state/pushpit", str(tmp_path / "state"))
    with machine(tmp_path, block("hosts"), flags, python, {}) as started:
        names = ("SSL_CERT_FILE", "APNS_KEY", "APNS_KEY_ID", "APNS_TEAM_ID", "APNS_TOPIC")
        said = run("bash", "-euc", text + "".join(f"\necho ${name}" for name in names)).stdout.splitlines()
        yield Machine(started.pid, started.ready, dict(zip(names, said)), python)


def test_an_unmodified_backend_pushes_to_apples_name_and_the_phone_shows_it(guide):
    [token] = guide.tokens(1)
    assert guide.push(token, "Goal!").stdout == f"{token} active\n"
    [push] = guide.get("/v1/pushes")["pushes"]
    assert push["answer"]["status"] == 200
    host = [each["value"] for each in push["request"]["headers"] if each["name"] in ("host", ":authority")]
    assert host == ["api.development.push.apple.com"]
    [notification] = guide.get(f"/v1/devices/{push['device']}/screen")["notifications"]
    assert notification["body"] == "Goal!"


def test_a_dead_token_makes_its_row_inactive_and_the_others_stay(guide):
    tokens = guide.tokens(5)
    guide.order("/v1/faults", {"name": "gone", "when": {"skip": 2}, "limit": 1, "then": {"answer": "Unregistered"}})
    rows = dict(line.split() for line in guide.push(*tokens, "Goal!").stdout.splitlines())
    [refused] = guide.get("/v1/pushes?status=410")["pushes"]
    assert [token for token, state in rows.items() if state == "inactive"] == [refused["request"]["path"][-64:]]
    assert set(rows) == set(tokens)


def test_the_backend_does_verify_the_certificate(guide):
    [token] = guide.tokens(1)
    done = guide.push(token, "Goal!", SSL_CERT_FILE=None)
    assert "certificate verify failed" in done.stderr
    assert guide.get("/v1/pushes")["pushes"] == []


def test_the_guide_has_the_settings_that_are_tested():
    assert block("python settings") in (EXAMPLE / "backend/push.py").read_text()


def test_the_compose_files_command_aliases_and_environment_work_together(python, tmp_path):
    """Does what an engine would do with the file, but for the containers."""
    services = COMPOSE["services"]
    (tmp_path / "keys").mkdir()
    key = tmp_path / "keys/backend.p8"
    run("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key)
    names = " ".join(services["pushpit"]["networks"]["default"]["aliases"])
    places = {"/keys/": f"{tmp_path}/keys/", "/pushpit/": f"{tmp_path}/state/"}

    def here(text: str) -> str:
        for place, folder in places.items():
            text = text.replace(place, folder)
        return text

    command = [here(word) for word in services["pushpit"]["command"]]
    assert command[0] == "serve"
    environment = {name: here(text) for name, text in services["backend"]["environment"].items()}
    of_server = services["pushpit"]["environment"]
    with machine(tmp_path, f"127.0.0.1 {names} pushpit\n", command[1:], python, environment, of_server) as started:
        [token] = started.tokens(1)
        assert started.push(token, "Goal!").stdout == f"{token} active\n"
        port = started.ready["admin"].rpartition(":")[2]
        named = started.do("curl", "--silent", "--fail", f"http://pushpit:{port}/v1/pushes").stdout
        assert json.loads(named)["pushes"][0]["answer"]["status"] == 200


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("compose-spec", "Examples/compose/compose.yaml"),
        ("github-workflows", "Examples/github-actions/push-tests.yml"),
        ("github-workflows", ".github/workflows/ci.yml"),
    ],
)
def test_a_file_that_cannot_be_run_here_follows_its_schema(schema, file, tmp_path):
    checker = Path(sys.executable).with_name("check-jsonschema")
    run(checker, "--builtin-schema", f"vendor.{schema}", REPOSITORY / file)
    broken = tmp_path / "broken.yaml"
    broken.write_text((REPOSITORY / file).read_text().replace("image: ", "imagination: ").replace("runs-on", "runs-in"))
    assert run(checker, "--builtin-schema", f"vendor.{schema}", broken, check=False).returncode == 1


def test_samples_publish_ports_on_this_machine_only():
    workflow = yaml.safe_load((REPOSITORY / "Examples/github-actions/push-tests.yml").read_text())
    published = COMPOSE["services"]["pushpit"]["ports"] + workflow["jobs"]["service"]["services"]["pushpit"]["ports"]
    assert len(published) == 3 and all(port.startswith("127.0.0.1:") for port in published)
