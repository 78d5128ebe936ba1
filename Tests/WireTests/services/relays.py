"""Debian's HAProxy before cells, with the configuration that the program prints."""

import os
import socket
import ssl
import subprocess
import threading
from contextlib import contextmanager
from pathlib import Path

import httpx

from program import run
from tools import need
from wire import TIMEOUT


def free_ports(count: int) -> int:
    """The first of so many ports in a row, outside the range from which the system serves port 0."""
    for first in range(21_000 + os.getpid() % 80 * 100, 31_000, count):
        sockets = [socket.socket() for _ in range(count)]
        try:
            for offset, one in enumerate(sockets):
                one.bind(("127.0.0.1", first + offset))
        except OSError:
            continue
        finally:
            for one in sockets:
                one.close()
        return first
    raise AssertionError("no free ports")


def printed(home: Path, *flags: str) -> str:
    done = run("cells", "haproxy", *flags, home=home)
    assert done.returncode == 0, done.stderr
    return done.stdout


def files(state: Path, home: Path) -> list[str]:
    """HAProxy's certificate, made of the state folder's as the configuration says."""
    pem = home / "haproxy.pem"
    pem.write_text((state / "tls.pem").read_text() + (state / "tls-key.pem").read_text())
    return ["--certificate", str(pem), "--authority", str(state / "ca.pem")]


@contextmanager
def haproxy(configuration: str, port: int, home: Path):
    """Runs until the end of the block, and listens at its beginning."""
    path, said = home / "haproxy.cfg", home / "haproxy.log"
    path.write_text(configuration)
    with said.open("w") as log:
        process = subprocess.Popen([need("haproxy", "haproxy"), "-db", "-f", str(path)], stdout=log, stderr=log)
        try:
            for _ in range(int(TIMEOUT / 0.1)):
                assert process.poll() is None, said.read_text()
                with socket.socket() as attempt:
                    if attempt.connect_ex(("127.0.0.1", port)) == 0:
                        break
                threading.Event().wait(0.1)
            else:
                raise AssertionError(f"HAProxy does not listen at port {port}: {said.read_text()}")
            yield process
        finally:
            process.terminate()
            process.wait(TIMEOUT)


def sender(authority: Path, port: int, certificate: Path | None = None) -> httpx.Client:
    context = ssl.create_default_context(cafile=str(authority))
    if certificate is not None:
        context.load_cert_chain(str(certificate))
    return httpx.Client(
        http2=True, verify=context, base_url=f"https://localhost:{port}", timeout=TIMEOUT, trust_env=False
    )


def relay(path: str) -> httpx.Client:
    """A relay of the test's own: HTTP/2 by prior knowledge at a Unix socket."""
    transport = httpx.HTTPTransport(http1=False, http2=True, uds=str(path))
    return httpx.Client(transport=transport, base_url="http://localhost", timeout=TIMEOUT)
