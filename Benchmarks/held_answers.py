#!/usr/bin/env python3
"""Measures what clients can make the server hold without credentials: 50 connections with INITIAL_WINDOW_SIZE 0 send
1,000 requests each with 3 KB of headers and read no answers, but send a PING now and then. Resident memory before, with
all of it held, and after the write stall has ended them; meanwhile another client pushes."""

import argparse
import contextlib
import socket
import ssl
import struct
import sys
import time
import urllib.parse
from pathlib import Path

from bench_common import megabytes, pid, pushpit, scratch

LIMIT_MB = 100
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def field(name: bytes, value: bytes) -> bytes:
    """A literal without indexing (RFC 7541, section 6.2.2)."""
    return b"\0" + number(len(name)) + name + number(len(value)) + value


def number(count: int) -> bytes:
    if count < 127:
        return bytes([count])
    count -= 127
    out = b"\x7f"
    while count >= 128:
        out += bytes([count % 128 + 128])
        count //= 128
    return out + bytes([count])


def request(stream: int) -> bytes:
    block = b"".join(
        field(n, v)
        for n, v in [
            (b":method", b"POST"),
            (b":scheme", b"https"),
            (b":path", b"/3/device/" + b"00" * 32),
            (b":authority", b"x"),
            (b"apns-topic", b"x" * 1400),
            (b"user-agent", b"y" * 1400),
        ]
    )
    return frame(1, 5, stream, block)


def connect(url: str) -> ssl.SSLSocket:
    """A TLS connection for HTTP/2 to a server that is not authenticated."""
    address = urllib.parse.urlsplit(url)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    return context.wrap_socket(socket.create_connection((address.hostname, address.port)))


def read_away(sockets: list[ssl.SSLSocket]) -> list[ssl.SSLSocket]:
    """Reads what has arrived; returns the connections that are still open."""
    open_ones = []
    for each in sockets:
        each.setblocking(False)
        alive = True
        try:
            while True:
                if each.recv(65_536) == b"":
                    alive = False
                    break
        except (ssl.SSLWantReadError, BlockingIOError):
            pass
        except OSError:
            alive = False
        each.setblocking(True)
        if alive:
            open_ones.append(each)
    return open_ones


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--connections", type=int, default=50)
    parse.add_argument("--requests", type=int, default=1000)
    parse.add_argument("--stall", type=int, default=10, help="seconds of wire.writeStall (default 10)")
    arguments = parse.parse_args()
    with scratch() as name:
        settings = {"wire.writeStall": f"{arguments.stall}s"}
        flags = {"fleet": 10, "ledger": 100, "initial_streams": 1000, "settings": settings}
        with pushpit(Path(name) / "state", **flags) as server:
            before = megabytes(pid(server))
            sockets = [connect(server.apns()) for _ in range(arguments.connections)]
            for each in sockets:
                each.sendall(PREFACE + frame(4, 0, 0, struct.pack(">HI", 4, 0)) + frame(4, 1, 0))
                for start in range(0, arguments.requests, 100):
                    each.sendall(b"".join(request(2 * (start + i) + 1) for i in range(100)))
                    read_away([each])
            time.sleep(1)
            held, begun = megabytes(pid(server)), time.monotonic()
            rows = [("before", before), (f"{arguments.connections} x {arguments.requests} answers held", held)]
            while sockets and time.monotonic() - begun < 3 * arguments.stall + 10:
                for each in sockets:
                    with contextlib.suppress(OSError):
                        each.sendall(frame(6, 0, 0, b"12345678"))
                time.sleep(1)
                sockets = read_away(sockets)
            lasted = time.monotonic() - begun
            rows.append((f"after {lasted:.0f} s of PINGs, {len(sockets)} connections left", megabytes(pid(server))))
    for what, amount in rows:
        print(f"{what:<48}{amount:>8.0f} MB")
    grown = rows[1][1] - rows[0][1]
    sound = grown < LIMIT_MB and not sockets
    print(f"held: {grown:.0f} MB (limit {LIMIT_MB}): {'ok' if sound else 'BROKEN'}")
    sys.exit(0 if sound else 1)


if __name__ == "__main__":
    main()
