"""Code shared by the benchmarks: the two servers, the load, and how their cost is measured."""

import base64
import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

REPOSITORY = Path(__file__).resolve().parents[1]
BINARY = Path(os.environ.get("PUSHPIT_BINARY", REPOSITORY / ".build/release/pushpit"))
APP = Path(__file__).resolve().parent / "app.yaml"
BODY_BYTES = 600
SMOOTH = ("--ideal", "--set", "budgets.update.standardCapacity=1000000")
"""Settings with which phones show every push at once."""


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
    def encode(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    private: ec.EllipticCurvePrivateKey = serialization.load_pem_private_key(Path(key["p8"]).read_bytes(), None)
    header = encode(json.dumps({"alg": "ES256", "kid": key["keyId"]}).encode())
    claims = encode(json.dumps({"iss": key["teamId"], "iat": int(time.time())}).encode())
    r, s = decode_dss_signature(private.sign(f"{header}.{claims}".encode(), ec.ECDSA(hashes.SHA256())))
    return f"{header}.{claims}.{encode(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def read_line(process: subprocess.Popen, timeout: float, what: str) -> str:
    deadline, line = time.monotonic() + timeout, b""
    while not line.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
            process.kill()
            sys.exit(f"{what} was not ready within {timeout:.0f} s")
        byte = process.stdout.read1(65_536)
        if not byte:
            sys.exit(f"{what} ended with {process.wait()} before it was ready")
        line += byte
    return line.decode()


def finish(process: subprocess.Popen) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def pushpit(state: Path, *flags: str, before: tuple[str, ...] = (), timeout: float = 120):
    """A separate server on free ports; yields the process and what it printed."""
    if not BINARY.exists():
        sys.exit(f"{BINARY} is not there: swift build -c release")
    binary = BINARY
    if before:
        # Valgrind 3.19 cannot read the debug sections of this compiler; the symbol table is enough for it.
        binary = state.parent / "pushpit-stripped"
        subprocess.run(["strip", "-g", "-o", str(binary), str(BINARY)], check=True)
    command = [
        *before,
        str(binary),
        "serve",
        "--state",
        str(state),
        "--port",
        "0",
        "--production-port",
        "0",
        "--admin-port",
        "0",
        "--channels-port",
        "0",
        "--production-channels-port",
        "0",
        *flags,
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        yield process, json.loads(read_line(process, timeout, "pushpit"))
    finally:
        finish(process)


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


def update_tokens(admin: str, app: str = "com.example.app") -> list[tuple[str, str]]:
    """(token, device) of every live update token of the app, page by page."""
    found, cursor = [], None
    while True:
        query = {"kind": "update", "app": app, "environment": "sandbox", "live": "true", "limit": "1000"}
        if cursor:
            query["cursor"] = cursor
        with urllib.request.urlopen(f"{admin}/v1/tokens?{urllib.parse.urlencode(query)}", timeout=60) as response:
            page = json.load(response)
        found += [(t["token"], t["device"]) for t in page["tokens"]]
        cursor = page["next"]
        if cursor is None:
            return found


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


def scratch() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="pushpit-bench-")
