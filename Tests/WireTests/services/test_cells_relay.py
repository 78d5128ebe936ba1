"""Cells behind one address: Debian's HAProxy routes pushes, and cells believe what it says of clients."""

import base64
import json
import shutil
import socket
import ssl
import subprocess
import tempfile
from pathlib import Path

import h2.connection
import h2.events
import h2.settings
import httpx
import pytest

import program
from program import ALERT, APP, CELLS, SMOOTH
from relays import files, free_ports, haproxy, printed, relay, sender
from tools import need
from wire import TIMEOUT

BURST = Path(__file__).parents[1] / "burst.js"


@pytest.fixture
def folder():
    """For Unix sockets, whose paths are short."""
    path = Path(tempfile.mkdtemp(prefix="relay"))
    yield path
    shutil.rmtree(path)


def push(client: httpx.Client, token, jwt: str | None = None, **headers: str) -> tuple[int, str | None]:
    fields = {"apns-topic": APP, "apns-push-type": "alert"} | {k.replace("_", "-"): v for k, v in headers.items()}
    if jwt is not None:
        fields["authorization"] = f"bearer {jwt}"
    answer = client.post(f"/3/device/{token}", content=ALERT, headers=fields)
    assert answer.http_version == "HTTP/2"
    return answer.status_code, answer.json()["reason"] if answer.content else None


