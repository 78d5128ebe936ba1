"""What README.md shows is run as it stands, with only ports and paths changed."""

import json
import queue
import re
import shlex
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
import yaml

from program import BINARY

README = Path(__file__).parents[2] / "README.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README.read_text(), re.S | re.M)


def commands(start: str) -> list[str]:
    lines = [line.split("   #")[0].strip() for block in blocks("sh") for line in block.splitlines()]
    return [line for line in lines if line.startswith(start)]


def finite_commands() -> list[str]:
    return [command for command in commands("pushpit ") if not command.startswith("pushpit serve")]


@pytest.mark.parametrize("command", finite_commands())
def test_commands_shown_succeed(server, command):
    words = shlex.split(command)
    words[0] = str(BINARY)
    if words[1] != "settings":
        words += ["--state", str(server.state), "--server", server.url(), "--admin", server.admin_url]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_there_are_commands_to_run():
    assert len(finite_commands()) >= 3
    assert len(inline_curls()) >= 4


def inline_curls() -> list[str]:
    return re.findall(r"`(curl [^`]+)`", README.read_text())


@pytest.mark.parametrize("command", inline_curls())
def test_curl_lines_shown_succeed(pushpit, command):
    server = pushpit("--fleet", "3")
    answer = server.push(server.token("device"))
    command = command.replace("http://127.0.0.1:2190", server.admin_url).replace("<apns-id>", answer.header("apns-id"))
    done = subprocess.run(["bash", "-c", command + " -sS -f"], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


def orders() -> list[tuple[str, str]]:
    """Each JSON body that the table of the admin API shows, with the path of its row."""
    rows = re.findall(r"^\| ([^|]*`POST [^|]*) \| (.*) \|$", README.read_text(), re.M)
    return [
        (re.search(r"`POST ([^`]+)`", route)[1], body)
        for route, words in rows
        for body in re.findall(r"`(\{[^`]*\})`", words)
    ]


@pytest.mark.parametrize("path, body", orders())
def test_orders_shown_in_the_table_are_taken(pushpit, path, body):
    server = pushpit("--fleet", "100")
    response = server.admin.post(path, content=body, headers={"content-type": "application/json"})
    assert response.status_code == 200, response.text
    if "share" in body:
        assert 1 <= response.json()["done"] <= 30


def test_there_are_orders_to_try():
    assert {"/v1/actions", "/v1/devices/d0/actions"} <= {path for path, _ in orders()}


def test_the_clock_shown_is_moved(pushpit):
    (command,) = re.findall(r"`(curl -X POST [^`]*/v1/clock [^`]*)`", README.read_text())
    server = pushpit("--fleet", "1")
    assert json.loads(
        subprocess.run(
            ["bash", "-c", command.replace("http://127.0.0.1:2190", server.admin_url) + " -sS -f"],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        ).stdout
    )["now"]


def test_the_ready_line_shown_has_the_real_members(server):
    (shown,) = [json.loads(b) for b in blocks("json")]
    assert set(shown) == set(server.ready)
    assert set(shown["keys"][0]) == set(server.ready["keys"][0])
    assert set(shown["fleet"]) == set(server.ready["fleet"])


def test_the_configuration_shown_starts_a_server(pushpit, tmp_path, server):
    (text,) = [b for b in blocks("yaml") if b.startswith("listen:")]
    shown = yaml.safe_load(text)
    assert shown["listen"] == {
        "host": "127.0.0.1",
        "sandbox": 2197,
        "production": 2198,
        "channels": 2195,
        "productionChannels": 2196,
        "admin": 2190,
    }
    config = tmp_path / "pushpit.yaml"
    key = server.ready["keys"][0]["p8"]
    config.write_text(text.replace("AuthKey_ABCDE12345.p8", key))
    started = pushpit("--config", str(config))
    assert "ABCDE12345" in [k["keyId"] for k in started.ready["keys"]]
    assert started.push(started.token("device")).verdict == (200, None)


def test_every_yaml_shown_is_a_configuration(pushpit, server):
    """Each block starts a server as it stands, with only ports and paths changed."""
    shown = blocks("yaml")
    assert len(shown) >= 3
    key = server.ready["keys"][0]["p8"]
    for text in shown:
        pushpit("--fleet", "3", config=text.replace("AuthKey_ABCDE12345.p8", key)).stop()


def test_the_shares_shown_are_the_defaults(fails):
    """The table of the fleet as it comes, number by number."""
    said = fails("settings", "fleet").stdout
    default = dict(re.findall(r"^  fleet\.(?:mix\.)?(\w+): (\S+)", said, re.M))
    rows = re.findall(r"^\| ([^|]*%[^|]*) \| ((?:`[\w.]+`(?:, )?)+) \|$", README.read_text(), re.M)
    mix = [
        (re.findall(r"[\d.]+%", text), re.findall(r"`(\w+)`", keys)) for text, keys in rows if "fleet.os" not in keys
    ]
    assert sum(len(keys) for _, keys in mix) >= 9
    for shares, keys in mix:
        assert shares[: len(keys)] == [default[k] for k in keys]
        assert shares[len(keys) :] in ([], ["5%"])  # of the notification prompt: who has not been asked
    (versions,) = [text for text, keys in rows if "fleet.os" in keys]
    parts = [share.split(":") for share in default["os"].split(",")]
    assert [f"{p}%" for _, p in parts] == re.findall(r"\d+%", versions)


def test_runs_shown_start(pushpit):
    """`make run ARGS="…"`, with ports of the test's own."""
    shown = re.findall(r'make run ARGS="([^"]+)"', README.read_text())
    assert len(shown) >= 3
    for flags in shown:
        pushpit(*shlex.split(flags)).stop()


def test_routes_named_in_the_table_answer(server):
    table = README.read_text().split("## The admin API")[1].split("## Settings")[0]
    routes = [r for r in re.findall(r"`(?:GET )?(/[a-z0-9/{}\-]*)`", table) if "{" not in r]
    assert len(routes) >= 8
    for route in routes:
        assert httpx.get(server.admin_url + route).status_code == 200, route


def test_lint_says_what_is_shown(fails, tmp_path):
    (schemas,) = [b for b in blocks("yaml") if b.startswith("fleet:") and "striker" in b]
    (tmp_path / "app.yaml").write_text(schemas)
    ((command, said),) = re.findall(r"^\$ pushpit (lint [^\n]*)\n(.*?)^```", README.read_text(), re.S | re.M)
    words = shlex.split(command)
    result = fails(*[str(tmp_path / w) if w == "app.yaml" else w for w in words])
    assert (result.returncode, result.stdout) == (1, said)


@pytest.fixture
def backend():
    """A backend that follows everything and knows nothing live; yields its URL and what it is asked."""
    asked: queue.Queue[tuple[str, str]] = queue.Queue()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self):
            self.rfile.read(int(self.headers.get("content-length", 0)))
            asked.put((self.command, self.path))
            body = b'{"follows":[],"live":false}'
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = answer

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


