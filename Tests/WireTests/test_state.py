"""The state folder: shared by servers, damaged, and extended by names."""

import os
import re
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from program import BINARY, environment, run

TOGETHER = 6


@pytest.mark.parametrize("attempt", range(3))
def test_servers_first_started_on_one_folder_at_once_share_one_ca_and_one_key(pushpit, tmp_path, attempt):
    state = tmp_path / "state"
    with ThreadPoolExecutor(TOGETHER) as pool:
        servers = list(pool.map(lambda _: pushpit("--fleet", "2", "--loops", "1", state=state), range(TOGETHER)))
    assert len({server.ready["keys"][0]["keyId"] for server in servers}) == 1
    assert {len(server.ready["keys"]) for server in servers} == {1}
    assert len(list(state.glob("*.p8"))) == 1
    for server in servers:
        assert server.push(server.first_token()).verdict == (200, None)  # by the CA and the key that are there now


@pytest.mark.parametrize("file", ["tls.pem", "tls-key.pem", "tls-expired.pem", "tls-wrongName.pem"])
@pytest.mark.parametrize("damage", ["of another CA", "none", "half"])
def test_a_broken_server_certificate_brings_a_new_ca_which_is_told(fails, pushpit, tmp_path, file, damage):
    state = tmp_path / "state"
    assert fails("certs", "--state", str(state), "--name", "alpha.test").returncode == 0
    ca = (state / "ca.pem").read_bytes()
    if damage == "of another CA":
        assert fails("certs", "--state", str(tmp_path / "other")).returncode == 0
        shutil.copy(tmp_path / "other" / file, state / file)
    elif damage == "none":
        (state / file).unlink()
    else:
        (state / file).write_text((state / file).read_text()[:150])
    server = pushpit("--fleet", "1", state=state)
    assert server.push(server.first_token()).verdict == (200, None)
    assert server.ca.read_bytes() != ca
    server.stop()
    assert "new certificate authority" in server.log and "missing or damaged" in server.log
    again = pushpit("--fleet", "1", state=state)
    again.stop()
    assert "new certificate authority" not in again.log


@pytest.mark.parametrize("damage", ["not a CA", "half a certificate", "a CA without limits"])
def test_a_broken_ca_is_an_error_that_names_its_cure(fails, pushpit, tmp_path, damage):
    state = tmp_path / "state"
    pushpit("--fleet", "1", state=state).stop()
    if damage == "not a CA":
        shutil.copy(state / "tls.pem", state / "ca.pem")
    elif damage == "a CA without limits":
        make_ca(state / "ca.pem", tmp_path / "unlimited-key.pem")
    else:
        (state / "ca.pem").write_text((state / "ca.pem").read_text()[:200])
    result = fails("serve", "--state", str(state), "--port", "0", "--production-port", "0", "--admin-port", "0")
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    [cure] = re.findall(r"`(pushpit certs [^`]*)`", result.stderr)
    cured = fails(*shlex.split(cure)[1:])
    assert cured.returncode == 0, cured.stderr
    server = pushpit("--fleet", "1", state=state)
    assert server.push(server.first_token()).verdict == (200, None)


def make_ca(certificate: Path, key: Path, *extensions: str) -> None:
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "9",
            "-keyout",
            str(key),
            "-out",
            str(certificate),
            "-subj",
            "/CN=Pushpit local CA/O=Pushpit",
            *(argument for extension in extensions for argument in ("-addext", extension)),
        ],
        check=True,
        capture_output=True,
    )


