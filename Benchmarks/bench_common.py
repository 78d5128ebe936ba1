"""Code shared by the benchmarks: the two servers, the load, and how their cost is measured."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import jwt

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Clients/python/src"))

from pushpit import Pushpit

REPOSITORY = Path(__file__).resolve().parents[1]

BINARY = Path(os.environ.get("PUSHPIT_BINARY", REPOSITORY / ".build/release/pushpit"))
APP = Path(__file__).resolve().parent / "app.yaml"
BODY_BYTES = 600
SMOOTH = {
    "ideal": True,
    "settings": {"budgets.update.standardCapacity": 1000000},
    "token_requests_per_second": 0,
}
"""Flags with which phones show every push at once."""
UPDATES = {**SMOOTH, "config": APP, "loops": 1}
"""Flags of a server with a loop, for updates of Live Activities."""


def need(*tools: str) -> None:
    missing = [t for t in tools if shutil.which(t, path=os.environ["PATH"] + ":/usr/sbin") is None]
    if missing:
        sys.exit(f"missing: {', '.join(missing)} (Debian: nghttp2-client, nghttp2-server, util-linux, valgrind)")


def nghttpd_path() -> str:
    return shutil.which("nghttpd") or "/usr/sbin/nghttpd"


def body() -> bytes:
    """A Live Activity update of 600 bytes."""
    aps = {
        "timestamp": int(time.time()) + 60,
        "event": "update",
        "content-state": {"home": 2, "away": 1, "minute": 61, "text": ""},
    }
    size = len(json.dumps({"aps": aps}))
    aps["content-state"]["text"] = "x" * (BODY_BYTES - size)
    data = json.dumps({"aps": aps}).encode()
    assert len(data) == BODY_BYTES
    return data


def provider_token(key: dict) -> str:
    claims = {"iss": key["teamId"], "iat": int(time.time())}
    return jwt.encode(claims, Path(key["p8"]).read_text(), "ES256", {"kid": key["keyId"]})


def finish(running: subprocess.Popen | Pushpit) -> None:
    """Ends a process. Valgrind takes longer than the library waits."""
    process = running.server.process if isinstance(running, Pushpit) else running
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def pushpit(state: Path, *, before: tuple[str, ...] = (), program: Path = BINARY, timeout: float = 120, **flags):
    """A separate server as users start it, not as tests do; `before` are words before its command."""
    if before:
        # Valgrind 3.19 cannot read the debug sections of this compiler; the symbol table is enough for it.
        stripped = state.parent / "pushpit-stripped"
        subprocess.run(["strip", "-g", "-o", str(stripped), str(program)], check=True)
        program = state.parent / f"{state.name}-pushpit"
        program.write_text(f'#!/bin/sh\nexec {shlex.join([*before, str(stripped)])} "$@"\n')
        program.chmod(0o755)
    flags = {"for_tests": False, "drain_time": None, **flags}
    with Pushpit.start(program=program, state=state, timeout=timeout, **flags) as server:
        server.admin.timeout = 600
        yield server
        finish(server)


def pid(server: Pushpit) -> int:
    return server.server.process.pid


def grind(folder: Path, run: str, *more: str) -> tuple[str, ...]:
    """The words before a command whose instructions are counted."""
    return ("valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/callgrind.{run}", "--error-limit=no", *more)


@contextmanager
def nghttpd(folder: Path, key: Path, certificate: Path, port: int, before: tuple[str, ...] = (), timeout: float = 60):
    """Debian's nghttpd with a small static file at /3/device, so that the request line can be as long as ours."""
    htdocs = folder / "htdocs"
    (htdocs / "3").mkdir(parents=True, exist_ok=True)
    (htdocs / "3/device").write_text("Hello, world!")
    command = [
        *before,
        nghttpd_path(),
        "-a",
        "127.0.0.1",
        "-n",
        "1",
        "-m",
        "1000",
        "-d",
        str(htdocs),
        str(port),
        str(key),
        str(certificate),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for_port(port, process, timeout)
        yield process
    finally:
        finish(process)


def wait_for_port(port: int, process: subprocess.Popen, timeout: float) -> None:
    import socket

    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if process.poll() is not None:
            sys.exit(f"{process.args[0]} ended with {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"nothing listens on {port}")


def free_port() -> int:
    import socket

    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def leaf(ready: dict, folder: Path) -> tuple[Path, Path]:
    """Key and certificate for nghttpd: Pushpit's own certificate if its state folder has one, else a similar one (ECDSA
    P-256), so that both have the cost of the same handshake and the same records."""
    state = Path(ready["ca"]).parent
    for key in state.rglob("*"):
        if not key.is_file() or "ca" in key.stem.lower() or key.suffix == ".p8":
            continue
        if b"PRIVATE KEY-----" in key.read_bytes():
            for certificate in key.parent.iterdir():
                if (
                    certificate.is_file()
                    and b"BEGIN CERTIFICATE" in certificate.read_bytes()
                    and "ca" not in certificate.stem.lower()
                ):
                    return key, certificate
    key, certificate = folder / "leaf.key", folder / "leaf.crt"
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
            "2",
            "-subj",
            "/CN=localhost",
            "-keyout",
            key,
            "-out",
            certificate,
        ],
        check=True,
        capture_output=True,
    )
    return key, certificate


