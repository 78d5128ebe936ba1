"""Which server a command uses: docs/exit-codes.md#which-server."""

import itertools
import json
import os
import re

import pytest

from program import run

pytestmark = pytest.mark.tools


def health(home, *flags: str, **env: str):
    return run("health", *flags, home=home, **env)


def test_the_first_place_that_names_a_server_decides(pushpit, home):
    """Each of the five places names another server; without the first, the second decides, and so on."""
    servers = [pushpit("--fleet", "1") for _ in range(4)]
    usual = pushpit("--fleet", "1", state=home / ".local/state/pushpit")
    flags = ["--admin", servers[0].admin_url], ["--state", str(servers[1].state)]
    env = {"PUSHPIT_ADMIN": servers[2].admin_url}, {"PUSHPIT_STATE": str(servers[3].state)}
    ways = [
        (flags[0] + flags[1], env[0] | env[1]),
        (flags[1], env[0] | env[1]),
        ([], env[0] | env[1]),
        ([], env[1]),
        ([], {}),
    ]
    for server, (words, variables) in zip([*servers, usual], ways, strict=True):
        found = health(home, *words, **variables)
        assert (found.returncode, found.stdout) == (0, f"{server.admin_url} is up\n"), found.stderr
        # Beside --admin, --state names the folder of that server's certificates and keys.
        words = words[:2]
        sent = run("send", "--to", "d0", *words, home=home, **variables)
        assert sent.returncode == 0, sent.stderr
        assert len(server.get("/v1/pushes")["pushes"]) == 1


def test_a_place_that_is_named_and_has_no_server_is_an_error_that_names_it(pushpit, home, tmp_path):
    """All later places have one."""
    server = pushpit("--fleet", "1", state=home / ".local/state/pushpit")
    empty = tmp_path / "empty"
    empty.mkdir(mode=0o700)
    nowhere = "http://127.0.0.1:1"
    later = {"PUSHPIT_ADMIN": server.admin_url, "PUSHPIT_STATE": str(server.state)}
    ways = [
        (["--admin", nowhere], later, nowhere),
        (["--state", str(empty)], later, str(empty)),
        ([], {"PUSHPIT_ADMIN": nowhere, "PUSHPIT_STATE": str(server.state)}, nowhere),
        ([], {"PUSHPIT_STATE": str(empty)}, str(empty)),
    ]
    for words, variables, name in ways:
        for command in (["send", "--to", "d0"], ["phone", "d0"], ["load", "--count", "1"], ["clock", "advance", "1s"]):
            result = run(*command, *words, home=home, **variables)
            assert result.returncode == 4 and name in result.stderr, (command, words, result.stderr)
            assert len(result.stderr.splitlines()) == 1, result.stderr
    assert server.get("/v1/pushes")["pushes"] == []


@pytest.mark.parametrize("variable", ["--admin", "PUSHPIT_ADMIN"])
def test_an_address_must_be_a_url(home, variable):
    flags, env = (["--admin", "localhost:2190"], {}) if variable == "--admin" else ([], {variable: "localhost:2190"})
    result = run("phone", "d0", *flags, home=home, **env)
    assert result.returncode == 2 and f"{variable} must be the URL of an admin API" in result.stderr


@pytest.mark.parametrize("count", [2, 3])
def test_servers_on_one_folder_stay_reachable_in_whatever_order_they_end(pushpit, home, tmp_path, count):
    for order in itertools.permutations(range(count)):
        state = tmp_path / f"state-{''.join(map(str, order))}"
        living = {number: pushpit("--fleet", "1", state=state) for number in range(count)}
        for ending in order:
            check_reachable(home, state, list(living.values()))
            living.pop(ending).stop()
        assert not os.path.lexists(state / "ready.json") and list((state / "ready").glob("*.json")) == []
        assert health(home, "--state", str(state)).returncode == 1


def check_reachable(home, state, living):
    """`living` are the servers on a folder, oldest first."""
    newest = living[-1]
    assert json.loads((state / "ready.json").read_text()) == newest.ready
    assert {f.name for f in (state / "ready").glob("*.json")} == {f"{s.process.pid}.json" for s in living}
    found = health(home, "--state", str(state))
    assert found.stdout == f"{newest.admin_url} is up\n", found.stderr
    sent = run("send", "--to", "d0", "--state", str(state), home=home)
    assert sent.returncode == 0, sent.stderr
    for said in (found.stderr, sent.stderr):
        note = [line for line in said.splitlines() if line.startswith("Note: ")]
        assert len(note) == (len(living) > 1), said
        assert all(server.admin_url in line for line in note for server in living), said
    for server in living:
        assert run("send", "--to", "d0", "--admin", server.admin_url, home=home).returncode == 0


def test_the_file_of_a_killed_server_is_not_used_and_the_next_server_removes_it(pushpit, home):
    killed = pushpit("--fleet", "1")
    state = killed.state
    killed.kill()
    left = state / "ready" / f"{killed.process.pid}.json"
    assert left.exists() and (state / "ready.json").exists()
    result = run("send", "--to", "d0", "--state", str(state), home=home)
    assert result.returncode == 4 and f"No server runs on the state folder {state}" in result.stderr, result.stderr
    server = pushpit("--fleet", "1", state=state)
    assert not left.exists()
    check_reachable(home, state, [server])


def test_a_server_that_is_killed_beside_another_leaves_the_other_reachable(pushpit, home):
    first = pushpit("--fleet", "1")
    second = pushpit("--fleet", "1", state=first.state)
    second.kill()
    found = health(home, "--state", str(first.state))
    assert found.stdout == f"{first.admin_url} is up\n" and "Note: " not in found.stderr, found.stderr


def test_a_url_and_an_empty_home_are_enough(pushpit, home):
    """The certificate authority and the key come from the server."""
    server = pushpit("--fleet", "3", "--for-tests")
    admin = ("--admin", server.admin_url)
    sent = run("send", "--to", "d0", *admin, home=home)
    assert sent.returncode == 0 and re.fullmatch(r"200 \S+\n", sent.stdout), sent.stdout + sent.stderr
    load = run("load", "--count", "20", "--connections", "1", "--json", *admin, home=home)
    assert load.returncode == 0 and json.loads(load.stdout)["answered"] == 20, load.stderr
    assert run("channels", "create", *admin, home=home).returncode == 0
    found = run("doctor", *admin, home=home)
    assert found.returncode == 0 and all(line.startswith("ok ") for line in found.stdout.splitlines() if line.strip())
    assert f"ok    Clients must trust {server.admin_url}/v1/ca.pem." in found.stdout.splitlines()
    key = server.ready["keys"][0]
    assert f"ok    Key {key['keyId']} of team {key['teamId']} signs for both." in found.stdout.splitlines()
    assert list(home.iterdir()) == []


def test_keys_and_certificates_are_told_to_every_server_of_the_folder(pushpit, home):
    servers = [pushpit("--fleet", "1")]
    servers.append(pushpit("--fleet", "1", state=servers[0].state))
    made = run("keys", "make", "--key-id", "ABCDEFGHIJ", "--state", str(servers[0].state), home=home)
    assert made.returncode == 0 and "the running server has applied the change" in made.stderr, made.stderr
    for server in servers:
        assert "ABCDEFGHIJ" in [key["keyId"] for key in server.get("/v1/keys")["keys"]]