def until(asked: queue.Queue, wanted: tuple[str, str]) -> None:
    while asked.get(timeout=60) != wanted:
        pass


def test_the_backend_end_to_end(pushpit, backend):
    """The commands of "Your backend, end to end", one after the other."""
    url, asked = backend
    (serve,) = commands("pushpit serve")
    server = pushpit(*shlex.split(serve.replace("http://127.0.0.1:8080", url))[2:])
    until(asked, ("POST", "/devices/push-to-start-token"))
    section = README.read_text().split("## Your backend, end to end")[1].split("\n## ")[0]
    calls, follow, screen = [line.split("   #")[0].strip() for line in re.findall(r"^curl .*$", section, re.M)]

    def run(command: str) -> dict:
        words = [word.replace("http://127.0.0.1:2190", server.admin_url) for word in shlex.split(command)]
        done = subprocess.run([*words, "-sS", "-f"], capture_output=True, text=True, timeout=30)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    assert run(follow)["device"]["id"] == "d0"
    until(asked, ("POST", "/matches/m1/follow"))
    bells = run(screen)["bells"]
    assert bells == [{"app": "com.sightscreen.app", "key": "m1", "bell": "filled"}]
    # The answer comes in through a door of its own: another call of d0 after it shows that it has.
    server.act("d0", "use", action="unfollow", arguments={"matchId": "m1"})
    until(asked, ("POST", "/matches/m1/unfollow"))
    (call,) = [call for call in run(calls)["calls"] if call["event"] == "action.follow"]
    assert (call["method"], call["url"], call["status"]) == ("POST", f"{url}/matches/m1/follow", 200)
    assert call["answer"] == {"follows": [], "live": False}