def update_tokens(server: Pushpit) -> list[tuple[str, str]]:
    """(token, device) of every live update token of the app."""
    query = {"kind": "update", "app": "com.example.app", "environment": "sandbox", "live": True}
    return [(row["token"], row["device"]) for row in server.admin.pages("/v1/tokens", "tokens", **query)]


@dataclass
class Load:
    """The requests of an h2load run: equal headers, body and path length for both servers."""

    headers: list[str]
    body: Path
    uris: Path
    base: str

    @classmethod
    def make(cls, folder: Path, name: str, base: str, separator: str, tokens: list[str], jwt: str) -> "Load":
        payload, uris = folder / "body.json", folder / f"uris-{name}.txt"
        payload.write_bytes(body())
        uris.write_text("".join(f"{base}/3/device{separator}{token}\n" for token in tokens))
        headers = {
            "authorization": f"bearer {jwt}",
            "apns-topic": "com.example.app.push-type.liveactivity",
            "apns-push-type": "liveactivity",
            "apns-priority": "10",
            "content-type": "application/json",
        }
        return cls([x for n, v in headers.items() for x in ("-H", f"{n}: {v}")], payload, uris, base)

    @classmethod
    def of(cls, folder: Path, server: Pushpit, tokens: list[str], name: str = "pushpit") -> "Load":
        return cls.make(folder, name, server.apns(), "/", tokens, provider_token(server.key))

    def alerts(self, app: str = "com.example.app") -> "Load":
        """Changed to alerts; their body is to be written."""
        topic = "com.example.app.push-type.liveactivity"
        self.headers = [line.replace(topic, app).replace("liveactivity", "alert") for line in self.headers]
        return self

    def run(self, connections: int, streams: int, requests: int, core: int | None) -> float:
        """Sends the requests, requires 2xx for all of them, and returns requests per second."""
        pin = ["taskset", "-c", str(core)] if core is not None else []
        done = subprocess.run(
            [
                *pin,
                "h2load",
                "-n",
                str(requests),
                "-c",
                str(connections),
                "-m",
                str(streams),
                "-t",
                "1",
                "-d",
                str(self.body),
                "-i",
                str(self.uris),
                *self.headers,
            ],
            capture_output=True,
            text=True,
        )
        status = re.search(r"^status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", done.stdout, re.M)
        if not status or [int(n) for n in status.groups()] != [requests, 0, 0, 0]:
            sys.exit(f"not every answer of {self.base} was 2xx:\n{done.stdout[-2000:]}{done.stderr[-1000:]}")
        return float(re.search(r"([\d.]+) req/s", done.stdout).group(1))


def cpu_nanoseconds(pid: int) -> int:
    """CPU time of all threads of a process, as the scheduler counts it."""
    return sum(int((task / "schedstat").read_text().split()[0]) for task in Path(f"/proc/{pid}/task").iterdir())


def megabytes(pid: int, name: str = "VmRSS") -> float:
    """A number of /proc/PID/status, by default resident memory."""
    found = re.search(rf"^{name}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.M)
    return int(found[1]) / 1024


def scratch() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="pushpit-bench-")