def constraints(ca) -> dict[str, set[str]]:
    text = subprocess.run(
        ["openssl", "x509", "-in", str(ca), "-noout", "-ext", "nameConstraints"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "critical" in text
    found: dict[str, set[str]] = {}
    for kind, name in re.findall(r"(DNS|IP|email|URI):(\S+)", text):
        found.setdefault(kind, set()).add(name)
    return found


def names(state: Path) -> set[str]:
    text = subprocess.run(
        ["openssl", "x509", "-in", str(state / "tls.pem"), "-noout", "-ext", "subjectAltName"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return set(re.findall(r"(?:DNS|IP Address):([^\s,]+)", text))


def test_the_ca_limits_host_names_permits_no_mail_or_uri_and_its_key_is_nowhere(pushpit, tmp_path):
    server = pushpit("--fleet", "1", "--name", "alpha.test,10.1.2.3")
    assert constraints(server.ca) == {
        "DNS": {"localhost", "push.apple.com", "alpha.test"},
        "email": {"invalid"},
        "URI": {"invalid"},
    }
    public = subprocess.run(
        ["openssl", "x509", "-in", str(server.ca), "-noout", "-pubkey"], capture_output=True, text=True, check=True
    ).stdout
    keys = [file for file in server.state.iterdir() if file.is_file() and "PRIVATE KEY" in file.read_text()]
    assert {key.name.split("_")[0] for key in keys} == {"tls-key.pem", "AuthKey"}
    for key in keys:
        other = subprocess.run(
            ["openssl", "pkey", "-in", str(key), "-pubout"], capture_output=True, text=True, check=True
        ).stdout
        assert other != public


def test_an_old_ca_is_replaced_keeps_its_names_loses_its_key_and_is_told(fails, pushpit, tmp_path):
    state = tmp_path / "state"
    state.mkdir()
    # As versions before 0.2 made them.
    make_ca(
        state / "ca.pem",
        state / "ca-key.pem",
        "keyUsage=critical,keyCertSign,cRLSign",
        "nameConstraints=critical,permitted;DNS:localhost,permitted;DNS:old.test,permitted;IP:127.0.0.0/255.0.0.0",
    )
    server = pushpit("--fleet", "1", state=state)
    assert constraints(server.ca)["DNS"] == {"localhost", "push.apple.com", "old.test"}
    assert "IP" not in constraints(server.ca)
    assert "old.test" in names(state)
    assert not (state / "ca-key.pem").exists()
    server.stop()
    [told] = [line for line in server.log.splitlines() if "certificate authority was made" in line]
    assert "BoringSSL" in told and f"clients must be configured to trust {server.ca}" in told


def test_a_new_name_takes_no_old_one_away_and_the_new_ca_is_told(pushpit, tmp_path):
    state = tmp_path / "state"
    plain = pushpit("--fleet", "1", "--name", "alpha.test,10.1.2.3", state=state)
    before = names(state)
    assert {"alpha.test", "10.1.2.3"} <= before
    plain.stop()
    assert "new certificate authority" not in plain.log
    other = pushpit("--fleet", "1", "--name", "beta.test", state=state)
    ca = other.ca.read_bytes()
    assert names(state) == before | {"beta.test"}
    other.stop()
    assert "new certificate authority" in other.log and str(other.ca) in other.log and "beta.test" in other.log
    again = pushpit("--fleet", "1", "--name", "Alpha.Test", state=state)
    assert again.ca.read_bytes() == ca
    again.stop()
    assert "new certificate authority" not in again.log


def test_renewed_certificates_have_the_names_of_the_old_ones(fails, tmp_path):
    state = tmp_path / "state"
    assert fails("certs", "--state", str(state), "--name", "alpha.test", "--name", "10.1.2.3").returncode == 0
    ca = (state / "ca.pem").read_bytes()
    renewed = fails("certs", "--state", str(state), "--renew")
    assert renewed.returncode == 0, renewed.stderr
    assert (state / "ca.pem").read_bytes() != ca
    assert {"alpha.test", "10.1.2.3"} <= names(state)
    assert "alpha.test" in constraints(state / "ca.pem")["DNS"]
    assert "configured to trust it" in renewed.stderr


def test_the_ca_of_a_running_server_is_not_replaced_under_it(fails, pushpit, tmp_path):
    state = tmp_path / "state"
    server = pushpit("--fleet", "1", "--name", "alpha.test", state=state)
    files = {file: file.read_bytes() for file in state.glob("*.pem")}
    for order in (
        ["certs", "--name", "beta.test"],
        ["certs", "--renew"],
        ["serve", "--name", "10.9.8.7", "--admin-port", "0"],
    ):
        refused = fails(*order, "--state", str(state))
        assert refused.returncode == 1, refused.stderr
        assert f"a server is running on {state}" in refused.stderr and "stop that server first" in refused.stderr
    assert {file: file.read_bytes() for file in state.glob("*.pem")} == files
    # What needs no new CA goes on beside it.
    assert fails("certs", "--state", str(state), "--name", "alpha.test").returncode == 0
    second = pushpit("--fleet", "1", "--name", "alpha.test", state=state)
    server.stop()
    assert fails("certs", "--state", str(state), "--renew").returncode == 1
    second.stop()
    assert fails("certs", "--state", str(state), "--renew").returncode == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_only_be_read_is_enough_once_all_is_there(pushpit, tmp_path):
    state = tmp_path / "state"
    pushpit("--fleet", "1", state=state).stop()
    state.chmod(0o500)
    try:
        pushpit("--fleet", "1", state=state).stop()
    finally:
        state.chmod(0o700)


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770])
def test_a_state_folder_that_others_may_write_is_refused_with_its_cure(fails, pushpit, tmp_path, mode):
    state = tmp_path / "state"
    pushpit("--fleet", "1", state=state).stop()
    before = {file.name for file in state.iterdir()}
    state.chmod(mode)
    for words in (
        ["serve", "--ports", "0"],
        ["certs", "--renew"],
        ["keys", "make"],
        ["certs", "provider", "--topic", "a.b"],
    ):
        result = fails(*words, "--state", str(state))
        assert result.returncode == 2 and result.stdout == "", result.stderr
        assert f"Other users can write to {state} (mode {mode:o})" in result.stderr
    assert {file.name for file in state.iterdir()} == before
    [cure] = re.findall(r"`(chmod [^`]*)`", result.stderr)
    subprocess.run(cure, shell=True, check=True)
    pushpit("--fleet", "1", state=state).stop()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can run as another user")
@pytest.mark.parametrize("owner, accepted", [("nobody", True), ("root", True), ("daemon", False)])
def test_a_state_folder_of_another_user_is_refused(tmp_path, owner, accepted):
    state = tmp_path / "state"
    # A worker's folder is deeper than that of a run without workers; none is below another user's.
    for path in (tmp_path, *tmp_path.parents):
        if path.owner() == "root" and path.stat().st_mode & 0o005 != 0o005:
            path.chmod(0o755)
    made = run("certs", "--state", str(state), home=tmp_path)
    assert made.returncode == 0, made.stderr
    for path in (state, *state.iterdir()):
        shutil.chown(path, owner)
    # A new key would be written to the folder.
    result = subprocess.run(
        [BINARY, "keys", "make", "--state", state],
        capture_output=True,
        text=True,
        env=environment(tmp_path),
        user="nobody",
        group="nogroup",
        extra_groups=[],
    )
    if owner == "nobody":
        assert result.returncode == 0, result.stderr
    elif accepted:
        assert "belongs to user" not in result.stderr, result.stderr
    else:
        assert result.returncode == 2 and f"{state} belongs to user " in result.stderr, result.stderr
        assert "`chown -R " in result.stderr


@pytest.mark.parametrize("name", ["*.com", "*.co.uk"])
def test_a_wildcard_for_all_domains_is_refused(fails, tmp_path, name):
    state = ["--state", str(tmp_path / "state")]
    for words, variables in (
        (["serve", "--ports", "0"], {"PUSHPIT_NAME": name}),
        (["serve", "--ports", "0", "--name", name], {}),
        (["certs", "--name", name], {}),
    ):
        result = fails(*words, *state, **variables)
        assert result.returncode == 2 and f"{name} would cover domains of others" in result.stderr, result.stderr
        assert not (tmp_path / "state/ca.pem").exists()


def test_what_a_killed_process_left_half_written_is_removed(pushpit, tmp_path):
    state = tmp_path / "state"
    pushpit("--fleet", "1", state=state).stop()
    (state / "providers").mkdir(mode=0o700)
    drafts = [state / ".AuthKey_OLD.p8.0123456789abcdef", state / "providers/.a.p12.0123456789abcdef"]
    for draft in drafts:
        draft.write_text("secret")
        os.utime(draft, (1, 1))
    young = state / ".AuthKey_YOUNG.p8.0123456789abcdef"
    young.write_text("being written")
    pushpit("--fleet", "1", state=state).stop()
    assert not any(draft.exists() for draft in drafts) and young.exists()
