"""Starts the real program and waits for the one line it prints. No test sleeps for it."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

import answers
import pushpit
from provider_tokens import ProviderKey
from pushpit.program import Server
from stream import after_events
from wire import TIMEOUT, Answer, Wire

REPOSITORY = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("PUSHPIT_BINARY", REPOSITORY / ".build/debug/pushpit")).absolute()
START_TIMEOUT = 60.0
STOP_TIMEOUT = 30.0

APP = "com.example.app"
STORE = "com.example.store"
LIVE_ACTIVITY = ".push-type.liveactivity"
TEAM = "PUSHPIT001"
CELLS = 4
"""Servers that divide a fleet among them."""

SMOOTH = ("--ideal", "--prompt", "never", "--set", "timing.immediate=true")
"""Phones and people that stand in no push's way: for tests that are about something else."""

ALERT = b'{"aps":{"alert":{"title":"Hello","body":"World"}}}'
BACKGROUND = b'{"aps":{"content-available":1}}'


def live_activity(event: str = "update", **fields) -> bytes:
    aps = {"timestamp": int(time.time()), "event": event, "content-state": {"home": 2, "away": 1}}
    if event == "start":
        aps |= {
            "attributes-type": "MatchAttributes",
            "attributes": {"match": "final"},
            "alert": {"title": "Kick-off", "body": "Now"},
        }
    return json.dumps({"aps": aps | fields}).encode()


def padded(size: int) -> bytes:
    """A JSON body of exactly that many bytes."""
    frame = b'{"aps":{"alert":"%s"}}'
    return frame % (b"x" * (size - len(frame) + 2))


