#!/usr/bin/env python3
"""Sends bursts of 60 pushes, each burst in one write, on a few connections: every answer must be a 200. TLS and TCP
divide what the server reads at arbitrary places, and answers to earlier pushes are written in between."""

import argparse
import struct
import sys
import threading
import time
from pathlib import Path

from bench_common import SMOOTH, provider_token, pushpit, scratch
from held_answers import PREFACE, connect, field, frame

BURST = 60


class Client(threading.Thread):
    def __init__(self, url: str, tokens: list[str], jwt: str, bursts: int, topic: str):
        super().__init__()
        self.socket = connect(url)
        self.socket.settimeout(30)
        self.socket.sendall(PREFACE + frame(4, 0, 0, struct.pack(">HI", 1, 0)))
        self.buffer, self.stream, self.bursts = b"", 1, bursts
        self.tokens, self.jwt, self.topic = tokens, jwt, topic
        self.right = self.wrong = 0
        self.first_wrong = ""

    def push(self) -> bytes:
        token = self.tokens[self.stream // 2 % len(self.tokens)]
        block = b"".join(
            field(n.encode(), v.encode())
            for n, v in [
                (":method", "POST"),
                (":scheme", "https"),
                (":path", f"/3/device/{token}"),
                (":authority", "localhost"),
                ("authorization", f"bearer {self.jwt}"),
                ("apns-topic", self.topic),
                ("apns-push-type", "alert"),
            ]
        )
        stream, self.stream = self.stream, self.stream + 2
        return frame(1, 4, stream, block) + frame(0, 1, stream, b'{"aps":{"alert":"Out!"}}')

    def run(self) -> None:
        if self.one_burst(1):
            for _ in range(self.bursts):
                if not self.one_burst(BURST):
                    break
        self.socket.close()

    def one_burst(self, count: int) -> bool:
        """True if each push returned 200; after a failure, the rest of the connection is not sent."""
        self.socket.sendall(b"".join(self.push() for _ in range(count)))
        sent = self.right + self.wrong + count
        while self.right + self.wrong < sent:
            data = self.socket.recv(1 << 18)
            if not data:
                self.wrong, self.first_wrong = sent - self.right, self.first_wrong or "closed"
            self.buffer += data
            while len(self.buffer) >= 9:
                length = int.from_bytes(self.buffer[:3], "big")
                if len(self.buffer) < 9 + length:
                    break
                kind, flags, payload = self.buffer[3], self.buffer[4], self.buffer[9 : 9 + length]
                self.buffer = self.buffer[9 + length :]
                if kind == 4 and not flags & 1:
                    self.socket.sendall(frame(4, 1, 0))
                elif kind == 1:
                    # 0x88 is :status 200 (RFC 7541, appendix A). The table size of 0 is announced before it.
                    self.note(payload.lstrip(b"\x20").startswith(b"\x88"), payload)
                elif kind in (3, 7):
                    self.note(False, bytes([kind]) + payload)
        return self.wrong == 0

    def note(self, right: bool, what: bytes) -> None:
        if right:
            self.right += 1
        else:
            self.wrong += 1
            self.first_wrong = self.first_wrong or repr(what[:80])


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--pushes", type=int, default=50_000)
    parse.add_argument("--connections", type=int, default=4)
    arguments = parse.parse_args()
    with scratch() as name:
        with pushpit(Path(name) / "state", **SMOOTH, fleet=100, initial_streams=1000) as server:
            query = {"kind": "device", "environment": "sandbox", "live": True}
            rows = list(server.admin.pages("/v1/tokens", "tokens", **query))
            topic = rows[0]["topic"]
            tokens = [r["token"] for r in rows if r["topic"] == topic]
            jwt = provider_token(server.key)
            bursts = -(-arguments.pushes // (BURST * arguments.connections))
            clients = [Client(server.apns(), tokens, jwt, bursts, topic) for _ in range(arguments.connections)]
            begun = time.monotonic()
            for client in clients:
                client.start()
            for client in clients:
                client.join()
            seconds = time.monotonic() - begun
    right, wrong = sum(c.right for c in clients), sum(c.wrong for c in clients)
    print(
        f"{right + wrong:,} pushes in bursts of {BURST} on {len(clients)} connections, {seconds:.1f} s: {wrong} "
        f"wrong answers"
    )
    for client in clients:
        if client.first_wrong:
            print(f"  first wrong: {client.first_wrong}")
    sys.exit(1 if wrong or right < arguments.pushes else 0)


if __name__ == "__main__":
    main()
