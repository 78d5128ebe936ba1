"""The state folder: shared by servers, found broken, and grown by names."""

import os
import re
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

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
        assert server.push(server.tokens()[0]).verdict == (200, None)  # by the CA and the key that are there now


@pytest.mark.parametrize("damage", ["another key", "no certificate", "half a certificate"])
def test_a_broken_server_certificate_is_issued_anew(pushpit, tmp_path, damage):
    state = tmp_path / "state"
    first = pushpit("--fleet", "1", state=state)
    ca = first.ca.read_bytes()
    first.stop()
    if damage == "another key":
        shutil.copy(state / "ca-key.pem", state / "tls-key.pem")
    elif damage == "no certificate":
        (state / "tls.pem").write_text("")
    else:
        (state / "tls.pem").write_text((state / "tls.pem").read_text()[:200])
    second = pushpit("--fleet", "1", state=state)
    assert second.push(second.tokens()[0]).verdict == (200, None)
    assert second.ca.read_bytes() == ca


@pytest.mark.parametrize("damage", ["another key", "no key", "half a certificate"])
def test_a_broken_ca_is_an_error_that_names_its_cure(fails, pushpit, tmp_path, damage):
    state = tmp_path / "state"
    pushpit("--fleet", "1", state=state).stop()
    if damage == "another key":
        shutil.copy(state / "tls-key.pem", state / "ca-key.pem")
    elif damage == "no key":
        (state / "ca-key.pem").unlink()
    else:
        (state / "ca.pem").write_text((state / "ca.pem").read_text()[:200])
    result = fails("serve", "--state", str(state), "--port", "0", "--production-port", "0", "--admin-port", "0")
    assert result.returncode == 1, result.stderr
    assert result.stdout == ""
    [cure] = re.findall(r"`(pushpit certs [^`]*)`", result.stderr)
    cured = fails(*shlex.split(cure)[1:])
    assert cured.returncode == 0, cured.stderr
    server = pushpit("--fleet", "1", state=state)
    assert server.push(server.tokens()[0]).verdict == (200, None)


def permitted(ca) -> set[str]:
    text = subprocess.run(
        ["openssl", "x509", "-in", str(ca), "-noout", "-ext", "nameConstraints"], capture_output=True, text=True, check=True
    ).stdout
    return set(re.findall(r"(?:DNS|IP):(\S+)", text))


def test_a_new_name_takes_no_old_one_away_and_the_new_ca_is_told(pushpit, tmp_path):
    state = tmp_path / "state"
    plain = pushpit("--fleet", "1", "--name", "alpha.test,10.1.2.3", state=state)
    before = permitted(plain.ca)
    assert {"alpha.test", "10.1.2.3/255.255.255.255"} <= before
    plain.stop()
    assert "new certificate authority" not in plain.log
    other = pushpit("--fleet", "1", "--name", "beta.test", state=state)
    ca = other.ca.read_bytes()
    assert permitted(other.ca) == before | {"beta.test"}
    other.stop()
    assert "new certificate authority" in other.log and str(other.ca) in other.log and "beta.test" in other.log
    again = pushpit("--fleet", "1", "--name", "alpha.test", state=state)
    assert again.ca.read_bytes() == ca
    again.stop()
    assert "new certificate authority" not in again.log


def test_renewed_certificates_permit_what_the_old_ones_did(fails, pushpit, tmp_path):
    state = tmp_path / "state"
    assert fails("certs", "--state", str(state), "--name", "alpha.test").returncode == 0
    ca = (state / "ca.pem").read_bytes()
    renewed = fails("certs", "--state", str(state), "--renew")
    assert renewed.returncode == 0, renewed.stderr
    assert (state / "ca.pem").read_bytes() != ca
    assert "alpha.test" in permitted(state / "ca.pem")
    assert "given it again" in renewed.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_only_be_read_is_enough_once_all_is_there(pushpit, tmp_path):
    state = tmp_path / "state"
    pushpit("--fleet", "1", state=state).stop()
    state.chmod(0o500)
    try:
        pushpit("--fleet", "1", state=state).stop()
    finally:
        state.chmod(0o700)
