"""docs/backend.md: a backend is called, and the phone shows what it answered."""

import json
import queue
import re
import shlex
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import guides
from program import BINARY, environment

PAGE = guides.read("docs/backend.md")


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
    """The page's commands, one after the other."""
    url, asked = backend
    (serve,) = [line for line in PAGE.splitlines() if line.startswith("pushpit serve")]
    server = pushpit(*shlex.split(serve.replace("http://127.0.0.1:8080", url))[2:])
    until(asked, ("POST", "/devices/push-to-start-token"))
    commands = re.findall(r"^pushpit (?:calls|do|phone) .*$", PAGE, re.M)
    calls, follow, screen = [line.split("   #")[0].strip() for line in commands]

    def run(command: str) -> dict:
        words = [*shlex.split(command)[1:], "--json", "--state", str(server.state)]
        done = subprocess.run(
            [str(BINARY), *words], capture_output=True, text=True, timeout=30, env=environment(server.home)
        )
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
