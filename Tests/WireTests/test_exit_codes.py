"""docs/exit-codes.md: every row of its tables is played against a running server."""

import contextlib
import http.server
import json
import re
import shlex
import signal
import subprocess
import threading
from dataclasses import dataclass

import pytest

from program import BINARY, REPOSITORY, Pushpit, environment, run

pytestmark = pytest.mark.tools

PAGE = (REPOSITORY / "docs/exit-codes.md").read_text()
ROW = re.compile(r"^\| `(.+)` \| (\d+) \|(.*)\|$", re.MULTILINE)
EVERY, EXAMPLES = PAGE.partition("## Every command")[2].split("## Examples")
INTRODUCTION = EVERY.partition("| each of them")[0]
USERS = re.findall(r"`([^`]+)`", INTRODUCTION.replace("\n", " "))
ROWS = [(words.removeprefix("pushpit "), int(code), why.strip()) for words, code, why in ROW.findall(EXAMPLES)]
ROWS += [(f"{user} {flags}", int(code), why.strip()) for flags, code, why in ROW.findall(EVERY) for user in USERS]

STORY = """
settings: {fleet: {devices: 2, ideal: true}}
steps:
  - push: {payload: {aps: {alert: {title: Hello, body: World}}}}
  - at: 60s
    push: {payload: {aps: {alert: {title: Bye, body: World}}}}
expect:
  - pushes: {}
    count: COUNT
"""
TRACES = re.compile(r"Fatal error|Stack dump|Traceback|Thread \d|0x[0-9a-f]{8}|\.swift:\d+")


class Listener(http.server.ThreadingHTTPServer):
    """A web server that is no Pushpit of this version. It counts the requests that could change it."""

    def __init__(self, ready: dict | None):
        self.changes: list[str] = []
        listener = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                found = ready is not None and self.path == "/v1/ready"
                body = json.dumps(ready).encode() if found else b"<h1>It works!</h1>"
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                listener.changes.append(f"{self.command} {self.path}")
                self.send_error(501)

            do_DELETE = do_PUT = do_PATCH = do_POST

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextlib.contextmanager
def listening(ready: dict | None):
    listener = Listener(ready)
    thread = threading.Thread(target=listener.serve_forever, daemon=True)
    thread.start()
    try:
        yield listener
    finally:
        listener.shutdown()
        thread.join()
        listener.server_close()


@dataclass
class Stage:
    server: Pushpit
    stranger: Listener
    other: Listener

    @property
    def env(self) -> dict[str, str]:
        return {"PUSHPIT_STATE": str(self.server.state)}

    def words(self, text: str) -> list[str]:
        places = {
            "$STRANGER": self.stranger.url,
            "$OTHER": self.other.url,
            "$ADMIN": self.server.admin_url,
            "$PORT": str(self.server.address()[1]),
        }
        return [places.get(word, word) for word in shlex.split(text)]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory):
    base = tmp_path_factory.mktemp("codes")
    server = Pushpit("--for-tests", "--fleet", "3", state=base / "state", home=base / "home")
    home = server.home
    (home / "empty").mkdir(0o700)
    (home / "open").mkdir()
    (home / "open").chmod(0o777)
    (home / "story.yaml").write_text(STORY.replace("COUNT", "4"))
    (home / "failing.yaml").write_text(STORY.replace("COUNT", "5"))
    (home / "broken.yaml").write_text("steps: nonsense\n")
    (home / "text.txt").write_text("Neither a tape nor a key.\n")
    (home / "payload.json").write_text('{"aps":{"alert":{"title":"Hello","body":"World"}}}')
    made = run("simulate", "story.yaml", "--tape", "run.tape", home=home)
    assert made.returncode == 0, made.stdout + made.stderr
    tape = (home / "run.tape").read_bytes()
    (home / "cut.tape").write_bytes(tape[:-3])
    (home / "cut.tape").chmod(0o600)
    assert run("send", "--to", "d0", "--state", str(server.state), home=home).returncode == 0
    assert run("report", "run.tape", "--json", "run.json", home=home).returncode == 0
    loaded = run("load", "--count", "5", "--json", "--state", str(server.state), home=home)
    assert loaded.returncode == 0, loaded.stderr
    (home / "load.json").write_text(loaded.stdout)
    with listening(None) as stranger, listening(server.ready | {"protocol": 999}) as other:
        yield Stage(server, stranger, other)
        # Whatever was asked for, neither was changed.
        assert stranger.changes == [] and other.changes == []
    server.stop()


def interrupted(stage: Stage, words: list[str]) -> tuple[int, str]:
    """Presses Ctrl-C as soon as the program has written anything; a server, its ready line."""
    process = subprocess.Popen(
        [str(BINARY), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment(stage.server.home, **stage.env),
        cwd=stage.server.home,
        # A shell lets what it starts in the background ignore Ctrl-C, and this test with it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    first = process.stdout.readline()
    while words[0] == "serve" and first and not first.startswith("{"):
        first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=60)
    # A shell reports 130 for a program that the signal has ended.
    code = 128 - process.returncode if process.returncode < 0 else process.returncode
    return code, first + rest


@pytest.mark.parametrize("text, code, why", ROWS, ids=[f"{text} -> {code}" for text, code, _ in ROWS])
def test_a_command_ends_with_the_code_that_the_page_says(stage, text, code, why):
    words = stage.words(text)
    if "Ctrl-C" in why:
        ended, said = interrupted(stage, words)
        assert ended == code, said
        return
    before = stage.server.admin.get("/v1/pushes?limit=1").json() if code == 4 else None
    result = run(*words, home=stage.server.home, **stage.env)
    shown = f"{result.returncode}\n{result.stdout}\n{result.stderr}"
    assert result.returncode == code, shown
    assert not TRACES.search(result.stdout + result.stderr), shown
    if code in (2, 4):
        first, *more = result.stderr.splitlines()
        # The parser's errors are followed by the usage.
        assert first.startswith("Error: "), shown
        assert not more or re.match(r"Help: |Usage: |  See |", more[0])[0], shown
    if before is not None:
        assert stage.server.admin.get("/v1/pushes?limit=1").json() == before, "the wrong server was struck"


def test_every_command_is_in_the_table():
    listed = run("--help", home=REPOSITORY).stdout
    commands = set(re.findall(r"^  (?:[a-z]+)? +([a-z]+) +[A-Z]", listed, re.MULTILINE))
    assert {"serve", "send", "health"} <= commands
    assert commands - {text.split()[0] for text, _, _ in ROWS} == set()


def test_the_help_of_no_command_contradicts_the_table():
    for command in {text.split()[0] for text, _, _ in ROWS} - {"nonsense"}:
        text = " ".join(run(command, "--help", home=REPOSITORY).stdout.split())
        for said in re.findall(r"Exit codes: (.*?)\. ", text):
            assert set(re.findall(r"(?:^|[,;] )(\d+) ", said)) <= {"0", "1", "2", "3", "4", "130"}, command
