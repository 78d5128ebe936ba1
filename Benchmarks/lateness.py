#!/usr/bin/env python3
"""The lateness of delayed answers: faults that delay answers, measured in wall time by a client, beside a bare timer.

One push at a time, and after each of them one sleep of this process for the same time. The pushes' lateness beyond that
of the bare timer is the cost of Pushpit, TLS and two wake-ups of a client and a server. The draws of a lognormal delay
follow from the seed, so the same pushes are sent to two servers with one seed, and each draw is taken to be the shorter
of its two answers; its error is how much longer the other took."""

import argparse
import socket
import ssl
import time
import urllib.parse
from pathlib import Path

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, ResponseReceived, StreamEnded

from bench_common import SMOOTH, Pushpit, provider_token, pushpit, scratch

FIXED = (5, 20, 50, 200)
LOGNORMAL = {"median": "30ms", "p99": "150ms"}
LIMIT = 2.0
"""Milliseconds that the p99 error may lie above the bare timer's."""


class Client:
    """A client with a connection, and one push at a time."""

    def __init__(self, server: Pushpit):
        address = urllib.parse.urlsplit(server.apns())
        context = ssl.create_default_context(cafile=server.ca)
        context.set_alpn_protocols(["h2"])
        plain = socket.create_connection((address.hostname, address.port), timeout=60)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = context.wrap_socket(plain, server_hostname="localhost")
        self.http = H2Connection(H2Configuration(client_side=True))
        self.http.initiate_connection()
        self.headers = [
            (":method", "POST"),
            (":scheme", "https"),
            (":authority", "localhost"),
            ("apns-topic", "com.example.app"),
            ("authorization", f"bearer {provider_token(server.key)}"),
        ]

    def push(self, token: str) -> float:
        """Milliseconds from the request's last byte to the end of its answer."""
        stream = self.http.get_next_available_stream_id()
        self.http.send_headers(stream, [(":path", f"/3/device/{token}"), *self.headers])
        self.http.send_data(stream, b'{"aps":{"alert":"late"}}', end_stream=True)
        self.socket.sendall(self.http.data_to_send())
        began, status = time.monotonic_ns(), None
        while True:
            for event in self.http.receive_data(self.socket.recv(65_536)):
                if isinstance(event, ResponseReceived):
                    status = dict(event.headers)[b":status"]
                elif isinstance(event, DataReceived):
                    self.http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, StreamEnded):
                    took = (time.monotonic_ns() - began) / 1e6
                    assert status == b"200", status
                    return took
            if pending := self.http.data_to_send():
                self.socket.sendall(pending)

    def close(self) -> None:
        self.socket.close()


def delayed(folder: Path, delay: object, count: int, bare_for: float | None) -> tuple[list[float], list[float]]:
    """The times that `count` pushes took, and the lateness of a bare timer of `bare_for` milliseconds after each."""
    took, bare = [], []
    with pushpit(folder / "state", **SMOOTH, fleet=10, seed=1, loops=1) as server:
        token = server.phone("d0").token()
        client = Client(server)
        client.push(token)
        server.fault(delay=delay)
        for _ in range(count):
            took.append(client.push(token))
            if bare_for is not None:
                began = time.monotonic_ns()
                time.sleep(bare_for / 1000)
                bare.append((time.monotonic_ns() - began) / 1e6 - bare_for)
        client.close()
    return took, bare


def percentile(list_: list[float], share: float) -> float:
    ordered = sorted(list_)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--count", type=int, default=300, help="pushes for each delay (default 300)")
    arguments = parse.parse_args()
    worst = 0.0
    print(f"error in ms, {arguments.count} pushes each, one at a time; a bare timer after each\n")
    print(f"{'delay':<26}{'p50':>8}{'p99':>8}{'bare p50':>12}{'bare p99':>10}{'p99 above bare':>18}")

    def row(name: str, errors: list[float], bare: list[float]) -> None:
        nonlocal worst
        above = percentile(errors, 0.99) - percentile(bare, 0.99)
        worst = max(worst, above)
        print(
            f"{name:<26}{percentile(errors, 0.5):>8.2f}{percentile(errors, 0.99):>8.2f}{percentile(bare, 0.5):>12.2f}"
            f"{percentile(bare, 0.99):>10.2f}{above:>18.2f}",
            flush=True,
        )

    with scratch() as name:
        folder = Path(name)
        for delay in FIXED:
            took, bare = delayed(folder, f"{delay}ms", arguments.count, float(delay))
            row(f"{delay} ms", [t - delay for t in took], bare)
        first, bare = delayed(folder, LOGNORMAL, arguments.count, 30.0)
        second, more = delayed(folder, LOGNORMAL, arguments.count, 30.0)
        drawn = [min(pair) for pair in zip(first, second)]
        row("lognormal 30/150 ms", [max(pair) - min(pair) for pair in zip(first, second)], bare + more)
        print(
            f"\nlognormal: median {percentile(drawn, 0.5):.1f} ms, p99 {percentile(drawn, 0.99):.1f} ms of "
            f"{len(drawn)} draws"
        )
    print(f"limit {LIMIT} ms above the bare timer's p99: {'kept' if worst <= LIMIT else 'BROKEN'} ({worst:.2f})")
    raise SystemExit(0 if worst <= LIMIT else 1)


if __name__ == "__main__":
    main()