def environment(home: Path, **changes: str) -> dict[str, str]:
    """The environment of this process without PUSHPIT_ settings, and with another home."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PUSHPIT_") and k != "XDG_STATE_HOME"}
    return kept | {"HOME": str(home)} | changes


def run(
    *arguments: str, home: Path, stdin: str | None = None, timeout: float = 60.0, **env: str
) -> subprocess.CompletedProcess:
    """Runs the program to its end."""
    return subprocess.run(
        [str(BINARY), *arguments],
        input=stdin if stdin is not None else "",
        capture_output=True,
        text=True,
        timeout=timeout,
        env=environment(home, **env),
        cwd=home,
    )


def address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    return host.strip("[]"), int(port)


@dataclass(frozen=True)
class Token:
    """A row of GET /v1/tokens."""

    text: str
    row: dict

    @property
    def device(self) -> str:
        return self.row["device"]

    @property
    def app(self) -> str:
        return self.row["app"]

    @property
    def topic(self) -> str:
        return self.row["topic"]

    def __str__(self) -> str:
        return self.text


class Pushpit:
    """A running `pushpit serve`."""

    def __init__(
        self,
        *flags: str,
        state: Path,
        home: Path,
        config: str | None = None,
        env: dict[str, str] | None = None,
        ports: bool = True,
    ):
        # Whatever the umask: a state folder that a group can write to is refused.
        state.mkdir(0o700, parents=True, exist_ok=True)
        home.mkdir(parents=True, exist_ok=True)
        self.state, self.home = state, home
        if config is not None:
            path = home / f"pushpit-{time.monotonic_ns()}.yaml"
            path.write_text(config)
            flags = ("--config", str(path), *flags)
        if ports:
            flags = ("--ports", "0", *flags)
        self.server = Server(BINARY, flags, state, START_TIMEOUT, {"HOME": str(home), **(env or {})}, home)
        # Open, because the file goes with the server.
        self._log = self.server.log.open("rb")
        self.process = self.server.process
        self.line, self.ready = self.server.line, self.server.ready
        self.ca = Path(self.ready["ca"])
        self.admin_url: str = self.ready["admin"]
        self.library = pushpit.Pushpit(answers.CheckedAdmin(self.admin_url, self.server), self.ready, APP)
        self._clients: list[httpx.Client] = []
        # Devices whose tokens were given to tests, and devices that anything was sent to.
        self._spent: set[str] = set()
        self._used: set[str] = set()
        self.admin = self.client()

    @property
    def log(self) -> str:
        """The text that the program has written to standard error so far."""
        size = os.fstat(self._log.fileno()).st_size
        return os.pread(self._log.fileno(), size, 0).decode()

    # Ending

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def wait(self, timeout: float = STOP_TIMEOUT) -> int:
        """Waits for the end and returns the exit code. The ready line must be all that was printed."""
        code = self.process.wait(timeout)
        more = b"" if self.process.stdout.closed else self.process.stdout.read()
        self.server.stop()
        assert not more, f"more than one line on standard output: {more}"
        return code

    def stop(self) -> None:
        """SIGTERM, and exit code 0."""
        for client in self._clients:
            client.close()
        if self.process.poll() is None:
            self.terminate()
        try:
            code = self.wait()
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"still running {STOP_TIMEOUT} s after SIGTERM; stderr:\n{self.log}") from None
        assert code == 0, f"exit code {code} after SIGTERM; stderr:\n{self.log}"

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.wait()

    # The wire

    def address(self, environment: str = "sandbox") -> tuple[str, int]:
        return address(self.ready["listeners"][environment])

    def url(self, environment: str = "sandbox", host: str | None = None) -> str:
        default, port = self.address(environment)
        return f"https://{host or default}:{port}"

    @property
    def key(self) -> ProviderKey:
        """The first key of the ready line, the one made on first start unless configured otherwise."""
        row = self.ready["keys"][0]
        return ProviderKey(Path(row["p8"]), row["keyId"], row["teamId"])

    def wire(self, environment: str = "sandbox", **options) -> Wire:
        return Wire(self.address(environment), self.ca, **options)

    def headers(
        self, token: Token | str, jwt: str | None = None, *, topic: str | None = None, **changes
    ) -> list[tuple[str, str]]:
        """The headers of a good push to `token`. Keywords change one (None leaves it out): push_type, priority,
        apns_id, expiration, collapse_id, authorization, method, path, authority."""
        text = str(token)
        if isinstance(token, Token):
            self._used.add(token.device)
        topic = topic or (token.topic if isinstance(token, Token) else APP)
        suffixes = {
            LIVE_ACTIVITY: "liveactivity",
            ".voip": "voip",
            ".voip-ptt": "pushtotalk",
            ".location-query": "location",
        }
        push_type = next((t for s, t in suffixes.items() if topic.endswith(s)), "alert")
        host, port = self.address()
        fields = {
            ":method": changes.pop("method", "POST"),
            ":scheme": "https",
            ":authority": changes.pop("authority", f"{host}:{port}"),
            ":path": changes.pop("path", f"/3/device/{text}"),
            "authorization": changes.pop("authorization", f"bearer {jwt or self.jwt}"),
            "apns-topic": changes.pop("apns_topic", topic),
            "apns-push-type": changes.pop("push_type", push_type),
            "apns-priority": changes.pop("priority", None),
            "apns-id": changes.pop("apns_id", None),
            "apns-expiration": changes.pop("expiration", None),
            "apns-collapse-id": changes.pop("collapse_id", None),
        }
        assert not changes, f"no such header keyword: {changes}"
        return [(name, value) for name, value in fields.items() if value is not None]

    @property
    def jwt(self) -> str:
        """A valid provider token, made once: real backends keep theirs for 20 to 60 minutes."""
        if not hasattr(self, "_jwt"):
            self._jwt = self.key.token()
        return self._jwt

    def push(
        self,
        token: Token | str,
        body: bytes | None = ALERT,
        *,
        environment: str = "sandbox",
        wire: Wire | None = None,
        **changes,
    ) -> Answer:
        """Sends a push on a separate connection, or on `wire`."""
        headers = self.headers(token, **changes)
        if wire is not None:
            return wire.request(headers, body)
        with self.wire(environment) as own:
            return own.request(headers, body)

    # The admin API

    def client(self, **options) -> httpx.Client:
        # The admin API is plain HTTP; without `verify`, httpx would read the machine's authorities for each client.
        # Each answer is compared with the OpenAPI document.
        hooks = {"response": [answers.check_response]}
        client = httpx.Client(
            base_url=self.admin_url, timeout=30, trust_env=False, verify=False, event_hooks=hooks, **options
        )
        self._clients.append(client)
        return client

    def get(self, path: str, **query) -> dict:
        return self.library.admin.get(path, **query)

    def pages(self, path: str, field: str, **query) -> Iterator[dict]:
        return self.library.admin.pages(path, field, **query)

    def each_token(
        self,
        kind: str = "device",
        app: str | None = APP,
        environment: str | None = "sandbox",
        live: bool = True,
        limit: int = 1000,
        **query,
    ) -> Iterator[Token]:
        """Asks for pages of `limit`, and for the next one only when it is wanted."""
        query |= {"kind": kind, "app": app, "environment": environment, "live": live, "limit": limit}
        for row in self.pages("/v1/tokens", "tokens", **query):
            yield Token(row["token"], row)

    def tokens(self, *what: str | None, **query) -> list[Token]:
        return list(self.each_token(*what, **query))

    def first_token(self, *what: str | None, **query) -> Token:
        return next(self.each_token(*what, limit=1, **query))

    def token(self, kind: str = "device", app: str = APP, environment: str = "sandbox", online: bool = True) -> Token:
        """A live token of a device that no test has, so that none disturbs another's; of one that nothing was sent to,
        if there is one left."""
        used = None
        for token in self.each_token(kind, app, environment, limit=50):
            if token.device in self._spent or (used and token.device in self._used):
                continue
            if online and not self.device(token.device)["online"]:
                continue
            if token.device not in self._used:
                break
            used = token
        else:
            token = used
        assert token, f"no unused {kind} token of {app} in {environment} is left: start with a larger fleet"
        self._spent.add(token.device)
        return token

    def device(self, identifier: str) -> dict:
        return self.get(f"/v1/devices/{identifier}")

    def install(self, device: str, app: str = APP) -> dict:
        return next(i for i in self.device(device)["apps"] if i["bundleId"] == app)

    def act(self, device: str, do: str, **fields) -> dict:
        return self.library.admin.post(f"/v1/devices/{device}/actions", {"do": do, **fields})

    def start_activity(
        self, app: str = APP, attributes_type: str = "MatchAttributes", device: str | None = None
    ) -> tuple[Token, dict]:
        """Starts a Live Activity by command and returns its update token and the activity's row. A phone may need
        a moment of its own time before the token is there: it is given that time."""
        device = device or self.welcoming(app)
        before = {a["id"] for a in self.install(device, app)["activities"]}
        self.act(device, "startActivity", app=app, attributesType=attributes_type)

        def started() -> dict | None:
            [new] = [a for a in self.install(device, app)["activities"] if a["id"] not in before]
            return new if new["updateToken"] else None

        activity, manual = started(), self.clock()["mode"] == "manual"
        deadline = time.monotonic() + TIMEOUT
        while manual and not activity:
            assert time.monotonic() < deadline, f"no update token of {app} on {device}"
            self.advance("1s")
            activity = started()
        activity = activity or after_events(self, started, device=device)
        row = {"device": device, "app": app, "topic": app + LIVE_ACTIVITY, "kind": "update"}
        return Token(activity["updateToken"], row), activity

    def welcoming(self, app: str = APP) -> str:
        """A device of its own whose owner allows Live Activities and has not force-quit the app."""
        while True:
            device = self.token("pushToStart", app).device
            install = self.install(device, app)
            if install["liveActivities"] and install["state"] != "forceQuit":
                return device

    def clock(self) -> dict:
        return self.library.clock.state()

    def advance(self, duration: str) -> dict:
        return self.library.clock.advance(duration)

    def pushes(self, **query) -> list[dict]:
        return self.get("/v1/pushes", **query)["pushes"]

    def recorded(self, answer: Answer) -> dict:
        """The ledger's entry for an answer."""
        return self.get(f"/v1/pushes/{answer.header('apns-id')}")

    # Watching the process

    def resident_bytes(self) -> int:
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise AssertionError("no VmRSS")

    def assert_serving(self, jwt: str | None = None) -> None:
        """Still there, and a new connection gets a push through."""
        assert self.process.poll() is None, f"the server ended with {self.process.returncode}; stderr:\n{self.log}"
        assert self.get("/health") == {"status": "ok"}
        assert self.push(self.first_token(), jwt=jwt).verdict == (200, None)


@contextmanager
def serving(*flags: str, **options):
    server = Pushpit(*flags, **options)
    try:
        yield server
    finally:
        server.stop()