@pytest.mark.parametrize(
    "flags", [[], ["--tcp"], ["--socket", "/run/pushpit/{cell}.sock"], ["--host", "127.0.0.{cell}"]]
)
@pytest.mark.parametrize("count", [2, 256])
def test_haproxy_accepts_the_printed_configuration(flags, count, server, home):
    text = printed(home, "--of", str(count), *flags, *files(server.state, home))
    path = home / "haproxy.cfg"
    path.write_text(text)
    done = subprocess.run(
        [need("haproxy", "haproxy"), "-c", "-f", str(path)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 and "[WARNING]" not in done.stderr, done.stdout + done.stderr
    assert text.count("\n    server ") == count


def test_a_configuration_that_cannot_be_is_refused(fails):
    for flags, said in (
        (["--of", "1"], "from 2 to 256, not 1"),
        (["--of", "2", "--listen", "here"], "--listen must be a port such as 443, or an address and a port"),
        (["--of", "2", "--listen", "127.0.0.1:0"], "--listen must be a port"),
        (["--of", "2", "--socket", "/run/x.sock"], "--socket must be a path with {cell} in it"),
        (["--of", "2", "--tcp", "--socket", "/run/{cell}"], "--socket is for relays, and --tcp needs no relay"),
        (["--of", "2", "--certificate", "my file"], 'HAProxy would not read "my file" as one word'),
        (["--of", "256", "--tcp", "--listen", "65500"], "the port of cell 255 would be 65755"),
    ):
        result = fails("cells", "haproxy", *flags)
        assert result.returncode == 2 and said in result.stderr, result.stderr


def test_four_cells_behind_haproxy_and_one_comes_back_with_its_tape(pushpit, recorded, folder, tmp_path):
    state = tmp_path / "state"

    def cell(number: int, *flags: str):
        own = ("--cell", f"{number}/{CELLS}", "--relay", f"{folder}/{number}.sock")
        return pushpit(*SMOOTH, "--fleet", "20", "--clock", "manual", *own, *flags, state=state)

    cells = [cell(n, "--tape", str(tmp_path / f"{n}.tape")) for n in range(CELLS)]
    assert cells[1].ready["listeners"]["relay"] == f"{folder}/1.sock"
    tokens = [cell.tokens() for cell in cells]
    jwt, port = cells[0].jwt, free_ports(1)
    flags = ["--of", str(CELLS), "--listen", f"{port}", "--socket", f"{folder}/{{cell}}.sock"]
    text = printed(tmp_path, *flags, *files(state, tmp_path))
    with haproxy(text, port, tmp_path), sender(state / "ca.pem", port) as client:
        for own in tokens:
            for token in own:
                assert push(client, token, jwt) == (200, None)
        for number, each in enumerate(cells):
            rows = each.pushes()
            assert {row["device"] for row in rows} == {token.device for token in tokens[number]}
            assert len(rows) == len(tokens[number])
            assert not list(each.pages("/v1/troubles", "troubles"))
        # What has no token is answered by cell 0, in APNs' words.
        assert push(client, "", jwt) == (400, "MissingDeviceToken")

        recorded(tmp_path / "1.tape", len(tokens[1]))
        cells[1].kill()
        assert push(client, tokens[1][0], jwt) == (503, "ServiceUnavailable")
        for number in (0, 2, 3):
            assert push(client, tokens[number][0], jwt) == (200, None)
        again = cell(1, "--resume", str(tmp_path / "1.tape"))
        assert push(client, tokens[1][0], jwt) == (200, None)
        assert len(again.pushes()) == len(tokens[1]) + 1


def test_load_sends_through_haproxy_and_to_nothing_else(pushpit, folder, tmp_path):
    state = tmp_path / "state"
    cells = [
        pushpit(*SMOOTH, "--fleet", "60", "--cell", f"{n}/2", "--relay", f"{folder}/{n}.sock", state=state)
        for n in range(2)
    ]
    port = free_ports(1)
    flags = ["--of", "2", "--listen", str(port), "--socket", f"{folder}/{{cell}}.sock"]
    command = ["load", "--json", "--state", str(state), "--server", f"https://localhost:{port}"]
    with haproxy(printed(tmp_path, *flags, *files(state, tmp_path)), port, tmp_path):
        for cell in cells:
            done = program.run(*command, "--admin", cell.admin_url, "--count", "200", home=tmp_path)
            assert done.returncode == 0, done.stdout + done.stderr
            assert json.loads(done.stdout)["answers"] == [{"status": 200, "reason": None, "count": 200}]
            reasons = [row["reason"] for row in cell.pushes(limit=1000)]
            # The request that recognizes the proxy.
            assert reasons.count("MissingProviderToken") == 1 and reasons.count(None) == 200
        (tmp_path / "all").write_text("".join(f"{token}\n" for cell in cells for token in cell.tokens()))
        done = program.run(*command, "--tokens", str(tmp_path / "all"), "--count", "60", home=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        # A proxy before another server gets one request without a provider token, and no push.
        stranger = pushpit("--fleet", "4", state=tmp_path / "other")
        before = [len(cell.pushes(limit=1000)) for cell in cells]
        lost = program.run(*command[:2], "--admin", stranger.admin_url, *command[2:], home=tmp_path)
        assert lost.returncode == 1 and "is neither Pushpit nor a proxy in front of" in lost.stderr, lost.stderr
        after = [cell.pushes(limit=1000) for cell in cells]
        assert sum(map(len, after)) - sum(before) <= 1


@pytest.mark.skipif(shutil.which("node") is None, reason="no node on this machine")
def test_a_burst_of_nodes_http2_through_haproxy_reaches_the_cell_of_each_token(pushpit, folder, tmp_path):
    state = tmp_path / "state"
    cells = [
        pushpit(*SMOOTH, "--fleet", "60", "--cell", f"{n}/{CELLS}", "--relay", f"{folder}/{n}.sock", state=state)
        for n in range(CELLS)
    ]
    own = [{token.device: str(token) for token in cell.tokens()} for cell in cells]
    tokens = [token for part in own for token in part.values()]
    port = free_ports(1)
    flags = ["--of", str(CELLS), "--listen", str(port), "--socket", f"{folder}/{{cell}}.sock"]
    order = {
        "url": f"https://localhost:{port}",
        "ca": str(state / "ca.pem"),
        # From cell to cell, so that each connection carries pushes to all.
        "tokens": sorted(tokens, key=lambda token: token[4:]),
        "headers": {"apns-topic": APP, "apns-push-type": "alert", "authorization": f"bearer {cells[0].jwt}"},
    }
    with haproxy(printed(tmp_path, *flags, *files(state, tmp_path)), port, tmp_path):
        run = subprocess.run(["node", BURST], input=json.dumps(order), capture_output=True, text=True, timeout=TIMEOUT)
        assert run.returncode == 0, run.stderr
        assert json.loads(run.stdout) == [200] * len(tokens)
    for cell, part in zip(cells, own, strict=True):
        assert sorted(row["device"] for row in cell.pushes(limit=1000)) == sorted(part)
        assert not list(cell.pages("/v1/troubles", "troubles"))


def test_bytes_are_passed_on_to_the_cell_of_each_port(pushpit, tmp_path):
    state, first, flags = tmp_path / "state", free_ports(2 * CELLS), (*SMOOTH, "--fleet", "20", "--ports", "0")
    front = first + CELLS
    cells = [
        pushpit(*flags, "--cell", f"{n}/{CELLS}", "--port", str(first + n), state=state, ports=False)
        for n in range(CELLS)
    ]
    text = printed(
        tmp_path, "--tcp", "--of", "4", "--port", str(first), "--step", "1", "--listen", f"127.0.0.1:{front}"
    )
    with haproxy(text, front, tmp_path):
        for number, each in enumerate(cells):
            with sender(state / "ca.pem", front + number) as client:
                assert push(client, each.first_token(), each.jwt) == (200, None)
                assert push(client, cells[number - 1].first_token(), each.jwt) == (400, "BadDeviceToken")


@pytest.fixture
def relayed(pushpit, folder):
    """A server with a relay, and a certificate that it accepts."""
    server = pushpit(*SMOOTH, "--fleet", "20", "--relay", f"{folder}/relay.sock")
    made = program.run("certs", "provider", "--topic", APP, "--state", str(server.state), home=server.home)
    assert made.returncode == 0, made.stderr
    return server, Path(made.stdout.splitlines()[0])


def field(certificate: Path) -> str:
    """RFC 9440: the certificate in DER and base64, between colons."""
    text = certificate.read_text()
    pem = text[text.index("-----BEGIN CERTIFICATE-----") : text.index("-----END CERTIFICATE-----")]
    der = ssl.PEM_cert_to_DER_cert(pem + "-----END CERTIFICATE-----\n")
    return f":{base64.b64encode(der).decode()}:"


def test_haproxy_says_who_a_client_is_and_clients_cannot(relayed, folder, tmp_path):
    server, certificate = relayed
    (folder / "0.sock").symlink_to(folder / "relay.sock")
    (folder / "1.sock").symlink_to(folder / "relay.sock")
    port, token = free_ports(1), server.token()
    flags = ["--of", "2", "--listen", str(port), "--socket", f"{folder}/{{cell}}.sock"]
    nobody = (403, "MissingProviderToken")
    with haproxy(printed(tmp_path, *flags, *files(server.state, tmp_path)), port, tmp_path):
        known = sender(server.ca, port, certificate)
        unknown = sender(server.ca, port)
        with known, unknown:
            for _ in range(3):
                assert push(known, token) == (200, None)
                assert push(unknown, token) == nobody
                assert push(unknown, token, client_cert=field(certificate)) == nobody
    # Nor at the listeners that are not for relays.
    with httpx.Client(http2=True, verify=ssl.create_default_context(cafile=str(server.ca))) as client:
        client.base_url = server.url(host="localhost")
        assert push(client, token, client_cert=field(certificate)) == nobody


def test_a_relay_is_believed_and_may_open_1000_streams_at_once(relayed, folder):
    server, certificate = relayed
    path = f"{folder}/relay.sock"
    with relay(path) as client:
        assert push(client, server.token(), client_cert=field(certificate)) == (200, None)
    with relay(path) as client:
        assert push(client, server.token()) == (403, "MissingProviderToken")
        assert push(client, server.token(), server.jwt) == (200, None)
    connection = h2.connection.H2Connection()
    connection.initiate_connection()
    with socket.socket(socket.AF_UNIX) as raw:
        raw.settimeout(TIMEOUT)
        raw.connect(path)
        raw.sendall(connection.data_to_send())
        events = []
        while not any(isinstance(event, h2.events.RemoteSettingsChanged) for event in events):
            events += connection.receive_data(raw.recv(65_536))
    assert connection.remote_settings.max_concurrent_streams == 1000


def test_a_relay_that_mixes_clients_or_sends_no_certificate_is_cut_off(relayed, folder):
    server, certificate = relayed
    path = f"{folder}/relay.sock"
    with relay(path) as client:
        assert push(client, server.token(), client_cert=field(certificate)) == (200, None)
        with pytest.raises(httpx.TransportError):
            push(client, server.token())
    for wrong in ("", "::", ":AAAA:", ":no!:", field(certificate)[1:], field(certificate)[:-9] + ":"):
        with relay(path) as client, pytest.raises(httpx.TransportError):
            push(client, server.token(), client_cert=wrong)
    said = [t["sentence"] for t in server.pages("/v1/troubles", "troubles") if t["kind"] == "relay"]
    assert "requests of several clients on one connection" in "".join(said)
    assert any("client-cert field that is not a certificate" in text for text in said)
    server.assert_serving()


def test_an_address_for_relays_that_cannot_be_is_refused(fails, pushpit, folder, tmp_path):
    flags = ("serve", "--state", str(tmp_path / "s"), "--ports", "0", "--relay")
    for text in ("surely not", "host:", ":1", "70000"):
        result = fails(*flags, text)
        assert result.returncode == 2 and "listen.relay must be off, or a port such as 2199" in result.stderr
    result = fails(*flags, f"{folder}/no/such.sock")
    assert "No port for relays (--relay): cannot listen at" in result.stderr, result.stderr
    server = pushpit("--fleet", "4", "--relay", f"{folder}/a.sock")
    result = fails(*flags, f"{folder}/a.sock")
    assert "another program listens there" in result.stderr, result.stderr
    server.stop()
    assert not (folder / "a.sock").exists()
    server = pushpit("--fleet", "4", "--relay", "0")
    assert server.ready["listeners"]["relay"].startswith("127.0.0.1:")


def test_only_the_socket_of_a_server_that_was_killed_is_replaced(fails, pushpit, folder, tmp_path):
    path = folder / "a.sock"
    path.write_text("not a socket")
    result = fails("serve", "--state", str(tmp_path / "s"), "--ports", "0", "--relay", str(path))
    assert "there is a file that is not a socket" in result.stderr, result.stderr
    assert path.read_text() == "not a socket"
    path.unlink()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    server = pushpit("--fleet", "4", "--relay", str(path))
    with relay(str(path)) as client:
        assert push(client, server.token(), server.jwt) == (200, None)
